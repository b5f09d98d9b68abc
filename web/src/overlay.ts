// The overlay on the points: names, rings, lines to neighbours, the lasso.
import { Labels, write, type Box } from "./labels";
import type { Change, Model } from "./model";
import type { Pen } from "./pen";
import { canvasName } from "./shapes";
import type { State } from "./state";
import type { Point, Viewport } from "./viewport";

export interface Tints {
  ink: string;
  paper: string;
  accent: string;
  won: string;
  lost: string;
}

export interface Scene {
  state: State;
  changes: Map<number, Change>;
  visited: number[]; // the history, or the context of a rule
  marked: number[]; // the same, and what comes next
  selected: number[];
  hovered: number | null;
  lasso: number[];
  tints: Tints;
  moves: boolean; // whether the user is moving the map
  hasLines: boolean; // whether lines lead to the neighbours
  view: Viewport;
  radius: number;
  obstacles: Box[];
  onScreen(node: number): Point | null; // null if the node is not on this map
}

const LABELS = 26;
const MOST_LOOKED_AT = 2500;

export class Overlay {
  private readonly widths = new Map<string, number>();
  private named: number[] = [];
  private scene!: Scene;
  private labels!: Labels;
  private readonly labelled = new Set<number>();

  constructor(private pen: Pen, private readonly model: Model) {}

  /** Where names were written, for tests. */
  get boxes(): Box[] {
    return this.labels?.boxes ?? [];
  }

  draw(scene: Scene, pen = this.pen): void {
    const before = this.pen;
    this.pen = pen;
    this.scene = scene;
    this.labelled.clear();
    this.labels = new Labels(scene.obstacles, [scene.view.width, scene.view.height]);
    const { state, tints, hovered, changes, visited, marked } = scene;
    const chosen = (marked.length ? [] : [state.node, state.other]).filter((node) => node !== null);
    this.drawLasso();
    if (chosen.length) this.drawNeighbors(chosen[0]);
    for (const node of chosen) this.ring(node, tints.accent, 3, 5);
    for (const node of marked) this.ring(node, tints.accent, 2, 3);
    for (const node of [...chosen, ...visited]) this.label(node, true);
    if (hovered !== null) this.ring(hovered, tints.ink, 1.5, 3);
    for (const node of marked.slice(visited.length)) this.label(node);
    if (chosen.length) for (const [near] of changes) this.label(near);
    else if (!marked.length) this.drawWellKnown();
    this.pen = before;
  }

  /** Names of nodes with many links where there is room; while the map moves, the previous ones, which is faster. */
  private drawWellKnown(): void {
    const shown: number[] = [];
    for (const node of this.scene.moves ? this.named : this.wellKnown()) {
      if (this.label(node)) shown.push(node);
      if (this.labels.amount >= LABELS) break;
    }
    if (!this.scene.moves) this.named = shown;
  }

  private *wellKnown(): Generator<number> {
    const { state, selected } = this.scene;
    const focus = state.lasso.length ? new Set(selected) : null;
    const column = this.model.columns[state.color];
    let looked = 0;
    for (const node of this.model.byImportance) {
      if (++looked > MOST_LOOKED_AT) return;
      if (focus && !focus.has(node)) continue;
      if (state.category !== null && column.values[node] !== state.category) continue;
      yield node;
    }
  }

  private drawNeighbors(node: number): void {
    const { pen } = this;
    const { tints, changes, onScreen, hasLines } = this.scene;
    const from = onScreen(node);
    if (!from) return;
    for (const [near, change] of changes) {
      const to = onScreen(near);
      if (!to) continue;
      const color = change === "won" ? tints.won : change === "lost" ? tints.lost : tints.accent;
      pen.setLineDash(change === "lost" ? [3, 4] : []);
      if (hasLines) {
        pen.strokeStyle = color;
        pen.globalAlpha = change === "lost" ? 0.45 : 0.6;
        pen.lineWidth = 1.25;
        pen.beginPath();
        pen.moveTo(...from);
        pen.lineTo(...to);
        pen.stroke();
        pen.globalAlpha = 1;
      }
      this.ring(near, color, 2, 2.5);
      pen.setLineDash([]);
    }
  }

  private ring(node: number, color: string, width: number, gap: number): void {
    const at = this.scene.onScreen(node);
    if (!at) return;
    this.pen.beginPath();
    this.pen.arc(...at, this.scene.radius + gap, 0, 2 * Math.PI);
    this.pen.strokeStyle = color;
    this.pen.lineWidth = width;
    this.pen.stroke();
  }

  /** Write a name beside its point if there is room; return whether it was written. */
  private label(node: number, important = false): boolean {
    const at = this.scene.onScreen(node);
    if (!at || this.labelled.has(node)) return false;
    this.pen.font = `${important ? "600 13px" : "12px"} system-ui, sans-serif`;
    const text = canvasName(this.model.names[node]);
    const box = this.labels.room(at, this.width(text), this.scene.radius, important);
    if (box) this.labelled.add(node);
    if (box) write(this.pen, text, box, this.scene.tints.ink, this.scene.tints.paper);
    return box !== null;
  }

  private width(text: string): number {
    const key = `${this.pen.font} ${text}`;
    if (!this.widths.has(key)) this.widths.set(key, this.pen.measureText(text).width);
    return this.widths.get(key)!;
  }

  private drawLasso(): void {
    const { lasso: polygon, view, tints } = this.scene;
    if (polygon.length < 4) return;
    const { pen } = this;
    pen.beginPath();
    for (let i = 0; i < polygon.length; i += 2) {
      const at = view.toScreen(polygon[i], polygon[i + 1]);
      if (i) pen.lineTo(...at);
      else pen.moveTo(...at);
    }
    pen.closePath();
    pen.globalAlpha = 0.08;
    pen.fillStyle = tints.accent;
    pen.fill();
    pen.globalAlpha = 0.9;
    pen.setLineDash([5, 4]);
    pen.lineWidth = 1.25;
    pen.strokeStyle = tints.accent;
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
}
