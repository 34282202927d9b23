"""Attributes of an ATA disk: what smartctl's table says, by the names that it gives them.

A number means different things on different disks: 198 is unreadable sectors on most, and what the host has read on
some. smartctl knows the disks (drivedb.h) and writes each attribute's name, and its own reading of the raw value, whose
first number is the count. ATA's normalised values fall towards their thresholds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BY_ID = {5: "Reallocated_Sector_Ct", 197: "Current_Pending_Sector", 198: "Offline_Uncorrectable"}  # ATA's usual names
_RETIRED_ID = 5  # a spinning disk may count such blocks as 183
_REALLOCATED = re.compile(r"Reallocated_Sectors?_(?:Ct|Count)")
_UNREADABLE = re.compile(
    r"(?:Current_|Total_)?Pending_Sectors?(?:_Count)?|Offline_Uncorrectable|Uncorrectable_Sector_Ct"
    r"|Total_(?:Pending_Sectors|Offl_Uncorrectabl)"
)
_RETIRED = re.compile(
    r"(?:Retired|Reallocated?|Retried)_(?:NAND_)?(?:Block|Blk)_(?:Count|Cnt|Ct)"
    r"|(?:New|Later|Runtime|Grown)_Bad_(?:Block|Blk)(?:_(?:Count|Cnt|Ct))?"
)
_UNREAD = re.compile(r"Reported_Uncorrect|Uncorrectable_Error_Cnt|Reported_UE_Counts")
_LIFE_LEFT = re.compile(  # 100 when new, and 0 or 1 at the end
    r"SSD_Life_?Left(?:_Perc)?|Lifetime_Left|Wear_Leveling.*|Media_Wearout_Indicator|Remaining_Life(?:time_Perc)?"
    r"|Perc(?:ent)?_(?:Lifetime|Life|Rated_Life)_Remain(?:ing)?|PCT_Life_Remaining"
    r"|(?:Lifetime|Drive_?Life)_Remaining%|Perc_Rated_Life_Used|Percent_Lifetime_Used"
)
_LIFE_USED = re.compile(r"Percent_Life_Used|Drive_?Life_Used%")  # whose raw value is the share
_TEMPERATURE = re.compile(r".*Temperature.*")
_OF_FLASH = re.compile(r"NAND|_Blk|SSD|Wear|Life|Erase_Count|Retired|Reservd|P/E_")
_TURNS = re.compile(r"Seek_Error_Rate|Spin_Up_Time|Load_Cycle_Count|Head_Flying_Hours")
_COUNT = re.compile(r"0x[0-9a-f]+|\d+", re.IGNORECASE)
_MAX_SECTORS = 2**31 - 2  # beyond, it is -1 in 32 or 64 bits, which some firmwares write
_NEW, _WORN_PERCENT = 100, 100
_NAME = re.compile(r"[\w%/().:-]{1,40}")


@dataclass(frozen=True, slots=True)
class DiskAttributes:
    """The attributes' meaning, as in ``DiskHealth``; ``is_flash`` if the disk or its attributes say so.

    ``is_off_temperature``: an attribute of its temperature is below its threshold.
    """

    lost_sectors: int | None = None
    retired_blocks: int | None = None
    unread_errors: int | None = None
    wear_percent: int | None = None
    low_now: tuple[str, ...] = ()
    low_once: tuple[str, ...] = ()
    low_usage: tuple[str, ...] = ()
    is_off_temperature: bool = False
    is_flash: bool = False


def attributes_of(answer: Mapping[str, Any]) -> DiskAttributes:
    """Return the meaning of the attributes in smartctl's answer; nothing for a disk without any."""
    rows: Sequence[Mapping[str, Any]] = answer.get("ata_smart_attributes", {}).get("table", ())
    rows = [{**row, "name": str(row.get("name") or _BY_ID.get(row.get("id", 0), ""))} for row in rows]
    is_flash = _is_flash(answer.get("rotation_rate"), rows)
    moved, unreadable = _counts(rows, _REALLOCATED), _counts(rows, _UNREADABLE)
    retired = [*_counts(rows, _RETIRED), *moved] if is_flash else []
    # Most disks count the same unreadable sectors twice, as pending and as uncorrectable.
    lost = max(unreadable, default=0) + (0 if is_flash else max(moved, default=0))
    return DiskAttributes(
        lost_sectors=lost if [*unreadable, *moved, *retired] else None,
        retired_blocks=max(retired, default=None),
        unread_errors=max(_counts(rows, _UNREAD), default=None),
        wear_percent=_wear_percent(rows, is_known=answer.get("in_smartctl_database") is not False),
        low_now=_low(rows, "now"),
        low_once=_low(rows, "past"),
        low_usage=tuple(_shown(row) for row in _usage_now(rows) if not _TEMPERATURE.fullmatch(row["name"])),
        is_off_temperature=any(_TEMPERATURE.fullmatch(row["name"]) for row in _usage_now(rows)),
        is_flash=is_flash,
    )


def _is_flash(rotation: object, rows: Sequence[Mapping[str, Any]]) -> bool:
    if rotation is not None:
        return rotation == 0
    names = [row["name"] for row in rows]
    fives = [row["name"] for row in rows if row.get("id") == _RETIRED_ID]
    is_told = any(map(_OF_FLASH.search, names)) or any(map(_RETIRED.fullmatch, fives))
    return is_told and not any(map(_TURNS.fullmatch, names))


def _counts(rows: Iterable[Mapping[str, Any]], name: re.Pattern[str]) -> list[int]:
    told = (_count_of(row.get("raw", {})) for row in rows if name.fullmatch(row["name"]))
    return [count for count in told if count is not None]


def _count_of(raw: Mapping[str, Any]) -> int | None:
    found = _COUNT.match(str(raw.get("string", raw.get("value", ""))).strip())
    count = int(found[0], 16 if found[0][:2].lower() == "0x" else 10) if found else None
    return count if count is not None and count <= _MAX_SECTORS else None


def _low(rows: Iterable[Mapping[str, Any]], when: str) -> tuple[str, ...]:
    """Return the pre-fail attributes whose value is, or was, at its threshold; flash that is worn is told as that."""
    return tuple(
        _shown(row)
        for row in rows
        if row.get("when_failed") == when
        and row.get("flags", {}).get("prefailure")
        and not _LIFE_LEFT.fullmatch(row["name"])
    )


def _usage_now(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the attributes of use, not of coming failure, that are at their thresholds; worn flash is told as that."""
    return [
        row
        for row in rows
        if row.get("when_failed") == "now"
        and row.get("flags", {}).get("prefailure") is False
        and not _LIFE_LEFT.fullmatch(row["name"])
    ]


def _shown(row: Mapping[str, Any]) -> str:
    return row["name"] if _NAME.fullmatch(row["name"]) else f"#{row.get('id')}"


def _wear_percent(rows: Iterable[Mapping[str, Any]], *, is_known: bool) -> int | None:
    """Return the share of the flash's life that is used, by the attribute that says it; the greatest of several.

    Names of a disk that smartctl doesn't know are guesses, and an attribute that has never moved may be another.
    """
    told = [share for row in rows if (share := _share_used(row)) is not None and (share or is_known)]
    return max(told, default=None)


def _share_used(row: Mapping[str, Any]) -> int | None:
    name, value = row["name"], row.get("value")
    if _LIFE_USED.fullmatch(name):
        used = _count_of(row.get("raw", {}))
        return used if used is not None and used < 0x100 else None
    is_packed = str(row.get("raw", {}).get("string", "")).startswith("0x")  # such a value counts upwards (SanDisk)
    is_unused = value == 0 and name.startswith("Wear_Leveling") and not _count_of(row.get("raw", {}))
    if not _LIFE_LEFT.fullmatch(name) or not isinstance(value, int) or is_packed or is_unused or value > _NEW:
        return None
    is_at_end = value <= 1 or row.get("when_failed") == "now"
    return _WORN_PERCENT if is_at_end else _NEW - value
