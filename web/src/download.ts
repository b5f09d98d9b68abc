// Save the current view as a file.
import type { MapView } from "./map";
import type { Model } from "./model";
import type { Pen } from "./pen";
import { SvgPen, valid } from "./svg";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What the colours of a picture mean, and what it shows. */
export interface Legend {
  caption: string;
  entries: { color: string; text: string }[];
}

const [ROW, ENTRY, MARGIN] = [18, 230, 14]; // pixels
const [CAPTION_FONT, ENTRY_FONT] = ["600 13px system-ui, sans-serif", "12px system-ui, sans-serif"];
const perRow = (width: number): number => Math.max(1, Math.floor((width - 2 * MARGIN) / ENTRY));
const legendHeight = ({ entries }: Legend, width: number): number => 2 * MARGIN + 16 + ROW * Math.ceil(entries.length / perRow(width));

export function savePng(map: MapView, legend: Legend): void {
  const { width, height, ratio } = map.view;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * ratio, (height + legendHeight(legend, width)) * ratio];
  const pen = canvas.getContext("2d")!;
  pen.scale(ratio, ratio);
  draw(map, legend, pen, (x, y, color, opacity) => dot(pen, x, y, map.radius, color, opacity));
  canvas.toBlob((content) => content && save("map.png", content));
}

export function saveSvg(map: MapView, legend: Legend): void {
  const { width, height } = map.view;
  const pen = new SvgPen(width, height + legendHeight(legend, width));
  draw(map, legend, pen, (x, y, color, opacity) => pen.dot(x, y, map.radius, color, opacity));
  save("map.svg", new Blob([pen.text()], { type: "image/svg+xml" }));
}

/** Draw the current view, and below it the legend and the caption. */
function draw(map: MapView, legend: Legend, pen: Pen, point: (x: number, y: number, color: string, opacity: number) => void): void {
  const { width, height } = map.view;
  const background = (top: number, tall: number) => {
    pen.fillStyle = map.background;
    pen.fillRect(0, top, width, tall);
  };
  background(0, height);
  map.drawGround(pen);
  eachDot(map, point);
  map.drawNames(pen);
  background(height, legendHeight(legend, width));
  pen.textBaseline = "alphabetic";
  pen.font = CAPTION_FONT;
  pen.fillStyle = map.ink;
  pen.fillText(legend.caption, MARGIN, height + MARGIN + 10);
  pen.font = ENTRY_FONT;
  legend.entries.forEach(({ color, text }, i) => {
    const x = MARGIN + ENTRY * (i % perRow(width));
    const y = height + MARGIN + 30 + ROW * Math.floor(i / perRow(width));
    dot(pen, x + 5, y - 4, 5, color, 1);
    pen.fillStyle = map.ink;
    pen.fillText(text, x + 16, y);
  });
}

function dot(pen: Pen, x: number, y: number, radius: number, color: string, opacity: number): void {
  pen.fillStyle = color;
  pen.globalAlpha = opacity;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
  pen.globalAlpha = 1;
}

function eachDot(map: MapView, draw: (x: number, y: number, color: string, opacity: number) => void): void {
  const colors = map.nodeColors;
  for (let node = 0; node < map.model.size; node++) {
    const at = map.onScreen(node);
    if (!at || !map.view.contains(at, -map.radius)) continue;
    const [red, green, blue, alpha] = colors.subarray(node * 4, node * 4 + 4);
    draw(...at, `rgb(${red},${green},${blue})`, alpha / 255);
  }
}

export function saveDrawing(name: string, drawing: SVGSVGElement): void {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", SVG);
  const parts = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  // Styles come from the page, which the file will not have.
  [drawing, ...drawing.querySelectorAll<SVGElement>("*")].forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-opacity", "font-size", "font-family", "text-anchor"])
      parts[i].setAttribute(name, style.getPropertyValue(name));
  });
  for (const text of copy.querySelectorAll("text, title")) text.textContent = valid(text.textContent ?? "");
  save(name, new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
}

export function saveCsv(model: Model, nodes: Iterable<number>): void {
  const header = ["node", ...(model.labels ? ["label"] : []), "x", "y", ...(model.hasFirstOrder ? ["first_order_x", "first_order_y"] : []), ...model.columns.map((column) => column.name)];
  const lines = [header.map(field).join(",")];
  for (const node of nodes) {
    const places = (model.hasFirstOrder ? [0, 1] : [0]).flatMap((which) => [model.xs[which][node].toFixed(5), model.ys[which][node].toFixed(5)]);
    const values = model.columns.map((column) => (column.categories ? model.shown(column, node) : Number.isNaN(column.values[node]) ? "" : String(column.values[node])));
    lines.push([model.names[node], ...(model.labels ? [model.labels[node]] : []), ...places, ...values].map(field).join(","));
  }
  // Without the byte order mark, Excel would not read the text as UTF-8.
  save("nodes.csv", new Blob(["\ufeff", lines.join("\r\n"), "\r\n"], { type: "text/csv" }));
}

/** Quoted where needed. Spreadsheets run texts that begin with one of these characters as formulas, so a ' precedes them. */
const field = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Copy the address of the current view; pages that were opened from the disk may lack the modern way. */
export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    const field = document.createElement("textarea");
    field.value = location.href;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

const SVG = "http://www.w3.org/2000/svg";
