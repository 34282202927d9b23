"""The user's own fio job: its permitted options, and that nothing else gets through."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.system.own_workload import OwnWorkload
from raidwright.core.system.workload import Pattern, fio_argv
from raidwright.reading.fio_job import OwnJob, read_fio_job

_FILE = """
; a database, roughly
[global]
ioengine=libaio
direct=1
time_based
group_reporting
runtime=2m
size=4g

[pages]
rw=randrw
rwmixread=80
bs=16k
iodepth=8
numjobs=4

[log]
stonewall
rw=write
bs=8192
fsync=1
runtime=30
ramp_time=5s
"""


def test_sections_are_jobs_with_what_is_said_of_all() -> None:
    assert read_fio_job(_FILE) == (
        OwnJob("pages", OwnWorkload(Pattern("randrw", 16, 8, read_percent=80, jobs=4)), 120, 4096),
        OwnJob("log", OwnWorkload(Pattern("write", 8, 1, flushed=True)), 30, 4096, 5),
    )


def test_what_goes_through_the_page_cache_is_told_from_what_does_not() -> None:
    [job] = read_fio_job("[x]\nreadwrite=read\nblocksize=1M\nioengine=psync\nend_fsync=1\n")
    assert job == OwnJob("x", OwnWorkload(Pattern("read", 1024, 1, buffered=True)))


@pytest.mark.parametrize(
    "line",
    [
        "filename=/dev/sda", "directory=/etc", "exec_prerun=id", "exec_postrun=id", "write_bw_log=x", "write_lat_log=x",
        "include /etc/passwd", "include=x", "client=host", "ioengine=exec", "ioengine=external:/tmp/x.so", "offset=4k",
        "write_iolog=x", "read_iolog=/etc/shadow", "verify=md5", "trigger=id", "profile=tiobench", "bs=4k:8k",
        "rw=trim", "rw=randread:8", "bs=3000", "size=50%", "size=1000", "runtime=-1", "numjobs=${x}", "iodepth=1e3",
        "iodepth=٣", "log_avg_msec=1", "direct=2", "time_based=1", "end_fsync=0", "fsync=4",
        "opendir=/", "filename_format=/etc/x", "thread=0", "numjobs=99999", "unlink=1",
    ],
)  # fmt: skip
def test_what_it_may_not_say_is_refused_and_named(line: str) -> None:
    with pytest.raises(InputError) as refused:
        read_fio_job(f"[x]\n{line}\n[y]\nstonewall\nrw=read\n")
    key = re.split(r"[=\s]", line.strip())[0]
    assert f"“{key}" in str(refused.value)


def test_jobs_beside_each_other_are_refused() -> None:
    with pytest.raises(InputError, match=r"stonewall.*\[b\]"):
        read_fio_job("[a]\nrw=read\n[b]\nrw=write\n")


@pytest.mark.parametrize("text", ["", "rw=read", "[global]\nrw=read\n", "[a]\n[a]\n", "[a\nrw=read"])
def test_what_is_no_job_file_is_said(text: str) -> None:
    with pytest.raises(InputError):
        read_fio_job(text)


def test_a_comment_may_follow_an_option() -> None:
    jobs = read_fio_job("[a] ; streams\nrw=randread   ; at random\ndirect=1 # past the cache\nthread ;\niodepth=8\n")
    assert jobs == read_fio_job("[a]\nrw=randread\ndirect=1\nthread\niodepth=8\n")


def test_each_global_section_counts_for_the_jobs_after_it() -> None:
    first, second, third = read_fio_job(
        "[global]\ndirect=1\nstonewall\n[a]\nrw=read\n[global]\nbs=64k\n[b]\nrw=read\n[global_of_writes]\nrw=write\n[c]\n"
    )
    assert first.workload.pattern == Pattern("read", 4, 1)
    assert second.workload.pattern == Pattern("read", 64, 1)
    assert third.workload.pattern == Pattern("write", 64, 1)


def test_times_and_all_of_the_target_in_fios_other_words() -> None:
    [job] = read_fio_job("[a]\nrw=read\nsize=100%\ntimeout=1d\n")
    assert (job.region_mib, job.seconds) == (None, 86400)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[a]\nrw=read\n[a]\nstonewall\n", "Two jobs are called “a”"),
        ("[a\nrw=read\n", "line 1 begins a section"),
        ("# of fio\nrw=read\n[a]\n", "line 2 is above the first section"),
    ],
)
def test_what_is_no_job_file_is_refused_for_its_own_reason(text: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        read_fio_job(text)
    assert named in str(refused.value)


@given(st.lists(st.tuples(st.sampled_from(["rw", "bs", "filename", "size", "exec_prerun", "include"]),
                          st.text(max_size=12)), max_size=6))  # fmt: skip
def test_whatever_it_says_fio_gets_one_of_a_closed_form(lines: list[tuple[str, str]]) -> None:
    try:
        jobs = read_fio_job("[x]\n" + "\n".join(f"{key}={value}" for key, value in lines))
    except InputError:
        return
    for job in jobs:
        argv = fio_argv(job.workload, "/dev/md0", seconds=1, region_bytes=2**20)
        assert [one for one in argv if "/" in one] == ["/usr/bin/fio", "--filename=/dev/md0"]
        assert not any("exec" in one or "include" in one for one in argv)


@pytest.mark.parametrize(
    ("lines", "same"),
    [
        ("rw=read\nbs=4k\nblocksize=8k", "rw=read\nbs=8k"),
        ("rw=read\nruntime=300\ntimeout=600", "rw=read\nruntime=600"),
        ("rw=read\nbuffered=0", "rw=read\ndirect=1"),
        ("rw=read\ndirect=1\nbuffered=1", "rw=read"),
        ("rw=read\nbuffered=1\ndirect=1", "rw=read\ndirect=1"),
    ],
)
def test_of_an_option_given_twice_the_last_counts_as_in_fio(lines: str, same: str) -> None:
    assert read_fio_job(f"[a]\n{lines}\n") == read_fio_job(f"[a]\n{same}\n")


def test_an_indented_option_is_one_of_its_own() -> None:
    """fio's ``parse_jobs_ini`` skips blanks before an option; also after one without a value."""
    (job,) = read_fio_job("[a]\n  rw=randread\n  bs=8k\n")
    assert job == read_fio_job("[a]\nrw=randread\nbs=8k\n")[0]
    with pytest.raises(InputError):
        read_fio_job("[a]\nbs\n  x\n")
