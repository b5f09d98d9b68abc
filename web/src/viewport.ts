// The part of the map that is visible, and flights to another part.
import type { Camera } from "./scatter";

export type Point = [x: number, y: number];

export interface Inset {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const NO_INSET: Inset = { left: 0, top: 0, right: 0, bottom: 0 };

const FIT = 0.9; // share of the free space that the whole map fills; the rest is for names
const LEAST_FIT = 0.5; // of the zoom without controls; smaller maps are worse than covered points
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
  private inset: Inset = NO_INSET; // what controls take of the space
  private isHome = true; // whether the whole map is shown, as nobody has moved it
  private flight: { from: Camera; to: Camera; since: number } | null = null;

  /** The zoom at which the whole map is visible. */
  get fit(): number {
    return this.fitInside(this.inset);
  }

  private fitInside({ left, top, right, bottom }: Inset): number {
    return FIT * Math.min((this.width - left - right) / this.span[0], (this.height - top - bottom) / this.span[1]);
  }

  /** The camera that shows a place in the middle of the free space. */
  private centred(x: number, y: number, zoom: number, { left, top, right, bottom } = this.inset): Camera {
    return { x: x - (left - right) / 2 / zoom, y: y + (top - bottom) / 2 / zoom, zoom };
  }

  /**
   * Leave room for controls: of the spaces beside them, the largest in which they cover the fewest points of the whole
   * map. `cover` counts the points that controls cover, given where a place of the map is on the screen.
   */
  makeRoom(insets: Inset[], cover: (toScreen: (x: number, y: number) => Point) => number): void {
    let [best, least, largest] = [NO_INSET, Infinity, 0];
    for (const inset of insets) {
      const zoom = this.fitInside(inset);
      if (zoom < LEAST_FIT * this.fitInside(NO_INSET)) continue;
      const camera = this.centred(0.5, 0.5, zoom, inset);
      const covered = cover((x, y) => [(x - camera.x) * zoom + this.width / 2, this.height / 2 - (y - camera.y) * zoom]);
      if (covered < least || (covered === least && zoom > largest)) [best, least, largest] = [inset, covered, zoom];
    }
    const before = this.fit;
    this.inset = best;
    if (this.isHome) this.look(null);
    else if (this.flight) this.flight.to.zoom *= this.fit / before;
  }

  get isFlying(): boolean {
    return this.flight !== null;
  }

  resize(width: number, height: number, ratio: number): void {
    const before = this.fit;
    [this.width, this.height, this.ratio] = [width, height, ratio];
    if (this.isHome) this.look(null);
    else this.camera.zoom *= this.fit / before;
  }

  /** Show the whole map, or a previous view. */
  look(at: [number, number, number] | null): void {
    this.flight = null;
    this.isHome = !at;
    Object.assign(this.camera, at ? { x: at[0], y: at[1], zoom: this.fit * at[2] } : this.centred(0.5, 0.5, this.fit));
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
    this.isHome = false;
    const zoom = Math.min(Math.max(this.camera.zoom * factor, this.fit / 4), this.fit * CLOSEST);
    const [mapX, mapY] = this.toMap(x, y);
    this.camera.zoom = zoom;
    this.camera.x = mapX - (x - this.width / 2) / zoom;
    this.camera.y = mapY + (y - this.height / 2) / zoom;
  }

  panBy(dx: number, dy: number): void {
    this.flight = null;
    this.isHome = false;
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y += dy / this.camera.zoom;
  }

  /** Fly to where all points are visible; the whole map if they are spread over most of it. */
  flyTo(points: Point[], still: boolean): void {
    if (!points.length) return;
    const bounds = [0, 1].map((axis) => points.map((point) => point[axis])).map((values) => [Math.min(...values), Math.max(...values)]);
    const [[left, right], [bottom, top]] = bounds;
    const free: Point = [this.width - this.inset.left - this.inset.right, this.height - this.inset.top - this.inset.bottom];
    const close = AROUND * Math.min(free[0] / (right - left || 1e-9), free[1] / (top - bottom || 1e-9));
    const zoom = Math.min(close, CLOSEST_FLIGHT * this.fit);
    const to = zoom <= this.fit ? this.centred(0.5, 0.5, this.fit) : this.centred((left + right) / 2, (bottom + top) / 2, zoom);
    this.isHome = false;
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
