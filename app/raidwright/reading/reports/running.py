"""Arrays as ``mdadm --detail`` and its ``--export`` report them. Source: mdadm ``Detail.c``."""

from __future__ import annotations

import re

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import Level, canonical_layout, parse_copies
from raidwright.core.messages import say

from .figures import bytes_of, copies_word, metadata_of, number_of
from .parts import ReportPart
from .reported import Reported, refuse_cut, refuse_inactive, refuse_reshape
from .rows import DeviceRow

LOST = say("Too many of its disks have failed: it has lost data, unless a rescue can read enough of them again.")
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
    "FAILED": LOST,
    "broken": LOST,
    "Not Started": say("It isn't started."),
    "suspended": say("It is suspended."),
}
_SIGNS_OF_RESHAPE = ("Reshape pos'n", "Reshape Status", "Delta Devices", "New Level", "New Layout", "New Chunksize")
_MD_MAJOR = "9:"


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
    take_rows(array, part.rows)
    _take_states(array, facts.get("State", ""))
    _tell_rebuild(array, part)
    _tell_strange(array, part)
    return array


def of_detail_export(part: ReportPart) -> Reported:
    """Parse ``mdadm --detail --export``; raises InputError."""
    facts = part.facts
    name = facts.get("MD_DEVNAME", "")
    array = Reported(node=f"/dev/md/{name}" if name else part.device, bitmap=None)
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
        elif is_merely_stopped and _STATES_TOLD[word] == LOST:
            continue
        elif (told := _STATES_TOLD[word]) and told not in array.unplanned:
            array.unplanned.append(told)


def least_in_sync(array: Reported) -> int | None:
    """Return the number of members in sync that the array needs at least; None for an unknown level."""
    count = array.count or 0
    if array.level not in set(Level) or not count:
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


def take_rows(array: Reported, rows: list[DeviceRow]) -> None:
    """Take the devices of mdadm's table, each in its slot."""
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
        array.tell_errors(row.path)
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
