// A history, entered node by node, and what each order predicts next.
import { useApp } from "./app";
import { number, percent, times } from "./model";
import { Bar, Name, Standing } from "./parts";
import { Search } from "./search";

export function NextPanel() {
  const { model, state, set, ready } = useApp();
  const { history } = state;
  const { rules } = model;
  const trimmed = model.facts.rules && model.facts.rules.kept_rows < model.facts.rules.rows;
  const put = (history: number[]) => set({ history });
  if (ready && !rules) return <p class="hint">This store was saved without rules, so the next node cannot be predicted.</p>;
  const orders = rules ? Array.from({ length: Math.min(history.length, rules.maxOrder) }, (_, i) => i + 1) : [];
  const found = orders.map((order) => ({ order, suffix: history.slice(-order), rule: rules!.find(history.slice(-order)) }));
  const longest = Math.max(0, ...found.filter(({ rule }) => rule >= 0).map(({ order }) => order));
  return (
    <article class="node next">
      <header><h2>What comes next?</h2></header>
      <p class="hint">Enter the nodes visited so far, oldest first. The prediction of every order is shown; the longest context that is a rule is used.</p>
      <ol class="history" aria-label="History">
        {history.map((node, i) => (
          <li key={i}>
            <Name node={node} most={40} />
            <button type="button" aria-label="Remove" onClick={() => put(history.filter((_, other) => other !== i))}>×</button>
          </li>
        ))}
        <li class="field"><Search label={history.length ? "then …" : "first …"} id="history" onPick={(node) => put([...history, node])} onBackspace={() => put(history.slice(0, -1))} /></li>
      </ol>
      {history.length > 0 && <button type="button" class="more" onClick={() => put([])}>Clear</button>}
      {rules && found.reverse().map(({ order, suffix, rule }) => (
        <section key={order} class={`rule expected ${order === longest ? "used" : ""}`}>
          <h3>Order {order} {order === longest && <span class="badge used">used</span>}</h3>
          <p class="suffix">{suffix.map((node, i) => <>{i > 0 && " → "}<Name node={node} most={30} /></>)}</p>
          {rule < 0 ? <p class="hint">{order > 1 ? `No rule: this context was never seen, or what follows it does not clearly differ from what follows a shorter one${trimmed ? ", or it is too rare for this file" : ""}.` : "Nothing follows this node in the data."}</p> : (
            <>
              <ol class="rows">
                {rules.steps(rule, 5).map(({ target, probability, count }) => (
                  <li key={target} title={times(count)}>
                    <button type="button" class="link" onClick={() => put([...history, target])}><Name node={target} most={50} /></button>
                    <Bar share={probability} />
                    <span class="value">{percent(probability)}</span>
                  </li>
                ))}
              </ol>
              <p class="hint">seen <Standing rule={rule} rules={rules} />{rules.steps(rule).length > 5 && ` · ${number(rules.steps(rule).length)} different next nodes`}</p>
            </>
          )}
        </section>
      ))}
    </article>
  );
}
