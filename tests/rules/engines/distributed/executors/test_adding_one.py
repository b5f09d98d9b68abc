"""An executor is one file: this one adds the roughest cluster imaginable, and everything runs on it."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from honem import HONEM, Corpus, ExtractionParams, extract_rules
from honem.cli import main
from honem.rules.engines import ENGINES, make_engine, register_engine
from honem.rules.engines.distributed.driver import DistributedEngine
from honem.rules.engines.distributed.executors.base import (
    Collection,
    Executor,
    Packet,
    PacketPart,
    TaskFunction,
    Totals,
)
from honem.rules.engines.distributed.rules import DistributedRules
from honem.rules.engines.reference import ReferenceEngine
from tests.comparing import assert_same_neighborhood, assert_same_rules
from tests.rules.engines.distributed.executors.contract import check_contract
from tests.strategies import corpora, params

Partitions = list[list[bytes]]
TRIPS = [["dorm", "downtown", "library"]] * 20 + [["home", "downtown", "office"]] * 20


@dataclass(frozen=True, eq=False)
class RoughCollection(Collection):
    """Packets that always travel as bytes, and are computed again whenever they are needed.

    Partitions are processed in reverse order, each task runs twice, and packets arrive in a different order every time.
    """

    compute: Callable[[], Partitions]
    chance: random.Random

    def map(self, task: TaskFunction, shared: Any) -> RoughCollection:
        sent = pickle.dumps((task, shared))

        def run() -> Partitions:
            before = self.compute()
            after = [run_twice(sent, packets) for packets in reversed(before)]
            return after[::-1]

        return RoughCollection(run, self.chance)

    def shuffle(self, n_shards: int) -> RoughCollection:
        def run() -> Partitions:
            partitions: Partitions = [[] for _ in range(n_shards)]
            for packet in self.packets():
                partitions[packet.shard].append(pickle.dumps(packet))
            for packets in partitions:
                self.chance.shuffle(packets)
            return partitions

        return RoughCollection(run, self.chance)

    def union(self, other: Collection) -> RoughCollection:
        assert isinstance(other, RoughCollection)
        return RoughCollection(lambda: [*self.compute(), *other.compute()], self.chance)

    def of_kind(self, kind: str) -> RoughCollection:
        def run() -> Partitions:
            return [[sent for sent in packets if pickle.loads(sent).kind == kind] for packets in self.compute()]

        return RoughCollection(run, self.chance)

    def persist(self) -> RoughCollection:
        return self

    def release(self) -> None:
        pass

    def totals(self) -> dict[str, Totals]:
        totals: dict[str, Totals] = {}
        for packet in self.packets():
            sizes = packet.amount, len(pickle.dumps(packet.head)), len(pickle.dumps(packet.body))
            before = totals.get(packet.kind, Totals(0, 0, 0))
            totals[packet.kind] = Totals(*(one + other for one, other in zip(before, sizes, strict=True)))
        return totals

    def collect(self, part: PacketPart) -> list[Any]:
        return [getattr(packet, part) for packet in self.packets()]

    def packets(self) -> Iterator[Packet]:
        return (pickle.loads(sent) for packets in self.compute() for sent in packets)


def run_twice(sent: bytes, packets: list[bytes]) -> list[bytes]:
    """Run a task, and once more as if the first worker had died after its work."""
    for _ in range(2):
        task, shared = pickle.loads(sent)
        done = [pickle.dumps(packet) for packet in task(map(pickle.loads, packets), shared)]
    return done


class RoughExecutor(Executor):
    """Makes rough collections."""

    parallelism = 3

    def distribute(self, packets: Iterable[Packet]) -> RoughCollection:
        sent = [pickle.dumps(packet) for packet in packets]
        return RoughCollection(lambda: [sent[first::2] for first in range(2)], random.Random(7))


@pytest.fixture(autouse=True, scope="module")
def _registered() -> Iterator[None]:
    """Registered while these tests run; the module of a package would register when it is imported."""
    register_engine("rough", lambda n_jobs, progress: DistributedEngine(RoughExecutor(), first_window=2))
    yield
    del ENGINES["rough"]


def test_it_keeps_the_contract() -> None:
    check_contract(RoughExecutor())


@settings(max_examples=40)
@given(corpus=corpora(), options=params)
def test_it_finds_the_rules_of_the_reference(corpus: Corpus, options: ExtractionParams) -> None:
    expected = ReferenceEngine().extract_rules(corpus, options)
    rules = make_engine("rough").find_rules(corpus, options)
    assert isinstance(rules, DistributedRules)
    assert_same_neighborhood(rules, expected)
    assert_same_rules(rules.table(), expected)


def test_it_is_an_engine_like_the_others() -> None:
    corpus = Corpus.from_sequences(TRIPS)
    assert_same_rules(extract_rules(corpus, engine="rough", min_support=2), extract_rules(corpus, min_support=2))
    model, expected = HONEM(3, engine="rough").fit(TRIPS), HONEM(3).fit(TRIPS)
    np.testing.assert_array_equal(model.embedding_.source, expected.embedding_.source)
    assert_same_rules(model.rules_, expected.rules_)


def test_the_command_line_knows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = tmp_path / "paths.txt"
    paths.write_text("\n".join(" ".join(trip) for trip in TRIPS))
    written = []
    for engine in ("rough", "local"):
        assert main(["rules", str(paths), "--engine", engine]) == 0
        written.append([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert written[0] == written[1]
    assert len(written[0]) > 4
