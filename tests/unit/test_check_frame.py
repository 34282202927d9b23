"""Unit tests of the checks' frame: its options, its CSV files and its verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..kit import check


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "CHECKS", tmp_path / "checks")


def test_rows_are_in_the_file_as_soon_as_they_are_added(capsys: pytest.CaptureFixture[str]) -> None:
    with check.table("sample", ("what", "found")) as table:
        table.add(("a, b", 1.5), "first")
        assert table.path.read_text(encoding="utf-8").splitlines() == ["what,found", '"a, b",1.5']
        table.add(("c", 2), "second", holds=False, sign="~")
        table.add(("d", 3), "third", sign="~")
        table.add(("e", 4))
    assert capsys.readouterr().out == "  first\n✗ second\n~ third\n"
    assert (table.rows, table.wrong) == (4, 1)


@pytest.mark.parametrize(("holds", "code"), [(True, 0), (False, 1)])
def test_the_exit_code_says_whether_all_rows_hold(holds: bool, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with check.table("sample", ("what",)) as table:
        table.add(("a",), holds=holds)
        table.add(("b",))
    assert table.verdict("2 rows") == code
    assert capsys.readouterr().out == f"2 rows; all of them in {table.path}\n"


def test_a_report_is_printed_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    check.report("speed", ("what", "median"), [("cells", "3 ms")])
    assert "3 ms" in capsys.readouterr().out
    assert (check.CHECKS / "speed.csv").read_text(encoding="utf-8").splitlines() == ["what,median", "cells,3 ms"]


def test_options_restrict_a_check_and_may_be_repeated() -> None:
    parser = check.parser("disks-check", "What it does.", seed=True, kind=("hdd", "ssd"))
    assert vars(parser.parse_args([])) == {"seed": 1, "kind": None}
    options = parser.parse_args(["--kind", "ssd", "--kind", "hdd", "--seed", "7"])
    assert vars(options) == {"seed": 7, "kind": ["ssd", "hdd"]}
    with pytest.raises(SystemExit) as refused:
        parser.parse_args(["--kind", "tape"])
    assert refused.value.code == 2


def test_rows_of_several_tests_come_together(capsys: pytest.CaptureFixture[str]) -> None:
    check.add_to("change", ("grown", 1))
    check.add_to("change", ("a, b", 2))
    assert (check.CHECKS / "change.csv").read_text(encoding="utf-8").splitlines() == ["grown,1", '"a, b",2']
    assert capsys.readouterr().out == "grown  1\na, b  2\n"
