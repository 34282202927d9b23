"""A busy host: how long it kept a practice machine waiting, and what a check does with rows measured meanwhile."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.system.workload import Workload
from raidwright.lab.host_load import HostLoad, HostWaits, is_busy

from ..kit import check
from ..kit.quiet import Quiet
from ..predict_check.drawn import Cell
from ..predict_check.kept import Kept
from ..predict_check.verdict import Row, verdicts


def _proc(folder: Path, steal: int, **schedstat: str) -> Path:
    (folder / "stat").write_text(f"cpu  9 9 9 9 9 9 9 {steal} 0 0\ncpu0 1\n", encoding="ascii")
    for name, line in schedstat.items():
        place = folder / name.removeprefix("p")
        place.mkdir(exist_ok=True)
        (place / "schedstat").write_text(line, encoding="ascii")
    return folder


def _children(proc: Path, *pids: int) -> None:
    (proc / "7/task/7").mkdir(parents=True, exist_ok=True)
    (proc / "7/task/7/children").write_text("".join(f"{pid} " for pid in pids), encoding="ascii")


def test_waiting_counts_beyond_the_turns_that_a_kernel_and_its_processes_take(tmp_path: Path) -> None:
    proc = _proc(tmp_path, 0, p7="5000000000 3000000000 100000\n", p8="0 2000000 4000\n", p10="0 500000000 0\n")
    waits = HostWaits((7, 8, 9), proc)
    assert waits.load().waited_s == pytest.approx((2.9, 0.0, 0.0))  # 1 µs a turn; 9 has ended
    _children(proc, 10, 11)
    assert waits.load().waited_s == pytest.approx((3.4, 0.0, 0.0))


def test_a_child_that_ended_leaves_what_it_waited(tmp_path: Path) -> None:
    proc = _proc(tmp_path, 0, p7="0 1000000000 0\n", p10="0 3000000000 0\n", p11="0 0 0\n")
    _children(proc, 10, 11)
    waits = HostWaits((7,), proc)
    before = waits.load()
    _children(proc, 11)
    _proc(tmp_path, 0, p7="0 1000000000 5000\n", p11="0 2000000000 0\n")
    after = waits.load()
    assert (*before.waited_s, *after.waited_s) == pytest.approx((4.0, 6.0))
    _children(proc, 10)  # a new process by that number
    _proc(tmp_path, 0, p10="0 500000000 0\n")
    assert waits.load().waited_s == pytest.approx((6.5,))


def test_a_question_soon_after_another_is_of_the_same_measurement() -> None:
    told = iter([HostLoad(100.0, (1.0,)), HostLoad(104.0, (3.0,)), HostLoad(104.4, (3.0,)), HostLoad(105.0, (3.5,))])
    quiet = Quiet(lambda: next(told))
    assert [quiet.waited_share() for _ in range(3)] == pytest.approx([0.5, 0.5, 0.5])
    told = iter([HostLoad(106.0, (3.5,))])
    assert quiet.waited_share() == 0.0


def test_what_the_host_of_a_virtual_host_takes_is_waited_for_on_each_processor(tmp_path: Path) -> None:
    ticks = os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1)
    assert HostWaits((), _proc(tmp_path, 3 * ticks)).load().stolen_s == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("now", "share"),
    [
        (HostLoad(110.0, (3.0, 1.0), 0.0), 0.2),
        (HostLoad(110.0, (1.0, 1.5), 0.0), 0.05),
        (HostLoad(110.0, (1.0, 1.0), 4.0), 0.4),
        (HostLoad(110.0, (0.0, 1.0), 0.0), 0.0),  # its process ended
        (HostLoad(110.0, (31.0, 1.0), 0.0), 1.0),
        (HostLoad(100.0, (3.0, 1.0), 0.0), 0.0),
    ],
)
def test_the_longest_wait_is_the_share(now: HostLoad, share: float) -> None:
    assert now.waited_share(HostLoad(100.0, (1.0, 1.0), 0.0)) == pytest.approx(share)


def test_a_tenth_makes_it_busy() -> None:
    assert [is_busy(share) for share in (0.0, 0.1, 0.11, 1.0)] == [False, False, True, True]


def test_a_row_of_a_busy_host_is_neither_right_nor_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "CHECKS", tmp_path)
    with check.table("sample", ("what", check.COUNTS)) as table:
        table.add(("a",), "a", holds=False, waited_share=0.26)
        assert table.verdict("1 row") == 2  # nothing counts, so nothing is proved
        table.add(("b",), "b", holds=True, waited_share=0.02)
        assert table.verdict("2 rows") == 0
        table.add(("c",), "c", holds=False, waited_share=0.02)
        assert table.verdict("3 rows") == 1
    assert table.path.read_text(encoding="utf-8").splitlines() == ["what,counts", "a,host busy (26%)", "b,yes", "c,yes"]
    said = capsys.readouterr().out.splitlines()
    assert [said[0], said[2], said[4]] == ["… a not counted: host busy (26%)", "  b", "✗ c"]
    assert said[-1].startswith("3 rows; 1 of 3 not counted, since this computer was busy; all of them in ")


def _row(measured_mb_s: float, waited_share: float) -> Row:
    cell = Cell(Workload.SEQUENTIAL_READ)
    return Row(measured_mb_s, 100.0, 90.0, 110.0, 150.0, "hdd", "raid5 of 4", cell, "", waited_share)


def test_predictions_are_not_held_against_a_busy_host() -> None:
    good = [_row(100 + step, 0.01) for step in range(-4, 5)]
    bad = [_row(20.0, 0.5)] * 20
    of_good = list(verdicts(good, ranked=False))
    assert list(verdicts([*good, *bad], ranked=False)) == of_good
    assert all(holds for holds, _ in of_good[:2])
    assert not all(
        holds for holds, _ in verdicts([*good, *(replace(row, waited_share=0.0) for row in bad)], ranked=False)
    )
    assert list(verdicts(bad)) == []


def test_what_was_kept_of_a_busy_host_stays_uncounted(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "predict.jsonl")
    kept.begin("7.2.7", "[]")
    kept.add(123.4567, 0.261)
    kept.add(99.5, 0.0)
    assert Kept(kept.path).read().measured == [(123.4567, 0.261), (99.5, 0.0)]
