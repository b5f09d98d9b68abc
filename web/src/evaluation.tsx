// Results of `honem evaluate` or `honem reproduce`: curves and a table.
import { useState } from "preact/hooks";
import { useApp } from "./app";
import { categoryColor } from "./colors";

type Row = [dataset: string, task: string, method: string, dimension: number, score: string, metric: string, mean: number, deviation: number | null, seeds: number];
type Value = { at: number; mean: number; deviation: number };
type Line = { name: string; points: Value[] }; // a method without dimensions has one point at 0

const unique = <T,>(values: T[]): T[] => [...new Set(values)];
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const METRICS: Record<string, string> = {
  map: "Mean average precision",
  map_new_pairs: "Mean average precision, new pairs",
  map_all_nodes: "Mean average precision, all nodes",
  mrr: "Mean reciprocal rank",
  auc: "ROC AUC",
  micro_f1: "Micro F1",
  macro_f1: "Macro F1",
  log_loss: "Log-loss (bits per step)",
};
const readable = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
const metricName = (metric: string): string => METRICS[metric] ?? (metric.startsWith("hit@") ? `Hit rate among ${metric.slice(4)}` : readable(metric));

/** Metrics of which a smaller value is better. */
const LOSSES = new Set(["log_loss", "perplexity"]);
const better = (metric: string) => (LOSSES.has(metric) ? Math.min : Math.max);

/** Round numbers from 0 to at least the highest value, at most six. */
function ticksUpTo(highest: number): number[] {
  const power = 10 ** Math.floor(Math.log10(highest / 5 || 1));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((step) => highest / step <= 5)!;
  return Array.from({ length: Math.ceil(highest / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** HONEM first, so that it has a colour regardless of the number of methods. */
const methodsOf = (rows: Row[]): string[] => unique(rows.map((row) => row[2])).sort((a, b) => Number(b === "honem") - Number(a === "honem"));

/** Variants of a method that were not the best on the first seed were not run on the others; the table has them, the curves do not. */
function contenders(rows: Row[]): Row[] {
  const most = new Map<number, number>();
  for (const row of rows) most.set(row[3], Math.max(row[8], most.get(row[3]) ?? 0));
  return rows.filter((row) => row[8] === most.get(row[3]));
}

export function Evaluation() {
  const rows = useApp().model.facts.evaluation as Row[];
  const caseOf = (row: Row) => `${row[0]} · ${readable(row[1]).toLowerCase()}`;
  const cases = unique(rows.map(caseOf));
  const [chosen, setChosen] = useState(cases[0]);
  const own = rows.filter((row) => caseOf(row) === chosen);
  const metrics = unique(own.map((row) => row[5]));
  const plain = metrics.filter((metric) => !metric.startsWith("precision@") || ["precision@10", "precision@100", "precision@1000"].includes(metric));
  return (
    <div class="page">
      <h2>Evaluation</h2>
      <label class="color"><span>Data and task</span><select aria-label="Data and task" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>{cases.map((one) => <option key={one}>{one}</option>)}</select></label>
      <div class="charts">
        <Chart title={metricName("precision@k")} x="k" lines={precision(contenders(own))} />
        {plain.filter((metric) => !metric.startsWith("precision@") && !isCount(own, metric)).slice(0, 6).map((metric) => <Chart key={metric} title={metricName(metric)} x="dimensions" lines={byDimension(contenders(own), metric)} isLoss={LOSSES.has(metric)} />)}
      </div>
      <Results rows={own} metrics={plain} />
    </div>
  );
}

/** Counts, such as the number of held-out edges, describe the task and are not plotted. */
const isCount = (rows: Row[], metric: string): boolean => !LOSSES.has(metric) && rows.some((row) => row[5] === metric && Math.abs(row[6]) > 1);

function precision(rows: Row[]): Line[] {
  return methodsOf(rows).map((method) => {
    const every = rows.filter((row) => row[2] === method && row[5].startsWith("precision@"));
    const dimension = Math.max(...every.map((row) => row[3]));
    const own = every.filter((row) => row[3] === dimension);
    const worth = (score: string) => mean(own.filter((row) => row[4] === score).map((row) => row[6]));
    const [best] = unique(own.map((row) => row[4])).sort((a, b) => worth(b) - worth(a));
    const points = own.filter((row) => row[4] === best).map((row) => value(row, Number(row[5].split("@")[1])));
    return { name: method, points: points.sort((a, b) => a.at - b.at) };
  });
}

function byDimension(rows: Row[], metric: string): Line[] {
  return methodsOf(rows).map((method) => {
    const best = new Map<number, Value>();
    for (const row of rows) {
      if (row[2] !== method || row[5] !== metric) continue;
      const before = best.get(row[3]);
      if (!before || better(metric)(row[6], before.mean) !== before.mean) best.set(row[3], value(row, row[3]));
    }
    return { name: method, points: [...best.values()].sort((a, b) => a.at - b.at) };
  });
}

const value = (row: Row, at: number): Value => ({ at, mean: row[6], deviation: row[7] ?? 0 });

/** Curves with bands of one standard deviation; bars, if there is one value of each method. */
function Chart({ title, x, lines, isLoss = false }: { title: string; x: string; lines: Line[]; isLoss?: boolean }) {
  const { dark } = useApp();
  const drawn = lines.map((line, i) => ({ ...line, color: categoryColor(1 + i, dark) })).filter(({ points }) => points.length);
  if (!drawn.length) return null;
  const isCurve = drawn.some(({ points }) => points.length > 1);
  const note = isLoss ? " (lower is better)" : "";
  return (
    <figure class="chart">
      <figcaption>{title}<small>{note}</small></figcaption>
      {isCurve ? <Curves title={title} x={x} lines={drawn} /> : <Bars lines={drawn} />}
      {isCurve && <ul class="keys">{drawn.map(({ name, color, points }) => <li key={name}><i class={points.length > 1 ? "" : "dashed"} style={points.length > 1 ? { background: color } : { borderColor: color }} />{name}</li>)}</ul>}
    </figure>
  );
}

type Colored = Line & { color: string };

function Bars({ lines }: { lines: Colored[] }) {
  const ends = ticksUpTo(Math.max(...lines.map(({ points: [{ mean, deviation }] }) => mean + deviation)) || 1);
  const most = ends[ends.length - 1];
  const share = (amount: number) => `${(100 * Math.min(Math.max(amount, 0), most)) / most}%`;
  return (
    <ul class="result-bars">
      {lines.map(({ name, color, points: [{ mean, deviation }] }) => (
        <li key={name}>
          <span class="name">{name}</span>
          <span class="bar" aria-hidden="true"><span class="fill" style={{ width: share(mean), background: color }} />{deviation > 0 && <span class="whisker" style={{ left: share(mean - deviation), right: `calc(100% - ${share(mean + deviation)})` }} />}</span>
          <span class="value">{short(mean)}</span>
        </li>
      ))}
    </ul>
  );
}

function Curves({ title, x, lines }: { title: string; x: string; lines: Colored[] }) {
  const all = lines.flatMap(({ points }) => points);
  const places = unique(all.map(({ at }) => at)).filter((at) => at > 0).sort((a, b) => a - b);
  const [low, high] = [places[0], places[places.length - 1]];
  const highest = Math.max(...all.map(({ mean }) => mean));
  const above = Math.max(...all.map(({ mean, deviation }) => mean + deviation));
  const heights = ticksUpTo((highest <= 1 ? Math.min(above, 1) : above) || 1); // a share is at most 1
  const top = heights[heights.length - 1];
  const across = (at: number) => 44 + (300 * (Math.log(at) - Math.log(low))) / (Math.log(high) - Math.log(low) || 1);
  const up = (amount: number) => 176 - (150 * Math.min(Math.max(amount, 0), top)) / top;
  const shownTicks = places.length <= 7 ? places : places.filter((at) => Number.isInteger(Math.log10(at)));
  const path = (points: Value[], height: (one: Value) => number) => points.map((one, i) => `${i ? "L" : "M"}${across(one.at).toFixed(1)} ${up(height(one)).toFixed(1)}`).join("");
  const band = (points: Value[]) => `${path(points, ({ mean, deviation }) => mean + deviation)}${path([...points].reverse(), ({ mean, deviation }) => mean - deviation).replace("M", "L")}Z`;
  return (
    <svg viewBox="0 0 360 210" role="img" aria-label={`${title} by ${x}; the table below has the numbers`}>
      {heights.map((height) => (
        <g key={height} class="tick"><line class="grid" x1="44" x2="344" y1={up(height)} y2={up(height)} /><text x="38" y={up(height) + 4} text-anchor="end">{height}</text></g>
      ))}
      {shownTicks.map((at) => <text key={at} x={across(at)} y="192" text-anchor="middle">{at.toLocaleString("en")}</text>)}
      <text x="194" y="207" text-anchor="middle">{x}</text>
      {[...lines].reverse().map(({ name, color, points }) => points.length > 1
        ? <g key={name}>
            <path d={band(points)} fill={color} class="band" />
            <path class="line" d={path(points, ({ mean }) => mean)} stroke={color} />
            {points.length < 12 && points.map(({ at, mean }) => <circle key={at} cx={across(at)} cy={up(mean)} r="3" fill={color}><title>{`${name}, ${at}: ${mean.toFixed(4)}`}</title></circle>)}
          </g>
        : <line key={name} class="line dashed" x1="44" x2="344" y1={up(points[0].mean)} y2={up(points[0].mean)} stroke={color}><title>{`${name}: ${points[0].mean.toFixed(4)}`}</title></line>)}
    </svg>
  );
}

/** A result with as many digits as say something. */
const short = (amount: number): string => (Math.abs(amount) >= 100 ? Math.round(amount).toLocaleString("en") : amount.toFixed(Math.abs(amount) >= 10 ? 2 : 4));

function Results({ rows, metrics }: { rows: Row[]; metrics: string[] }) {
  const keys = methodsOf(rows).flatMap((method) => unique(rows.filter((row) => row[2] === method).map((row) => JSON.stringify([method, row[3], row[4]]))));
  const values = new Map(rows.map((row) => [JSON.stringify([row[2], row[3], row[4], row[5]]), row]));
  const best = new Map(metrics.map((metric) => [metric, better(metric)(...rows.filter((row) => row[5] === metric).map((row) => row[6]))]));
  return (
    <div class="scroll" tabIndex={0}>
      <table class="results">
        <thead><tr><th>Method</th><th>Dimensions</th><th>Score</th>{metrics.map((metric) => <th key={metric}>{metricName(metric)}</th>)}</tr></thead>
        <tbody>
          {keys.map((key) => {
            const [method, dimension, score] = JSON.parse(key);
            return (
              <tr key={key}>
                <th scope="row">{method}</th><td>{dimension || "–"}</td><td>{score}</td>
                {metrics.map((metric) => {
                  const row = values.get(JSON.stringify([method, dimension, score, metric]));
                  return <td key={metric} class={row && row[6] === best.get(metric) ? "best" : ""}>{row ? short(row[6]) + (row[7] !== null ? ` ± ${row[7].toFixed(Math.abs(row[6]) >= 10 ? 2 : 4)}` : "") : "–"}</td>;
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
