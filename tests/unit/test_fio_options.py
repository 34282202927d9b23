"""The table of fio's options against fio's own words, and the commands that pages give."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.core.system.workload import Pattern
from raidwright.reading.fio_options import (
    ALIASES,
    OPTIONS,
    changes_prediction,
    changes_result,
    is_default,
    primary_name,
)
from raidwright.reading.workload_jobs import read_workload_jobs

_TOLD = Path(__file__).with_name("fio-3.33-options.txt")  # of fio --cmdhelp, each option: name/alias=default
_SPELT = {  # as fio prints a default, and how a job has it
    "100,100,100": "100",
    "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99": "",
}


def _told() -> list[tuple[str, str, str]]:
    lines = (line.partition("=") for line in _TOLD.read_text(encoding="utf-8").split())
    return [(*names.partition("/")[::2], default) for names, _, default in lines]


@pytest.mark.parametrize(("name", "alias", "default"), _told())
def test_every_option_of_fio_has_its_alias_and_its_default(name: str, alias: str, default: str) -> None:
    assert name in OPTIONS
    assert not alias or primary_name(alias) == name
    assert OPTIONS[name].default == _SPELT.get(default, default) or (not default and OPTIONS[name].default == "0")


def test_no_alias_is_an_option_of_its_own() -> None:
    assert not ALIASES.keys() & OPTIONS.keys()


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_default_changes_nothing(name: str) -> None:
    default = OPTIONS[name].default
    if default:
        assert is_default(name, default)
        assert not changes_result(name, default, {})
        assert not changes_prediction(name, default, {})


@pytest.mark.parametrize(
    ("name", "value", "others", "is_other"),
    [
        ("iodepth_batch", "1", {}, False),
        ("iodepth_batch", "8", {}, True),
        ("do_verify", "0", {}, False),
        ("verify_fatal", "1", {}, False),
        ("verify_fatal", "1", {"verify": "crc32c"}, True),
        ("offset_increment", "25%", {"numjobs": "4"}, True),
        ("offset_increment", "25%", {}, False),
        ("thinktime", "100", {}, True),
        ("an_option_of_later", "7", {}, True),
        ("log_avg_msec", "1000", {}, False),
    ],
)
def test_what_makes_another_test_of_a_job(name: str, value: str, others: dict[str, str], is_other: bool) -> None:
    assert changes_result(name, value, others) is is_other


_FOLDER = Path(__file__).parent / "foreign" / "jobs"
_RIGHT = {
    "job-buffered-0-alone.fio": (Pattern("randread", 128, 4), 512 << 20, None),
    "job-command-line.sh": (Pattern("read", 1024, 8), 1 << 30, 5),
    "job-phoronix.fio": (Pattern("randread", 4, 64), 1 << 30, 20),
}


@pytest.mark.parametrize("name", _RIGHT)
def test_a_job_of_others_is_asked_for_as_it_is(name: str) -> None:
    [job] = read_workload_jobs((_FOLDER / name).read_text(encoding="utf-8"))
    assert (job.pattern, job.span_bytes, job.seconds) == _RIGHT[name]


def test_a_block_of_no_whole_kib_is_refused() -> None:
    with pytest.raises(InputError, match="whole KiB"):
        read_workload_jobs((_FOLDER / "job-etcd-2300.fio").read_text(encoding="utf-8"))
    assert {path.name for path in _FOLDER.iterdir()} == {*_RIGHT, "job-etcd-2300.fio"}


_LONG = (
    "sudo fio --filename=$DEV --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=256 --numjobs=4 \\\n"
    "    --runtime=9 --time_based --group_reporting --name=iops --eta-newline=1 --readonly"
)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (_LONG, Pattern("randread", 4, 256, jobs=4)),
        ("$ fio --name a --rw read --bs 1M --direct 1 \\\n    --size 1G --output=x.json", Pattern("read", 1024, 1)),
        (
            "# 8 KiB\nfio --rw=write --fdatasync=1 --bs=8k --name=wal",
            Pattern("write", 8, 1, buffered=True, flushed=True),
        ),
        ("/usr/bin/fio -name=a -rw=randwrite -bs=4k -direct=1", Pattern("randwrite", 4, 1)),
    ],
)
def test_a_command_line_is_read_as_its_job(text: str, pattern: Pattern) -> None:
    [job] = read_workload_jobs(text)
    assert job.pattern == pattern


def test_commands_follow_each_other_and_jobs_of_one_run_at_once() -> None:
    first, second = read_workload_jobs("fio --name=a --rw=read --direct=1\nfio --name=b --rw=write --direct=1\n")
    assert (first.pattern.direction, second.pattern.direction) == ("read", "write")
    with pytest.raises(InputError, match="beside the one before"):
        read_workload_jobs("fio --direct=1 --name=a --rw=read --name=b --rw=write")
    [first, second] = read_workload_jobs("fio --direct=1 --name=a --rw=read --name=b --rw=write --stonewall")
    assert (first.pattern.direction, second.pattern.direction) == ("read", "write")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("fio --readonly x.fio", "x.fio"),
        ("fio --name=a --rw=$RW", "$RW"),
        ("fio --name=a --rw=read --rat=5m --direct=1", "“rat”"),
    ],
)
def test_a_command_that_says_too_little_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        read_workload_jobs(text)
    assert named in str(refused.value)


@pytest.mark.parametrize("line", ["do_verify=0", "verify_fatal=0", "iodepth_batch_submit=1", "ss_dur=0", "disk_util=0"])
def test_an_option_that_changes_nothing_is_taken(line: str) -> None:
    [job] = read_workload_jobs(f"[own]\nrw=randread\ndirect=1\n{line}\n")
    assert job.without_effect == (primary_name(line.partition("=")[0]),)
