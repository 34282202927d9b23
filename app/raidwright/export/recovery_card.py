"""Recovery card: the facts needed to recover an array from its disks without the computer that ran them.

Text to print and to keep elsewhere. The command that re-creates the array sets everything that mdadm could choose
otherwise (data offset, component size), since defaults differ between versions; ``mdadm(8)``, ``--data-offset``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.known import Kernel
from raidwright.core.md.mdadm import array_path, inner_name
from raidwright.core.messages import say
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan
from raidwright.rescue.recreation import plan_to_recreate
from raidwright.text.catalogue import tr, translated

from .joined_card import arrays_with_capacity, joined_facts, slice_lines, volume_lines
from .needs import starts_on
from .wide import columns, padded

_LAST_RESORT = say(
    "Only when the superblocks are lost and nothing else has helped. Made on the wrong\n"
    "disks, or in a wrong order, this destroys what it was to save. So:\n"
    "  1. Copy the disks first, or put overlays over them, and work on those.\n"
    "  2. Compare every serial with the list above, and leave out a disk that had failed\n"
    "     before the others (write the word missing in its slot).\n"
    "  3. Look before anything writes: mdadm --readonly, then mount -o ro.\n"
    "It writes superblocks alone; it starts no synchronisation."
)


@dataclass(frozen=True, slots=True)
class BuiltArray:
    """Facts of the built array: ``made`` is a date, for people; ``inner`` are the UUIDs of a nested plan's arrays.

    ``made_by`` is the Linux that made it, None if that isn't known.
    """

    uuid: str
    made: str = ""
    inner: tuple[str, ...] = ()
    made_by: Kernel | None = None


def recovery_card(plan: Plan, built: BuiltArray | None = None) -> str:
    """Return the card for ``plan``; before it is built the UUID is left open. Raises PlanRefused."""
    capacity = capacity_of(plan.top)
    uuid = built.uuid if built else ""
    if built and built.made:
        title = tr("Recovery card of the array “{name}”, made {date}", name=plan.name, date=built.made)
    else:
        title = tr("Recovery card of the array “{name}”", name=plan.name)
    if isinstance(plan.top, LinearVolume):
        return _text((_heading(title), *_joined_parts(plan.top, capacity, built.inner if built else ())))
    array = plan.top
    parts = (
        _heading(title),
        _section(tr("The array"), _facts(array, capacity, uuid, built.made_by if built else None)),
        _section(tr("Its disks, in their order"), _disks(array, capacity)),
        _section(tr("To start it"), _start(array, uuid, built.inner if built else ())),
        _section(tr("The last resort"), _last_resort(array, capacity)),
    )
    return _text(parts)


def _text(parts: Iterable[list[str]]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"


def _heading(title: str) -> list[str]:
    return [title, "=" * columns(title), "", tr("Print this and keep it where the computer isn't.")]


def _joined_parts(volume: LinearVolume, capacity: Capacity, uuids: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the sections of a joined plan: the volume, the disks, then each array as on a card of its own."""
    yield _section(tr("The volume"), _aligned(joined_facts(volume, capacity)))
    yield _section(tr("Its disks and their slices"), slice_lines(volume))
    yield _section(tr("To start it"), volume_lines(volume, capacity))
    bands = arrays_with_capacity(volume)
    for (band, own), uuid in zip(bands, uuids or ("",) * len(bands), strict=True):
        yield _section(tr("The array “{name}”", name=band.name), _facts(band, own, uuid))
        yield _section(tr("Its slices, in their order"), _disks(band, own))
        yield _section(tr("To start it"), _start(band, uuid, ()))
        yield _section(tr("The last resort"), _last_resort(band, own))


def _section(title: str, lines: Iterator[str]) -> list[str]:
    return ["", title, "-" * columns(title), *lines]


def _facts(array: MdArray, capacity: Capacity, uuid: str, made_by: Kernel | None = None) -> Iterator[str]:
    unknown = tr("unknown: not in the report that this was read from")
    facts = {
        tr("Name"): array.name,
        tr("Home host"): array.homehost,
        tr("UUID"): uuid or tr("(not built yet; see mdadm --detail)"),
        tr("Level"): str(array.level),
        tr("Layout"): unknown if "layout" in array.unknown else array.effective_layout or tr("(the level has none)"),
        tr("Chunk"): unknown if "chunk_kib" in array.unknown else _chunk(array),
        tr("Metadata"): str(array.metadata),
        tr("Bitmap"): unknown if "bitmap" in array.unknown else str(array.bitmap),
        tr("Starts on"): starts_on(array, made_by),
        tr("Size"): tr(
            "{sectors} sectors of 512 bytes ({size_bytes:size}, {size_bytes:binary})",
            sectors=capacity.array_sectors,
            size_bytes=capacity.array_bytes,
        ),
        tr("Component"): tr("{kib} KiB of each member", kib=capacity.component_size_kib)
        if capacity.component_size_kib
        else "",
    }
    yield from _aligned(facts)


def _aligned(facts: dict[str, str]) -> Iterator[str]:
    room = max(12, *(columns(name) + 2 for name in facts))
    yield from (padded(f"{name}:", room) + value for name, value in facts.items() if value)


def _chunk(array: MdArray) -> str:
    if not array.effective_chunk_kib:
        return tr("(the level has none)")
    return tr("{kib} KiB", kib=array.effective_chunk_kib)


def _disks(array: MdArray, capacity: Capacity, prefix: str = "") -> Iterator[str]:
    if "members" in array.unknown:
        yield tr("Which of them is in which slot is unknown: not in the report that this was read from.")
    spares = [(tr("spare {number}", number=number), number, one) for number, one in enumerate(array.spares)]
    slots = [(tr("slot {number}", number=f"{prefix}{number}"), number, one) for number, one in enumerate(array.members)]
    inner = iter(capacity.inner)
    # not strict: with metadata 0.90 a journal is one more spare to the kernel
    for (place, number, device), offset in zip([*slots, *spares], capacity.data_offset_sectors, strict=False):
        if isinstance(device, MdArray):
            name = inner_name(array.name, number)
            yield tr("{place}: the array “{name}” ({level})", place=place, name=name, level=device.level)
            yield from _disks(replace(device, name=name), next(inner), f"{prefix}{number}.")
        else:
            yield from _disk(place, device)
            yield f"    {_begins(array, device, offset)}"
    if array.journal:
        yield from _disk(tr("journal"), array.journal)


def _begins(array: MdArray, device: Member | None, sector: int | None) -> str:
    if device is None:
        return tr("for a disk that comes later")
    if "data_offset_kib" in array.unknown:
        return tr("where the data begin is unknown")
    return tr("data begin at sector {sector}", sector=sector)


def _disk(place: str, member: Member | None) -> Iterator[str]:
    if member is None:
        yield tr("{place}: left empty", place=place)
        return
    label = " ".join(part for part in (member.model, member.serial) if part)
    yield tr(
        "{place}: {disk}, {size_bytes} bytes ({size_bytes:size})",
        place=place,
        disk=label or member.id,
        size_bytes=member.size_bytes,
    )
    yield f"    /dev/disk/by-id/{member.id}"
    if member.flags:
        marked = tr("marked {flags:and}", flags=list(member.flags))
        yield f"    {marked}"


def _start(array: MdArray, uuid: str, inner: tuple[str, ...]) -> Iterator[str]:
    arrays = [(array.name, array.metadata, uuid or "UUID")]
    for slot, member in reversed(list(enumerate(array.members))):
        if isinstance(member, MdArray) and inner:
            arrays.insert(0, (inner_name(array.name, slot), member.metadata, inner[slot]))
    yield tr("Any Linux with mdadm finds it by itself, or when told:")
    yield ""
    yield from (f"    mdadm --assemble {array_path(name)} --uuid={uuid}" for name, _, uuid in arrays)
    yield ""
    yield tr("The line for /etc/mdadm/mdadm.conf:")
    yield ""
    yield from (f"    ARRAY {array_path(name)} metadata={metadata} UUID={uuid}" for name, metadata, uuid in arrays)


def _last_resort(array: MdArray, capacity: Capacity) -> Iterator[str]:
    if array.is_guessed:
        yield tr(
            "There is none on this card: the report that the plan was read from doesn't say all\n"
            "that a command would need, and one that guesses destroys the data. While the array\n"
            "is well, keep what mdadm --examine prints of its disks, and make the card of that."
        )
        return
    yield translated(_LAST_RESORT)
    yield ""
    again = plan_to_recreate(array, capacity)
    if again is None:
        yield tr(
            "The members' data begin at different places, which no single command can say:\n"
            "mdadm takes --data-offset=variable and DEVICE:OFFSET for each; see mdadm(8)."
        )
        return
    if array.journal:
        yield tr("The journal is left out; what was only in it is lost.")
    for command in create_commands(again):
        words = list(command.argv)
        yield f"    {words[0]} {words[1]} {words[2]} \\"
        yield from (f"        {word} \\" for word in words[3:-1])
        yield f"        {words[-1]}"
