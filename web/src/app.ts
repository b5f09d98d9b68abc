// State that all parts of the page share.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Model } from "./model";
import type { State } from "./state";

export interface App {
  model: Model;
  state: State;
  dark: boolean;
  ready: boolean; // neighbours and rules are loaded
  set(change: Partial<State>): void;
  choose(node: number): void;
}

export const AppContext = createContext<App>(null!);
export const useApp = (): App => useContext(AppContext);
