"""LVM's volumes on an array that a rescue tries on overlays: found by LVM, and mapped here, for reading alone.

LVM reads its metadata from the tried array and nothing else (``--devices``, lvm(8)), without locks and without a change
(``--readonly``), so neither the members' own copies of it nor a running group of that name confuse it. The volumes
themselves are mapped without LVM, by read-only linear and striped targets with names of ours: a group of the same name
may be active, and udev's rules keep everything else off them (``11-raidwright-trial.rules``).

Sources: lvs(8), ``--segments``; lvm2 ``lib/report/columns.h`` (``seg_pe_ranges``, ``pe_start``, ``vg_extent_size``);
kernel ``admin-guide/device-mapper/linear.rst``, ``striped.rst``.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import JobFailed
from raidwright.core.json_fields import printable

from .host import Host
from .lvm import run_lvm

MAX_VOLUMES = 16
_SETTINGS = (
    'devices { obtain_device_list_from_udev=0 external_device_info_source="none" } global { event_activation=0 }'
)
_PV_COLUMNS = "pv_name,pe_start,vg_name,vg_extent_size,vg_missing_pv_count"
_LV_COLUMNS = "vg_name,lv_name,segtype,seg_start,seg_size,stripe_size,seg_pe_ranges"
_RANGE = re.compile(r"(?P<device>.+):(?P<first>\d+)-(?P<last>\d+)")
_MAPPED = frozenset({"linear", "striped"})


@dataclass(frozen=True, slots=True)
class TrialVolume:
    """A volume on the tried array. ``table`` are device-mapper's lines, () if it can't be mapped; then ``why`` says it.

    ``why`` is a segment's type, such as ``thin``, or "" where other physical volumes of its group are missing.
    """

    name: str
    table: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class TrialGroup:
    """The group on the tried array: its volumes, and how many of its physical volumes are elsewhere."""

    name: str
    volumes: tuple[TrialVolume, ...]
    missing: int


async def group_on(host: Host, node: str, log: list[str]) -> TrialGroup | None:
    """Return LVM's group on the tried array's ``node``; None if there is none, or LVM isn't installed or can't read it.

    ``log`` gets each command.
    """
    if not Path(host.root / "usr/sbin/lvs").exists():
        return None
    try:
        stores = _rows(await run_lvm(_argv("pvs", node, _PV_COLUMNS), log))
        segments = _rows(await run_lvm(_argv("lvs", node, _LV_COLUMNS, "--segments"), log))
    except JobFailed as error:
        log.append(f"# {error.sentence}")
        return None
    # it sees no other device; of those that are missing it has rows as well, named “[unknown]”
    own = next((row for row in stores if row.get("pv_name", "").startswith("/dev/") and row.get("vg_name")), None)
    return _group(own, segments, node) if own else None


def _argv(program: str, node: str, columns: str, *more: str) -> tuple[str, ...]:
    how = ("--readonly", f"--devices={node}", f"--config={_SETTINGS}", "--reportformat=json", "--units=s", "--nosuffix")
    return (program, *how, *more, f"--options={columns}")


def _rows(output: str) -> list[dict[str, str]]:
    """Return the rows of LVM's report in JSON; [] for anything else."""
    try:
        [report] = json.loads(output)["report"]
        [rows] = report.values()
        return [{str(key): str(value) for key, value in row.items()} for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def _group(own: Mapping[str, str], segments: Sequence[Mapping[str, str]], node: str) -> TrialGroup:
    by_volume: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in segments:
        if row.get("vg_name") == own["vg_name"]:
            by_volume[row.get("lv_name", "")].append(row)
    extent, start = _number(own, "vg_extent_size"), _number(own, "pe_start")
    volumes = tuple(_volume(name, rows, own, node, start, extent) for name, rows in by_volume.items())
    missing = _number(own, "vg_missing_pv_count")
    return TrialGroup(printable(own["vg_name"]), volumes[:MAX_VOLUMES], missing)


def _volume(
    name: str, rows: Sequence[Mapping[str, str]], own: Mapping[str, str], node: str, start: int, extent: int
) -> TrialVolume:
    name = printable(name)
    kinds = [row.get("segtype", "") for row in rows]
    if strange := next((kind for kind in kinds if kind not in _MAPPED), None):
        return TrialVolume(name, why=printable(strange))
    table = []
    for row in sorted(rows, key=lambda row: _number(row, "seg_start")):
        line = _line(row, own["pv_name"], node, start, extent)
        if line is None:
            return TrialVolume(name)
        table.append(line)
    return TrialVolume(name, tuple(table))


def _line(row: Mapping[str, str], store: str, node: str, start: int, extent: int) -> str | None:
    """Return a segment's line of the table; None if a part of it is on another device, or isn't understood."""
    parts = list(_parts(row.get("seg_pe_ranges", ""), store, start, extent))
    size = _number(row, "seg_size")
    if not parts or None in parts or not size:
        return None
    head = f"{_number(row, 'seg_start')} {size}"
    places = " ".join(f"{node} {sector}" for sector in parts)
    if len(parts) == 1:
        return f"{head} linear {places}"
    chunk = _number(row, "stripe_size")
    return f"{head} striped {len(parts)} {chunk} {places}" if chunk else None


def _parts(ranges: str, store: str, start: int, extent: int) -> Iterator[int | None]:
    """Yield the first sector on the array of each stripe; None for one that is elsewhere."""
    for text in ranges.split():
        found = _RANGE.fullmatch(text)
        yield start + int(found["first"]) * extent if found and found["device"] == store else None


def _number(row: Mapping[str, str], key: str) -> int:
    text = row.get(key, "")
    return int(text) if text.isdecimal() else 0
