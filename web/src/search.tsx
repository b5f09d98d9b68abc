// A field that finds nodes by name: the arrow keys move through the results, Enter selects one.
import { useId, useRef, useState } from "preact/hooks";
import { useApp } from "./app";
import { Name } from "./parts";

interface Props {
  label: string;
  id?: string;
  onPick(node: number): void;
  onBackspace?(): void;
}

export function Search({ label, id, onPick, onBackspace }: Props) {
  const { model } = useApp();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const found = open ? model.search(text) : [];

  const pick = (node: number | undefined) => {
    if (node === undefined) return;
    setText("");
    setOpen(false);
    onPick(node);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % Math.max(found.length, 1));
    } else if (event.key === "Enter") pick(found[at]);
    else if (event.key === "Backspace" && !text) onBackspace?.();
    else if (event.key === "Escape") {
      event.stopPropagation();
      setText("");
      setOpen(false);
      field.current?.blur();
    }
  };

  return (
    <div class="search">
      <input
        ref={field}
        id={id}
        type="search"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        placeholder={label}
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={found.length ? `${list}-${at}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onKeyDown={onKeyDown}
      />
      {open && text.trim() && (
        <ul id={list} role="listbox" class="found">
          {found.map((node, i) => (
            <li key={node} id={`${list}-${i}`} role="option" aria-selected={i === at} onMouseDown={(event) => event.preventDefault()} onClick={() => pick(node)}>
              <Name node={node} most={80} />
            </li>
          ))}
          {!found.length && <li class="none">No matching node.</li>}
        </ul>
      )}
    </div>
  );
}
