"""The model's terms switched off one at a time: how far published rows move, and whether they come nearer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import log
from typing import Any
from unittest.mock import patch

import numpy as np
from raidwright.analysis.performance import near, rebuild, streams, stripes
from raidwright.analysis.performance.at_random import bitmap, rate, writes
from raidwright.analysis.performance.constants import NEAR_SPREAD
from raidwright.analysis.performance.drive import Drive

from .rate import Rate, quantiles

_MOVED = 0.005  # log deviation: what moves less is the same to three digits

Replacement = tuple[Any, str, Callable[..., Any]]  # of a module's or class's function, by name


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the model, and the functions without it."""

    name: str
    without: tuple[Replacement, ...]


def _always(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def _slowest_mirrors(array: Any, *_: object, **__: object) -> tuple[float, float]:
    heads = near._mirrors(array)
    return array.slots / array.copies.near * min(max(map(near._b_s, of_set)) for of_set in heads), NEAR_SPREAD


def _served(waiting: float, servers: float, alone_s: float, served_s: float) -> float:
    return min(waiting / max(alone_s, served_s), max(1.0, servers) / served_s)


def _ideal(_array: object, _pattern: object, ideal: object) -> object:
    return ideal


def _without_batch(*given: Any) -> Any:
    return replace(_WRITE_LOAD(*given), batch_s=0.0)


_WRITE_LOAD, _NOTING = writes._write_load, bitmap.Noting
TERMS = (
    Term(
        "throttling of writes to flash", tuple((room, "left_beside_reads", _always(1.0)) for room in (stripes, rebuild))
    ),
    Term("near copies beyond the quickest head", ((streams, "read_by_nearest", _slowest_mirrors),)),
    Term("uneven shares of a block", tuple((room, "uneven", _always(1.0)) for room in (rate, streams, writes))),
    Term("seeks between far copies", ((streams, "_member_seconds", lambda _, way, *__, **___: way.seconds),)),
    Term("pages read singly (degraded)", ((stripes, "read_singly", _always(0.0)),)),
    Term("pages left beside a rebuild", ((rebuild, "_left_of_pages", _always(1.0)),)),
    Term("partial stripes in flight", ((stripes, "_partial", _ideal),)),
    Term("split stripes of direct writes", ((stripes, "_torn", _ideal),)),
    Term("the stripe cache's pause", ((stripes, "_whole", _ideal),)),
    Term("chance in queues of flash", tuple((room, "spread_rate", _served) for room in (rate, writes))),
    Term("writes that share a bitmap update", ((writes, "_gathered", _always(1.0)),)),
    Term("a batch before a bitmap update", ((writes, "_write_load", _without_batch),)),
    Term("bits that stay set (degraded)", ((bitmap, "Noting", lambda chunks, write_s, _: _NOTING(chunks, write_s)),)),
    Term("bitmap updates", ((_NOTING, "newly_dirty", _always(0.0)),)),
    Term("disks that still write", ((writes, "_until_written_s", _always(0.0)),)),
    Term("the slowest of several turns", ((Drive, "slowest_turn_s", _always(0.0)),)),
    Term("skipped chunks", ((Drive, "skip_s", _always(0.0)),)),
    Term("requests in flight of streams", ((streams, "_of_queue", _always([])),)),
    Term("processor and md's threads, streams", ((streams, "_of_host", _always([])),)),
    Term("md's locks", tuple((room, "lock_bounds", _always(())) for room in (rate, streams))),
)


def without(term: Term, predicted: Callable[[], Sequence[Rate]]) -> Sequence[Rate]:
    """Return all rows as ``predicted`` without ``term``."""
    with ExitStack() as stack:
        for where, name, replacement in term.without:
            stack.enter_context(patch.object(where, name, replacement))
        return predicted()


def lines(predicted: Callable[[], Sequence[Rate]]) -> Iterator[str]:
    """Yield a table: the errors and coverage without each term, and of the rows that it moves before and after."""
    found = predicted()
    yield "without                                 median   90th  within   moved: rows, their median before and after"
    yield f"{'(nothing)':38} {_summary(found)}"
    for term in TERMS:
        ablated = without(term, predicted)
        pairs = [(row, other) for row, other in zip(found, ablated, strict=True) if _moved(row, other)]
        moved = f"{len(pairs):4}"
        if pairs:
            before, after = (100 * quantiles([row.error for row in of])[0] for of in zip(*pairs, strict=True))
            moved += f"  {before:4.0f}% → {after:4.0f}%"
        yield f"{term.name:38} {_summary(ablated)}   {moved}"


def _moved(row: Rate, other: Rate) -> bool:
    return abs(log(other.predicted_mb_s / row.predicted_mb_s)) > _MOVED


def _summary(found: Sequence[Rate]) -> str:
    median, ninety = quantiles([row.error for row in found])
    return f"{100 * median:7.1f}% {100 * ninety:5.0f}% {100 * np.mean([row.within for row in found]):6.1f}%"
