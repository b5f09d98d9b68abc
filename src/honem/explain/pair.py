"""Explain a pair of nodes: from the rules that were observed to the score of their vectors."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from honem._internal.validation import require_whole
from honem._internal.words import amount, name_of, number, path_of, percent, times, wrapped
from honem.corpus import Corpus
from honem.embedding import Embedding
from honem.embedding.combining import Maximum
from honem.embedding.factorizations import Scores
from honem.embedding.neighborhood import NeighborhoodMatrix
from honem.embedding.recipe import Recipe
from honem.embedding.transforms import stages
from honem.errors import ParameterError
from honem.explain.common_parts import CommonParts, CommonTargets
from honem.explain.paths import Path, paths_of_corpus, paths_of_rules
from honem.explain.proximity_parts import OrderPart, RulePart, Step, order_parts, steps
from honem.explain.score_parts import ScoreParts, ScoreTerm, score_parts
from honem.rules import RuleTable

if TYPE_CHECKING:
    from honem.embedding.matrices import Matrix

NOT_ROUNDING = 1e-6
RULES_SHOWN = 3
PATH_TITLES = {
    "chain": "steps that join",
    "back": "the way back",
    "corpus": "in the data",
}


@dataclass(frozen=True)
class PairExplanation:
    """Why b is, or is not, near to a. Print it for a description in words.

    Attributes
    ----------
    a, b : hashable
        The nodes.
    entry : float
        S[a, b], the sum of the parts of `orders`.
    weighting : str
        What rules contribute to D^v: "probability", "count" or "evidence".
    is_largest : bool
        Whether S is the maximum over the orders; otherwise it is their mean.
    orders : tuple of OrderPart
        What each order, and each rule, contributes to `entry`.
    steps : tuple of Step
        How each transform changes it.
    nearness : float
        The result: the entry (a, b) of the proximity matrix, which was factorized.
    score : ScoreParts
        source_a . target_b as a sum over nodes.
    cosine : float
        The cosine similarity of the source vectors.
    common : CommonParts
        The nodes that both lead to, which is why their source vectors are similar.
    dimension : int
        Number of dimensions of the vectors.
    paths : tuple of Path
        Paths from a to b.
    combined : str
        How the terms of the orders are combined to an entry of S, such as "largest" or "sum".
    weights : str
        How the weights of the orders were found.
    terms : str
        What the terms of the score are.
    """

    a: Hashable
    b: Hashable
    entry: float
    weighting: str
    is_largest: bool
    orders: tuple[OrderPart, ...]
    steps: tuple[Step, ...]
    nearness: float
    score: ScoreParts
    cosine: float
    common: CommonParts
    dimension: int
    paths: tuple[Path, ...]
    combined: str
    weights: str
    terms: str

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as a dict that JSON can hold; words are left out."""
        numbers = asdict(self)
        del numbers["combined"], numbers["weights"], numbers["terms"]
        numbers["orders"] = tuple(order.to_dict() for order in self.orders)
        numbers["steps"] = tuple(step.to_dict() for step in self.steps)
        return numbers

    def __str__(self) -> str:
        title, left = wrapped(self.title()), f"\n{self.left_by_truncation()}"
        return "\n".join([title, *self._seen(), *self._steps(), left, *self._terms(), *self._common(), *self._paths()])

    def _repr_html_(self) -> str:
        from honem.explain.notebooks import html_of_pair

        return html_of_pair(self)

    def title(self) -> str:
        """Return the nodes and their scores on one line."""
        scores = f"score {number(self.score.score)} (cosine of the sources {number(self.cosine)})"
        return f"{path_of((self.a, self.b))}: {scores}"

    def left_by_truncation(self) -> str:
        """Describe what the dimensions leave of the entry of the proximity matrix."""
        left, whole = number(self.score.truncated), number(self.nearness)
        return f"what {amount(self.dimension, 'dimension')} leave of {whole}: {left}"

    def is_inexact(self) -> bool:
        """Return whether the terms of the score leave more than rounding unexplained."""
        return abs(self.score.unexplained) > NOT_ROUNDING * max(1.0, abs(self.score.score))

    def _seen(self) -> Iterator[str]:
        """Describe S[a, b] by orders and rules."""
        if not any(order.rules for order in self.orders):
            yield "\nwhat was seen: no rule leads from the one to the other"
            return
        yield ""
        terms = f"the {self.combined} of weight x value (weights: {self.weights})"
        yield wrapped(f"what was seen: {number(self.entry)}, {terms}")
        for order in self.orders:
            if order.rules:
                product = f"{number(order.weight * order.value)} = {number(order.weight)} x {order.words}"
                yield wrapped(f"order {order.order}: {product}", "  ")
                yield from (self._rule_line(rule) for rule in order.rules[:RULES_SHOWN])
                hidden = order.rules[RULES_SHOWN:]
                if hidden:
                    yield f"    {self._by(sum(rule.part for rule in hidden))}{amount(len(hidden), 'more rule')}"

    def _rule_line(self, rule: RulePart) -> str:
        seen = f"{rule.count:,} of {amount(rule.support, 'time')}, {percent(rule.probability)}"
        return wrapped(f"{self._by(rule.part)}{path_of((*rule.context, self.b))} ({seen})", "    ")

    def _by(self, part: float) -> str:
        return f"{number(part)} by " if part else ""

    def _steps(self) -> Iterator[str]:
        """Describe what the transforms made of S[a, b]."""
        if self.steps and (self.entry or self.nearness):
            yield "\nwhat is made of it"
            yield from (wrapped(str(step), "  ") for step in self.steps)

    def _terms(self) -> Iterator[str]:
        """List the terms of the score."""
        score = self.score
        yield ""
        yield wrapped(f"the score by nodes: {self.terms}")
        yield self._term_line(score.own, "itself")
        for term in score.others:
            yield self._term_line(term, name_of(term.node))
        if score.n_rest:
            yield f"  {score.rest:+.4f}  {amount(score.n_rest, 'more node')}"
        if self.is_inexact():
            yield f"  {score.unexplained:+.4f}  unexplained: the vectors are not the exact factors of this matrix"

    def _term_line(self, term: ScoreTerm, name: str) -> str:
        return f"  {term.part:+.4f} = {term.likeness:7.4f} x {term.nearness:7.4f}  {name}"

    def _common(self) -> Iterator[str]:
        """List the nodes that both lead to."""
        common = self.common
        yield ""
        if not common.terms:
            yield "what both lead to: nothing"
            return
        yield wrapped(f"what both lead to: the cosine of their rows of the matrix, {number(common.cosine)}, by nodes")
        yield from (f"  {term.part:+.4f}  {name_of(term.node)}" for term in common.terms)
        if common.n_rest:
            yield f"  {common.rest:+.4f}  {amount(common.n_rest, 'more node')}"

    def _paths(self) -> Iterator[str]:
        """List the paths that are not among the rules."""
        for kind, title in PATH_TITLES.items():
            found = [path for path in self.paths if path.kind == kind]
            yield from [f"\n{title}"] if found else []
            yield from (wrapped(f"{path_of(path.nodes)}: {times(path.count)}", "  ") for path in found)


@dataclass(frozen=True, eq=False)
class PairExplainer:
    """Explain pairs of nodes of one model; the matrices are computed once, for the first pair.

    Parameters
    ----------
    rules : RuleTable
        The rules of the model.
    embedding : Embedding
        Its vectors.
    recipe : Recipe
        How the rules became the vectors.

    Raises
    ------
    ParameterError
        If rules and embedding are about different nodes.
    """

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
        return self.recipe.neighborhood(self.rules)

    @cached_property
    def matrices(self) -> tuple[Matrix, ...]:
        """S, and the matrix after each transform; the last one is the proximity matrix."""
        return stages(self.near.matrix, self.recipe.transforms)

    @cached_property
    def scores(self) -> Scores:
        """The scores of the vectors, as sums over nodes."""
        return self.recipe.factorization.scores(self.embedding, self.matrices[-1])

    @cached_property
    def common(self) -> CommonTargets:
        """What rows of the proximity matrix have in common."""
        return CommonTargets.of(self.matrices[-1])

    def explain(self, a: Hashable, b: Hashable, *, n: int = 5, corpus: Corpus | None = None) -> PairExplanation:
        """Explain why b is near to a.

        Parameters
        ----------
        a, b : hashable
            The nodes.
        n : int, default=5
            Number of terms of the score, and of paths of each kind, to list.
        corpus : Corpus or None, default=None
            Where to look for paths from a to b, besides the rules.

        Returns
        -------
        PairExplanation

        Raises
        ------
        UnknownNodeError
            If there is no such node.
        ParameterError
            If n is not at least 1, or the embedding has no target vectors or singular values.
        """
        require_whole("n", n, least=1)
        first, second = (self.rules.vocabulary.id(node) for node in (a, b))
        weighting, combination, transforms = (
            self.recipe.weighting_piece,
            self.recipe.combination_piece,
            self.recipe.transform_pieces,
        )
        return PairExplanation(
            a=a,
            b=b,
            entry=float(self.matrices[0][first, second]),
            weighting=weighting.name,
            is_largest=isinstance(combination, Maximum),
            orders=order_parts(self.rules, self.near, weighting, a, b),
            steps=steps(self.matrices, transforms, first, second),
            nearness=float(self.matrices[-1][first, second]),
            score=score_parts(self.scores.terms(first, second), self.embedding.nodes, n),
            cosine=self.embedding.score(a, b, "cosine"),
            common=self.common.parts(first, second, self.embedding.nodes, n),
            dimension=self.embedding.dimension,
            paths=self._paths(a, b, n, corpus),
            combined=combination.result_name,
            weights=self.recipe.order_weighting.describe(),
            terms=self.scores.describe(name_of(a), name_of(b)),
        )

    def _paths(self, a: Hashable, b: Hashable, n: int, corpus: Corpus | None) -> tuple[Path, ...]:
        with_back = any(transform.uses_reverse for transform in self.recipe.transform_pieces)
        paths = paths_of_rules(self.rules, a, b, with_back, n)
        return paths if corpus is None else paths + paths_of_corpus(corpus, a, b, self.rules.max_order, n)


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
    """Explain why b is near to a; for many pairs, keep one `PairExplainer`.

    Parameters
    ----------
    rules, embedding, recipe : RuleTable, Embedding, Recipe
        The rules and vectors of one model, and how the ones became the others.
    a, b : hashable
        The nodes.
    n : int, default=5
        Number of terms of the score, and of paths of each kind, to list.
    corpus : Corpus or None, default=None
        Where to look for paths from a to b, besides the rules.

    Returns
    -------
    PairExplanation

    Raises
    ------
    UnknownNodeError
        If there is no such node.
    ParameterError
        If rules and embedding do not fit each other, or n is not at least 1.

    Examples
    --------
    >>> from honem import HONEM
    >>> trips = [["dorm", "centre", "library"]] * 20 + [["home", "centre", "office"]] * 20
    >>> model = HONEM(n_components=3, preset="paper").fit(trips)
    >>> found = explain_pair(model.rules_, model.embedding_, model.recipe_, "dorm", "library")
    >>> [(order.order, round(order.part, 3)) for order in found.orders], round(found.entry, 3)
    ([(1, 0.0), (2, 0.269)], 0.269)
    """
    return PairExplainer(rules, embedding, recipe).explain(a, b, n=n, corpus=corpus)
