"""What mdadm prints of an array (``--detail``, ``--detail --export``, ``--examine`` of its members), read into a plan.

Sources: mdadm ``Detail.c``, ``super1.c`` ``examine_super1``, ``super0.c`` ``examine_super0``. Units are KiB, but for an
examined superblock of version 1, whose device sizes and offsets are sectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level, canonical_layout, default_layout
from raidwright.core.messages import Message, say
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import Bitmap, Consistency, Member, Metadata, Plan

from .pasted import member_named

_LINE = re.compile(r"\s*([A-Za-z][A-Za-z ]*?) : (.*)")
_HEADING = re.compile(r"(/\S+):")
_ROLE = re.compile(r"\s*(?:this\s+)?[\d-]+\s+\d+\s+\d+\s+(\d+|-)\s+([a-z ]+?)\s*(/\S+)?")
_EXPORTED = re.compile(r"(MD_\w+)=(.*)")
_COPIES = re.compile(r"(near|far|offset)=(\d+)")
_NAME = re.compile(r"(?:[^:\s]*:)?(\S+)")
_ROOM_KIB = 256 << 10  # more than mdadm puts before the data and after them, on any size

SizeOf = Callable[[str], int | None]


@dataclass(frozen=True, slots=True)
class Report:
    """The plan of an array that was reported on, and what its report doesn't say."""

    plan: Plan
    unsaid: tuple[Message, ...] = ()


@dataclass(slots=True)
class _Told:
    """The lines of a report: what is said of the array, and who has which slot."""

    facts: dict[str, str] = field(default_factory=dict)
    slots: dict[int, str] = field(default_factory=dict)
    spares: list[str] = field(default_factory=list)
    journal: str = ""
    sizes: dict[str, int] = field(default_factory=dict)  # bytes, by path
    node: str = ""

    def place(self, role: str, path: str) -> None:
        if role.isdigit():
            self.slots[int(role)] = path
        elif role == "journal":
            self.journal = path
        else:
            self.spares.append(path)


def read_report(text: str, size_of: SizeOf = lambda _path: None) -> Report:
    """What ``text`` says of one array; raises InputError for what is none, or no plan can say.

    ``size_of`` is what is known of a device's bytes by its path; None where nothing is, and the report decides.
    """
    if len(text) > 1 << 20:
        raise InputError("That is too long for a report of mdadm's.", code="report-long")
    lines = text.splitlines()
    told = _exported(lines) if any(_EXPORTED.fullmatch(line) for line in lines) else _told(lines)
    if "Raid Level" not in told.facts:
        raise InputError(
            "This is no report of an array; paste what mdadm --detail or mdadm --examine prints.", code="report-nothing"
        )
    unsaid: list[Message] = []
    plan = _plan(told, size_of, unsaid)
    _check_size(plan, told)
    return Report(plan, tuple(unsaid))


def _exported(lines: list[str]) -> _Told:
    values = {match[1]: match[2] for line in lines if (match := _EXPORTED.fullmatch(line.strip()))}
    names = {"MD_LEVEL": "Raid Level", "MD_DEVICES": "Raid Devices", "MD_METADATA": "Version", "MD_NAME": "Name"}
    told = _Told({ours: values[theirs] for theirs, ours in names.items() if theirs in values})
    told.node = values.get("MD_DEVNAME", "")
    for name, path in values.items():
        if name.startswith("MD_DEVICE_") and name.endswith("_DEV"):
            told.place(values.get(f"{name.removesuffix('_DEV')}_ROLE", "spare"), path)
    return told


def _told(lines: list[str]) -> _Told:
    """A detail, or examined members one after the other."""
    told, device = _Told(), ""
    part: dict[str, str] = {}
    for line in [*lines, "/end:"]:
        if heading := _HEADING.fullmatch(line.strip()):
            _end_of_part(told, device, part)
            device, part = heading[1], {}
        elif match := _LINE.fullmatch(line):
            part.setdefault(match[1], match[2].strip())
        elif role := _ROLE.fullmatch(line):
            _take_role(told, line, role, device, is_examined="Magic" in part)
    return told


def _end_of_part(told: _Told, device: str, part: Mapping[str, str]) -> None:
    is_examined = "Magic" in part
    uuid = "Array UUID" if "Array UUID" in part else "UUID"
    if told.facts.get("UUID", part.get(uuid)) != part.get(uuid):
        raise InputError("That is of several arrays; paste what is said of one.", code="report-several")
    told.facts = {**part, **told.facts}
    if uuid in part:
        told.facts["UUID"] = part[uuid]
    if not is_examined:
        told.node = told.node or device
    elif "Device Role" in part:
        told.place(part["Device Role"].removeprefix("Active device ").lower(), device)
        sectors = [_number(part, name) for name in ("Avail Dev Size", "Data Offset")]
        if all(sectors) and part.get("Version") != Metadata.V1_0:
            told.sizes[device] = sum(filter(None, sectors)) * 512


def _take_role(told: _Told, line: str, role: re.Match[str], device: str, *, is_examined: bool) -> None:
    """One row of the table of devices; an examined superblock of version 0.90 has one for itself (``this``)."""
    number, state, path = role.groups()
    if is_examined != line.lstrip().startswith("this"):
        return
    if "removed" in state or "faulty" in state:
        return
    told.place("journal" if "journal" in state else number, device if is_examined else path or "")


def _number(facts: Mapping[str, str], name: str) -> int | None:
    match = re.match(r"\d+", facts.get(name, ""))
    return int(match[0]) if match else None


def _plan(told: _Told, size_of: SizeOf, unsaid: list[Message]) -> Plan:
    facts, level = told.facts, told.facts["Raid Level"]
    metadata = re.sub(r"^0?0\.90.*", "0.90", facts.get("Version", ""))
    if level not in set(Level) or metadata not in set(Metadata):
        raise InputError(
            "{level} with metadata {metadata} can't be planned here.",
            code="report-level",
            level=printable(level),
            metadata=printable(metadata) or say("unknown"),
        )
    count = _number(facts, "Raid Devices") or 0
    if not 0 < count <= 1920 or not told.slots.keys() <= set(range(count)):
        raise InputError("The report names slots that the array doesn't have.", code="report-slots")
    component_kib = _component_kib(facts)
    offset = _number(facts, "Data Offset")

    def member(path: str) -> Member:
        size_bytes = size_of(path) or told.sizes.get(path)
        if size_bytes is None:
            share_kib = component_kib or (_number(facts, "Array Size") or 0) // count
            if not share_kib:
                raise InputError(
                    "The report doesn't say how large {path} is: say it by --disk-size, or whose it is by --machine.",
                    code="report-disk-size",
                    path=path,
                )
            unsaid.append(say("How large {path} is; so much as the array needs is taken.", path=path))
            size_bytes = (share_kib + _ROOM_KIB) << 10
        return member_named(path, size_bytes)

    return Plan(
        level=Level(level),
        members=tuple(member(told.slots[slot]) if slot in told.slots else None for slot in range(count)),
        name=_name(told),
        layout=_layout(Level(level), facts, unsaid),
        chunk_kib=_chunk_kib(Level(level), facts, unsaid),
        metadata=Metadata(metadata),
        bitmap=Bitmap.INTERNAL if _has_bitmap(facts) else Bitmap.NONE,
        component_size_kib=component_kib if Level(level).is_redundant else None,
        data_offset_kib=offset // 2 if offset and metadata in (Metadata.V1_1, Metadata.V1_2) else None,
        consistency=Consistency.PPL if facts.get("Consistency Policy") == "ppl" else None,
        journal=member(told.journal) if told.journal else None,
        spares=tuple(map(member, told.spares)),
    )


def _component_kib(facts: Mapping[str, str]) -> int | None:
    size = _number(facts, "Used Dev Size")
    is_sectors = "Magic" in facts and not facts.get("Version", "").lstrip("0").startswith(".90")
    return size and (size // 2 if is_sectors else size)


def _has_bitmap(facts: Mapping[str, str]) -> bool:
    return "Internal Bitmap" in facts or facts.get("Intent Bitmap", "").startswith("Internal")


def _layout(level: Level, facts: Mapping[str, str], unsaid: list[Message]) -> str | None:
    text = facts.get("Layout", "")
    if level is Level.RAID10 and (copies := dict(_COPIES.findall(text))):
        words = "".join(f"{name[0]}{number}" for name, number in copies.items() if number != "1")
        return canonical_layout(level, words)
    if text and text != "-unknown-":
        return canonical_layout(level, text)
    if default_layout(level) is not None:
        unsaid.append(say("The layout; mdadm's own choice is taken."))
    return None


def _chunk_kib(level: Level, facts: Mapping[str, str], unsaid: list[Message]) -> int | None:
    chunk_kib = _number(facts, "Chunk Size") or _number(facts, "Rounding")
    if chunk_kib is None and level.is_chunked:
        unsaid.append(say("The chunk; mdadm's own choice is taken."))
    return chunk_kib


def _name(told: _Told) -> str:
    said = _NAME.match(told.facts.get("Name", ""))
    name = said[1] if said else told.node.rpartition("/")[2].removeprefix("md")
    return name if is_array_name(name) else "md0"


def _check_size(plan: Plan, told: _Told) -> None:
    """Raise InputError unless the plan comes to the very size that was reported."""
    size_kib = _number(told.facts, "Array Size")
    if size_kib is not None and plan.level.is_redundant and capacity_of(plan).array_sectors != size_kib * 2:
        raise InputError(
            "The array is said to have {said_kib} KiB, and a plan of what is said of it has {planned_kib}; "
            "no plan can say it exactly.",
            code="report-size",
            said_kib=size_kib,
            planned_kib=capacity_of(plan).array_sectors // 2,
        )
