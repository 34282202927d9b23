"""ExamineRescue: the disks of an array that doesn't start, and the hypotheses on how it may come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError
from raidwright.core.md.rescue.hypothesis import Hypothesis
from raidwright.core.md.rescue.search import Evidence, is_blank
from raidwright.core.md.rescue.stripes import Compared
from raidwright.core.model.plan import Member
from raidwright.core.protocol import looking
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.values import Snapshot
from raidwright.reading.card import Kept, read_kept
from raidwright.reading.pasted import disk_at
from raidwright.rescue.examined import Case, Examined, examined, question_of
from raidwright.rescue.offsets import offsets_of
from raidwright.rescue.table import main_array

from .operation import Operation

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_MAX_OFFSETS = 5  # each is read from all disks


@dataclass(frozen=True, slots=True)
class RescueCase:
    """The examined disks, by id, and what was found on them."""

    disks: Mapping[str, Member]
    examined: Examined

    def hypothesis(self, text: str) -> Hypothesis:
        """Return the hypothesis of the number ``text``, from 1; raises InputError."""
        count = len(self.examined.hypotheses)
        if not count and self.examined.lost:
            raise InputError(self.examined.lost, code="rescue-number", count=0)
        if not text.isdecimal() or not 0 < int(text) <= count:
            raise InputError(
                "There is no hypothesis {number}; there are {count}. List them without --try and --for-real.",
                code="rescue-number",
                number=text[:20],
                count=count,
            )
        return self.examined.hypotheses[int(text) - 1]


@dataclass(frozen=True, slots=True)
class ExamineRescue(Operation[RescueCase]):
    """Examine ``disks``, or all that nothing uses. ``uuid``: the array that is meant, "" for the largest.

    ``card`` is the text of a recovery card, plan, command or report; ``kept`` the same, read. Disks are woken.
    """

    uuid: str = ""
    disks: tuple[Member, ...] = ()
    card: str = ""
    kept: Kept | None = None

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> RescueCase:  # noqa: ARG002
        """As ``Operation.perform``; raises InputError for a card that isn't understood."""
        seen = machine.snapshot
        kept = read_kept(self.card, lambda path: _size_at(path, seen)) if self.card else self.kept
        disks = {member.id: member for member in self.disks} or _unused(seen, kept)
        meant = self.uuid or (kept.uuid if kept else "")
        disks |= {member.id: member for member in _running(seen, meant)}
        if not disks:
            raise InputError("There is no disk that nothing uses. Name the disks to examine.", code="rescue-no-disks")
        superblocks = await machine.helper.do(looking.EXAMINE_SUPERBLOCKS, list(disks), True)
        found = {disk: superblocks.get(disk) for disk in disks}
        meant = meant or main_array(found)
        running = {member.id for member in _running(seen, meant)}
        if missed := running - found.keys():  # of a copy nobody knew which array it is before it was read
            disks |= {member.id: member for member in _running(seen, meant)}
            found |= await machine.helper.do(looking.EXAMINE_SUPERBLOCKS, sorted(missed), True)
        plan = kept.plan if kept else None
        if plan is not None and not plan.members:  # the number of its members isn't told
            plan = replace(plan, members=(None,) * len(disks))
        case, evidence = Case(found, disks, plan, meant, running=frozenset(running)), Evidence()
        if running:
            return RescueCase(disks, examined(case, evidence))
        case, evidence = await self._by_evidence(case, machine)
        if case.heads is None:
            return RescueCase(disks, examined(case, evidence))
        ways, unlooked = await _by_offset(case, evidence, machine)
        return RescueCase(disks, examined(*ways[0], ways[1:], unlooked=unlooked))

    async def _by_evidence(self, case: Case, machine: Machine) -> tuple[Case, Evidence]:
        """Return the case without disks that are none of the array's, and what the stripes say of the others.

        A disk that the person named stays in it, as does one of which the stripes prove that it is a member.
        """
        named = {member.id for member in self.disks}
        free = [disk for disk, one in case.found.items() if one is None and disk not in named]
        own = await self._own_of(free, machine) if free and case.begins else {}
        told, evidence = await _asked(case, machine)
        if (search := case.search_or_none()) is not None:
            offsets = offsets_of(search.plan, [case.disks[disk] for disk in case.found])
            heads = offsets.ranked(head for one in told.values() for head in one.heads)
            case = replace(case, heads=heads if offsets.known else None)
        proven = evidence.proven(case.kept)
        if proven and not evidence.has_places:  # too many orders to ask for each; now of these disks alone
            case = replace(case, proven=frozenset(proven))
            _, evidence = await _asked(case, machine)
        zero = {disk for disk in free if is_blank(told, disk, case.kept)}
        own = {disk: names for disk, names in own.items() if disk not in proven}
        return replace(case, own=own, zero=frozenset(zero - proven)), evidence

    async def _own_of(self, disks: Sequence[str], machine: Machine) -> dict[str, tuple[str, ...]]:
        carried = await machine.helper.do(looking.EXAMINE_SIGNATURES, list(disks), True)
        names = {disk: tuple(one.name for one in found if one.name != UNKNOWN) for disk, found in carried.items()}
        return {disk: held for disk, held in names.items() if held}


async def _asked(case: Case, machine: Machine) -> tuple[Mapping[str, Compared], Evidence]:
    question = question_of(case)
    if question is None:
        return {}, Evidence()
    told = await machine.helper.do(looking.EXAMINE_STRIPES, list(question.disks), True, *question.dumped())
    found = {order: told[question.key(order)] for order in question.orders if question.key(order) in told}
    return told, Evidence.of(found, has_places=question.by_place)


async def _by_offset(case: Case, evidence: Evidence, machine: Machine) -> tuple[Sequence[tuple[Case, Evidence]], int]:
    """Return the case with each data offset that may be meant, the likeliest first, and how many more there are.

    Those at which something begins come first; where nothing does, all that mdadm's versions choose may be.
    """
    search, question = case.search_or_none(), question_of(case)
    if search is None or question is None or case.card is None:
        return [(case, evidence)], 0
    known = offsets_of(search.plan, [case.disks[disk] for disk in case.found]).known
    usual = question.begins_kib
    wanted = dict.fromkeys((*case.heads, usual) if case.heads else (usual, *known))
    ways = []
    for kib in [*wanted][:_MAX_OFFSETS]:
        there = replace(case, card=replace(case.card, data_offset_kib=kib))
        ways.append((there, evidence if kib == usual else (await _asked(there, machine))[1]))
    return ways, max(0, len(wanted) - _MAX_OFFSETS)


def _running(seen: Snapshot, uuid: str) -> tuple[Member, ...]:
    """Return the disks that the array runs of; none if it doesn't run."""
    return next((array.members for array in seen.arrays if array.uuid == uuid and array.running), ())


def _size_at(path: str, seen: Snapshot) -> int | None:
    disk = disk_at(path, seen.disks)
    return disk.size_bytes if disk else None


def _unused(seen: Snapshot, kept: Kept | None) -> dict[str, Member]:
    """Return the disks, and the members on partitions, that no running array, mount or the like uses."""
    stopped = [member for array in seen.arrays if not array.running for member in array.members]
    disks = {disk.id: disk for disk in seen.disks if disk.by_id}
    live = {disk.id for disk in disks.values() if disk.is_live} - {member.failure_unit for member in stopped}
    slices = [member for member in stopped if member.disk]
    for member in kept.plan.disks() if kept else ():
        whole = next((disk for disk in disks.values() if member.disk in (disk.id, *disk.by_id)), None)
        if whole and whole.id not in live:
            slices.append(member)
    sliced = {member.disk for member in slices}
    whole_disks = [disk.as_member() for disk in disks.values() if disk.id not in live and disk.id not in sliced]
    return {member.id: replace(member, baseline=None) for member in (*whole_disks, *slices)}
