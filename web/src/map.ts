// The map: points, the overlay of names and lines, and its interaction with pointer and keys.
import KDBush from "kdbush";
import { colorsOf } from "./colors";
import type { Change, Model, Which } from "./model";
import { Overlay, type Tints } from "./overlay";
import { Pointer } from "./pointer";
import { makeScatter, type Camera, type Scatter } from "./scatter";
import { canvasName, spanOf } from "./shapes";
import { inside, type State } from "./state";

export interface MapEvents {
  pick(node: number | null, second: boolean): void;
  lasso(polygon: number[]): void;
  moved(camera: [number, number, number]): void;
}

const MOVE_MS = 900;
const REACH = 12; // pixels
const MANY = 20_000; // points; up to this number, all are always drawn
const REST_MS = 160;
const FIT = 0.86; // share of the space that the whole map fills; the rest is for tools and names

export class MapView {
  readonly camera: Camera = { x: 0.5, y: 0.5, zoom: 1 };
  lassoing = false;
  private readonly scatter: Scatter;
  private readonly over: Overlay;
  private readonly tip: HTMLElement;
  private index: KDBush | null = null;
  private state!: State;
  private selected: number[] = [];
  private changes = new Map<number, Change>();
  private tints!: Tints;
  private hovered: number | null = null;
  private width = 1;
  private height = 1;
  private ratio = 1;
  private scheduled = false;
  private movingSince: number | null = null;
  private shownWhich: Which = 0;
  private from: Which = 0;
  private drawn: number[] = []; // the lasso that is being drawn
  private tell = 0;
  private seen = ""; // what the colours were computed for
  private painted = false;
  private lastFrame = 0;
  private movesUntil = 0;
  private rest = 0;
  private detail = 1;
  private readonly span: [number, number];

  constructor(
    readonly model: Model,
    readonly box: HTMLElement,
    readonly points: HTMLCanvasElement,
    readonly overlay: HTMLCanvasElement,
    tip: HTMLElement,
    private readonly events: MapEvents,
  ) {
    this.scatter = makeScatter(points, model.placed);
    this.over = new Overlay(overlay, model);
    this.tip = tip;
    this.span = [spanOf(model.xs), spanOf(model.ys)];
    this.place(0, 0);
    new ResizeObserver(() => this.resize()).observe(box);
    new Pointer(this);
  }

  update(state: State, dark: boolean): void {
    const before = this.state;
    this.state = state;
    const style = getComputedStyle(document.documentElement);
    const tint = (name: string) => style.getPropertyValue(`--${name}`).trim();
    this.tints = { ink: tint("ink"), paper: tint("paper"), accent: tint("accent"), won: tint("won"), lost: tint("lost") };
    this.changes = state.node === null ? new Map() : this.model.changes(state.node, 10);
    const seen = JSON.stringify([state.color, state.category, state.lasso, state.which, dark, state.node, this.changes.size]);
    if (seen !== this.seen) this.paint(state, dark);
    this.seen = seen;
    if (state.which !== this.shownWhich) this.animate(state.which);
    if (!before) {
      this.resize();
      this.look(state.camera);
    } else if (state.camera !== before.camera && state.camera) this.look(state.camera);
    this.schedule();
  }

  private paint(state: State, dark: boolean): void {
    this.selected = inside(this.model, state.which, state.lasso);
    const focus = state.lasso.length ? new Set(this.selected) : null;
    const chosen = state.node === null ? null : this.changes;
    this.scatter.setColors(colorsOf(this.model.columns[state.color], state.category, focus, dark, chosen));
  }

  /** Show the whole map, or a previous view. */
  look(camera: [number, number, number] | null): void {
    [this.camera.x, this.camera.y] = camera ?? [0.5, 0.5];
    this.camera.zoom = this.fit * (camera?.[2] ?? 1);
    this.schedule();
  }

  /** Bring a node into view, unless it is well inside already. */
  show(node: number): void {
    if (!this.model.placed[node]) return;
    const [x, y] = this.onScreen(node);
    const margin = 60;
    if (x > margin && y > margin && x < this.width - margin && y < this.height - margin) return;
    [this.camera.x, this.camera.y] = this.at(node);
    this.schedule(true);
  }

  zoomBy(factor: number, x = this.width / 2, y = this.height / 2): void {
    const zoom = Math.min(Math.max(this.camera.zoom * factor, this.fit / 4), this.fit * 400);
    const [mapX, mapY] = this.onMap(x, y);
    this.camera.zoom = zoom;
    this.camera.x = mapX - (x - this.width / 2) / zoom;
    this.camera.y = mapY + (y - this.height / 2) / zoom;
    this.schedule(true);
  }

  panBy(dx: number, dy: number): void {
    this.camera.x -= dx / this.camera.zoom;
    this.camera.y += dy / this.camera.zoom;
    this.schedule(true);
  }

  /** Return points and text on one canvas, as shown. */
  picture(): HTMLCanvasElement {
    this.draw();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [this.points.width, this.points.height];
    const context = canvas.getContext("2d")!;
    context.fillStyle = this.tints.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.points, 0, 0);
    context.drawImage(this.overlay, 0, 0);
    return canvas;
  }

  onScreen(node: number): [number, number] {
    const [x, y] = this.at(node);
    return [(x - this.camera.x) * this.camera.zoom + this.width / 2, this.height / 2 - (y - this.camera.y) * this.camera.zoom];
  }

  get radius(): number {
    const base = Math.min(Math.max(2.6 * (4000 / this.model.size) ** 0.35, 1.1), 9);
    return Math.min(base * Math.max(this.camera.zoom / this.fit, 0.5) ** 0.4, 14);
  }

  /** The zoom at which the whole map is visible. */
  private get fit(): number {
    return FIT * Math.min(this.width / this.span[0], this.height / this.span[1]);
  }

  get size(): [number, number] {
    return [this.width, this.height];
  }

  private at(node: number): [number, number] {
    const share = this.share();
    const [a, b] = [this.from, this.shownWhich];
    const { xs, ys } = this.model;
    return [xs[a][node] + (xs[b][node] - xs[a][node]) * share, ys[a][node] + (ys[b][node] - ys[a][node]) * share];
  }

  private share(): number {
    if (this.movingSince === null) return 1;
    const t = Math.min((performance.now() - this.movingSince) / MOVE_MS, 1);
    return t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2;
  }

  onMap(x: number, y: number): [number, number] {
    return [this.camera.x + (x - this.width / 2) / this.camera.zoom, this.camera.y - (y - this.height / 2) / this.camera.zoom];
  }

  private place(from: Which, to: Which): void {
    const { xs, ys } = this.model;
    this.scatter.setPositions([xs[from], ys[from]], [xs[to], ys[to]]);
    this.index = null;
    [this.from, this.shownWhich] = [from, to];
  }

  private animate(which: Which): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.place(this.shownWhich, which);
    this.movingSince = performance.now() - (still ? MOVE_MS : 0);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.box;
    if (!clientWidth || !clientHeight) return;
    const before = this.fit;
    [this.width, this.height, this.ratio] = [clientWidth, clientHeight, Math.min(devicePixelRatio || 1, 2)];
    for (const canvas of [this.points, this.overlay]) {
      canvas.width = Math.round(clientWidth * this.ratio);
      canvas.height = Math.round(clientHeight * this.ratio);
    }
    this.camera.zoom *= this.fit / before;
    if (this.state) this.draw();
  }

  private schedule(byHand = false): void {
    if (byHand) {
      clearTimeout(this.tell);
      this.movesUntil = performance.now() + REST_MS;
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => this.schedule(), REST_MS + 20);
      this.tell = window.setTimeout(() => this.events.moved([this.camera.x, this.camera.y, this.camera.zoom / this.fit]), 250);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.state) return;
    const share = this.share();
    this.scatter.draw(this.camera, share, this.radius, this.width, this.height, this.ratio, this.part());
    this.over.draw(this.scene());
    if (!this.painted) performance.mark("honem-painted");
    this.painted = true;
    if (this.movingSince !== null) {
      if (share >= 1) {
        this.movingSince = null;
        this.place(this.shownWhich, this.shownWhich);
      }
      this.schedule();
    }
  }

  /** The share of the points that is drawn: fewer while many of them move and frames are late, all when they stop. */
  private part(): number {
    const now = performance.now();
    const since = now - this.lastFrame;
    this.lastFrame = now;
    if (!this.moves || this.model.size < MANY) return 1;
    const change = since > 60 ? 0.5 : since > 30 ? 0.8 : since < 20 ? 1.1 : 1;
    if (since < 300) this.detail = Math.min(Math.max(this.detail * change, MANY / this.model.size), 1);
    return this.detail;
  }

  /** Whether the user is moving the map. */
  private get moves(): boolean {
    return performance.now() < this.movesUntil;
  }

  private scene() {
    const { state, changes, selected, hovered, tints, moves, camera, size, ratio, radius } = this;
    const lasso = this.drawn.length ? this.drawn : state.lasso;
    const onScreen = (node: number) => this.onScreen(node);
    return { state, changes, selected, hovered, lasso, tints, moves, camera, size, ratio, radius, onScreen };
  }

  /** The node under the pointer. */
  private under(x: number, y: number): number | null {
    this.index ??= this.makeIndex();
    const [mapX, mapY] = this.onMap(x, y);
    let [best, least]: [number | null, number] = [null, Infinity];
    for (const node of this.index.within(mapX, mapY, (this.radius + REACH) / this.camera.zoom)) {
      if (!this.model.placed[node]) continue;
      const [nodeX, nodeY] = this.at(node);
      const far = (nodeX - mapX) ** 2 + (nodeY - mapY) ** 2;
      if (far < least) [best, least] = [node, far];
    }
    return best;
  }

  private makeIndex(): KDBush {
    const [xs, ys] = [this.model.xs[this.shownWhich], this.model.ys[this.shownWhich]];
    const index = new KDBush(xs.length, 64, Float32Array);
    for (let node = 0; node < xs.length; node++) index.add(xs[node], ys[node]);
    return index.finish();
  }

  hoverAt(x: number, y: number): void {
    this.hover(this.under(x, y), x, y);
  }

  leave(): void {
    this.hover(null, 0, 0);
  }

  drawLasso(polygon: number[]): void {
    this.drawn = polygon;
    this.schedule();
  }

  lassoed(polygon: number[]): void {
    this.events.lasso(polygon);
  }

  clicked(x: number, y: number, second: boolean): void {
    this.events.pick(this.under(x, y), second);
  }

  private hover(node: number | null, x: number, y: number): void {
    this.tip.hidden = node === null;
    if (node !== null) {
      this.tip.textContent = canvasName(this.model.names[node], 60);
      this.tip.style.left = `${Math.min(x + 14, this.width - 40)}px`;
      this.tip.style.top = `${Math.max(y - 34, 4)}px`;
    }
    this.overlay.style.cursor = this.lassoing ? "crosshair" : node === null ? "grab" : "pointer";
    if (node === this.hovered) return;
    this.hovered = node;
    this.schedule();
  }
}
