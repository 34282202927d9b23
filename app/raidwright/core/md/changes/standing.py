"""The running state of an array as the helper reports it, for the search of a way."""

from __future__ import annotations

import re

from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.protocol.facts import ChangeGround

from .values import ArrayContent, ArrayStanding, former_of_line

_VERSION = re.compile(r"(\d+)\.(\d+)")


def standing_from(ground: ChangeGround) -> ArrayStanding:
    """Return the standing that ``ground`` reports."""
    found = _VERSION.match(ground.mdadm)
    return ArrayStanding(
        missing=ground.missing,
        busy=ground.busy,
        reshapes=ground.reshapes,
        content=ArrayContent(ground.kind, ground.mounted_at, ground.used_sectors),
        mdadm=MdadmVersion(int(found[1]), int(found[2])) if found else MDADM_4_4,
        shares_backup=ground.shares_backup,
        size_sectors=ground.size_sectors,
        log_room_sectors=ground.log_room_sectors,
        conf_words=ground.conf_words,
        former=tuple(map(former_of_line, ground.former)),
    )
