// The data of the page: the map at once, neighbours and rules when they are unpacked.
import { NextStep } from "./nextstep";
import { plain } from "./plain";
import { Rules, type Transition } from "./rules";
import { readPart, type Numbers, type Part } from "./unpack";

export interface Column {
  name: string;
  categories: string[] | null;
  group: string; // "own", "profile", or empty for labels
  meaning: string;
  values: Numbers;
}

export interface Neighbor {
  node: number;
  score: number;
}

/** The cosine of two rows of the proximity matrix as a sum over the nodes that both lead to. */
export interface Common {
  cosine: number;
  amount: number; // of terms
  terms: { node: number; part: number }[]; // the strongest
}

/** By embedding: 0 is the one of the store, 1 its first-order counterpart. */
export type Which = 0 | 1;

/** Where nodes are: on the map of the first or the second embedding, or on the earth. */
export type Layout = Which | 2;
export const EARTH = 2;

/** The square around all coordinates, in the Mercator projection of a sphere of radius 1. */
export interface Earth {
  made_by: string;
  middle: [number, number];
  half: number;
}

export type Change = "kept" | "won" | "lost";

export class Model {
  readonly title: string;
  readonly names: string[];
  readonly labels: string[] | null; // of nodes in the data, where others than these are shown
  readonly columns: Column[];
  readonly xs: Float32Array[] = [];
  readonly ys: Float32Array[] = [];
  readonly earth: Earth | null;
  private readonly placed: Numbers | null; // whether nodes have coordinates
  readonly facts: any;
  readonly byImportance: Uint32Array;
  neighborsEach = 0;
  rules: Rules | null = null;
  private busy: Transition[] | null = null;
  private closeness: Part | null = null;
  private nextPart: Part | null = null;
  private nextModel: NextStep | null = null;
  private ids: Numbers[] = [];
  private scores: Numbers[] = [];
  private searched: string[][] | null = null;
  private numbers: Map<string, number> | null = null;

  static async read(): Promise<Model> {
    const part = await readPart("map");
    return new Model(part, part.values.earth ? await readPart("basemap") : null);
  }

  private constructor(part: Part, readonly basemapPart: Part | null) {
    this.facts = part.values;
    this.title = part.values.title;
    this.names = part.values.names;
    this.labels = part.values.labels ?? null;
    this.columns = part.values.columns.map((column: Omit<Column, "values">, i: number) => ({ ...column, values: part.arrays[`column${i}`] }));
    this.placed = part.arrays.placed ?? null;
    this.earth = part.values.earth ?? null;
    const shares = (steps: Numbers) => Float32Array.from(steps, (step) => step / 65535);
    for (const [layout, name] of ["0", "1"].entries())
      if (part.arrays[`x${name}`]) [this.xs[layout], this.ys[layout]] = [shares(part.arrays[`x${name}`]), shares(part.arrays[`y${name}`])];
    if (this.earth) [this.xs[EARTH], this.ys[EARTH]] = [shares(part.arrays.earth_x), shares(part.arrays.earth_y)];
    const links = this.columns.find((column) => column.name === "links")?.values;
    this.byImportance = Uint32Array.from(this.names.keys());
    if (links) this.byImportance.sort((a, b) => links[b] - links[a] || a - b);
  }

  get size(): number {
    return this.names.length;
  }

  get hasFirstOrder(): boolean {
    return this.xs[1] !== undefined;
  }

  /** The direct steps with the largest counts. */
  busiest(most: number): Transition[] {
    return (this.busy ??= this.rules?.busiest(most) ?? []);
  }

  isPlaced(node: number, layout: Layout): boolean {
    return layout !== EARTH || this.placed?.[node] === 1;
  }

  async readRest(): Promise<void> {
    const near = await readPart("neighbors");
    this.neighborsEach = near.values.each;
    for (let i = 0; i < near.values.embeddings; i++) {
      this.ids.push(near.arrays[`ids${i}`]);
      this.scores.push(near.arrays[`scores${i}`]);
    }
    this.closeness = await readPart("closeness");
    const part = await readPart("rules");
    if (this.facts.rules) this.rules = new Rules(part, this.size);
    this.nextPart = await readPart("next");
  }

  /** The model of the next node, or null; its tables are computed when it is first used. */
  get nextStep(): NextStep | null {
    if (!this.nextPart?.values.n_contexts) return null;
    return (this.nextModel ??= new NextStep(this.nextPart, this.size));
  }

  /** Why there is no model of the next node. */
  get whyNoNextStep(): string {
    const { is_stored: isStored, left_out: bytes } = this.nextPart?.values ?? {};
    if (isStored) return `The model of the next node has ${number(bytes / 1e6)} MB, too many for this file; honem next and honem explore --serve use it.`;
    return "This store holds no model of the next node.";
  }

  neighbors(node: number, which: Which): Neighbor[] {
    const ids = this.ids[which];
    if (!ids) return [];
    const start = node * this.neighborsEach;
    return Array.from({ length: this.neighborsEach }, (_, i) => ({
      node: ids[start + i],
      score: (this.scores[which][start + i] / 65535) * 2 - 1,
    }));
  }

  /** The cosine of two nodes, if one is among the nearest of the other. */
  cosine(from: number, to: number, which: Which): number | null {
    const score = (a: number, b: number) => this.neighbors(a, which).find(({ node }) => node === b)?.score;
    return score(from, to) ?? score(to, from) ?? null;
  }

  /** What the first node and the second, one of its nearest ten, both lead to; null for other pairs. */
  common(from: number, to: number): Common | null {
    const { each = 0, terms = 0 } = this.closeness?.values ?? {};
    const place = this.neighbors(from, 0).slice(0, each).findIndex(({ node }) => node === to);
    if (place < 0) return null;
    const { nodes, parts, cosines, amounts } = this.closeness!.arrays;
    const pair = from * each + place;
    const onScale = (step: number) => (step / 65535) * 2 - 1;
    const listed = Math.min(terms, amounts[pair]);
    const at = (i: number) => pair * terms + i;
    return {
      cosine: onScale(cosines[pair]),
      amount: amounts[pair],
      terms: Array.from({ length: listed }, (_, i) => ({ node: nodes[at(i)], part: onScale(parts[at(i)]) })),
    };
  }

  /** Neighbours of the store's embedding that first order has too, or not; and those that only first order has. */
  changes(node: number, most: number): Map<number, Change> {
    const found = new Map<number, Change>();
    const higher = this.neighbors(node, 0).slice(0, most);
    const first = this.neighbors(node, 1).slice(0, most);
    const before = new Set(first.map((neighbor) => neighbor.node));
    for (const { node: other } of higher) found.set(other, !first.length || before.has(other) ? "kept" : "won");
    for (const { node: other } of first) if (!found.has(other)) found.set(other, "lost");
    return found;
  }

  /** A node by its name, its label in the data, or by `~number` where names are too long for a URL. */
  find(name: string): number | null {
    const numbered = (texts: string[]): [string, number][] => [...texts.entries()].reverse().map(([number, text]) => [text, number]);
    this.numbers ??= new Map([...numbered(this.labels ?? []), ...numbered(this.names)]);
    const number = this.numbers.get(name) ?? (/^~\d+$/.test(name) ? Number(name.slice(1)) : null);
    return number !== null && number < this.size ? number : null;
  }

  address(node: number): string {
    const name = this.names[node];
    return name.length <= 80 && this.find(name) === node && name.isWellFormed?.() !== false ? name : `~${node}`;
  }

  /** Nodes whose names or labels begin with a text, then those that contain it; nodes with many links first. */
  search(text: string, most = 40): number[] {
    const wanted = plain(text);
    if (!wanted) return [];
    this.searched ??= this.names.map((name, node) => [name, ...(this.labels ? [this.labels[node]] : [])].map((text) => plain(text.slice(0, 10_000))));
    const [same, begins, within]: number[][] = [[], [], []];
    for (const node of this.byImportance) {
      const texts = this.searched[node];
      if (texts.includes(wanted)) same.push(node);
      else if (texts.some((text) => text.startsWith(wanted))) begins.push(node);
      else if (texts.some((text) => text.includes(wanted))) within.push(node);
    }
    return [...same, ...begins, ...within].slice(0, most);
  }

  /** The name of a column in the URL: a column of the labels may be called like one of the profile. */
  columnAddress(column: Column): string {
    return column.group === "profile" ? `${column.group}: ${column.name}` : column.name;
  }

  /** The share of the other nodes that have a smaller number; half of those with the same count. */
  rank(column: Column, node: number): number {
    const value = column.values[node];
    let below = 0;
    for (const other of column.values) below += other < value ? 1 : other === value ? 0.5 : 0;
    return this.size > 1 ? (below - 0.5) / (this.size - 1) : 0.5;
  }

  shown(column: Column, node: number): string {
    const value = column.values[node];
    if (column.categories) return value ? column.categories[value - 1] : "";
    return Number.isNaN(value) ? "" : column.group ? number(value) : fact(value);
  }
}

/** A node of a history: its number, or the name of a node that the model does not know. */
export type Visited = number | string;

export const number = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 1 });

/** A number of the labels: a coordinate keeps its digits, a year has no comma. */
const fact = (value: number): string =>
  Number(value.toPrecision(7)).toLocaleString("en", { maximumFractionDigits: 4, useGrouping: "min2" as unknown as boolean });

export const times = (count: number): string => (count === 1 ? "once" : `${number(count)} times`);

export const percent = (share: number): string =>
  (share > 0 && share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`).replaceAll(" ", "\u00a0");

/** "1 rule", "2 rules". */
export const amount = (count: number, word: string): string => `${number(count)} ${count === 1 ? word : `${word}s`}`;

/** Few digits, and none that say nothing. */
export const bits = (value: number): string => (value > 0 && value < 0.001 ? "<\u00a00.001" : number(Number(value.toPrecision(2))));

/** Whether fingers, not a mouse, point at things. */
export const TOUCH = matchMedia("(hover: none)").matches;
