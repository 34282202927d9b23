"""Trials: one permission for all that a shoot-out does, on disks that were named and until a time that was named.

Measuring ten candidates builds, fails, rebuilds and stops as many scratch arrays. Asked each time, a person would type
the password a hundred times and read no prompt any more. So polkit is asked once, with the disks and the time in its
prompt; what a trial then covers is a caller's own scratch arrays on these very disks, and nothing else. It is of one
connection to the bus and ends with it, and with the helper. So is a sweep: values of settings that were named, on one
array that was named, until the array stops and no longer, and measuring it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from raidwright.core.model.plan import Member


@dataclass(frozen=True, slots=True)
class _Trial:
    disks: frozenset[Member]
    ends_s: float
    unknown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Sweep:
    array: str
    settings: frozenset[str]
    ends_s: float


class Trials:
    """Who may try arrays on which disks."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._by_owner: dict[str, _Trial] = {}
        self._sweeps: dict[str, _Sweep] = {}

    def begin(self, owner: str, disks: Iterable[Member], minutes: int, unknown: Iterable[str] = ()) -> None:
        """Let ``owner``, a unique bus name, use ``disks`` for so many minutes; what it had before ends.

        On those of the by-id names ``unknown`` bytes that nothing recognises may be overwritten.
        """
        ends_s = self._now_s() + minutes * 60
        self._by_owner[owner] = _Trial(frozenset(map(_known_by, disks)), ends_s, frozenset(unknown))

    def begin_sweep(self, owner: str, array: str, settings: Iterable[str], minutes: int) -> None:
        """Let ``owner`` try values of ``settings`` on ``array``, by UUID, and measure it; its sweep before ends."""
        self._sweeps[owner] = _Sweep(array, frozenset(settings), self._now_s() + minutes * 60)

    def end(self, owner: str) -> None:
        """It has left the bus."""
        self._by_owner.pop(owner, None)
        self._sweeps.pop(owner, None)

    def has(self, owner: str) -> bool:
        """Whether ``owner`` has begun one."""
        return owner in self._by_owner

    def knows(self, owner: str) -> bool:
        """Whether ``owner`` has begun a trial or a sweep."""
        return owner in self._by_owner or owner in self._sweeps

    def unknown_of(self, owner: str) -> frozenset[str]:
        """The disks, by by-id name, on which ``owner``'s trial may overwrite bytes that nothing recognises."""
        trial = self._by_owner.get(owner)
        return trial.unknown if trial is not None else frozenset()

    def sweeps(self, owner: str, array: str, settings: Iterable[str] = ()) -> bool:
        """Whether ``owner`` may measure ``array`` now, with other values of ``settings``."""
        sweep = self._sweeps.get(owner)
        return (
            sweep is not None
            and array == sweep.array
            and self._now_s() < sweep.ends_s
            and (sweep.settings >= frozenset(settings))
        )

    def covers(self, owner: str, disks: Iterable[Member]) -> bool:
        """Whether ``owner`` may use all of ``disks`` now; each must be said to be the very one that was let."""
        trial = self._by_owner.get(owner)
        wanted = frozenset(map(_known_by, disks))
        return trial is not None and bool(wanted) and wanted <= trial.disks and self._now_s() < trial.ends_s


def _known_by(disk: Member) -> Member:
    """All that a disk is compared by, and nothing that is only said of it."""
    return replace(disk, baseline=None, afr=None, age_years=None)
