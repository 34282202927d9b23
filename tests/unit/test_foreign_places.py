"""Imported runs know their place: the same, another target, or incomparable, and what of it isn't known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from raidwright.analysis.comparison.conditions import Aspect, ComparisonSubject
from raidwright.core.errors import InputError
from raidwright.runs.comparing import Compared, matched
from raidwright.runs.imports.files import runs_in
from raidwright.runs.places import Place, place_by
from raidwright.runs.run import Run, Source
from raidwright.text.run import comparisons as words

_FOLDER = Path(__file__).parent / "foreign" / "runs"


def _runs(name: str, workload: str = "") -> Sequence[Run]:
    return [run for run in runs_in(_FOLDER / name) if run.workload.startswith(workload)]


def _only(first: Sequence[Run], second: Sequence[Run]) -> Compared:
    [found] = matched(first, second)
    return found


@pytest.mark.parametrize(
    ("second", "kind", "subject", "warned"),
    [
        ("compare-raw-whole.json", ComparisonSubject.REPEATS, set(), set()),
        ("compare-raw-1g.json", ComparisonSubject.REPEATS, set(), {Aspect.REGION}),
        ("compare-raw-sda.json", ComparisonSubject.TARGETS, {Aspect.TARGET}, set()),
    ],
)
def test_a_repeat_is_of_the_same_place(
    second: str, kind: ComparisonSubject, subject: set[Aspect], warned: set[Aspect]
) -> None:
    context = _only(_runs("compare-raw-whole.json"), _runs(second)).context
    assert (context.kind, {one.aspect for one in context.subject}) == (kind, subject)
    assert {one.aspect for one in context.warnings} == warned
    assert Aspect.ARRAY in context.unknown


def test_one_workload_has_one_name_however_its_mix_is_said() -> None:
    assert _only(_runs("compare-mix-both.json"), _runs("compare-mix-read.json")).context.compares


def _written(folder: Path, name: str, **options: str) -> Sequence[Run]:
    told = json.loads((_FOLDER / "compare-raw-whole.json").read_text(encoding="utf-8"))
    told["jobs"][0]["job options"] |= options
    path = folder / name
    path.write_text(json.dumps(told), encoding="utf-8")
    return runs_in(path)


@pytest.mark.parametrize(
    ("options", "aspect"),
    [
        ({"offset": "90%"}, Aspect.OFFSET),
        ({"size": "50%"}, Aspect.REGION),
        ({"filename": "/mnt/xfs/f", "size": "8g"}, Aspect.FILES),
        ({"directory": "/mnt/xfs", "filename": "", "size": "8g"}, Aspect.FILES),
    ],
)
def test_another_part_or_a_file_is_no_repeat(tmp_path: Path, options: dict[str, str], aspect: Aspect) -> None:
    context = _only(_written(tmp_path, "a.json"), _written(tmp_path, "b.json", **options)).context
    assert aspect in {one.aspect for one in context.warnings}
    assert words.warning(context).startswith("These don't compare: ")


def test_streams_in_parts_of_their_own_are_another_workload(tmp_path: Path) -> None:
    streams = {"numjobs": "4", "offset_increment": "25%"}
    assert "offset_increment=25%" in _written(tmp_path, "a.json", **streams)[0].workload
    assert "offset_increment" not in _written(tmp_path, "b.json", offset_increment="25%")[0].workload


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"filename": "/dev/md0"}, Place("/dev/md0", False, None, True)),
        ({"filename": "/dev/sdb:/dev/sda", "size": "1g"}, Place("/dev/sda:/dev/sdb", False, 1024, True)),
        ({"filename": "/dev/shm/x", "size": "1g"}, Place("/dev/shm", True, 1024, True)),  # noqa: S108
        ({"directory": "/mnt/t/", "size": "2g", "numjobs": "4"}, Place("/mnt/t", True, 8192, True)),
        ({"filename": "/mnt/t/f1:/mnt/t/f2", "size": "2g"}, Place("/mnt/t", True, 2048, True)),
        ({"filename": "test", "size": "2g"}, Place("", True, 2048, True)),
        ({"size": "100%", "filename": "/dev/md0"}, Place("/dev/md0", False, None, True)),
        ({"filename": "/mnt/t/f1"}, Place("/mnt/t", True, None, False)),
        ({"filename": r"\\.\PhysicalDrive1"}, Place(r"\\.\PhysicalDrive1", False, None, True)),
        ({"ioengine": "rbd", "pool": "p"}, Place()),
        ({}, Place()),
    ],
)
def test_fios_options_say_the_place(options: dict[str, Any], place: Place) -> None:
    assert place_by(Source.FIO, options, "random_read_4k", "") == place


def test_the_size_of_iozones_file_is_its_region() -> None:
    small, large = _runs("compare-iozone-64m.txt", "iozone_read"), _runs("compare-iozone-32g.txt", "iozone_read")
    context = _only(small, large).context
    assert [one.aspect for one in context.warnings] == [Aspect.REGION, Aspect.SHORT]  # 64 MiB take 27 ms
    assert (context.warnings[0].first, context.warnings[0].second) == ("64", "32768")
    assert [run.region_mib for run in (*small, *large)] == [64, 32768]


def test_each_size_of_a_file_is_a_measurement_of_its_own() -> None:
    runs = _runs("iozone-auto.txt", "iozone_read_64k")
    assert len(runs) == 3
    compared = matched(runs, runs)
    assert [(one.is_of_region, len(one.first)) for one in compared] == [(True, 1)] * 3
    assert {one.aspect for each in compared for one in each.context.warnings} == {Aspect.SHORT}
    assert len(matched(runs, runs[1:])) == 2


def test_bonnies_files_are_told_apart_by_size_and_not_by_time(tmp_path: Path) -> None:
    text = (_FOLDER / "bonnie-1.96-char-seconds.csv").read_text(encoding="utf-8")
    runs = _runs("bonnie-1.96-char-seconds.csv")
    small = tmp_path / "small.csv"
    small.write_text(text.replace(",16G,", ",256M,"), encoding="utf-8")
    found = {one.workload: one.context for one in matched(runs, runs_in(small))}
    assert {one.aspect for one in found["bonnie_block_read"].warnings} == {Aspect.REGION, Aspect.SHORT}
    assert Aspect.REGION in found["bonnie_char_read"].unknown
    assert {run.workload: run.result.seconds for run in runs}["bonnie_char_write"] == 0.0


def test_another_fio_is_said_and_doesnt_forbid_a_comparison(tmp_path: Path) -> None:
    told = (_FOLDER / "compare-raw-whole.json").read_text(encoding="utf-8").replace("fio-3.33", "fio-3.1")
    path = tmp_path / "older.json"
    path.write_text(told, encoding="utf-8")
    context = _only(_runs("compare-raw-whole.json"), runs_in(path)).context
    assert context.compares
    assert "Also different: fio (3.33 against 3.1)" in words.remark(context)


def test_a_range_says_what_it_assumes() -> None:
    runs = _runs("compare-raw-whole.json")
    assert "repeats of it differ by 1.5%" in words.assumption(_only(runs, runs).comparison)
    assert not words.assumption(_only([*runs, *runs], [*runs, *runs]).comparison)


def test_fio_before_3_18_has_a_mean_latency_without_its_count() -> None:
    [run] = _runs("fio-3.1-latency.json")
    assert run.result.latency_ms == pytest.approx(0.0830, abs=1e-4)


def test_a_flush_is_part_of_the_latency_of_its_write() -> None:
    """fio counts 0.055 ms for a write and 4.49 ms for the flush after it; 220 of both come in a second."""
    [run] = _runs("fio-printed-3.39-flushed.json")
    assert run.result.latency_ms == pytest.approx(4.54, abs=0.01)
    assert 1000 / run.result.iops == pytest.approx(4.54, abs=0.02)
    assert run.result.latency_p99_ms == pytest.approx(14.71, abs=0.01)


def test_an_engine_given_by_its_file_has_its_name(tmp_path: Path) -> None:
    [run] = _written(tmp_path, "a.json", ioengine="/opt/spdk/build/fio/spdk_nvme")
    assert run.workload.endswith("_ioengine=spdk_nvme")


_HEAD = """\tIozone: Performance Test of File I/O
\t{mode}
\tCommand line used: iozone -i 0 -r 64k -s 1m
              kB  reclen    write  rewrite    read    reread
            1024      64   290878   291000   711574   711600

iozone test complete.
"""


@pytest.mark.parametrize(
    ("mode", "workload"),
    [
        ("Dedup activated 50 percent.", "iozone_read_64k_dedup_50"),
        (">>> O_DSYNC mode enabled. <<<", "iozone_read_64k_dsync"),
        ("Rate control active 100 Ops/sec .", "iozone_read_64k_rate_100"),
        ("File stride size set to 17 * record size.", "iozone_read_64k"),
        ("Percent read in mix test is 70", "iozone_read_64k"),
    ],
)
def test_a_mode_of_iozones_is_in_the_name(tmp_path: Path, mode: str, workload: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(_HEAD.format(mode=mode), encoding="utf-8")
    assert workload in {run.workload for run in runs_in(path)}


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("Verify Mode. Pattern 30\n\tPerformance measurements are invalid in this mode.", r"verify mode \(-V\)"),
        (">>> I/O Diagnostic mode enabled. <<<\n\tPerformance measurements are invalid in this mode.", r"\(-\+d\)"),
    ],
)
def test_figures_that_dont_count_are_refused_for_their_mode(tmp_path: Path, mode: str, said: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(_HEAD.format(mode=mode), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        runs_in(path)


def test_a_row_cut_by_another_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    cut = _HEAD.format(mode="Auto Mode").replace("   711574   711600", "\n took 16 buffers\n   711574   711600")
    path.write_text(cut, encoding="utf-8")
    with pytest.raises(InputError, match="cut by another line"):
        runs_in(path)


def test_what_measured_is_called_by_its_own_name() -> None:
    with pytest.raises(InputError, match="what CrystalDiskMark measured"):
        runs_in(_FOLDER / "cdm8.txt")
