"""Several reports of one array: evidence with its moment. The newest decides, and what contradicts it is told.

md takes the superblocks with the most events (``md.c``, "kicking non-fresh"); Detail.c prints the events of a member's
superblock, so that both can be compared. A report of /proc/mdstat has no moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidwright.core.messages import Message, say

from .examined import Superblock, chunk_kib_of, layout_of, of_examined, superblocks_of, take_sizes
from .figures import events_of, seconds_of
from .mdstat import WAITING, in_mdstat
from .parts import ReportPart
from .reported import FELL_OUT, OLDER, Reported
from .running import of_detail

_IN_DEV = 2  # slashes in the kernel's names: /dev/sda
_MARGIN = 1  # events by which reports of one moment may differ (md.c super_1_validate)


def of_details(parts: Sequence[ReportPart], examined: Sequence[ReportPart]) -> Reported:
    """Return the array of the newest of several ``mdadm --detail``, or of the superblocks if those are newer."""
    newest = max(range(len(parts)), key=lambda place: (_events(parts[place]) or 0, place))
    array, older = of_detail(parts[newest]), min(_events(part) or 0 for part in parts)
    if len(parts) > 1 and older < (_events(parts[newest]) or 0):
        array.tell(
            "{array} is reported more than once; the newest report counts (Events {events}, an older one has {older}).",
            array=array.title,
            events=_events(parts[newest]),
            older=older,
        )
    elif len(parts) > 1:
        tell_repeated(array)
    return _with_superblocks(array, parts[newest], examined) if examined else array


def _events(part: ReportPart) -> int | None:
    text = part.facts.get("Events", "")
    return events_of(text) if text else None


def _compared(first: ReportPart, second: ReportPart) -> tuple[int, str, str] | None:
    """Return by how much ``second`` is newer, in events or else in seconds, and both moments; None if unknown."""
    events = _events(first), _events(second)
    if events[0] is not None and events[1] is not None:
        return events[1] - events[0], f"Events {events[0]}", f"Events {events[1]}"
    texts = first.facts.get("Update Time", ""), second.facts.get("Update Time", "")
    times = seconds_of(texts[0]), seconds_of(texts[1])
    return None if times[0] is None or times[1] is None else (times[1] - times[0], *texts)


def tell_repeated(array: Reported) -> None:
    """Tell that only the last of several reports of one moment counts."""
    array.tell("{array} is reported more than once; the last report counts.", array=array.title)


def _with_superblocks(array: Reported, detail: ReportPart, examined: Sequence[ReportPart]) -> Reported:
    """Return the array of ``detail`` with what the superblocks add; theirs, if they are newer and differ."""
    examined = _by_same_names(array, detail, examined)
    blocks = superblocks_of(examined)
    members = [block for block in blocks if block.kind == "member"]
    newest = max(members, key=lambda block: block.events, default=None)
    moments = _compared(detail, newest.part) if newest else None
    current = [block for block in members if newest and block.events >= newest.events - _MARGIN]
    is_old = moments is not None and moments[0] < -_MARGIN
    differing = [] if is_old else list(_differences(array, current))
    if differing and moments and moments[0] > 0:
        newer = of_examined(examined)
        newer.node = newer.node or array.node
        newer.tell(OLDER, older=moments[1], newer=moments[2], what=differing)
        return newer
    if differing:
        array.tell(
            "The superblocks differ from mdadm --detail: {what}. The reports are of different moments; look which is "
            "today's.",
            what=differing,
        )
    _tell_fallen(array, detail, blocks)
    _take_values(array, examined)
    return array


def _by_same_names(array: Reported, detail: ReportPart, examined: Sequence[ReportPart]) -> list[ReportPart]:
    """Return ``examined`` with devices named as in ``detail``, where one has the kernel's name and one a link's.

    They are one if both are of the same slot and moment: /dev/dm-3 is /dev/vg/lv then.
    """
    paths, events = {part.device for part in examined}, _events(detail)
    same: dict[str, str] = {}
    for block in superblocks_of(examined):
        path = array.slots.get(block.slot, "") if block.slot is not None and block.kind == "member" else ""
        is_now = events is not None and abs(block.events - events) <= _MARGIN
        if path and path not in paths and is_now and _is_link(path) != _is_link(block.path):
            same[block.path] = path
    return [replace(part, device=same.get(part.device, part.device)) for part in examined]


def _is_link(path: str) -> bool:
    return path.count("/") > _IN_DEV


def _differences(array: Reported, current: Sequence[Superblock]) -> Iterator[Message]:
    """Yield what the newest superblocks say otherwise than ``array``."""
    for block in current[:1]:
        count = block.count
        if count is not None and array.count is not None and count != array.count:
            yield say("{count} members instead of {other}", count=count, other=array.count)
            return
    for block in current:
        slot = block.slot
        if slot is None:
            continue
        is_new = slot not in array.slots and block.path not in array.devices()
        if is_new or array.slots.get(slot, block.path) != block.path:
            yield say("{device} in slot {slot}", device=block.path, slot=slot)
    for slot, path in sorted(array.slots.items()):
        if current and all(block.says_empty(slot) for block in current):
            yield say("slot {slot}, of {device}, is empty", slot=slot, device=path)


def _tell_fallen(array: Reported, detail: ReportPart, blocks: Sequence[Superblock]) -> None:
    """Tell of superblocks of the array on devices that it hasn't, with older data."""
    events = _events(detail)
    for block in blocks:
        if block.path in array.devices() or block.slot is None or events is None or block.events >= events - _MARGIN:
            continue
        array.tell(FELL_OUT, device=block.path, slot=block.slot, events=block.events, newest=events)


def _take_values(array: Reported, examined: Sequence[ReportPart]) -> None:
    """Take what only the members' superblocks have: data offsets, disk sizes, and what an old mdadm omits."""
    paths = set(array.slots.values())
    mine = [part for part in examined if part.device in array.devices()]
    if not paths or not paths <= {part.device for part in mine}:
        _take_some(array, mine)
        return
    blocks = of_examined(mine)
    array.offsets, array.sizes = blocks.offsets, blocks.sizes
    array.layout, array.chunk_kib = array.layout or blocks.layout, array.chunk_kib or blocks.chunk_kib
    out = {told.fields["device"]: told for told in blocks.left_out if told.fields["device"] in paths}
    array.unplanned += [told for told in blocks.unplanned if told not in (*array.unplanned, *out.values())]
    for device in out:
        array.tell(
            "{device} has an older superblock than the others, and mdadm --detail has it among the members. If it fell "
            "out since, leave it out.",
            device=device,
        )


def _take_some(array: Reported, examined: Sequence[ReportPart]) -> None:
    """Take what the superblocks of some members say: data offsets, disk sizes, and what is the same for all."""
    blocks = superblocks_of(examined)
    if not blocks:
        return
    some = Reported(level=array.level, metadata=array.metadata)
    take_sizes(some, blocks, blocks[0])
    array.sizes, array.offsets = some.sizes, some.offsets
    array.component_kib = array.component_kib or some.component_kib
    array.layout, array.chunk_kib = array.layout or layout_of(blocks[0]), array.chunk_kib or chunk_kib_of(blocks[0])


def tell_mdstat(array: Reported, stats: Sequence[ReportPart]) -> None:
    """Tell where /proc/mdstat says otherwise of the same array: the two are of different moments."""
    for part in stats:
        said = in_mdstat(part)
        names = {path for path, _marks in said.devices}
        if not names & set(array.devices()) and not (part.device == array.node and names):
            continue
        if what := list(_mdstat_differences(array, said.counts, said.devices)):
            array.tell(
                "/proc/mdstat of the same array says {what}: the two reports are of different moments. If it is the "
                "newer one, the plan is of an array that has changed since.",
                what=what,
            )


def _mdstat_differences(
    array: Reported, counts: tuple[str, int, int] | None, devices: Sequence[tuple[str, set[str]]]
) -> Iterator[Message | str]:
    members, gone = set(array.slots.values()), {str(told.fields.get("device")) for told in array.left_out}
    rebuilt = sum("being rebuilt" in told.template or told == WAITING for told in array.unplanned)
    if counts and (counts[1] != array.count or counts[2] < len(members) - rebuilt):
        yield counts[0]
    for path, marks in devices:
        if "F" in marks and path in array.devices():
            yield say("{device} (F), which has failed", device=path)
        elif path not in array.devices() and path not in gone and "F" not in marks:
            yield say("{device} among its devices", device=path)
