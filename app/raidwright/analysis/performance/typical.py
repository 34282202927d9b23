"""Construction of a member's ``Drive`` from its baseline; missing figures are typical of its kind, and reported so.

Sources of typical figures, all makers' data sheets: Seagate IronWolf and Exos X16 to X20, WD Red Plus and Gold (7200
rpm: mean seek 8.5 ms, track to track 0.8 ms, sustained rate by size), WD Red 5400 rpm (12 ms), WD Raptor WD1500ADFD
(10,000 rpm: 4.6 and 0.7 ms), Seagate Cheetah 15K.5 (15,000 rpm: 3.5 and 0.3 ms); Samsung 870 EVO (SATA: 560/530 MB/s,
13,000 and 36,000 IOPS at depth 1, 98,000 and 88,000 at 32), Samsung 980 PRO (NVMe: 22,000 and 60,000 at depth 1,
1,000,000 at most), 970 EVO Plus (600,000 and 550,000), Intel P4510 (637,000 and 139,000). Flash
without power-loss protection takes milliseconds for a flush, with it some tens of microseconds (M. Callaghan, "SSDs,
power loss protection and fsync latency", 2026). A spinning disk is half as fast at its end (ZCAV curves).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, log

from raidwright.core.messages import Message, say
from raidwright.core.model.plan import FLASH_KINDS, Baseline, Member

from .constants import (
    A_FIFTH,
    A_HALF,
    ACCESS_SPREAD,
    COMMAND_S,
    DEEP,
    FLASH_FIGURES,
    FLUSHES_VARY,
    INNER_SHARE,
    KIND_OF_DISK_SPREADS,
    LARGE_BYTES,
    MB,
    MIDDLE_BYTES,
    OF_A_CORE,
    OUTER_MB_S,
    PROTECTED_FLUSH_S,
    QUEUE_GAIN,
    QUEUE_SPREADS,
    SCSI_REQUEST_S,
    SEEKS_S,
    SLOWER_TURNING,
    SMALL_BYTES,
    SORTED_IN_CACHE,
    UNCACHED,
)
from .drive import Drive
from .power_loss import protected_by_model


@dataclass(frozen=True, slots=True)
class _Flash:
    """Sequential MB/s, 4 KiB IOPS at depth 1 and at most (SATA: at depth 32), and seconds per flush and per request."""

    read_mb_s: float
    write_mb_s: float
    read_iops: float
    write_iops: float
    most_read_iops: float
    most_write_iops: float
    flush_s: float
    request_s: float


_FLASH = {kind: _Flash(*figures) for kind, figures in FLASH_FIGURES.items()}
_SPINNING = ("hdd", "smr")
_NOTHING = Baseline()


@dataclass(frozen=True, slots=True)
class AssumedFigure:
    """An assumption made for a missing figure, and its spread (standard deviation of the logarithm)."""

    sentence: Message
    spread: float


@dataclass(frozen=True, slots=True)
class KnownDrive:
    """A ``drive``, and the assumptions about its ``stream``, its ``access`` (depth 1) and its ``queue``.

    ``large``: flash requests of more than 64 KiB. ``cliff``: writes are this fast only while a cache has space.
    """

    drive: Drive
    stream: AssumedFigure | None = None
    access: AssumedFigure | None = None
    queue: AssumedFigure | None = None
    cliff: AssumedFigure | None = None
    large: AssumedFigure | None = None


_SLC = AssumedFigure(
    say("writes that find room in flash's fast cache; when that is full, many disks write at a third of the pace"),
    A_FIFTH,
)
_SHINGLED = AssumedFigure(
    say("writes that find room in SMR's cache zone; when that is full, small ones run at a tenth of the speed"),
    0.8,
)


def drive_of(member: Member, *, protected: bool = False) -> KnownDrive:
    """Return the drive model of ``member``, from its baseline where that has figures.

    ``protected``: what is taken of flash of which nothing tells whether it is protected against power loss.
    """
    known = is_protected(member)
    return _known(member.baseline or _NOTHING, member.kind, member.size_bytes, protected if known is None else known)


def is_protected(member: Member) -> bool | None:
    """Return whether the disk is protected against power loss: as said, else by its model; None if nothing tells."""
    said = member.baseline.power_loss_protection if member.baseline else None
    return protected_by_model(member.model) if said is None else said


def has_unknown_flushes(member: Member) -> bool:
    """True of flash that takes either of two times for a flush: none was measured, and nothing tells which it is."""
    measured = member.baseline is not None and member.baseline.flush_ms is not None
    return member.is_flash and not measured and is_protected(member) is None


@lru_cache(maxsize=1024)
def without_name(disk: Member) -> Member:
    """Return ``disk`` without what tells it from others of its kind: disks of the same speed become equal."""
    baseline = replace(disk.baseline or _NOTHING, kind=disk.kind, power_loss_protection=is_protected(disk))
    return replace(
        disk, id="", serial="", model="", disk=None, partition=None, afr=None, age_years=None, baseline=baseline
    )


@lru_cache(maxsize=256)
def _known(of_disk: Baseline, kind: str | None, size_bytes: int, protected: bool) -> KnownDrive:
    baseline = replace(of_disk, kind=kind, power_loss_protection=protected)
    known = _flash(baseline, size_bytes) if baseline.kind in _FLASH else _spinning(baseline, size_bytes)
    if not baseline.computer_read_4k_iops:
        return known
    each_s = 1 / baseline.computer_read_4k_iops  # a write is one request as a read is
    return replace(known, drive=replace(known.drive, read_computer_s=each_s, write_computer_s=each_s))


def _streams(baseline: Baseline, typical: tuple[float, float]) -> tuple[float, float, AssumedFigure | None]:
    """Return (read, write) in bytes per second; a missing direction is derived from the other."""
    read, write = baseline.sequential_read_mb_s, baseline.sequential_write_mb_s
    assumed = None
    if not read and not write:
        told = say(
            "streams of {read:.0f} and {write:.0f} MB/s, typical of disks like these", read=typical[0], write=typical[1]
        )
        assumed = AssumedFigure(told, KIND_OF_DISK_SPREADS[baseline.kind or ""])
        read, write = typical
    elif not read or not write:
        share = typical[1] / typical[0]
        told = say("reading taken from writing, or writing from reading")
        assumed = AssumedFigure(told, A_FIFTH if baseline.kind in _SPINNING else A_HALF)
        read, write = read or (write or 0) / share, write or (read or 0) * share
    return read * MB, write * MB, assumed


def _gain(shallow_iops: float, deep_iops: float | None, typical: float) -> float:
    """Return the exponent of queue depth by which the rate grows."""
    return max(0.0, min(1.0, log(deep_iops / shallow_iops) / log(DEEP))) if deep_iops else typical


def _own(deep_iops: float | None, most_iops: float, request_s: float) -> float:
    """Return the IOPS that flash itself reaches, from what one program reached with it: no more than a core passes."""
    if deep_iops is None:
        return most_iops
    return max(deep_iops, most_iops) if deep_iops * request_s > OF_A_CORE else deep_iops


def _request_s(deep: Sequence[float | None], typical_s: float) -> float:
    """Return a core's time per request: as measured where the core was the limit."""
    return min((1 / iops for iops in deep if iops and iops * typical_s > OF_A_CORE), default=typical_s)


def _missing(names: tuple[float | None, float | None], sentence: Message, spread: float) -> AssumedFigure | None:
    return None if all(names) else AssumedFigure(sentence, spread if not any(names) else spread / 2)


def _flash(baseline: Baseline, size_bytes: int) -> KnownDrive:
    kind = baseline.kind or "ssd"
    of = _FLASH[kind]
    read_b_s, write_b_s, stream = _streams(baseline, (of.read_mb_s, of.write_mb_s))
    known = baseline.random_read_4k_iops, baseline.random_write_4k_iops
    deep = baseline.random_read_4k_q32_iops, baseline.random_write_4k_q32_iops
    read, write = known[0] or of.read_iops, known[1] or of.write_iops
    large = baseline.random_read_1m_iops, baseline.random_write_1m_iops
    drive = Drive(
        spins=False,
        size_bytes=size_bytes,
        read_b_s=read_b_s,
        write_b_s=write_b_s,
        read_access_s=max(1 / read, SMALL_BYTES / read_b_s),
        write_access_s=max(1 / write, SMALL_BYTES / write_b_s),
        read_gain=_gain(read, _own(deep[0], of.most_read_iops, of.request_s), 0.0),
        write_gain=_gain(write, _own(deep[1], of.most_write_iops, of.request_s), 0.0),
        flush_s=_flush_s(baseline, of),
        flushes_vary=FLUSHES_VARY if baseline.flush_ms is None else 0.0,
        request_s=_request_s(deep, of.request_s),
        larger_reads=_larger((MIDDLE_BYTES, baseline.random_read_64k_iops), (LARGE_BYTES, large[0])),
        larger_writes=_larger((LARGE_BYTES, large[1])),
    )
    return KnownDrive(
        drive,
        stream,
        _missing(known, say("the time of one access, typical of {kind}", kind=kind), KIND_OF_DISK_SPREADS[kind]),
        _missing(deep, say("what many accesses at once gain, typical of {kind}", kind=kind), QUEUE_SPREADS[kind]),
        _SLC if kind in FLASH_KINDS else None,
        _missing(large, say("large accesses one at a time move on at a stream's rate"), A_HALF),
    )


def _flush_s(baseline: Baseline, of: _Flash) -> float:
    if baseline.flush_ms is not None:
        return baseline.flush_ms / 1000
    return min(of.flush_s, PROTECTED_FLUSH_S) if baseline.power_loss_protection else of.flush_s


def _larger(*measured: tuple[int, float | None]) -> tuple[tuple[float, float], ...]:
    """Turn measured (bytes, IOPS) into (bytes, seconds)."""
    return tuple((float(size_bytes), 1 / iops) for size_bytes, iops in measured if iops)


def _spinning(baseline: Baseline, size_bytes: int) -> KnownDrive:
    turns = _rpm(baseline)
    seek_s, track_s = SEEKS_S[min(SEEKS_S, key=lambda rpm: abs(rpm - turns))]
    outer = next(mb_s for most, mb_s in OUTER_MB_S if size_bytes < most)
    outer *= SLOWER_TURNING if turns < 7000 else 1.0
    read_b_s, write_b_s, stream = _streams(baseline, (outer, outer))
    turn_s = 60 / turns
    known = baseline.random_read_4k_iops, baseline.random_write_4k_iops
    deep = baseline.random_read_4k_q32_iops, baseline.random_write_4k_q32_iops
    access_s = 1 / known[0] if known[0] else seek_s + turn_s / 2 + COMMAND_S
    write_access_s = 1 / known[1] if known[1] else access_s / SORTED_IN_CACHE**QUEUE_GAIN
    cached = write_access_s < access_s * UNCACHED
    drive = Drive(
        spins=True,
        size_bytes=size_bytes,
        read_b_s=read_b_s,
        write_b_s=write_b_s,
        read_access_s=access_s,
        write_access_s=write_access_s,
        read_gain=_gain(1 / access_s, deep[0], QUEUE_GAIN),
        write_gain=_gain(1 / write_access_s, deep[1], 0.0 if cached else QUEUE_GAIN),  # the cache is full at any depth
        # A flushed write goes to its place: that much of it is counted where it is written.
        flush_s=0.0 if baseline.flush_ms is None else max(0.0, baseline.flush_ms / 1000 - access_s),
        inner_share=INNER_SHARE,
        turn_s=turn_s,
        track_seek_s=track_s,
        mean_seek_s=max(track_s, access_s - turn_s / 2 - COMMAND_S),
        cached_writes=cached,
        request_s=SCSI_REQUEST_S,
    )
    if cached and baseline.random_write_1m_iops:
        drive = replace(drive, sorts_bytes=_sorts_bytes(drive, baseline.random_write_1m_iops))
    return KnownDrive(
        drive,
        stream,
        _missing(known, say("the time of one access, typical of {turns} rpm", turns=turns), ACCESS_SPREAD),
        _missing(deep, say("what many accesses at once gain, typical of spinning disks"), A_FIFTH),
        _SHINGLED if baseline.kind == "smr" else None,
    )


def _sorts_bytes(drive: Drive, large_iops: float) -> float:
    """Return the bytes of large writes that the disk sorts, from their positioning time relative to a read's."""
    written_s = (LARGE_BYTES - SMALL_BYTES) / drive.mean_b_s(write=True)
    placed_s = 1 / large_iops - written_s
    sorts: float = (drive.read_access_s / placed_s) ** (1 / QUEUE_GAIN) * LARGE_BYTES if placed_s > 0 else inf
    return sorts


def _rpm(baseline: Baseline) -> int:
    return baseline.rpm or (5400 if baseline.kind == "smr" else 7200)
