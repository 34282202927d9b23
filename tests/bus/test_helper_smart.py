"""smartctl's output, and the disks examined."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.protocol.facts import DiskHealth
from raidwright_helper.host import looking, smart
from raidwright_helper.host.host import Host
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.runner import ProgramResult

SDA = os.makedev(8, 0)
# smartctl 7.3's output for a WDC WD80EFZX (ATA), cut to the fields read.
HEALTHY: dict[str, Any] = {
    "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "table": [
            {"id": 1, "name": "Raw_Read_Error_Rate", "raw": {"value": 77, "string": "77"}},
            {"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 8, "string": "8"}},
            {"id": 197, "name": "Current_Pending_Sector", "raw": {"value": 2, "string": "2"}},
        ]
    },
    "power_on_time": {"hours": 10500},
    "temperature": {"current": 34},
    "ata_sct_erc": {"read": {"enabled": True, "deciseconds": 70}, "write": {"enabled": True, "deciseconds": 50}},
}
NVME = {
    "device": {"protocol": "NVMe"},
    "smart_status": {"passed": False},
    "nvme_smart_health_information_log": {"media_errors": 3},
    "temperature": {"current": 41},
}


def test_an_ata_disk_in_full() -> None:
    assert smart.health_of(HEALTHY) == DiskHealth(
        failing=False,
        temperature_celsius=34,
        power_on_hours=10500,
        bad_sectors=10,
        has_error_recovery=True,
        error_recovery_read_ds=70,
        error_recovery_write_ds=50,
    )


def test_flash_has_no_error_recovery_to_speak_of() -> None:
    assert smart.health_of(NVME) == DiskHealth(failing=True, temperature_celsius=41, bad_sectors=3)


def test_a_desktop_disk_says_that_it_has_none() -> None:
    without = {key: value for key, value in HEALTHY.items() if key != "ata_sct_erc"}
    assert smart.health_of(without).has_error_recovery is False


def test_a_disk_that_says_nothing_is_told_as_nothing() -> None:
    assert smart.health_of({"device": {"protocol": "SCSI"}, "temperature": {"current": 0}}) == DiskHealth()


def test_limits_that_are_off_are_zero() -> None:
    assert smart.error_recovery_of({"ata_sct_erc": {"read": {"enabled": False}, "write": {"enabled": False}}}) == (0, 0)
    assert smart.error_recovery_of({"smartctl": {"exit_status": 4}}) is None


@pytest.mark.parametrize("output", ["", "smartctl: not found", "[]", '"text"'])
def test_what_is_no_answer_is_a_sentence(output: str) -> None:
    with pytest.raises(JobFailed, match="no answer"):
        smart.answer_of(output)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Return smartctl's commands for a disk without a device."""
    ran: list[tuple[str, ...]] = []

    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        ran.append(argv)
        return ProgramResult(argv, 0, json.dumps(HEALTHY), "")

    held = SimpleNamespace(number=SDA, node="/dev/sda")
    monkeypatch.setattr(smart, "run", run)
    monkeypatch.setattr(smart, "SMARTCTL", "/bin/sh")
    monkeypatch.setattr(looking, "pinned", lambda *_, **__: contextlib.nullcontext(held))
    monkeypatch.setattr(Host, "number_of", lambda *_: SDA)
    monkeypatch.setattr(Host, "whole", lambda *_: SDA)
    monkeypatch.setattr(Host, "is_disk", lambda *_: True)
    return ran


def _health(monkeypatch: pytest.MonkeyPatch, *, sleeps: bool, wake: bool) -> object:
    async def verify_awake(*_: object) -> None:
        if sleeps:
            raise DiskRefused("It sleeps.", code="disk-asleep", disk="wwn-0x5001")

    monkeypatch.setattr(PowerStates, "verify_awake", verify_awake)
    power = PowerStates(None)  # type: ignore[arg-type]
    return asyncio.run(smart.examine_health(Host(), power, ["wwn-0x5001"], wake=wake))


def test_a_sleeping_disk_is_not_asked(asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DiskRefused, match="sleeps"):
        _health(monkeypatch, sleeps=True, wake=False)
    assert asked == []


def test_one_that_falls_asleep_now_is_not_woken(asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    _health(monkeypatch, sleeps=False, wake=False)
    assert asked[0][asked[0].index("-n") + 1] == "standby,255"
    assert asked[0][-1] == "/dev/sda"


def test_it_is_woken_when_that_was_asked_for(asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert _health(monkeypatch, sleeps=True, wake=True) == {"wwn-0x5001": smart.health_of(HEALTHY)}
    assert "-n" not in asked[0]


_FOREIGN = Path(__file__).parent / "foreign_smart"


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("attribute-5-packed", 16),  # raw16(raw16): the bits beyond the low 16 are vendor-specific
        ("attribute-5-packed-none", 0),
        ("pending-and-uncorrectable", 8),  # the same sectors, as 197 and as 198
        ("sas-grown-defects", 30),
        ("ssd-without-attribute-5", None),
    ],
)
def test_bad_sectors_are_each_protocols_own_count(name: str, lost: int | None) -> None:
    answer = json.loads((_FOREIGN / f"{name}.json").read_text(encoding="utf-8"))
    assert smart.health_of(answer).bad_sectors == lost


def test_before_smartmontools_7_3_grown_defects_were_bytes() -> None:
    told = {"device": {"protocol": "SCSI"}, "scsi_grown_defect_list": 240}
    assert smart.health_of({**told, "smartctl": {"version": [7, 2]}}).bad_sectors == 30
    assert smart.health_of({**told, "smartctl": {"version": [7, 4]}}).bad_sectors == 240


@pytest.mark.parametrize(
    ("told", "wear"),
    [
        ({"nvme_smart_health_information_log": {"percentage_used": 112, "media_errors": 0}}, 112),
        ({"endurance_used": {"current_percent": 7}}, 7),
        ({"scsi_percentage_used_endurance_indicator": 3}, 3),
        ({"nvme_smart_health_information_log": {}}, None),
    ],
)
def test_wear_is_told_beyond_a_hundred_percent_too(told: dict[str, Any], wear: int | None) -> None:
    assert smart.health_of(told).wear_percent == wear


def test_an_attribute_whose_reading_is_no_count_is_left_out() -> None:
    table = [{"id": 5, "raw": {"value": 0, "string": "n/a"}}, {"id": 197, "raw": {"value": 3, "string": "3"}}]
    assert smart.health_of({"ata_smart_attributes": {"table": table}}).bad_sectors == 3


@pytest.mark.parametrize(
    ("raw", "lost"),
    [("0x000000000010", 16), ("4294967295", None), ("18446744073709551615", None), ("8398 (23729 0)", 8398)],
)
def test_a_count_is_read_as_smartctl_writes_it_or_left_out(raw: str, lost: int | None) -> None:
    answer = {"ata_smart_attributes": {"table": [{"id": 5, "raw": {"value": 1, "string": raw}}]}}
    assert smart.health_of(answer).bad_sectors == lost


@pytest.mark.parametrize(
    ("told", "hours", "celsius"),
    [
        ({"power_on_time": {"hours": 351261}, "temperature": {"current": 53}}, None, 53),  # a disk that counts minutes
        ({"power_on_time": {"hours": 70123, "minutes": 5}, "temperature": {"current": -273}}, 70123, None),
        ({"power_on_time": {"hours": -1}, "temperature": {"current": 255}}, None, None),
        ({"power_on_time": {"hours": 12}, "temperature": {"current": -5}}, 12, -5),
    ],
)
def test_hours_and_heat_that_no_disk_can_have_are_left_out(
    told: dict[str, Any], hours: int | None, celsius: int | None
) -> None:
    found = smart.health_of(told)
    assert (found.power_on_hours, found.temperature_celsius) == (hours, celsius)
