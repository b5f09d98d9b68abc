// Names on the map: each beside its point where there is room, never over another one, over a control or over the edge.
import type { Pen } from "./pen";
import type { Point } from "./viewport";

export type Box = [left: number, top: number, right: number, bottom: number];

const [HALF, GAP, EDGE] = [9, 6, 4]; // pixels: half the height of a line, between point and name, at the edge
const FAR = [1, 2.5, 4]; // how far from the point names that must be shown may be, in lines

export class Labels {
  private readonly taken: Box[];
  readonly boxes: Box[] = [];

  constructor(obstacles: Box[], private readonly size: [width: number, height: number]) {
    this.taken = [...obstacles];
  }

  get amount(): number {
    return this.boxes.length;
  }

  /** Find room for a name of some width beside a point; null if there is none. */
  room([x, y]: Point, width: number, radius: number, important: boolean): Box | null {
    const [columns, rows] = this.size;
    if (x < 0 || y < 0 || x > columns || y > rows) return null;
    for (const far of important ? FAR : FAR.slice(0, 1)) {
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, -1], [0, 1]]) {
        const reach = radius + GAP + (far - 1) * 2 * HALF;
        const [middleX, middleY] = [x + dx * (reach + width / 2), y + dy * (reach + HALF)];
        const box: Box = [middleX - width / 2 - 3, middleY - HALF, middleX + width / 2 + 3, middleY + HALF];
        if (this.isInside(box) && this.take(box)) {
          this.boxes.push(box);
          return box;
        }
      }
    }
    return null;
  }

  /** Take a place if it is free; return whether it was. */
  take(box: Box): boolean {
    if (this.taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return false;
    this.taken.push(box);
    return true;
  }

  private isInside(box: Box): boolean {
    const [width, height] = this.size;
    return box[0] >= EDGE && box[1] >= EDGE && box[2] <= width - EDGE && box[3] <= height - EDGE;
  }
}

export function write(pen: Pen, text: string, [left, top, , bottom]: Box, ink: string, paper: string): void {
  const y = (top + bottom) / 2;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = paper;
  pen.globalAlpha = 0.85;
  pen.strokeText(text, left + 3, y);
  pen.globalAlpha = 1;
  pen.fillStyle = ink;
  pen.fillText(text, left + 3, y);
}
