"""Published rows as plans with workloads, and the predictions for them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp, hypot, log, sqrt
from pathlib import Path

from raidwright.analysis.performance.constants import FLASH_FIGURES, NINETY
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.own_error import OWN_SPREADS, ErrorKind, error_kind
from raidwright.analysis.performance.prediction import PredictedState, Predictor
from raidwright.analysis.performance.rebuild import check_mb_s
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Pattern

from .naive import naive_mb_s
from .rate import Rate

HERE = Path(__file__).parent
_TO_MB_S = {
    "MB/s": 1.0,
    "MiB/s": 2**20 / 1e6,
    "KB/s": 1024 / 1e6,
    "KiB/s": 1024 / 1e6,
    "kB/s": 1024 / 1e6,
    "K/s": 1024 / 1e6,
}
_FIGURES = ("sequential_read_mb_s", "sequential_write_mb_s", "random_read_4k_iops", "random_write_4k_iops")


@dataclass(frozen=True, slots=True)
class Row(Rate):
    """A published figure beside ours and the naive one; ``reason`` explains one that no model can reach.

    ``inputs_spread`` is the part of the band that isn't the model's own ``kind`` of error.
    """

    setup: str
    group: str
    what: str
    reason: str
    kind: ErrorKind
    inputs_spread: float

    @property
    def source(self) -> str:
        """Author of the figure; setups of one author begin alike."""
        return self.setup.partition("-")[0]


def rows() -> Iterator[Row]:
    """Yield every published row, in the order of rows.csv."""
    setups = {setup["id"]: setup for setup in csv_rows("setups.csv")}
    for row in csv_rows("rows.csv"):
        yield _held(row, setups[row["setup"]])


def csv_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of the CSV file ``name`` in this folder, by column."""
    with (HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _held(row: Mapping[str, str], setup: Mapping[str, str]) -> Row:
    plan, host = _plan(row, setup), _host(row, setup)
    lost = PredictedState(frozenset({"disk-0"}) if row["lost"] == "1" else frozenset())
    span = 1.0
    predictor = Predictor(plan, host)
    array = predictor.array(lost)
    assert array is not None
    if setup["span_mib"]:
        span = min(1.0, int(setup["span_mib"]) * 2**20 / array.user_bytes)
    measured = _measured_mb_s(row)
    if row["direction"] == "check":
        kind, found = ErrorKind.SYNC, check_mb_s(array)
        said = found.b_s / 1e6
        factor = exp(NINETY * hypot(OWN_SPREADS[kind], found.spread))
        low, high = said / factor, said * factor
    else:
        parts = ("read", "write") if row["direction"] == "rewrite" else (row["direction"],)
        patterns = [Pattern(part, int(row["block_kib"]), int(row["depth"]), row["buffered"] == "1") for part in parts]
        kind = error_kind(array, patterns[-1], beside=False)
        told = [one for pattern in patterns if (one := predictor.predict(pattern, lost, span))]
        said, low, high = (
            1 / sum(1 / getattr(one, name) for one in told) for name in ("mb_s", "low_mb_s", "high_mb_s")
        )
    inputs = (log(high / said) / NINETY) ** 2 - OWN_SPREADS[kind] ** 2
    drive = predictor.drive(next(iter(plan.disks())))
    naive = drive.read_b_s / 1e6
    if row["direction"] != "check":
        naive = naive_mb_s(plan, row["direction"], int(row["block_kib"]) * 1024, drive)
    return Row(
        measured,
        said,
        low,
        high,
        naive,
        row["setup"],
        _group(row, setup),
        _title(row),
        row["reason"],
        kind,
        sqrt(max(0.0, inputs)),
    )


def _group(row: Mapping[str, str], setup: Mapping[str, str]) -> str:
    """Return the group of rows that has bounds of its own: flash, or what a row of disks that turn measured."""
    if setup["kind"] in FLASH_FIGURES:
        return "flash"
    match row["direction"]:
        case "check":
            return "syncs"
        case "randread":
            return f"random reads, depth {row['depth']}"
        case "randwrite":
            return "small writes"
        case _:
            return "streams"


def _title(row: Mapping[str, str]) -> str:
    degraded = ", degraded" if row["lost"] == "1" else ""
    return f"{row['level']}{' ' + row['layout'] if row['layout'] else ''} ×{row['disks']}{degraded}: {row['what']}"


def _measured_mb_s(row: Mapping[str, str]) -> float:
    value = float(row["measured"])
    if row["unit"] == "IOPS":
        return value * int(row["block_kib"]) * 1024 / 1e6
    return value * (1000 if row["unit"] == "GB/s" else _TO_MB_S[row["unit"]])


def _plan(row: Mapping[str, str], setup: Mapping[str, str]) -> Plan:
    count, links = int(row["disks"]), int(setup["links"] or 0)
    known = {name: float(setup[name]) if setup.get(name) else None for name in _FIGURES}
    members = tuple(
        Member(
            f"disk-{slot}",
            int(float(setup["size_gb"]) * 1e9),
            baseline=Baseline(
                kind=setup["kind"],
                rpm=int(setup["rpm"]) if setup["rpm"] else None,
                link=f"channel {slot % links}" if links else None,
                **known,  # type: ignore[arg-type]  # mypy can't tell its fields from others
            ),
        )
        for slot in range(count)
    )
    chunk = int(row["chunk_kib"]) if row["chunk_kib"] else None
    if row["level"] == "raid1+0":
        pairs = tuple(MdArray(Level.RAID1, members[first : first + 2]) for first in range(0, count, 2))
        return Plan(MdArray(Level.RAID0, pairs, chunk_kib=chunk))
    level = Level(row["level"])
    array = MdArray(
        level,
        members,
        layout=canonical_layout(level, row["layout"]) if row["layout"] else None,
        chunk_kib=chunk,
        bitmap=Bitmap.INTERNAL if setup["bitmap"] else Bitmap.NONE,
        component_size_kib=int(setup["component_mib"]) * 1024 if setup["component_mib"] else None,
    )
    return Plan(array, tuple((f"channel {link}", float(setup["link_mb_s"])) for link in range(links)))


def _host(row: Mapping[str, str], setup: Mapping[str, str]) -> HostModel:
    def number(name: str, unit: float = 1.0) -> int | None:
        text = row.get(name) or setup.get(name)
        return int(float(text) * unit) if text else None

    return HostModel(
        kernel=tuple(int(part) for part in setup["kernel"].split(".")),
        read_ahead_bytes=number("read_ahead_kib", 1024),
        stripe_cache_pages=number("stripe_cache"),
        group_threads=number("group_threads") or 0,
        read_ceiling_b_s=number("read_ceiling_mb_s", 1e6),
        write_ceiling_b_s=number("write_ceiling_mb_s", 1e6),
        bitmap_chunk_bytes=number("bitmap_chunk_mib", 2**20),
    )
