"""Runs written by other programs, in all formats: each is named for its workload, or refused with its reason.

Made by fio 3.33 and bonnie++ 2.00a, IOzone's by hand after public reports; serial numbers and hosts are made up.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.reading.fio_sizes import size_bytes
from raidwright.runs.imports.files import runs_in

FOLDER = Path(__file__).parent / "foreign" / "runs"
_READ = {
    "fio-1MiB.json": {"fio_read_1000000b_q1_buffered_again": 423.2},
    "fio-4-jobs-ungrouped.json": {"fio_randread_4k_q1_j4": 20.83},
    "fio-bs-of-each-direction.json": {
        "fio_randread_4k_q1_mixed_rwmixread=70": 11.26,
        "fio_randwrite_64k_q1_mixed_rwmixread=70": 78.6,
    },
    "fio-bsrange.json": {"fio_randread_4k-256k_q1": 237.1},
    "fio-client.json": {"random_read_4k": 19.96},
    "fio-two-clients.json": {
        "fio_random_read_4k_q32_beside_random_read_4k_q32": 233.0,
        "fio_write_1m_q1_beside_write_1m_q1": 2097.2,
    },
    "fio-rate-iops.json": {"fio_randread_4k_q1_rate_iops=100": 0.4104},
    "fio-two-jobs-at-once.json": {
        "fio_random_read_4k_beside_write_1m_q1": 3.646,
        "fio_write_1m_q1_beside_random_read_4k": 634.4,
    },
    "fio-two-jobs-grouped.json": {"fio_read_4k_grouped": 3.693, "fio_write_1m_grouped": 557.3},
    "fio-own-bssplit.json": {"fio_randread_split=4k/60:64k/40_q1": 5162.0},
    "fio-own-sync.json": {"fio_randwrite_4k_q1_flushed": 13.34},
    "fio-own-verify.json": {
        "fio_randread_4k_q32_verify=crc32c": 119.84,
        "fio_randwrite_4k_q32_verify=crc32c": 87.38,
    },
    "fio-own-zipf.json": {"fio_randread_4k_q1_random_distribution=zipf:1.2": 362.8},
    "fio-own-grpmix.json": {"fio_read_8k_grouped": 661.2},  # 4k at random and 64k in a row, in one sum
    "fio-own-stone.json": {"random_read_4k": 383.5, "fio_read_1m_q1": 1864.0},
    "fio-own-unified.json": {"fio_randrw_4k_q32_mixed_rwmixread=70": 249.5},
    "fio-own-clones.json": {"fio_randread_4k_q1_j2": 273.1},
    "fio-own-rate.json": {"fio_read_256k_q1_rate=5m": 5.238},
    "compare-mix-both.json": {"fio_randread_8k_q32_mixed_rwmixread=70": 100.0},
    "compare-mix-read.json": {"fio_randread_8k_q32_mixed_rwmixread=70": 100.0},
    "compare-raw-whole.json": {"random_read_4k_q32": 5.0},
    "compare-raw-1g.json": {"random_read_4k_q32": 12.0},
    "compare-raw-sda.json": {"random_read_4k_q32": 5.0},
    "fio-3.1-latency.json": {"random_read_4k": 49.04},
    "fio-kubestr.json": {"fio_randread_4k_q64": 20.0},
    "fio-neutral-defaults.json": {"random_read_4k_q32": 100.0},
    "iozone-no-retest.txt": {"iozone_write_64k_fsync_close": 297.9, "iozone_read_64k": 728.7},
    # Printed of a raid6 in the practice machines of three Debians.
    "fio-printed-3.33-plus.json": {"fio_read_256k_q8": 156.5},
    "fio-printed-3.39-jobs.json": {"fio_write_1m_q1_j2": 110.7},
    "fio-printed-3.41-both.txt": {"fio_randwrite_4k_q1_flushed": 1.875},
    # Printed by fio 3.33, IOzone 3.489 and bonnie++ 2.00a, of files in this computer's memory.
    "fio-printed-offset.json": {"fio_randread_4k_q1_buffered_again": 57.55},
    "fio-printed-parts.json": {"fio_read_64k_q1_j4_buffered_offset_increment=25%": 1525.0},
    "fio-printed-mix.json": {
        "fio_randread_8k_q1_buffered_again_mixed_rwmixread=70": 65.56,
        "fio_randwrite_8k_q1_buffered_again_mixed_rwmixread=70": 28.31,
    },
    "iozone-printed-async.txt": {
        "iozone_write_64k_async_q4": 401.9,
        "iozone_rewrite_64k_async_q4": 816.6,
        "iozone_read_64k_async_q4": 634.1,
        "iozone_reread_64k_async_q4": 855.8,
    },
    "iozone-printed-dedup.txt": {
        "iozone_write_64k_dedup_50": 2778.0,
        "iozone_rewrite_64k_dedup_50": 4644.0,
        "iozone_read_64k_dedup_50": 5699.0,
        "iozone_reread_64k_dedup_50": 5652.0,
    },
    "iozone-printed-stride.txt": {
        "iozone_write_64k": 3968.0,
        "iozone_rewrite_64k": 7639.0,
        "iozone_read_64k": 9469.0,
        "iozone_reread_64k": 9985.0,
        "iozone_stride_read_64k_every_5": 11090.0,
    },
    "bonnie-printed-direct.csv": {"bonnie_block_write": 682.9, "bonnie_rewrite": 282.4, "bonnie_seeks": 0.0},
    "bonnie-printed-files.csv": {
        "bonnie_create": 0.0,
        "bonnie_delete": 0.0,
        "bonnie_random_create": 0.0,
        "bonnie_random_delete": 0.0,
    },
    # A mail to linux-nfs in its source, in quoted-printable, with its lines cut.
    "iozone-mail-source.txt": {"iozone_write_256k_j12_direct": 2489.2, "iozone_rewrite_256k_j12_direct": 2490.1},
    # Ceph's benchmark: the job is named by its device, and the text for people is around the JSON.
    "fio-device-for-name.txt": {"fio_randwrite_4k_q4": 10.93},
    "fio-own-ki.json": {"fio_randread_4k_q1_buffered": 789.5},  # 4ki is 4k, other than 4kiB
}


@pytest.mark.parametrize(("name", "rates"), _READ.items(), ids=_READ)
def test_a_run_is_named_for_what_options_and_counts_agree_on(name: str, rates: dict[str, float]) -> None:
    found = {run.workload: run.result.mb_s for run in runs_in(FOLDER / name)}
    assert found == {workload: pytest.approx(rate, rel=1e-3) for workload, rate in rates.items()}


def _two_runs(after_s: int, **changed: str) -> list[dict[str, object]]:
    one = json.loads((FOLDER / "fio-own-clones.json").read_text(encoding="utf-8"))
    after = json.loads(json.dumps(one)) | {"timestamp": one["timestamp"] + after_s}
    for job in after["jobs"]:
        job["job options"] |= changed
        job["elapsed"] += 10
    return [one, after]


@pytest.mark.parametrize(
    ("after_s", "changed", "count"),
    [(10, {}, 1), (60, {}, 2), (10, {"rate": "5m"}, 2)],
    ids=["status-interval", "repeated", "another job"],
)
@pytest.mark.parametrize("form", ["one after another", "a list"])
def test_several_runs_in_one_file_are_all_read(
    tmp_path: Path, form: str, after_s: int, changed: dict[str, str], count: int
) -> None:
    outputs = _two_runs(after_s, **changed)
    path = tmp_path / "fio.json"
    path.write_text(json.dumps(outputs) if form == "a list" else "\n".join(map(json.dumps, outputs)), encoding="utf-8")
    assert len(runs_in(path)) == count


_FIO = json.dumps(_two_runs(0)[0], indent=1)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"result": json.loads(_FIO)}),
        json.dumps({"changed": True, "stdout": _FIO}),
        "ok: [nas] => " + json.dumps({"msg": json.loads(_FIO)}, indent=1),
        "".join(f"2024-05-01T01:02:03.123456789Z stdout F {line}\n" for line in _FIO.splitlines()),
        "".join(f"fio-1  | {line}\n" for line in _FIO.splitlines()),
        "".join(json.dumps({"log": f"{line}\n", "stream": "stdout"}) + "\n" for line in _FIO.splitlines()),
        "".join(f"nas1: {line}\n" for line in _FIO.splitlines()),
    ],
    ids=["an object", "a text", "Ansible", "a container's log", "docker compose", "JSON lines", "pdsh"],
)
def test_fios_json_is_found_within_other_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "fio.json"
    path.write_text(text, encoding="utf-8")
    [run] = runs_in(path)
    assert run.workload == "fio_randread_4k_q1_j2"
    assert run.result.mb_s == pytest.approx(273.1, rel=1e-3)


_TRIMMED = """const sampleFio = `{
  "fio version": "fio-3.36",
  "jobs": [
    {
      "jobname": "randwrite-4k",
      "read":  {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "clat_ns": {"max": 0, "mean": 0, "percentile": {}}},
      "write": {"io_bytes": 17179869184, "bw_bytes": 38000000, "iops": 9280.5, "clat_ns": {"mean": 3400000}}
    }
  ]
}`
"""
_BY_THE_KERNEL = """        Iozone: Performance Test of File I/O
        Command line used: iozone -i 0 -R -t 8 -s 1G -r 16M
        Each process writes a 1048576 kByte file in 16384 kByte records
[ 2475.173128] ufshcd-qcom 1d84000.ufshc: task management cmd 0x80 timed-out
"""
_IN_JAVA = """String s = "-------\\r\\n" +
    "CrystalDiskMark 7.0.0 x64 (C) 2007-2019 hiyohiyo\\r\\n" +
    "[Read]\\r\\nSequential 1MiB (Q=  8, T= 1):   101.514 MB/s [     96.8 IOPS] < 81970.32 us>\\r\\n";
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_TRIMMED, "“randwrite-4k” is not as fio writes one: 'total_ios' is missing"),
        (_BY_THE_KERNEL, "ends before its first figure"),
        (_IN_JAVA, "what CrystalDiskMark measured"),
    ],
    ids=["fio's, trimmed by hand in Go", "IOzone's, cut by the kernel's log", "CrystalDiskMark's, in Java"],
)
def test_public_texts_without_a_whole_figure_are_refused_for_that(tmp_path: Path, text: str, said: str) -> None:
    """From tests of other programs and a mail to linux-arm-msm."""
    path = tmp_path / "text"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        runs_in(path)


@pytest.mark.parametrize(
    "around",
    [
        '"""fio"""\nSAMPLE = """\n{}\n"""\ndef read(data):\n  return 1\n',
        "const s = `{}`\n",
        "FIO = {}\n",
        "parse({})\n",
    ],
    ids=["Python", "Go", "a variable", "a call"],
)
def test_fios_json_is_found_within_a_program(tmp_path: Path, around: str) -> None:
    path = tmp_path / "fio.txt"
    path.write_text(around.replace("{}", _FIO), encoding="utf-8")
    assert [run.workload for run in runs_in(path)] == ["fio_randread_4k_q1_j2"]


def test_bonnie_2_has_two_columns_more_than_its_head() -> None:
    first, *_ = runs_in(FOLDER / "bonnie-2.00a.csv")
    assert first.workload == "bonnie_char_write"
    assert first.result.mb_s == pytest.approx(466 * 1024 / 1e6)
    assert first.context["import"]["options"]["seek_processes"] == "5"


def test_a_mode_in_which_figures_do_not_count_is_refused() -> None:
    with pytest.raises(InputError, match="diagnostic mode"):
        runs_in(FOLDER / "iozone-diagnostic.txt")


_HEAD = "              kB  reclen    write  rewrite    read    reread\n"
_BROKEN = {
    "            4096      64   121539   190847   184416\nError reading block 12, fd= 3\n": "line 3: IOzone stopped at",
    "            4096      64   121539   190847   184416Error reading block\n": "line 2: ",
    "            4096      64   121539   190847   184416   188680\n            4096     128   213996\n": "line 3: .*o",
}


@pytest.mark.parametrize(("rows", "said"), _BROKEN.items())
def test_a_table_that_broke_off_is_refused(tmp_path: Path, rows: str, said: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(_HEAD + rows, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        runs_in(path)


@pytest.mark.parametrize(
    ("text", "kb_base", "expected"),
    [
        ("4k", "1024", 4096), ("4KB", "1024", 4096), ("4ki", "1024", 4096), ("4KiB", "1024", 4000),
        ("1MiB", "1024", 1_000_000), ("1m", "1024", 2**20), ("0x1000", "1024", 4096), ("4096B", "1024", 4096),
        ("4k", "1000", 4000), ("4kiB", "1000", 4096), ("1MiB", "1000", 2**20), ("1mb", "1000", 1_000_000),
        ("large", "1024", None), ("", "1024", None), ("50%", "1024", None),
    ],
)  # fmt: skip
def test_sizes_are_fios(text: str, kb_base: str, expected: int | None) -> None:
    """Each tested with fio 3.33: ``--bs=TEXT --kb_base=BASE``, bytes by requests."""
    assert size_bytes(text, kb_base) == expected


def test_a_name_for_all_jobs_is_not_another_jobs(tmp_path: Path) -> None:
    job = {
        "jobname": "j1",
        "groupid": 0,
        "error": 0,
        "elapsed": 6,
        "job options": {"filename": "/dev/sdb"},
        "read": {"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0},
        "write": {"io_bytes": 40960000, "iops": 2000.0, "runtime": 5000, "total_ios": 10000},
    }
    shared = {"name": "R4K", "bs": "4k", "rw": "randwrite", "iodepth": "1", "direct": "1"}
    path = tmp_path / "global-name.json"
    path.write_text(json.dumps({"fio version": "fio-3.3", "global options": shared, "jobs": [job]}), encoding="utf-8")
    assert [run.workload for run in runs_in(path)] == ["random_write_4k"]


def test_bonnie_without_a_test_of_speed_has_a_column_less(tmp_path: Path) -> None:
    path = tmp_path / "files-only.csv"
    path.write_text("1.96,1.96,box,1,137,,,,,,,,,,,,,,60,32,32,,,1702,14,2025,12,1332,4,1873,16,2047,13,1266,3,,,,,,,"
                    "3874ms,6645ms,8659ms,505ms,7257ms,9627ms\n", encoding="utf-8")  # fmt: skip
    assert {run.workload: run.result.iops for run in runs_in(path)} == {
        "bonnie_create": 1702, "bonnie_stat": 2025, "bonnie_delete": 1332,
        "bonnie_random_create": 1873, "bonnie_random_stat": 2047, "bonnie_random_delete": 1266,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "test: (g=0): rw=randrw, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=64\nfio-3.25\n",
        "test: (groupid=0, jobs=1): err= 0: pid=69: Mon Dec  5 18:10:27 2022\n  read: IOPS=22.9k\n",
        "3;fio-3.36;probe;0;0;3976;62125;15531\n",
    ],
)
def test_fios_text_for_people_is_refused_with_the_way_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "fio.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="--output-format=json"):
        runs_in(path)


_THROUGHPUT = """
        Iozone: Performance Test of File I/O
        Run began: Sat Feb 18 15:43:50 2023
        O_DIRECT feature enabled
        Include fsync in write timing
        Command line used: iozone -I -e -t 4 -s 2048m -r 128k -i 0 -i 1
        Throughput test with 4 processes
        Each process writes a 2097152 Kbyte file in 128 Kbyte records

        Children see throughput for  4 initial writers  =  109333.84 KB/sec
        Parent sees throughput for  4 initial writers   =  109326.48 KB/sec
        Min throughput per process                      =   27333.84 KB/sec
        Children see throughput for  4 re-readers       =  211377.63 KB/sec

"Throughput report Y-axis is type of test X-axis is number of processes"
"  Initial write "  109333.84
"""
_TABLE = """
        Iozone: Performance Test of File I/O
        SYNC Mode.
        Command line used: iozone -o -r 4k
              kB  reclen    write  rewrite    read    reread
          102400       4    38825    39244    29002    39209
iozone test complete.
"""


def test_throughput_mode_of_iozone_is_the_sum_of_its_processes(tmp_path: Path) -> None:
    """A file may hold several commands, each with its own modes."""
    path = tmp_path / "iozone.txt"
    path.write_text(_THROUGHPUT + _TABLE, encoding="utf-8")
    found = runs_in(path)
    assert {run.workload: run.result.mb_s for run in found} == {
        "iozone_write_128k_j4_direct_fsync": pytest.approx(109333.84 * 1024 / 1e6),
        "iozone_reread_128k_j4_direct": pytest.approx(211377.63 * 1024 / 1e6),
        "iozone_write_4k_sync": pytest.approx(38825 * 1024 / 1e6),
        "iozone_rewrite_4k_sync": pytest.approx(39244 * 1024 / 1e6),
        "iozone_read_4k_sync": pytest.approx(29002 * 1024 / 1e6),
        "iozone_reread_4k_sync": pytest.approx(39209 * 1024 / 1e6),
    }
    assert found[0].result.iops == pytest.approx(109333.84 / 128)
    assert [run.result.command[-4:] for run in found] == ["-i 1"] * 2 + ["r 4k"] * 4


@pytest.mark.parametrize(
    ("lines", "write", "read"),
    [
        ("Include close in write timing", "close", ""),
        ("Using msync(MS_SYNC) on mmap files", "mmap_msync", "mmap_msync"),
        ("POSIX async I/O (with bcopy). Depth 32", "async_q32", "async_q32"),
        ("POSIX Async I/O (no bcopy). Depth 8 ", "async_no_bcopy_q8", "async_no_bcopy_q8"),
        ("Lock file when reading/writing.\n\tO_DIRECT feature enabled", "direct_locked", "direct_locked"),
        ("Setting no_unlink\n\tNo retest option selected", "", ""),
    ],
)
def test_every_mode_of_iozone_that_changes_what_is_measured_is_in_the_name(
    tmp_path: Path, lines: str, write: str, read: str
) -> None:
    path = tmp_path / "iozone.txt"
    path.write_text(_TABLE.replace("SYNC Mode.", lines), encoding="utf-8")
    names = [run.workload for run in runs_in(path)]
    assert names[0] == "_".join(filter(None, ("iozone_write_4k", write)))
    assert names[2] == "_".join(filter(None, ("iozone_read_4k", read)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_THROUGHPUT.replace("KB/sec", "ops/sec"), "no unit of a rate"),
        (_THROUGHPUT.replace("Each process", "…"), "record size, is missing"),
        (
            _TABLE.replace("SYNC Mode.", "Microseconds/op Mode. Output is in microseconds per operation."),
            "another unit",
        ),
        (_THROUGHPUT[_THROUGHPUT.index('"Through') :], "Excel alone"),
        ('"Writer report"\n        "4"  "8"\n"64"   581256  727850\n', "Excel alone"),
    ],
)
def test_iozones_other_forms_are_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "iozone.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        runs_in(path)


_BONNIE_1_0 = (
    "raid0,2G:16k,83720,95,813061,95,1185231,100,,,2828489,97,1187.5,0,16:9:1/4,+++++,+++,310,8" + ",+++++,+++" * 4
)
_BONNIE_1_97 = "1.97,1.97,nas,1,1595640930,80112M,,668,99,993827,96,553909,59,1411,99,1341920,79,8210,150,16,,,,," + (
    "+++++,+++," * 6 + "20730us,98013us,1412ms,8035us,41587us,15082us,1262us,6290us,660us,3386us,228us,626us"
)


@pytest.mark.parametrize(
    "around", ["{}\n", "    {}\n", "> {}\n>\n> real 5m9.032s\n", "Latency  1us\n>> {}\\\n", "`{}`"]
)
@pytest.mark.parametrize(
    ("line", "rates"),
    [
        (_BONNIE_1_0, {"char_write": 85.73, "block_write": 832.6, "rewrite": 1213.7, "block_read": 2896.4, "stat": 0}),
        (_BONNIE_1_97, {"char_write": 0.684, "block_write": 1017.7, "rewrite": 567.2, "char_read": 1.445,
                        "block_read": 1374.1}),
    ],
)  # fmt: skip
def test_bonnies_line_is_read_as_pages_have_it(tmp_path: Path, around: str, line: str, rates: dict[str, float]) -> None:
    path = tmp_path / "bonnie.txt"
    path.write_text(around.format(line), encoding="utf-8")
    found = {run.workload.removeprefix("bonnie_"): run for run in runs_in(path)}
    assert found.pop("seeks").result.iops == (1187.5 if line == _BONNIE_1_0 else 8210)
    assert {name: run.result.mb_s for name, run in found.items()} == pytest.approx(rates, rel=1e-3)


@pytest.mark.parametrize("prefix", ["    ", "\t", "> ", ">> "])
def test_fios_json_is_read_as_pages_have_it(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "page.txt"
    lines = ["r: (g=0): rw=randread, bs=4k", *(FOLDER / "fio-own-zipf.json").read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(f"{prefix}{line}\n" for line in lines), encoding="utf-8")
    assert [run.workload for run in runs_in(path)] == ["fio_randread_4k_q1_random_distribution=zipf:1.2"]


def test_json_that_breaks_off_is_said_to(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text((FOLDER / "fio-own-zipf.json").read_text(encoding="utf-8")[:900], encoding="utf-8")
    with pytest.raises(InputError, match="the output breaks off here"):
        runs_in(path)


def test_bonnies_copies_at_once_are_part_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "bonnie.csv"
    path.write_text(_BONNIE_1_97.replace(",nas,1,", ",nas,4,") + "\n", encoding="utf-8")
    assert {run.workload for run in runs_in(path)} >= {"bonnie_char_write_j4", "bonnie_seeks_j4"}


@pytest.mark.parametrize(
    ("name", "said"),
    [("bonnie-printed-fast.csv", "holds no figure"), ("iozone-printed-verify.txt", r"verify mode \(-V\)")],
)
def test_a_printed_file_without_figures_is_refused(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        runs_in(FOLDER / name)
