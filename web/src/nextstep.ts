// The model of the next node, P(next | history): what NextStep of src/honem/prediction computes, from the packed counts.
import type { Numbers, Part } from "./unpack";

export interface Contribution {
  context: number[] | null; // oldest first; empty: all nodes; null: the guess from vectors
  weight: number;
  observed: number;
  fromStart: boolean;
}

export interface NextNode {
  node: number;
  probability: number;
  observed: number;
}

export interface Prediction {
  nodes: NextNode[]; // most probable first
  contributions: Contribution[]; // longest context first
  observed: number; // how often the longest context was observed
}

interface Shares {
  of: Float64Array; // of each row of a context
  leftOver: number; // what the context leaves to the shorter one
}

const CLASS_BOUNDS = [2, 3, 5, 9]; // contexts are classed by their number of distinct targets

const VECTOR_STEPS = 2 ** 20; // as in src/honem/explore/next_step.py

export class NextStep {
  private readonly symbols: Numbers; // the oldest symbol of each context but the empty one; nNodes is the start of a path
  private readonly childOffsets: Uint32Array;
  private readonly parents: Int32Array;
  private readonly orders: Uint32Array;
  private readonly depth: number;
  // The rows of context c are rowStarts[c] up to rowStarts[c] + rowAmounts[c]: how often each node came next, as
  // observed and as handed down from longer contexts.
  private readonly rowStarts: Uint32Array;
  private readonly rowAmounts: Uint32Array;
  private targets!: Uint32Array;
  private counts!: Float64Array;
  private handedDown!: Float64Array;
  private readonly orderZero: Float64Array;
  private readonly vectors: { source?: Float64Array; target?: Float64Array } = {};

  constructor(private readonly part: Part, private readonly nNodes: number) {
    const { symbols, n_children: children } = part.arrays;
    const amount = children.length;
    this.symbols = symbols;
    this.childOffsets = new Uint32Array(amount + 1).fill(1, 0, 1);
    this.parents = new Int32Array(amount).fill(-1);
    this.orders = new Uint32Array(amount);
    for (let context = 0; context < amount; context++) {
      const first = this.childOffsets[context];
      this.childOffsets[context + 1] = first + children[context];
      this.parents.fill(context, first, first + children[context]);
      this.orders.fill(this.orders[context] + 1, first, first + children[context]);
    }
    this.depth = this.orders[amount - 1];
    this.rowStarts = new Uint32Array(amount);
    this.rowAmounts = new Uint32Array(amount);
    this.sumRows();
    for (const name of ["source", "target"] as const)
      if (part.arrays[name]) this.vectors[name] = Float64Array.from(part.arrays[name], (steps) => (steps - VECTOR_STEPS) * part.values[`${name}_step`]);
    this.orderZero = this.distributionOfAll();
  }

  /** Sum the rows of each context from those of its extensions, longest contexts first. */
  private sumRows(): void {
    const { n_children: children, n_rows: amounts, targets, counts } = this.part.arrays;
    const { alpha } = this.part.values;
    const [rowTargets, rowCounts, rowDown]: number[][] = [[], [], []];
    const [sumCounts, sumDown] = [new Float64Array(this.nNodes), new Float64Array(this.nNodes)];
    let [leaf, leafEnd] = [amounts.length, targets.length];
    for (let context = children.length - 1; context >= 0; context--) {
      this.rowStarts[context] = rowTargets.length;
      if (!children[context]) {
        const first = leafEnd - amounts[--leaf];
        for (let row = first; row < leafEnd; row++) {
          rowTargets.push(targets[row]);
          rowCounts.push(counts[row]);
          rowDown.push(counts[row]);
        }
        leafEnd = first;
      } else {
        const found: number[] = [];
        // The children were visited from the last to the first, so their rows are contiguous.
        const [first, last] = [this.childOffsets[context], this.childOffsets[context + 1] - 1];
        for (let row = this.rowStarts[last]; row < this.rowStarts[first] + this.rowAmounts[first]; row++) {
          const target = rowTargets[row];
          if (!sumCounts[target]) found.push(target);
          sumCounts[target] += rowCounts[row];
          sumDown[target] += rowDown[row] ** alpha;
        }
        for (const target of found.sort((a, b) => a - b)) {
          rowTargets.push(target);
          rowCounts.push(sumCounts[target]);
          rowDown.push(sumDown[target]);
          sumCounts[target] = sumDown[target] = 0;
        }
      }
      this.rowAmounts[context] = rowTargets.length - this.rowStarts[context];
    }
    this.targets = Uint32Array.from(rowTargets);
    this.counts = Float64Array.from(rowCounts);
    this.handedDown = Float64Array.from(rowDown);
  }

  /**
   * The k most probable nodes after a history, oldest node first. What comes before an unknown node, null, is not used.
   * Equally probable nodes are in the order of their numbers.
   */
  predict(history: (number | null)[], k: number, fromStart = false): Prediction {
    const used = history.slice(-this.depth);
    const known = used.slice(used.lastIndexOf(null) + 1) as number[];
    const isWhole = known.length === history.length;
    const longest = this.find(known, isWhole && fromStart);
    // If nothing is known about what came before a history that was observed as a whole, its counts as observed count.
    const asObserved = isWhole && !fromStart && longest > 0 && this.orders[longest] === known.length;
    const last = known.length ? known[known.length - 1] : null;
    const contributions: Contribution[] = [];
    const found = new Float64Array(this.nNodes);
    let weight = 1;
    for (let context = longest; context > 0; context = this.parents[context]) {
      const { of, leftOver } = this.shares(context, asObserved && context === longest);
      of.forEach((share, row) => (found[this.targets[this.rowStarts[context] + row]] += weight * share));
      contributions.push(this.contribution(context, weight * (1 - leftOver)));
      weight *= leftOver;
    }
    this.base(last).forEach((share, node) => (found[node] += weight * share));
    const guessed = last !== null && this.part.arrays.source ? this.part.values.base_share : 0;
    contributions.push(this.contribution(0, weight * (1 - guessed)));
    if (guessed) contributions.push({ context: null, weight: weight * guessed, observed: 0, fromStart: false });
    const order = [...found.keys()].sort((a, b) => found[b] - found[a] || a - b).slice(0, k);
    const nodes = order.map((node) => ({ node, probability: found[node], observed: this.count(longest, node) }));
    return { nodes, contributions, observed: contributions[0].observed };
  }

  /** The longest suffix of a history that is a context. */
  private find(history: number[], begins: boolean): number {
    const symbols = [...(begins && history.length ? [this.nNodes] : []), ...history].reverse();
    let context = 0;
    for (const symbol of symbols) {
      const child = this.child(context, symbol);
      if (child < 0) break;
      context = child;
    }
    return context;
  }

  private child(context: number, symbol: number): number {
    let [low, high] = [this.childOffsets[context], this.childOffsets[context + 1]];
    const end = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.symbols[middle - 1] < symbol) low = middle + 1;
      else high = middle;
    }
    return low < end && this.symbols[low - 1] === symbol ? low : -1;
  }

  /** The discounted share of each row of a context, and what it leaves to the shorter context. */
  private shares(context: number, asObserved = false): Shares {
    const [start, amount] = [this.rowStarts[context], this.rowAmounts[context]];
    const rows = (asObserved ? this.counts : this.handedDown).subarray(start, start + amount);
    const kind = this.orders[context] * (CLASS_BOUNDS.length + 1) + CLASS_BOUNDS.filter((bound) => bound <= amount).length;
    const discounts = this.part.arrays.discounts.subarray(3 * kind, 3 * kind + 3);
    const taken = rows.map((count) => discountOf(count, discounts));
    const strength = this.part.arrays.strengths[kind];
    const whole = sum(rows) + strength;
    return { of: rows.map((count, row) => (count - taken[row]) / whole), leftOver: (strength + sum(taken)) / whole };
  }

  /** The distribution that contexts of order 1 back off to: order 0, mixed with what vectors say about the last node. */
  private base(last: number | null): Float64Array {
    const { source, target = source } = this.vectors;
    if (last === null || !source || !target) return this.orderZero;
    const { base_share: share, popularity, affinity } = this.part.values;
    const width = source.length / this.nNodes;
    const logits = this.orderZero.map((probability, node) => {
      let score = 0;
      for (let i = 0; i < width; i++) score += source[last * width + i] * target[node * width + i];
      return popularity * Math.log(probability) + affinity * score;
    });
    const highest = logits.reduce((most, logit) => Math.max(most, logit), -Infinity);
    const powers = logits.map((logit) => Math.exp(logit - highest));
    const total = sum(powers);
    return powers.map((power, node) => (share * power) / total + (1 - share) * this.orderZero[node]);
  }

  private distributionOfAll(): Float64Array {
    const { of, leftOver } = this.shares(0);
    const found = new Float64Array(this.nNodes).fill(leftOver / this.nNodes);
    of.forEach((share, row) => (found[this.targets[this.rowStarts[0] + row]] += share));
    return found;
  }

  private contribution(context: number, weight: number): Contribution {
    const start = this.rowStarts[context];
    const nodes: number[] = [];
    for (let at = context; at > 0; at = this.parents[at]) nodes.push(this.symbols[at - 1]);
    const fromStart = nodes[0] === this.nNodes;
    return {
      context: fromStart ? nodes.slice(1) : nodes,
      weight,
      observed: sum(this.counts.subarray(start, start + this.rowAmounts[context])),
      fromStart,
    };
  }

  /** How often a node was observed after a context. */
  private count(context: number, node: number): number {
    const [start, amount] = [this.rowStarts[context], this.rowAmounts[context]];
    const row = this.targets.subarray(start, start + amount).indexOf(node);
    return row < 0 ? 0 : this.counts[start + row];
  }
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** The discount of a count: that of 1, 2, or 3 and more, and in between by interpolation. */
function discountOf(count: number, [first, second, third]: Numbers): number {
  if (count < 2) return first * (2 - count) + second * (count - 1);
  if (count < 3) return second * (3 - count) + third * (count - 2);
  return third;
}
