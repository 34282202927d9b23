"""What a trial covers of arrays: a caller's own scratch arrays, on disks that it was let try."""

from __future__ import annotations

from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.service.trials import Trials


def tries_own(trials: Trials, scratch: ScratchArrays, owner: str, uuid: str) -> bool:
    """Whether ``uuid`` is of a scratch array of ``owner``'s, or inside of one, all of whose disks its trial covers."""
    own = scratch.of(owner, uuid) if trials.has(owner) else None  # records are read for nobody else
    return own is not None and trials.covers(owner, own.members)
