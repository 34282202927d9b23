"""The plan of a reported array, and the notes to show beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import Level, canonical_layout, default_layout
from raidwright.core.messages import say
from raidwright.core.model.names import array_name_like, is_array_name, is_disk_id, is_host_name
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata
from raidwright.reading.pasted import member_named

from .arrays import is_array_path
from .figures import host_and_name, name_of_node
from .reported import Reported

_MAX_MEMBERS = 1920
_ROOM_KIB = 256 << 10  # more than mdadm reserves before and after the data, on any size
_WITH_OFFSET = (Metadata.V1_1, Metadata.V1_2)

SizeOf = Callable[[str], int | None]


def plan_of(array: Reported, inner: Mapping[str, Reported], size_of: SizeOf) -> MdArray:
    """Return the plan of ``array``, with ``inner`` for its member arrays; raises InputError.

    Adds notes to ``array`` on what the report lacks and what plans don't support.
    """
    level, metadata, count = _refuse_unknown(array)
    strange = sorted({path for path in array.slots.values() if is_array_path(path)} - inner.keys())
    if strange:
        raise InputError(
            "{devices:and} of {array} are arrays themselves. Paste the report of each of them as well.",
            code="report-nested",
            devices=strange,
            array=array.title,
        )

    if array.spares and not level.is_redundant:
        array.tell("{devices:and}, a spare: {level} has nothing to rebuild on it.", devices=array.spares, level=level)
        array.spares = []

    def member(path: str) -> Member | MdArray:
        if path not in inner:
            return _member(array, path, size_of, count)
        return replace(plan_of(inner[path], {}, size_of), homehost="")  # the plan has the outer array's

    def disk(path: str) -> Member:
        return _member(array, path, size_of, count)

    plan = MdArray(
        level=level,
        members=tuple(member(array.slots[slot]) if slot in array.slots else None for slot in range(count)),
        name=_name(array),
        homehost=_homehost(array),
        layout=_layout(array, level),
        chunk_kib=_chunk_kib(array, level),
        metadata=metadata,
        bitmap=_bitmap(array),
        bitmap_chunk_kib=array.bitmap_chunk_kib if array.bitmap not in ("", None, Bitmap.LOCKLESS) else None,
        component_size_kib=array.component_kib if level.is_redundant else None,
        data_offset_kib=_data_offset_kib(array, metadata),
        consistency=Consistency.PPL if array.policy == "ppl" else None,
        journal=disk(array.journal) if array.journal else None,
        spares=tuple(map(disk, array.spares)),
        unknown=tuple(sorted(array.unknown)),
    )
    _tell_rest(array, inner)
    return plan


def _refuse_unknown(array: Reported) -> tuple[Level, Metadata, int]:
    if array.metadata in ("", "non-persistent") and array.level in set(Level):
        raise InputError(
            "{array} has no superblock: it was put together by mdadm --build, or by a program that isn't mdadm. A plan "
            "is of an array that has one.",
            code="report-level",
            array=array.title,
        )
    if array.level not in set(Level) or array.metadata not in set(Metadata):
        raise InputError(
            "{level} with metadata {metadata} can't be planned here.",
            code="report-level",
            level=printable(array.level),
            metadata=printable(array.metadata) or say("unknown"),
        )
    count = array.count or 0
    if not 0 < count <= _MAX_MEMBERS:
        raise InputError(
            "The report doesn't say how many slots {array} has (“Raid Devices”).",
            code="report-slots",
            array=array.title,
        )
    if not array.has_devices:
        raise InputError(
            "The report of {array} has no table of devices: it is cut short, or was made with --no-devices.",
            code="report-table",
            array=array.title,
        )
    if beyond := sorted(slot for slot in array.slots if slot >= count):
        raise InputError(
            "The report names slot {slot} of {array}, which has {count}.",
            code="report-slots",
            slot=beyond[0],
            array=array.title,
            count=count,
        )
    if not array.slots:
        raise InputError(
            "The report names no working disk of {array}: every slot is empty or failed.",
            code="report-slots",
            array=array.title,
        )
    return Level(array.level), Metadata(array.metadata), count


def _member(array: Reported, path: str, size_of: SizeOf, count: int) -> Member:
    size_bytes = size_of(path) or array.sizes.get(path)
    if size_bytes is None:
        share_kib = array.component_kib or (array.array_kib or 0) // _shares(array, count)
        if not share_kib:
            raise InputError(
                "The report doesn't say how large {path} is: say it by --disk-size, or whose it is by --machine.",
                code="report-disk-size",
                path=path,
            )
        array.sizeless.append(path)
        size_bytes = (share_kib + _ROOM_KIB) << 10
    member = member_named(path, size_bytes)
    if not is_disk_id(member.id):
        raise InputError("“{path}” can't be the name of a disk in a plan.", code="report-device", path=printable(path))
    return member.flagged(array.flags_of(path))


def _shares(array: Reported, count: int) -> int:
    """Return the divisor of the array's size for one member's share of data, if the report has no component size."""
    level = Level(array.level)
    if level is Level.RAID1:
        return 1
    return max(1, count - level.parity_disks if level.parity_disks else count // (2 if level is Level.RAID10 else 1))


def _name(array: Reported) -> str:
    host, name = host_and_name(array.name)
    if host and not is_host_name(host):
        array.tell("The name's home host, “{host}”.", host=printable(host))
    if not name:
        name = name_of_node(array.node)
        if not is_array_name(name):
            array.unsaid.append(say("The array's name; “md0” is taken."))
            return "md0"
        return name
    if is_array_name(name):
        return name
    taken = array_name_like(name) or "md0"
    array.tell(
        "The array's name, “{name}”: a plan's has up to 32 letters, digits, - and _. It is called “{taken}” there.",
        name=printable(name),
        taken=taken,
    )
    return taken


def _homehost(array: Reported) -> str:
    host, _ = host_and_name(array.name)
    return host if is_host_name(host) else ""


def _layout(array: Reported, level: Level) -> str | None:
    if array.layout and array.layout != "-unknown-":
        return canonical_layout(level, array.layout)
    if default_layout(level) is not None:
        array.unsaid.append(say("The layout; mdadm's own choice is taken."))
        array.unknown.add("layout")
    return None


def _chunk_kib(array: Reported, level: Level) -> int | None:
    if array.chunk_kib is None and level.is_chunked:
        array.unsaid.append(say("The chunk; mdadm's own choice is taken."))
        array.unknown.add("chunk_kib")
    return array.chunk_kib or None


def _bitmap(array: Reported) -> Bitmap:
    if not array.bitmap:
        return Bitmap.NONE
    if array.bitmap == Bitmap.LOCKLESS:
        return Bitmap.LOCKLESS
    kind = re.fullmatch(r"Internal(?:\s*\((.*)\))?", array.bitmap)
    if kind is None:
        array.tell("Its bitmap, which is in the file {file}; the plan has none.", file=printable(array.bitmap))
        return Bitmap.NONE
    if kind[1]:
        array.tell("Its bitmap's kind, “{kind}”; an ordinary internal one is taken.", kind=printable(kind[1]))
    if array.bitmap_chunk_kib is None:
        array.unsaid.append(say("The bitmap's chunk (mdadm --examine-bitmap has it); mdadm's own choice is taken."))
    return Bitmap.INTERNAL


def _data_offset_kib(array: Reported, metadata: Metadata) -> int | None:
    """Return the common data offset of all members examined; None if the format has none, or if none was."""
    offsets = {array.offsets[path] for path in array.slots.values() if path in array.offsets}
    if not offsets and metadata in _WITH_OFFSET:
        array.unknown.add("data_offset_kib")
        array.unsaid.append(
            say(
                "Where the data begin on the disks (the data offset): mdadm --examine of the disks says it. Without it "
                "no command can make this array anew over its data."
            )
        )
        return None
    sectors = next(iter(offsets), 0)
    is_sayable = len(offsets) <= 1 and (sectors % 2 == 0 if metadata in _WITH_OFFSET else sectors == 0)
    if is_sayable:
        _tell_taken_offset(array, [path for path in array.slots.values() if path not in array.offsets])
        return sectors // 2 or None
    array.unknown.add("data_offset_kib")
    array.tell(
        "Where the data begin on the disks: {places}.",
        places=[f"{path}: {array.offsets[path]}" for path in array.slots.values() if path in array.offsets],
    )
    return None


def _tell_taken_offset(array: Reported, devices: list[str]) -> None:
    """Tell that the data of ``devices``, which weren't examined, are taken to begin where the others' do."""
    if array.offsets and devices:
        array.unknown.add("data_offset_kib")
        array.unsaid.append(
            say(
                "Where the data begin on {devices:and}, not examined: where they do on the others is taken. So no "
                "command can make this array anew over its data.",
                devices=devices,
            )
        )


def _tell_rest(array: Reported, inner: Mapping[str, Reported]) -> None:
    if array.sizeless:
        sizeless = list(dict.fromkeys(array.sizeless))
        array.unsaid.append(
            say("How large each of these is; so much as the array needs is taken: {devices}.", devices=sizeless)
        )
    if array.policy == "journal" and not array.journal and array.spares:  # so named while the array isn't started
        array.unsaid.append(say("Whether {devices:and} is a spare or the journal.", devices=array.spares))
    elif array.policy == "journal" and not array.journal:
        array.unsaid.append(say("The journal's device: the array has one, which isn't there."))
    elif array.policy not in ("", "unknown", "none", "resync", "bitmap", "journal", "ppl"):
        array.tell("Its consistency policy, “{policy}”, which isn't known here.", policy=printable(array.policy))
    for one in inner.values():
        array.unsaid += [told for told in one.unsaid if told not in array.unsaid]
        array.unplanned += [told for told in one.unplanned if told not in array.unplanned]
