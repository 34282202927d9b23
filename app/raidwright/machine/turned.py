"""By what a snapshot shows that an array that was stopped, taken apart or brought back has become so, whole."""

from __future__ import annotations

from collections.abc import Callable

from .values import Snapshot, with_inner

Turned = Callable[[Snapshot], bool]


def gone(before: Snapshot, uuid: str) -> Turned:
    """Nothing is left of the array, nor of those that it was made of."""
    ours = with_inner(before, uuid)
    return lambda now: not any(array.uuid in ours for array in now.arrays)


def stopped(before: Snapshot, uuid: str) -> Turned:
    """It doesn't run, and lacks nobody whom it hasn't lacked before."""
    lacking = {lack.slot for array in before.arrays if array.uuid == uuid for lack in array.lacks}
    return lambda now: (
        not any(
            array.running or {lack.slot for lack in array.lacks} - lacking for array in now.arrays if array.uuid == uuid
        )
    )


def running(uuid: str) -> Turned:
    """It runs."""
    return lambda now: any(array.running for array in now.arrays if array.uuid == uuid)
