// Transitions as curves: the busiest ones, those of the chosen node or rule, or a history and what comes next.
import type { Model } from "./model";
import { known } from "./next";
import type { Pen } from "./pen";
import type { Rules, Transition } from "./rules";
import type { State } from "./state";
import type { Point, Viewport } from "./viewport";

export type FlowKind = "usual" | "out" | "in" | "past" | "next";

export interface Flow {
  from: number;
  to: number;
  share: number; // of the strongest flow, or a probability
  kind: FlowKind;
}

const BUSIEST = 220;
const OF_A_NODE = 30; // in each direction
const PREDICTED = 8;
const LEAST = 0.005; // probability of a prediction that is drawn
const WIDEST: Record<FlowKind, number> = { usual: 3, out: 6, in: 6, past: 3, next: 9 };
const BEND = 0.16; // of the length, to the left of the direction of travel

/** The flows to draw in a state; the prediction also where others are switched off. */
export function flowsOf(model: Model, state: State): Flow[] {
  if (state.next && state.history.length) return predicted(model, state);
  if (isRuleShown(model, state)) return ofRule(model.rules!, state.rule);
  if (!state.earth || !state.flows || !model.rules) return [];
  const { rules } = model;
  if (state.node === null) return scaled(model.busiest(BUSIEST), "usual");
  const { node } = state;
  const first = rules.find([node]);
  const others = ({ target }: { target: number }) => target !== node;
  const out = (first < 0 ? [] : rules.steps(first)).filter(others).slice(0, OF_A_NODE).map(({ target, count }) => ({ from: node, to: target, count }));
  const into = rules.origins(node).filter(others).slice(0, OF_A_NODE).map(({ target, count }) => ({ from: target, to: node, count }));
  return [...scaled(into, "in"), ...scaled(out, "out")];
}

/** Whether the map shows a rule: its context and what comes next. */
export const isRuleShown = ({ rules }: Model, { next, node, other, rule }: State): boolean =>
  !next && node !== null && other === null && rule.length > 1 && !!rules && rules.find(rule) >= 0;

function ofRule(rules: Rules, context: number[]): Flow[] {
  const last = context[context.length - 1];
  const steps = rules.steps(rules.find(context), PREDICTED).filter(({ target, probability }) => target !== last && probability >= LEAST);
  return [...past(context), ...steps.map(({ target, probability }): Flow => ({ from: last, to: target, share: probability, kind: "next" })).reverse()];
}

const past = (nodes: (number | null)[]): Flow[] =>
  nodes.slice(1).flatMap((to, i): Flow[] => (to === null || nodes[i] === null || to === nodes[i] ? [] : [{ from: nodes[i]!, to, share: 0.5, kind: "past" }]));

function scaled(steps: Transition[], kind: FlowKind): Flow[] {
  const most = steps.reduce((most, { count }) => Math.max(most, count), 1);
  return steps.map(({ from, to, count }) => ({ from, to, share: count / most, kind })).reverse(); // the strongest is drawn last
}

function predicted(model: Model, { history, fromStart }: State): Flow[] {
  const nodes = known(history);
  const last = nodes[nodes.length - 1];
  const next = last === null ? [] : (model.nextStep?.predict(nodes, PREDICTED, fromStart).nodes ?? []);
  return [...past(nodes), ...next.filter(({ node, probability }) => node !== last && probability >= LEAST).map(({ node, probability }): Flow => ({ from: last!, to: node, share: probability, kind: "next" })).reverse()];
}

/** Draw flows between places on the map; `turn` is one turn around the earth, of which the shorter way is drawn. */
export function drawFlows(pen: Pen, flows: Flow[], view: Viewport, place: (node: number) => Point | null, turn: number, tint: (kind: FlowKind) => string): void {
  for (const { from, to, share, kind } of flows) {
    const [start, end] = [place(from), place(to)];
    if (!start || !end) continue;
    const shift = Number.isFinite(turn) ? Math.round((start[0] - end[0]) / turn) * turn : 0;
    pen.strokeStyle = pen.fillStyle = tint(kind);
    pen.globalAlpha = kind === "usual" ? 0.15 + 0.4 * Math.sqrt(share) : 0.35 + 0.5 * Math.sqrt(share);
    pen.lineWidth = 0.6 + WIDEST[kind] * Math.sqrt(share);
    curve(pen, view.toScreen(...start), view.toScreen(end[0] + shift, end[1]), kind !== "usual");
    if (shift) curve(pen, view.toScreen(start[0] - shift, start[1]), view.toScreen(...end), kind !== "usual");
  }
  pen.globalAlpha = 1;
}

function curve(pen: Pen, [ax, ay]: Point, [bx, by]: Point, hasHead: boolean): void {
  const [dx, dy] = [bx - ax, by - ay];
  const [middleX, middleY] = [(ax + bx) / 2 + BEND * dy, (ay + by) / 2 - BEND * dx];
  pen.beginPath();
  pen.moveTo(ax, ay);
  pen.quadraticCurveTo(middleX, middleY, bx, by);
  pen.stroke();
  if (hasHead && Math.hypot(dx, dy) > 24) head(pen, (ax + 2 * middleX + bx) / 4, (ay + 2 * middleY + by) / 4, Math.atan2(dy, dx));
}

/** The head of an arrow in the middle of a curve, where other curves and points hide it least. */
function head(pen: Pen, x: number, y: number, angle: number): void {
  const size = 3.5 + pen.lineWidth;
  const corner = (turn: number): Point => [x + size * Math.cos(angle + turn), y + size * Math.sin(angle + turn)];
  pen.beginPath();
  pen.moveTo(...corner(0));
  pen.lineTo(...corner(2.5));
  pen.lineTo(...corner(-2.5));
  pen.closePath();
  pen.fill();
}
