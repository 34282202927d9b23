"""Arrays assembled from their members' superblocks: ``mdadm --examine`` of several devices.

The newest superblocks decide the membership: md leaves out members with fewer events (``md.c``, "kicking non-fresh"),
and each superblock lists the slots that were filled when it was written. Sources: mdadm ``super0.c``, ``super1.c``
(``examine_super1``: sizes of devices and offsets in sectors, the array's in KiB, before 3.3 in sectors).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say

from .figures import bytes_of, copies_word, events_of, metadata_of, number_of
from .parts import ReportPart
from .reported import Reported, refuse_cut, refuse_reshape
from .rows import DeviceRow

_SIGNS_OF_RESHAPE = ("Reshape pos'n", "Delta Devices", "New Level", "New Layout", "New Chunksize", "New Offset")
_ROLE = re.compile(r"(Active|Replacement) device (\d+)", re.IGNORECASE)
_ARRAY_SLOT = re.compile(r"(\d+) \(([^)]*)\)")
_ARRAY_STATE = re.compile(r"[AR.?Uu_]+")
_HAS_JOURNAL = 0x200  # MD_FEATURE_JOURNAL
_MARGIN = 1  # events by which a member may be stale (md.c super_1_validate, mdadm's Assemble.c event_margin)


@dataclass(frozen=True, slots=True)
class Superblock:
    """A device's superblock: its role (a slot, None for spare and journal), and the slots that it lists as filled."""

    path: str
    part: ReportPart
    events: int
    slot: int | None
    kind: str  # member, replacement, spare, journal
    filled: str  # a character per slot, “.” for empty; "" if not given

    @property
    def count(self) -> int | None:
        """The number of the array's slots."""
        return number_of(self.part.facts.get("Raid Devices", ""))

    def says_empty(self, slot: int) -> bool:
        """True if this superblock lists ``slot`` as empty."""
        return slot < len(self.filled) and self.filled[slot] in "._"


def of_examined(parts: Sequence[ReportPart]) -> Reported:
    """Return the array of the superblocks ``parts``; raises InputError."""
    blocks = superblocks_of(parts)
    newest = max(blocks, key=lambda block: (block.kind == "member", block.events))
    facts = newest.part.facts
    array = Reported(level=facts.get("Raid Level", ""), metadata=metadata_of(facts))
    array.count = number_of(facts.get("Raid Devices", ""))
    array.uuid = facts.get("Array UUID", facts.get("UUID", "")).split(" ")[0]
    array.name = facts.get("Name", "")
    if "Version" not in facts:
        raise refuse_cut(newest.path, "Version")
    _refuse_reshape(blocks, array)
    array.layout, array.chunk_kib = layout_of(newest), chunk_kib_of(newest)
    take_sizes(array, blocks, newest)
    _take_policy(array, newest, blocks)
    _take_roles(array, blocks, newest)
    _refuse_no_member(array, blocks)
    _tell_health(array, blocks)
    return array


def layout_of(block: Superblock) -> str:
    """Return the array's layout; "" if it has none."""
    text = block.part.facts.get("Layout", "")
    return copies_word(text) if block.part.facts.get("Raid Level") == Level.RAID10 else text


def chunk_kib_of(block: Superblock) -> int | None:
    """Return the array's chunk; None if it has none."""
    facts = block.part.facts
    return number_of(facts.get("Chunk Size", "")) or number_of(facts.get("Rounding", ""))


def superblocks_of(parts: Sequence[ReportPart]) -> list[Superblock]:
    """Return the superblocks of ``parts``, the last of each device; raises InputError."""
    return [_superblock(part) for part in _each_device_once(parts)]


def _each_device_once(parts: Sequence[ReportPart]) -> list[ReportPart]:
    """Return the last part of each device: a session may examine it twice."""
    by_device: dict[str, ReportPart] = {}
    for part in parts:
        if not part.device:
            raise InputError(
                "A part of the report has lost its first line, which names the device (/dev/sda1:).",
                code="report-heading",
            )
        known = by_device.get(part.device)
        if known and known.facts.get("Device UUID") != part.facts.get("Device UUID"):
            raise InputError(
                "{device} is examined twice, as two different devices. Leave one out.",
                code="report-device",
                device=part.device,
            )
        by_device[part.device] = part
    return list(by_device.values())


def _superblock(part: ReportPart) -> Superblock:
    facts = part.facts
    events = events_of(facts.get("Events", ""))
    state = _ARRAY_STATE.match(facts.get("Array State", ""))
    filled = state[0] if state else _filled_by_table(part.rows, number_of(facts.get("Raid Devices", "")) or 0)
    kind, slot = _role(part)
    return Superblock(part.device, part, events, slot, kind, filled)


def _filled_by_table(rows: Sequence[DeviceRow], count: int) -> str:
    """Return the slots that a 0.90 superblock lists as filled."""
    states = {row.slot: row for row in rows if not row.is_this and row.slot is not None}
    if not states:
        return ""
    return "".join("A" if slot in states and states[slot].is_in_sync else "." for slot in range(count))


def _role(part: ReportPart) -> tuple[str, int | None]:
    facts = part.facts
    text = facts.get("Device Role", "")
    if match := _ROLE.fullmatch(text):
        return ("member" if match[1].lower() == "active" else "replacement", int(match[2]))
    if text.lower() in ("spare", "journal"):
        return text.lower(), None
    if this := next((row for row in part.rows if row.is_this), None):
        if this.is_gone:
            return "faulty", this.slot
        is_member = bool(this.states & {"active", "sync"}) and this.slot is not None
        return ("member", this.slot) if is_member else ("journal" if "journal" in this.states else "spare", None)
    if not text and (match := _ARRAY_SLOT.match(facts.get("Array Slot", ""))):  # mdadm 2.6
        roles = match[2].split(", ")
        role = roles[int(match[1])] if int(match[1]) < len(roles) else "empty"
        return ("member", int(role)) if role.isdigit() else ("spare", None)
    raise InputError(
        "The report of {device} doesn't say which slot it has (“{role}”). Paste all of what mdadm --examine prints.",
        code="report-slots",
        device=part.device,
        role=printable(text),
    )


def _refuse_reshape(blocks: Sequence[Superblock], array: Reported) -> None:
    for block in blocks:
        facts = block.part.facts
        if signs := [f"{name} : {facts[name]}" for name in _SIGNS_OF_RESHAPE if name in facts]:
            raise refuse_reshape(array.name.split(" ")[0] or block.path, "; ".join(map(printable, signs)))


def take_sizes(array: Reported, blocks: Sequence[Superblock], newest: Superblock) -> None:
    """Take the sizes of the array, of a member's share, and of the disks with their data offsets."""
    is_old = array.metadata == "0.90"
    size = bytes_of(newest.part.facts.get("Array Size", ""), 1024)
    array.array_kib = size // 1024 if size else None
    for block in blocks:
        facts = block.part.facts
        available, used = "Avail Dev Size", "Used Dev Size"
        if not is_old and available not in facts:  # mdadm before 2.6.4
            available, used = "Used Dev Size", "Used Size"
        if (component := bytes_of(facts.get(used, ""), 1024 if is_old else 512)) and block.kind == "member":
            array.component_kib = component // 1024
        offset = number_of(facts.get("Data Offset", "")) or 0
        array.offsets[block.path] = offset
        sectors = bytes_of(facts.get(available, ""), 512)
        if not is_old and sectors and offset and array.metadata != "1.0":
            array.sizes[block.path] = sectors + offset * 512


def _take_policy(array: Reported, newest: Superblock, blocks: Sequence[Superblock]) -> None:
    facts = newest.part.facts
    array.bitmap = "Internal" if "Internal Bitmap" in facts else ""
    if "PPL" in facts:
        array.policy = "ppl"
    has_journal = int(re.sub(r"[^0-9a-fx]", "", facts.get("Feature Map", "0x0")) or "0", 16) & _HAS_JOURNAL
    journals = [block.path for block in blocks if block.kind == "journal"]
    if has_journal and not journals:
        array.unsaid.append(say("The journal: the array has one, and its device isn't among those examined."))
    if cluster := facts.get("Cluster Name"):
        array.tell("Its cluster, “{cluster}”.", cluster=printable(cluster))


def _take_roles(array: Reported, blocks: Sequence[Superblock], newest: Superblock) -> None:
    current = [block for block in blocks if block.events >= newest.events - _MARGIN and block.kind == "member"]
    for block in sorted(blocks, key=lambda block: block.kind == "replacement"):
        if block.kind == "journal":
            array.journal = block.path
        elif block.kind == "spare":
            array.add_spare(block.path)
        elif block.kind == "faulty" or block.slot is None:
            array.tell("{device} has failed, or was removed; it is left out.", device=block.path)
        elif block.kind == "replacement":
            _take_replacement(array, block)
        elif _is_stale(block, newest, current) and block.events >= newest.events:
            array.tell(
                "{device} was slot {slot} and fell out of the array: the others' superblocks record it as missing. It "
                "is left out; never take it in with --assume-clean.",
                device=block.path,
                slot=block.slot,
            )
        elif _is_stale(block, newest, current):
            array.tell(
                "{device} was slot {slot} and fell out of the array: its data are older ({events} events, the others "
                "have {newest}). It is left out; never take it in with --assume-clean.",
                device=block.path,
                slot=block.slot,
                events=block.events,
                newest=newest.events,
            )
        else:
            _take_member(array, block, block.slot)
    _tell_unexamined(array, newest, {block.slot for block in blocks if block.kind == "member"})


def _refuse_no_member(array: Reported, blocks: Sequence[Superblock]) -> None:
    if any(block.kind in ("member", "faulty") for block in blocks):
        return
    raise InputError(
        "No member of {array} is examined, only its spares, replacements or journal ({devices}). Paste mdadm --examine "
        "of all its disks.",
        code="report-no-member",
        array=array.title,
        devices=[block.path for block in blocks],
    )


def _tell_unexamined(array: Reported, newest: Superblock, examined: set[int | None]) -> None:
    for slot in range(array.count or 0):
        if slot not in array.slots | dict.fromkeys(examined) and newest.filled and not newest.says_empty(slot):
            array.unexamined.append(slot)
            array.unsaid.append(say("The disk in slot {slot}: it wasn't examined. The slot is left empty.", slot=slot))


def _take_member(array: Reported, block: Superblock, slot: int) -> None:
    array.take(slot, block.path)
    if "Recovery Offset" in block.part.facts:
        array.tell("{device} is being rebuilt; it hasn't all of slot {slot} yet.", device=block.path, slot=slot)


def _is_stale(block: Superblock, newest: Superblock, current: Sequence[Superblock]) -> bool:
    if block.slot is None or block.events < newest.events - _MARGIN:
        return True
    deny = [other for other in current if other is not block and other.says_empty(block.slot)]
    if not deny:
        return False
    if block.events == newest.events and any(block.says_empty(other.slot or 0) for other in deny):
        raise InputError(
            "{devices:and} each say that the other is missing: both were written to apart from each other, and no plan "
            "holds both. Examine the ones that go together.",
            code="report-apart",
            devices=[block.path, deny[0].path],
        )
    return any(other.events >= block.events for other in deny)


def _take_replacement(array: Reported, block: Superblock) -> None:
    slot = block.slot or 0
    array.add_spare(block.path)
    if slot in array.slots:
        array.tell(
            "{device} is about to replace {member} in slot {slot}; it is taken for a spare.",
            device=block.path,
            member=array.slots[slot],
            slot=slot,
        )
    else:
        array.tell(
            "{device} was about to replace the disk in slot {slot}; it is taken for a spare.",
            device=block.path,
            slot=slot,
        )


def _tell_health(array: Reported, blocks: Sequence[Superblock]) -> None:
    for block in blocks:
        facts = block.part.facts
        if "expected" in facts.get("Checksum", ""):
            array.tell("The superblock of {device} is damaged: its checksum is wrong.", device=block.path)
        if "bad blocks present" in facts.get("Bad Block Log", ""):
            array.tell("{device} has bad blocks in md's list.", device=block.path)
        if "TOO SMALL" in facts.get("Unused Space", "") or "TRUNCATED" in facts.get("State", ""):
            array.tell("{device} is smaller than its superblock says.", device=block.path)
        if facts.get("State", "").startswith("active") and array.slots.get(block.slot or 0) == block.path:
            array.tell("It wasn't shut down cleanly, or is in use: a resync may be due.")
        flags = facts.get("Flags", "").split()
        array.flag(block.path, [*flags, *(flag for row in block.part.rows if row.is_this for flag in row.flags)])
        for flag in set(flags) - {"write-mostly", "failfast"}:
            array.tell("The flag {flag} of {device}, which isn't known here.", flag=printable(flag), device=block.path)
        for line in block.part.strange:
            array.tell("“{line}”, which isn't understood.", line=printable(line))
