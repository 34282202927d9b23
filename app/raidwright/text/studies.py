"""Published studies in words: what each asks, and who asked it."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.operations.shootout.studies import Study

from .catalogue import translated

_NAMES = {
    Study.LAYOUTS: say("Every layout on the same disks"),
    Study.FILE_SYSTEMS: say("File systems on levels and chunks"),
    Study.MIRRORS: say("One stream from a mirror, twice as fast"),
    Study.DISKS: say("More disks, more speed"),
    Study.NEAR_OR_PARITY: say("RAID 10 of four, or RAID 5 of three"),
}
_HINTS = {
    Study.LAYOUTS: say("RAID 5 in its four layouts, RAID 10 near, offset and far, RAID 0; whole and with a disk lost."),
    Study.FILE_SYSTEMS: say(
        "RAID 5, 6 and 10 with chunks of 64 KiB to 1 MiB, under each file system, aligned and not."
    ),
    Study.MIRRORS: say("A plain mirror, RAID 10 far, and cross-paired mirrors of two disks."),
    Study.DISKS: say("RAID 0, 5 and 6 from two disks to all, as lines over their number."),
    Study.NEAR_OR_PARITY: say("Eight tests of both, with the ratio between them."),
}


def study_name(study: Study) -> str:
    """Return “Every layout on the same disks”."""
    return translated(_NAMES[study])


def study_hint(study: Study) -> str:
    """Return what takes part in it."""
    return translated(_HINTS[study])
