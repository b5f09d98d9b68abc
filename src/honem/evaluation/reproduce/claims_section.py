"""The last section of a report: the paper's claims, one by one."""

from __future__ import annotations

from collections.abc import Sequence

from honem.evaluation.reproduce.claims import CaseScore, duel_table, duels, in_words, rank_table
from honem.evaluation.reproduce.context import Context
from honem.evaluation.reproduce.report import Report

PAPERS_OWN_NUMBERS = (
    "The numbers that the paper prints are shown beside ours in tables 1 and 2, with the map and with the "
    "correlations of labels. Its data of Rome and Bari, and the whole of Lloyd's, are not public, so they are numbers "
    "on other data. What is compared here is its claim that HONEM beats every other method at every task."
)
HOW = (
    "Each of our methods is compared with each other one. The number is MAP for link prediction, the mean of "
    "Precision@1000 and Precision@10000 for reconstruction, the mean AUROC of four classifiers for classification, and "
    "balanced accuracy by the 10 nearest neighbours for visualisation, each a mean over seeds; the ratio is ours to "
    "theirs. A difference of less than 1 % is a tie."
)
RANKS = (
    "A case is a data set at a task, with a label where the task is about one. A method is ranked among those that "
    "have a number there, and its mean is over the cases it took part in; equal numbers share the mean of their places."
)


def claims(context: Context, report: Report, scores: Sequence[CaseScore]) -> None:
    """Add who beats whom, in words and tables, if anything was compared."""
    ours = [method.name for method in context.plan.methods if method.method.is_ours]
    fought = duels(scores, ours)
    if not fought:
        return
    report.say("## The paper's claims, one by one")
    report.say(PAPERS_OWN_NUMBERS)
    report.say(HOW)
    tasks = list(dict.fromkeys(duel.task for duel in fought))
    for task in tasks:
        report.say(in_words(task, [duel for duel in fought if duel.task == task]))
    report.show(rank_table(scores))
    report.say(RANKS)
    for task in tasks:
        report.show(duel_table(task, [duel for duel in fought if duel.task == task]))
