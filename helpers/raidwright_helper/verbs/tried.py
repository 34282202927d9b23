"""Arrays covered by a trial: a caller's own scratch arrays, on disks that it is authorised for."""

from __future__ import annotations

from raidwright_helper.jobs.trials import Trials
from raidwright_helper.records.scratch import ScratchArrays


def tries_own(trials: Trials, scratch: ScratchArrays, owner: str, uuid: str) -> bool:
    """Return whether ``uuid`` is a scratch array of ``owner``, or an inner one, on disks that its trial covers."""
    own = scratch.of(owner, uuid) if trials.has(owner) else None  # no records are read for others
    return own is not None and trials.covers(owner, own.members)
