"""Stored baselines: by serial number, dated, the newest of each disk, and used unless a plan has its own."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.analysis.performance.at_once import SharedLimits
from raidwright.cli import main
from raidwright.core.errors import DiskRefused, InputError, MachineError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Baseline, MdArray, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol import verbs
from raidwright.core.protocol.measured import BaselineResult, Figures
from raidwright.core.protocol.results import AtOnceResult
from raidwright.core.protocol.verb import Verb
from raidwright.core.system.baseline import AT_ONCE, MAX_AT_ONCE, Measurement, measurements
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.baselines import TakeBaseline, TakeBaselines
from raidwright.operations.shootout.baseline import kept_streams
from raidwright.operations.shootout.contest import contest_of
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.operations.watch import Watch
from raidwright.runs.baselines import Baselines, KeptBaseline, baselines_folder, known_of, load_baseline, save_baseline
from raidwright.runs.run import ArrayState, RunResult
from raidwright.suites import Suite

from tests.kit import sample

_WHEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_DISKS = tuple(sample.disk(number) for number in range(4))


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _result(mb_s: float = 200.0, *, write: bool = False) -> BaselineResult:
    figures = {str(one): Figures(mb_s, mb_s / 2, 1.0, 2.0) for one in measurements(write=write)}
    return BaselineResult(figures, _DISKS[0].size_bytes, 2, 1_772_366_400, "3.33", ("sda: WDC",))


def _kept(disk: Disk = _DISKS[0], mb_s: float = 200.0, taken: datetime = _WHEN) -> KeptBaseline:
    size = disk.size_bytes
    return KeptBaseline(disk.serial, disk.model, size, taken, "This computer", known_of(disk), _result(mb_s), True)


def test_a_baseline_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = _kept()
    path = save_baseline(kept, tmp_path)
    assert load_baseline(path) == kept
    assert path.name.startswith(f"20260301T120000.000000Z-{kept.serial}-")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]  # nothing half-written stays
    assert baselines_folder().parts[-3:] == ("data", "raidwright", "baselines")


def test_the_newest_of_each_disk_counts(tmp_path: Path) -> None:
    shelf = Baselines(tmp_path)
    assert shelf.of(_DISKS[0]) is None
    for hours, mb_s in ((1, 210.0), (3, 230.0), (2, 220.0)):
        save_baseline(_kept(mb_s=mb_s, taken=_WHEN + timedelta(hours=hours)), tmp_path)
    save_baseline(_kept(_DISKS[1], 90.0), tmp_path)
    os.utime(tmp_path, ns=(1, 1))  # however coarse the file system's timestamps are
    found = shelf.of(_DISKS[0])
    assert found is not None
    assert found.baseline.sequential_read_mb_s == 230.0
    other = shelf.of(_DISKS[1].as_member())
    assert other is not None
    assert other.baseline.sequential_read_mb_s == 90.0
    assert shelf.of(_DISKS[2]) is None


@pytest.mark.parametrize(
    "changes", [{"serial": "OTHER"}, {"serial": ""}, {"size_bytes": 10**12}, {"model": "Seagate ST8000VN004"}]
)
def test_another_disk_is_not_taken_for_it(tmp_path: Path, changes: dict[str, Any]) -> None:
    save_baseline(_kept(), tmp_path)
    assert Baselines(tmp_path).of(replace(_DISKS[0], **changes)) is None


def test_a_serial_of_any_letters_is_a_files_name(tmp_path: Path) -> None:
    odd = replace(_DISKS[0], serial="../S/N 12*ä")
    path = save_baseline(_kept(odd), tmp_path)
    assert path.parent == tmp_path
    assert Baselines(tmp_path).of(odd) is not None


def test_what_can_not_be_read_is_named_and_the_one_before_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_baseline(_kept(), tmp_path)
    newer = save_baseline(_kept(mb_s=1.0, taken=_WHEN + timedelta(days=1)), tmp_path)
    newer.write_text("{", encoding="utf-8")
    found = Baselines(tmp_path).of(_DISKS[0])
    assert found is not None
    assert found.taken == _WHEN
    assert newer.name in caplog.text


@pytest.mark.parametrize(
    "values",
    [{"version": 2}, {"taken": "yesterday"}, {"result": {}}, {"known": {"kind": "floppy"}}, {"more": 1}, {"serial": 7}],
)
def test_a_file_with_something_wrong_is_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    path = save_baseline(_kept(), tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")
    with pytest.raises(InputError):
        load_baseline(path)


def test_a_folder_that_can_not_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="can't be saved"):
        save_baseline(_kept(), tmp_path / "file" / "baselines")
    assert Baselines(tmp_path / "file").of(_DISKS[0]) is None


def test_a_disk_is_planned_with_by_what_was_measured_of_it() -> None:
    save_baseline(_kept())
    measured, other = (Baselines().with_measured(disk).as_member().baseline for disk in _DISKS[:2])
    assert measured is not None
    assert (measured.kind, measured.rpm, measured.link) == ("hdd", 7200, _DISKS[0].link)
    assert (measured.sequential_read_mb_s, measured.sequential_write_mb_s) == (200.0, None)
    assert other == Baseline(kind="hdd", rpm=7200)


def test_a_plans_own_figures_come_first() -> None:
    save_baseline(_kept())
    plain, said = _DISKS[0].as_member(), replace(_DISKS[1].as_member(), baseline=Baseline(random_read_4k_iops=70))
    plan, used = Baselines().filled_in(Plan(MdArray(Level.RAID1, (plain, said, None))))
    first, second = plan.disks()
    assert first.baseline is not None
    assert first.baseline.sequential_read_mb_s == 200.0
    assert second == said
    assert [one.serial for one in used] == [_DISKS[0].serial]
    given = replace(plain, baseline=Baseline(flush_ms=1.0))
    assert Baselines().filled_in(Plan(MdArray(Level.RAID1, (given, said)))) == (
        Plan(MdArray(Level.RAID1, (given, said))),
        (),
    )


def test_assess_goes_by_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(MdArray(Level.RAID0, tuple(disk.as_member() for disk in _DISKS[:2])))
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(dump_plan(plan)), encoding="utf-8")

    def read_mb_s() -> tuple[float, str]:
        assert main(["assess", "--json", str(file)]) == 0
        written = capsys.readouterr()
        told = json.loads(written.out)["performance"]["sequential_read"]["normal"]
        return float(told["mb_s"]), written.err

    typical, said = read_mb_s()
    assert said == ""
    for disk in _DISKS[:2]:
        save_baseline(_kept(disk, 50.0))
    measured, said = read_mb_s()
    assert measured < 0.6 * typical
    assert said == "".join(f"{disk.serial}: as measured on 2026-03-01\n" for disk in _DISKS[:2])


def test_the_window_is_told_of_disks_with_what_was_measured_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Snapshot] = []

    async def close() -> None: ...

    async def opened(*_: object) -> Any:
        later = Snapshot(_DISKS[:1])
        return SimpleNamespace(snapshot=Snapshot(_DISKS), watch=lambda tell: tell(later), close=close)

    monkeypatch.setattr(Machine, "open", opened)
    save_baseline(_kept())

    async def look() -> None:
        def tell(news: object) -> None:
            if isinstance(news, Snapshot):
                told.append(news)

        looking = asyncio.ensure_future(Watch().look_at("unix:path=/nowhere", "admin", tell))
        while len(told) < 2 and not looking.done():
            await asyncio.sleep(0.01)
        looking.cancel()
        await asyncio.wait([looking])

    asyncio.run(look())
    assert [len(seen.disks) for seen in told] == [1, 4]
    for seen in told:
        first, *others = (disk.as_member().baseline for disk in seen.disks)
        assert first is not None
        assert first.sequential_read_mb_s == 200.0
        assert others == [Baseline(kind="hdd", rpm=7200)] * len(others)


def _mb_s(serial: str) -> float:
    return 100.0 if serial == _DISKS[3].serial else 200.0


def _three_quarters(serial: str, what: Measurement) -> Figures:
    alone = _result(_mb_s(serial), write=False).figures[what]
    return replace(alone, mb_s=alone.mb_s * 0.75, iops=alone.iops * 0.75)


class _Helper:
    """Takes baselines; the third disk is in standby. All at once they reach three quarters of their rates."""

    def __init__(self) -> None:
        self.is_old = False
        self.asked: list[tuple[object, ...]] = []

    async def do(self, verb: Verb[Any], disk: Any, options: object, *, on_update: Any) -> BaselineResult | AtOnceResult:
        """Send half of the progress, and the end."""
        self.asked.append((verb.name, disk, options))
        if verb is verbs.MEASURE_AT_ONCE and self.is_old:
            raise MachineError("The helper there is older.")
        if verb is verbs.MEASURE_AT_ONCE:
            on_update(JobProgress("stage-measure", 0.5))
            streams, accesses = ({one["id"]: _three_quarters(one["serial"], what) for one in disk} for what in AT_ONCE)
            return AtOnceResult(streams, accesses, 1, "3.33")
        if disk["serial"] == _DISKS[2].serial:
            raise DiskRefused("It sleeps.", code="disk-asleep")
        on_update(JobProgress("stage-measure", 0.5))
        return _result(_mb_s(disk["serial"]), write=bool(json.loads(json.dumps(options))["write"]))


def _machine(helper: _Helper) -> Any:
    async def facts_seen() -> None: ...

    return SimpleNamespace(helper=helper, snapshot=Snapshot(_DISKS), facts_seen=facts_seen)


def test_disks_are_taken_one_after_the_other_and_each_is_kept() -> None:
    helper, told = _Helper(), list[float]()
    take = TakeBaselines((_DISKS[0], _DISKS[3]), "here", seconds=1)
    taken = asyncio.run(take.perform(_machine(helper), lambda update: told.append(getattr(update, "fraction", -1))))
    assert told == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    assert [(one.serial, one.machine) for one in taken] == [(_DISKS[0].serial, "here"), (_DISKS[3].serial, "here")]
    [first, _, at_once] = helper.asked
    assert at_once[0] == "MeasureAtOnce"
    assert at_once[2] == {"seconds": 1, "wake": False}
    assert [one.baseline.computer_read_mb_s for one in taken] == [225.0, 225.0]
    name, disk, options = first
    assert (name, options) == ("TakeBaseline", {"seconds": 1, "write": False, "wake": False})
    assert isinstance(disk, dict)
    assert disk.keys() == {"id", "model", "serial", "size_bytes"}
    assert [Baselines().of(one) for one in (_DISKS[0], _DISKS[3])] == list(taken)


def test_what_held_a_disk_back_is_known_of_it_until_it_hangs_elsewhere() -> None:
    disk = replace(_DISKS[0], link="usb3")
    limits = SharedLimits({"usb3": 300.0}, 900.0, 22_000.0)
    save_baseline(replace(_kept(disk), known=limits.told(known_of(disk))))
    here, moved = (Baselines().with_measured(one).baseline for one in (disk, replace(disk, link="usb4")))
    assert here is not None
    assert moved is not None
    assert (here.link_read_mb_s, here.computer_read_mb_s, here.computer_read_4k_iops) == (300.0, 900.0, 22_000.0)
    assert (moved.link_read_mb_s, moved.computer_read_mb_s) == (None, 900.0)


def test_a_disk_measured_alone_again_still_knows_what_held_it_back() -> None:
    helper, pair = _Helper(), (_DISKS[0], _DISKS[3])
    asyncio.run(TakeBaselines(pair, "here").perform(_machine(helper)))
    [alone] = asyncio.run(TakeBaselines(pair[:1], "here").perform(_machine(helper)))
    assert alone.baseline.computer_read_mb_s == 225.0
    assert Baselines().of(_DISKS[0]) == alone


def test_what_was_taken_before_a_refusal_is_kept() -> None:
    with pytest.raises(DiskRefused, match="sleeps"):
        asyncio.run(TakeBaselines(_DISKS, "here").perform(_machine(_Helper())))
    assert [Baselines().of(disk) is not None for disk in _DISKS] == [True, True, False, False]


def test_a_disk_without_a_serial_and_whoever_does_not_want_it_are_not_kept() -> None:
    nameless = replace(_DISKS[0], serial="")
    asyncio.run(TakeBaselines((nameless,), "here").perform(_machine(_Helper())))
    asyncio.run(TakeBaselines((_DISKS[0],), "here", keep=False).perform(_machine(_Helper())))
    assert not baselines_folder().exists()


def test_seconds_out_of_their_limits_never_travel() -> None:
    with pytest.raises(InputError, match="1 to 10"):
        TakeBaseline(_DISKS[0].as_member(), 11).arguments()


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> _Helper:
    """The command's fake helper."""
    helper = _Helper()

    @asynccontextmanager
    async def connect(_address: str, *_others: object) -> Any:
        yield _machine(helper)

    monkeypatch.setattr(Machine, "connect", connect)
    return helper


def test_the_command_shows_each_disk_and_names_the_odd_one(helper: _Helper, capsys: pytest.CaptureFixture[str]) -> None:
    names = [_DISKS[0].serial, _DISKS[1].device, _DISKS[3].id]
    assert main(["baseline", *names, _DISKS[0].device]) == 0  # named twice, measured once
    assert len(helper.asked) == 3 + 1  # and all at once
    written = capsys.readouterr()
    assert f"{_DISKS[1].device}:\n 50%" in written.err
    assert "Read outside, MB/s" in written.out
    assert "Write" not in written.out
    assert f"{_DISKS[3].device} is not like the others: sequential read outside: 100, which is 50%" in written.out


def test_what_each_does_alone_is_told_by_an_older_helper_too(
    helper: _Helper, capsys: pytest.CaptureFixture[str]
) -> None:
    helper.is_old = True
    assert main(["baseline", _DISKS[0].device, _DISKS[1].device]) == 1
    written = capsys.readouterr()
    assert "raidwright: The helper there is older." in written.err
    assert _DISKS[1].serial in written.out


def test_more_disks_than_are_read_at_once_are_measured_all_the_same() -> None:
    disks = tuple(replace(_DISKS[0], serial=f"Z{number}", id=f"wwn-{number}") for number in range(MAX_AT_ONCE + 1))
    helper = _Helper()
    taken = asyncio.run(TakeBaselines(disks, "here", keep=False).perform(_machine(helper)))
    assert [one.serial for one in taken] == [disk.serial for disk in disks]
    assert [one.baseline.link_read_mb_s is None for one in taken] == [False] * MAX_AT_ONCE + [True]
    assert len(helper.asked[-1][1]) == MAX_AT_ONCE  # type: ignore[arg-type]


def test_json_has_the_baseline_that_a_plan_takes(
    helper: _Helper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", *(_DISKS[place].serial for place in (0, 1, 3)), "--json", "--write", "--yes"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told[0]["figures"]) == set(Measurement)
    assert told[0]["figures"]["random_read_4k"] == {
        "mb_s": 200.0, "iops": 100.0, "latency_ms": 1.0, "latency_p99_ms": 2.0
    }  # fmt: skip
    assert [bool(one["odd"]) for one in told] == [False, False, True]
    assert told[2]["odd"]["random_read_4k"] == 0.5
    *alone, at_once = [asked[2] for asked in helper.asked]
    assert alone == [{"seconds": 2, "write": True, "wake": False}] * 3
    assert at_once == {"seconds": 2, "wake": False}
    assert told[0]["baseline"]["computer_read_mb_s"] == 375.0
    keys = ("id", "model", "serial", "size_bytes", "baseline")
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"level": "raid5", "members": [{key: one[key] for key in keys} for one in told]}))
    assert main(["assess", "--json", str(file)]) == 0
    written = capsys.readouterr()
    assert "error" not in json.loads(written.out)
    assert written.err == ""  # the plan has it already


def test_writing_wants_each_disks_name(
    helper: _Helper, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["baseline", _DISKS[0].serial, _DISKS[1].serial, "--write"]
    assert main(words) == 2
    assert "--yes" in capsys.readouterr().err
    answers = iter([_DISKS[0].serial, "something else"])
    typing = SimpleNamespace(isatty=lambda: True, readline=lambda: f"{next(answers)}\n")
    monkeypatch.setattr("sys.stdin", typing)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "Nothing was done" in said
    assert f"{_DISKS[0].device}  {_DISKS[0].model}  {_DISKS[0].serial}" in said
    assert helper.asked == []
    answers = iter([_DISKS[0].serial, _DISKS[1].serial])
    assert main(words) == 0
    assert [name for name, *_ in helper.asked] == ["TakeBaseline", "TakeBaseline", "MeasureAtOnce"]


@pytest.mark.parametrize("words", [["/dev/sdz"], ["all", "/dev/sda"], ["/dev/sda", "--seconds", "11"]])
def test_the_command_refuses_what_makes_no_sense(
    helper: _Helper, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", *words]) == 2
    assert capsys.readouterr().err.startswith("raidwright: ")
    assert helper.asked == []


def test_all_means_every_disk(helper: _Helper, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "all"]) == 1
    written = capsys.readouterr()
    assert f"{_DISKS[2].device}:\nraidwright: It sleeps." in written.err
    assert len(helper.asked) == 4 + 1  # and the others are measured nevertheless, and at once
    assert "the computer passes no more" in written.out
    assert _DISKS[3].serial in written.out
    assert _DISKS[2].serial not in written.out


def test_a_disk_measured_whole_stands_for_its_partitions() -> None:
    save_baseline(_kept())
    disk = _DISKS[0].as_member()
    slice_ = replace(disk, id=f"{disk.id}-part2", disk=disk.id, partition=2, size_bytes=disk.size_bytes // 2)
    plan, used = Baselines().filled_in(Plan(MdArray(Level.LINEAR, (slice_,))))
    assert [one.serial for one in used] == [disk.serial]
    assert next(plan.disks()).baseline is not None
    assert Baselines().of(replace(disk, size_bytes=disk.size_bytes // 2)) is None


def test_streams_of_one_disk_in_a_shoot_out_are_its_baseline() -> None:
    disk = _DISKS[0]
    wanted = Plan(MdArray(Level.RAID0, tuple(one.as_member() for one in _DISKS[:2])))
    contest = contest_of([wanted], 8 * 2**30, Suite.QUICK, (ArrayState.HEALTHY,), 60)
    assert contest.contestants[0].disks[0].serial == disk.serial
    findings = Findings(contest)
    assert kept_streams(findings, 0, disk, "here", None) is None
    for workload, mb_s in ((Workload.SEQUENTIAL_READ, 248.0), (Workload.SEQUENTIAL_READ, 252.0),
                           (Workload.SEQUENTIAL_WRITE, 102.0), (Workload.RANDOM_READ_4K, 1.0)):  # fmt: skip
        result = RunResult(workload, 5.0, mb_s, mb_s, 8.0, 9.0, "fio")
        findings = findings.with_result(Figure(0, ArrayState.HEALTHY, workload, (result,)))
    kept = kept_streams(findings, 0, disk, "here", None)
    assert kept is not None
    assert (kept.baseline.sequential_read_mb_s, kept.baseline.sequential_write_mb_s) == (250.0, 102.0)
    assert kept.baseline.random_read_4k_iops is None  # only within a slice
    save_baseline(kept)
    assert Baselines().with_measured(disk).baseline == kept.baseline
    before = _kept(disk, 200.0)
    added = kept_streams(findings, 0, disk, "here", before)
    assert added is not None
    assert added.result.figures[Measurement.READ_OUTSIDE].mb_s == 250.0
    assert added.result.figures[Measurement.READ_4K] == before.result.figures[Measurement.READ_4K]
