import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { About } from "./about";
import { AppContext, useApp, type App } from "./app";
import { Evaluation } from "./evaluation";
import { Findings } from "./findings";
import { Help } from "./help";
import type { MapView } from "./map";
import { MapPane } from "./mapview";
import { Model, number } from "./model";
import { NextPanel, predictor } from "./next";
import { NodePanel } from "./node";
import { PairPanel } from "./pair";
import { Search } from "./search";
import { SelectionPanel } from "./selection";
import { fromHash, toHash, VIEWS, type State, type View } from "./state";
import { Table } from "./table";

const NAMES: Record<View, string> = { map: "Map", table: "Table", about: "About this model", evaluation: "Evaluation" };

function Page({ model }: { model: Model }) {
  const [state, setState] = useState<State>(() => fromHash(location.hash, model));
  const [ready, setReady] = useState(false);
  const [dark, toggleDark] = useDark();
  const [help, setHelp] = useState(false);
  const map = useRef<MapView | null>(null);

  useEffect(() => {
    model.readRest().then(() => {
      Object.assign(globalThis, { honem: { predict: predictor(model), map: map.current } });
      setReady(true);
    });
  }, []);
  const set = useCallback((change: Partial<State>) => setState((before) => ({ ...before, ...change })), []);
  const choose = useCallback((node: number) => {
    set({ node, other: null, next: false, rule: [] });
  }, []);
  useAddress(model, state, setState);
  const app: App = useMemo(() => ({ model, state, dark, ready, set, choose }), [state, dark, ready]);
  useKeys(app, map, setHelp);

  const views = VIEWS.filter((view) => view !== "evaluation" || model.facts.evaluation.length);
  return (
    <AppContext.Provider value={app}>
      <header class="top">
        <h1><span class="brand">honem</span> <bdi dir="auto" class="title">{model.title}</bdi></h1>
        <Search label={`Search ${number(model.size)} nodes`} id="search" onPick={choose} />
        <nav aria-label="Views">
          {views.map((view) => <button type="button" key={view} aria-current={state.view === view ? "page" : undefined} onClick={() => set({ view })}>{NAMES[view]}</button>)}
        </nav>
        <div class="extras">
          <button type="button" aria-label={dark ? "Light colours" : "Dark colours"} title={dark ? "Light colours" : "Dark colours"} onClick={toggleDark}>{dark ? "☀" : "☾"}</button>
          <button type="button" aria-label="Help" title="Help (?)" onClick={() => setHelp(true)}>?</button>
        </div>
      </header>
      <main class={`view-${state.view}`} data-ready={ready}>
        <div class="stage">
          <div class="pane" hidden={state.view !== "map"}><MapPane onMap={(made) => (map.current = made)} /></div>
          {state.view === "table" && <Table />}
          {state.view === "about" && <About />}
          {state.view === "evaluation" && (views.includes("evaluation") ? <Evaluation /> : <p class="page">No evaluation results were given. Add them with <code>honem explore DIR --evaluation FOLDER</code>.</p>)}
        </div>
        {(state.view === "map" || state.view === "table") && <Panel />}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </AppContext.Provider>
  );
}

function Panel() {
  const { model, state, set } = useApp();
  const tab = (next: boolean, words: string) => <button type="button" role="tab" aria-selected={state.next === next} onClick={() => set({ next })}>{words}</button>;
  return (
    <aside aria-label="Details">
      <div class="tabs" role="tablist">{tab(false, state.other !== null ? "Two nodes" : state.node !== null ? "Node" : state.lasso.length ? "Selection" : "Findings")}{model.facts.rules && tab(true, "What comes next")}</div>
      {state.next ? <NextPanel /> : state.node !== null && state.other !== null ? <PairPanel from={state.node} to={state.other} /> : state.node !== null ? <NodePanel node={state.node} /> : state.lasso.length ? <SelectionPanel /> : <Findings />}
    </aside>
  );
}

/** The URL encodes the current view; selecting a node adds a step to the history, which Back undoes. */
function useAddress(model: Model, state: State, setState: (state: State) => void): void {
  const last = useRef(state);
  useEffect(() => {
    const hash = toHash(state, model);
    const step = state.node !== last.current.node || state.other !== last.current.other || state.view !== last.current.view;
    last.current = state;
    if (hash === location.hash.replace(/^#/, "")) return;
    const address = hash ? `#${hash}` : location.pathname + location.search;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }, [state]);
  useEffect(() => {
    const follow = () => {
      const hash = location.hash.replace(/^#/, "");
      if (hash === toHash(last.current, model)) return;
      last.current = fromHash(hash, model);
      setState(last.current);
    };
    for (const event of ["popstate", "hashchange"]) addEventListener(event, follow);
    return () => ["popstate", "hashchange"].forEach((event) => removeEventListener(event, follow));
  }, []);
}

function useDark(): [boolean, () => void] {
  const asked = matchMedia("(prefers-color-scheme: dark)");
  const [dark, setDark] = useState(asked.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  useEffect(() => {
    const follow = () => setDark(asked.matches);
    asked.addEventListener("change", follow);
    return () => asked.removeEventListener("change", follow);
  }, []);
  return [dark, () => setDark(!dark)];
}

function useKeys(app: App, map: { current: MapView | null }, setHelp: (open: boolean) => void): void {
  const current = useRef(app);
  current.current = app;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { state, set, model } = current.current;
      const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = VIEWS["1234".indexOf(event.key)];
      if (event.key === "/") document.getElementById("search")?.focus();
      else if (event.key === "?") setHelp(true);
      else if (event.key === "Escape") set(state.next ? { next: false } : state.other !== null ? { other: null } : state.node !== null ? { node: null } : { lasso: [], category: null });
      else if (event.key === "o" && model.hasFirstOrder) set({ which: state.which ? 0 : 1 });
      else if (event.key === "g" && model.earth) set({ earth: !state.earth, camera: null });
      else if (event.key === "n" && model.facts.rules) {
        set({ next: true });
        setTimeout(() => document.getElementById("history")?.focus());
      } else if (event.key === "l" && state.view === "map") document.getElementById("lasso")?.click();
      else if (event.key === "0") {
        map.current?.look(null);
        set({ camera: null });
      } else if (view && (view !== "evaluation" || model.facts.evaluation.length)) set({ view });
      else if (event.key.startsWith("Arrow") && event.target === document.body && state.view === "map") {
        const steps: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
        map.current?.panBy(...steps[event.key]);
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

const root = document.getElementById("app")!;
Model.read().then(
  (model) => {
    root.textContent = "";
    render(<Page model={model} />, root);
  },
  (error) => {
    root.textContent = `Cannot show this page: ${error instanceof Error ? error.message : error}. A browser of 2023 or newer is required.`;
  },
);
