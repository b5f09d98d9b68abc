// The map: basemap and flows, points, the overlay of names and lines, and its interaction with pointer and keys.
import KDBush from "kdbush";
import { Basemap, SCALE_WIDTH, type LandTints } from "./basemap";
import { colorsOf } from "./colors";
import { drawFlows, flowsOf, isRuleShown, type Flow, type FlowKind } from "./flows";
import type { Box } from "./labels";
import { EARTH, type Change, type Layout, type Model } from "./model";
import { Overlay, type Tints } from "./overlay";
import type { Pen } from "./pen";
import { Pointer } from "./pointer";
import { makeScatter, type Scatter } from "./scatter";
import { canvasName, spanOf } from "./shapes";
import { inside, layoutOf, type State } from "./state";
import { eased, isStill, Viewport, type Point } from "./viewport";

export interface MapEvents {
  pick(node: number | null, second: boolean): void;
  lasso(polygon: number[]): void;
  moved(camera: [number, number, number]): void;
}

export interface Canvases {
  ground: HTMLCanvasElement;
  points: HTMLCanvasElement;
  overlay: HTMLCanvasElement;
}

type AllTints = Tints & LandTints & { in: string };

const MOVE_MS = 900;
const REACH = 12; // pixels
const MANY = 20_000; // points; up to this number, all are always drawn
const REST_MS = 160;
const NEIGHBORS = 10;
const CREDIT = "Made with Natural Earth";

export class MapView {
  readonly view = new Viewport();
  lassoing = false;
  private readonly scatter: Scatter;
  private readonly ground: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private readonly names: Overlay;
  private readonly basemap: Basemap | null;
  private readonly watcher: ResizeObserver;
  private index: KDBush | null = null;
  private state!: State;
  private selected: number[] = [];
  private changes = new Map<number, Change>();
  private flows: Flow[] = [];
  private colors: Uint8Array = new Uint8Array();
  private tints!: AllTints;
  private hovered: number | null = null;
  private scheduled = false;
  private movingSince: number | null = null;
  private layout: Layout = 0;
  private from: Layout = 0;
  private drawn: number[] = []; // the lasso that is being drawn
  private tell = 0;
  private seen = ""; // what colours and flows were computed for
  private wasPicked = false; // the chosen node was clicked on the map, so it is in view
  private aim = ""; // the nodes of the last flight
  private painted = false;
  private lastFrame = 0;
  private movesUntil = 0;
  private rest = 0;
  private detail = 1;

  constructor(
    readonly model: Model,
    readonly box: HTMLElement,
    readonly canvases: Canvases,
    private readonly tip: HTMLElement,
    private readonly events: MapEvents,
  ) {
    this.scatter = makeScatter(canvases.points);
    this.ground = canvases.ground.getContext("2d")!;
    this.over = canvases.overlay.getContext("2d")!;
    this.names = new Overlay(this.over, model);
    this.basemap = model.earth && model.basemapPart ? new Basemap(model.basemapPart, model.earth) : null;
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(box);
    new Pointer(this);
  }

  private get controls(): Element[] {
    return [...this.box.querySelectorAll(".tools, .zoom, .legend")];
  }

  get overlay(): HTMLCanvasElement {
    return this.canvases.overlay;
  }

  update(state: State, dark: boolean): void {
    const before = this.state;
    const layout = layoutOf(state);
    this.state = state;
    this.changes = state.node === null ? new Map() : this.model.changes(state.node, NEIGHBORS);
    if (!before) this.place(layout, layout);
    else if (layout !== this.layout) this.animate(layout);
    const { color, category, lasso, which, node, other, rule, next, history, fromStart, flows } = state;
    const seen = JSON.stringify([color, category, lasso, which, dark, node, other, rule, next, history, fromStart, flows, layout, this.changes.size, !!this.model.rules]);
    if (seen !== this.seen) this.prepare(state, dark);
    this.seen = seen;
    if (!before) {
      this.resize();
      this.view.look(state.camera);
      for (const control of this.controls) this.watcher.observe(control);
    } else if (state.camera !== before.camera && state.camera) this.view.look(state.camera);
    this.follow(before);
    this.schedule();
  }

  /** Compute colours and flows. */
  private prepare(state: State, dark: boolean): void {
    const style = getComputedStyle(document.documentElement);
    const tint = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const names = ["ink", "paper", "accent", "won", "lost", "sea", "land", "coast", "border", "grid", "soft", "in"] as const;
    this.tints = Object.fromEntries(names.map((name) => [name, tint(name)])) as unknown as AllTints;
    this.selected = inside(this.model, state);
    const focus = state.lasso.length ? new Set(this.selected) : null;
    const chosen = state.node === null ? null : new Map<number, unknown>([...this.changes, [state.node, null]]);
    this.colors = colorsOf(this.model.columns[state.color], state.category, focus, dark, chosen);
    for (let node = 0; node < this.model.size; node++) if (!this.model.isPlaced(node, this.layout)) this.colors[4 * node + 3] = 0;
    this.scatter.setColors(this.colors);
    this.flows = flowsOf(this.model, state);
  }

  /** Fly to the chosen nodes and their neighbours, unless they were clicked on the map or the link has a view. */
  private follow(before: State | undefined): void {
    const { camera, node, history } = this.state;
    if (!this.model.neighborsEach) return;
    const aimed = this.aimed();
    const aim = aimed.join();
    if (aim === this.aim) return;
    this.aim = aim;
    const isSet = camera !== null && (!before || camera !== before.camera || (before.node === node && before.history === history));
    if (!this.wasPicked && !isSet && aimed.length) this.flyTo(aimed);
    this.wasPicked = false;
  }

  /** The nodes to fly to: those of a history or a rule, of a pair, or a node and its neighbours. */
  private aimed(): number[] {
    const { node, other } = this.state;
    const marked = this.marked();
    return marked.length ? marked : node === null ? [] : other === null ? [node, ...this.changes.keys()] : [node, other];
  }

  /** The nodes of the history or the rule that is shown. */
  private visited(): number[] {
    const { next, history, rule } = this.state;
    const nodes = next ? history : isRuleShown(this.model, this.state) ? rule : [];
    return [...new Set(nodes.filter((node) => typeof node === "number").reverse())];
  }

  /** The same, and what comes next. */
  private marked(): number[] {
    return [...new Set([...this.visited(), ...this.flows.filter(({ kind }) => kind === "next").map(({ to }) => to).reverse()])];
  }

  private flyTo(nodes: number[]): void {
    const places = nodes.map((node) => this.at(node)).filter((place) => place !== null);
    if (places.length && this.at(nodes[0])) this.view.flyTo(places, isStill());
    this.schedule(true);
  }

  /** Show the whole map, or a previous view. */
  look(camera: [number, number, number] | null): void {
    this.view.look(camera);
    this.schedule();
  }

  /** Zoom at a place of the screen; by default at the chosen node if it is visible, so that it stays so. */
  zoomBy(factor: number, x?: number, y?: number): void {
    const chosen = this.state.node === null ? null : this.onScreen(this.state.node);
    const middle: Point = [this.view.width / 2, this.view.height / 2];
    const [atX, atY] = x !== undefined && y !== undefined ? [x, y] : chosen && this.view.contains(chosen) ? chosen : middle;
    this.view.zoomBy(factor, atX, atY);
    this.schedule(true);
  }

  panBy(dx: number, dy: number): void {
    this.view.panBy(dx, dy);
    this.schedule(true);
  }

  onMap(x: number, y: number): Point {
    return this.view.toMap(x, y);
  }

  /** Where a node is on the screen; null if it has no place on this map. */
  onScreen(node: number): Point | null {
    const place = this.at(node);
    return place && this.view.toScreen(...place);
  }

  get radius(): number {
    const base = Math.min(Math.max(2.6 * (4000 / this.model.size) ** 0.35, 1.1), this.layout === EARTH ? 6 : 9);
    return Math.min(base * Math.max(this.view.camera.zoom / this.view.fit, 0.5) ** 0.4, this.layout === EARTH ? 8 : 14);
  }

  private at(node: number): Point | null {
    if (!this.model.isPlaced(node, this.layout)) return null;
    const share = this.share();
    const [a, b] = [this.model.isPlaced(node, this.from) ? this.from : this.layout, this.layout];
    const { xs, ys } = this.model;
    return [xs[a][node] + (xs[b][node] - xs[a][node]) * share, ys[a][node] + (ys[b][node] - ys[a][node]) * share];
  }

  private share(): number {
    if (this.movingSince === null) return 1;
    return eased(Math.min((performance.now() - this.movingSince) / MOVE_MS, 1));
  }

  private place(from: Layout, to: Layout): void {
    const { xs, ys } = this.model;
    this.scatter.setPositions([xs[from], ys[from]], [xs[to], ys[to]]);
    this.index = null;
    [this.from, this.layout] = [from, to];
    const shown = to === EARTH ? [EARTH] : this.model.hasFirstOrder ? [0, 1] : [0];
    this.view.span = [spanOf(shown.map((layout) => xs[layout])), spanOf(shown.map((layout) => ys[layout]))];
    this.makeRoom();
  }

  /** Fit the whole map beside the controls, so that they cover no points, as far as possible. */
  private makeRoom(): void {
    const { view, model, layout, radius } = this;
    const boxes = this.obstacles();
    const bounds = (selector: string): Box | null => this.boxOf(this.box.querySelector(selector));
    const [tools, zoom, legend] = [".tools", ".zoom", ".legend"].map(bounds);
    if (!tools || !zoom || !legend || view.width <= 1) return;
    const either = (amount: number) => [0, amount];
    const insets = either(tools[3]).flatMap((top) => either(view.width - zoom[0]).flatMap((right) =>
      [[0, 0], [legend[2], 0], [0, view.height - legend[1]]].map(([left, bottom]) => ({ left, top, right, bottom }))));
    const [xs, ys] = [model.xs[layout], model.ys[layout]];
    view.makeRoom(insets, (toScreen) => {
      let covered = 0;
      for (let node = 0; node < model.size; node++) {
        if (!model.isPlaced(node, layout)) continue;
        const [x, y] = toScreen(xs[node], ys[node]);
        if (boxes.some((box) => x > box[0] - radius && x < box[2] + radius && y > box[1] - radius && y < box[3] + radius)) covered++;
      }
      return covered;
    });
  }

  private animate(layout: Layout): void {
    const isOther = (layout === EARTH) !== (this.layout === EARTH);
    this.place(this.layout, layout);
    if (isOther) this.view.look(null);
    this.movingSince = performance.now() - (isStill() ? MOVE_MS : 0);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.box;
    if (!clientWidth || !clientHeight) return;
    this.view.resize(clientWidth, clientHeight, Math.min(devicePixelRatio || 1, 2));
    for (const canvas of Object.values(this.canvases)) {
      canvas.width = Math.round(clientWidth * this.view.ratio);
      canvas.height = Math.round(clientHeight * this.view.ratio);
    }
    this.makeRoom();
    if (this.state) this.draw();
  }

  private schedule(byHand = false): void {
    if (byHand) {
      clearTimeout(this.tell);
      this.movesUntil = performance.now() + REST_MS;
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => this.schedule(), REST_MS + 20);
      this.tell = window.setTimeout(() => this.tellMoved(), 250);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private tellMoved(): void {
    const { camera, fit, isFlying } = this.view;
    if (isFlying) this.tell = window.setTimeout(() => this.tellMoved(), 250);
    else this.events.moved([camera.x, camera.y, camera.zoom / fit]);
  }

  private draw(): void {
    if (!this.state) return;
    const { view } = this;
    const isFlying = view.advance();
    const share = this.share();
    for (const pen of [this.ground, this.over]) {
      pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
      pen.clearRect(0, 0, view.width, view.height);
    }
    this.drawGround(this.ground);
    this.scatter.draw(view.camera, share, this.radius, view.width, view.height, view.ratio, this.part());
    this.names.draw(this.scene());
    if (!this.painted) performance.mark("honem-painted");
    this.painted = true;
    if (this.movingSince !== null && share >= 1) {
      this.movingSince = null;
      this.place(this.layout, this.layout);
      this.schedule();
    } else if (this.movingSince !== null || isFlying) this.schedule();
  }

  /** What is under the points. */
  drawGround(pen: Pen): void {
    const isEarth = this.layout === EARTH && this.basemap !== null;
    if (isEarth) {
      pen.globalAlpha = this.share();
      this.basemap!.draw(pen, this.view, this.tints, pen === this.ground ? this.obstacles() : this.scaleBox());
      pen.globalAlpha = 1;
    }
    const tint = (kind: FlowKind) => (kind === "in" ? this.tints.in : kind === "past" ? this.tints.soft : this.tints.accent);
    drawFlows(pen, this.flows, this.view, (node) => this.at(node), isEarth ? this.basemap!.mercator.turn : Infinity, tint);
    if (isEarth) this.basemap!.drawScale(pen, this.view, this.tints, CREDIT);
  }

  drawNames(pen: Pen): void {
    this.names.draw({ ...this.scene(), obstacles: this.scaleBox() }, pen);
  }

  /** The bytes red, green, blue, alpha of each node; those that are not on this map are transparent. */
  get nodeColors(): Uint8Array {
    return this.colors;
  }

  get background(): string {
    return this.tints.paper;
  }

  get ink(): string {
    return this.tints.ink;
  }

  /** Where names are on the screen. */
  get labelBoxes(): Box[] {
    return this.names.boxes;
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

  /** Whether the map is moving. */
  private get moves(): boolean {
    return this.view.isFlying || performance.now() < this.movesUntil;
  }

  private scene() {
    const { state, changes, selected, hovered, tints, moves, view, radius } = this;
    const isOwn = state.lassoOnEarth === (this.layout === EARTH);
    const lasso = this.drawn.length ? this.drawn : isOwn ? state.lasso : [];
    const [visited, marked] = [this.visited(), this.marked()];
    const hasLines = this.layout !== EARTH || !state.flows;
    const onScreen = (node: number) => this.onScreen(node);
    return { state, changes, visited, marked, selected, hovered, lasso, tints, moves, view, radius, hasLines, onScreen, obstacles: this.obstacles() };
  }

  /** Where names would be hidden by controls. */
  private obstacles(): Box[] {
    const controls = [...this.box.querySelectorAll(".tools > *, .zoom, .legend")].map((one) => this.boxOf(one)!);
    return [...controls, ...this.scaleBox()];
  }

  private boxOf(control: Element | null): Box | null {
    if (!control) return null;
    const [map, box] = [this.box.getBoundingClientRect(), control.getBoundingClientRect()];
    return [box.left - map.left, box.top - map.top, box.right - map.left, box.bottom - map.top];
  }

  private scaleBox(): Box[] {
    return this.layout === EARTH ? [[this.view.width - SCALE_WIDTH, this.view.height - 48, this.view.width, this.view.height]] : [];
  }

  /** The node under the pointer. */
  private under(x: number, y: number): number | null {
    this.index ??= this.makeIndex();
    const [mapX, mapY] = this.onMap(x, y);
    let [best, least]: [number | null, number] = [null, Infinity];
    for (const node of this.index.within(mapX, mapY, (this.radius + REACH) / this.view.camera.zoom)) {
      const place = this.at(node);
      if (!place) continue;
      const far = (place[0] - mapX) ** 2 + (place[1] - mapY) ** 2;
      if (far < least) [best, least] = [node, far];
    }
    return best;
  }

  private makeIndex(): KDBush {
    const [xs, ys] = [this.model.xs[this.layout], this.model.ys[this.layout]];
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
    const node = this.under(x, y);
    this.wasPicked = node !== null;
    this.events.pick(node, second);
  }

  private hover(node: number | null, x: number, y: number): void {
    this.tip.hidden = node === null;
    if (node !== null) {
      this.tip.textContent = canvasName(this.model.names[node], 60);
      this.tip.style.left = `${Math.max(4, Math.min(x + 14, this.view.width - this.tip.offsetWidth - 4))}px`;
      this.tip.style.top = `${Math.max(y - 34, 4)}px`;
    }
    this.overlay.style.cursor = this.lassoing ? "crosshair" : node === null ? "grab" : "pointer";
    if (node === this.hovered) return;
    this.hovered = node;
    this.schedule();
  }
}
