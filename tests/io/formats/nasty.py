"""Names that break careless writers, and a corpus, rules and vectors over them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from packaging.version import Version

from honem import Corpus, Embedding, NodeProfile, RuleTable, extract_rules, node_profile

# One of the names below holds a NUL character.
pandas_reads_nul = pytest.mark.skipif(
    Version(pd.__version__) < Version("3.1"), reason="before 3.1, pandas ends a value of a CSV file at a NUL character"
)

NASTY = (
    "plain",
    "two words",
    " leading and trailing ",
    "tab\there",
    "line\nbreak",
    "carriage\rreturn",
    "both\r\n",
    "comma,comma",
    'a "quoted" name',
    '"',
    "'",
    "'=quoted formula",
    "a|b",
    "a.b",
    "C|B.A",
    "back\\slash",
    "\\|",
    "<script>alert('&amp;')</script>",
    "]]>",
    "",
    " ",
    "שלום עולם",
    "\u202eright to left",
    "\ufeffbyte order mark",
    "=cmd()",
    "+1",
    "-1",
    "@mention",
    "\x00\x01\x07\x1b\x7f",
    "\x85next line\u2028separator\u2029",
    "\xa0no-break\u3000wide",
    "_x0020_",
    "_x0041",
    "_x_",
    "_x",
    "pos_x 1",
    "_x0041 ",
    "#comment",
    "*States",
    "null",
    "nan",
    "12",
    "é",
    "e\u0301",
    "😀",
    "\ufffe",
    "x" * 10_000,
)


def nasty_corpus() -> Corpus:
    """Every nasty name, in steps of first order and in histories that decide what follows."""
    around = [*NASTY, NASTY[0]]
    deciding = [[first, "plain", second] for first, second in pairwise(NASTY[1:])]
    return Corpus.from_sequences([around, *deciding * 30])


def nasty_rules(criterion: str = "significance") -> RuleTable:
    rules = extract_rules(nasty_corpus(), criterion=criterion)
    assert {rule.context for rule in rules if rule.accepted} >= {(name, "plain") for name in NASTY[1:-1]}
    return rules


def nasty_embedding() -> Embedding:
    vocabulary = nasty_corpus().vocabulary
    source, target = np.random.default_rng(0).standard_normal((2, len(vocabulary), 3))
    return Embedding(vocabulary, source, target, np.array([3.0, 2.0, 1.0]))


def nasty_profile() -> NodeProfile:
    return node_profile(nasty_rules(), nasty_corpus().visit_counts())
