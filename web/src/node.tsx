// One node: its neighbours in all dimensions, its rules as sentences, its context tree, its links, its profile.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useApp } from "./app";
import { amount, EARTH, number, percent, times } from "./model";
import { Bar, Name, NodeLink, Section, Standing } from "./parts";
import type { Branch, Rules } from "./rules";
import { Search } from "./search";

export function NodePanel({ node }: { node: number }) {
  const { model, state, set, ready } = useApp();
  const { rules } = model;
  return (
    <article class="node">
      <header>
        <h2><bdi dir="auto" class="whole">{model.names[node].trim() ? model.names[node] : <Name node={node} />}</bdi></h2>
        <button type="button" class="close" aria-label="Close" title="Close (Esc)" onClick={() => set({ node: null, other: null })}>×</button>
      </header>
      <dl class="facts">
        {model.labels && model.labels[node] !== model.names[node] && <div><dt>id</dt><dd><bdi dir="auto">{model.labels[node].slice(0, 300)}</bdi></dd></div>}
        {model.columns.map((column, i) => column.group !== "profile" && model.shown(column, node) && model.shown(column, node) !== model.names[node] && (
          <div key={i}><dt>{column.name}</dt><dd><bdi dir="auto">{model.shown(column, node).slice(0, 300)}</bdi></dd></div>
        ))}
      </dl>
      {state.earth && !model.isPlaced(node, EARTH) && <p class="hint">This node has no coordinates, so it is not on the geographic map.</p>}
      <div class="actions">
        {rules && <button type="button" onClick={() => set({ next: true, history: [...state.history, node] })}>What comes next?</button>}
        <Search label="Compare with …" onPick={(other) => other !== node && set({ other })} />
      </div>
      {!ready ? <p class="hint" role="status">Loading neighbours and rules …</p> : <Neighbors node={node} />}
      {ready && rules && <RuleSentences node={node} rules={rules} key={`rules${node},${state.rule}`} />}
      {ready && rules && <ContextTree node={node} rules={rules} key={`tree${node}`} />}
      {ready && rules && <Links node={node} rules={rules} />}
      {model.columns.some((column) => column.group === "profile") && <Profile node={node} />}
    </article>
  );
}

function Profile({ node }: { node: number }) {
  const { model, state, set } = useApp();
  const rows = useMemo(
    () => model.columns.map((column, i) => ({ column, i })).filter(({ column }) => column.group === "profile").map(({ column, i }) => ({ column, i, rank: model.rank(column, node) })),
    [node],
  );
  return (
    <Section title="Profile" note="bars: rank among all nodes; press a name to colour the map by it">
      <ol class="rows profile">
        {rows.map(({ column, i, rank }) => (
          <li key={i} title={`${column.meaning}; more than ${percent(rank)} of the other nodes`}>
            <button type="button" class="link" aria-pressed={state.color === i} onClick={() => set({ color: i, category: null })}>{column.name}</button>
            <Bar share={rank} />
            <span class="value">{model.shown(column, node)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Neighbors({ node }: { node: number }) {
  const { model, state, set } = useApp();
  const changes = model.changes(node, 10);
  const shown = model.neighbors(node, state.which).slice(0, 10);
  const missing = model.hasFirstOrder ? model.neighbors(node, state.which ? 0 : 1).slice(0, 10).filter(({ node: other }) => !shown.some((one) => one.node === other)) : [];
  const word = { won: "won", lost: "lost", kept: "" };
  const row = ({ node: other, score }: { node: number; score: number }, away: boolean) => (
    <li key={other} class={away ? "away" : ""}>
      <NodeLink node={other} most={60} />
      {word[changes.get(other) ?? "kept"] && <span class={`badge ${changes.get(other)}`}>{word[changes.get(other)!]}</span>}
      <button type="button" class="pair" title="Why are these two nodes close?" aria-label="Compare the two nodes" onClick={() => set({ other })}>⇄</button>
      <Bar share={score} kind={changes.get(other)} />
      <span class="value">{score.toFixed(3)}</span>
    </li>
  );
  const title = state.which ? "Nearest by first order" : "Nearest";
  return (
    <Section title={title} note="cosine similarity, in all dimensions">
      <ol class="rows neighbors">{shown.map((neighbor) => row(neighbor, false))}</ol>
      {missing.length > 0 && (
        <>
          <h4>{state.which ? "Nearest only by higher order" : "Nearest only by first order"}</h4>
          <ol class="rows neighbors">{missing.map((neighbor) => row(neighbor, true))}</ol>
        </>
      )}
    </Section>
  );
}

const FEW = 5;

function RuleSentences({ node, rules }: { node: number; rules: Rules }) {
  const { model, state } = useApp();
  const { word } = model.facts.rules.acceptance;
  const wanted = rules.find(state.rule);
  const higher = rules.at(node).filter((rule) => rules.order(rule) > 1 && rules.accepted(rule)).sort((a, b) => rules.strength(b) - rules.strength(a));
  const [most, setMost] = useState(Math.max(FEW, higher.indexOf(wanted) + 1));
  const first = rules.find([node]);
  const note = `${higher.length ? amount(higher.length, `${word} rule`) : `no ${word} rules`} of order 2 or more`;
  return (
    <Section title="Rules" note={note}>
      {first >= 0 ? <Rule rule={first} rules={rules} /> : <p class="hint">Nothing follows this node in the data.</p>}
      {higher.slice(0, most).map((rule) => <Rule key={rule} rule={rule} rules={rules} isWanted={rule === wanted} />)}
      {higher.length > most && <button type="button" class="more" onClick={() => setMost(most + 20)}>{number(higher.length - most)} more</button>}
    </Section>
  );
}

export function Rule({ rule, rules, isWanted = false }: { rule: number; rules: Rules; isWanted?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => isWanted ? box.current?.scrollIntoView({ block: "center" }) : undefined, [isWanted]);
  const context = rules.context(rule);
  const shorter = rules.shorter(rule);
  const steps = rules.steps(rule, 4);
  const hidden = rules.steps(rule).length - steps.length;
  return (
    <div class={`rule ${isWanted ? "wanted" : ""}`} ref={box}>
      <p>
        At{" "}
        <b><Name node={context[context.length - 1]} most={60} /></b>
        {context.length > 1 && <> after {context.slice(0, -1).map((older, i) => <>{i > 0 && " → "}<NodeLink node={older} most={60} /></>)}</>}
        , the next node is:
        <Standing rule={rule} rules={rules} />
      </p>
      <ol class="rows">
        {steps.map(({ target, probability, count }) => {
          const usual = shorter >= 0 ? rules.probability(shorter, target) : undefined;
          const hint = usual === undefined ? times(count) : `${times(count)}; ${percent(usual)} given the shorter context`;
          return (
            <li key={target} title={hint}>
              <NodeLink node={target} most={60} />
              <Bar share={probability} tick={usual} />
              <span class="value">{percent(probability)}</span>
            </li>
          );
        })}
      </ol>
      {hidden > 0 && <p class="hint">and {number(hidden)} more</p>}
    </div>
  );
}

function ContextTree({ node, rules }: { node: number; rules: Rules }) {
  const branches = rules.branches([node]);
  if (!branches.length) return null;
  return (
    <Section title="Context tree" note={amount(branches.length, "previous node")} open={false}>
      <Twigs branches={branches} rules={rules} />
    </Section>
  );
}

function Twigs({ branches, rules }: { branches: Branch[]; rules: Rules }) {
  const [most, setMost] = useState(12);
  return (
    <ul class="tree">
      {branches.slice(0, most).map((branch) => <Twig key={branch.context[0]} branch={branch} rules={rules} />)}
      {branches.length > most && <li><button type="button" class="more" onClick={() => setMost(most + 50)}>{number(branches.length - most)} more</button></li>}
    </ul>
  );
}

function Twig({ branch, rules }: { branch: Branch; rules: Rules }) {
  const [open, setOpen] = useState(false);
  const { word } = useApp().model.facts.rules.acceptance;
  const { context, rule } = branch;
  const deeper = rules.branches(context);
  const likeliest = rule >= 0 ? rules.steps(rule, 1)[0] : null;
  return (
    <li>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="older">← <Name node={context[0]} most={40} /></span>
          {rule >= 0 && !rules.accepted(rule) && <small class="lower" title={`kept only as a lower order of ${word} rules`}>lower order</small>}
          {likeliest && <small>then <Name node={likeliest.target} most={24} /> {percent(likeliest.probability)}</small>}
          {deeper.length > 0 && <small class="deeper">+{deeper.length}</small>}
        </summary>
        {open && rule >= 0 && <Rule rule={rule} rules={rules} />}
        {open && deeper.length > 0 && <Twigs branches={deeper} rules={rules} />}
      </details>
    </li>
  );
}

function Links({ node, rules }: { node: number; rules: Rules }) {
  const first = rules.find([node]);
  const [to, from] = [first >= 0 ? rules.steps(first) : [], rules.origins(node)];
  const most = Math.max(to[0]?.count ?? 1, from[0]?.count ?? 1);
  const column = (title: string, steps: typeof to) => (
    <div>
      <h4>{title} <small>{number(steps.length)}</small></h4>
      <ol class="rows links">
        {steps.slice(0, 12).map(({ target, count }) => (
          <li key={target}><NodeLink node={target} most={40} /><Bar share={count / most} /><span class="value">{number(count)}</span></li>
        ))}
      </ol>
    </div>
  );
  return <Section title="Links" note="direct steps, in both directions" open={false}><div class="two">{column("Previous", from)}{column("Next", to)}</div></Section>;
}
