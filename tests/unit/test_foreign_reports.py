"""Reports of arrays as people paste them, each with the one right answer; ``foreign/reports`` has the texts.

Printed by mdadm 4.2 of real arrays in a practice machine, or written after the form of public reports; names, serials
and UUIDs of people's arrays are made up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Bitmap, Member
from raidwright.core.reading.mdadm_reports import Report, read_report

_FOLDER = Path(__file__).parent / "foreign" / "reports"
_GB = 10**9


@dataclass(frozen=True)
class Right:
    """The right plan, and words that must be told beside it."""

    level: str
    members: str  # ids in slot order, “-” for a missing one
    spares: str = ""
    unknown: str = ""
    unsaid: tuple[str, ...] = ()
    unplanned: tuple[str, ...] = ()
    fields: dict[str, object] = field(default_factory=dict)


PLANS = {
    "raid10-near2.detail.txt": Right(
        "raid10", "sda sdb sdc sdd", unknown="data_offset_kib", fields={"layout": "n2", "chunk_kib": 512}
    ),
    "replacement.detail.txt": Right(
        "raid1",
        "sda sdb sdc",
        "sdd",
        "data_offset_kib",
        unplanned=("/dev/sdd is about to replace /dev/sda", "failfast"),
    ),
    "mbr-and-partition.examine.txt": Right("raid5", "sda1 sdb1 sdc1", fields={"data_offset_kib": 2048}),
    "old-0.90-with-spare.examine.txt": Right("raid5", "sda sdb sdc", "sdd", unsaid=("name",)),
    "stale-member.examine.txt": Right(
        "raid1",
        "sda - sdc",
        "sdd",
        unplanned=("/dev/sdb was slot 1 and fell out", "--write-mostly of /dev/sdb", "/dev/sdd is about to replace"),
        fields={"bitmap": Bitmap.INTERNAL, "data_offset_kib": 2048},
    ),
    "write-mostly.detail.txt": Right(
        "raid1",
        "sda sdb sdc",
        unknown="data_offset_kib",
        unplanned=("--write-mostly of /dev/sdb and /dev/sdc", "--failfast of /dev/sdc"),
    ),
    "internal-bitmap.export.txt": Right(
        "raid6",
        "sda sdb - sdd",
        unknown="bitmap chunk_kib consistency layout",
        unsaid=("bitmap", "The layout", "The chunk"),
    ),
    "name-with-space.examine.txt": Right(
        "raid1", "sda sdb", unplanned=("“my tank”", "home host, “any”"), fields={"name": "my-tank"}
    ),
    "mdadm-3.1.examine.txt": Right(
        "raid5", "sda1 sdb1 sdc1 sdd1", fields={"component_size_kib": 1953512448, "chunk_kib": 64}
    ),
}
REFUSED = {
    "no-node.detail.txt": ("report-node", "8:16"),
    "reshape-3-to-4.detail.txt": ("report-reshape", "3->4"),
    "reshape-3-to-4.examine.txt": ("report-reshape", "3->4"),
    "inactive.detail.txt": ("report-inactive", "mdadm --examine"),
}


def read(name: str) -> Report:
    size_bytes = 2 * _GB if "export" in name else None
    return read_report((_FOLDER / name).read_text(encoding="utf-8"), lambda _path: size_bytes)


@pytest.mark.parametrize("name", PLANS)
def test_a_report_is_read_rightly(name: str) -> None:
    right, report = PLANS[name], read(name)
    plan = report.plan
    ids = " ".join(member.id if isinstance(member, Member) else "-" for member in plan.members)
    assert (plan.level, ids, " ".join(spare.id for spare in plan.spares)) == (right.level, right.members, right.spares)
    assert " ".join(plan.unknown) == right.unknown
    for words, told in ((right.unsaid, report.unsaid), (right.unplanned, report.unplanned)):
        for part in words:
            assert any(part in sentence for sentence in told), (part, told)
    assert {name: getattr(plan, name) for name in right.fields} == right.fields


@pytest.mark.parametrize("name", REFUSED)
def test_a_report_is_refused_for_its_true_reason(name: str) -> None:
    code, words = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(name)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_every_report_has_its_answer() -> None:
    assert {path.name for path in _FOLDER.iterdir()} == PLANS.keys() | REFUSED.keys()
