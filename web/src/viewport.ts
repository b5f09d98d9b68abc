// The part of the map that is visible, and flights to another part.
import type { Camera } from "./scatter";

export type Point = [x: number, y: number];

const FIT = 0.86; // share of the space that the whole map fills; the rest is for tools and names
const FLIGHT_MS = 650;
const CLOSEST = 400; // times the zoom of the whole map
const CLOSEST_FLIGHT = 14;
const AROUND = 0.62; // share of the space that the aim of a flight fills

const eased = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2);

export class Viewport {
  readonly camera: Camera = { x: 0.5, y: 0.5, zoom: 1 };
  width = 1;
  height = 1;
  ratio = 1;
  span: Point = [1, 1]; // of the map that is shown
  private flight: { from: Camera; to: Camera; since: number } | null = null;

  /** The zoom at which the whole map is visible. */
  get fit(): number {
    return FIT * Math.min(this.width / this.span[0], this.height / this.span[1]);
  }

  get isFlying(): boolean {
    return this.flight !== null;
  }

  resize(width: number, height: number, ratio: number): void {
    const before = this.fit;
    [this.width, this.height, this.ratio] = [width, height, ratio];
    this.camera.zoom *= this.fit / before;
  }

  /** Show the whole map, or a previous view. */
  look(at: [number, number, number] | null): void {
    this.flight = null;
    [this.camera.x, this.camera.y] = at ?? [0.5, 0.5];
    this.camera.zoom = this.fit * (at?.[2] ?? 1);
  }

  toScreen(x: number, y: number): Point {
    return [(x - this.camera.x) * this.camera.zoom + this.width / 2, this.height / 2 - (y - this.camera.y) * this.camera.zoom];
  }

  toMap(x: number, y: number): Point {
    return [this.camera.x + (x - this.width / 2) / this.camera.zoom, this.camera.y - (y - this.height / 2) / this.camera.zoom];
  }

  contains([x, y]: Point, margin = 0): boolean {
    return x >= margin && y >= margin && x <= this.width - margin && y <= this.height - margin;
  }

  /** Zoom so that what is at a place of the screen stays there. */
  zoomBy(factor: number, x: number, y: number): void {
    this.flight = null;
    const zoom = Math.min(Math.max(this.camera.zoom * factor, this.fit / 4), this.fit * CLOSEST);
    const [mapX, mapY] = this.toMap(x, y);
    this.camera.zoom = zoom;
    this.camera.x = mapX - (x - this.width / 2) / zoom;
    this.camera.y = mapY + (y - this.height / 2) / zoom;
  }

  panBy(dx: number, dy: number): void {
    this.flight = null;
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y += dy / this.camera.zoom;
  }

  /** Fly to where all points are visible; the whole map if they are spread over most of it. */
  flyTo(points: Point[], still: boolean): void {
    if (!points.length) return;
    const bounds = [0, 1].map((axis) => points.map((point) => point[axis])).map((values) => [Math.min(...values), Math.max(...values)]);
    const [[left, right], [bottom, top]] = bounds;
    const close = AROUND * Math.min(this.width / (right - left || 1e-9), this.height / (top - bottom || 1e-9));
    const zoom = Math.min(close, CLOSEST_FLIGHT * this.fit);
    const to = zoom <= this.fit ? { x: 0.5, y: 0.5, zoom: this.fit } : { x: (left + right) / 2, y: (bottom + top) / 2, zoom };
    this.flight = { from: { ...this.camera }, to, since: performance.now() - (still ? FLIGHT_MS : 0) };
  }

  /** Move on in a flight; return whether it goes on. */
  advance(): boolean {
    if (!this.flight) return false;
    const { from, to, since } = this.flight;
    const t = Math.min((performance.now() - since) / FLIGHT_MS, 1);
    const share = eased(t);
    this.camera.zoom = from.zoom * (to.zoom / from.zoom) ** share;
    // In step with the zoom, so that the flight looks straight.
    const near = Math.abs(to.zoom - from.zoom) < 1e-6 * to.zoom ? share : (1 / from.zoom - 1 / this.camera.zoom) / (1 / from.zoom - 1 / to.zoom);
    this.camera.x = from.x + (to.x - from.x) * near;
    this.camera.y = from.y + (to.y - from.y) * near;
    if (t >= 1) this.flight = null;
    return t < 1;
  }
}

export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
export { eased };
