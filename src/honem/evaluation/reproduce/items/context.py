"""What every item needs: the plan, the cells that are finished, where figures go, and how to say what came out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from honem._internal.progress import Progress
from honem.evaluation import Cell, Record, cells, evaluate_cell
from honem.evaluation.methods import Method, Task
from honem.evaluation.reproduce.figures import Panels, draw_lines
from honem.evaluation.reproduce.forms import Contest, Form, Outcome, Problem, choose_forms, only_winners
from honem.evaluation.reproduce.methods import is_ours
from honem.evaluation.reproduce.plan import Plan
from honem.evaluation.reproduce.report import Figure, Report
from honem.evaluation.reproduce.runs import Judge, Run
from honem.evaluation.reproduce.tables import Value

MOST_NAMED = 5


@dataclass(frozen=True)
class Context:
    """The plan of a run, its folder, and whom to tell how far it is."""

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
    ) -> Outcome:
        """All forms on the first seed; then those that are best there by the mean of the metrics, on all seeds.

        At dimensions other than the one that tables are about, on the first few seeds only.
        """
        records: list[Record] = []
        winners: dict[Contest, Form] = {}
        problems: list[Problem] = []
        for task in tasks:
            forms = tuple(self.plan.methods if methods is None else methods)
            first = cells(task, forms, (self.plan.dimension,), self.plan.seeds[:1])
            found, told = self._compute(list(first), judge)
            best = choose_forms(found, metrics)
            chosen = {form.method for form in best.values()}
            best_forms = [form for form in forms if form.name in chosen]
            others = [dimension for dimension in dimensions or () if dimension != self.plan.dimension]
            rest = [
                *cells(task, best_forms, (self.plan.dimension,), self.plan.seeds),
                *cells(task, best_forms, others, self.plan.sweep_seeds),
            ]
            found, told_later = self._compute(rest, judge)
            records += only_winners(found, best)
            winners |= best
            problems += [*told, *told_later]
        return Outcome(tuple(records), winners, tuple(dict.fromkeys(problems)))

    def _compute(self, wanted: Sequence[Cell], judge: Judge) -> tuple[list[Record], list[Problem]]:
        """The records of some cells under the dimension asked for, and the problems there were."""
        results = list(zip(wanted, self.run.compute(wanted, judge=judge, progress=self.progress), strict=True))
        records = [record._replace(dimension=cell.dimension) for cell, done in results for record in done.records]
        told = [
            Problem(cell.task.dataset, cell.method.name, cell.dimension, done.problem)
            for cell, done in results
            if done.problem
        ]
        return records, told

    @property
    def seeds_in_words(self) -> str:
        """How many seeds the numbers are from."""
        amount = len(self.plan.seeds)
        return f"Mean and standard deviation over {amount} seeds." if amount > 1 else "One seed."

    def show_lines(
        self, report: Report, panels: Panels, name: str, x_label: str, y_label: str, caption: str, log_y: bool = False
    ) -> None:
        """A figure of lines, where there are any."""
        if any(panels.values()):
            path = draw_lines(panels, self.folder / "figures" / name, x_label, y_label, log_y)
            report.show(Figure(path, caption))


def without_forms(values: Mapping[tuple[str, str], Value]) -> dict[tuple[str, str], Value]:
    """The same values, where the forms are told elsewhere."""
    return {key: replace(value, shown_form="") for key, value in values.items()}


def say_who_is_best(report: Report, values: Mapping[tuple[str, str], Value], title: str) -> None:
    """In words: where HONEM at its defaults is best, and where it is not and by how much."""
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
    """What could not be computed, and why: once for all methods that have the same problem with the same data."""
    alike: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        alike[problem.dataset, problem.words].append(problem)
    for (dataset, words), them in alike.items():
        names = list(dict.fromkeys(problem.method for problem in them))
        who = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} methods and forms"
        dimensions = ", ".join(map(str, sorted({problem.dimension for problem in them})))
        report.say(f"Not computed on {dataset}: {who}, {dimensions} dimensions. {words[:1].upper()}{words[1:]}.")
