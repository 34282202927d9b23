"""Foreign RAID metadata formats that md runs: their names for people."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.core.messages import Message, say

_MAKES: Mapping[str, Message] = {
    "imsm": say("Intel firmware RAID (imsm)"),
    "ddf": say("firmware RAID in DDF format (ddf)"),
}
MEMBER_SIGNATURES: Mapping[str, str] = {"isw_raid_member": "imsm", "ddf_raid_member": "ddf"}
"""libblkid's names of what is on the members, and the make."""


def make_name(make: str) -> Message:
    """Return the name of ``make``, mdadm's word for a metadata format."""
    return _MAKES.get(make) or say("RAID with metadata of another make ({make})", make=make)
