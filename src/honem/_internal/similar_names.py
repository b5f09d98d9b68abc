"""Names that differ only in case, accents or underscores, and names that may have been meant."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from itertools import islice

MOST_COMPARED = 20_000
"""Number of names that a misspelt one is compared with, so that an error message never takes long."""
SUGGESTED = 3
LIKENESS = 0.7


def folded(text: str) -> str:
    """Return a text without case, accents, underscores and repeated spaces.

    >>> folded("São_Paulo  City"), folded("STRASSE") == folded("straße")
    ('sao paulo city', True)
    """
    letters = unicodedata.normalize("NFKD", text.replace("_", " ")).casefold()
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def similar_names(text: str, names: Iterable[str], n: int = SUGGESTED) -> list[str]:
    """Return the names that are most like a text, best first; none if all are very different.

    >>> similar_names("Roterdam", ["Rotterdam", "Amsterdam", "Potsdam", "Oslo"])
    ['Rotterdam', 'Amsterdam']
    """
    wanted = folded(text)
    slack = 2 + len(wanted) // 3
    candidates = (name for name in names if abs(len(name) - len(wanted)) <= slack)
    by_folded: dict[str, str] = {}
    for name in islice(candidates, MOST_COMPARED):
        by_folded.setdefault(folded(name), name)
    return [by_folded[found] for found in difflib.get_close_matches(wanted, by_folded, n, LIKENESS)]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return a question to append to an error message, or "".

    >>> did_you_mean("Roterdam", ["Rotterdam", "Oslo"]), did_you_mean("?", ["Oslo"])
    ('; did you mean Rotterdam?', '')
    """
    found = similar_names(text, names)
    return f"; did you mean {' or '.join(', '.join(found).rsplit(', ', 1))}?" if found else ""
