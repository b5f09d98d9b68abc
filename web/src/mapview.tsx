// The map with its tools and legend.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useApp } from "./app";
import { categoryColor, LEGEND_COLORS, rampColor, Scale } from "./colors";
import { copyLink, saveCsv, savePng, saveSvg, type Legend as PictureLegend } from "./download";
import { isRuleShown } from "./flows";
import { MapView } from "./map";
import { amount, number, type Column } from "./model";
import { nameOf } from "./parts";
import { inside } from "./state";

export function MapPane({ onMap }: { onMap(map: MapView): void }) {
  const app = useApp();
  const { model, state, set, dark } = app;
  const box = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLCanvasElement>(null);
  const points = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const map = useRef<MapView | null>(null);
  const current = useRef(app);
  current.current = app;
  const [lassoing, setLassoing] = useState(false);
  const takeLasso = (taken: boolean) => {
    map.current!.lassoing = taken; // at once: the pointer may be down before the page is drawn again
    setLassoing(taken);
  };

  useEffect(() => {
    const pick = (node: number | null, second: boolean) => {
      const { state, set, choose } = current.current;
      if (state.next) {
        if (node !== null) set({ history: [...state.history, node] });
      } else if (node === null) set({ node: null, other: null, rule: [] });
      else if (second && state.node !== null && node !== state.node) set({ other: node, next: false });
      else choose(node);
    };
    const lasso = (polygon: number[]) => {
      takeLasso(false);
      current.current.set({ lasso: polygon.length >= 6 ? polygon : [], lassoOnEarth: current.current.state.earth, node: null, other: null, next: false });
    };
    const moved = (camera: [number, number, number]) => current.current.set({ camera });
    map.current = new MapView(model, box.current!, { ground: ground.current!, points: points.current!, overlay: overlay.current! }, tip.current!, { pick, lasso, moved });
    onMap(map.current);
  }, []);
  useEffect(() => map.current?.update(state, dark), [state, dark, app.ready]);

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (steps[event.key]) map.current?.panBy(...steps[event.key]);
    else if (event.key === "+" || event.key === "=") map.current?.zoomBy(1.5);
    else if (event.key === "-") map.current?.zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
  };
  const [copied, setCopied] = useState(false);
  const copy = () => copyLink().then(() => {
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  });

  return (
    <div class="map" ref={box}>
      <canvas ref={ground} class="ground" aria-hidden="true" />
      <canvas ref={points} class="points" aria-hidden="true" />
      <canvas
        ref={overlay}
        class="over"
        tabIndex={0}
        role="application"
        aria-label="Map of all nodes. The arrow keys move it, plus and minus zoom. The Table view lists the same nodes."
        onKeyDown={onKeyDown}
      />
      <div class="tip" dir="auto" hidden ref={tip} />
      <div class="tools">
        <label class="color">
          <span>Colour</span>
          <select aria-label="Colour" value={state.color} onChange={(event) => set({ color: Number(event.currentTarget.value), category: null })}>
            <ColumnOptions label="Found" of={(column) => column.group === "own" && column.name !== "highest order"} />
            <ColumnOptions label="Labels" of={(column) => !column.group} />
            <ColumnOptions label="Memory" of={isMemory} />
            <ColumnOptions label="Profile" of={(column) => column.group === "profile" && !isMemory(column)} />
          </select>
        </label>
        {model.earth && (
          <div class="switch" role="group" aria-label="Which map">
            <button type="button" title="Where nodes are on the earth (G)" aria-pressed={state.earth} onClick={() => set({ earth: true, camera: null })}>Geographic</button>
            <button type="button" title="Nodes with similar vectors are close together (G)" aria-pressed={!state.earth} onClick={() => set({ earth: false, camera: null })}>Embedding</button>
          </div>
        )}
        {state.earth && model.facts.rules && <button type="button" class="flows" title="Transitions as curves, which bend to the left of the direction of travel" aria-pressed={state.flows} onClick={() => set({ flows: !state.flows })}>Flows</button>}
        {model.hasFirstOrder && (
          <div class="switch" role="group" aria-label="Which embedding">
            <button type="button" aria-pressed={state.which === 1} onClick={() => set({ which: 1 })}>First order</button>
            <button type="button" aria-pressed={state.which === 0} onClick={() => set({ which: 0 })}>Higher order</button>
          </div>
        )}
      </div>
      <div class="zoom" role="group" aria-label="Map">
        <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => map.current?.zoomBy(1.6)}>+</button>
        <button type="button" title="Zoom out (-)" aria-label="Zoom out" onClick={() => map.current?.zoomBy(1 / 1.6)}>−</button>
        <button type="button" title="Whole map (0)" aria-label="Whole map" onClick={() => { map.current?.look(null); set({ camera: null }); }}>⤢</button>
        <button type="button" title="Select by lasso (L, or Shift and drag)" aria-label="Select by lasso" aria-pressed={lassoing} onClick={() => takeLasso(!lassoing)} id="lasso">
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 3c4.4 0 7.5 2 7.5 4.8S14.400 12.500 10 12.500 2.500 10.600 2.500 7.800 5.600 3 10 3ZM6 12c-1.500.8-1.800 2.300-.6 3 1 .6 2.200 0 2 1.800" /></svg>
        </button>
        <details class="menu">
          <summary title="Share and download" aria-label="Share and download">↓</summary>
          <div>
            <button type="button" onClick={copy}>{copied ? "Link copied" : "Copy link to this view"}</button>
            <button type="button" onClick={() => savePng(map.current!, legendOf(app))}>Map as PNG</button>
            <button type="button" onClick={() => saveSvg(map.current!, legendOf(app))}>Map as SVG</button>
            <button type="button" onClick={() => saveCsv(model, chosen(app))}>{state.lasso.length ? "Selected nodes as CSV" : "Nodes as CSV"}</button>
          </div>
        </details>
      </div>
      <Legend />
    </div>
  );
}

/** What colours nodes by how much their future depends on the past. */
const isMemory = ({ group, name }: Column): boolean => (group === "own" && name === "highest order") || (group === "profile" && /^(rules|bits saved)/.test(name));

function ColumnOptions({ label, of }: { label: string; of(column: Column): boolean }) {
  const { model } = useApp();
  const options = model.columns.map((column, i) => of(column) && <option key={i} value={i} title={column.meaning || undefined}>{column.name.slice(0, 60)}</option>).filter(Boolean);
  return options.length ? <optgroup label={label}>{options}</optgroup> : null;
}

const chosen = ({ model, state }: ReturnType<typeof useApp>): Iterable<number> =>
  state.lasso.length ? inside(model, state) : model.names.keys();

/** Legend and caption of a picture of the current view. */
function legendOf({ model, state, dark }: ReturnType<typeof useApp>): PictureLegend {
  const column = model.columns[state.color];
  const chosen = [state.node, state.other].filter((node) => node !== null).map((node) => nameOf(model.names[node], 40));
  const view = state.earth ? "geographic map" : state.which ? "first-order embedding" : "embedding";
  const caption = [`${model.title}: ${amount(model.size, "node")}`, view, ...chosen, `colour: ${column.name}`, "made with honem"].join(" · ");
  if (!column.categories) {
    const scale = new Scale(column);
    return { caption, entries: [0, 0.5, 1].map((share) => ({ color: rampColor(share), text: number(scale.value(share)) })) };
  }
  const shown = column.categories.slice(0, LEGEND_COLORS).map((text, i) => ({ color: categoryColor(i + 1, dark), text: nameOf(text, 34) }));
  return { caption, entries: [...shown, ...(column.categories.length > LEGEND_COLORS ? [{ color: categoryColor(0, dark), text: "others" }] : [])] };
}

const FlowKey = () => <p class="flow-key"><i class="out" />leaving <i class="in" />arriving</p>;

const WIDE = matchMedia("(min-width: 46rem)").matches;

function Legend() {
  const { model, state, set, dark } = useApp();
  const column = model.columns[state.color];
  const hasFlows = state.earth && state.flows && state.node !== null && !state.next && !isRuleShown(model, state);
  const [all, setAll] = useState(false);
  const [amounts, scale] = useMemo(() => {
    const amounts = new Map<number, number>();
    for (const value of column.values) amounts.set(value, (amounts.get(value) ?? 0) + 1);
    return [amounts, new Scale(column)];
  }, [column]);
  if (!column.categories) {
    const shades = [0, 0.2, 0.4, 0.6, 0.8, 1].map(rampColor).join(", ");
    return (
      <details class="legend" open={WIDE}>
        <summary>{column.name}{scale.isLog && " (log)"}</summary>
        <span class="ramp" style={{ background: `linear-gradient(90deg, ${shades})` }} />
        <span class="ends"><span>{number(scale.low)}</span><span>{number(scale.high)}</span></span>
        {column.meaning && <p class="meaning">{column.meaning}</p>}
        {hasFlows && <FlowKey />}
      </details>
    );
  }
  const places = column.categories.map((_, i) => i + 1).filter((place) => amounts.get(place));
  const shown = all ? places.slice(0, 300) : places.slice(0, LEGEND_COLORS);
  const isOther = (place: number) => place > LEGEND_COLORS;
  return (
    <details class="legend" open={WIDE}>
      <summary>{column.name}</summary>
      <ul>
        {shown.map((place) => (
          <li key={place}>
            <button type="button" aria-pressed={state.category === place} onClick={() => set({ category: state.category === place ? null : place })}>
              <i style={{ background: categoryColor(place, dark) }} />
              <bdi dir="auto" title={column.categories![place - 1].slice(0, 300)}>{column.categories![place - 1].slice(0, 60)}</bdi>
              <small>{number(amounts.get(place)!)}</small>
            </button>
          </li>
        ))}
        {places.some(isOther) && (
          <li><button type="button" class="more" onClick={() => setAll(!all)}>
            <i style={{ background: categoryColor(0, dark) }} />
            {all ? "Show fewer" : `${number(places.filter(isOther).length)} more`}
          </button></li>
        )}
        {!!amounts.get(0) && <li class="none"><i style={{ background: categoryColor(0, dark) }} />none <small>{number(amounts.get(0)!)}</small></li>}
      </ul>
      {hasFlows && <FlowKey />}
    </details>
  );
}
