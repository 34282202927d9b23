"""Test conditions of a run, from its context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from raidwright.analysis.comparison.conditions import READ_AHEAD_DOUBLED, Conditions, is_steady
from raidwright.core.md.sync import IDLE
from raidwright.core.system.load_before import busy_with
from raidwright.core.system.own_workload import pattern_named
from raidwright.core.system.workload import UNHINTED, Pattern

from .places import Place, is_fixed_work, place_of
from .run import Run, Source

# Model names of hardware RAID volumes (PERC, MegaRAID, Smart Array, 3ware, Adaptec, Areca).
_CONTROLLERS = re.compile(r"\b(PERC|MR\d{4}|MegaRAID|LOGICAL VOLUME|ServeRAID|9\d{3}\w*-?\d*\w* DISK|ASR\d+|ARC-\d+)\b")


def conditions_of(run: Run) -> Conditions:
    """Return the conditions that the run records; ``run`` with its samples, from which ``steady`` is derived."""
    array, disks, around = (run.context.get(name) for name in ("array", "disks", "surroundings"))
    array = array if isinstance(array, Mapping) else None
    told: Mapping[str, str] = around if isinstance(around, Mapping) else {}
    disks = [disk for disk in disks if isinstance(disk, Mapping)] if isinstance(disks, list) else []
    pattern = pattern_of(run)
    place = _place(run, pattern)
    return Conditions(
        workload=run.result.workload,
        seconds=run.result.seconds,
        writes=None if pattern is None else pattern.writes,
        buffered=None if pattern is None else pattern.buffered,
        target=place.target or None,
        is_files=place.is_files,
        file_system=None if run.source is not Source.RAIDWRIGHT and place.is_files else "",
        region_mib=place.region_mib,
        is_region_known=place.is_region_known,
        region_share=place.share,
        offset=place.offset,
        is_fixed_work=is_fixed_work(run),
        is_practice=run.is_practice,
        source=str(run.source),
        fio=_fio(run, pattern, told),
        engine=_engine(run),
        sync=_sync(array, told),
        busy=busy_with(told) or "",
        steady=is_steady([one.read_mb_s + one.write_mb_s for one in run.samples]),
        mounted=None if array is None else bool(array.get("mounted_at")),
        used_fraction=_number(told.get("used_fraction")),
        array=_described(array, told) if array is not None or disks else None,
        disks=tuple(sorted(str(disk.get("serial") or disk.get("id")) for disk in disks)) or None,
        is_controller=any(_CONTROLLERS.search(str(disk.get("model", ""))) for disk in disks),
        state=run.state and str(run.state),
        machine=run.machine,
        kernel=told.get("kernel"),
        scheduler=_of_disks(told, "scheduler"),
        write_cache=_of_disks(told, "write_cache"),
        read_ahead_kib=told.get("read_ahead_kib") or _of_disks(told, "read_ahead_kib"),
        stripe_cache_size=told.get("stripe_cache_size"),
        group_thread_cnt=told.get("group_thread_cnt"),
    )


def _place(run: Run, pattern: Pattern | None) -> Place:
    """Return the run's place; one of this program's own is on the disks and the array that it records."""
    if run.source is not Source.RAIDWRIGHT:
        return place_of(run)
    return Place(is_files=pattern is None, region_mib=run.region_mib, is_region_known=True)


def pattern_of(run: Run) -> Pattern | None:
    """Return the run's access pattern; None for a workload that isn't predefined."""
    return pattern_named(run.result.workload)


def _fio(run: Run, pattern: Pattern | None, told: Mapping[str, str]) -> str | None:
    """Return fio's version, marked for buffered reads of older runs, which doubled the read-ahead (no ``UNHINTED``)."""
    reads_ahead = pattern is not None and pattern.buffered and not pattern.writes
    if run.source in (Source.IOZONE, Source.BONNIE):
        return ""  # which don't use it
    version, is_doubled = told.get("fio"), reads_ahead and UNHINTED not in run.result.command
    return f"{version}, {READ_AHEAD_DOUBLED}" if version and is_doubled and run.source is Source.RAIDWRIGHT else version


def _engine(run: Run) -> str | None:
    """Return the engine by which an imported run of fio did its requests; None if it isn't said."""
    imported = run.context.get("import")
    options = imported.get("options") if isinstance(imported, Mapping) else None
    return str(options["ioengine"]) if isinstance(options, Mapping) and "ioengine" in options else None


def _sync(array: Mapping[str, Any] | None, told: Mapping[str, str]) -> str | None:
    """Return md's sync_action at the beginning or the end; "" if it was idle."""
    if array is None:
        return ""
    actions = [told.get("sync_action", str(array.get("sync_action", ""))), told.get("sync_action_after", "")]
    return next((action for action in actions if action not in IDLE), "")


def _described(array: Mapping[str, Any] | None, told: Mapping[str, str]) -> str:
    """Return ``raid5 left-symmetric 512K x4 bitmap``; "" for a single disk."""
    if array is None:
        return ""
    facts = array.get("facts")
    known = facts if isinstance(facts, Mapping) else {}
    chunk_kib, slots = array.get("chunk_kib"), array.get("slots")
    has_bitmap = told["bitmap"] not in ("", "none") if "bitmap" in told else known.get("bitmap") == "internal"
    parts = (
        array.get("level"),
        known.get("layout"),
        f"{chunk_kib}K" if chunk_kib else "",
        f"x{slots}" if slots else "",
        "bitmap" if has_bitmap else "",
    )
    return " ".join(str(part) for part in parts if part)


def _of_disks(told: Mapping[str, str], name: str) -> str | None:
    """Return the disks' distinct values, without device names, which may change at the next boot."""
    values = sorted(value for key, value in told.items() if key.endswith(f"/{name}"))
    return ", ".join(dict.fromkeys(values)) or None


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
