"""The profile of nodes by loops over sequences and rules, column by column as docs/profile.md defines them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable
from itertools import pairwise

from honem import Corpus, RuleTable

Node = Hashable
Path = tuple[Node, ...]


def naive_profile(corpus: Corpus, rules: RuleTable) -> dict[Node, dict[str, float]]:
    """Every column of every node; rules must hold all accepted contexts and all counts."""
    paths = [(path, int(weight)) for path, weight in zip(corpus.sequences(), corpus.weights, strict=True) if path]
    steps: Counter[tuple[Node, Node]] = Counter()
    for path, weight in paths:
        for pair in pairwise(path):
            steps[pair] += weight
    accepted = {rule.context: rule for rule in rules if rule.accepted}
    trusted = [context for context in accepted if len(context) > 1]
    changed, saved = coded_steps(paths, {context: theirs(accepted[context]) for context in accepted})
    return {
        node: one_row(node, paths, steps, list(accepted), trusted)
        | {
            "changed_share": share(changed[node], sum(n for (a, _), n in steps.items() if a == node)),
            "bits_saved": saved[node],
            "bits_saved_per_step": share(saved[node], sum(n for (a, _), n in steps.items() if a == node)),
            "bits_given": sum(accepted[c].support * accepted[c].divergence for c in trusted if c[0] == node),
        }
        for node in corpus.vocabulary
    }


def one_row(
    node: Node,
    paths: list[tuple[Path, int]],
    steps: Counter[tuple[Node, Node]],
    accepted: list[Path],
    trusted: list[Path],
) -> dict[str, float]:
    """The columns that need no code lengths."""
    onward = {b: n for (a, b), n in steps.items() if a == node}
    back = {a: n for (a, b), n in steps.items() if b == node}
    visits = sum(path.count(node) * weight for path, weight in paths)
    starts = sum(weight for path, weight in paths if path[0] == node)
    ends = sum(weight for path, weight in paths if path[-1] == node)
    matched = sum(min(onward[other], back[other]) for other in onward if other in back)
    row: dict[str, float] = {
        "visits": visits,
        "strength_in": sum(back.values()),
        "strength_out": sum(onward.values()),
        "predecessors": len(back),
        "successors": len(onward),
        "entropy_in": entropy(back),
        "entropy_out": entropy(onward),
        "starts": starts,
        "ends": ends,
        "start_share": share(starts, visits),
        "end_share": share(ends, visits),
        "reciprocity": share(2 * matched, sum(onward.values()) + sum(back.values())),
        "highest_order": max((len(context) for context in accepted if context[-1] == node), default=0),
    }
    for place, end in (("newest", -1), ("oldest", 0)):
        orders = [len(context) for context in trusted if context[end] == node]
        row |= {f"rules_{place}_2": orders.count(2), f"rules_{place}_3": orders.count(3)}
        row[f"rules_{place}_4_up"] = sum(order > 3 for order in orders)
    return row


def theirs(rule: object) -> dict[Node, float]:
    """Successor -> probability."""
    return {successor.node: successor.probability for successor in rule.successors}  # type: ignore[attr-defined]


def coded_steps(
    paths: list[tuple[Path, int]], accepted: dict[Path, dict[Node, float]]
) -> tuple[dict[Node, float], dict[Node, float]]:
    """By node: steps after a trusted context, and the bits saved by coding every step with the longest one."""
    changed: dict[Node, float] = defaultdict(float)
    saved: dict[Node, float] = defaultdict(float)
    for path, weight in paths:
        for end in range(1, len(path)):
            longest = next(path[start:end] for start in range(end) if path[start:end] in accepted)
            node, target = path[end - 1], path[end]
            changed[node] += weight * (len(longest) > 1)
            saved[node] += weight * math.log2(accepted[longest][target] / accepted[node,][target])
    return changed, saved


def entropy(counts: dict[Node, int]) -> float:
    """In bits."""
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


def share(part: float, whole: float) -> float:
    """0 of nothing."""
    return part / whole if whole else 0.0
