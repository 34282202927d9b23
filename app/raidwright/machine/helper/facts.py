"""Facts that the helper has reported about a machine's disks and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.core.protocol.facts import ArrayFacts, DiskFacts, Membership

DiskFactsByDevice = Mapping[str, DiskFacts]
"""By device node (``/dev/sda``)."""

NO_FACTS = DiskFacts()


@dataclass(frozen=True, slots=True)
class Known:
    """Facts of disks and arrays by device node, memberships of former members by disk id."""

    disks: DiskFactsByDevice
    arrays: Mapping[str, ArrayFacts]
    memberships: Mapping[str, Membership]


NOTHING_KNOWN = Known({}, {}, {})
