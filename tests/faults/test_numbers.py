"""Numbers at the limits of their types: exact, or refused with one line; never another number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from honem import HONEM, Corpus, CorpusError, InputError, ParameterError, extract_rules
from honem.cli import main
from honem.io.paths import from_events, read_paths


def short(value: object) -> str:
    return str(value)[:12]


EVENTS: dict[str, Any] = {"entity": "e", "node": "n"}


@pytest.mark.parametrize("weight", [2.0**63, 2.0**64, 1e300, -1.0, 0.5])
def test_weights_that_are_no_counts(weight: float) -> None:
    with pytest.raises(InputError, match=r"row 1: the weight .* is not a positive whole number"):
        from_events({"e": [1], "n": ["a"], "w": [weight]}, weight="w", **EVENTS)
    for weights in ([weight], [np.float64(weight)], np.array([weight])):
        with pytest.raises(CorpusError, match="the weight"):
            Corpus.from_sequences([["a", "b"]], weights)


def test_the_largest_weights() -> None:
    largest = 2**63 - 1
    for column in ([largest], pa.array([largest], pa.uint64()), [str(largest)]):
        assert from_events({"e": [1], "n": ["a"], "w": column}, weight="w", **EVENTS).weights.tolist() == [largest]
    assert from_events({"e": [1], "n": ["a"], "w": [2.0**62]}, weight="w", **EVENTS).weights.tolist() == [2**62]
    assert Corpus.from_sequences([["a", "b"]], [largest]).n_weighted_steps == largest
    with pytest.raises(CorpusError, match="64-bit counts"):
        Corpus.from_sequences([["a", "b"], ["a", "b"]], [largest, 1])


def on_grid(lon: list[float], lat: list[float], **options: Any) -> tuple[Any, ...]:
    table = {"e": [1] * len(lon), "x": lon, "y": lat}
    return next(from_events(table, entity="e", lon="x", lat="y", **options).sequences())


def test_fine_grids_give_exact_cells() -> None:
    # Rows times columns of this grid do not fit into 64 bits.
    lon, lat = [-180.0, 0.0, 179.0, 179.00000005], [-90.0, 0.0, 89.0, 89.00000005]
    columns, rows = [0, 18_000_000_000, 35_900_000_000], [0, 9_000_000_000, 17_900_000_000]
    expected = [f"{row}_{column}" for row, column in zip(rows, columns, strict=True)]
    assert list(on_grid(lon, lat, grid=1e-8)[:3]) == expected
    assert on_grid(lon, lat, grid=1e-8)[3] == "17900000005_35900000005"


def test_positions_in_fine_cells_are_not_moved_to_a_line() -> None:
    # 0.4 and 0.9 of the way through a cell, far from the origin.
    assert on_grid([100.0000004, 100.0000009], [0.0, 0.0], grid=1e-6) == ("90000000_280000000", "90000000_280000000")


@pytest.mark.parametrize("grid", [1e-300, 1e-10, 0.0, -1.0, float("nan"), float("inf"), 10**400], ids=short)
def test_grids_that_are_no_grids(grid: float) -> None:
    with pytest.raises(ParameterError, match="grid must be a finite number"):
        on_grid([1.0], [1.0], grid=grid)


@pytest.mark.parametrize(
    "origin", [(float("nan"), 0.0), (0.0, float("inf")), (1e300, 0.0), (0.0,), "ab", None, (0.0, "1"), (10**400, 0)]
)
def test_origins_that_are_no_places(origin: Any) -> None:
    if origin is None:
        assert on_grid([1.0], [1.0], grid=1, grid_origin=None) == ("91_181",)
        return
    with pytest.raises(ParameterError, match="grid_origin must be two numbers"):
        on_grid([1.0], [1.0], grid=1, grid_origin=origin)


HUGE = [10**30, 2**63, 10**5000]


@pytest.mark.parametrize("name", ["min_support", "max_order", "n_components", "n_jobs", "random_state"])
@pytest.mark.parametrize("value", HUGE, ids=["1e30", "2^63", "1e5000"])
def test_huge_parameters(name: str, value: int) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be a whole number of at most"):
        HONEM().set_params(**{name: value}).fit([["a", "b"]])


def test_parameters_that_are_only_large() -> None:
    rules = extract_rules(Corpus.from_sequences([list("abc")] * 3), min_support=2**63 - 1, max_order=2**63 - 1)
    assert rules.rules_by_order == {1: 2}
    with pytest.raises(ParameterError, match="alpha must be"):
        extract_rules(Corpus.from_sequences([["a", "b"]]), alpha=10**400)


@pytest.mark.parametrize(
    "options",
    [
        "--min-support 1" + "0" * 30,
        "--max-order 9223372036854775808",
        "--max-order " + "9" * 5000,
        "--threads 1000000000",
        "--max-length 1" + "0" * 30,
        "--max-bytes 1" + "0" * 30,
        "--header 1" + "0" * 30,
        "--alpha nan",
        "--alpha 1e400",
    ],
    ids=lambda options: options[:30],
)
def test_huge_options(options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.txt").write_text("a b c\n")
    try:
        code = main(["rules", str(tmp_path / "p.txt"), *options.split()])
    except SystemExit as stop:
        code = int(stop.code or 0)
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert options.split()[0] in line
    assert len(line) < 300


@pytest.mark.parametrize("dim", ["100000000000000000000", "9223372036854775807"])
def test_huge_dimensions(dim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["embed", str(tmp_path / "p.txt"), "-o", str(tmp_path / "v"), "--dim", dim])
    assert caught.value.code == 2
    assert "--dim" in capsys.readouterr().err


def test_whole_numbers_and_fractions_as_times() -> None:
    large = 2**53 + 1
    exact = from_events({"e": [1, 1], "n": ["b", "a"], "t": [str(large), str(large - 1)]}, time="t", **EVENTS)
    assert list(exact.sequences()) == [("a", "b")]
    with pytest.raises(InputError, match=r"row 1: t is 9007199254740992, which is too large to be compared"):
        from_events({"e": [1] * 3, "n": list("abc"), "t": [str(large - 1), str(large), "0.5"]}, time="t", **EVENTS)
    mixed = from_events({"e": [1] * 3, "n": list("abc"), "t": ["1e300", "2", "0.5"]}, time="t", **EVENTS)
    assert list(mixed.sequences()) == [("c", "b", "a")]


def test_times_of_several_files_keep_their_order(tmp_path: Path) -> None:
    times = (pa.array([2**53 + 1, 2**53], pa.int64()), pa.array([0.5]))
    for number, column in enumerate(times):
        names = [f"{number}{row}" for row in range(len(column))]
        table = pa.table({"e": [1] * len(column), "n": names, "t": column})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    with pytest.raises(InputError, match=r"different types|too large"):
        read_paths(str(tmp_path / "*.parquet"), time="t", **EVENTS)


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("times", "max_gap", "pieces"),
    [
        ([LEAST, MOST], 10, 2),
        ([LEAST, MOST], 2**63, 2),
        ([LEAST, MOST], float(2**64), 1),
        ([LEAST, LEAST + 10], 10, 1),
        ([LEAST, LEAST + 11], 10, 2),
        ([0, MOST], MOST, 1),
        ([0, MOST], MOST - 1, 2),
        ([0, MOST], 10.0**300, 1),
        ([0, 1], 0.5, 2),
        ([0.0, 1e308], 1e300, 2),
        ([-1e308, 1e308], 1e308, 2),
    ],
)
def test_gaps_at_the_limits(times: list[Any], max_gap: float, pieces: int) -> None:
    table = {"e": [1, 1], "n": ["a", "b"], "t": times}
    with np.errstate(all="raise", over="ignore"):
        corpus = from_events(table, time="t", max_gap=max_gap, **EVENTS)
    assert corpus.n_sequences == pieces


@pytest.mark.parametrize("max_gap", ["9" * 5000 + "d", "1." + "0" * 5000 + "s", 10**400, float("nan")], ids=short)
def test_gaps_that_are_no_durations(max_gap: Any) -> None:
    with pytest.raises(ParameterError, match="max_gap must be") as caught:
        from_events({"e": [1], "n": ["a"], "t": [1]}, time="t", max_gap=max_gap, **EVENTS)
    assert len(str(caught.value)) < 300


def test_a_gap_longer_than_all_timestamps() -> None:
    stamps = pa.array([LEAST + 1, MOST], pa.timestamp("ns"))
    table = pa.table({"e": [1, 1], "n": ["a", "b"], "t": stamps})
    assert from_events(table, time="t", max_gap="999999999999999999w", **EVENTS).n_sequences == 1
    assert from_events(table, time="t", max_gap="1w", **EVENTS).n_sequences == 2
