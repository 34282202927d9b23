"""Scaling in words, for the window and the command line: what is scaled, the workloads, and the result."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.core.system.workload import Workload
from raidwright.operations.scaling import Scaled
from raidwright.text.catalogue import ntr, tr, translated

from .measurements import workload as workload_words

_SCALED = {"depth": say("Requests in flight"), "jobs": say("Programs at once")}
SCALABLE = {
    Workload.RANDOM_READ_4K: say("Random read, 4 KiB"),
    Workload.RANDOM_READ_512K: say("Random read, 512 KiB"),
    Workload.SEQUENTIAL_READ: say("Sequential read, 1 MiB"),
    Workload.RANDOM_MIXED_4K_Q32: say("Random, 70% reads, 4 KiB"),
    Workload.RANDOM_WRITE_4K: say("Random write, 4 KiB"),
    Workload.RANDOM_WRITE_512K: say("Random write, 512 KiB"),
    Workload.SEQUENTIAL_WRITE: say("Sequential write, 1 MiB"),
}


def scaled_title(scaled: str) -> str:
    """Return “Requests in flight”."""
    return translated(_SCALED[scaled])


def scalable_words(workload: Workload) -> str:
    """Return a workload's name without its depth."""
    return translated(SCALABLE[workload]) if workload in SCALABLE else workload_words(workload)


def scaled_words(result: Scaled) -> str:
    """Return the value from which on more brings nothing."""
    last, count = result.points[-1].value, result.plateau
    if result.is_irregular:
        most = max((one for one in result.points if one.is_measured), key=lambda one: one.mb_s)
        return tr("No regular gain: the most was at {value}, as far as was measured.", value=most.value)
    if result.scaled == "jobs":
        if count is None:
            return tr("It still gains with {last} programs at once, as far as was measured.", last=last)
        return ntr(
            "One program alone does as much as any more; others only wait.",
            "From {count} programs at once on, more bring no more than 5%; they only wait longer.",
            count,
        )
    if count is None:
        return tr("It still gains at {last} requests in flight, as far as was measured.", last=last)
    return ntr(
        "One request in flight does as much as any more; others only wait.",
        "From {count} requests in flight on, more bring no more than 5%; they only wait longer.",
        count,
    )
