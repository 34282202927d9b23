"""Words on how md's work gives way to other work, which its pace and its times depend on, by the machine's kernel."""

from __future__ import annotations

from raidwright.core.md.known import SYNC_THROTTLED_BY_QUEUE, kernel_of
from raidwright.machine.states.volume import State

from .catalogue import tr


def gives_way_words(array: State) -> str:
    """Return how md's work on ``array`` gives way to other work; "" if its kernel isn't known."""
    release = array.host.kernel if array.host else ""
    kernel = kernel_of(release)
    if kernel is None:
        return ""
    if SYNC_THROTTLED_BY_QUEUE.holds(kernel):
        return tr(
            "Beside other work on the array, Linux {kernel} keeps some of md's requests in flight (md/sync_io_depth, "
            "32 unless set) and holds back the rest: md's work is slowed less than before Linux 6.16, the other work "
            "more.",
            kernel=release,
        )
    return tr(
        "Beside other work on these disks, Linux {kernel} holds md's work back, to sync_speed_min at the least (1,000 "
        "KiB/s along each disk unless set).",
        kernel=release,
    )
