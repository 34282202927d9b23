"""SCSI disks that sleep are known by their sense data, and left alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright_helper.host import power, scsi_power
from raidwright_helper.host.host import Host
from raidwright_helper.host.power import PowerStates

from .helper_house import put_disk, put_text

SDA = 0x800


def _fixed(code: int, qualifier: int, kind: int = 0x70) -> bytes:
    return bytes((kind, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, code, qualifier, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("sense", "expected"),
    [
        (_fixed(0x5E, 0x02), True),  # standby by its timer
        (_fixed(0x5E, 0x04), True),  # by a command
        (_fixed(0x5E, 0x0A), True),  # standby_y
        (_fixed(0x04, 0x02), True),  # stopped
        (_fixed(0x5E, 0x01), False),  # idle, which still spins
        (_fixed(0x04, 0x01), False),  # spinning up
        (_fixed(0, 0), False),
        (_fixed(0x5E, 0x02, kind=0xF1), True),
        (bytes((0x72, 0, 0x5E, 0x04, 0, 0, 0, 0)), True),
        (bytes((0x72, 0, 0, 0)), False),
        (bytes(18), None),
        (b"", None),
        (b"\x70", None),
    ],
)
def test_sense_data_say_whether_it_spins(sense: bytes, expected: bool | None) -> None:
    assert scsi_power.is_standby(sense) is expected


def test_what_is_no_disk_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    assert scsi_power.sleeps(str(file), 0) is None
    assert scsi_power.sleeps(str(tmp_path / "gone"), 0) is None
    assert scsi_power.sleeps("/dev/null", file.stat().st_rdev) is None


@pytest.mark.parametrize(
    ("rotates", "answer", "is_refused"), [("1", True, True), ("1", None, False), ("0", True, False)]
)
def test_a_sas_disk_in_standby_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rotates: str, answer: bool | None, is_refused: bool
) -> None:
    put_disk(tmp_path, "sda", "wwn-0x5000", "ST8000NM0075", "ZA1", 8 * 10**12)
    put_text(tmp_path / "sys/block/sda/queue/rotational", rotates)
    asked: list[tuple[str, int]] = []

    def sleeps(node: str, number: int) -> bool | None:
        asked.append((node, number))
        return answer

    monkeypatch.setattr(power, "sleeps", sleeps)
    said = ""
    try:
        asyncio.run(PowerStates(None).verify_awake(Host(tmp_path), SDA, "ZA1"))  # type: ignore[arg-type]
    except DiskRefused as error:
        said = error.code
    assert said == ("disk-asleep" if is_refused else "")
    assert asked == ([("/dev/sda", SDA)] if rotates == "1" else [])
