"""What every executor must do, whatever it runs on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from honem.rules.engines.distributed.executors.base import Executor, Packet


def square(packets: Iterator[Packet], shared: dict[str, int]) -> Iterator[Packet]:
    """Task: square the heads and add what is shared."""
    for packet in packets:
        yield packet._replace(head=packet.head**2 + shared["plus"])


def list_heads(packets: Iterator[Packet], shared: None) -> Iterator[Packet]:
    """Task: one packet per partition that has packets, with all heads."""
    heads = sorted(packet.head for packet in packets)
    if heads:
        yield Packet("list", 0, len(heads), heads, "body")


def check_contract(executor: Executor) -> None:
    """Check every method of the executor and its collections."""
    assert executor.parallelism >= 1
    numbers = executor.distribute(Packet(["even", "odd"][n % 2], n % 3, n, n, [n]) for n in range(10))
    assert Counter(numbers.collect("head")) == Counter(range(10))
    assert sorted(numbers.collect("body")) == [[n] for n in range(10)]
    assert Counter(numbers.map(square, {"plus": 1}).collect("head")) == Counter(n * n + 1 for n in range(10))
    assert Counter(numbers.union(numbers).of_kind("odd").collect("head")) == Counter([1, 3, 5, 7, 9] * 2)
    shards = numbers.shuffle(5).map(list_heads, None).collect("head")
    assert sorted(shards) == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    check_what_is_kept(numbers)
    nothing = executor.distribute([])
    assert nothing.totals() == {}
    assert nothing.shuffle(3).map(list_heads, None).union(nothing).collect("head") == []
    limit = executor.fetch_limit()
    assert limit is None or limit.size > 0


def check_what_is_kept(numbers: Any) -> None:
    """Totals are by kind; releasing twice is as good as once."""
    kept = numbers.persist()
    totals = kept.totals()
    assert {kind: total.amount for kind, total in totals.items()} == {"even": 20, "odd": 25}
    assert all(total.head >= 0 and total.body >= 0 for total in totals.values())
    assert len(kept.collect("head")) == 10
    kept.release()
    kept.release()
