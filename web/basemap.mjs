// The basemap: land, borders of countries and of the states of the USA, from TopoJSON to lines in whole steps of degrees.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const STEP = 0.02; // degrees; Natural Earth at 1:110m is less exact than that
const STATES_TOLERANCE = 0.04; // degrees; the states come at 1:10m, which is more than such a map needs

/** The basemap as text: for each kind of line, how many points each has, and the differences between them. */
export function basemap(modules) {
  const read = (file) => JSON.parse(readFileSync(join(modules, file), "utf8"));
  const world = read("world-atlas/countries-110m.json");
  const states = read("us-atlas/states-10m.json");
  const lines = {
    land: rings(world, world.objects.land).map(unrolled),
    borders: shared(world, world.objects.countries.geometries),
    states: shared(states, states.objects.states.geometries).map((line) => simplified(line, STATES_TOLERANCE)),
  };
  const coded = Object.entries(lines).map(([name, some]) => `${JSON.stringify(name)}: ${JSON.stringify(differences(some))}`);
  return `{\n"step": ${STEP},\n${coded.join(",\n")}\n}\n`;
}

/** The arcs of a topology in degrees. */
function arcsOf({ arcs, transform: { scale, translate } }) {
  return arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]]);
  });
}

const rawPolygons = (geometry) =>
  geometry.type === "GeometryCollection" ? geometry.geometries.flatMap(rawPolygons) : geometry.type === "MultiPolygon" ? geometry.arcs : geometry.type === "Polygon" ? [geometry.arcs] : [];

/** The rings of all polygons; the first point of an arc is the last one of the arc before it. */
function rings(topology, geometry) {
  const arcs = arcsOf(topology);
  const along = (arc) => (arc < 0 ? arcs[~arc].toReversed() : arcs[arc]);
  return rawPolygons(geometry).flat().map((ring) => ring.flatMap((arc, i) => along(arc).slice(i ? 1 : 0)));
}

/** A ring without jumps of 360 degrees, as where the world is cut; one around a pole is closed there. */
function unrolled(ring) {
  let turn = 0;
  const points = ring.map(([x, y], i) => {
    if (i) turn -= 360 * Math.round((x - ring[i - 1][0]) / 360);
    return [x + turn, y];
  });
  const [[first], [last, latitude]] = [points[0], points.at(-1)];
  return Math.abs(last - first) < 180 ? points : [...points, [last, 90 * Math.sign(latitude)], [first, 90 * Math.sign(latitude)]];
}

/** The arcs that two geometries have in common: borders without coasts. */
function shared(topology, geometries) {
  const arcs = arcsOf(topology);
  const users = arcs.map(() => new Set());
  geometries.forEach((geometry, number) => rawPolygons(geometry).flat(2).forEach((arc) => users[arc < 0 ? ~arc : arc].add(number)));
  return arcs.filter((_, arc) => users[arc].size > 1);
}

/** A line without the points that are within a tolerance of it (Douglas and Peucker 1973). */
function simplified(line, tolerance) {
  if (line.length < 3) return line;
  const [[ax, ay], [bx, by]] = [line[0], line.at(-1)];
  const length = Math.hypot(bx - ax, by - ay);
  const far = line.map(([x, y]) => (length ? Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length : Math.hypot(x - ax, y - ay)));
  const farthest = far.indexOf(Math.max(...far));
  if (far[farthest] <= tolerance) return [line[0], line.at(-1)];
  return [...simplified(line.slice(0, farthest + 1), tolerance), ...simplified(line.slice(farthest), tolerance).slice(1)];
}

/** Lines as whole steps: the first point of each is relative to 0, the others to the point before. */
function differences(lines) {
  const [sizes, xs, ys] = [[], [], []];
  for (const line of lines) {
    let [beforeX, beforeY, amount] = [0, 0, 0];
    for (const [longitude, latitude] of line) {
      const [x, y] = [Math.round(longitude / STEP), Math.round(latitude / STEP)];
      if (amount && x === beforeX && y === beforeY) continue;
      xs.push(x - beforeX);
      ys.push(y - beforeY);
      [beforeX, beforeY, amount] = [x, y, amount + 1];
    }
    sizes.push(amount);
  }
  return { sizes, x: xs, y: ys };
}
