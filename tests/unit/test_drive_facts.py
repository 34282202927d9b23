"""The tables of drive facts: each row is valid, dated and has a source, and models identify each family."""

from __future__ import annotations

from datetime import date

import pytest
from raidwright.analysis.drive_facts import (
    DriveFamily,
    Trait,
    drive_families,
    family_without_error_recovery_control,
    shingled_family,
)
from raidwright.analysis.drive_tables import rows_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Baseline


@pytest.mark.parametrize(
    ("table", "dated"), [("afr", "until"), ("drive_classes", "until"), ("drive_families", "as_of")]
)
def test_every_row_has_a_date_and_a_source(table: str, dated: str) -> None:
    assert rows_of(table)
    for row in rows_of(table):
        assert None not in row  # more fields than columns
        assert date(2010, 1, 1) < date.fromisoformat(row[dated]) < date(2027, 1, 1)
        assert all(row.values()), row


@pytest.mark.parametrize("row", drive_families(), ids=lambda row: row.pattern.pattern)
def test_every_family_is_found_once(row: DriveFamily) -> None:
    assert [one for one in drive_families() if (one.trait, one.pattern) == (row.trait, row.pattern)] == [row]
    assert row.source
    assert not row.pattern.search("")


@pytest.mark.parametrize(("model", "family"), [
    ("WDC WD60EFAX-68SHWN0", "WD Red"), ("ST8000DM004-2CX188", "Seagate BarraCuda"),
    ("ST8000AS0002-1NA17Z", "Seagate Archive"), ("TOSHIBA HDWD240", "Toshiba P300"),
    ("WDC WD60EFRX-68L0BN1", ""), ("WDC WD80EFZX", ""), ("", ""),
])  # fmt: skip
def test_shingled_models(model: str, family: str) -> None:
    assert shingled_family(model) == family


@pytest.mark.parametrize(("model", "family"), [
    ("ST4000DM000-1F2168", "Seagate BarraCuda or Desktop"), ("WDC WD30EZRX-00DC0B0", "WD Blue"),
    ("WD20EARS", "WD Green"), ("ST4000VN008-2DR166", ""), ("WDC WD60EFRX-68L0BN1", ""),
])  # fmt: skip
def test_models_that_try_for_minutes(model: str, family: str) -> None:
    assert family_without_error_recovery_control(model) == family


def test_every_trait_has_families() -> None:
    assert {one.trait for one in drive_families()} == set(Trait)


@pytest.mark.parametrize(("rotation_rpm", "bus", "known"), [
    (7200, "ata", Baseline("hdd", 7200)), (-1, "ata", Baseline("hdd")), (0, "ata", Baseline("ssd")),
    (0, "nvme", Baseline("nvme")), (None, "usb", None),
])  # fmt: skip
def test_a_member_knows_its_class(rotation_rpm: int | None, bus: str, known: Baseline | None) -> None:
    disk = Disk("wwn-1", "/dev/sda", "M", "S", "wwn-1", 10**12, rotation_rpm=rotation_rpm, bus=bus)
    assert disk.as_member().baseline == known


def test_a_disk_that_says_so_is_shingled() -> None:
    disk = Disk("wwn-1", "/dev/sda", "M", "S", "wwn-1", 10**12, rotation_rpm=5400, zoned=True)
    assert disk.as_member().baseline == Baseline("smr", 5400)
