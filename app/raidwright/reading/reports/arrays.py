"""Arrays in a pasted report: parts merged by array, and arrays that are members of another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import say
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Bitmap

from .evidence import of_details, tell_mdstat, tell_repeated
from .examined import of_examined
from .figures import host_and_name
from .mdstat import bitmap_chunk_of, of_mdstat, take_name, take_table
from .parts import Paste, ReportForm, ReportPart
from .reported import Reported, refuse_cut, refuse_inactive
from .running import of_detail_export, refuse_firmware

_LOCKLESS = "6"  # mdadm's bitmap.h, BITMAP_MAJOR_LOCKLESS
_ARRAY_NODE = re.compile(r"/dev/md(?:\d+|_d\d+|/.+|_[\w-]+)")
_SCANNED_NAME = re.compile(r"""ARRAY\s+(/\S+)\s.*?\bname=("[^"]+"|'[^']+'|[^\s"']+)""")
_OF_FIRMWARE = re.compile(r"\bmetadata=(?:imsm|ddf)\b|\bcontainer=")
_OF_ARRAYS = (ReportForm.DETAIL, ReportForm.DETAIL_EXPORT)  # headed by the array, others by a device
_UUID_FACTS = ("Array UUID", "UUID", "MD_UUID")


def is_array_path(path: str) -> bool:
    """True if the device at ``path`` is an md array, or a partition of one."""
    return _ARRAY_NODE.fullmatch(path) is not None


def arrays_of(paste: Paste, chosen: str = "") -> list[Reported]:
    """Return each array in ``paste``; raises InputError if it isn't a report on one.

    ``chosen`` is one of several, by its node, name or UUID: it is returned, with its members that are arrays.
    """
    by_uuid: dict[str, list[ReportPart]] = {}
    tables: list[ReportPart] = []  # of devices, without the rest of their reports
    for part in paste.of(ReportForm.DETAIL, ReportForm.EXAMINE, ReportForm.DETAIL_EXPORT):
        _refuse_examined_export(part)
        if part.facts:
            by_uuid.setdefault(_uuid(part), []).append(part)
        else:
            tables.append(part)
    if nameless := by_uuid.pop("", None):
        by_uuid.update(_with_nameless(by_uuid, nameless))
    stats = paste.of(ReportForm.MDSTAT)
    if chosen:
        by_uuid, stats = _chosen_groups(chosen, by_uuid, stats)
    if not by_uuid:
        if paste.of(ReportForm.FIRMWARE):
            raise refuse_firmware()
        return _of_mdstats(stats, tables, paste.of(ReportForm.SCAN)) or _refuse_others(paste)
    if len(by_uuid) > 1:
        _refuse_several(list(by_uuid.values()))
    arrays = [_array(parts) for parts in by_uuid.values()]
    for array in arrays:
        _take_bitmap_chunk(array, stats, paste.of(ReportForm.BITMAP))
        tell_mdstat(array, list({part.device: part for part in stats}.values()))
        if tables:
            array.tell("A table of devices without the rest of its report.")
    return arrays


def _of_mdstats(
    stats: Sequence[ReportPart], tables: Sequence[ReportPart], scans: Sequence[ReportPart]
) -> list[Reported]:
    if tables and not stats:
        raise refuse_cut(tables[-1].device or str(say("the array")), "Raid Level")
    arrays = _each_of_mdstat({part.device: part for part in stats})
    for array in arrays:
        if [part.device for part in stats].count(array.node) > 1:
            tell_repeated(array)
        for table in tables:
            take_table(array, table.rows)
        take_name(array, _scanned_name(scans, array.node if len(arrays) == 1 else ""))
    return arrays


def _each_of_mdstat(parts: Mapping[str, ReportPart]) -> list[Reported]:
    """Return each array; of several, one that no plan can be of leaves the choice among the others."""
    arrays, refused = list[Reported](), list[InputError]()
    for part in parts.values():
        try:
            arrays.append(of_mdstat(part))
        except InputError as error:
            refused.append(error)
    if refused and (arrays or len({error.code for error in refused}) > 1):
        raise _several(list(parts))
    if refused:
        raise refused[0]
    return arrays


def _scanned_name(scans: Sequence[ReportPart], node: str) -> str:
    """Return the name that the ARRAY lines have of the one array, at ``node``; "" if they don't say it."""
    lines = [match for part in scans if (match := _SCANNED_NAME.match(part.lines[0]))]
    mine = [match for match in lines if _numbered(match[1]) == node]
    names = {match[2].strip("\"'") for match in mine or lines}
    return names.pop() if node and len(names) == 1 else ""


def _refuse_several(groups: Sequence[Sequence[ReportPart]]) -> None:
    """Refuse several arrays unless one could be a member of another."""
    paths = (row.path for parts in groups for part in parts for row in part.rows)
    exported = (
        value for parts in groups for part in parts for key, value in part.facts.items() if key.endswith("_DEV")
    )
    if not any(map(is_array_path, (*paths, *exported))):
        raise _several(_titles(groups))


def _several(titles: Sequence[str]) -> InputError:
    return InputError(
        "That is of several arrays: {arrays:and}. Paste what is said of one, or choose it by --array.",
        code="report-several",
        arrays=list(titles),
    )


def _titles(groups: Sequence[Sequence[ReportPart]]) -> list[str]:
    """Return the arrays' titles, with the UUIDs of those that have the same one."""
    titles = [_title(parts) for parts in groups]
    return [
        f"{title} ({_uuid(parts[0])})" if titles.count(title) > 1 else title
        for title, parts in zip(titles, groups, strict=True)
    ]


def _title(parts: Sequence[ReportPart]) -> str:
    node = next((part.device for part in parts if part.form in _OF_ARRAYS and part.device), "")
    names = (part.facts.get(name, "") for name in ("Name", "MD_NAME", "MD_UUID") for part in parts)
    return (
        node
        or next((printable(name.split("  ")[0]) for name in names if name), "")
        or _uuid(parts[0])
        or _exported(parts[0])
    )


def _uuid(part: ReportPart) -> str:
    text = next((part.facts[name] for name in _UUID_FACTS if name in part.facts), "")
    return array_uuid(text.split(" ")[0])


def _chosen_groups(
    chosen: str, by_uuid: dict[str, list[ReportPart]], stats: Sequence[ReportPart]
) -> tuple[dict[str, list[ReportPart]], list[ReportPart]]:
    """Return the parts on the chosen array and on the arrays that it is made of; raises InputError without it."""
    nodes = {uuid: _nodes_of(uuid, parts) for uuid, parts in by_uuid.items()}
    wanted = {chosen, _numbered(chosen), f"/dev/{chosen}", f"/dev/md/{chosen}"}
    mine = [uuid for uuid in by_uuid if wanted & nodes[uuid]]
    paths = {row.path for uuid in mine for part in by_uuid[uuid] for row in part.rows if is_array_path(row.path)}
    inner = [uuid for uuid in by_uuid if uuid not in mine and paths & nodes[uuid]]
    listed = [part for part in stats if wanted & {part.device, part.device.removeprefix("/dev/")}]
    if not mine and not listed:
        known = [*_titles(list(by_uuid.values())), *dict.fromkeys(part.device for part in stats)]
        raise InputError(
            "There is no array “{chosen}” in it; it has {arrays:and}.",
            code="report-array",
            chosen=chosen[:80],
            arrays=known or [str(say("none"))],
        )
    return {uuid: by_uuid[uuid] for uuid in (*mine, *inner)}, listed if not mine else list(stats)


def _nodes_of(uuid: str, parts: Sequence[ReportPart]) -> set[str]:
    whole = {part.facts.get(key, "").split("  ")[0] for part in parts for key in ("Name", "MD_NAME")}
    names = {host_and_name(part.facts.get(key, ""))[1] for part in parts for key in ("Name", "MD_NAME", "MD_DEVNAME")}
    heads = {_numbered(part.device) for part in parts if part.form in _OF_ARRAYS}
    heads |= {part.device for part in parts if part.form in _OF_ARRAYS}
    nodes = {_numbered(f"/dev/md/{name}") for name in names if name}
    return {uuid, *whole, *names, *heads, *nodes, *(f"/dev/md/{name}" for name in names if name)} - {""}


def _with_nameless(by_uuid: dict[str, list[ReportPart]], nameless: list[ReportPart]) -> dict[str, list[ReportPart]]:
    """Return the parts without a UUID: those of the only array, or each as an array of its own."""
    if len(by_uuid) == 1 and all(part.form is ReportForm.DETAIL for part in nameless):
        ((uuid, parts),) = by_uuid.items()
        if not any(part.form is ReportForm.DETAIL for part in parts):
            return {uuid: [*nameless, *parts]}
    by_heading: dict[str, list[ReportPart]] = {}
    for part in nameless:
        by_heading.setdefault(f"{part.form.name} {_heading(part)}", []).append(part)
    return by_heading


def _heading(part: ReportPart) -> str:
    """Return what tells a part without a UUID from those of other arrays."""
    if part.form is ReportForm.DETAIL_EXPORT:
        return part.device or part.facts.get("MD_NAME", "") or part.facts.get("MD_DEVNAME", "") or _exported(part)
    return part.device if part.form is ReportForm.DETAIL else ""


def _exported(part: ReportPart) -> str:
    return " ".join(sorted(value for key, value in part.facts.items() if key.endswith("_DEV")))


def _refuse_examined_export(part: ReportPart) -> None:
    if part.form is ReportForm.DETAIL_EXPORT and part.facts.keys() & {"MD_EVENTS", "MD_DEV_UUID", "MD_UPDATE_TIME"}:
        raise InputError(
            "mdadm --examine --export doesn't say which slot a disk has. Paste what mdadm --examine prints of each "
            "disk, without --export.",
            code="report-examine-export",
        )


def _refuse_others(paste: Paste) -> list[Reported]:
    if scans := paste.of(ReportForm.SCAN):
        if all(_OF_FIRMWARE.search(part.lines[0]) for part in scans):
            raise refuse_firmware()
        raise InputError(
            "ARRAY lines (mdadm --detail --scan, mdadm.conf) are no report of an array: they name neither slots nor "
            "chunk. Paste what mdadm --detail prints of it, or mdadm --examine of its disks.",
            code="report-scan",
        )
    if paste.of(ReportForm.PARTITIONS):
        raise InputError(
            "These disks have a partition table and no array on the disk itself. Paste mdadm --examine of their "
            "partitions: mdadm --examine /dev/sd*.",
            code="report-partitions",
        )
    if paste.of(ReportForm.BITMAP):
        raise InputError(
            "This is of a bitmap alone (mdadm --examine-bitmap). Paste mdadm --examine of the disks.",
            code="report-bitmap",
        )
    if paste.is_of_mdstat:
        raise InputError(
            "/proc/mdstat lists no array: none is running. Paste mdadm --examine of the disks.", code="report-no-array"
        )
    if paste.filtered:
        raise InputError(
            "This is filtered: of a whole report only {facts:and} are here. Paste all that mdadm --examine, or mdadm "
            "--detail, prints.",
            code="report-filtered",
            facts=[f"“{name}”" for name in paste.filtered],
        )
    said = f" mdadm: {printable(paste.messages[0])}" if paste.messages else ""
    raise InputError(
        "This is no report of an array; paste what mdadm --detail or mdadm --examine prints.{said}",
        code="report-nothing",
        said=said,
    )


def _array(parts: Sequence[ReportPart]) -> Reported:
    details = [part for part in parts if part.form is ReportForm.DETAIL]
    exports = [part for part in parts if part.form is ReportForm.DETAIL_EXPORT]
    examined = [part for part in parts if part.form is ReportForm.EXAMINE]
    needed = {"Raid Level", "Raid Devices"} if examined else {"Raid Level"}  # else the superblocks say more
    whole = [part for part in details if needed <= part.facts.keys() and "inactive" not in part.facts.get("State", "")]
    if whole:
        return of_details(whole, examined)
    if examined:
        array = of_examined(examined)
        array.node = next((part.device for part in details), "")
        return array
    if exports:
        return of_detail_export(exports[-1])
    if any("State" in part.facts or "Total Devices" in part.facts for part in details):
        raise refuse_inactive(details[-1].device or str(say("The array")))
    raise InputError(
        "This is no report of an array; paste what mdadm --detail or mdadm --examine prints.", code="report-nothing"
    )


def _take_bitmap_chunk(array: Reported, stats: Sequence[ReportPart], bitmaps: Sequence[ReportPart]) -> None:
    """Set the bitmap's chunk from mdstat or --examine-bitmap beside the report."""
    names = {path.rpartition("/")[2] for path in array.devices()}
    mine = [part for part in stats if names & set(re.findall(r"([^ \[]+)\[\d+\]", part.lines[0]))]
    if mine and array.bitmap:
        array.bitmap_chunk_kib = bitmap_chunk_of(mine[-1])
    for part in bitmaps:
        if part.facts.get("Version") == _LOCKLESS and part.facts.get("Filename") in array.devices():
            array.bitmap = Bitmap.LOCKLESS  # mdadm --detail calls both kinds Internal
        match = re.match(r"(\d+) (KB|MB|GB)", part.facts.get("Chunksize", ""))
        if match and part.facts.get("Filename") in array.devices():
            array.bitmap_chunk_kib = int(match[1]) * {"KB": 1, "MB": 1 << 10, "GB": 1 << 20}[match[2]]


def outermost(arrays: Sequence[Reported]) -> tuple[Reported, dict[str, Reported]]:
    """Return the one array that isn't a member of another, and the others by their path in it; raises InputError."""
    if len(arrays) == 1:
        return arrays[0], {}
    for outer in arrays:
        inner = {path: found for path in outer.slots.values() if (found := _array_at(path, arrays, outer))}
        if len(inner) == len(arrays) - 1 == len({array.uuid or array.node for array in inner.values()}):
            return outer, inner
    raise _several([array.title for array in arrays])


def _array_at(path: str, arrays: Sequence[Reported], outer: Reported) -> Reported | None:
    """Return the array that is a member at ``path``, where mdadm prefers the link by its name: /dev/md/tank."""
    paths = {_numbered(path), outer.md_nodes.get(path, path)}
    found = [array for array in arrays if array is not outer and paths & _nodes(array)]
    return found[0] if len(found) == 1 else None


def _nodes(array: Reported) -> set[str]:
    _, name = host_and_name(array.name)
    return {_numbered(array.node), _numbered(f"/dev/md/{name}") if name else ""} - {""}


def _numbered(node: str) -> str:
    """Return mdadm's /dev/md/0 as /dev/md0."""
    return re.sub(r"^/dev/md/(?=\d+$)", "/dev/md", node)
