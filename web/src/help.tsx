import { useEffect, useRef } from "preact/hooks";
import { TOUCH } from "./model";

const TOUCHES = [
  ["Tap", "select a node; a blank place clears the selection"],
  ["Drag, pinch", "move the map, zoom"],
  ["⇄", "beside a nearest node: why are the two close?"],
  ["Lasso", "tap its button, then draw around nodes"],
  ["What comes next", "tap the nodes of a history, one after the other"],
  ["×", "close a node, a pair or a selection"],
];

const KEYS = [
  ["/", "search"],
  ["← ↑ → ↓", "move the map"],
  ["+  −  0", "zoom in, zoom out, show the whole map"],
  ["L, or Shift and drag", "select by lasso"],
  ["Shift and click", "compare with the selected node"],
  ["O", "switch between first order and higher order"],
  ["G", "switch between the geographic map and the map of the vectors"],
  ["N", "what comes next?"],
  ["1 2 3 4", "map, table, about this model, evaluation"],
  ["Esc", "close the last panel, or clear the selection"],
  ["?", "this help"],
];

const Keys = ({ of }: { of: string[][] }) => <table class="facts"><tbody>{of.map(([key, words]) => <tr key={key}><th scope="row"><kbd>{key}</kbd></th><td>{words}</td></tr>)}</tbody></table>;

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-label="Help">
      {TOUCH && <><h2>Touch</h2><Keys of={TOUCHES} /></>}
      <h2>Keyboard shortcuts</h2>
      <Keys of={KEYS} />
      <h2>Reading the map</h2>
      <p>Every point is a node. Points that are close on the map are usually similar, but the lists are exact: they use all dimensions. If you select a node, its ten nearest nodes are circled. <b class="won">Won</b>: near each other only with higher orders. <b class="lost">Lost</b>: near each other only with first order.</p>
      <p>On the geographic map, curves are transitions: the most frequent ones, or those of the selected node, blue for leaving and orange for arriving. They bend to the left of the direction of travel.</p>
      <p>The line in a bar is the probability given the shorter context. The URL encodes the current view: copy it to show the same view to others.</p>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
