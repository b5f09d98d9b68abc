// The nodes inside the lasso: how many, of what kinds, and which.
import { useApp } from "./app";
import { categoryColor } from "./colors";
import { amount as amountOf, number } from "./model";
import { Section } from "./parts";
import { inside } from "./state";
import { Table } from "./table";

export function SelectionPanel() {
  const { model, state, set, dark } = useApp();
  const nodes = inside(model, state);
  const column = model.columns[state.color];
  const amounts = new Map<number, number>();
  if (column.categories) for (const node of nodes) amounts.set(column.values[node], (amounts.get(column.values[node]) ?? 0) + 1);
  const kinds = [...amounts].sort((a, b) => b[1] - a[1]).slice(0, 6);
  return (
    <article class="node">
      <header>
        <h2>{amountOf(nodes.length, "node")} selected</h2>
        <button type="button" class="close" aria-label="Close" title="Close (Esc)" onClick={() => set({ lasso: [] })}>×</button>
      </header>
      {kinds.length > 0 && (
        <Section title={column.name}>
          <ol class="rows">
            {kinds.map(([place, amount]) => (
              <li key={place}>
                <bdi dir="auto" class="name">{place ? column.categories![place - 1].slice(0, 80) : "none"}</bdi>
                <span class="bar"><span class="fill" style={{ width: `${(100 * amount) / nodes.length}%`, background: categoryColor(place, dark) }} /></span>
                <span class="value">{number(amount)}</span>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Table of={nodes} compact />
    </article>
  );
}
