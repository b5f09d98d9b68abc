// The overlay on the points: names, rings, lines to neighbours, the lasso.
import type { Change, Model } from "./model";
import type { Camera } from "./scatter";
import { canvasName } from "./shapes";
import type { State } from "./state";

export interface Tints {
  ink: string;
  paper: string;
  accent: string;
  won: string;
  lost: string;
}

export interface Scene {
  state: State;
  changes: Map<number, Change>;
  selected: number[];
  hovered: number | null;
  lasso: number[];
  tints: Tints;
  moves: boolean; // whether the user is moving the map
  camera: Camera;
  size: [width: number, height: number];
  ratio: number;
  radius: number;
  onScreen(node: number): [number, number];
}

type Box = [left: number, top: number, right: number, bottom: number];

const LABELS = 26;
const MOST_LOOKED_AT = 2500;

export class Overlay {
  private readonly context: CanvasRenderingContext2D;
  private readonly widths = new Map<number, number>();
  private named: number[] = [];
  private scene!: Scene;

  constructor(canvas: HTMLCanvasElement, private readonly model: Model) {
    this.context = canvas.getContext("2d")!;
  }

  draw(scene: Scene): void {
    this.scene = scene;
    const { state, tints, hovered, changes, ratio } = scene;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, ...scene.size);
    this.drawLasso();
    const taken: Box[] = [];
    const { node, other } = state;
    if (node !== null) this.drawNeighbors(node);
    for (const chosen of [node, other]) if (chosen !== null) this.ring(chosen, tints.accent, 3, 5);
    for (const chosen of [node, other]) if (chosen !== null) this.label(chosen, taken, true);
    if (hovered !== null) this.ring(hovered, tints.ink, 1.5, 3);
    if (node !== null) for (const [near] of changes) this.label(near, taken);
    else this.drawWellKnown(taken);
  }

  /** Names of nodes with many links where there is room; while the map moves, the previous ones, which is faster. */
  private drawWellKnown(taken: Box[]): void {
    const shown: number[] = [];
    for (const node of this.scene.moves ? this.named : this.wellKnown()) {
      if (this.label(node, taken)) shown.push(node);
      if (taken.length >= LABELS) break;
    }
    if (!this.scene.moves) this.named = shown;
  }

  private *wellKnown(): Generator<number> {
    const { state, selected } = this.scene;
    const focus = state.lasso.length ? new Set(selected) : null;
    const column = this.model.columns[state.color];
    let looked = 0;
    for (const node of this.model.byImportance) {
      if (++looked > MOST_LOOKED_AT) return;
      if (focus && !focus.has(node)) continue;
      if (state.category !== null && column.values[node] !== state.category) continue;
      yield node;
    }
  }

  private drawNeighbors(node: number): void {
    const { context } = this;
    const { tints, changes, onScreen } = this.scene;
    if (!this.model.placed[node]) return;
    const [x, y] = onScreen(node);
    for (const [near, change] of changes) {
      if (!this.model.placed[near]) continue;
      const color = change === "won" ? tints.won : change === "lost" ? tints.lost : tints.accent;
      const [nearX, nearY] = onScreen(near);
      context.strokeStyle = color;
      context.globalAlpha = change === "lost" ? 0.45 : 0.6;
      context.lineWidth = 1.25;
      context.setLineDash(change === "lost" ? [3, 4] : []);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(nearX, nearY);
      context.stroke();
      context.globalAlpha = 1;
      this.ring(near, color, 2, 2.5);
      context.setLineDash([]);
    }
  }

  private ring(node: number, color: string, width: number, gap: number): void {
    if (!this.model.placed[node]) return;
    const { context } = this;
    const [x, y] = this.scene.onScreen(node);
    context.beginPath();
    context.arc(x, y, this.scene.radius + gap, 0, 7);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }

  /** Write a name beside its point unless there is text already; return whether it was written. */
  private label(node: number, taken: Box[], always = false): boolean {
    if (!this.model.placed[node]) return false;
    const { context } = this;
    let [pointX, y] = this.scene.onScreen(node);
    const x = pointX + this.scene.radius + 6;
    if (pointX < 0 || y < 10 || x > this.scene.size[0] - 20 || y > this.scene.size[1] - 10) return false;
    context.font = `${always ? "600 13px" : "12px"} system-ui, sans-serif`;
    const text = canvasName(this.model.names[node]);
    let width = always ? undefined : this.widths.get(node);
    if (width === undefined) width = context.measureText(text).width;
    if (!always) this.widths.set(node, width);
    const box: Box = [x - 3, y - 9, x + width + 3, y + 9];
    const meets = taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
    if (meets && !always) return false;
    if (meets) for (const side of [1, 3]) box[side] += 18;
    y = (box[1] + box[3]) / 2;
    taken.push(box);
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = this.scene.tints.paper;
    context.globalAlpha = 0.85;
    context.strokeText(text, x, y);
    context.globalAlpha = 1;
    context.fillStyle = this.scene.tints.ink;
    context.fillText(text, x, y);
    return true;
  }

  private drawLasso(): void {
    const { lasso: polygon, camera, size } = this.scene;
    if (polygon.length < 4) return;
    const { context } = this;
    context.beginPath();
    for (let i = 0; i < polygon.length; i += 2) {
      const x = (polygon[i] - camera.x) * camera.zoom + size[0] / 2;
      const y = size[1] / 2 - (polygon[i + 1] - camera.y) * camera.zoom;
      if (i) context.lineTo(x, y);
      else context.moveTo(x, y);
    }
    context.closePath();
    context.globalAlpha = 0.08;
    context.fillStyle = this.scene.tints.accent;
    context.fill();
    context.globalAlpha = 0.9;
    context.setLineDash([5, 4]);
    context.lineWidth = 1.25;
    context.strokeStyle = this.scene.tints.accent;
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
}
