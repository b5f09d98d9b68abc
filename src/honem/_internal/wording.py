"""Wording that messages and reports share."""

from __future__ import annotations


def amount(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> amount(1, "rule"), amount(1200, "rule")
    ('1 rule', '1,200 rules')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
