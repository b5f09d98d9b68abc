// Small things about names and polygons on the map.

/** How far the farthest point is from the middle of the map, both sides taken together. */
export function spanOf(all: Float32Array[]): number {
  let farthest = 0.05;
  for (const values of all) for (const value of values) farthest = Math.max(farthest, Math.abs(value - 0.5));
  return 2 * farthest;
}

/** A name in one line, cut where it is long, and kept from turning what stands beside it. */
export function canvasName(name: string, most = 34): string {
  const letters = [...name.slice(0, 2 * most + 2).replace(/[\p{Cc}\u2028\u2029]/gu, " ")];
  const text = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
  return `\u2068${text.trim() || "(no name)"}\u2069`;
}

/** A polygon of at most 60 corners with few digits: what fits into an address selects the same when it is followed. */
export function thinned(polygon: number[]): number[] {
  const corners = polygon.length / 2;
  const every = Math.max(1, Math.ceil(corners / 60));
  return polygon.filter((_, i) => Math.floor(i / 2) % every === 0).map((at) => Number(at.toFixed(4)));
}
