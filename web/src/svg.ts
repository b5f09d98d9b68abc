// Drawing on the map's pen as SVG.
import type { Pen } from "./pen";

/** Replace characters that XML cannot represent. */
export const valid = (text: string): string => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "\ufffd");

const escaped = (text: string): string => valid(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const short = (value: number): string => String(Number(value.toFixed(1)));

/** A pen whose strokes become elements of an SVG; it knows what the map needs. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = "black";
  strokeStyle: string | CanvasGradient | CanvasPattern = "black";
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  globalAlpha = 1;
  font = "12px sans-serif";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: number[] = [];
  private path: string[] = [];
  private readonly elements: string[] = [];
  private readonly ruler = document.createElement("canvas").getContext("2d")!;

  constructor(private readonly width: number, private readonly height: number) {}

  text(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.elements.join("\n")}\n</svg>\n`;
  }

  beginPath(): void {
    this.path = [];
  }

  closePath(): void {
    this.path.push("Z");
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  quadraticCurveTo(middleX: number, middleY: number, x: number, y: number): void {
    this.path.push(`Q${short(middleX)} ${short(middleY)} ${short(x)} ${short(y)}`);
  }

  /** Whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const half = (end: number) => `A${short(radius)} ${short(radius)} 0 1 0 ${short(end)} ${short(y)}`;
    this.path.push(`M${short(x - radius)} ${short(y)}`, half(x + radius), half(x - radius), "Z");
  }

  fill(): void {
    this.elements.push(`<path d="${this.path.join("")}" fill="${this.fillStyle}" fill-rule="evenodd"${this.opacity()}/>`);
  }

  stroke(): void {
    const dashes = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const line = `stroke="${this.strokeStyle}" stroke-width="${this.lineWidth.toFixed(2)}" stroke-linejoin="${this.lineJoin}"`;
    this.elements.push(`<path d="${this.path.join("")}" fill="none" ${line}${dashes}${this.opacity()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.elements.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"${this.opacity()}/>`);
  }

  dot(x: number, y: number, radius: number, color: string, opacity: number): void {
    this.elements.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${color}" fill-opacity="${opacity.toFixed(2)}"/>`);
  }

  fillText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="${this.fillStyle}"`);
  }

  strokeText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`);
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash];
  }

  measureText(text: string): TextMetrics {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  private write(text: string, x: number, y: number, paint: string): void {
    const baseline = this.textBaseline === "middle" ? ` dominant-baseline="central"` : "";
    this.elements.push(`<text x="${short(x)}" y="${short(y)}" style="font: ${this.font}" ${paint}${baseline}${this.opacity()}>${escaped(text)}</text>`);
  }

  private opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha.toFixed(2)}"` : "";
  }
}
