"""Histories of members: simulated mirrors, of which each disk's writes are known, against what superblocks tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.md.assembly import AssemblyState, MemberState, assemblies
from raidwright.core.md.histories import History, beside_running, branches, history, of_branch
from raidwright.core.md.member_superblock import RECOVERING, RECOVERS_BY_BITMAP, MemberSuperblock

UUID = "0a1b2c3d:00000001:00000002:00000003"
_NOBODY = -1


@dataclass
class _Disk:
    """A disk of the simulated mirror: its superblock, and the writes that it has seen."""

    superblock: MemberSuperblock
    writes: frozenset[int] = frozenset()


@dataclass
class _Mirror:
    """An md mirror as the kernel keeps its superblocks: each running epoch notes who is missing, by an event."""

    slots: int
    disks: list[_Disk] = field(default_factory=list)
    clock_s: int = 1000
    running: list[int] = field(default_factory=list)
    next_number: int = 0  # md gives a number again once its disk is gone; nothing would tell such disks apart

    def __post_init__(self) -> None:
        roles, self.next_number = tuple(range(self.slots)), self.slots
        for slot in roles:
            superblock = MemberSuperblock(
                UUID, "1.2", "raid1", self.slots, 2, self.clock_s, slot=slot, working=roles, number=slot, roles=roles
            )
            self.disks.append(_Disk(replace(superblock, device_uuid=f"disk {slot}")))

    def run(self, plugged: set[int]) -> None:
        """Start it of the ``plugged`` disks as mdadm does, and write to it."""
        here = {disk: self.disks[disk].superblock for disk in plugged}
        newest = max(here.values(), key=lambda one: (one.events, one.updated_s))
        fresh = (disk for disk, one in here.items() if one.events + 1 >= newest.events and one.slot in newest.working)
        self.running = list({here[disk].slot: disk for disk in fresh}.values())
        self.write()

    def write(self) -> None:
        """Write to what runs: a change of the members is an event, and so is the write itself."""
        self.clock_s += 10
        slots = {self.disks[disk].superblock.number: self.disks[disk].superblock.slot for disk in self.running}
        roles = tuple(slots.get(number, _NOBODY) for number in range(max(slots) + 1))
        for disk in self.running:
            one = self.disks[disk]
            one.superblock = replace(
                one.superblock,
                events=one.superblock.events + 2,
                updated_s=self.clock_s,
                roles=tuple(_NOBODY if slot is None else slot for slot in roles),
                working=tuple(sorted(slot for slot in slots.values() if slot is not None)),
            )
            one.writes |= {self.clock_s}

    def drop(self, disk: int) -> None:
        """Pull a running disk; the others go on."""
        if disk in self.running and len(self.running) > 1:
            self.running.remove(disk)
            self.write()

    def take_back(self, disk: int) -> None:
        """Take a former disk back if its history allows that; else as a new one, with a new number."""
        if disk in self.running or not self.running:
            return
        member, former = self.disks[self.running[0]], self.disks[disk]
        taken = {self.disks[one].superblock.slot for one in self.running}
        slot = former.superblock.slot
        if slot in taken:
            return
        number = former.superblock.number
        if not self.history(disk).catches_up:
            number, self.next_number = self.next_number, self.next_number + 1
        former.superblock = replace(member.superblock, slot=slot, number=number, device_uuid=f"{disk} {self.clock_s}")
        former.writes = member.writes
        self.running.append(disk)
        self.write()

    def history(self, disk: int) -> History:
        """Return the judgement of a disk beside what runs."""
        member = self.disks[self.running[0]].superblock
        slots = [self.disks[one].superblock.slot for one in self.running]
        return beside_running(self.disks[disk].superblock, member, [slot for slot in slots if slot is not None])

    @property
    def superblocks(self) -> Mapping[str, MemberSuperblock]:
        """All superblocks, by the disks' names."""
        return {str(name): one.superblock for name, one in enumerate(self.disks)}


_EPOCHS = st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=6)
_STEPS = st.lists(
    st.tuples(st.sampled_from(("run", "drop", "take back")), st.sets(st.integers(0, 3), min_size=1)), max_size=12
)


@given(st.integers(2, 4), _EPOCHS)
def test_epochs_apart_are_told_from_members_that_only_fell_behind(slots: int, epochs: list[set[int]]) -> None:
    """Without rejoining nothing is in doubt: parted if and only if each of two disks has a write of its own."""
    mirror = _Mirror(slots)
    for plugged in epochs:
        mirror.run({disk % slots for disk in plugged})
    for one in mirror.disks:
        for other in mirror.disks:
            if one is not other:
                assert history(one.superblock, [other.superblock]) is _true(one.writes, other.writes)
    heads = {
        name for name, one in enumerate(mirror.disks) if not any(one.writes < other.writes for other in mirror.disks)
    }
    found = branches(mirror.superblocks)
    assert {int(name) for branch in found for name in branch.members} == heads
    assert len(found) == len({mirror.disks[head].writes for head in heads})
    for branch in found:
        own = mirror.disks[int(branch.members[0])].writes
        kept = {int(name) for name in of_branch(mirror.superblocks, branch.members[0])}
        assert kept == {name for name, one in enumerate(mirror.disks) if one.writes <= own}
    [assembly] = assemblies(mirror.superblocks)
    assert (assembly.state is AssemblyState.PARTED) == (len(found) > 1)
    apart = {name for name, state in assembly.members if state is MemberState.PARTED}
    newest = mirror.disks[int(found[0].members[0])].writes
    assert apart == {str(name) for name, one in enumerate(mirror.disks) if not one.writes <= newest}


def _true(one: frozenset[int], other: frozenset[int]) -> History:
    if one == other:
        return History.SAME
    if one < other:
        return History.BEHIND
    return History.AHEAD if one > other else History.PARTED


@given(st.integers(2, 4), _STEPS)
def test_whatever_happened_only_a_disk_that_has_nothing_of_its_own_catches_up(
    slots: int, steps: list[tuple[str, set[int]]]
) -> None:
    mirror = _Mirror(slots)
    mirror.run(set(range(slots)))
    for step, chosen in steps:
        disks = {disk % slots for disk in chosen}
        if step == "run":
            mirror.run(disks)
        for disk in disks:
            if step == "drop":
                mirror.drop(disk)
            elif step == "take back":
                mirror.take_back(disk)
        running = mirror.disks[mirror.running[0]].writes
        for disk, one in enumerate(mirror.disks):
            if disk not in mirror.running and mirror.history(disk).catches_up:
                assert one.writes <= running


def test_a_replaced_disk_is_behind_also_when_only_its_successor_is_left() -> None:
    """A mirror's second disk failed and was replaced; then the first failed, and the old second is plugged in again."""
    mirror = _Mirror(2)
    mirror.run({0, 1})
    mirror.drop(1)
    old = mirror.disks[1].superblock
    mirror.disks.append(_Disk(replace(old, slot=1, feature_map=RECOVERING)))
    mirror.take_back(2)
    mirror.drop(0)
    assert mirror.running == [2]
    assert mirror.history(1) is History.BEHIND
    assert mirror.history(0) is History.BEHIND


def test_a_rebuild_that_went_by_the_bitmap_is_no_new_disk() -> None:
    """A member whose catching up was cut off still has all that it had before."""
    mirror = _Mirror(2)
    mirror.run({0, 1})
    mirror.drop(1)
    late = mirror.disks[1].superblock
    member = mirror.disks[0].superblock
    assert history(replace(late, feature_map=RECOVERING), [member]) is History.REBUILDING
    assert history(replace(late, feature_map=RECOVERING | RECOVERS_BY_BITMAP), [member]) is History.BEHIND
    assert history(replace(late, slot=None), [member]) is History.NO_DATA
    assert history(member, [late]) is History.AHEAD
    assert history(member, [member]) is History.COPY
