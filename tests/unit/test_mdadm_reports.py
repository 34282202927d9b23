"""mdadm's reports of an array give its plan: output of mdadm 4.2 and 4.4 for real arrays."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.cli import main
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.reading.mdadm_reports import read_report
from raidwright.reading.plans import loads_plan

_TEXT = Path(__file__).with_name("mdadm_reports.txt").read_text(encoding="utf-8")
REPORTS = {tuple(head.split()): text for head, _, text in (part.partition("\n") for part in _TEXT.split("### ")[1:])}
MEANT = {
    "five": ("raid5", "right-asymmetric", 64, ["sda", "sdb", "sdc"], ["sdd"]),
    "ten": ("raid10", "o2", 512, ["sda", "sdb", None, "sdd"], []),
    "old": ("raid1", None, None, ["sda", "sdb"], []),
    "fast": ("raid0", "original", 256, ["sda", "sdb", "sdc"], []),
}
UNSAID = {  # values that each form omits: layout, chunk, bitmap and its chunk, data offset, 0.90's name
    "detail-export": {"five": 5, "ten": 4, "old": 1, "fast": 3},
    "detail": {"five": 2, "ten": 1, "old": 0, "fast": 1},
    "examine": {"five": 1, "ten": 0, "old": 1, "fast": 0},
}
_DISK_BYTES = 100030242816


def _ids(plan: Plan) -> list[str | None]:
    return [member.id if isinstance(member, Member) else None for member in plan.array.members]


@pytest.mark.parametrize("report", REPORTS, ids=" ".join)
def test_a_report_is_the_plan_of_its_array(report: tuple[str, ...]) -> None:
    _version, array, verb, sectors = report
    level, layout, chunk_kib, members, spares = MEANT[array]
    read = read_report(REPORTS[report], lambda _path: _DISK_BYTES)
    plan = read.plan
    assert (plan.level, _ids(Plan(plan)), [spare.id for spare in plan.spares]) == (level, members, spares)
    assert len(read.unsaid) == UNSAID[verb][array]
    assert ("data_offset_kib" in plan.unknown) == (verb != "examine" and array != "old")
    if verb == "detail-export":
        return
    assert plan.name == (array if (array, verb) != ("old", "examine") else "md0")  # 0.90 has no name
    assert plan.layout in (layout, None if array == "fast" else layout)
    assert plan.chunk_kib == chunk_kib
    assert plan.bitmap is (Bitmap.INTERNAL if array == "five" else Bitmap.NONE)
    assert capacity_of(plan).array_sectors == int(sectors)


def test_sizes_that_are_not_said_are_told() -> None:
    text = next(text for (version, array, verb, _), text in REPORTS.items() if (array, verb) == ("five", "detail"))
    assert len(read_report(text).unsaid) == 3
    assert "/dev/sda, /dev/sdb, /dev/sdc, /dev/sdd" in read_report(text).unsaid[-1]
    exported = next(text for (_, array, verb, _), text in REPORTS.items() if (array, verb) == ("five", "detail-export"))
    with pytest.raises(InputError, match="--disk-size"):
        read_report(exported)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no report of an array"),
        ("ARRAY /dev/md0 UUID=1", "no report of an array"),
        ("mdadm: cannot open /dev/md*: No such file or directory", "no report of an array.*mdadm: cannot open"),
        ("Personalities : [raid1]\nunused devices: <none>\n", "lists no array"),
        ("/dev/md0:\n Raid Level : raid7\n Version : 1.2\n Raid Devices : 2\n UUID : 1", "raid7"),
        ("/dev/md0:\n Raid Level : raid1\n Version : 1.2\n Raid Devices : x\n UUID : 1", "slots"),
        ("/dev/sda:\n Magic : a\n UUID : 1\n Raid Level : raid1\n/dev/sdb:\n Magic : a\n UUID : 2", "several arrays"),
    ],
)
def test_what_is_no_report_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_report(text)


@given(st.sampled_from(sorted(REPORTS.values())), st.data())
def test_a_report_that_is_cut_or_scrambled_is_read_or_refused(text: str, data: st.DataObject) -> None:
    lines = text.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = data.draw(st.text(max_size=30))
    with contextlib.suppress(InputError):
        read_report("\n".join(lines[: data.draw(st.integers(0, len(lines)))]), lambda _path: _DISK_BYTES)


def test_import_prints_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "detail.txt"
    path.write_text(next(text for (_, array, verb, _), text in REPORTS.items() if (array, verb) == ("ten", "detail")))
    assert main(["import", str(path)]) == 0
    told = capsys.readouterr()
    assert loads_plan(told.out).array.layout == "o2"
    assert "Not in the report" in told.err
    assert json.loads(told.out)["members"][2] == "missing"
