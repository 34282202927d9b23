"""The checks of a joined volume's arrays as one check of the volume.

md checks each array for itself, those that share disks one after the other, and each has its own record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .facts import Check, CheckState

_ORDER = (CheckState.RUNNING, CheckState.PAUSED, CheckState.INTERRUPTED)  # the first of any array is the volume's
_GAP_SECONDS = 600  # between an array's end and the next one's begin, which mdadm's monitor reports once a minute


def as_one(uuid: str, name: str, checks: Sequence[Check]) -> Check:
    """Return the check of the volume ``uuid``, called ``name``, of its arrays' ``checks``, one each."""
    states = {check.state for check in checks}
    ends = [check.ended_s for check in checks]
    return Check(
        uuid=uuid,
        name=name,
        state=next((state for state in _ORDER if state in states), CheckState.DONE),
        began_s=min(check.began_s for check in checks),
        ended_s=None if None in ends else max(end for end in ends if end is not None),
        mismatch_sectors=sum(check.mismatch_sectors for check in checks),
    )


def volume_checks(uuid: str, name: str, arrays: Collection[str], checks: Sequence[Check]) -> Iterator[Check]:
    """Yield the checks of the volume, the latest first: one where each of its ``arrays`` was checked with the others.

    ``arrays`` are the UUIDs of those with copies or parity; ``checks`` are all that are recorded.
    """
    group: list[Check] = []
    for check in sorted((one for one in checks if one.uuid in arrays), key=lambda one: one.began_s, reverse=True):
        if group and (check.uuid in {one.uuid for one in group} or not _is_near(check, group)):
            group = []
        group.append(check)
        if len(group) == len(arrays):
            yield as_one(uuid, name, group)
            group = []


def _is_near(check: Check, later: Sequence[Check]) -> bool:
    """Return whether ``check`` was running, or had just ended, as the next one of the group began."""
    begins = min(one.began_s for one in later)
    return check.ended_s is None or begins <= check.ended_s + _GAP_SECONDS
