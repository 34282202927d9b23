"""Trials: one authorisation for a whole shoot-out, on named disks and for a limited time.

Measuring ten candidates builds, fails, rebuilds and stops as many scratch arrays. With a prompt each time, a person
would type the password a hundred times and stop reading the prompts. So polkit is asked once, with the disks and the
time in its prompt; a trial then covers only the caller's own scratch arrays on these very disks. It belongs to one
connection to the bus and ends with it, and with the helper. So does a sweep: values of named settings on one named
array, until the array stops at the latest, and measuring it.
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
    """The authorised callers, and the disks of their trials."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._by_owner: dict[str, _Trial] = {}
        self._sweeps: dict[str, _Sweep] = {}

    def begin(self, owner: str, disks: Iterable[Member], minutes: int, unknown: Iterable[str] = ()) -> None:
        """Authorise ``owner``, a unique bus name, for ``disks`` and ``minutes``; its earlier trial ends.

        On those of the by-id names ``unknown`` unrecognised bytes may be overwritten.
        """
        ends_s = self._now_s() + minutes * 60
        self._by_owner[owner] = _Trial(frozenset(map(_known_by, disks)), ends_s, frozenset(unknown))

    def begin_sweep(self, owner: str, array: str, settings: Iterable[str], minutes: int) -> None:
        """Authorise ``owner`` for values of ``settings`` on ``array``, by UUID; its earlier sweep ends."""
        self._sweeps[owner] = _Sweep(array, frozenset(settings), self._now_s() + minutes * 60)

    def end(self, owner: str) -> None:
        """End the trial and the sweep of ``owner``, who has left the bus."""
        self._by_owner.pop(owner, None)
        self._sweeps.pop(owner, None)

    def has(self, owner: str) -> bool:
        """Return whether ``owner`` has begun a trial."""
        return owner in self._by_owner

    def knows(self, owner: str) -> bool:
        """Return whether ``owner`` has begun a trial or a sweep."""
        return owner in self._by_owner or owner in self._sweeps

    def unknown_of(self, owner: str) -> frozenset[str]:
        """Return the disks, by by-id name, on which ``owner``'s trial may overwrite unrecognised bytes."""
        trial = self._by_owner.get(owner)
        return trial.unknown if trial is not None else frozenset()

    def sweeps(self, owner: str, array: str, settings: Iterable[str] = ()) -> bool:
        """Return whether ``owner`` may measure ``array`` now, with other values of ``settings``."""
        sweep = self._sweeps.get(owner)
        return (
            sweep is not None
            and array == sweep.array
            and self._now_s() < sweep.ends_s
            and (sweep.settings >= frozenset(settings))
        )

    def covers(self, owner: str, disks: Iterable[Member]) -> bool:
        """Return whether ``owner`` may use all of ``disks`` now; each must be identical to an authorised one."""
        trial = self._by_owner.get(owner)
        wanted = frozenset(map(_known_by, disks))
        return trial is not None and bool(wanted) and wanted <= trial.disks and self._now_s() < trial.ends_s


def _known_by(disk: Member) -> Member:
    """Return the disk's identifying fields only."""
    return replace(disk, baseline=None, afr=None, age_years=None)
