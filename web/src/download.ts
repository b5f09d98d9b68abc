// Save the current view as a file.
import type { MapView } from "./map";
import type { Model } from "./model";
import { canvasName } from "./shapes";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function savePng(map: MapView): void {
  map.picture().toBlob((picture) => picture && save("map.png", picture));
}

export function saveSvg(map: MapView, colors: Uint8Array, labelled: number[]): void {
  const { model, radius } = map;
  const [width, height] = map.size;
  const svg = element("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  const styles = getComputedStyle(document.documentElement);
  svg.append(element("rect", { width, height, fill: styles.getPropertyValue("--paper") }));
  for (let node = 0; node < model.size; node++) {
    const [x, y] = map.onScreen(node);
    if (!model.placed[node] || x < 0 || y < 0 || x > width || y > height) continue;
    const [red, green, blue, alpha] = colors.subarray(node * 4, node * 4 + 4);
    const dot = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1), "fill-opacity": (alpha / 255).toFixed(2) };
    svg.append(element("circle", { ...dot, fill: `rgb(${red},${green},${blue})` }));
  }
  for (const node of labelled) {
    const [x, y] = map.onScreen(node);
    const font = { "font-family": "system-ui, sans-serif", "font-size": 12, fill: styles.getPropertyValue("--ink") };
    const text = element("text", { x: x + radius + 6, y: y + 4, ...font });
    text.textContent = valid(canvasName(model.names[node]));
    svg.append(text);
  }
  save("map.svg", new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
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
  const header = ["node", "x", "y", ...(model.hasFirstOrder ? ["first_order_x", "first_order_y"] : []), ...model.columns.map((column) => column.name)];
  const lines = [header.map(field).join(",")];
  for (const node of nodes) {
    const places = model.xs.flatMap((xs, which) => (model.placed[node] ? [xs[node].toFixed(5), model.ys[which][node].toFixed(5)] : ["", ""]));
    const values = model.columns.map((column) => (column.categories ? model.shown(column, node) : Number.isNaN(column.values[node]) ? "" : String(column.values[node])));
    lines.push([model.names[node], ...places, ...values].map(field).join(","));
  }
  save("nodes.csv", new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" }));
}

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const SVG = "http://www.w3.org/2000/svg";

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") made.setAttribute(key, String(value));
  return made;
}

/** Replace characters that XML cannot represent. */
const valid = (text: string): string => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "\ufffd");
