// The data, parameters and versions behind the embedding.
import type { ComponentChildren } from "preact";
import { useApp } from "./app";
import { number } from "./model";

const CLEANING: Record<string, string> = {
  empty_files: "files without a sequence",
  blank_lines: "blank lines",
  comment_lines: "comment lines",
  header_lines: "header lines",
  ids_left_out: "ids ignored",
  empty_fields_skipped: "empty fields skipped",
  rows_skipped: "rows with a missing value skipped",
  names_lowercased: "names converted to lower case",
  cuts_at_gaps: "splits at time gaps",
  back_clicks_resolved: "back-clicks resolved",
  back_clicks_without_page: "back-clicks with no page to return to, dropped",
  repeats_collapsed: "repeats collapsed",
  cuts_at_max_length: "splits at the maximum length",
  sequences_too_short: "sequences dropped because they are too short",
  tokens_too_short: "tokens in these sequences",
  empty_sequences: "empty sequences",
};

export function About() {
  const { model } = useApp();
  const { manifest, rules } = model.facts;
  const facts = manifest.facts ?? {};
  const input = facts.input ?? {};
  const gamma = rules ? rules.higher_order_network.edges / rules.first_order_edges : null;
  const done = Object.entries(CLEANING).filter(([name]) => input[name]);
  return (
    <div class="page">
      <h2>About this model</h2>
      <div class="cards">
        <Card value={model.size} label="nodes" />
        {facts.sequences !== undefined && <Card value={facts.sequences} label="sequences" />}
        {facts.steps !== undefined && <Card value={facts.steps} label="steps" />}
        {rules && <Card value={rules.max_order} label="maximum order" />}
        {rules && <Card value={sum(rules.by_order)} label="rules" />}
        {rules && <Card value={sum(rules.acceptance.by_order)} label={`${rules.acceptance.word} rules`} title={rules.acceptance.meaning} />}
        {manifest.counts && <Card value={manifest.counts.dimensions} label="dimensions" />}
        {gamma !== null && <Card value={gamma} label="gamma" title="edges of the higher-order network per edge of the first-order network" />}
      </div>
      <Notes />
      {rules && (
        <>
          <h3>Rules by order</h3>
          <p class="meaning">{rules.acceptance.meaning}</p>
          <Orders />
          <h3>Networks</h3>
          <Facts facts={{
            "first order": `${number(model.size)} nodes, ${number(rules.first_order_edges)} edges`,
            "higher order": `${number(rules.higher_order_network.nodes)} nodes, ${number(rules.higher_order_network.edges)} edges, mean in-degree ${rules.higher_order_network.mean_in_degree.toFixed(2)}`,
            gamma: gamma!.toFixed(2),
          }} />
        </>
      )}
      {input.sequences !== undefined && (
        <>
          <h3>Reading and cleaning</h3>
          <p>{number(input.sequences_read)} sequences with {number(input.tokens_read)} tokens were read from {number(input.files)} {input.files === 1 ? "file" : "files"}; {number(input.sequences)} with {number(input.tokens)} tokens were kept.</p>
          {done.length ? <Facts facts={Object.fromEntries(done.map(([name, words]) => [words, number(input[name])]))} /> : <p>Nothing was dropped or changed.</p>}
          {(input.inputs ?? []).map((file: any) => <p key={file.sha256} class="file"><bdi dir="auto">{lastPart(String(file.name))}</bdi>, {number(file.bytes)} bytes, SHA-256 <code>{file.sha256}</code></p>)}
        </>
      )}
      {facts.tuning && <Tuning tuning={facts.tuning} />}
      {manifest.parameters && <><h3>Parameters</h3><Facts facts={manifest.parameters} /></>}
      {manifest.versions && <><h3>Made with</h3><Facts facts={{ ...manifest.versions, created: manifest.created, seed: manifest.seed }} /></>}
      <details class="section"><summary><h3>Manifest</h3></summary><pre>{JSON.stringify(manifest, null, 2)}</pre></details>
    </div>
  );
}

const lastPart = (path: string): string => path.split(/[/\\]/).pop() || path;
const sum = (amounts: Record<string, number>): number => Object.values(amounts).reduce((total, amount) => total + amount, 0);

function Card({ value, label, title }: { value: number; label: string; title?: string }) {
  return <div class="card" title={title}><b>{number(value)}</b><span>{label}</span></div>;
}

// What was tried before the recipe of the vectors was chosen.
function Tuning({ tuning }: { tuning: any }) {
  const trials = Object.fromEntries((tuning.trials ?? []).map((trial: any) => [trial.name, trial.value.toFixed(4)]));
  return <>
    <h3>How the vectors were chosen</h3>
    <p>{`${tuning.chosen}: ${tuning.reason}. ${Object.keys(trials).length ? "Higher is better." : ""}`}</p>
    <Facts facts={trials} />
  </>;
}

function Facts({ facts }: { facts: Record<string, unknown> }) {
  const shown = (value: unknown): ComponentChildren => (value === null || value === undefined ? <i>not set</i> : Array.isArray(value) ? value.join(", ") || <i>none</i> : typeof value === "object" ? JSON.stringify(value) : String(value));
  return <table class="facts"><tbody>{Object.entries(facts).map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{shown(value)}</td></tr>)}</tbody></table>;
}

/** What this page omits, and how its map was computed. */
function Notes() {
  const { model } = useApp();
  const { rules, positions } = model.facts;
  return (
    <ul class="notes">
      {model.earth && <li>The geographic map: {model.earth.made_by}. It is in the Web Mercator projection. Made with <a href="https://www.naturalearthdata.com" rel="noreferrer">Natural Earth</a>, which is in the public domain; borders of the states of the USA by the US Census Bureau.</li>}
      <li>{model.earth ? "The map of the embedding" : "The map"}: {positions}. {model.hasFirstOrder && "The first-order map uses the same recipe with rules of order 1 only, and is aligned with this one."}</li>
      {rules && rules.max_order > 1 && !model.hasFirstOrder && <li>There is no first-order map: this version of honem does not know the recipe of the vectors.</li>}
      <li>Neighbours are exact, by cosine similarity in all dimensions; the map is only an approximation.</li>
      <li>Communities are found in the graph of nearest neighbours, by modularity.</li>
      {rules && rules.kept_rows < rules.rows && (
        <li class="trimmed"><b>Not all rules are in this file:</b> it contains {number(sum(rules.kept_by_order))} of {number(sum(rules.by_order))} rules ({number(rules.kept_rows)} of {number(rules.rows)} rows), first order first, then those with the largest support, down to a support of {number(rules.least_support_kept)}. <code>honem explore --serve</code> shows all of them.</li>
      )}
    </ul>
  );
}

function Orders() {
  const { rules } = useApp().model.facts;
  const { word, by_order: accepted } = rules.acceptance;
  const most = Math.max(...(Object.values(rules.by_order) as number[]));
  return (
    <table class="orders">
      <thead><tr><th>Order</th><th>Rules</th><th class="word">{word}</th>{rules.order_weights && <th>Weight in S</th>}<td class="wide" /></tr></thead>
      <tbody>
        {Object.entries(rules.by_order as Record<string, number>).map(([order, amount]) => (
          <tr key={order}>
            <th scope="row">{order}</th><td>{number(amount)}</td><td>{order === "1" ? "–" : number(accepted[order] ?? 0)}</td>{rules.order_weights && <td>{Number(rules.order_weights[Number(order) - 1].toPrecision(3))}</td>}
            <td class="wide"><span class="bar"><span class="fill" style={{ width: `${(100 * amount) / most}%` }} /></span></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
