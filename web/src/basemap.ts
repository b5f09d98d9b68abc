// The map of the world under nodes with coordinates: land, borders, graticule and scale, in the Web Mercator projection.
import { Labels, type Box } from "./labels";
import type { Earth } from "./model";
import type { Pen } from "./pen";
import type { Numbers, Part } from "./unpack";
import type { Viewport } from "./viewport";

export interface LandTints {
  sea: string;
  land: string;
  coast: string;
  border: string;
  grid: string;
  soft: string;
  ink: string;
}

type Lines = Float32Array[]; // x, y, x, y, ... on the page's map

const MOST_LATITUDE = 85;
const RADIUS = 6_371_000; // of the earth, in metres
const FINEST = 150; // metres per pixel; outlines at 1:110m would mislead if they were drawn larger
const STATES_UNTIL = 9_000; // metres per pixel above which states of the USA are too small
const DEGREES = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
export const SCALE_WIDTH = 170; // pixels that scale and credit take
const LONGEST = 110; // pixels of the scale
const APART = 110; // least pixels between lines of the graticule

const northing = (latitude: number): number => Math.log(Math.tan(Math.PI / 4 + (Math.min(Math.max(latitude, -MOST_LATITUDE), MOST_LATITUDE) * Math.PI) / 360));

/** From degrees to the page's map, and back. */
export class Mercator {
  constructor(private readonly earth: Earth) {}

  x(longitude: number): number {
    return ((longitude * Math.PI) / 180 - this.earth.middle[0]) / (2 * this.earth.half) + 0.5;
  }

  y(latitude: number): number {
    return (northing(latitude) - this.earth.middle[1]) / (2 * this.earth.half) + 0.5;
  }

  longitude(x: number): number {
    return (((x - 0.5) * 2 * this.earth.half + this.earth.middle[0]) * 180) / Math.PI;
  }

  latitude(y: number): number {
    return (Math.atan(Math.sinh((y - 0.5) * 2 * this.earth.half + this.earth.middle[1])) * 180) / Math.PI;
  }

  /** One turn around the earth. */
  get turn(): number {
    return Math.PI / this.earth.half;
  }

  /** At the middle of the screen. */
  metersPerPixel({ camera }: Viewport): number {
    return (Math.cos((this.latitude(camera.y) * Math.PI) / 180) * RADIUS * 2 * this.earth.half) / camera.zoom;
  }
}

export class Basemap {
  readonly mercator: Mercator;
  private readonly land: Lines;
  private readonly coasts: Lines;
  private readonly borders: Lines;
  private readonly states: Lines;

  constructor(part: Part, earth: Earth) {
    this.mercator = new Mercator(earth);
    const lines = (kind: string) => this.decode(part.arrays[`${kind}_sizes`], part.arrays[`${kind}_x`], part.arrays[`${kind}_y`], part.values.step);
    [this.land, this.borders, this.states] = ["land", "borders", "states"].map(lines);
    const edges = [this.mercator.x(-180), this.mercator.x(180)];
    this.coasts = this.land.flatMap((ring) => withoutCuts(ring, (x) => edges.some((edge) => Math.abs(x - edge) < 1e-4 * this.mercator.turn)));
  }

  private decode(sizes: Numbers, xs: Numbers, ys: Numbers, step: number): Lines {
    let at = 0;
    return Array.from(sizes, (size) => {
      const line = new Float32Array(2 * size);
      let [x, y] = [0, 0];
      for (let i = 0; i < size; i++, at++) {
        [x, y] = [x + xs[at], y + ys[at]];
        [line[2 * i], line[2 * i + 1]] = [this.mercator.x(x * step), this.mercator.y(y * step)];
      }
      return line;
    });
  }

  /** Draw the map; degrees are not written under the boxes of controls. */
  draw(pen: Pen, view: Viewport, tints: LandTints, controls: Box[]): void {
    const fineness = this.mercator.metersPerPixel(view);
    pen.fillStyle = fineness >= FINEST ? tints.sea : tints.land;
    pen.fillRect(0, 0, view.width, view.height);
    if (fineness >= FINEST) {
      for (const shift of this.turns(view)) {
        this.outline(pen, view, this.land, shift, true);
        pen.fillStyle = tints.land;
        pen.fill("evenodd");
        this.lines(pen, view, this.coasts, shift, tints.coast, 0.8);
        if (fineness <= STATES_UNTIL) this.lines(pen, view, this.states, shift, tints.border, 0.6);
        this.lines(pen, view, this.borders, shift, tints.border, 0.9);
      }
    }
    this.graticule(pen, view, tints, new Labels(controls, [view.width, view.height]));
  }

  /** By how much the world is shifted for each turn of it that is visible; outlines reach beyond 180 degrees. */
  private turns(view: Viewport): number[] {
    const [left, right] = [view.toMap(0, 0)[0], view.toMap(view.width, 0)[0]];
    const [first, turn] = [this.mercator.x(-180), this.mercator.turn];
    const [low, high] = [Math.floor((left - first) / turn) - 1, Math.floor((right - first) / turn)];
    return Array.from({ length: Math.min(high - low + 1, 5) }, (_, i) => (low + i) * turn);
  }

  private outline(pen: Pen, view: Viewport, lines: Lines, shift: number, isClosed: boolean): void {
    pen.beginPath();
    for (const line of lines) {
      for (let i = 0; i < line.length; i += 2) {
        const [x, y] = view.toScreen(line[i] + shift, line[i + 1]);
        if (i) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      }
      if (isClosed) pen.closePath();
    }
  }

  private lines(pen: Pen, view: Viewport, lines: Lines, shift: number, color: string, width: number): void {
    this.outline(pen, view, lines, shift, false);
    this.stroke(pen, color, width);
  }

  private stroke(pen: Pen, color: string, width: number): void {
    pen.lineJoin = "round";
    [pen.strokeStyle, pen.lineWidth] = [color, width];
    pen.stroke();
  }

  private graticule(pen: Pen, view: Viewport, tints: LandTints, labels: Labels): void {
    const degreesPerPixel = this.mercator.longitude(1 / view.camera.zoom) - this.mercator.longitude(0);
    const step = DEGREES.findLast((degrees) => degrees / degreesPerPixel >= APART) ?? DEGREES[0];
    const [left, bottom] = view.toMap(0, view.height);
    const [right, top] = view.toMap(view.width, 0);
    pen.font = "10px system-ui, sans-serif";
    pen.textBaseline = "alphabetic";
    for (const longitude of multiples(step, this.mercator.longitude(left), this.mercator.longitude(right))) {
      const [x] = view.toScreen(this.mercator.x(longitude), 0);
      this.meridian(pen, tints, [x, 0], [x, view.height]);
      this.degrees(pen, tints, labels, `${short(turned(longitude))}°${"W E"[1 + Math.sign(turned(longitude))].trim()}`, x + 3, view.height - 4);
    }
    for (const latitude of multiples(step, Math.max(this.mercator.latitude(bottom), -MOST_LATITUDE), Math.min(this.mercator.latitude(top), MOST_LATITUDE))) {
      const [, y] = view.toScreen(0, this.mercator.y(latitude));
      this.meridian(pen, tints, [0, y], [view.width, y]);
      this.degrees(pen, tints, labels, `${short(latitude)}°${"S N"[1 + Math.sign(latitude)].trim()}`, 4, y - 3);
    }
  }

  private meridian(pen: Pen, tints: LandTints, from: [number, number], to: [number, number]): void {
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    this.stroke(pen, tints.grid, 0.6);
  }

  private degrees(pen: Pen, tints: LandTints, labels: Labels, text: string, x: number, y: number): void {
    if (!labels.take([x, y - 11, x + pen.measureText(text).width + 6, y + 3])) return;
    pen.fillStyle = tints.soft;
    pen.fillText(text, x, y);
  }

  /** A round distance at the middle of the screen, and the source of the outlines. */
  drawScale(pen: Pen, view: Viewport, tints: LandTints, credit: string): void {
    const perPixel = this.mercator.metersPerPixel(view);
    const power = 10 ** Math.floor(Math.log10(LONGEST * perPixel));
    const meters = [5, 2, 1].map((times) => times * power).find((round) => round <= LONGEST * perPixel)!;
    const words = meters >= 1000 ? `${(meters / 1000).toLocaleString("en")} km` : `${meters} m`;
    const [right, y, length] = [view.width - 12, view.height - 26, meters / perPixel];
    pen.beginPath();
    pen.moveTo(right - length, y - 5);
    pen.lineTo(right - length, y);
    pen.lineTo(right, y);
    pen.lineTo(right, y - 5);
    this.stroke(pen, tints.ink, 1.3);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "alphabetic";
    const write = (text: string, height: number) => pen.fillText(text, right - pen.measureText(text).width, height);
    pen.fillStyle = tints.ink;
    write(words, y - 8);
    pen.fillStyle = tints.soft;
    write(perPixel < FINEST ? "outlines are too coarse for this scale" : credit, view.height - 8);
  }
}

/** The lines of a ring of land that are coasts: where it is cut at 180 degrees there is none. */
function withoutCuts(ring: Float32Array, isCut: (x: number) => boolean): Lines {
  const found: number[][] = [[]];
  for (let i = 0; i < ring.length; i += 2) {
    if (i && isCut(ring[i]) && isCut(ring[i - 2])) found.push([]);
    found[found.length - 1].push(ring[i], ring[i + 1]);
  }
  return found.filter((line) => line.length > 2).map((line) => Float32Array.from(line));
}

const short = (degrees: number): string => String(Number(Math.abs(degrees).toFixed(2)));
const turned = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;

function multiples(step: number, low: number, high: number): number[] {
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
}
