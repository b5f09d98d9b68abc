"""Check the claims of the paper: which methods ours beat, at which task, on which data, and by how much."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np

from honem.evaluation.chosen_method import is_ours
from honem.evaluation.reproduce.tables import ReportTable, Value

Verdict = Literal["won", "tied", "lost"]
TIE = 0.01


class CaseScore(NamedTuple):
    """The number of a method in a case: a data set, with a label if the task is about one."""

    task: str
    case: str
    method: str
    value: float


@dataclass(frozen=True)
class Duel:
    """One of our methods against another method in one case."""

    task: str
    case: str
    ours: str
    other: str
    our_value: float
    other_value: float

    @property
    def ratio(self) -> float:
        """Our number divided by the other's; infinite if only the other's is 0, NaN if both are."""
        if self.other_value:
            return self.our_value / self.other_value
        return math.inf if self.our_value else math.nan

    @property
    def verdict(self) -> Verdict:
        """Whether our method won; it is a tie within 1 % of the larger number.

        >>> [Duel("t", "d", "honem", "walk", ours, 0.5).verdict for ours in (0.51, 0.497, 0.49)]
        ['won', 'tied', 'lost']
        """
        difference = self.our_value - self.other_value
        if abs(difference) <= TIE * max(abs(self.our_value), abs(self.other_value)):
            return "tied"
        return "won" if difference > 0 else "lost"


class ClaimCount(NamedTuple):
    """Numbers of duels won, tied and lost."""

    won: int
    tied: int
    lost: int


class MeanRank(NamedTuple):
    """The mean rank of a method over the cases that it took part in; 1 is best."""

    rank: float
    cases: int


def of_honem(values: Mapping[tuple[str, str], Value]) -> dict[str, float]:
    """Return the means of HONEM at its defaults, by case."""
    return {case: value.mean for (method, case), value in values.items() if method == "honem"}


def case_scores(task: str, values: Mapping[tuple[str, str], Value]) -> list[CaseScore]:
    """Return the means of a table, by (method, case), as scores."""
    return [CaseScore(task, case, method, value.mean) for (method, case), value in values.items()]


def duels(scores: Iterable[CaseScore], ours: Sequence[str]) -> list[Duel]:
    """Pair each of our methods with each other method in every case where both have a number."""
    return [
        Duel(task, case, mine, other, numbers[mine], value)
        for (task, case), numbers in _by_case(scores).items()
        for other, value in numbers.items()
        if other not in ours
        for mine in ours
        if mine in numbers
    ]


def tally(fought: Iterable[Duel]) -> ClaimCount:
    """Count the duels won, tied and lost."""
    verdicts = [duel.verdict for duel in fought]
    return ClaimCount(verdicts.count("won"), verdicts.count("tied"), verdicts.count("lost"))


def mean_ranks(scores: Iterable[CaseScore]) -> dict[str, MeanRank]:
    """Return the mean rank of each method, the best first; ties share the mean of their ranks.

    >>> mean_ranks([CaseScore("t", "d", "a", 0.2), CaseScore("t", "d", "b", 0.3), CaseScore("t", "d", "c", 0.2)])
    {'b': MeanRank(rank=1.0, cases=1), 'a': MeanRank(rank=2.5, cases=1), 'c': MeanRank(rank=2.5, cases=1)}
    """
    places: dict[str, list[float]] = defaultdict(list)
    for numbers in _by_case(scores).values():
        for method, place in zip(numbers, ranks(list(numbers.values())), strict=True):
            places[method].append(place)
    found = {method: MeanRank(fmean(theirs), len(theirs)) for method, theirs in places.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].rank))


def ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from the highest number, 1, to the lowest; ties are averaged.

    >>> ranks([0.5, 0.9, 0.5])
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    return [float(place) for place in rankdata(-np.asarray(values, np.float64))]


def _by_case(scores: Iterable[CaseScore]) -> dict[tuple[str, str], dict[str, float]]:
    cases: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for score in scores:
        cases[score.task, score.case][score.method] = score.value
    return cases


def duel_table(task: str, fought: Iterable[Duel]) -> ReportTable:
    """Return one row per case and other method, with the numbers, their ratio and the verdict for each of ours."""
    rows: dict[tuple[str, str], dict[str, Duel]] = defaultdict(dict)
    for duel in fought:
        rows[duel.case, duel.other][duel.ours] = duel
    ours = list(dict.fromkeys(mine for theirs in rows.values() for mine in theirs))
    columns = ["data", "method", "its number", *(word for mine in ours for word in (mine, "ratio", "verdict"))]
    lines = []
    for (case, other), theirs in rows.items():
        number = f"{next(iter(theirs.values())).other_value:.3f}"
        lines.append((case, other, number, *(word for mine in ours for word in _duel_cells(theirs.get(mine)))))
    return ReportTable(task.capitalize(), tuple(columns), tuple(lines))


def margin_table(title: str, ours: Mapping[str, float], values: Mapping[tuple[str, str], Value]) -> ReportTable:
    """Return one row per case: our number, the best of the other methods, and by how much ours is above or below it.

    Parameters
    ----------
    title : str
        Title of the table.
    ours : mapping
        Our number in each case; a case in which no other method has one is left out.
    values : mapping
        Values by (method, case), of which forms of HONEM do not count.

    Examples
    --------
    >>> values = {("l3", "trips"): Value(0.4, 0, 1), ("ease", "trips"): Value(0.3, 0, 1)}
    >>> margin_table("MAP", {"trips": 0.5}, values).rows
    (('trips', '0.500', 'l3 0.400', '+25.0 %'),)
    """
    rows = []
    for case, mine in ours.items():
        theirs = {
            method: value.mean for (method, where), value in values.items() if where == case and not is_ours(method)
        }
        if theirs:
            best = max(theirs, key=lambda method: theirs[method])
            margin = mine / theirs[best] - 1 if theirs[best] else math.inf
            rows.append((case, f"{mine:.3f}", f"{best} {theirs[best]:.3f}", f"{100 * margin:+.1f} %"))
    return ReportTable(title, ("case", "honem", "best other method", "margin"), tuple(rows))


def _duel_cells(duel: Duel | None) -> tuple[str, str, str]:
    if duel is None:
        return ("-", "-", "-")
    verdict = f"**{duel.verdict}**" if duel.verdict == "won" else duel.verdict
    return (f"{duel.our_value:.3f}", f"{duel.ratio:.2f}", verdict)


def rank_table(scores: Sequence[CaseScore]) -> ReportTable:
    """Return the mean ranks of all methods, over all cases and by task."""
    tasks = list(dict.fromkeys(score.task for score in scores))
    overall = mean_ranks(scores)
    by_task = {task: mean_ranks(score for score in scores if score.task == task) for task in tasks}
    rows = [
        (method, f"{mean.rank:.2f}", f"{mean.cases}", *(_rank_cell(by_task[task].get(method)) for task in tasks))
        for method, mean in overall.items()
    ]
    return ReportTable("Mean rank (1 is best)", ("method", "all tasks", "cases", *tasks), tuple(rows))


def _rank_cell(mean: MeanRank | None) -> str:
    return "-" if mean is None else f"{mean.rank:.2f}"


def in_words(task: str, fought: Sequence[Duel]) -> str:
    """Return the tally of each of our methods at one task, as a line."""
    parts = []
    for mine in dict.fromkeys(duel.ours for duel in fought):
        won, tied, lost = tally(duel for duel in fought if duel.ours == mine)
        parts.append(f"`{mine}` won {won}, tied {tied} and lost {lost} of {won + tied + lost}")
    return f"**{task.capitalize()}**: {'; '.join(parts)}."
