// Results of `honem evaluate` or `honem reproduce`: curves and a table.
import { useState } from "preact/hooks";
import { useApp } from "./app";
import { categoryColor } from "./colors";

type Row = [dataset: string, task: string, method: string, dimension: number, score: string, metric: string, mean: number, deviation: number | null, seeds: number];
type Line = { name: string; points: [number, number][] };

const unique = <T,>(values: T[]): T[] => [...new Set(values)];
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const METRICS: Record<string, string> = {
  map: "Mean average precision",
  map_new_pairs: "Mean average precision, new pairs",
  mrr: "Mean reciprocal rank",
  auc: "ROC AUC",
  micro_f1: "Micro F1",
  macro_f1: "Macro F1",
  log_loss: "Log-loss (bits per step)",
};
const metricName = (metric: string): string => METRICS[metric] ?? metric.charAt(0).toUpperCase() + metric.slice(1).replaceAll("_", " ");

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
  const cases = unique(rows.map((row) => `${row[0]} · ${row[1]}`));
  const [chosen, setChosen] = useState(cases[0]);
  const own = rows.filter((row) => `${row[0]} · ${row[1]}` === chosen);
  const metrics = unique(own.map((row) => row[5]));
  const plain = metrics.filter((metric) => !metric.startsWith("precision@") || ["precision@10", "precision@100", "precision@1000"].includes(metric));
  return (
    <div class="page">
      <h2>Evaluation</h2>
      <label class="color"><span>Data and task</span><select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>{cases.map((one) => <option key={one}>{one}</option>)}</select></label>
      <div class="charts">
        <Chart title={metricName("precision@k")} x="k" lines={precision(contenders(own))} />
        {plain.filter((metric) => !metric.startsWith("precision@") && isShare(own, metric)).slice(0, 5).map((metric) => <Chart key={metric} title={metricName(metric)} x="dimensions" lines={byDimension(contenders(own), metric)} />)}
      </div>
      <Results rows={own} metrics={plain} />
    </div>
  );
}

/** Counts, such as the number of held-out edges, describe the task and are not plotted. */
const isShare = (rows: Row[], metric: string): boolean => rows.every((row) => row[5] !== metric || Math.abs(row[6]) <= 1);

function precision(rows: Row[]): Line[] {
  return methodsOf(rows).map((method) => {
    const every = rows.filter((row) => row[2] === method && row[5].startsWith("precision@"));
    const dimension = Math.max(...every.map((row) => row[3]));
    const own = every.filter((row) => row[3] === dimension);
    const worth = (score: string) => mean(own.filter((row) => row[4] === score).map((row) => row[6]));
    const [best] = unique(own.map((row) => row[4])).sort((a, b) => worth(b) - worth(a));
    const points = own.filter((row) => row[4] === best).map((row): [number, number] => [Number(row[5].split("@")[1]), row[6]]);
    return { name: method, points: points.sort((a, b) => a[0] - b[0]) };
  });
}

function byDimension(rows: Row[], metric: string): Line[] {
  return methodsOf(rows).map((method) => {
    const best = new Map<number, number>();
    for (const row of rows) if (row[2] === method && row[5] === metric) best.set(row[3], better(metric)(row[6], best.get(row[3]) ?? row[6]));
    return { name: method, points: [...best].sort((a, b) => a[0] - b[0]) };
  });
}

function Chart({ title, x, lines }: { title: string; x: string; lines: Line[] }) {
  const { dark } = useApp();
  const drawn = lines.filter((line) => line.points.length > 1);
  if (!drawn.length) return null;
  const all = drawn.flatMap((line) => line.points);
  const [low, high] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))];
  const heights = ticksUpTo(Math.max(...all.map(([, value]) => value)) || 1);
  const top = heights[heights.length - 1];
  const across = (at: number) => 44 + (300 * (Math.log(at) - Math.log(low))) / (Math.log(high) - Math.log(low) || 1);
  const up = (value: number) => 176 - (150 * Math.max(value, 0)) / top;
  const ticks = unique(all.map(([at]) => at)).sort((a, b) => a - b);
  const shownTicks = ticks.length <= 7 ? ticks : ticks.filter((at) => Number.isInteger(Math.log10(at)));
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox="0 0 360 210" role="img" aria-label={`${title} by ${x}; the table below has the numbers`}>
        {heights.map((height) => (
          <g key={height} class="tick"><line class="grid" x1="44" x2="344" y1={up(height)} y2={up(height)} /><text x="38" y={up(height) + 4} text-anchor="end">{height}</text></g>
        ))}
        {shownTicks.map((at) => <text key={at} x={across(at)} y="192" text-anchor="middle">{at.toLocaleString("en")}</text>)}
        <text x="194" y="207" text-anchor="middle">{x}</text>
        {drawn.map((line) => {
          const color = categoryColor(1 + lines.indexOf(line), dark);
          const path = line.points.map(([at, value], i) => `${i ? "L" : "M"}${across(at).toFixed(1)} ${up(value).toFixed(1)}`).join("");
          return <g key={line.name}><path class="line" d={path} stroke={color} />{line.points.length < 12 && line.points.map(([at, value]) => <circle key={at} cx={across(at)} cy={up(value)} r="3" fill={color}><title>{`${line.name}, ${at}: ${value.toFixed(4)}`}</title></circle>)}</g>;
        })}
      </svg>
      <ul class="keys">{drawn.map((line) => <li key={line.name}><i style={{ background: categoryColor(1 + lines.indexOf(line), dark) }} />{line.name}</li>)}</ul>
    </figure>
  );
}

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
                <th scope="row">{method}</th><td>{dimension}</td><td>{score}</td>
                {metrics.map((metric) => {
                  const row = values.get(JSON.stringify([method, dimension, score, metric]));
                  return <td key={metric} class={row && row[6] === best.get(metric) ? "best" : ""}>{row ? row[6].toFixed(4) + (row[7] !== null ? ` ± ${row[7].toFixed(4)}` : "") : "–"}</td>;
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
