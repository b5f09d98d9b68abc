// Small pieces that many panels use. Names are data: they only ever become text.
import type { ComponentChildren } from "preact";
import { useApp } from "./app";
import { times } from "./model";
import type { Rules } from "./rules";

const SHOWN_LETTERS = 160;

export function nameOf(text: string, most = SHOWN_LETTERS): string {
  if (!text.trim()) return text ? "(blank name)" : "(empty name)";
  return text.length > most ? `${[...text.slice(0, most)].join("")}…` : text;
}

export function Name({ node, most }: { node: number; most?: number }) {
  const { model } = useApp();
  const text = model.names[node];
  return <bdi dir="auto" class={text.trim() ? "name" : "name blank"}>{nameOf(text, most)}</bdi>;
}

export function NodeLink({ node, most }: { node: number; most?: number }) {
  const { choose } = useApp();
  return <button type="button" class="link" onClick={() => choose(node)}><Name node={node} most={most} /></button>;
}

export function Bar({ share, tick, kind = "" }: { share: number; tick?: number; kind?: string }) {
  const wide = (at: number) => `${Math.min(Math.max(at, 0), 1) * 100}%`;
  return (
    <span class={`bar ${kind}`} aria-hidden="true">
      <span class="fill" style={{ width: wide(share) }} />
      {tick !== undefined && <span class="tick" style={{ left: wide(tick) }} />}
    </span>
  );
}

export function Section({ title, note, open = true, children }: { title: string; note?: string; open?: boolean; children: ComponentChildren }) {
  return (
    <details class="section" open={open}>
      <summary><h3>{title}</h3>{note && <span class="note">{note}</span>}</summary>
      {children}
    </details>
  );
}

/** How often a context was seen, and why it is a rule. */
export function Standing({ rule, rules }: { rule: number; rules: Rules }) {
  const { word } = useApp().model.facts.rules.acceptance;
  const seen = `seen ${times(rules.supports[rule])}`;
  if (rules.order(rule) === 1) return <small>{seen}</small>;
  if (rules.accepted(rule)) return <small title={rules.detail(rule) || undefined}>{seen} · {rules.verdict(rule)}</small>;
  return <small title={[rules.verdict(rule), rules.detail(rule)].filter(Boolean).join(", ")}>{seen} · kept only as a lower order of {word} rules</small>;
}
