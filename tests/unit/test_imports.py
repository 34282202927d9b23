"""Import of fio, bonnie++ and IOzone output; an unreadable file gives one sentence, and nothing is stored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.runs.fio_json import run_as_fio
from raidwright.runs.imports.files import runs_in
from raidwright.runs.run import Run, Source

# As fio 3.33 prints it, without unused fields.
_JOB: dict[str, Any] = {
    "jobname": "seq",
    "error": 0,
    "job options": {"rw": "read", "bs": "1M", "iodepth": "8"},
    "read": {
        "io_bytes": 3_000_000_000, "total_ios": 2861, "runtime": 15000,
        "clat_ns": {"mean": 40_000_000.0, "N": 2861, "percentile": {"99.000000": 90_000_000}},
    },
    "write": {"io_bytes": 0, "total_ios": 0, "runtime": 0, "clat_ns": {"mean": 0.0, "N": 0}},
}  # fmt: skip
_GLOBAL = {"ioengine": "libaio", "direct": "1", "filename": "/dev/md0"}


def _fio(*jobs: dict[str, Any], version: str = "fio-3.33", **options: str) -> str:
    told = {
        "fio version": version, "timestamp": 1_764_000_015, "timestamp_ms": 1_764_000_015_000,
        "global options": _GLOBAL | options, "jobs": list(jobs),
    }  # fmt: skip
    return json.dumps(told, indent=2)


def _job(block: int = 2**20, /, **options: str) -> dict[str, Any]:
    """Return a job of ``options`` whose requests had ``block`` bytes."""
    read = _JOB["read"] | {"io_bytes": block * _JOB["read"]["total_ios"]}
    return _JOB | {"job options": options, "read": read}


def _imported(tmp_path: Path, text: str) -> tuple[Run, ...]:
    path = tmp_path / "results.txt"
    path.write_text(text, encoding="utf-8")
    return runs_in(path)


def test_a_job_of_fio(tmp_path: Path) -> None:
    [run] = _imported(tmp_path, _fio(_JOB))
    result = run.result
    assert (run.workload, run.target, run.source) == ("sequential_read", "/dev/md0", Source.FIO)
    assert result.mb_s == pytest.approx(200.0)
    assert result.iops == pytest.approx(190.73, abs=0.01)
    assert (result.latency_ms, result.latency_p99_ms, result.seconds) == (40.0, 90.0, 15.0)
    assert run.started == datetime.fromtimestamp(1_764_000_000, UTC)
    assert run.context["surroundings"] == {"fio": "3.33"}
    assert run_as_fio(run)["jobs"] == [_JOB]


def test_the_same_file_again_is_the_same_run(tmp_path: Path) -> None:
    text = _fio(_JOB, _job(4096, rw="randread", bs="4k"))
    first, again = _imported(tmp_path, text), _imported(tmp_path, text)
    assert [run.id for run in first] == [run.id for run in again]
    assert len({run.id for run in first}) == 2


@pytest.mark.parametrize(
    ("block", "options", "workload"),
    [
        (4096, {"rw": "randread", "bs": "4k", "iodepth": "32"}, "random_read_4k_q32"),
        (4096, {"rw": "randread", "bs": "4096", "iodepth": "1"}, "random_read_4k"),
        (2**19, {"readwrite": "randread", "blocksize": "512k"}, "random_read_512k"),
        (2**19, {"rw": "randread", "bs": "512KiB", "kb_base": "1000"}, "random_read_512k"),
        (512_000, {"rw": "randread", "bs": "512KiB"}, "fio_randread_500k_q1"),  # fio(1): the opposite of IEC
        (2**20, {"rw": "read", "bs": "1m", "ioengine": "psync", "direct": "0"}, "buffered_read"),
        (8192, {"rw": "randread", "bs": "8k", "iodepth": "16", "ioengine": "io_uring"}, "fio_randread_8k_q16"),
        (4096, {"rw": "randread", "bs": "4k", "numjobs": "4"}, "fio_randread_4k_q1_j4"),
        (4096, {"rw": "read", "direct": "0", "ioengine": "psync", "iodepth": "64"}, "fio_read_4k_q1_buffered"),
        (4096, {"rw": "randrw", "bs": "4k,8k"}, "fio_randread_4k_q1_mixed"),
        (4096, {"rw": "randread:8", "bs": "4k"}, "fio_randread_4k_q1_rw=randread:8"),  # eight in a row each
        (777, {"rw": "read", "bs": "777"}, "fio_read_777b_q1"),
        (9999, {"rw": "randread", "bs": "4k"}, "fio_randread_about_10k_q1"),  # for whatever reason
        (91000, {"rw": "randread", "bs": "4k", "bssplit": "4k/50:64k"}, "fio_randread_split=4k/50:64k_q1"),
        (91000, {"rw": "randread", "blocksize_range": "4k-256k"}, "fio_randread_4k-256k_q1"),
        (4096, {"rw": "randread", "bs": "4k", "thinktime": "500"}, "fio_randread_4k_q1_thinktime=500"),
        (4096, {"rw": "randread", "bs": "4k", "thinktime": "0", "verify": "0"}, "random_read_4k"),
        (4096, {"rw": "randread", "bs": "4k", "sync": "1"}, "fio_randread_4k_q1_flushed"),
        (
            4096,
            {"rw": "randread", "random_distribution": "zipf:1.2"},
            "fio_randread_4k_q1_random_distribution=zipf:1.2",
        ),
        (4096, {"rw": "randread", "bs": "4k", "some_day": "7"}, "fio_randread_4k_q1_some_day=7"),  # of a newer fio
        (4096, {"rw": "randread", "bs": "4k", "ioengine": "mmap"}, "fio_randread_4k_q1_ioengine=mmap"),
    ],
)
def test_a_job_is_named_for_what_it_asked(tmp_path: Path, block: int, options: dict[str, str], workload: str) -> None:
    [run] = _imported(tmp_path, _fio(_job(block, **options)))
    assert run.workload == workload


def test_a_buffered_write_is_ours_only_with_its_flush(tmp_path: Path) -> None:
    asked = {"rw": "write", "bs": "1m", "ioengine": "psync", "direct": "0"}
    for options, workload in ((asked, "fio_write_1m_q1_buffered"), (asked | {"end_fsync": "1"}, "buffered_write")):
        job = _job(**options)
        [run] = _imported(tmp_path, _fio(job | {"read": _JOB["write"], "write": job["read"]}))
        assert run.workload == workload


def test_jobs_at_once_say_so_and_jobs_after_a_stonewall_do_not(tmp_path: Path) -> None:
    first = _job(4096, rw="randread", bs="4k") | {"groupid": 0}
    second = _job(8192, rw="randread", bs="8k") | {"groupid": 0, "jobname": "other"}
    assert [run.workload for run in _imported(tmp_path, _fio(first, second))] == [
        "fio_random_read_4k_beside_randread_8k_q1",
        "fio_randread_8k_q1_beside_random_read_4k",
    ]
    apart = second | {"groupid": 1, "elapsed": 31}
    assert [run.workload for run in _imported(tmp_path, _fio(first, apart))] == ["random_read_4k", "fio_randread_8k_q1"]
    in_a_new_group = apart | {"elapsed": 16}  # 15 s each, in 16
    assert all("_beside_" in run.workload for run in _imported(tmp_path, _fio(first, in_a_new_group)))


def test_both_directions_of_a_mixed_job_are_told_apart(tmp_path: Path) -> None:
    job = _job(4096, rw="randrw", bs="4k")
    job["write"] = job["read"]
    assert [run.workload for run in _imported(tmp_path, _fio(job))] == [
        "fio_randread_4k_q1_mixed",
        "fio_randwrite_4k_q1_mixed",
    ]


def test_warnings_and_the_objects_before_the_last_are_passed_over(tmp_path: Path) -> None:
    first, last = _JOB | {"read": _JOB["read"] | {"io_bytes": 1}}, _JOB
    text = f"fio: this platform does not support {{locked}} memory\n{_fio(first)}\nnote: both iodepth\n{_fio(last)}\n"
    [run] = _imported(tmp_path, text)
    assert run.result.mb_s == pytest.approx(200.0)


_BONNIE = (
    "1.97,1.97,zfsbox,1,1446127533,16G,,635,99,113471,8,52838,4,1543,96,128633,5,235.7,5,16,,,,,13011,34,+++++,+++,"
    "20022,28,14011,36,+++++,+++,19000,27,13us,2145ms,3145ms,7us,311ms,104ms,101us,12us,31us,21us,5us,29us"
)


def test_a_line_of_bonnie(tmp_path: Path) -> None:
    head = "Using uid:0, gid:0.\nWriting with putc()...done\n"
    runs = {run.workload: run for run in _imported(tmp_path, f"{head}{_BONNIE}\n")}
    assert runs.keys() == {
        "bonnie_char_write", "bonnie_block_write", "bonnie_rewrite", "bonnie_char_read", "bonnie_block_read",
        "bonnie_seeks", "bonnie_create", "bonnie_delete", "bonnie_random_create", "bonnie_random_delete",
    }  # fmt: skip
    write = runs["bonnie_block_write"]
    assert write.result.mb_s == pytest.approx(113471 * 1024 / 1e6)
    assert write.result.iops == pytest.approx(113471 / 8)  # 8 KiB, its default
    assert write.result.seconds == pytest.approx(16 * 2**20 / 113471)
    assert (write.machine, write.source, write.result.latency_ms) == ("zfsbox", Source.BONNIE, None)
    assert (runs["bonnie_seeks"].result.iops, runs["bonnie_seeks"].result.mb_s) == (235.7, 0.0)
    assert runs["bonnie_create"].result.iops == 13011


_IOZONE = """
	Run began: Sun Mar  5 12:33:53 2023

	Command line used: iozone -e -I -a -s 100M -r 4k -r 1024k -i 0 -i 2
	Output is in kBytes/sec
                                                              random    random     bkwd    record    stride
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite
          102400       4     2738     2762    12852    12789    10197     2776
          102400    1024   360823   362512                     378122   364339

iozone test complete.
"""


def test_a_table_of_iozone(tmp_path: Path) -> None:
    runs = {run.workload: run.result.mb_s for run in _imported(tmp_path, _IOZONE)}
    assert runs == {
        name: pytest.approx(kib_s * 1024 / 1e6)
        for name, kib_s in {
            "iozone_write_4k": 2738, "iozone_rewrite_4k": 2762, "iozone_read_4k": 12852, "iozone_reread_4k": 12789,
            "iozone_random_read_4k": 10197, "iozone_random_write_4k": 2776,
            "iozone_write_1024k": 360823, "iozone_rewrite_1024k": 362512,
            "iozone_random_read_1024k": 378122, "iozone_random_write_1024k": 364339,
        }.items()
    }  # fmt: skip
    run = _imported(tmp_path, _IOZONE)[0]
    assert run.result.iops == 2738 / 4
    assert run.result.seconds == pytest.approx(102400 / 2738)
    assert run.started == datetime(2023, 3, 5, 12, 33, 53).astimezone()  # of this computer, as in the file
    assert run.result.command.startswith("iozone -e")


_BAD = {
    "nothing": ("", "of no benchmark"),
    "another program's": ("dd: 1.2 GB/s\n", "of no benchmark"),
    "fio 2": (_fio(_JOB, version="fio-2.21"), "of fio-2.21; Raidwright reads what fio 3.0"),
    "no version": (_fio(_JOB, version="trunk"), "of trunk"),
    "cut off": (_fio(_JOB)[:-40], "line .*: .*Nothing of the file is kept"),
    "no jobs": (_fio(), "holds no jobs"),
    "a failed job": (_fio(_JOB | {"error": 5}), "“seq”.*ended with error 5"),
    "a job without reads": (_fio({"jobname": "x"}), "“x”.*'read'"),
    "a job of nothing": (_fio(_JOB | {"read": _JOB["write"]}), "holds no figure"),
    "no job at all": (_fio(None), "not as fio writes one"),  # type: ignore[arg-type]
    "a block of no size": (_fio(_job(bs="large")), "“large” is no size"),
    "a line too short": (",".join(_BONNIE.split(",")[:-3]), "line 1: it has 45 columns and not bonnie"),
    "words for a rate": (_BONNIE.replace("113471", "fast"), "line 1: .*fast"),
    "a rate below zero": (_BONNIE.replace("113471", "-3"), "“-3” is no rate"),
    "operations": (_IOZONE.replace("Output is in kBytes/sec", "OPS Mode. Output is in operations per second."), "-O"),
    "a figure below nothing": (_IOZONE.replace("2776\n", "2776   5   6   7   8   9  10  11\n"), "line 8: .*no title"),
}


@pytest.mark.parametrize(("text", "said"), _BAD.values(), ids=_BAD)
def test_what_can_not_be_read_is_one_sentence_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        _imported(tmp_path, text)
    sentence = str(caught.value)
    assert "results.txt" in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: No such file"):
        runs_in(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\x7fELF\x00\xff\xfe")
    with pytest.raises(InputError, match="it is not text"):
        runs_in(tmp_path / "binary")


@given(st.data())
def test_whatever_is_cut_or_changed_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Any file, however broken, gives runs or a sentence."""
    text = data.draw(st.sampled_from([_fio(_JOB), _BONNIE, _IOZONE]))
    start, end = sorted(data.draw(st.tuples(*(st.integers(0, len(text)),) * 2)))
    broken = text[:start] + data.draw(st.text(max_size=5)) + text[end:]
    path = tmp_path_factory.getbasetemp() / "broken.txt"
    path.write_text(broken, encoding="utf-8", errors="replace")
    refusal = ""
    runs: tuple[Run, ...] = ()
    try:
        runs = runs_in(path)
    except InputError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert bool(refusal) != bool(runs)
    assert all(run.result.iops > 0 for run in runs)
