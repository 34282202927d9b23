"""Conversion of a MdArray into mdadm's argv, the only one: export, window and helper all use it.

Standard library only: the helper, which runs as root, imports this.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from raidwright.core.errors import PlanRefused
from raidwright.core.messages import say
from raidwright.core.model.plan import FLAGS, Bitmap, MdArray, Member, Metadata

from .layouts import Level, parse_copies

EXPLANATIONS = {
    "create": say("Make a new array, under this name."),
    "run": say("Don't stop to ask: everything that mdadm would ask about has been looked at here."),
    "force": say("One member alone is unusual; mdadm wants to hear that it is meant."),
    "level": say("How the members work together."),
    "layout": say("Where copies or parity lie on the members."),
    "chunk": say("How much goes to one member before the next one takes over."),
    "metadata": say("The format of md's own superblock, which says on each member what it belongs to."),
    "bitmap-internal": say(
        "Keeps a small map of regions being written, so that after a crash or a member's short "
        "absence only those are synchronised."
    ),
    "bitmap-lockless": say(
        "Keeps a map of regions being written, as an internal bitmap does, without a lock on the way of each write. "
        "What was never written needs no synchronisation."
    ),
    "bitmap-none": say(
        "No write-intent bitmap: every interrupted write costs a full synchronisation. "
        "Said aloud, because mdadm's own choice depends on its version."
    ),
    "bitmap-chunk": say("How much each bit of the bitmap stands for."),
    "consistency": say("How writes that were cut off in the middle are made whole again."),
    "name": say("The name that the array carries in its metadata."),
    "uuid": say("The array's own UUID, made before it is built, so that it is told from any other whatever happens."),
    "homehost": say(
        "Whose array it is: on that computer it is /dev/md/ and its name, elsewhere a number may be added."
    ),
    "size": say("Use only this much of each member."),
    "data-offset": say("Where the data begins on each member."),
    "assume-clean": say(
        "Skip the first sync. Copies differ where nothing has been written yet. Parity stays wrong wherever "
        "it was never computed, and small writes don't put that right: run repair once."
    ),
    "count": say("How many members the array has."),
    "spares": say("How many disks stand by to take a failed member's place."),
    "member": say("A member, in its slot's order, by a name that doesn't change at the next boot."),
    "missing": say("A slot left empty for a disk that comes later; the array starts degraded."),
    "inner": say("An array made by a command before this one."),
    "spare": say("A spare."),
    "write-mostly": say("Of the devices after it, md reads only when there is no other (raid1)."),
    "failfast": say("The devices after it are given up at the first error, where the array can do without them."),
    "wipe": say("Erase the signatures by which a system knows what a device holds; nothing takes it for that later."),
    "wipe-types": say("Only these, which were found on it; anything that came since stays, and is noticed."),
    "wipe-node": say("What is erased there can't be reached any more."),
    "partition": say("Write a partition table: a partition for each array that the disk is in."),
    "partition-unasked": say("It isn't asked about, and nothing is erased: the disk has been looked at here."),
    "volume-array": say("Have LVM use the array."),
    "volume-start": say("Where LVM's extents begin on it: at a whole stripe of the array."),
    "volume-group": say("Put the arrays together to one group, in their order."),
    "volume-extent": say("LVM's unit of space."),
    "volume-unasked": say("Don't stop to ask: the arrays have just been made here."),
    "volume": say("One volume over all of them: it fills one array after the other."),
    "journal": say("Writes go here first, which closes the write hole."),
}
LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"  # GPT's type of a partition for md
_LEVEL_WORDS: dict[Level, str] = {level: str(level).removeprefix("raid") for level in Level}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the command and the code of its reason (``EXPLANATIONS[why]`` is the sentence)."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program, its options, and what it reads."""

    program: str
    options: tuple[Option, ...]
    given: tuple[str, ...] = ()  # lines on its standard input

    @property
    def argv(self) -> tuple[str, ...]:
        """Program and arguments, ready for exec."""
        return (self.program, *(option.text for option in self.options))

    def shell(self) -> str:
        """The command quoted for a shell, on one line."""
        line = shlex.join(self.argv)
        return f"printf '%s\\n' {shlex.join(self.given)} | {line}" if self.given else line


def by_id_path(member: Member) -> str:
    """Return the member's stable path."""
    return f"/dev/disk/by-id/{member.id}"


def create_commands(
    plan: MdArray,
    path_of: Callable[[Member], str] = by_id_path,
    *,
    homehost: str = "",
    uuids: Iterator[str] | None = None,
    asks: bool = True,
) -> tuple[Command, ...]:
    """Return the commands that create ``plan``, inner arrays (``<name>-0``, ``-1`` …) first.

    ``homehost`` is the home host of the arrays' names; "" is the plan's own, or mdadm's default, this computer.
    ``uuids`` are the arrays' UUIDs in the order of the commands; 0.90 has the home host in its UUID, so it gets none.
    ``asks``: a person runs the commands and answers mdadm's questions about disks that hold something; False
    (``--run``) is for a caller that has checked every disk before and can't answer.

    Raises PlanRefused for a layout or an order of flags that mdadm can't express, and for a plan that keeps the disks'
    data (``assume_clean``) without all of it being known; ``capacity.capacity_of`` checks whether mdadm would accept
    the rest.
    """
    if plan.assume_clean and plan.is_guessed:
        raise PlanRefused(
            "The plan doesn't know all of the array whose data it keeps (“unknown” in it has what is missing), and a "
            "guess would destroy them. Import what mdadm --examine prints of its disks.",
            code="plan-guessed",
        )
    commands: list[Command] = []
    homehost = homehost or plan.homehost
    for slot, member in enumerate(plan.members):
        if isinstance(member, MdArray):
            named = replace(member, name=inner_name(plan.name, slot))
            commands += create_commands(named, path_of, homehost=homehost, uuids=uuids, asks=asks)
    uuid = "" if uuids is None or plan.metadata is Metadata.V0_90 else next(uuids)
    commands.append(Command("mdadm", (*_shape(plan, homehost, uuid, asks=asks), *_devices(plan, path_of))))
    return tuple(commands)


def inner_name(name: str, slot: int) -> str:
    """Return the name of the array in ``slot`` of the nested array ``name``."""
    return f"{name}-{slot}"


def array_path(name: str) -> str:
    """Return the path of the link that mdadm and udev make for an array called ``name``."""
    return f"/dev/md/{name}"


def _shape(plan: MdArray, homehost: str, uuid: str, *, asks: bool) -> Iterator[Option]:
    # fmt: off
    yield Option("--create", "create")
    yield Option(array_path(plan.name), "create")
    if not asks:
        yield Option("--run", "run")
    if len(plan.members) == 1:  # mdadm before 4.3 reads it only ahead of --raid-devices
        yield Option("--force", "force")
    yield Option(f"--level={_LEVEL_WORDS[plan.level]}", "level")
    if plan.effective_layout:
        yield Option(f"--layout={_layout_word(plan.level, plan.effective_layout)}", "layout")
    if plan.effective_chunk_kib:
        yield Option(f"--chunk={plan.effective_chunk_kib}K", "chunk")
    yield Option(f"--metadata={plan.metadata}", "metadata")
    yield from _bitmap(plan)
    if plan.consistency:
        yield Option(f"--consistency-policy={plan.consistency}", "consistency")
    yield from _named(plan.name, homehost, uuid)
    if plan.component_size_kib:
        yield Option(f"--size={plan.component_size_kib}K", "size")
    if plan.data_offset_kib:
        yield Option(f"--data-offset={plan.data_offset_kib}K", "data-offset")
    if plan.assume_clean:
        yield Option("--assume-clean", "assume-clean")
    yield Option(f"--raid-devices={len(plan.members)}", "count")
    if plan.spares:
        yield Option(f"--spare-devices={len(plan.spares)}", "spares")
    # fmt: on


def _bitmap(plan: MdArray) -> Iterator[Option]:
    if plan.level.is_redundant or plan.bitmap is not Bitmap.NONE:
        yield Option(f"--bitmap={plan.bitmap}", f"bitmap-{plan.bitmap}")
    if plan.bitmap_chunk_kib and plan.bitmap is not Bitmap.NONE:
        yield Option(f"--bitmap-chunk={plan.bitmap_chunk_kib}K", "bitmap-chunk")


def _named(name: str, homehost: str, uuid: str) -> Iterator[Option]:
    yield Option(f"--name={name}", "name")
    if uuid:
        yield Option(f"--uuid={uuid}", "uuid")
    if homehost:
        yield Option(f"--homehost={homehost}", "homehost")


def _layout_word(level: Level, layout: str) -> str:
    if level is Level.RAID10 and min(parse_copies(layout).near, parse_copies(layout).far) > 1:
        raise PlanRefused(
            "md could run the layout “{layout}”, but mdadm doesn't support near and far copies together; "
            "choose one of the two, like n2 or f2.",
            code="layout-unsayable",
            layout=layout,
        )
    return layout


def _devices(plan: MdArray, path_of: Callable[[Member], str]) -> Iterator[Option]:
    said = set[str]()
    for slot, member in _in_sayable_order(plan):
        if member is None:
            yield Option("missing", "missing")
        elif isinstance(member, MdArray):
            yield Option(array_path(inner_name(plan.name, slot)), "inner")
        else:
            yield from _flags(member, said)
            yield Option(path_of(member), "member")
    for spare in plan.spares:
        yield from _flags(spare, said)
        yield Option(path_of(spare), "spare")
    if plan.journal:  # last, since mdadm derives the data offset from the first device that it reads
        yield Option(f"--write-journal={path_of(plan.journal)}", "journal")


def _in_sayable_order(plan: MdArray) -> list[tuple[int, Member | MdArray | None]]:
    """Return slots and members, a raid1's flagged ones last: all hold the same data, and md takes any order."""
    slots = list(enumerate(plan.members))
    if plan.level is Level.RAID1:
        slots.sort(key=lambda slot: len(slot[1].flags) if isinstance(slot[1], Member) else 0)
    return slots


def _flags(member: Member, said: set[str]) -> Iterator[Option]:
    """Yield the flags that begin with ``member``, added to ``said``: --create sets them for all later devices."""
    if lacking := said - set(member.flags):
        raise PlanRefused(
            "mdadm --create sets --{flag} for every device that follows, so {device} can't be without it: mark it as "
            "well, or add it when the array is there.",
            code="flag-order",
            flag=min(lacking),
            device=member.serial or member.id,
        )
    for flag in FLAGS:
        if flag in member.flags and flag not in said:
            said.add(flag)
            yield Option(f"--{flag}", flag)
