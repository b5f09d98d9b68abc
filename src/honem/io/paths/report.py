"""ReadReport: counts of what reading and each cleaning step did, so that nothing is dropped or changed silently."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honem._internal.words import amount

NO_COUNTS = ("inputs", "coordinates", "query")
"""Fields of a report that are not counts."""


@dataclass(frozen=True)
class InputFile:
    """One file that was read, with its size and the hash of its bytes on disk."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, eq=False)
class ReadReport:
    """Counts of everything that reading and cleaning did; each count is 0 if it did not happen.

    Attributes
    ----------
    files, lines, rows : int
        What was read.
    sequences_read, tokens_read : int
        Sequences and nodes before cleaning.
    empty_files, blank_lines, comment_lines, header_lines, ids_left_out : int
        What was left out while parsing.
    empty_fields_skipped, rows_skipped : int
        What was skipped because of ``empty="skip"`` and ``missing="skip"``.
    names_lowercased, cuts_at_gaps, back_clicks_resolved, back_clicks_without_page, repeats_collapsed : int
        What the first cleaning steps did.
    cuts_at_max_length, sequences_too_short, tokens_too_short : int
        What the limits of length did.
    cuts_for_privacy, tokens_of_few_entities : int
        What `min_entities` did: steps that were cut, and visits to nodes that were removed.
    empty_sequences, sequences, tokens, nodes : int
        What the corpus has.
    inputs : tuple of InputFile
        The files that were read.
    coordinates : ndarray of shape (n_nodes, 2) or None
        Longitude and latitude of each node's cell centre, in the order of the vocabulary, if nodes are cells of a
        grid, or the table has positions of its nodes.
    query : str or None
        The SQL that was run, if paths come from a database.

    Examples
    --------
    >>> print(ReadReport(files=1, lines=3, blank_lines=1, sequences=2, tokens=6, nodes=3))
    2 sequences, 6 tokens, 3 nodes from 1 file (3 lines); 1 blank line
    """

    files: int = 0
    lines: int = 0
    rows: int = 0
    sequences_read: int = 0
    tokens_read: int = 0
    empty_files: int = 0
    blank_lines: int = 0
    comment_lines: int = 0
    header_lines: int = 0
    ids_left_out: int = 0
    empty_fields_skipped: int = 0
    rows_skipped: int = 0
    names_lowercased: int = 0
    cuts_at_gaps: int = 0
    back_clicks_resolved: int = 0
    back_clicks_without_page: int = 0
    repeats_collapsed: int = 0
    cuts_at_max_length: int = 0
    sequences_too_short: int = 0
    tokens_too_short: int = 0
    cuts_for_privacy: int = 0
    tokens_of_few_entities: int = 0
    empty_sequences: int = 0
    sequences: int = 0
    tokens: int = 0
    nodes: int = 0
    inputs: tuple[InputFile, ...] = ()
    coordinates: NDArray[np.float64] | None = field(default=None, repr=False)
    query: str | None = None

    def counts(self) -> dict[str, int]:
        """Return every count by its name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in NO_COUNTS}

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and inputs as a dict for JSON."""
        asked = {} if self.query is None else {"query": self.query}
        return {**self.counts(), "inputs": [vars(one) for one in self.inputs], **asked}

    def __str__(self) -> str:
        """Return one line: what the corpus has, then every step that did something."""
        source = [f"from {amount(self.files, 'file')}"] if self.files else []
        held = ", ".join(amount(getattr(self, name), name[:-1]) for name in ("lines", "rows") if getattr(self, name))
        now = ", ".join(amount(getattr(self, name), name[:-1]) for name in ("sequences", "tokens", "nodes"))
        head = " ".join([now, *source, *([f"({held})"] if held else [])])
        done = (
            words.format(n=amount(getattr(self, name), noun))
            for name, (noun, words) in _STEPS.items()
            if getattr(self, name)
        )
        return "; ".join([head, *done])


_STEPS = {
    "empty_files": ("file", "{n} without a sequence"),
    "blank_lines": ("blank line", "{n}"),
    "comment_lines": ("comment line", "{n}"),
    "header_lines": ("header line", "{n}"),
    "ids_left_out": ("id", "{n} left out"),
    "empty_fields_skipped": ("empty field", "{n} skipped"),
    "rows_skipped": ("row", "{n} with a missing value skipped"),
    "names_lowercased": ("name", "{n} made lower case"),
    "cuts_at_gaps": ("cut", "{n} at gaps in time"),
    "back_clicks_resolved": ("back-click", "{n} resolved"),
    "back_clicks_without_page": ("back-click", "{n} with no page to go back to left out"),
    "repeats_collapsed": ("repeat", "{n} collapsed"),
    "cuts_at_max_length": ("cut", "{n} at max_length"),
    "sequences_too_short": ("sequence", "{n} shorter than min_length left out"),
    "tokens_too_short": ("token", "{n} left out with them"),
    "cuts_for_privacy": ("cut", "{n} for min_entities"),
    "tokens_of_few_entities": ("token", "{n} of nodes of too few entities left out"),
    "empty_sequences": ("empty sequence", "{n}"),
}
