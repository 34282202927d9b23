"""Arrays as reported by the running kernel: ``mdadm --detail``, its ``--export``, and ``/proc/mdstat``.

Sources: mdadm ``Detail.c``; the kernel's ``md.c`` ``md_seq_show``, ``raid5.c``, ``raid10.c`` (``status``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import MD_LEVELS, RAID5_LAYOUTS, RAID6_LAYOUTS, Level, canonical_layout, parse_copies
from raidwright.core.messages import Message, say

from .figures import bytes_of, copies_word, metadata_of, name_of_node, number_of
from .parts import ReportPart
from .reported import Reported, refuse_cut, refuse_inactive, refuse_reshape
from .rows import DeviceRow

_ORDER = say("The order of the members: mdadm --detail has it, /proc/mdstat doesn't.")
_LOST = say("Too many of its disks have failed: it has lost data.")
_STATES_TOLD = {  # words of State that plans don't support; None needs no note
    "clean": None,
    "active": None,
    "active-idle": None,
    "dirty": None,  # so old mdadm calls an array in use
    "no-errors": None,
    "write-pending": None,
    "read-auto": None,
    "readonly": None,
    "degraded": None,
    "checking": None,
    "recovering": None,
    "resyncing": say("Its redundancy isn't whole yet: md is synchronising it."),
    "FAILED": _LOST,
    "broken": _LOST,
    "Not Started": say("It isn't started."),
    "suspended": say("It is suspended."),
}
_SIGNS_OF_RESHAPE = ("Reshape pos'n", "Reshape Status", "Delta Devices", "New Level", "New Layout", "New Chunksize")
_MDSTAT_DEVICE = re.compile(r"([^\s\[]+)\[(\d+)\]((?:\([A-Z]\))*)")
_COUNTS = re.compile(r"\[(\d+)/(\d+)\] \[([U_E]+)\]")
_MD_MAJOR = "9:"
_BITMAP = re.compile(r"bitmap: .*?(\d+)(KB|B) chunk(?:, file: (\S+))?")
_COPIES = re.compile(r"(\d+) (near|far|offset)-copies")


def of_detail(part: ReportPart) -> Reported:
    """Parse ``mdadm --detail``; raises InputError."""
    facts, array = part.facts, Reported(node=part.device)
    _refuse_state(part)
    array.level, array.metadata = facts.get("Raid Level", ""), metadata_of(facts)
    array.count = number_of(facts.get("Raid Devices", ""))
    array.uuid = facts.get("UUID", "").split(" ")[0]
    array.name = facts.get("Name", "")
    if "Version" not in facts:
        raise refuse_cut(array.title, "Version")
    array.layout = copies_word(facts.get("Layout", "")) if array.level == Level.RAID10 else facts.get("Layout", "")
    array.chunk_kib = number_of(facts.get("Chunk Size", "")) or number_of(facts.get("Rounding", ""))
    array.array_kib = _kib(facts.get("Array Size", ""))
    array.component_kib = _kib(facts.get("Used Dev Size", facts.get("Device Size", "")))
    array.policy = facts.get("Consistency Policy", "")
    array.bitmap = facts.get("Intent Bitmap", "")
    if cluster := facts.get("Cluster Name"):
        array.tell("Its cluster, “{cluster}”.", cluster=printable(cluster))
    array.has_devices = part.has_table
    _take_rows(array, part.rows)
    _take_states(array, facts.get("State", ""))
    _tell_rebuild(array, part)
    _tell_strange(array, part)
    return array


def of_detail_export(part: ReportPart) -> Reported:
    """Parse ``mdadm --detail --export``; raises InputError."""
    facts = part.facts
    name = facts.get("MD_DEVNAME", "")
    array = Reported(node=f"/dev/md/{name}" if name else "", bitmap=None)
    array.name, array.uuid = facts.get("MD_NAME", ""), facts.get("MD_UUID", "")
    if facts.get("MD_LEVEL") == "container" or "MD_CONTAINER" in facts:
        raise refuse_firmware()
    if "MD_LEVEL" not in facts:
        raise refuse_inactive(array.title)
    if facts.get("MD_RESHAPE_ACTIVE", "False") != "False":
        raise refuse_reshape(array.title, "MD_RESHAPE_ACTIVE")
    array.level, array.count = facts["MD_LEVEL"], number_of(facts.get("MD_DEVICES", ""))
    array.metadata = metadata_of({"Version": facts.get("MD_METADATA", "")})
    array.has_devices = any(key.endswith("_ROLE") for key in facts)
    for key, role in facts.items():
        if key.startswith("MD_DEVICE_") and key.endswith("_ROLE"):
            path = facts.get(f"{key.removesuffix('_ROLE')}_DEV", "")
            _take_exported(array, key.removeprefix("MD_DEVICE_").removesuffix("_ROLE"), role, path)
    array.unsaid.append(say("Whether it has a bitmap, a journal or a partial parity log; none is taken."))
    array.unknown |= {"bitmap", "consistency"}
    if array.spares:
        array.unsaid.append(
            say("Whether {devices:and} is a spare, the journal, or has failed.", devices=array.spares)
        )  # Detail.c prints all of them as spares
    return array


def _take_exported(array: Reported, name: str, role: str, path: str) -> None:
    if not path:
        raise no_node(array.title, name)
    if not role.isdigit():
        array.add_spare(path)
        return
    if (other := array.slots.get(int(role))) and other != path:
        raise InputError(
            "{devices:and} are both in slot {slot}: one is the replacement of the other, and --export doesn't say "
            "which. Paste mdadm --detail without --export.",
            code="report-slots",
            devices=[other, path],
            slot=int(role),
        )
    array.slots[int(role)] = path


def refuse_firmware() -> InputError:
    """Return the refusal of firmware RAID formats."""
    return InputError(
        "This is an array of the firmware's (Intel's IMSM, DDF), or its container. Raidwright plans md's own formats "
        "alone: 0.90, 1.0, 1.1 and 1.2.",
        code="report-firmware",
    )


def no_node(title: str, device: str) -> InputError:
    """Return the refusal of a member without a device node."""
    return InputError(
        "{array} has a member whose device mdadm couldn't name ({device}). Paste the report anew when the device has a "
        "node in /dev, or mdadm --examine of the disks.",
        code="report-node",
        array=title,
        device=device,
    )


def _kib(text: str) -> int | None:
    size = bytes_of(text, 1024)
    return size // 1024 if size else None


def _refuse_state(part: ReportPart) -> None:
    facts, title = part.facts, part.device or str(say("The array"))
    states = facts.get("State", "").replace(",", " ").split()
    if "inactive" in states or ("Raid Devices" not in facts and "Total Devices" in facts):
        raise refuse_inactive(title)
    signs = [f"{name} : {facts[name]}" for name in _SIGNS_OF_RESHAPE if name in facts]
    if signs or "reshaping" in states:
        raise refuse_reshape(title, "; ".join(map(printable, signs)) or "reshaping")


def _take_states(array: Reported, text: str) -> None:
    words = [part.strip() for part in re.sub(r"\((?:DELAYED|PENDING|REMOTE)\)", "", text).split(",")]
    # Detail.c fills its table of working members by their slots, which an array that isn't started hasn't yet.
    is_merely_stopped = "Not Started" in words and len(array.slots) >= (least_in_sync(array) or 1)
    for word in filter(None, words):
        if word not in _STATES_TOLD:
            array.tell("Its state, “{state}”, which isn't known here.", state=printable(word))
        elif is_merely_stopped and _STATES_TOLD[word] == _LOST:
            continue
        elif (told := _STATES_TOLD[word]) and told not in array.unplanned:
            array.unplanned.append(told)


def least_in_sync(array: Reported) -> int | None:
    """Return the number of members in sync that the array needs at least; None for an unknown level."""
    count = array.count or 0
    if array.level not in set(MD_LEVELS) or not count:
        return None
    level = Level(array.level)
    if level is Level.RAID10:
        layout = array.layout or "n2"
        return -(-count // parse_copies(canonical_layout(level, layout)).total)
    return 1 if level is Level.RAID1 else count - level.parity_disks


def _tell_rebuild(array: Reported, part: ReportPart) -> None:
    """Tell of a rebuild that an old mdadm shows by the array's state alone, without the row that is rebuilt."""
    status = part.facts.get("Rebuild Status", "")
    is_rebuilt = bool(status) or "recovering" in part.facts.get("State", "").replace(",", " ").split()
    empty = [str(slot) for slot in range(array.count or 0) if slot not in array.slots]
    if is_rebuilt and empty and array.spares and not any("rebuilding" in row.states for row in part.rows):
        array.tell(
            "It is being rebuilt ({status}): one of its spares ({devices:or}) is filling slot {slots:or}, which the "
            "plan leaves empty.",
            status=printable(status) or say("recovering"),
            devices=array.spares,
            slots=empty,
        )


def _take_rows(array: Reported, rows: list[DeviceRow]) -> None:
    seen: set[int] = set()
    for row in sorted(rows, key=lambda row: not row.is_in_sync):  # of two in one slot, the one in sync keeps it
        if row.slot is not None and "journal" not in row.states:
            seen.add(row.slot)
        _take_row(array, row)
        if row.path and not row.is_gone:
            array.flag(row.path, row.flags)
        if row.device.startswith(_MD_MAJOR):
            array.md_nodes[row.path] = f"/dev/md{row.device.removeprefix(_MD_MAJOR)}"
    array.spares.sort(key=[row.path for row in rows].index)
    for slot in range(array.count or 0):
        if slot not in seen:
            array.unsaid.append(say("The row of slot {slot}: it is taken for empty.", slot=slot))


def _take_row(array: Reported, row: DeviceRow) -> None:
    if row.is_gone and row.path:
        array.tell("{device} has failed, or was removed; it is left out.", device=row.path)
    if row.is_gone:
        return
    if row.has_errors:
        _tell_errors(array, row.path)
    if not row.states:
        raise InputError("This row doesn't say what the device is: “{row}”.", code="report-row", row=row.text)
    if not row.path:
        raise no_node(array.title, row.device)
    if "journal" in row.states:
        array.journal = row.path
    elif row.slot is None or (row.slot >= (array.count or 0) and "active" not in row.states):
        array.add_spare(row.path)
    else:
        _take_slot(array, row, row.slot)


def _take_slot(array: Reported, row: DeviceRow, slot: int) -> None:
    if slot not in array.slots:
        array.slots[slot] = row.path
        if not row.is_in_sync:
            array.tell("{device} is being rebuilt; it hasn't all of slot {slot} yet.", device=row.path, slot=slot)
    elif array.slots[slot] != row.path:
        array.add_spare(row.path)
        array.tell(
            "{device} is about to replace {member} in slot {slot}; it is taken for a spare.",
            device=row.path,
            member=array.slots[slot],
            slot=slot,
        )


def _tell_strange(array: Reported, part: ReportPart) -> None:
    for line in part.strange:
        array.tell("“{line}”, which isn't understood.", line=printable(line))


def of_mdstat(part: ReportPart) -> Reported:
    """Parse ``/proc/mdstat``, which has no slots; raises InputError."""
    array, text = Reported(node=part.device), " ".join(part.lines)
    head, _, rest = text.partition(" blocks")
    words = head.split()
    if words[:1] not in (["active"], ["broken"]):
        raise refuse_inactive(array.title)
    if re.search(r"reshape *=", rest):
        raise refuse_reshape(array.title, "reshape")
    if "super external" in rest:
        raise refuse_firmware()
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
        array.unplanned.append(_LOST)
    return array


def take_table(array: Reported, rows: list[DeviceRow]) -> None:
    """Take the slots of ``rows`` for an array of mdstat, which has none, if the rows are of its devices."""
    beyond = [row for row in rows if row.is_in_sync and row.slot is not None and row.slot >= (array.count or 0)]
    if beyond or not set(array.slots.values()) <= {row.path for row in rows}:
        return
    array.slots, array.spares, array.journal, array.flags = {}, [], "", {}
    array.unknown.discard("members")
    array.unsaid = [told for told in array.unsaid if told != _ORDER]
    _take_rows(array, rows)


def take_name(array: Reported, name: str) -> None:
    """Take the ``name`` that an ARRAY line has, "" if none, for an array of mdstat, which has none."""
    if name and array.metadata != "0.90":
        array.name, array.unsaid = name, [told for told in array.unsaid if told != _nameless(array)]


def _nameless(array: Reported) -> Message:
    return say("The array's name; “{name}” is taken, after its device.", name=name_of_node(array.node))


def _tell_sync(array: Reported, rest: str) -> None:
    if re.search(r"recovery *=", rest) and not re.search(r"\[U+\]", rest):  # else onto a replacement
        array.tell("A disk of it is being rebuilt; it hasn't all of its slot yet.")
    elif re.search(r"resync *=", rest):
        array.tell("Its redundancy isn't whole yet: md is synchronising it.")


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
    if array.level not in set(MD_LEVELS) or not array.array_kib or not array.count:
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
    here = [slot for slot, sign in enumerate(said.letters) if sign in "UE"] if said.counts else [*range(len(numbered))]
    if len(numbered) > len(here):
        array.tell("A disk of it is being rebuilt; it hasn't all of its slot yet.")
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
        _tell_errors(array, path)
    if "F" in marks:
        array.tell("{device} has failed, or was removed; it is left out.", device=path)
    elif "R" in marks:
        array.tell("{device} is about to replace another disk; it is taken for a spare.", device=path)


def _tell_errors(array: Reported, path: str) -> None:
    array.tell("{device} has had errors (E), by which a Synology calls the array crashed.", device=path)
