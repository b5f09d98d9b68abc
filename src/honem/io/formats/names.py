"""Nodes as text: one name per node, an escape for characters that a format cannot hold, and names of contexts.

The escape is the one that spreadsheets and XML tools use: a character becomes `_x`, its code in four hexadecimal
digits, and `_`. An empty name becomes `_x_`, and an underscore that would look like the start of an escape is itself
escaped (`_x005F_`). Only names that need it are changed, and `unescape` restores them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence

from honem.errors import OutputError
from honem.io.labels import label_json

CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"
_ESCAPED = re.compile("_x([0-9A-F]{4})?_")
_FORMULA = re.compile(r"[=+\-@\t\r']")


def names_of(labels: Sequence[Hashable]) -> list[str]:
    """Return one text per label; raise OutputError if two labels have the same text."""
    names = [label if type(label) is str else str(label) for label in labels]
    if len(set(names)) < len(names):
        _refuse_same_names(labels, names)
    return names


def nodes_json(labels: Sequence[Hashable]) -> bytes:
    """Return labels as a JSON list, with tuples as lists."""
    return f"[{', '.join(map(label_json, labels))}]\n".encode()


def _refuse_same_names(labels: Sequence[Hashable], names: list[str]) -> None:
    first: dict[str, Hashable] = {}
    for label, name in zip(labels, names, strict=True):
        if name in first:
            raise OutputError(
                f"the nodes {first[name]!r:.60} and {label!r:.60} would both be written as {name!r:.60}; rename one"
            )
        first[name] = label


def escaper(unsafe: str) -> Callable[[str], str]:
    r"""Return a function that escapes the characters of a character class, written as in a regular expression.

    >>> escaper(" ")("St. Louis"), escaper(" ")("St._x0020_Louis"), escaper(" ")("")
    ('St._x0020_Louis', 'St._x005F_x0020_Louis', '_x_')
    """
    # An underscore is escaped also where only the escape of the next character would make it look like one.
    pattern = re.compile(rf"[{unsafe}]|_(?=x(?:[0-9A-F]{{4}})?(?:_|[{unsafe}]))")

    def escape(name: str) -> str:
        return pattern.sub(lambda found: f"_x{ord(found[0]):04X}_", name) or "_x_"

    return escape


def unescape(text: str) -> str:
    """Return the name that was escaped.

    >>> unescape("St._x0020_Louis"), unescape("_x_")
    ('St. Louis', '')
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "", text)


def context_name(names: Sequence[str]) -> str:
    r"""Return a name for a context (oldest node first) that can be parsed again: newest node, `|`, older nodes.

    The older nodes are written newest first, separated by `.`. A backslash is put before `\` everywhere, before `|` in
    the newest node, and before `.` in the older ones.

    >>> context_name(["A", "St. Louis", "C"]), context_name(["a|b"])
    ('C|St\\. Louis.A', 'a\\|b')
    """
    *older, here = names
    shown = re.sub(r"([\\|])", r"\\\1", here)
    way_back = [re.sub(r"([\\.])", r"\\\1", name) for name in reversed(older)]
    return f"{shown}|{'.'.join(way_back)}" if older else shown


def split_context_name(name: str) -> list[str]:
    r"""Return the nodes of a context, oldest first, from its name.

    >>> split_context_name("C|St\\. Louis.A")
    ['A', 'St. Louis', 'C']
    """
    found = re.match(r"((?:[^\\|]|\\.)*)(\|?)(.*)", name, re.DOTALL)
    assert found is not None  # it matches every text
    here, bar, older = found.groups()
    parts = re.findall(r"(?:^|\.)((?:[^\\.]|\\.)*)", older, re.DOTALL) if bar else []
    return [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in (*reversed(parts), here)]


def csv_cells(names: Iterable[str], spreadsheet_safe: bool) -> list[str]:
    """Return names as CSV cells, quoted where necessary, if asked protected by `spreadsheet_safe_name`."""
    return [csv_cell(spreadsheet_safe_name(name) if spreadsheet_safe else name) for name in names]


def csv_cell(text: str) -> str:
    """Return a text as a CSV cell: quoted where necessary, and if empty, to tell it from a missing value."""
    return '"' + text.replace('"', '""') + '"' if not text or re.search('[",\r\n]', text) else text


def spreadsheet_safe_name(name: str) -> str:
    """Put `'` before a name that a spreadsheet would take for a formula (= + - @ tab CR), or that starts with `'`.

    >>> spreadsheet_safe_name("=cmd()"), spreadsheet_safe_name("Porto")
    ("'=cmd()", 'Porto')
    """
    return f"'{name}" if _FORMULA.match(name) else name


def plain_name(name: str) -> str:
    """Return the name that was given to `spreadsheet_safe_name`."""
    return name.removeprefix("'")
