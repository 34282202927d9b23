"""First picks that people who look after such servers would put their name to, for wishes that nobody has touched.

Several are right for most pools; what is wrong is one that none of them would take: parity of one disk over large
disks (the advice of the linux-raid list and of every maker of storage), parity over two dozen disks, a far layout
that can never be changed, most of the space left idle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from raidwright.core.model.plan import Baseline, Member
from raidwright.core.model.pool import imagined_members, parse_pool


@dataclass(frozen=True, slots=True)
class Pool:
    """Disks, and the first picks that would be signed, as the command line names them; none where nothing can be."""

    text: str
    signed: frozenset[str]
    kind: str | None = None

    def members(self) -> tuple[Member, ...]:
        """One a disk."""
        members = imagined_members(parse_pool(self.text))
        return tuple(replace(disk, baseline=Baseline(kind=self.kind) if self.kind else None) for disk in members)


def _pool(text: str, *signed: str, kind: str | None = None) -> Pool:
    return Pool(text, frozenset(signed), kind)


POOLS = (
    # the five that were found wanting
    _pool("2x8TB", "raid1 ×2"),
    _pool("4x8TB", "raid6 ×4", "raid10 n2 ×4"),
    _pool("2x8TB+2x4TB", "raid0 of 2 raid1 ×2"),
    _pool("24x8TB", "raid0 of 2 raid6 ×12", "raid0 of 3 raid6 ×8", "raid0 of 4 raid6 ×6"),
    _pool("3x8TB+2x5TB", "raid6 ×5"),
    # and others
    _pool("1x8TB"),
    _pool("8TB+4TB", "raid1 ×2"),
    _pool("3x4TB", "raid1 ×3", "raid10 n2 ×3"),
    _pool("3x8TB+4TB", "raid0 of 2 raid1 ×2", "raid10 n2 ×3"),
    _pool("4x1TB", "raid5 ×4", "raid6 ×4", "raid10 n2 ×4", kind="ssd"),
    _pool("5x8TB", "raid6 ×5"),
    _pool("6x10TB", "raid6 ×6", "raid6 ×5 + spare"),
    _pool("8x18TB", "raid6 ×8", "raid6 ×7 + spare", "raid0 of 2 raid6 ×4"),
    _pool("12x20TB", "raid6 ×12", "raid6 ×11 + spare", "raid0 of 2 raid6 ×6"),
    _pool("4x8TB+4x4TB", "raid6 ×8", "raid0 of 2 raid6 ×4", "raid0 of 4 raid1 ×2"),
    _pool("17x8TB", "raid0 of 2 raid6 ×8"),
    _pool("12x8TB+12x4TB", "raid0 of 2 raid6 ×12", "raid0 of 3 raid6 ×8"),
)
