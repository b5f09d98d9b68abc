// The state of the view, in a form that fits into the URL.
import { EARTH, type Layout, type Model, type Visited, type Which } from "./model";

export const VIEWS = ["map", "table", "about", "evaluation"] as const;
export type View = (typeof VIEWS)[number];

export interface State {
  view: View;
  node: number | null;
  other: number | null;
  rule: number[]; // the context of a rule of the node, which is highlighted
  which: Which;
  earth: boolean; // whether nodes are shown where they are on the earth
  flows: boolean; // whether transitions are drawn there
  color: number;
  category: number | null; // only this one is coloured
  lasso: number[]; // a polygon on the map: x, y, x, y, ...
  lassoOnEarth: boolean; // which of the maps it was drawn on
  history: Visited[];
  fromStart: boolean; // whether the history begins where a path does
  next: boolean; // whether the panel shows what comes next
  camera: [x: number, y: number, zoom: number] | null;
}

export const START: State = {
  view: "map",
  node: null,
  other: null,
  rule: [],
  which: 0,
  earth: true,
  flows: true,
  color: 0,
  category: null,
  lasso: [],
  lassoOnEarth: false,
  history: [],
  fromStart: false,
  next: false,
  camera: null,
};

export function toHash(state: State, model: Model): string {
  const words = new URLSearchParams();
  if (state.view !== "map") words.set("view", state.view);
  if (state.node !== null) words.set("node", model.address(state.node));
  if (state.other !== null) words.set("with", model.address(state.other));
  if (state.node !== null) for (const node of state.rule) words.append("rule", model.address(node));
  if (state.which) words.set("order", "first");
  if (model.earth && !state.earth) words.set("map", "vectors");
  if (!state.flows) words.set("flows", "0");
  if (state.color) words.set("colour", model.columnAddress(model.columns[state.color]));
  if (state.category !== null) words.set("only", String(state.category));
  if (state.lasso.length) words.set(state.lassoOnEarth ? "area" : "lasso", state.lasso.map((at) => at.toFixed(4)).join(","));
  for (const node of state.history) words.append("after", typeof node === "string" ? node : model.address(node));
  if (state.fromStart) words.set("start", "1");
  if (state.next) words.set("panel", "next");
  if (state.camera) words.set("at", state.camera.map((at) => Number(at.toPrecision(5))).join(","));
  return words.toString();
}

export function fromHash(hash: string, model: Model): State {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const node = (name: string) => (words.has(name) ? model.find(words.get(name)!) : null);
  const numbers = (name: string) => (words.has(name) ? words.get(name)!.split(",").map(Number).filter(Number.isFinite) : []);
  const camera = numbers("at");
  const lasso = numbers(words.has("area") ? "area" : "lasso");
  const only = words.has("only") ? Number(words.get("only")) : NaN;
  return {
    view: VIEWS.find((view) => view === words.get("view")) ?? (words.get("view") === "overview" ? "about" : "map"), // as it was called in 0.1.0
    node: node("node"),
    other: node("node") === null ? null : node("with"),
    rule: words.getAll("rule").map((name) => model.find(name)).filter((found) => found !== null),
    which: words.get("order") === "first" && model.hasFirstOrder ? 1 : 0,
    earth: model.earth !== null && words.get("map") !== "vectors",
    flows: words.get("flows") !== "0",
    color: Math.max(0, model.columns.findIndex((column) => model.columnAddress(column) === words.get("colour"))),
    category: Number.isInteger(only) ? only : null,
    lasso: lasso.length >= 6 && lasso.length % 2 === 0 ? lasso : [],
    lassoOnEarth: words.has("area") && model.earth !== null,
    history: words.getAll("after").map((name) => model.find(name) ?? name),
    fromStart: words.get("start") === "1",
    next: words.get("panel") === "next",
    camera: camera.length === 3 && camera[2] > 0 ? (camera as [number, number, number]) : null,
  };
}

export const layoutOf = (state: State): Layout => (state.earth ? EARTH : state.which);

/** The nodes inside the lasso, on the map that it was drawn on. */
export function inside(model: Model, { lasso, lassoOnEarth, which }: State): number[] {
  if (lasso.length < 6) return [];
  const layout = lassoOnEarth ? EARTH : which;
  const [xs, ys, found] = [model.xs[layout], model.ys[layout], [] as number[]];
  for (let node = 0; node < model.size; node++) if (model.isPlaced(node, layout) && contains(lasso, xs[node], ys[node])) found.push(node);
  return found;
}

function contains(polygon: number[], x: number, y: number): boolean {
  let within = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const [ax, ay, bx, by] = [polygon[i], polygon[i + 1], polygon[j], polygon[j + 1]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  }
  return within;
}
