import { useEffect, useRef } from "preact/hooks";

const KEYS = [
  ["/", "search"],
  ["← ↑ → ↓", "move the map"],
  ["+  −  0", "zoom in, out, whole map"],
  ["L, or Shift and drag", "select by lasso"],
  ["Shift and click", "compare with the chosen node"],
  ["O", "first order / higher order"],
  ["N", "what comes next?"],
  ["1 2 3 4", "map, table, overview, evaluation"],
  ["Esc", "close what was opened last"],
  ["?", "this help"],
];

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-label="Help">
      <h2>Keys</h2>
      <table class="facts"><tbody>{KEYS.map(([key, words]) => <tr key={key}><th scope="row"><kbd>{key}</kbd></th><td>{words}</td></tr>)}</tbody></table>
      <h2>Reading the map</h2>
      <p>Every point is a node. Near on the map mostly means alike, but the lists tell it exactly: they are made in all dimensions. Choose a node and its ten nearest are ringed. <b class="won">Won</b>: only the higher orders bring the two together. <b class="lost">Lost</b>: only first order would.</p>
      <p>In a bar, the line is what the shorter history says. The address holds what you see: copy it to show it to others.</p>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
