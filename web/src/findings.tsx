// What was found, as sentences: the strongest rules, memory by order, nodes with the most memory, new pairs.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { useApp } from "./app";
import { amount, bits as shortBits, number, percent, times, TOUCH } from "./model";
import { Bar, Name, Section } from "./parts";

interface RuleFinding {
  context: number[];
  target: number;
  probability: number;
  shorter: number;
  support: number;
  verdict: string;
}

interface MemoryFinding {
  order: number;
  rules: number;
  share: number;
  bits: number;
}

interface NodeFinding {
  node: number;
  bits: number;
  share: number;
  steps: number;
  rules: number;
}

interface PairFinding {
  nodes: [number, number];
  cosine: number;
  first_order: number;
}

export interface FoundThings {
  rules: RuleFinding[];
  memory: MemoryFinding[];
  nodes: NodeFinding[];
  pairs: PairFinding[];
}

const FEW = 5;
const MOST_ORDERS = 6;

/** The memory of several orders as one row, which has the number of the first. */
function together(memory: MemoryFinding[]): MemoryFinding {
  const sum = (of: "rules" | "share" | "bits") => memory.reduce((total, one) => total + one[of], 0);
  return { order: memory[0].order, rules: sum("rules"), share: sum("share"), bits: sum("bits") };
}

export function Findings() {
  const { model, choose } = useApp();
  const { rules, positions } = model.facts;
  const findings = model.facts.findings as FoundThings | null;
  return (
    <article class="node findings">
      <h2>{findings ? "What was found" : amount(model.size, "node")}</h2>
      <p class="hint">{TOUCH ? "Tap" : "Click"} a finding or a node on the map, or search for a node. Then {TOUCH ? "tap ⇄ beside one of its nearest nodes" : "click ⇄ beside one of its nearest nodes, or Shift-click any node,"} to see why the two are close.</p>
      {findings && findings.rules.length > 0 && <StrongestRules found={findings.rules} />}
      {findings && <Memory memory={findings.memory} />}
      {findings && findings.nodes.length > 0 && <NodesWithMemory found={findings.nodes} />}
      {findings && findings.pairs.length > 0 && <NewPairs found={findings.pairs} />}
      <Section title="Most connected nodes">
        <ul class="chips">{[...model.byImportance.slice(0, 12)].map((node) => <li key={node}><button type="button" onClick={() => choose(node)}><Name node={node} most={40} /></button></li>)}</ul>
      </Section>
      <p class="hint">{model.earth && `The map: ${model.earth.made_by}. `}{model.earth ? "The embedding" : "The map"}: {positions}.{rules && rules.kept_rows < rules.rows && ` This file contains the ${number(rules.kept_rows)} strongest of ${number(rules.rows)} rows of rules.`}</p>
    </article>
  );
}

function Memory({ memory }: { memory: MemoryFinding[] }) {
  const { word } = useApp().model.facts.rules.acceptance;
  const shown = memory.length > MOST_ORDERS ? [...memory.slice(0, MOST_ORDERS - 1), together(memory.slice(MOST_ORDERS - 1))] : memory;
  const changed = memory.slice(1).reduce((sum, { share }) => sum + share, 0);
  const saved = memory.reduce((sum, one) => sum + one.bits, 0);
  return (
    <Section title="How much memory the data have">
      <p>{changed > 0
        ? <>In <b>{percent(changed)}</b> of all steps, the next node depends on more than the current one, by {word} rules. On the paths they were learned from, these rules save <b>{shortBits(saved)} bits</b> per step.</>
        : `No ${word} rule of order 2 or more: in these data, the next node depends only on the current one, as far as can be told.`}</p>
      {changed > 0 && (
        <table class="small memory">
          <thead><tr><th>Order</th><th class="wide" colSpan={2}>Share of steps</th><th>Rules</th><th title="bits per step that the rules of this order save, on the paths they were learned from">Bits saved</th></tr></thead>
          <tbody>
            {shown.map(({ order, rules, share, bits }) => (
              <tr key={order}><th scope="row">{order}{order === MOST_ORDERS && memory.length > MOST_ORDERS && "+"}</th><td class="wide"><Bar share={share} /></td><td>{percent(share)}</td><td>{number(rules)}</td><td>{order > 1 ? shortBits(bits) : "–"}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function StrongestRules({ found }: { found: RuleFinding[] }) {
  const { model, set } = useApp();
  const { word } = model.facts.rules.acceptance;
  const open = ({ context }: RuleFinding) => set({ node: context[context.length - 1], other: null, next: false, rule: context });
  return (
    <Section title={`Strongest ${word} rules`}>
      <Some of={found} row={(rule) => (
        <Finding open={() => open(rule)} extra={`seen ${times(rule.support)} · ${rule.verdict}`}>
          After {rule.context.map((node, i) => <>{i > 0 && ", then "}<Name node={node} most={40} /></>)}: <b><Name node={rule.target} most={40} /></b> {percent(rule.probability)} instead of {percent(rule.shorter)}
        </Finding>
      )} />
    </Section>
  );
}

function NodesWithMemory({ found }: { found: NodeFinding[] }) {
  const { model, choose } = useApp();
  return (
    <Section title="Nodes whose future depends most on the past">
      <Some of={found} row={({ node, bits, share, steps, rules }) => (
        <Finding open={() => choose(node)} extra={`${amount(rules, `${model.facts.rules.acceptance.word} rule`)} · ${amount(steps, "step")}`}>
          <b><Name node={node} most={40} /></b>: the past changes {percent(share)} of the steps onward and saves {shortBits(bits)} bits per step
        </Finding>
      )} />
    </Section>
  );
}

function NewPairs({ found }: { found: PairFinding[] }) {
  const { set } = useApp();
  return (
    <Section title="Pairs that only higher orders bring together">
      <Some of={found} row={({ nodes: [node, other], cosine, first_order }) => (
        <Finding open={() => set({ node, other, next: false, rule: [] })} extra={`cosine ${cosine.toFixed(2)} with higher orders, ${first_order.toFixed(2)} without`}>
          <b><Name node={node} most={40} /></b> and <b><Name node={other} most={40} /></b>
        </Finding>
      )} />
    </Section>
  );
}

function Some<T>({ of, row }: { of: T[]; row(one: T): ComponentChildren }) {
  const [most, setMost] = useState(FEW);
  return (
    <>
      <ul class="sentences">{of.slice(0, most).map((one, i) => <li key={i}>{row(one)}</li>)}</ul>
      {of.length > most && <button type="button" class="more" onClick={() => setMost(Infinity)}>{number(of.length - most)} more</button>}
    </>
  );
}

const Finding = ({ open, extra, children }: { open(): void; extra: string; children: ComponentChildren }) => (
  <button type="button" class="finding" onClick={open}><span>{children}</span><small>{extra}</small></button>
);
