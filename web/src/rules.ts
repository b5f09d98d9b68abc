// The rules, in the columns in which they are stored, and queries on them. Contexts are oldest first.
import type { Numbers, Part } from "./unpack";

export interface Step {
  target: number;
  count: number;
  probability: number;
}

export interface Transition {
  from: number;
  to: number;
  count: number;
}

export interface Branch {
  context: number[];
  rule: number; // -1 if only longer contexts are rules
}

export class Rules {
  readonly size: number;
  readonly maxOrder: number;
  readonly supports: Float64Array;
  /** The criterion's words on a rule of order 2 or more. */
  readonly verdict: (rule: number) => string;
  /** Evidence and q-value, as far as the verdict does not contain them and they are known. */
  readonly detail: (rule: number) => string;
  private readonly orderStart: number[] = [0, 0];
  private readonly contexts: Numbers[] = [];
  private readonly offsets: Uint32Array;
  private readonly targets: Numbers;
  private readonly counts: Numbers;
  private readonly strengths: Numbers;
  private readonly isAccepted: Numbers;
  private rowsByTarget: { offsets: Uint32Array; rows: Uint32Array } | null = null;

  constructor(part: Part, readonly nNodes: number) {
    const amounts = part.values.by_order as Record<string, number>;
    this.maxOrder = Math.max(0, ...Object.keys(amounts).map(Number));
    for (let order = 1; order <= this.maxOrder; order++) {
      this.orderStart[order + 1] = this.orderStart[order] + (amounts[order] ?? 0);
      this.contexts[order] = part.arrays[`context${order}`] ?? new Uint8Array(0);
    }
    this.size = this.orderStart[this.maxOrder + 1] ?? 0;
    const none = new Uint8Array(0);
    const { sizes = none, targets = none, counts = none, strengths = none, accepted = none } = part.arrays;
    [this.targets, this.counts, this.strengths, this.isAccepted] = [targets, counts, strengths, accepted];
    const texts = (name: string) => (rule: number): string => part.values[name][part.arrays[name][rule]];
    [this.verdict, this.detail] = [texts("verdicts"), texts("details")];
    this.offsets = new Uint32Array(this.size + 1);
    this.supports = new Float64Array(this.size);
    for (let rule = 0; rule < this.size; rule++) {
      const start = this.offsets[rule];
      this.offsets[rule + 1] = start + sizes[rule];
      for (let row = start; row < start + sizes[rule]; row++) this.supports[rule] += counts[row];
    }
  }

  order(rule: number): number {
    let order = 1;
    while (rule >= this.orderStart[order + 1]) order++;
    return order;
  }

  context(rule: number): number[] {
    const order = this.order(rule);
    const amount = this.orderStart[order + 1] - this.orderStart[order];
    const place = rule - this.orderStart[order];
    return Array.from({ length: order }, (_, i) => this.contexts[order][(order - 1 - i) * amount + place]);
  }

  /** By what the rules of a node are ranked, in tenths of bits. */
  strength(rule: number): number {
    return this.strengths[rule];
  }

  accepted(rule: number): boolean {
    return this.isAccepted[rule] === 1;
  }

  /** The next nodes, most likely first. */
  steps(rule: number, most = Infinity): Step[] {
    const found: Step[] = [];
    for (let row = this.offsets[rule]; row < this.offsets[rule + 1]; row++)
      found.push({ target: this.targets[row], count: this.counts[row], probability: this.counts[row] / this.supports[rule] });
    found.sort((a, b) => b.count - a.count || a.target - b.target);
    return found.slice(0, most);
  }

  probability(rule: number, target: number): number {
    let [low, high] = [this.offsets[rule], this.offsets[rule + 1]];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.targets[middle] < target) low = middle + 1;
      else high = middle;
    }
    return low < this.offsets[rule + 1] && this.targets[low] === target ? this.counts[low] / this.supports[rule] : 0;
  }

  /** The rule of a context, or -1. */
  find(context: number[]): number {
    if (context.length < 1 || context.length > this.maxOrder) return -1;
    const [low, high] = this.range(context.length, context);
    return low < high ? low : -1;
  }

  /** The longest proper suffix of a rule's context that is a rule, or -1. */
  shorter(rule: number): number {
    const context = this.context(rule);
    for (let start = 1; start < context.length; start++) {
      const found = this.find(context.slice(start));
      if (found >= 0) return found;
    }
    return -1;
  }

  /** The rules of one order whose contexts end in a suffix: they are contiguous. */
  range(order: number, suffix: number[]): [number, number] {
    const start = this.orderStart[order];
    const amount = this.orderStart[order + 1] - start;
    let [low, high] = [0, amount];
    for (let place = 0; place < suffix.length; place++) {
      const column = place * amount;
      const node = suffix[suffix.length - 1 - place];
      low = this.search(order, column, low, high, node);
      high = this.search(order, column, low, high, node + 1);
    }
    return [start + low, start + high];
  }

  private search(order: number, column: number, low: number, high: number, node: number): number {
    const values = this.contexts[order];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[column + middle] < node) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All rules whose context ends at a node, order by order. */
  at(node: number): number[] {
    const found: number[] = [];
    for (let order = 1; order <= this.maxOrder; order++) {
      const [low, high] = this.range(order, [node]);
      for (let rule = low; rule < high; rule++) found.push(rule);
    }
    return found;
  }

  /** The contexts that are one node longer, largest support first. */
  branches(context: number[]): Branch[] {
    const older = new Set<number>();
    for (let order = context.length + 1; order <= this.maxOrder; order++) {
      const [low, high] = this.range(order, context);
      const amount = this.orderStart[order + 1] - this.orderStart[order];
      for (let rule = low; rule < high; rule++)
        older.add(this.contexts[order][context.length * amount + rule - this.orderStart[order]]);
    }
    const found = [...older].map((node) => ({ context: [node, ...context], rule: this.find([node, ...context]) }));
    return found.sort((a, b) => (this.supports[b.rule] ?? 0) - (this.supports[a.rule] ?? 0));
  }

  /** Rules that begin at one node and have another as a target: they determine the entry of this pair in the matrix. */
  between(from: number, to: number): { rule: number; count: number }[] {
    const found: { rule: number; count: number }[] = [];
    this.eachRowTo(to, (row, rule) => {
      const order = this.order(rule);
      const amount = this.orderStart[order + 1] - this.orderStart[order];
      if (this.contexts[order][(order - 1) * amount + rule - this.orderStart[order]] === from)
        found.push({ rule, count: this.counts[row] });
    });
    return found.sort((a, b) => b.count - a.count || a.rule - b.rule);
  }

  /** The direct steps between different nodes with the largest counts. */
  busiest(most: number): Transition[] {
    const found: Transition[] = [];
    for (let rule = 0; rule < this.orderStart[2]; rule++)
      for (let row = this.offsets[rule]; row < this.offsets[rule + 1]; row++)
        if (this.targets[row] !== this.contexts[1][rule]) found.push({ from: this.contexts[1][rule], to: this.targets[row], count: this.counts[row] });
    return found.sort((a, b) => b.count - a.count || a.from - b.from || a.to - b.to).slice(0, most);
  }

  /** The previous nodes by direct steps, largest count first. */
  origins(node: number): Step[] {
    const found: Step[] = [];
    this.eachRowTo(node, (row, rule) => {
      if (rule < this.orderStart[2])
        found.push({ target: this.contexts[1][rule], count: this.counts[row], probability: this.counts[row] / this.supports[rule] });
    });
    return found.sort((a, b) => b.count - a.count || a.target - b.target);
  }

  private eachRowTo(node: number, tell: (row: number, rule: number) => void): void {
    const { offsets, rows } = (this.rowsByTarget ??= this.sortRows());
    for (let i = offsets[node]; i < offsets[node + 1]; i++) tell(rows[i], this.ruleOfRow(rows[i]));
  }

  private ruleOfRow(row: number): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle + 1] <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private sortRows() {
    const offsets = new Uint32Array(this.nNodes + 2);
    for (const target of this.targets) offsets[target + 2]++;
    for (let i = 2; i < offsets.length; i++) offsets[i] += offsets[i - 1];
    const rows = new Uint32Array(this.targets.length);
    for (let row = 0; row < rows.length; row++) rows[offsets[this.targets[row] + 1]++] = row;
    return { offsets, rows };
  }
}
