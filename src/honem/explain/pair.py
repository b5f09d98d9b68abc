"""Two nodes: their score taken apart, from the rules that were seen to the vectors that were made of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from honem._internal.validation import require_whole
from honem._internal.wording import amount
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.embedding.factorize import tilt_weights
from honem.embedding.neighborhood import NeighborhoodMatrix, Weighting, neighborhood
from honem.embedding.recipe import Recipe
from honem.errors import ParameterError
from honem.explain.paths import Path, paths_of_corpus, paths_of_rules
from honem.explain.proximity_parts import OrderPart, RulePart, Step, order_parts, stages, steps
from honem.explain.score_parts import Array, ScoreParts, ScoreTerm, score_parts
from honem.explain.words import name_of, number, path_of, percent, times, wrapped
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.embedding.transforms import Matrix

NOT_ROUNDING = 1e-6
RULES_SHOWN = 3
PATH_TITLES = {
    "chain": "steps that join",
    "back": "the way back",
    "corpus": "in the data",
}


@dataclass(frozen=True)
class PairExplanation:
    """Why b is, or is not, near to a.

    `entry` is S[a, b]: the largest of what the orders say where `is_largest`, else their mean; either way the parts of
    `orders` add up to it. `steps` lead from it to `nearness`, the entry of the matrix that was factorised. `score`
    takes source_a . target_b apart, `cosine` is that of the source vectors, and `paths` carry it.
    """

    a: Hashable
    b: Hashable
    entry: float
    weighting: Weighting
    is_largest: bool
    orders: tuple[OrderPart, ...]
    steps: tuple[Step, ...]
    nearness: float
    score: ScoreParts
    cosine: float
    dimension: int
    paths: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """The explanation for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        scores = f"score {number(self.score.score)} (cosine of the sources {number(self.cosine)})"
        title = wrapped(f"{path_of((self.a, self.b))}: {scores}")
        return "\n".join([title, *self._seen(), *self._steps(), *self._left(), *self._terms(), *self._paths()])

    def _seen(self) -> Iterator[str]:
        """S[a, b] by orders and rules."""
        if not any(order.rules for order in self.orders):
            yield "\nwhat was seen: no rule leads from the one to the other"
            return
        yield f"\nwhat was seen: {number(self.entry)}, the {'largest' if self.is_largest else 'sum'} of"
        for order in self.orders:
            if order.rules:
                yield f"  order {order.order}: {self._value_of(order)}"
                yield from (self._rule_line(rule) for rule in order.rules[:RULES_SHOWN])
                hidden = order.rules[RULES_SHOWN:]
                if hidden:
                    yield f"    {self._by(sum(rule.part for rule in hidden))}{amount(len(hidden), 'more rule')}"

    def _value_of(self, order: OrderPart) -> str:
        values = {"evidence": f"log10(1 + 9 x {order.count:,})", "count": f"{order.count:,}"}
        value = values.get(self.weighting, number(order.value))
        return f"{number(order.weight * order.value)} = {number(order.weight)} x {value}"

    def _rule_line(self, rule: RulePart) -> str:
        seen = f"{rule.count:,} of {amount(rule.support, 'time')}, {percent(rule.probability)}"
        return wrapped(f"{self._by(rule.part)}{path_of((*rule.context, self.b))} ({seen})", "    ")

    def _by(self, part: float) -> str:
        return f"{number(part)} by " if part else ""

    def _steps(self) -> Iterator[str]:
        """What the transforms made of S[a, b]."""
        if self.steps and (self.entry or self.nearness):
            yield "\nwhat is made of it"
            yield from (wrapped(str(step), "  ") for step in self.steps)

    def _left(self) -> Iterator[str]:
        """What the truncation leaves."""
        left, whole = number(self.score.truncated), number(self.nearness)
        yield f"\nwhat {amount(self.dimension, 'dimension')} leave of {whole}: {left}"

    def _terms(self) -> Iterator[str]:
        """The score by nodes."""
        a, b, score = name_of(self.a), name_of(self.b), self.score
        yield ""
        yield wrapped(f"the score by nodes: how much {a} counts as each, times how near that one is to {b}")
        yield self._term_line(score.own, "itself")
        for term in score.others:
            yield self._term_line(term, name_of(term.node))
        if score.n_rest:
            yield f"  {score.rest:+.4f}  {amount(score.n_rest, 'more node')}"
        if abs(score.unexplained) > NOT_ROUNDING * max(1.0, abs(score.score)):
            yield f"  {score.unexplained:+.4f}  unexplained: the vectors are not the exact factors of this matrix"

    def _term_line(self, term: ScoreTerm, name: str) -> str:
        return f"  {term.part:+.4f} = {term.likeness:7.4f} x {term.nearness:7.4f}  {name}"

    def _paths(self) -> Iterator[str]:
        """What is not among the rules that were seen."""
        for kind, title in PATH_TITLES.items():
            found = [path for path in self.paths if path.kind == kind]
            yield from [f"\n{title}"] if found else []
            yield from (wrapped(f"{path_of(path.nodes)}: {times(path.count)}", "  ") for path in found)


@dataclass(frozen=True, eq=False)
class PairExplainer:
    """Explains pairs of nodes; it makes the matrices once, when the first pair is asked for."""

    rules: RuleTable
    embedding: Embedding
    recipe: Recipe

    def __post_init__(self) -> None:
        if self.rules.vocabulary.labels != self.embedding.nodes:
            raise ParameterError(
                f"the rules are about {len(self.rules.vocabulary)} nodes that are not the {len(self.embedding)} of the "
                "embedding; take both from one model or one store"
            )

    @cached_property
    def near(self) -> NeighborhoodMatrix:
        """D^v and S."""
        return neighborhood(self.rules, self.recipe.order_weights, self.recipe.weighting)

    @cached_property
    def matrices(self) -> tuple[Matrix, ...]:
        """S, and the matrix after each transform; the last is the one that was factorised."""
        return stages(self.near.matrix, self.recipe.transforms)

    @cached_property
    def row_weights(self) -> Array:
        """What the tilt gave the rows of that matrix."""
        return tilt_weights(self.matrices[-1], self.recipe.tilt)[0]

    def explain(self, a: Hashable, b: Hashable, *, n: int = 5, corpus: Corpus | None = None) -> PairExplanation:
        """Why b is near to a: n of the strongest terms and of the paths, which come from the corpus if it is given."""
        require_whole("n", n, least=1)
        first, second = (self.rules.vocabulary.id(node) for node in (a, b))
        last = self.matrices[-1]
        with_back = "both_ways" in self.recipe.transforms
        paths = paths_of_rules(self.rules, a, b, with_back, n)
        if corpus is not None:
            paths += paths_of_corpus(corpus, a, b, self.rules.max_order, n)
        return PairExplanation(
            a=a,
            b=b,
            entry=float(self.matrices[0][first, second]),
            weighting=self.recipe.weighting,
            is_largest=self.near.learnt,
            orders=order_parts(self.rules, self.near, self.recipe.weighting, a, b),
            steps=steps(self.matrices, self.recipe.transforms, first, second),
            nearness=float(last[first, second]),
            score=score_parts(self.embedding, last, self.recipe.spectrum, self.row_weights, first, second, n),
            cosine=self.embedding.score(a, b, "cosine"),
            dimension=self.embedding.dimension,
            paths=paths,
        )


def explain_pair(
    rules: RuleTable,
    embedding: Embedding,
    recipe: Recipe,
    a: Hashable,
    b: Hashable,
    *,
    n: int = 5,
    corpus: Corpus | None = None,
) -> PairExplanation:
    """Why b is near to a; for many pairs keep one PairExplainer.

    >>> from honem import HONEM
    >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
    >>> model = HONEM(n_components=3, preset="paper").fit(trips)
    >>> found = explain_pair(model.rules_, model.embedding_, model.recipe(), "dorm", "library")
    >>> [(order.order, round(order.part, 3)) for order in found.orders], round(found.entry, 3)
    ([(1, 0.0), (2, 0.269)], 0.269)
    """
    return PairExplainer(rules, embedding, recipe).explain(a, b, n=n, corpus=corpus)
