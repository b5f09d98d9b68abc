"""Times as people and programs write them: a format of strptime, dates that begin with the day, epochs in a unit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from honem._internal.option_names import option
from honem.errors import InputError, ParameterError
from honem.io.paths.options import EventLayout

Locate: TypeAlias = Callable[[int], str]
"""A function from a row number to the name of the row in a message."""

# Codes that Arrow reads, many times faster than Python.
QUICK_CODES = frozenset("YmdHMS")
DAY_FIRST = (
    r"^\s*(?P<day>\d{1,2})[./-](?P<month>\d{1,2})[./-](?P<year>\d{4})"
    r"(?:[ T]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>\.\d{1,6})?)?)?\s*$"
)
LOOKS_SLASHED = r"^\s*\d{1,2}[./-]\d{1,2}[./-]\d{4}"


@dataclass(frozen=True)
class Writing:
    """How times are written: `format` for strptime, `unit` of numbers since 1970, or the day before the month."""

    format: str | None = None
    unit: str | None = None
    day_first: bool = False

    @classmethod
    def of(cls, layout: EventLayout) -> Writing:
        """Return what a layout says about times."""
        return cls(layout.time_format, layout.time_unit, layout.day_first)

    @property
    def is_other_than_iso(self) -> bool:
        """Whether texts need more than Arrow's parser of numbers and ISO timestamps."""
        return self.format is not None or self.day_first

    def parse(self, column: Any, name: str, place: Locate) -> Any:
        """Return a column of texts as timestamps; raise InputError that names the first row that does not fit."""
        distinct = pc.unique(column)
        parsed = _from_day_first(distinct) if self.day_first else _from_format(distinct, str(self.format))
        times = parsed.take(pc.index_in(column, distinct))
        wrong = np.flatnonzero(pc.is_null(times).to_numpy(zero_copy_only=False))
        if len(wrong):
            what = "a date that begins with the day" if self.day_first else f"a time of {self._shown_format}"
            row = int(wrong[0])
            raise InputError(f"{place(row)}: {name} is {column[row].as_py()!r:.60}, not {what}")
        return times

    @property
    def _shown_format(self) -> str:
        return option("time_format", self.format)

    def require_no_unit(self, name: str) -> None:
        """Raise ParameterError if a unit was given for a column that holds dates."""
        if self.unit is not None:
            raise ParameterError(
                f"{option('time_unit', self.unit)}: column {name!r} holds dates, not numbers; leave out "
                f"{option('time_unit')}"
            )

    @staticmethod
    def hint(column: Any) -> str:
        """Return what else a message may advise if the times look like 31/12/2024."""
        first = column[0].as_py() if len(column) else None
        if not isinstance(first, str) or not re.match(LOOKS_SLASHED, first):
            return ""
        return f" ({option('day_first')} reads 31/12/2024, {option('time_format')} any other writing)"


PLAIN = Writing()
"""Numbers of an unknown unit, ISO dates and timestamps."""


def _from_day_first(texts: Any) -> Any:
    """Return timestamps, null where a text is none; by way of ISO timestamps."""
    found = pc.extract_regex(texts, DAY_FIRST)

    def part(name: str) -> Any:
        return pc.utf8_lpad(pc.struct_field(found, name), 2, "0")

    date = pc.binary_join_element_wise(part("year"), part("month"), part("day"), "-")
    time = pc.binary_join_element_wise(part("hour"), part("minute"), part("second"), ":")
    whole = exact_times(pc.binary_join_element_wise(date, time, " "), "%Y-%m-%d %H:%M:%S")
    digits = pc.utf8_rpad(pc.utf8_slice_codeunits(pc.struct_field(found, "fraction"), 1), 6, "0")
    return pc.add(whole, digits.cast(pa.int64()).cast(pa.duration("us")))


def _from_format(texts: Any, format: str) -> Any:
    is_quick = set(re.findall(r"%(.)", format)) <= QUICK_CODES
    parsed = exact_times(texts, format) if is_quick else pa.nulls(len(texts), pa.timestamp("us"))
    left = parsed.is_null()
    moments = [_moment(text, format) for text in texts.filter(left).to_pylist()]
    return pc.replace_with_mask(parsed, left, pa.array(moments, parsed.type))


def exact_times(texts: Any, format: str) -> Any:
    """Parse with Arrow; null where a text is not written exactly so, for Arrow takes February 31 for March 2."""
    times = pc.strptime(texts, format=format, unit="s", error_is_null=True)
    is_exact = pc.equal(pc.strftime(times, format=format), texts)
    return pc.if_else(is_exact, times, None).cast(pa.timestamp("us"))


def _moment(text: str, format: str) -> datetime | None:
    try:
        moment = datetime.strptime(text, format)
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):  # in UTC it may be before the year 1 or after 9999
        return None
