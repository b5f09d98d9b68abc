"""What every item needs: the plan, the finished cells, the folder of figures, and words for the results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from honem._internal.progress import Progress
from honem.evaluation.cells import Cell, evaluate_cell
from honem.evaluation.chosen_method import is_ours
from honem.evaluation.methods import Method
from honem.evaluation.records import Record
from honem.evaluation.reproduce.figures import Panels, draw_lines
from honem.evaluation.reproduce.forms import Contest, Form, Outcome, Problem, choose_forms, only_winners
from honem.evaluation.reproduce.identity import Judge
from honem.evaluation.reproduce.plan import Plan
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.runs import Run
from honem.evaluation.reproduce.tables import Value
from honem.evaluation.tasks.base import Task

MOST_NAMED = 5


@dataclass(frozen=True)
class Context:
    """The plan of a run, its cells, its folder, and a callback for progress."""

    plan: Plan
    run: Run
    folder: Path
    progress: Progress | None = None

    def compete(
        self,
        tasks: Iterable[Task],
        metrics: Sequence[str],
        *,
        dimensions: Sequence[int] | None = None,
        methods: Sequence[Method] | None = None,
        judge: Judge = evaluate_cell,
        higher_is_better: bool = True,
        scores: Collection[str] | None = None,
    ) -> Outcome:
        """Run all forms of methods on the first seed, then the best form of each on all seeds.

        Parameters
        ----------
        tasks : iterable of Task
            The tasks.
        metrics : sequence of str
            Forms are compared by the mean of these metrics.
        dimensions : sequence of int, optional
            Further dimensions, on which the best forms run with the first few seeds.
        methods : sequence of Method, optional
            By default all methods of the plan.
        judge : callable, optional
            The function that computes the records of a cell.
        higher_is_better : bool, default=True
            Direction of the metrics.
        scores : collection of str, optional
            Only these scores, or kinds of features, compete; by default all that the tasks have.
        """
        records: list[Record] = []
        winners: dict[Contest, Form] = {}
        problems: list[Problem] = []
        ours: list[Record] = []
        for task in tasks:
            forms = tuple(self.plan.methods if methods is None else methods)
            first = _grid(task, forms, (self.plan.dimension,), self.plan.seeds[:1])
            found, failed = self._compute(first, judge)
            if scores is not None:
                found = [record for record in found if record.score in scores]
            best = choose_forms(found, metrics, higher_is_better)
            chosen = {form.method for form in best.values()}
            best_forms = [form for form in forms if form.name in chosen]
            others = [dimension for dimension in dimensions or () if dimension != self.plan.dimension]
            rest = [
                cell
                for cell in (
                    *_grid(task, best_forms, (self.plan.dimension,), self.plan.seeds),
                    *_grid(task, best_forms, others, self.plan.sweep_seeds),
                )
                if cell.seed in self.plan.seeds_of(cell.method.name)
            ]
            found, failed_later = self._compute(rest, judge)
            records += only_winners(found, best)
            ours += [record for record in found if is_ours(record.method)]
            winners |= best
            problems += [*failed, *failed_later]
        return Outcome(tuple(records), winners, tuple(dict.fromkeys(problems)), tuple(ours))

    def _compute(self, wanted: Sequence[Cell], judge: Judge) -> tuple[list[Record], list[Problem]]:
        """Return the records of some cells, with the dimension of the cell, and the problems."""
        results = list(zip(wanted, self.run.compute(wanted, judge=judge, progress=self.progress), strict=True))
        records = [record._replace(dimension=cell.dimension) for cell, done in results for record in done.records]
        problems = [
            Problem(cell.task.dataset, cell.method.name, cell.dimension, done.problem)
            for cell, done in results
            if done.problem
        ]
        return records, problems

    @property
    def seeds_in_words(self) -> str:
        """How many seeds the numbers are from."""
        amount = len(self.plan.seeds)
        if amount == 1:
            return "One seed."
        fewer = ", ".join(f"{family} {n_seeds}" for family, n_seeds in self.plan.fewer_seeds.items())
        return f"Mean and standard deviation over {amount} seeds{f' ({fewer})' if fewer else ''}."

    def show_lines(
        self, report: Report, panels: Panels, name: str, x_label: str, y_label: str, caption: str, log_y: bool = False
    ) -> None:
        """Add a figure of lines, if there are any."""
        if any(panels.values()):
            path = draw_lines(panels, self.folder / "figures" / name, x_label, y_label, log_y)
            report.show(Figure(path, caption))


def _grid(task: Task, methods: Iterable[Method], dimensions: Iterable[int], seeds: Iterable[int]) -> list[Cell]:
    """Return a cell for every dimension, also of methods without one: tables show the same number at each."""
    methods, dimensions = tuple(methods), tuple(dimensions)
    return [Cell(task, method, at, seed) for seed in seeds for at in dimensions for method in methods]


def without_forms(values: Mapping[tuple[str, str], Value]) -> dict[tuple[str, str], Value]:
    """Return the same values without their forms, which are named elsewhere."""
    return {key: replace(value, shown_form="") for key, value in values.items()}


def say_who_is_best(report: Report, values: Mapping[tuple[str, str], Value], title: str) -> None:
    """Say where HONEM at its defaults is best, and where it is not, with the numbers."""
    won, lost = [], []
    for case in dict.fromkeys(c for _, c in values):
        ours = values.get(("honem", case))
        others = {m: v.mean for (m, c), v in values.items() if c == case and not is_ours(m)}
        if ours is None or not others:
            continue
        best = max(others, key=lambda method: others[method])
        if ours.mean >= others[best]:
            won.append(f"{case} ({ours.mean:.3f}, next {best} {others[best]:.3f})")
        else:
            lost.append(f"{case} ({best} {others[best]:.3f} against {ours.mean:.3f})")
    if won or lost:
        words = [f"{title}: HONEM is best on {', '.join(won)}." if won else f"{title}: HONEM is best nowhere."]
        report.say(" ".join([*words, *([f"It loses on {', '.join(lost)}."] if lost else [])]))


def say_problems(report: Report, problems: Iterable[Problem]) -> None:
    """Say what could not be computed, and why, once for all methods with the same problem on the same data."""
    alike: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        alike[problem.dataset, problem.words].append(problem)
    for (dataset, words), them in alike.items():
        names = list(dict.fromkeys(problem.method for problem in them))
        who = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} methods and forms"
        dimensions = ", ".join(map(str, sorted({problem.dimension for problem in them})))
        report.say(f"Not computed on {dataset}: {who}, {dimensions} dimensions. {words[:1].upper()}{words[1:]}.")
