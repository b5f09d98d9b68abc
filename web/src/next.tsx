// A history, entered node by node, and what comes next: predicted by the blend of all contexts, and as observed.
import { useMemo } from "preact/hooks";
import { useApp } from "./app";
import { number, percent, times, TOUCH, type Model, type Visited } from "./model";
import type { Contribution, Prediction } from "./nextstep";
import { Bar, Name, nameOf, Section, Standing } from "./parts";
import type { Rules } from "./rules";
import { Search } from "./search";

const SHOWN = 10;

export const known = (history: Visited[]): (number | null)[] => history.map((node) => (typeof node === "string" ? null : node));

/** The same prediction for the console of the browser, by names: honem.predict(["Hamburg", "Rotterdam"], 5). */
export const predictor = (model: Model) => (history: string[], k = SHOWN, fromStart = false) => {
  if (!model.nextStep) throw new Error(model.whyNoNextStep);
  const found = model.nextStep.predict(history.map((name) => model.find(name)), k, fromStart);
  const names = (nodes: number[] | null) => nodes?.map((node) => model.names[node]) ?? null;
  return {
    observed: found.observed,
    nodes: found.nodes.map((next) => ({ ...next, node: model.names[next.node] })),
    contributions: found.contributions.map((one) => ({ ...one, context: names(one.context) })),
  };
};

export function NextPanel() {
  const { model, state, set, ready } = useApp();
  const { history, fromStart } = state;
  const put = (history: Visited[]) => set({ history });
  const found = useMemo(
    () => (ready && history.length ? model.nextStep?.predict(known(history), SHOWN, fromStart) : undefined),
    [ready, history, fromStart],
  );
  if (ready && !model.rules && !model.nextStep) return <p class="hint">This store was saved without rules and without a model of the next node, so the next node cannot be predicted.</p>;
  return (
    <article class="node next">
      <header><h2>What comes next?</h2></header>
      <p class="hint">Enter the nodes visited so far, oldest first, or {TOUCH ? "tap" : "click"} them on the map.</p>
      <ol class="history" aria-label="History">
        {history.map((node, i) => (
          <li key={i}>
            {typeof node === "string" ? <bdi dir="auto" class="name blank" title="This node is not known.">{nameOf(node, 40)}?</bdi> : <Name node={node} most={40} />}
            <button type="button" aria-label="Remove" onClick={() => put(history.filter((_, other) => other !== i))}>×</button>
          </li>
        ))}
        <li class="field"><Search label={history.length ? "then …" : "first …"} id="history" onPick={(node) => put([...history, node])} onBackspace={() => put(history.slice(0, -1))} /></li>
      </ol>
      <p class="history-options">
        {model.nextStep && <label><input type="checkbox" checked={fromStart} onChange={(event) => set({ fromStart: event.currentTarget.checked })} /> begins at the start of a path</label>}
        {history.length > 0 && <button type="button" class="more" onClick={() => put([])}>Clear</button>}
      </p>
      {!ready && <p class="hint" role="status">Loading the model …</p>}
      {found && <Predicted found={found} />}
      {found && <Contributions of={found.contributions} />}
      {ready && !model.nextStep && <p class="hint">{model.whyNoNextStep} Below are the frequencies that were observed after each context that is a rule.</p>}
      {model.rules && history.length > 0 && <ByOrder rules={model.rules} predicted={!!found} />}
    </article>
  );
}

function Predicted({ found }: { found: Prediction }) {
  const { model, state, set } = useApp();
  const unknown = [...new Set(state.history.filter((node) => typeof node === "string"))];
  const [longest] = found.contributions;
  return (
    <section class="predicted">
      {unknown.length > 0 && <p class="hint">Not known: {unknown.map((name) => nameOf(name, 40)).join(", ")}. Only the nodes after the last unknown one are used.</p>}
      <table class="small">
        <thead><tr><th>Next</th><td class="wide" /><th>Predicted</th><th>Observed</th></tr></thead>
        <tbody>
          {found.nodes.map(({ node, probability, observed }) => (
            <tr key={node} title={`observed ${times(observed)} in ${number(found.observed)}`}>
              <th scope="row"><button type="button" class="link" onClick={() => set({ history: [...state.history, node] })}><Name node={node} most={50} /></button></th>
              <td class="wide"><Bar share={probability} tick={found.observed ? observed / found.observed : undefined} /></td>
              <td>{(100 * probability).toFixed(1)} %</td>
              <td>{found.observed ? percent(observed / found.observed) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Predicted: all contexts below are blended, as in <code>honem next</code>. Observed, and the line in each bar: what came next the {times(found.observed)} that{" "}
        <ContextName of={longest} /> was observed{model.size > found.nodes.length && `; ${number(model.size - found.nodes.length)} other nodes are less probable`}.
      </p>
    </section>
  );
}

function Contributions({ of }: { of: Contribution[] }) {
  return (
    <Section title="Contributions" note="share of each context in the prediction">
      <ol class="rows contributions">
        {of.map((one, i) => (
          <li key={i} title={one.context ? `observed ${times(one.observed)}` : "steps that were never observed, predicted from similar nodes"}>
            <span class="name"><ContextName of={one} /></span>
            <Bar share={one.weight} />
            <span class="value">{(100 * one.weight).toFixed(1)} %</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function ContextName({ of: { context, fromStart } }: { of: Contribution }) {
  if (!context) return <>vectors of similar nodes</>;
  if (!context.length) return <>any node</>;
  return <>{fromStart && "start → "}{context.map((node, i) => <>{i > 0 && " → "}<Name node={node} most={30} /></>)}</>;
}

/** What was observed after each suffix of the history that is a rule. */
function ByOrder({ rules, predicted }: { rules: Rules; predicted: boolean }) {
  const { model, state } = useApp();
  const trimmed = model.facts.rules.kept_rows < model.facts.rules.rows;
  const history = state.history.slice(state.history.findLastIndex((node) => typeof node === "string") + 1) as number[];
  const orders = Array.from({ length: Math.min(history.length, rules.maxOrder) }, (_, i) => i + 1);
  const found = orders.map((order) => ({ order, suffix: history.slice(-order), rule: rules.find(history.slice(-order)) })).reverse();
  return (
    <Section title="Observed by order" note="frequencies after each context that is a rule" open={!predicted}>
      {found.map(({ order, suffix, rule }) => (
        <section key={order} class="rule expected">
          <h3>Order {order}</h3>
          <p class="suffix">{suffix.map((node, i) => <>{i > 0 && " → "}<Name node={node} most={30} /></>)}</p>
          {rule < 0 ? <p class="hint">{order > 1 ? `No rule: this context was never seen, or what follows it does not clearly differ from what follows a shorter one${trimmed ? ", or it is too rare for this file" : ""}.` : "Nothing follows this node in the data."}</p> : <Observed rule={rule} rules={rules} />}
        </section>
      ))}
    </Section>
  );
}

function Observed({ rule, rules }: { rule: number; rules: Rules }) {
  const { state, set } = useApp();
  const amount = rules.steps(rule).length;
  return (
    <>
      <ol class="rows">
        {rules.steps(rule, 5).map(({ target, probability, count }) => (
          <li key={target} title={times(count)}>
            <button type="button" class="link" onClick={() => set({ history: [...state.history, target] })}><Name node={target} most={50} /></button>
            <Bar share={probability} />
            <span class="value">{percent(probability)}</span>
          </li>
        ))}
      </ol>
      <p class="hint"><Standing rule={rule} rules={rules} />{amount > 5 && ` · ${number(amount)} different next nodes`}</p>
    </>
  );
}
