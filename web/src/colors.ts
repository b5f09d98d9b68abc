// Colours that colour-blind people can distinguish (after Okabe and Ito, and Tol), on light and on dark backgrounds.
import type { Column } from "./model";

export type Rgb = [number, number, number];

const ON_LIGHT = ["#2f6fb5", "#e08214", "#1b9e77", "#c2479d", "#8c6d31", "#5bb4d8", "#d6453d", "#7461b8", "#b8a81e", "#0f7173", "#8f2d56", "#7fa650", "#f2857d", "#4b3fa8", "#a0522d", "#2bb3a3", "#d99ad0", "#8a9a00", "#0077c8", "#c21e56"];
const ON_DARK = ["#6ea8e8", "#f5a742", "#3fc79a", "#e887c5", "#c7a263", "#86d3f0", "#f57d75", "#a796ea", "#e3d554", "#45b8ba", "#d46a9a", "#aed581", "#ffb3ad", "#8f83ff", "#d98a5f", "#7ff0e0", "#f3c4ee", "#c5d63d", "#4db4ff", "#ff6f9c"];
// Viridis (van der Walt and Smith 2015) without its darkest and lightest ends.
const RAMP = ["#443a83", "#31688e", "#21918c", "#35b779", "#90d743", "#e8d82c"];
export const LEGEND_COLORS = ON_LIGHT.length;

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const rest = (dark: boolean) => (dark ? "#5d6570" : "#b9c0c8");

export function categoryColor(place: number, dark: boolean): string {
  const palette = dark ? ON_DARK : ON_LIGHT;
  return place >= 1 && place <= palette.length ? palette[place - 1] : rest(dark);
}

export function rampColor(share: number): string {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const [from, to] = [rgb(RAMP[Math.floor(at)]), rgb(RAMP[Math.ceil(at)])];
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * (at % 1))).join(" ")})`;
}

/** Numbers spread over many powers of ten are shown by their logarithm. */
export class Scale {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;

  constructor(column: Column) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of column.values) if (!Number.isNaN(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    [this.low, this.high] = low <= high ? [low, high] : [0, 1];
    this.isLog = this.low >= 0 && this.high > 50 * (this.low + 1);
  }

  /** The inverse of `share`. */
  value(share: number): number {
    const on = (at: number) => (this.isLog ? Math.log1p(at) : at);
    const at = on(this.low) + share * (on(this.high) - on(this.low));
    return this.isLog ? Math.expm1(at) : at;
  }

  share(value: number): number {
    const on = (at: number) => (this.isLog ? Math.log1p(at) : at);
    return (on(value) - on(this.low)) / (on(this.high) - on(this.low) || 1);
  }
}

const [FULL, PALE, FAINT] = [215, 105, 28];

/** The colour of every node, as bytes red, green, blue, alpha; paler if one is selected, faint if not in focus. */
export function colorsOf(column: Column, category: number | null, focus: Set<number> | null, dark: boolean, chosen: Map<number, unknown> | null = null): Uint8Array {
  const colors = new Uint8Array(column.values.length * 4);
  const known = new Map<string, Rgb>();
  const scale = column.categories ? null : new Scale(column);
  for (let node = 0; node < column.values.length; node++) {
    const value = column.values[node];
    const missing = Number.isNaN(value) || (!scale && !value);
    const text = missing ? rest(dark) : scale ? rampColor(Math.round(scale.share(value) * 64) / 64) : categoryColor(value, dark);
    let color = known.get(text);
    if (!color) known.set(text, (color = text.startsWith("#") ? rgb(text) : (text.match(/\d+/g)!.map(Number) as Rgb)));
    const faint = (focus && !focus.has(node)) || (category !== null && value !== category);
    colors.set(color, node * 4);
    colors[node * 4 + 3] = faint ? FAINT : chosen && !chosen.has(node) ? PALE : FULL;
  }
  return colors;
}
