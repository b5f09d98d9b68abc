// All nodes, or those selected, as a table: an accessible alternative to the map.
import { useMemo, useState } from "preact/hooks";
import { useApp } from "./app";
import { saveCsv } from "./download";
import { amount, number } from "./model";
import { NodeLink } from "./parts";
import { inside } from "./state";

const PAGE = 50;

export function Table({ of, compact = false }: { of?: number[]; compact?: boolean }) {
  const { model, state, set } = useApp();
  const [text, setText] = useState("");
  const [sort, setSort] = useState<[column: number, down: boolean]>([-1, false]);
  const [page, setPage] = useState(0);
  const columns = compact ? model.columns.slice(0, 1) : model.columns;
  const nodes = useMemo(() => {
    const chosen = of ?? (state.lasso.length ? inside(model, state) : [...model.byImportance]);
    const found = text.trim() ? new Set(model.search(text, Infinity)) : null;
    return sorted(found ? chosen.filter((node) => found.has(node)) : chosen, sort);
  }, [of, state.lasso, state.lassoOnEarth, state.which, text, sort]);

  function sorted(chosen: number[], [column, down]: typeof sort): number[] {
    if (column < -1) return chosen;
    const value = column < 0 ? (node: number) => model.names[node] : (node: number) => model.columns[column].values[node];
    const names = new Intl.Collator();
    const compare = column < 0 ? (a: number, b: number) => names.compare(value(a) as string, value(b) as string) : (a: number, b: number) => ((value(a) as number) || 0) - ((value(b) as number) || 0);
    return chosen.slice().sort((a, b) => (down ? -1 : 1) * compare(a, b) || a - b);
  }
  const head = (name: string, column: number) => (
    <th key={column} scope="col" aria-sort={sort[0] === column ? (sort[1] ? "descending" : "ascending") : "none"}>
      <button type="button" onClick={() => setSort([column, sort[0] === column ? !sort[1] : column >= 0 && !model.columns[column].categories])}>
        {name.slice(0, 60)}<span aria-hidden="true">{sort[0] === column ? (sort[1] ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
  const pages = Math.max(1, Math.ceil(nodes.length / PAGE));
  const at = Math.min(page, pages - 1);
  return (
    <div class={compact ? "nodes" : "page nodes"}>
      {!compact && <h2>{state.lasso.length ? "Selected nodes" : "Nodes"}</h2>}
      <div class="bar-of-tools">
        <input type="search" dir="auto" placeholder="Filter by name" aria-label="Filter by name" value={text} onInput={(event) => { setText(event.currentTarget.value); setPage(0); }} />
        <span role="status">{amount(nodes.length, "node")}</span>
        <button type="button" onClick={() => saveCsv(model, nodes)}>CSV</button>
        {!compact && state.lasso.length > 0 && <button type="button" onClick={() => set({ lasso: [] })}>Show all nodes</button>}
      </div>
      <div class="scroll" tabIndex={0}>
        <table class="results">
          <thead><tr>{head("Node", -1)}{columns.map((column, i) => head(column.name, i))}</tr></thead>
          <tbody>
            {nodes.slice(at * PAGE, at * PAGE + PAGE).map((node) => (
              <tr key={node} class={node === state.node ? "chosen" : ""}>
                <th scope="row"><NodeLink node={node} most={60} /></th>
                {columns.map((column, i) => <td key={i}><bdi dir="auto">{model.shown(column, node).slice(0, 60)}</bdi></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <div class="pages">
          <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>Previous</button>
          <span>page {number(at + 1)} of {number(pages)}</span>
          <button type="button" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>Next</button>
        </div>
      )}
    </div>
  );
}
