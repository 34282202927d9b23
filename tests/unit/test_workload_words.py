"""Workloads in fio's words: their meaning, their names, and refusals by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.asked import of_job
from raidwright.core.errors import InputError
from raidwright.core.system.workload import Pattern, Workload
from raidwright.reading.workload_jobs import read_workload_jobs
from raidwright.reading.workload_words import each_named_once, read_workload

WORDS = {
    Workload.SEQUENTIAL_READ: "read,bs=1m,depth=8",
    Workload.SEQUENTIAL_WRITE: "write,bs=1m,depth=8",
    Workload.BUFFERED_READ: "read,bs=1m,buffered",
    Workload.BUFFERED_WRITE: "write,bs=1m,buffered",
    Workload.RANDOM_READ_512K: "randread,bs=512k",
    Workload.RANDOM_WRITE_512K: "randwrite,bs=512k",
    Workload.RANDOM_READ_4K: "randread,bs=4k",
    Workload.RANDOM_WRITE_4K: "randwrite,bs=4k",
    Workload.RANDOM_READ_4K_Q32: "randread,bs=4k,depth=32",
    Workload.RANDOM_WRITE_4K_Q32: "randwrite,bs=4k,depth=32",
    Workload.RANDOM_MIXED_4K_Q32: "randrw,bs=4k,depth=32,reads=70%",
}


def test_every_standing_workload_can_be_said() -> None:
    assert set(WORDS) == set(Workload)
    for workload, text in WORDS.items():
        asked = read_workload(text)
        assert asked.pattern == workload.pattern
        assert asked.name == text


@pytest.mark.parametrize(
    ("text", "name", "pattern"),
    [
        ("randread,bs=16k,depth=8,jobs=4", "randread,bs=16k,depth=8,jobs=4", Pattern("randread", 16, 8, jobs=4)),
        (" RandRead , jobs=4,iodepth=8, bs=16384", "randread,bs=16k,depth=8,jobs=4",
         Pattern("randread", 16, 8, jobs=4)),
        ("rw=randwrite,numjobs=2,fsync=1", "randwrite,jobs=2,flushed",
         Pattern("randwrite", 4, 1, flushed=True, jobs=2)),
        ("bs=4k,write,sync=1", "write,bs=4k,flushed", Pattern("write", 4, 1, flushed=True)),
        ("write,bs=8k,fdatasync", "write,bs=8k,flushed", Pattern("write", 8, 1, flushed=True)),
        ("readwrite,direct=0", "rw,buffered", Pattern("rw", 4, 1, buffered=True, read_percent=50)),
        ("randrw,rwmixwrite=30", "randrw,reads=70%", Pattern("randrw", 4, 1, read_percent=70)),
        ("randrw,rwmixread=0", "randrw,reads=0%", Pattern("randrw", 4, 1, read_percent=0)),
        ("read,direct=1,bs=1m", "read,bs=1m", Pattern("read", 1024, 1)),
    ],
)  # fmt: skip
def test_what_words_mean(text: str, name: str, pattern: Pattern) -> None:
    asked = read_workload(text)
    assert (asked.name, asked.pattern) == (name, pattern)
    assert read_workload(name) == asked


def test_a_size_is_a_span() -> None:
    assert read_workload("randread,size=8g").span_bytes == 8 * 2**30
    assert read_workload("randread,span=10m").name == "randread,size=10m"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "a workload is made of read"),
        ("bs=4k", "doesn't say what is done"),
        ("randomread", "“randomread”"),
        ("trim", "“trim”"),
        ("randread,bs=4k-64k", "one size of block"),
        ("randread,bs=4k:8k", "one size of block"),
        ("randread,bs=4k,8k", "“8k”"),
        ("randread,bssplit=4k/50", "one size of block"),
        ("randread,random_distribution=zipf", "evenly spread"),
        ("randread,zipf", "evenly spread"),
        ("randread,rate=10m", "leave the limit out"),
        ("randread,bs=3000", "whole KiB"),
        ("randread,bs=0", "a size such as"),
        ("randread,bs=16KiB", "16000 bytes"),
        ("randread,bs=64m", "in KiB of a workload is 1 to 16384"),
        ("randread,depth=0", "1 to 65536"),
        ("randread,depth=65537", "whole number up to 65536"),
        ("randread,depth=-1", "whole number"),
        ("randread,depth=²", "whole number"),
        ("randread,jobs=5000", "whole number up to 4096"),
        ("randread,depth=2,iodepth=2", "said twice"),
        ("randread,randwrite", "“randwrite”"),
        ("randread,reads=70%", "only rw and randrw"),
        ("randrw,reads=101%", "up to 100"),
        ("randrw,reads=70,rwmixwrite=20", "100% together"),
        ("read,direct=1,buffered", "contrary of buffered"),
        ("read,buffered,depth=8", "one request in flight a job"),
        ("read,flushed", "Only what writes"),
        ("write,fsync=8", "whole number up to 1"),
        ("write,ioengine=libaio", "leave it out"),
        ("write,end_fsync=1", "leave it out"),
        ("write,filename=/dev/sda", "the plan says"),
        ("write,exec_prerun=x", "a workload is made of"),
        ("write,bs", "a workload is made of"),
        ("write," * 100, "too long"),
    ],
)
def test_what_cant_be_predicted_is_refused_by_its_name(text: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        read_workload(text)
    assert named in str(refused.value)
    assert refused.value.exit_code == 2


@given(st.text(max_size=60) | st.lists(st.sampled_from(
    ["read", "randrw", "bs=4k", "bs=", "depth=8", "jobs=0x4", "reads=7", "buffered=1", "direct=1", "size=1e9", "=", ""]
)).map(",".join))  # fmt: skip
def test_any_text_is_a_workload_or_refused(text: str) -> None:
    try:
        asked = read_workload(text)
    except InputError:
        return
    assert read_workload(asked.name) == asked


def test_jobs_of_a_file_keep_their_names() -> None:
    jobs = read_workload_jobs("[global]\ndirect=1\n[log]\nrw=write\nbs=8k\nfsync=1\nruntime=30\n"
                              "[table]\nstonewall\nrw=randread\nbs=16k\niodepth=8\nsize=1g\n")  # fmt: skip
    assert [one.name for one in jobs] == ["log", "table"]
    assert jobs[0].pattern == Pattern("write", 8, 1, flushed=True)
    assert jobs[0].seconds == 30
    assert jobs[1].span_bytes == 2**30


_KDISKMARK = """
[global]
ioengine=libaio
direct=1
randrepeat=0
refill_buffers
end_fsync=1
rwmixread=70
filename=/mnt/kdiskmark.tmp
size=1g
runtime=5
[SEQ1M Q8T1]
rw=read
bs=1m
iodepth=8
[RND4K Q32T16 mix]
stonewall
rw=randrw
bs=4k
iodepth=32
numjobs=32
"""


def test_jobs_of_others_are_predicted_whatever_says_how_fio_runs() -> None:
    stream, mix = read_workload_jobs(_KDISKMARK)
    assert stream.pattern == Pattern("read", 1024, 8)
    assert stream.without_effect == ("end_fsync", "filename", "randrepeat", "refill_buffers", "rwmixread")
    assert mix.pattern == Pattern("randrw", 4, 32, read_percent=70, jobs=32)
    assert "rwmixread" not in mix.without_effect
    assert (mix.seconds, mix.span_bytes) == (5, 2**30)


def test_a_default_said_changes_nothing() -> None:
    [job] = read_workload_jobs("[own]\nrw=randread\ndirect=1\nverify=0\nnrfiles=1\nrandom_distribution=random\n")
    assert job.without_effect == ("nrfiles", "random_distribution", "verify")


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [("iodepth=32", True), ("iodepth=32\nioengine=libaio", False), ("iodepth=1", False)],
)
def test_a_queue_without_an_engine_is_told(lines: str, is_told: bool) -> None:
    """fio's own choice on Linux is psync (fio(1), ioengine), which has one request in flight whatever iodepth says."""
    [job] = read_workload_jobs(f"[own]\nrw=randread\ndirect=1\n{lines}\n")
    assert any("psync" in str(told) for told in of_job(job)) is is_told


def test_each_job_in_a_directory_has_a_file_of_its_own() -> None:
    """fio(1), directory and filename: a name is made of the job's and its number, unless it is given."""
    jobs = "[own]\nrw=randread\ndirect=1\ndirectory=/mnt\nsize=1g\nnumjobs=4\n"
    assert [one.span_bytes for text in (jobs, f"{jobs}filename=one\n") for one in read_workload_jobs(text)] == [
        4 * 2**30,
        2**30,
    ]


@pytest.mark.parametrize("engine", ["", "ioengine=libaio\n", "ioengine=psync\n"])
def test_a_queue_through_the_page_cache_is_one_request(engine: str) -> None:
    """fio(1), libaio: queued behaviour only with direct=1, which isn't its default."""
    [job] = read_workload_jobs(f"[own]\nrw=read\nbs=256k\niodepth=16\n{engine}")
    assert job.pattern == Pattern("read", 256, 1, buffered=True)
    assert job.without_effect == ("iodepth",)
    assert not job.queues_unasked


@pytest.mark.parametrize("line", ["fsync=1", "fdatasync=1", "sync=1", "sync=dsync"])
def test_whatever_waits_for_the_media_is_flushed(line: str) -> None:
    [job] = read_workload_jobs(f"[log]\nrw=write\nbs=8k\ndirect=1\nioengine=psync\n{line}\n")
    assert job.pattern == Pattern("write", 8, 1, flushed=True)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("rate=10m", "leave the limit out"),
        ("thinktime=100", "leave the limit out"),
        ("bssplit=4k/50:8k/50", "one size of block"),
        ("random_distribution=zipf:1.2", "evenly spread"),
        ("offset=1g", "“offset”"),
        ("verify=md5", "“verify”"),
        ("rate_process=poisson", "“rate_process”"),
        ("ioengine=mmap", "io_uring"),
        ("ioengine=sync\niodepth=8", "“iodepth”"),
        ("rw=randrw\nrwmixread=70\nrwmixwrite=40", "100% together"),
        ("rw=randrw\nrwmixread=170", "“rwmixread”"),
        ("sync=often", "“sync”"),
        ("fsync=32", "“fsync”"),
        ("numjobs=5000", "1 to 4096"),
        ("direct=0\nioengine=io_uring\niodepth=32", "one request in flight a job"),
        ("[other]\nrw=read", "stonewall"),
    ],
)
def test_what_a_job_says_that_cant_be_predicted_is_refused_by_name(line: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        read_workload_jobs("[own]\nbs=4k\n" + ("" if "direct" in line else "direct=1\n") + line)
    assert named in str(refused.value)
    assert refused.value.exit_code == 2


def test_names_are_given_once() -> None:
    first = read_workload("randread")
    assert each_named_once([first, first]) == (first,)
    one, other = (read_workload_jobs(f"[a]\nrw={rw}\ndirect=1\n")[0] for rw in ("read", "write"))
    with pytest.raises(InputError, match="Two jobs are called “a”"):
        each_named_once([one, other])
    [hidden] = read_workload_jobs("[random_read_4k]\nrw=read\ndirect=1\n")
    with pytest.raises(InputError, match="would hide"):
        each_named_once([hidden])
