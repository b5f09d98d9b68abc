// Two nodes: the paths between them, the contribution of each order, and the nodes they have in common.
import { useRef } from "preact/hooks";
import { useApp } from "./app";
import { saveDrawing } from "./download";
import { canvasName } from "./shapes";
import { amount, number, percent } from "./model";
import { Bar, Name, NodeLink, Section } from "./parts";
import type { Rules } from "./rules";

const MOST_PATHS = 9;

export function PairPanel({ from, to }: { from: number; to: number }) {
  const { model, state, set, ready } = useApp();
  const { rules } = model;
  const rank = (a: number, b: number) => model.neighbors(a, state.which).findIndex(({ node }) => node === b);
  const ranked = (a: number, b: number) => {
    const place = rank(a, b);
    return place < 0 ? `not among the ${model.neighborsEach} nearest of` : place ? `number ${place + 1} among the nearest of` : "the nearest of";
  };
  const score = model.cosine(from, to, state.which);
  return (
    <article class="node pair-panel">
      <header>
        <h2><NodeLink node={from} most={60} /> <span aria-label="and">⇄</span> <NodeLink node={to} most={60} /></h2>
        <button type="button" class="close" aria-label="Close" title="Close (Esc)" onClick={() => set({ other: null })}>×</button>
      </header>
      <p>
        {state.which ? "By first order only: " : ""}{score !== null && <>Cosine similarity <b>{score.toFixed(3)}</b>. </>}<Name node={to} most={60} /> is {ranked(from, to)} <Name node={from} most={60} />; <Name node={from} most={60} /> is {ranked(to, from)} <Name node={to} most={60} />.
      </p>
      {!ready ? <p class="hint" role="status">Loading rules …</p> : !rules ? <p class="hint">This store was saved without rules.</p> : (
        <>
          {!state.which && <WhyClose from={from} to={to} rules={rules} />}
          <Paths from={from} to={to} rules={rules} />
          <Paths from={to} to={from} rules={rules} />
          <Shared title="Next nodes in common" note="by direct steps only" from={from} to={to} shares={(node) => outgoing(rules, node)} />
          <Shared title="Previous nodes in common" note="by direct steps only" from={from} to={to} shares={(node) => incoming(rules, node)} />
        </>
      )}
    </article>
  );
}

/** The strongest terms of the cosine as sentences, then the numbers. */
function WhyClose({ from, to, rules }: { from: number; to: number; rules: Rules }) {
  const { model } = useApp();
  const common = model.common(from, to) ?? model.common(to, from);
  const score = model.cosine(from, to, 0);
  if (!common) return <p class="hint">These two are not among the ten nearest of each other. <code>honem explain DIR A B</code> explains any pair.</p>;
  const listed = common.terms.reduce((sum, { part }) => sum + part, 0);
  const rest = common.cosine - listed;
  const hidden = common.amount - common.terms.length;
  const share = common.cosine ? listed / common.cosine : 0;
  const dimensions = model.facts.manifest.counts?.dimensions;
  return (
    <Section title="Why are these two close?">
      {common.terms.length
        ? <p>{common.amount === 1 ? "They share one node" : <>They share {amount(common.amount, "node")}</>} that they are linked to, directly or by longer contexts.{hidden > 0 && <> The strongest {common.terms.length === 1 ? "makes" : `${common.terms.length} make`} up {percent(share)} of the similarity{share < 0.2 && ", so it rests on many small terms"}:</>}</p>
        : <p>They lead to no node in common, directly or by longer contexts. They are close because the nodes they lead to are similar.</p>}
      <ul class="sentences why">
        {common.terms.map(({ node }) => (
          <li key={node}>
            {node === from || node === to
              ? <><Name node={node === from ? to : from} most={40} /> leads to <b><Name node={node} most={40} /></b> itself, <Way from={node === from ? to : from} to={node} rules={rules} />.</>
              : <>Both lead to <b><Name node={node} most={40} /></b>: <Name node={from} most={40} /> <Way from={from} to={node} rules={rules} />; <Name node={to} most={40} /> <Way from={to} to={node} rules={rules} />.</>}
          </li>
        ))}
      </ul>
      <table class="small why-numbers">
        <tbody>
          {common.terms.map(({ node, part }) => <tr key={node}><th scope="row"><NodeLink node={node} most={40} /></th><td class="wide"><Bar share={common.cosine ? part / common.cosine : 0} /></td><td>{part.toFixed(3)}</td></tr>)}
          {hidden > 0 && <tr><th scope="row">{amount(hidden, "more node")}</th><td class="wide"><Bar share={common.cosine ? rest / common.cosine : 0} /></td><td>{rest.toFixed(3)}</td></tr>}
          <tr class="sum"><th scope="row">cosine of their rows of the matrix</th><td class="wide" /><td>{common.cosine.toFixed(3)}</td></tr>
          {score !== null && <tr><th scope="row">cosine of their vectors{dimensions && ` of ${number(dimensions)} dimensions`}</th><td class="wide" /><td>{score.toFixed(3)}</td></tr>}
        </tbody>
      </table>
    </Section>
  );
}

/** The rule by which one node most often leads to another; if there is none, the one by which the other leads back. */
function Way({ from, to, rules }: { from: number; to: number; rules: Rules }) {
  const [forth] = rules.between(from, to);
  const [back] = forth ? [] : rules.between(to, from);
  const best = forth ?? back;
  if (!best) return <>only by steps through other nodes</>;
  const between = rules.context(best.rule).slice(1);
  const way = between.length > 0 && <>by way of {between.map((node, i) => <>{i > 0 && " → "}<Name node={node} most={40} /></>)}, </>;
  const share = percent(best.count / rules.supports[best.rule]);
  if (back) return <>{way}by the way back, in {share} of the steps of <Name node={to} most={40} /></>;
  return <>{way}in {share} of {between.length ? "such visits" : "its steps"}</>;
}

function outgoing(rules: Rules, node: number): Map<number, number> {
  const rule = rules.find([node]);
  return new Map(rule < 0 ? [] : rules.steps(rule).map(({ target, probability }) => [target, probability]));
}

function incoming(rules: Rules, node: number): Map<number, number> {
  const steps = rules.origins(node);
  const total = steps.reduce((sum, { count }) => sum + count, 0);
  return new Map(steps.map(({ target, count }) => [target, count / total]));
}

function Shared({ title, note, from, to, shares }: { title: string; note: string; from: number; to: number; shares(node: number): Map<number, number> }) {
  const [mine, theirs] = [shares(from), shares(to)];
  const common = [...mine].filter(([node]) => theirs.has(node)).map(([node, share]) => ({ node, share, other: theirs.get(node)! }));
  common.sort((a, b) => Math.min(b.share, b.other) - Math.min(a.share, a.other));
  const overlap = common.reduce((sum, { share, other }) => sum + Math.min(share, other), 0);
  return (
    <Section title={title} note={common.length ? `${note}; overlap ${percent(overlap)}` : "none by direct steps"} open={common.length > 0}>
      {!common.length && <p class="hint">Longer contexts and similar nodes may still connect the two; see above.</p>}
      <ol class="rows shared">
        {common.slice(0, 8).map(({ node, share, other }) => (
          <li key={node} title={`${percent(share)} and ${percent(other)}`}>
            <NodeLink node={node} most={60} />
            <Bar share={share} tick={other} />
            <span class="value">{percent(share)} · {percent(other)}</span>
          </li>
        ))}
      </ol>
      {common.length > 8 && <p class="hint">and {number(common.length - 8)} more</p>}
    </Section>
  );
}

function Paths({ from, to, rules }: { from: number; to: number; rules: Rules }) {
  const { model } = useApp();
  const drawing = useRef<SVGSVGElement>(null);
  const found = rules.between(from, to);
  const title = (<><Name node={from} most={40} /> → <Name node={to} most={40} /></>);
  if (!found.length) return <section class="paths"><h3>{title}</h3><p class="hint">No rule leads from the first node to the second.</p></section>;
  const shown = found.slice(0, MOST_PATHS);
  const most = Math.max(...shown.map(({ count }) => count));
  const [width, row, left, right] = [372, 34, 16, 338];
  const height = 34 + shown.length * row;
  const middle = 22 + (shown.length * row) / 2;
  return (
    <section class="paths">
      <h3>{title}</h3>
      <svg ref={drawing} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${amount(found.length, "path")}; the table below has the number of paths and the count of each order`}>
        {shown.map(({ rule, count }, i) => {
          const between = rules.context(rule).slice(1);
          const y = 30 + i * row + row / 2;
          const [start, end] = [left + 52, right - 52];
          const path = `M${left} ${middle} C${left + 34} ${middle} ${start - 34} ${y} ${start} ${y} L${end} ${y} C${end + 34} ${y} ${right - 34} ${middle} ${right} ${middle}`;
          const at = (place: number) => (between.length === 1 ? (start + end) / 2 : start + 20 + ((end - start - 40) * place) / (between.length - 1));
          return (
            <g key={rule} class={`order order${Math.min(between.length + 1, 6)}`}>
              <path d={path} stroke-width={1.2 + 4.8 * Math.sqrt(count / most)} />
              {between.map((node, place) => (
                <g key={place}>
                  <circle cx={at(place)} cy={y} r="4.5" />
                  <text x={at(place)} y={y - 8} text-anchor="middle">{canvasName(model.names[node], between.length > 2 ? 9 : between.length > 1 ? 15 : 28)}<title>{model.names[node].slice(0, 300)}</title></text>
                </g>
              ))}
              {!between.length && <text x={(start + end) / 2} y={y - 8} text-anchor="middle" class="direct">directly</text>}
              <text x={right + 12} y={y + 4} class="count">{number(count)}</text>
            </g>
          );
        })}
        <circle class="end" cx={left} cy={middle} r="8" />
        <circle class="end" cx={right} cy={middle} r="8" />
        <text x={left - 8} y="14" class="end">{canvasName(model.names[from], 22)}</text>
        <text x={right + 8} y="14" text-anchor="end" class="end">{canvasName(model.names[to], 22)}</text>
      </svg>
      <ByOrder found={found} rules={rules} />
      <p class="hint">
        {found.length > shown.length && `${amount(found.length - shown.length, "path")} with smaller counts ${found.length - shown.length === 1 ? "is" : "are"} not shown. `}
        <button type="button" class="more" onClick={() => saveDrawing("paths.svg", drawing.current!)}>Save as SVG</button>
      </p>
    </section>
  );
}

/** The paths by order, and the weight of each order. */
function ByOrder({ found, rules }: { found: { rule: number; count: number }[]; rules: Rules }) {
  const weights = useApp().model.facts.rules.order_weights as number[] | null;
  const orders = Array.from({ length: rules.maxOrder }, (_, i) => i + 1).map((order) => {
    const own = found.filter(({ rule }) => rules.order(rule) === order);
    return { order, paths: own.length, count: own.reduce((sum, one) => sum + one.count, 0) };
  }).filter(({ paths }) => paths);
  return (
    <table class="small">
      <thead><tr><th>Order</th><th>Paths</th><th>Count</th>{weights && <th title="weight of this order in S, the matrix behind the vectors">Weight in S</th>}</tr></thead>
      <tbody>
        {orders.map(({ order, paths, count }) => (
          <tr key={order}><td><i class={`order order${Math.min(order, 6)}`} />{order}</td><td>{number(paths)}</td><td>{number(count)}</td>{weights && <td>{Number(weights[order - 1].toPrecision(2))}</td>}</tr>
        ))}
      </tbody>
    </table>
  );
}
