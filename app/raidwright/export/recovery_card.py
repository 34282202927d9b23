"""The recovery card: what somebody needs who stands before these disks without the computer that knew them.

Text to print and to keep elsewhere. The command that makes the array anew says everything that mdadm could choose
otherwise (data offset, component size), since versions of mdadm choose differently; ``mdadm(8)``, ``--data-offset``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.mdadm import array_path, create_commands, inner_name
from raidwright.core.model.plan import Bitmap, Member, Metadata, Plan
from raidwright.core.sizes import binary_size, decimal_size


@dataclass(frozen=True, slots=True)
class BuiltArray:
    """What is only known once the array stands. ``made`` is a date, for people."""

    uuid: str
    made: str = ""


def recovery_card(plan: Plan, built: BuiltArray | None = None) -> str:
    """The card for ``plan``; before it is built the UUID is left open. Raises PlanRefused."""
    capacity = capacity_of(plan)
    uuid = built.uuid if built else ""
    made = f", made {built.made}" if built and built.made else ""
    title = f"Recovery card of the array “{plan.name}”{made}"
    parts = (
        [title, "=" * len(title), "", "Print this and keep it where the computer isn't."],
        _section("The array", _facts(plan, capacity, uuid)),
        _section("Its disks, in their order", _disks(plan, capacity)),
        _section("To start it", _start(plan, uuid)),
        _section("The last resort", _last_resort(plan, capacity)),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def plan_to_recreate(plan: Plan, capacity: Capacity) -> Plan | None:
    """``plan`` with nothing left to mdadm's choice and nothing written but superblocks.

    None where mdadm has no word for it: members whose data begin at different places.
    """
    offsets = set(capacity.data_offset_sectors[: len(plan.members)]) - {None}
    if len(offsets) > 1:
        return None
    inner = iter(capacity.inner)
    members = [plan_to_recreate(one, next(inner)) if isinstance(one, Plan) else one for one in plan.members]
    if any(new is None and old is not None for new, old in zip(members, plan.members, strict=True)):
        return None
    has_offset = plan.metadata in (Metadata.V1_1, Metadata.V1_2)
    return replace(
        plan,
        members=tuple(members),
        spares=(),
        journal=None,
        consistency=None,
        bitmap=Bitmap.NONE,
        assume_clean=True,
        component_size_kib=capacity.component_size_kib or None,
        data_offset_kib=(next(iter(offsets), 0) or 0) // 2 or None if has_offset else None,
    )


def _section(title: str, lines: Iterator[str]) -> list[str]:
    return ["", title, "-" * len(title), *lines]


def _facts(plan: Plan, capacity: Capacity, uuid: str) -> Iterator[str]:
    size = capacity.array_bytes
    facts = {
        "Name": plan.name,
        "UUID": uuid or "(not built yet; see mdadm --detail)",
        "Level": str(plan.level),
        "Layout": plan.effective_layout or "(the level has none)",
        "Chunk": f"{plan.effective_chunk_kib} KiB" if plan.effective_chunk_kib else "(the level has none)",
        "Metadata": str(plan.metadata),
        "Bitmap": str(plan.bitmap),
        "Size": f"{capacity.array_sectors} sectors of 512 bytes ({decimal_size(size)}, {binary_size(size)})",
        "Component": f"{capacity.component_size_kib} KiB of each member" if capacity.component_size_kib else "",
    }
    yield from (f"{name + ':':<12}{value}" for name, value in facts.items() if value)


def _disks(plan: Plan, capacity: Capacity, prefix: str = "") -> Iterator[str]:
    spares = [(f"spare {n}", one) for n, one in enumerate(plan.spares)]
    slots = [(f"slot {prefix}{n}", one) for n, one in enumerate(plan.members)]
    inner = iter(capacity.inner)
    # not strict: with metadata 0.90 a journal is one more spare to the kernel
    for (place, device), offset in zip([*slots, *spares], capacity.data_offset_sectors, strict=False):
        if isinstance(device, Plan):
            number = place.removeprefix("slot ")
            yield f"{place}: the array “{inner_name(plan.name, int(number))}” ({device.level})"
            yield from _disks(replace(device, name=inner_name(plan.name, int(number))), next(inner), f"{number}.")
        else:
            yield from _disk(place, device)
            yield f"    data begin at sector {offset}" if device else "    for a disk that comes later"
    if plan.journal:
        yield from _disk("journal", plan.journal)


def _disk(place: str, member: Member | None) -> Iterator[str]:
    if member is None:
        yield f"{place}: left empty"
        return
    label = " ".join(part for part in (member.model, member.serial) if part)
    yield f"{place}: {label or member.id}, {member.size_bytes} bytes ({decimal_size(member.size_bytes)})"
    yield f"    /dev/disk/by-id/{member.id}"


def _start(plan: Plan, uuid: str) -> Iterator[str]:
    yield "Any Linux with mdadm finds it by itself, or when told:"
    yield ""
    yield f"    mdadm --assemble {array_path(plan.name)} --uuid={uuid or 'UUID'}"
    yield ""
    yield "The line for /etc/mdadm/mdadm.conf:"
    yield ""
    yield f"    ARRAY {array_path(plan.name)} metadata={plan.metadata} UUID={uuid or 'UUID'}"


def _last_resort(plan: Plan, capacity: Capacity) -> Iterator[str]:
    yield from (
        "Only when the superblocks are lost and nothing else has helped. Made on the wrong",
        "disks, or in a wrong order, this destroys what it was to save. So:",
        "  1. Copy the disks first, or put overlays over them, and work on those.",
        "  2. Compare every serial with the list above, and leave out a disk that had failed",
        "     before the others (write the word missing in its slot).",
        "  3. Look before anything writes: mdadm --readonly, then mount -o ro.",
        "It writes superblocks alone; it starts no synchronisation.",
        "",
    )
    again = plan_to_recreate(plan, capacity)
    if again is None:
        yield "The members' data begin at different places, which no single command can say:"
        yield "mdadm takes --data-offset=variable and DEVICE:OFFSET for each; see mdadm(8)."
        return
    if plan.journal:
        yield "The journal is left out; what was only in it is lost."
    for command in create_commands(again):
        words = list(command.argv)
        yield f"    {words[0]} {words[1]} {words[2]} \\"
        yield from (f"        {word} \\" for word in words[3:-1])
        yield f"        {words[-1]}"
