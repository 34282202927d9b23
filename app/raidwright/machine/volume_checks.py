"""Recorded checks as people see them: one of a joined volume for those of its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidwright.core.protocol.facts import Check
from raidwright.core.protocol.joined_checks import volume_checks
from raidwright.machine.values import Array

from .joined_volumes import with_volumes
from .states.volume import State, Volume

_WITHOUT_COPIES = ("raid0", "linear")


def with_volume_checks(checks: Sequence[Check], arrays: Iterable[Array]) -> tuple[Check, ...]:
    """Return ``checks``, the latest first, with those of a volume's arrays in one where all were checked together.

    A volume's check has its name, and the UUID of its first array, as the volume has.
    """
    shown, hidden = list[Check](), set[str]()
    for volume in (one for one in with_volumes(arrays) if isinstance(one, Volume)):
        uuids = {band.uuid for band in volume.bands if band.level not in _WITHOUT_COPIES}
        if found := tuple(volume_checks(volume.uuid, volume.name, uuids, checks)):
            shown += found
            hidden |= uuids
    shown += [check for check in checks if check.uuid not in hidden]
    return tuple(sorted(shown, key=lambda check: check.began_s, reverse=True))


def last_check(checks: Iterable[Check], array: State) -> Check | None:
    """Return the first of ``checks`` that is of ``array``; of a volume none that is of its first array alone."""
    own = (check for check in checks if check.uuid == array.uuid)
    return next((check for check in own if isinstance(array, Array) or check.name == array.name), None)
