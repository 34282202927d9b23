"""Arrays as ``/proc/mdstat`` reports them, without slots.

Sources: the kernel's ``md.c`` ``md_seq_show``, ``raid5.c``, ``raid10.c`` (``status``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import RAID5_LAYOUTS, RAID6_LAYOUTS, Level, canonical_layout, parse_copies
from raidwright.core.messages import Message, say

from .figures import name_of_node, number_of
from .parts import ReportPart
from .reported import Reported, refuse_inactive, refuse_reshape
from .rows import DeviceRow
from .running import LOST, least_in_sync, refuse_firmware, take_rows

_ORDER = say("The order of the members: mdadm --detail has it, /proc/mdstat doesn't.")
_MDSTAT_DEVICE = re.compile(r"([^\s\[]+)\[(\d+)\]((?:\([A-Z]\))*)")
_WAITS = re.compile(r"(?:resync|recovery) *= *(?:DELAYED|PENDING|REMOTE)")  # for another array on the same disks
WAITING = say("A disk of it waits to be rebuilt; it hasn't all of its slot yet.")
_COUNTS = re.compile(r"\[(\d+)/(\d+)\] \[([U_E]+)\]")
_BITMAP = re.compile(r"bitmap: .*?(\d+)(KB|B) chunk(?:, file: (\S+))?")
_COPIES = re.compile(r"(\d+) (near|far|offset)-copies")


def of_mdstat(part: ReportPart) -> Reported:
    """Parse ``/proc/mdstat``, which has no slots; raises InputError."""
    array, text = Reported(node=part.device), " ".join(part.lines)
    head, _, rest = text.partition(" blocks")
    words = head.split()
    if "super external" in rest:
        raise refuse_firmware()
    if words[:1] not in (["active"], ["broken"]):
        raise refuse_inactive(array.title)
    if re.search(r"reshape *=", rest):
        raise refuse_reshape(array.title, "reshape")
    state, words = words[0], [word for word in words[1:] if word not in ("(read-only)", "(auto-read-only)")]
    array.level, devices = (words[0] if words else ""), words[1:]
    if found := re.search(r"super (\d\.\d|non-persistent)", rest):
        array.metadata = found[1]
    else:
        array.metadata = "0.90"
    if array.metadata != "0.90":  # which has no name
        array.unsaid.append(_nameless(array))
    array.array_kib = number_of(devices.pop()) if devices and devices[-1].isdigit() else None
    _take_shape(array, rest)
    _take_mdstat_bitmap(array, rest)
    _take_mdstat_devices(array, devices, part)
    take_component(array)
    _tell_sync(array, rest)
    if state == "broken":
        array.unplanned.append(LOST)
    return array


def take_table(array: Reported, rows: list[DeviceRow]) -> None:
    """Take the slots of ``rows`` for an array of mdstat, which has none, if the rows are of its devices."""
    beyond = [row for row in rows if row.is_in_sync and row.slot is not None and row.slot >= (array.count or 0)]
    if beyond or not set(array.slots.values()) <= {row.path for row in rows}:
        return
    array.slots, array.spares, array.journal, array.flags = {}, [], "", {}
    array.unknown.discard("members")
    array.unsaid = [told for told in array.unsaid if told != _ORDER]
    take_rows(array, rows)


def take_name(array: Reported, name: str) -> None:
    """Take the ``name`` that an ARRAY line has, "" if none, for an array of mdstat, which has none."""
    if name and array.metadata != "0.90":
        array.name, array.unsaid = name, [told for told in array.unsaid if told != _nameless(array)]


def _nameless(array: Reported) -> Message:
    return say("The array's name; “{name}” is taken, after its device.", name=name_of_node(array.node))


def _tell_sync(array: Reported, rest: str) -> None:
    if re.search(r"recovery *=", rest) and not re.search(r"\[U+\]", rest):  # else onto a replacement
        _tell_rebuilt(array, rest)
    elif _WAITS.search(rest):
        array.tell("Its redundancy isn't whole yet: md waits with synchronising it.")
    elif re.search(r"resync *=", rest):
        array.tell("Its redundancy isn't whole yet: md is synchronising it.")


def _tell_rebuilt(array: Reported, rest: str) -> None:
    if _WAITS.search(rest):
        array.unplanned.append(WAITING)
    else:
        array.tell("A disk of it is being rebuilt; it hasn't all of its slot yet.")


def bitmap_chunk_of(part: ReportPart) -> int | None:
    """Return the bitmap's chunk in mdstat, in KiB."""
    found = _BITMAP.search(" ".join(part.lines))
    return int(found[1]) if found and found[2] == "KB" else None


def _take_shape(array: Reported, rest: str) -> None:
    if found := re.search(r"(\d+)k chunk", rest, re.IGNORECASE) or re.search(r"(\d+)k rounding", rest):
        array.chunk_kib = int(found[1]) or None
    if found := re.search(r"algorithm (\d+)", rest):
        names = {number: name for name, number in (RAID6_LAYOUTS if array.level == "raid6" else RAID5_LAYOUTS).items()}
        array.layout = names.get(int(found[1]), f"algorithm {found[1]}") if array.level in ("raid5", "raid6") else ""
    copies = _COPIES.findall(rest)
    array.layout = array.layout or "".join(f"{name[0]}{count}" for count, name in copies)


def take_component(array: Reported) -> None:
    """Compute each member's share of the array's size, which mdstat and some superblocks don't print."""
    if array.level not in set(Level) or not array.array_kib or not array.count:
        return
    level = Level(array.level)
    shares = array.count - level.parity_disks if level.parity_disks else 1
    if level is Level.RAID10 and array.layout:
        copies = parse_copies(canonical_layout(level, array.layout)).total
        array.component_kib = array.array_kib * copies // array.count
    elif level.is_redundant and shares > 0:
        array.component_kib = array.array_kib // shares


def _take_mdstat_bitmap(array: Reported, rest: str) -> None:
    found = _BITMAP.search(rest)
    if found and found[3]:
        array.bitmap = found[3]
    elif "bitmap:" in rest:
        array.bitmap = "Internal"
        array.bitmap_chunk_kib = int(found[1]) if found and found[2] == "KB" else None


@dataclass(frozen=True, slots=True)
class ListedInMdstat:
    """An array's devices in /proc/mdstat with their marks, and its counts: ``[3/2] [U_U]``, 3, and 2 in sync."""

    devices: tuple[tuple[str, set[str]], ...]
    numbers: tuple[int, ...]
    counts: tuple[str, int, int] | None
    letters: str


def in_mdstat(part: ReportPart) -> ListedInMdstat:
    """Return what /proc/mdstat says of an array's devices; words that are none are left out."""
    text = " ".join(part.lines)
    head, _, rest = text.partition(" blocks")
    found = [match for word in head.split() if (match := _MDSTAT_DEVICE.fullmatch(word))]
    counts = _COUNTS.search(rest)
    return ListedInMdstat(
        tuple((f"/dev/{match[1].replace('!', '/')}", set(re.findall("[A-Z]", match[3]))) for match in found),
        tuple(int(match[2]) for match in found),
        (counts[0], int(counts[1]), int(counts[2])) if counts else None,
        counts[3] if counts else "",
    )


def _take_mdstat_devices(array: Reported, words: list[str], part: ReportPart) -> None:
    if strange := next((word for word in words if not _MDSTAT_DEVICE.fullmatch(word)), None):
        raise InputError("“{word}” in /proc/mdstat isn't understood.", code="report-row", word=printable(strange))
    said, numbered = in_mdstat(part), list[tuple[int, str]]()
    for number, (path, marks) in zip(said.numbers, said.devices, strict=True):
        _tell_marks(array, path, marks)
        if "J" in marks and "F" not in marks:
            array.journal = path
        elif marks & {"S", "R"} and "F" not in marks:
            array.add_spare(path)
        elif "F" not in marks:
            numbered.append((number, path))
            array.flag(path, ["write-mostly"] if "W" in marks else [])
    array.count = said.counts[1] if said.counts else len(numbered)
    _refuse_failed(array, said)
    if said.counts and len(numbered) < said.counts[2]:
        raise InputError(
            "/proc/mdstat counts {here} of {array}'s members in sync {counts} and names {named} of them: its line is "
            "cut short. Paste all of it.",
            code="report-cut",
            here=said.counts[2],
            array=array.title,
            counts=said.counts[0],
            named=len(numbered),
        )
    here = [slot for slot, sign in enumerate(said.letters) if sign in "UE"] if said.counts else [*range(len(numbered))]
    if len(numbered) > len(here):
        _tell_rebuilt(array, " ".join(part.lines))
    free = [slot for slot in range(array.count) if slot not in here]
    for slot, (_number, path) in zip([*here, *free], sorted(numbered), strict=False):
        array.slots[slot] = path
    array.unknown |= {"members", "consistency"}
    array.unsaid.append(_ORDER)


def _refuse_failed(array: Reported, said: ListedInMdstat) -> None:
    """Refuse an array with fewer members in sync than its level needs: the others' slots can't be told."""
    least = least_in_sync(array)
    if said.counts is None or least is None or said.counts[2] >= least:
        return
    raise InputError(
        "{array} has failed: /proc/mdstat shows {here} of its {count} members in sync {counts}, and {level} needs "
        "{least}. Paste mdadm --examine of all its disks, which says what each had when.",
        code="report-failed",
        array=array.title,
        here=said.counts[2],
        count=said.counts[1],
        counts=said.counts[0],
        level=array.level,
        least=least,
    )


def _tell_marks(array: Reported, path: str, marks: set[str]) -> None:
    if unknown := marks - set("FSWRJE"):
        array.tell("The mark ({mark}) of {device}, which isn't known here.", mark=min(unknown), device=path)
    if "E" in marks:  # a Synology's kernel leaves the member in its place
        array.tell_errors(path)
    if "F" in marks:
        array.tell("{device} has failed, or was removed; it is left out.", device=path)
    elif "R" in marks:
        array.tell("{device} is about to replace another disk; it is taken for a spare.", device=path)
