"""Other people's disks as smartctl reports them: each judgement with its reason, none by an attribute's number alone.

The reports follow smartmontools' drivedb.h and the NVMe specification; serial numbers are made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.analysis.findings.collect import findings_of
from raidwright.cli.disks import _health
from raidwright.core.model.disk import Disk, Health, HealthSign
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import DiskHealth
from raidwright.operations.disks import as_health
from raidwright_helper.host.smart import health_of

from tests.unit.making_plans import equal
from tests.unit.test_findings import disk

_FOLDER = Path(__file__).parent / "foreign_health"
_SAID = {  # by file: how raidwright disks begins, words that aren't said, and the codes of its findings
    "health-mx500-pending-flips.json": ("good, 31 °C, 3% worn", "bad sector", set()),
    "health-not-in-use.json": ("good, 31 °C", "100", set()),
    "health-nvme-hot.json": ("too warm, 86 °C", "FAILING", {"disk-temperature"}),
    "health-nvme-readonly.json": ("FAILING, it has become read-only", "good", {"disk-failing"}),
    "health-ocz-vector150.json": ("good, 31 °C, 6% worn", "bad sector", set()),
    "health-prefail-now-but-passed.json": ("Spin_Retry_Count below its threshold", "good", {"prefail-now"}),
    # Public reports of smartctl, as its JSON has them (zbx-smartctl's, pySMART's and nasty's collections).
    "public-850-evo.json": ("good, 26 °C, 1 retired flash block, 72% worn", "bad sector", set()),
    "public-end-to-end-error.json": ("End-to-End_Error below its threshold", "good", {"usage-low"}),
    "public-later-bad-blocks.json": ("good, 47 °C, 3 retired flash blocks", "bad sector", set()),
    "public-not-in-database.json": ("good, 33 °C, 20,379 h", "worn", set()),
    "public-sas-uncorrected.json": (
        "SMART passes, 38 °C, 9 bad sectors, 8 uncorrected errors",
        "FAILING",
        {"bad-sectors"},
    ),
    # Printed by smartctl 7.3 of a practice machine's SCSI disks, which keep no SMART data.
    "smart-printed-sda.json": ("?", "good", set()),
    "smart-printed-sdb.json": ("?", "°C", set()),
    "smart-printed-sdc.json": ("?", "retries", set()),
    "health-ssd-worn-out.json": ("SMART passes, 31 °C, 3 retired flash blocks, 100% worn", "bad sector", {"worn-out"}),
}
_ALL = {
    "disk-failing", "disk-temperature", "disk-unreliable", "prefail-now", "prefail-once", "bad-sectors",
    "unread-errors", "usage-low", "worn-out", "hot-disk",
}  # fmt: skip


def _health_in(name: str) -> Health:
    return as_health(health_of(json.loads((_FOLDER / name).read_text(encoding="utf-8"))))


def _codes(odd: Disk) -> set[str]:
    known = {one.id: one for one in (disk(0), odd, disk(2), disk(3))}
    return {finding.code for finding in findings_of(Plan(equal("raid6", 4)), known)} & _ALL


@pytest.mark.parametrize("name", _SAID)
def test_a_disk_is_judged_by_the_names_that_smartctl_gives(name: str) -> None:
    begins, not_said, codes = _SAID[name]
    odd = replace(disk(1), health=_health_in(name))
    assert _health(odd).startswith(begins)
    assert not_said not in _health(odd)
    assert _codes(odd) == codes


def test_a_temperature_below_its_threshold_is_no_failure() -> None:
    row = {
        "id": 190, "name": "Airflow_Temperature_Cel", "value": 38, "thresh": 45, "when_failed": "now",
        "flags": {"prefailure": False}, "raw": {"string": "62 (Min/Max 20/62)"},
    }  # fmt: skip
    told = as_health(health_of({"smart_status": {"passed": True}, "ata_smart_attributes": {"table": [row]}}))
    assert (told.signs, told.low_usage) == ((HealthSign.TEMPERATURE,), ())


def test_every_report_has_its_answer() -> None:
    assert {path.name for path in _FOLDER.iterdir()} == _SAID.keys()


def test_a_failing_disk_is_told_with_its_reason() -> None:
    odd = replace(disk(1), health=_health_in("health-nvme-readonly.json"))
    known = {one.id: one for one in (disk(0), odd, disk(2), disk(3))}
    found = next(one for one in findings_of(Plan(equal("raid6", 4)), known) if one.code == "disk-failing")
    assert "it has become read-only" in found.reason


def _nvme(bits: int, used: int = 3, celsius: int = 40) -> dict[str, Any]:
    log = {"critical_warning": bits, "percentage_used": used, "media_errors": 0}
    return {
        "device": {"protocol": "NVMe"},
        "smart_status": {"passed": not bits},
        "temperature": {"current": celsius},
        "nvme_smart_health_information_log": log,
    }


@pytest.mark.parametrize(
    ("answer", "failing", "signs"),
    [
        (_nvme(0), False, ()),
        (_nvme(0x01), True, (HealthSign.SPARE,)),
        (_nvme(0x02, celsius=4), False, (HealthSign.TEMPERATURE,)),
        (_nvme(0x04), True, (HealthSign.RELIABILITY,)),
        (_nvme(0x04, used=104), False, (HealthSign.RELIABILITY,)),
        (_nvme(0x06, used=104), False, (HealthSign.TEMPERATURE, HealthSign.RELIABILITY)),
        (_nvme(0x0A), True, (HealthSign.TEMPERATURE, HealthSign.READ_ONLY)),
        (_nvme(0x10), True, (HealthSign.BACKUP,)),
        (_nvme(0x20), True, (HealthSign.PERSISTENT_MEMORY,)),
        (_nvme(0x80), True, ()),  # a bit that isn't known here
        ({"smart_status": {"passed": False, "scsi": {"asc": 11, "ascq": 1}}}, False, (HealthSign.TEMPERATURE,)),
        ({"smart_status": {"passed": False, "scsi": {"asc": 0x5D, "ascq": 0x10}}}, True, ()),
    ],
)
def test_each_warning_has_its_own_word(answer: dict[str, Any], failing: bool, signs: tuple[HealthSign, ...]) -> None:
    told = health_of(answer)
    assert (told.failing, told.signs) == (failing, signs)


def _rows(*rows: tuple[int, str, int, str]) -> dict[str, Any]:
    """Return smartctl's table of attributes: id, name, normalised value, raw reading."""
    table = [{"id": number, "name": name, "value": value, "raw": {"string": raw}} for number, name, value, raw in rows]
    return {"ata_smart_attributes": {"table": table}, "device": {"protocol": "ATA"}}


@pytest.mark.parametrize(
    ("rows", "lost", "retired"),
    [
        ([(198, "Read_Sectors_Tot_Ct", 0, "1213490321")], None, None),
        ([(197, "ECC_Error_Count", 100, "4711"), (198, "Offline_Uncorrectable", 100, "2")], 2, None),
        ([(5, "Reallocated_Sector_Ct", 100, "12"), (231, "SSD_Life_Left", 90, "90")], 0, 12),
        ([(5, "Retired_Block_Count", 100, "12")], 0, 12),
        ([(5, "Reallocated_Sector_Ct", 100, "8"), (183, "Runtime_Bad_Block", 100, "5")], 8, None),  # a hard disk's
        ([(197, "Read_Failure_Blk_Ct", 100, "77")], None, None),
    ],
)
def test_a_count_is_what_its_name_says(rows: list[Any], lost: int | None, retired: int | None) -> None:
    told = health_of(_rows(*rows))
    assert (told.bad_sectors, told.retired_blocks) == (lost, retired)


def test_smartctls_own_word_on_rotation_is_the_surest() -> None:
    rows = _rows((5, "Reallocated_Sector_Ct", 100, "12"))
    assert health_of({**rows, "rotation_rate": 0}).bad_sectors == 0
    assert health_of({**rows, "rotation_rate": 7200}).bad_sectors == 12


@pytest.mark.parametrize(
    ("row", "wear"),
    [
        ((177, "Wear_Leveling_Count", 1, "3012"), 100),  # it never reads 0
        ((177, "Wear_Leveling_Count", 96, "71"), 4),
        ((177, "Wear_Leveling_Count", 0, "0"), None),  # isn't kept
        ((231, "SSD_Life_Left", 92, "0"), 8),
        ((202, "Percent_Lifetime_Remain", 97, "3"), 3),
        ((230, "Media_Wearout_Indicator", 2, "0x005c0104005c"), None),  # of a SanDisk, which counts upwards
        ((233, "Media_Wearout_Indicator", 98, "0"), 2),
        ((173, "Percent_Life_Used", 100, "14"), 14),
        ((233, "Lifetime_Nand_Writes", 100, "88"), None),
    ],
)
def test_wear_is_read_where_the_attributes_alone_tell_it(row: tuple[int, str, int, str], wear: int | None) -> None:
    assert health_of(_rows(row)).wear_percent == wear


def _low(name: str, when: str, *, is_prefail: bool = True) -> DiskHealth:
    answer = _rows((10, name, 91, "9"))
    answer["ata_smart_attributes"]["table"][0] |= {"when_failed": when, "flags": {"prefailure": is_prefail}}
    return health_of({**answer, "smart_status": {"passed": True}})


def test_a_threshold_is_told_as_of_now_or_of_the_past() -> None:
    now, past = _low("Spin_Retry_Count", "now"), _low("Spin_Up_Time", "past")
    assert (now.low_now, now.low_once) == (("Spin_Retry_Count",), ())
    assert (past.low_now, past.low_once) == ((), ("Spin_Up_Time",))
    assert _low("Airflow_Temperature_Cel", "past", is_prefail=False).low_once == ()
    assert _low("SSD_Life_Left", "now").low_now == ()  # is told as worn out


def test_what_a_disk_warns_of_has_a_finding() -> None:
    told: Iterator[tuple[Health, set[str]]] = iter(
        [
            (Health(failing=False, low_once=("Spin_Up_Time",)), {"prefail-once"}),
            (Health(failing=False, unread_errors=312), {"unread-errors"}),
            (Health(failing=False, wear_percent=104, signs=(HealthSign.RELIABILITY,)), {"disk-unreliable", "worn-out"}),
            (Health(failing=False, retired_blocks=12), set()),
        ]
    )
    for health, codes in told:
        assert _codes(replace(disk(1), health=health)) == codes


def test_only_disks_that_turn_are_told_to_retry_for_minutes() -> None:
    health = Health(failing=False, has_error_recovery=False)
    assert "for minutes" in _health(replace(disk(1), health=health))
    flash = replace(disk(1), health=health, rotation_rpm=0)
    assert "for minutes" not in _health(flash)
    others = {one.id: one for one in (disk(0), flash, disk(2), disk(3))}
    assert "no-erc" not in {finding.code for finding in findings_of(Plan(equal("raid6", 4)), others)}
