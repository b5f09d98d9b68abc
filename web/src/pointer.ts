// Pointer interaction with the map: drag moves it, wheel and two fingers zoom, Shift or the lasso tool draws a lasso.
import { thinned } from "./shapes";

export interface Movable {
  readonly overlay: HTMLCanvasElement;
  readonly lassoing: boolean;
  panBy(dx: number, dy: number): void;
  zoomBy(factor: number, x: number, y: number): void;
  onMap(x: number, y: number): [number, number];
  hoverAt(x: number, y: number): void;
  leave(): void;
  drawLasso(polygon: number[]): void;
  lassoed(polygon: number[]): void;
  clicked(x: number, y: number, second: boolean): void;
}

export class Pointer {
  private drawn: number[] = []; // the lasso that is being drawn
  private readonly pointers = new Map<number, [number, number]>();
  private press: { x: number; y: number; moved: boolean; lasso: boolean; second: boolean } | null = null;

  constructor(private readonly map: Movable) {
    this.listen();
  }

  private listen(): void {
    const { overlay } = this.map;
    const place = (event: PointerEvent | WheelEvent | MouseEvent): [number, number] => {
      const box = overlay.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    overlay.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.map.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
    }, { passive: false });
    overlay.addEventListener("dblclick", (event) => this.map.zoomBy(2, ...place(event)));
    overlay.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      overlay.setPointerCapture(event.pointerId);
      const [x, y] = place(event);
      this.pointers.set(event.pointerId, [x, y]);
      const lasso = this.map.lassoing || event.shiftKey;
      this.press = { x, y, moved: this.pointers.size > 1, lasso, second: event.shiftKey || event.ctrlKey || event.metaKey };
    });
    overlay.addEventListener("pointermove", (event) => this.move(event.pointerId, ...place(event)));
    overlay.addEventListener("pointerleave", () => this.map.leave());
    for (const end of ["pointerup", "pointercancel"] as const)
      overlay.addEventListener(end, (event) => this.release(event.pointerId, end === "pointerup", ...place(event)));
  }

  private move(pointer: number, x: number, y: number): void {
    const before = this.pointers.get(pointer);
    if (!before || !this.press) {
      this.map.hoverAt(x, y);
      return;
    }
    if (this.pointers.size === 2) {
      const [otherX, otherY] = [...this.pointers].find(([id]) => id !== pointer)![1];
      const span = (at: [number, number]) => Math.hypot(at[0] - otherX, at[1] - otherY);
      this.map.zoomBy(span([x, y]) / (span(before) || 1), (x + otherX) / 2, (y + otherY) / 2);
    } else {
      this.press.moved ||= Math.hypot(x - this.press.x, y - this.press.y) > 4;
      if (this.press.moved && this.press.lasso) {
        this.drawn.push(...this.map.onMap(x, y));
        this.map.drawLasso(this.drawn);
      } else if (this.press.moved) this.map.panBy(x - before[0], y - before[1]);
    }
    this.pointers.set(pointer, [x, y]);
    this.map.leave();
  }

  private release(pointer: number, whole: boolean, x: number, y: number): void {
    this.pointers.delete(pointer);
    const { press } = this;
    if (!press || this.pointers.size) return;
    this.press = null;
    const polygon = thinned(this.drawn);
    this.drawn = [];
    this.map.drawLasso([]);
    if (whole && press.lasso && press.moved) this.map.lassoed(polygon);
    else if (whole && !press.moved) this.map.clicked(x, y, press.second);
  }
}
