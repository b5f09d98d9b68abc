"""Nodes as text: one name a node, an escape for what a format cannot hold, and a name for a whole context.

The escape is the one of spreadsheets and XML tools: a character becomes `_x` and its code in four hexadecimal digits
and `_`, an empty name becomes `_x_`, and an underscore that would look like the beginning of such a thing is itself
escaped (`_x005F_`). Only names that need it are changed, and `unescape` gives back what was there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence

from honem.errors import OutputError

CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"
_ESCAPED = re.compile("_x([0-9A-F]{4})?_")
_FORMULA = re.compile(r"[=+\-@\t\r']")


def names_of(labels: Sequence[Hashable]) -> list[str]:
    """One text a label; two labels that would look the same are refused."""
    names = [label if type(label) is str else str(label) for label in labels]
    if len(set(names)) < len(names):
        _refuse_same_names(labels, names)
    return names


def _refuse_same_names(labels: Sequence[Hashable], names: list[str]) -> None:
    first: dict[str, Hashable] = {}
    for label, name in zip(labels, names, strict=True):
        if name in first:
            raise OutputError(
                f"the nodes {first[name]!r:.60} and {label!r:.60} would both be written as {name!r:.60}; rename one"
            )
        first[name] = label


def escaper(unsafe: str) -> Callable[[str], str]:
    r"""A function that escapes the characters of a regular expression's class.

    >>> escaper(" ")("St. Louis"), escaper(" ")("St._x0020_Louis"), escaper(" ")("")
    ('St._x0020_Louis', 'St._x005F_x0020_Louis', '_x_')
    """
    # An underscore is escaped also where only the escape of the next character would make it look like one.
    pattern = re.compile(rf"[{unsafe}]|_(?=x(?:[0-9A-F]{{4}})?(?:_|[{unsafe}]))")

    def escape(name: str) -> str:
        return pattern.sub(lambda found: f"_x{ord(found[0]):04X}_", name) or "_x_"

    return escape


def unescape(text: str) -> str:
    """The name that was escaped.

    >>> unescape("St._x0020_Louis"), unescape("_x_")
    ('St. Louis', '')
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "", text)


def context_name(names: Sequence[str]) -> str:
    r"""One name for a context, oldest first, that can be taken apart again: where one is, `|`, and the way back.

    A backslash goes before what would be misread: `\` everywhere, `|` where one is, `.` on the way back.

    >>> context_name(["A", "St. Louis", "C"]), context_name(["a|b"])
    ('C|St\\. Louis.A', 'a\\|b')
    """
    *older, here = names
    shown = re.sub(r"([\\|])", r"\\\1", here)
    way_back = [re.sub(r"([\\.])", r"\\\1", name) for name in reversed(older)]
    return f"{shown}|{'.'.join(way_back)}" if older else shown


def split_context_name(name: str) -> list[str]:
    r"""The nodes of a context, oldest first, from its name.

    >>> split_context_name("C|St\\. Louis.A")
    ['A', 'St. Louis', 'C']
    """
    found = re.match(r"((?:[^\\|]|\\.)*)(\|?)(.*)", name, re.DOTALL)
    assert found is not None  # it matches every text
    here, bar, older = found.groups()
    parts = re.findall(r"(?:^|\.)((?:[^\\.]|\\.)*)", older, re.DOTALL) if bar else []
    return [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in (*reversed(parts), here)]


def csv_cells(names: Iterable[str], spreadsheet_safe: bool) -> list[str]:
    """Names as CSV cells, quoted where they must be; see `spreadsheet_safe_name`."""
    return [csv_cell(spreadsheet_safe_name(name) if spreadsheet_safe else name) for name in names]


def csv_cell(text: str) -> str:
    """A text as a CSV cell: quoted where it must be, and when empty, for then it is not missing."""
    return '"' + text.replace('"', '""') + '"' if not text or re.search('[",\r\n]', text) else text


def spreadsheet_safe_name(name: str) -> str:
    """A name that no spreadsheet takes for a formula: `'` goes before those that begin with one of = + - @ tab CR '.

    >>> spreadsheet_safe_name("=cmd()"), spreadsheet_safe_name("Porto")
    ("'=cmd()", 'Porto')
    """
    return f"'{name}" if _FORMULA.match(name) else name


def plain_name(name: str) -> str:
    """What `spreadsheet_safe_name` was given."""
    return name.removeprefix("'")
