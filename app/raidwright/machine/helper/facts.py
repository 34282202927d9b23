"""Facts that the helper has reported about a machine's disks and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.protocol.facts import ArrayFacts, DiskFacts, HostFacts, Membership

DiskFactsByDevice = Mapping[str, DiskFacts]
"""By device node (``/dev/sda``)."""

NO_FACTS = DiskFacts()


@dataclass(frozen=True, slots=True)
class HelperFacts:
    """Of disks and of arrays by device node, of former members and members' superblocks by disk id."""

    disks: DiskFactsByDevice
    arrays: Mapping[str, ArrayFacts]
    memberships: Mapping[str, Membership]
    superblocks: Mapping[str, MemberSuperblock] = field(default_factory=dict)
    host: HostFacts | None = None


NOTHING_KNOWN = HelperFacts({}, {}, {})
