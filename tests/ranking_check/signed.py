"""First picks that an administrator of such servers would approve, with the wishes at their defaults.

Several are right for most pools; a pick is wrong when no administrator would take it: parity of one disk over large
disks (the advice of the linux-raid list and of every maker of storage), parity over two dozen disks, a far layout
that can never be changed, most of the space left idle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from raidwright.analysis.advice.candidates import enumerate_plans
from raidwright.analysis.advice.ranking import Ranking, Wishes, rank
from raidwright.core.model.disk import Disk, Health
from raidwright.core.model.plan import Baseline, Member
from raidwright.reading.pool import imagined_members, parse_pool

UNTOUCHED = Wishes()


@dataclass(frozen=True, slots=True)
class Pool:
    """Disks, and the approved first picks by their names on the command line; none where no plan is possible."""

    text: str
    signed: frozenset[str]
    kind: str | None = None
    wishes: Wishes = UNTOUCHED
    model: str = ""
    failing: int = 0  # disks that say so, the first ones

    def members(self) -> tuple[Member, ...]:
        """One a disk."""
        members = imagined_members(parse_pool(self.text))
        kind = Baseline(kind=self.kind) if self.kind else None
        return tuple(replace(disk, model=self.model, baseline=kind) for disk in members)

    def ranking(self) -> Ranking:
        """Its plans in order."""
        disks = {
            one.id: Disk(
                one.id, "", one.model, one.id, "", one.size_bytes, health=Health(failing=number < self.failing)
            )
            for number, one in enumerate(self.members())
        }
        return rank(enumerate_plans(self.members(), disks), self.wishes)


def _pool(
    text: str,
    *signed: str,
    kind: str | None = None,
    model: str = "",
    failing: int = 0,
    wishes: Wishes = UNTOUCHED,
) -> Pool:
    return Pool(text, frozenset(signed), kind, wishes, model, failing)


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
    # the seven of 28 that another hand would not have signed: wishes for speed, SMR, three failures, a failing disk,
    # and one disk far larger than the others
    _pool("2x8TB", "raid1 ×2", wishes=Wishes(reading=100, space=0)),
    _pool("4x2TB", "raid10 n2 ×4", kind="nvme", wishes=Wishes(random=100, writing=100)),
    _pool("4x8TB", "raid6 ×4", "raid10 n2 ×4", model="ST8000DM004-2CX188"),
    _pool("8x20TB", "raid10 n2 ×8", wishes=Wishes(random=100, space=20)),
    _pool("12x8TB", "raid10 n4 ×12", wishes=Wishes(must_survive=3)),
    _pool("8x4TB", "raid6 ×7", "raid6 ×6 + spare", model="ST4000DM000-1F2168", failing=1),
    _pool("4x500GB+14TB", "raid6 ×4", "raid10 n2 ×4", "raid5 ×4"),
    # and what they are of a kind with
    _pool("4x4TB", "raid10 n2 ×4", wishes=Wishes(random=100, space=0)),
    _pool("8x8TB", "raid6 ×8", model="WD40EFAX-68JH4N1"),
    _pool("6x8TB", "raid10 n4 ×6", wishes=Wishes(must_survive=3)),
    _pool("5x8TB", "raid1 ×5", wishes=Wishes(must_survive=4)),
)
