// Helpers for names and polygons on the map.

/** Twice the distance of the farthest point from the middle of the map. */
export function spanOf(all: Float32Array[]): number {
  let farthest = 0.05;
  for (const values of all) for (const value of values) farthest = Math.max(farthest, Math.abs(value - 0.5));
  return 2 * farthest;
}

/** A name in one line, truncated if it is long, and isolated so that its direction does not affect other text. */
export function canvasName(name: string, most = 34): string {
  const letters = [...name.slice(0, 2 * most + 2).replace(/[\p{Cc}\u2028\u2029]/gu, " ")];
  const text = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
  return `\u2068${text.trim() || "(no name)"}\u2069`;
}

/** A polygon of at most 60 corners with few digits: it fits into a URL, and the link selects the same nodes. */
export function thinned(polygon: number[]): number[] {
  const corners = polygon.length / 2;
  const every = Math.max(1, Math.ceil(corners / 60));
  return polygon.filter((_, i) => Math.floor(i / 2) % every === 0).map((at) => Number(at.toFixed(4)));
}
