"""fio's command and output, as Raidwright makes and parses them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.own_workload import OwnWorkload, pattern_named, workload_named
from raidwright.core.system.workload import (
    START,
    Pattern,
    Status,
    StatusReader,
    Workload,
    fio_argv,
    read_status,
    result_of,
    sample_between,
)


def _direction(requests: int = 0, size_bytes: int = 0, runtime_ms: int = 0, mean_ns: float = 0.0) -> dict[str, object]:
    percentile = {"percentile": {"50.000000": 1, "99.000000": 9_000_000}} if requests else {}
    return {
        "io_bytes": size_bytes,
        "total_ios": requests,
        "runtime": runtime_ms,
        "clat_ns": {"mean": mean_ns, "N": requests} | percentile,
    }


def _printed(read: dict[str, object], write: dict[str, object] | None = None, error: int = 0) -> str:
    """Return one status in fio 3.33's format, with the fields that are read."""
    job = {"jobname": "x", "error": error, "read": read, "write": write or _direction()}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=2)


def test_the_names_are_the_published_ones() -> None:
    assert [str(workload) for workload in Workload if workload.writes] == [
        "sequential_write",
        "buffered_write",
        "random_write_512k",
        "random_write_4k",
        "random_write_4k_q32",
        "random_mixed_4k_q32",
    ]


def test_a_flush_is_part_of_the_latency_of_its_write_and_one_at_the_end_is_not() -> None:
    flushes = {"total_ios": 100, "lat_ns": {"mean": 4e6, "N": 100, "percentile": {"99.000000": 8_000_000}}}
    for options, latency_ms, p99_ms in (({"fsync": "1"}, 4.5, 17.0), ({"end_fsync": "1"}, 0.5, 9.0)):
        told = json.loads(_printed(_direction(), _direction(100, 409_600, 1000, 5e5)))
        told["jobs"][0] |= {"sync": flushes, "job options": options}
        result = result_of("write", "fio", read_status(json.dumps(told)))
        assert (result.latency_ms, result.latency_p99_ms) == (latency_ms, p99_ms)


def test_each_of_several_streams_has_a_place_of_its_own() -> None:
    streams, random = (
        fio_argv(OwnWorkload(Pattern(way, 1024, 1, jobs=3)), "/dev/md0", seconds=9, region_bytes=10 * 2**20)
        for way in ("read", "randread")
    )
    assert {f"--size={3 * 2**20}", f"--offset_increment={3 * 2**20}"} < set(streams)
    assert f"--size={10 * 2**20}" in random
    assert not any("offset_increment" in option for option in random)


@given(st.sampled_from(list(Workload)), st.integers(1, 600), st.integers(1, 2**34))
def test_the_command_is_a_closed_form(workload: Workload, seconds: int, region_mib: int) -> None:
    argv = fio_argv(workload, "/dev/md127", seconds=seconds, region_bytes=region_mib * 2**20)
    assert argv[0] == "/usr/bin/fio"
    assert f"--runtime={seconds}" in argv
    assert f"--size={region_mib * 2**20}" in argv
    assert ("--readonly" in argv) is not workload.writes
    assert ("--direct=0" in argv) is workload.startswith("buffered")
    assert argv.count("--filename=/dev/md127") == 1


_DIRECTIONS = ("read", "write", "rw", "randread", "randwrite", "randrw")


@st.composite
def own_patterns(draw: st.DrawFn) -> Pattern:
    direction, buffered = draw(st.sampled_from(_DIRECTIONS)), draw(st.booleans())
    is_read = direction.endswith("read")
    return Pattern(
        direction,
        draw(st.integers(1, 16 * 1024)),
        1 if buffered else draw(st.integers(1, 256)),
        buffered=buffered,
        flushed=not is_read and draw(st.booleans()),
        read_percent=draw(st.integers(1, 99)) if direction.endswith("rw") else None,
        jobs=draw(st.integers(1, 16)),
    )


@given(own_patterns())
def test_ones_own_is_said_whole_by_its_name(pattern: Pattern) -> None:
    own = OwnWorkload(pattern)
    assert workload_named(str(own)) == own
    argv = fio_argv(own, "/dev/md127", seconds=1, region_bytes=2**30)
    assert f"--rw={pattern.direction}" in argv
    assert f"--bs={pattern.block_kib}k" in argv
    assert ("--readonly" in argv) is (not own.writes)
    assert {one.partition("=")[0] for one in argv if "file" in one} == {"--filename"}


@given(st.one_of(st.text(max_size=40), st.from_regex(r"own_[a-z0-9_]{0,40}", fullmatch=True)))
def test_what_is_no_workload_is_refused_or_is_the_one_that_it_says(name: str) -> None:
    try:
        found = workload_named(name)
    except InputError:
        assert pattern_named(name) is None
    else:
        assert str(found) == name


@pytest.mark.parametrize(
    "name",
    [
        "own_read_4k_q0", "own_read_4k_q257", "own_read_16385k_q1", "own_read_4k_q1_j17", "own_read_4k_q1_j1",
        "own_randrw_4k_q1", "own_read_50_4k_q1", "own_read_4k_q2_buffered", "own_read_4k_q1_flushed", "own_trim_4k_q1",
        "own_read_4k_q1 --exec_prerun=id", "own_read_4k_q1\n", "own_read_04k_q1", "Own_read_4k_q1",
    ],
)  # fmt: skip
def test_beyond_its_limits_it_is_none(name: str) -> None:
    with pytest.raises(InputError):
        workload_named(name)


def test_a_colon_would_be_two_files() -> None:
    with pytest.raises(ValueError, match="fio"):
        fio_argv(Workload.SEQUENTIAL_READ, "/dev/a:/dev/b", seconds=1, region_bytes=1)


def _feed(text: str) -> Iterator[Status]:
    reader = StatusReader()
    for line in text.splitlines(keepends=True):
        if (status := reader.feed(line)) is not None:
            yield status


def test_the_stream_is_cut_where_objects_end() -> None:
    texts = [_printed(_direction(n, n * 4096, n * 100, 2e6)) for n in (1, 2, 3)]
    stream = "fio: a warning {\n" + texts[0] + "\n" + texts[1] + "\nfio: another\n}\n" + texts[2] + "\n"
    assert [status.read.requests for status in _feed(stream)] == [1, 2, 3]


def test_rates_are_of_the_time_between() -> None:
    first = read_status(_printed(_direction(100, 100_000_000, 1000, 4e6)))
    second = read_status(_printed(_direction(300, 400_000_000, 1250, 2e6)))
    rates = sample_between(first, second)
    assert rates is not None
    assert (rates.seconds, rates.read_mb_s, rates.read_iops) == (1.25, 1200.0, 800.0)
    assert rates.latency_ms == pytest.approx((300 * 2.0 - 100 * 4.0) / 200)
    assert (rates.write_mb_s, rates.write_iops) == (0.0, 0.0)
    assert sample_between(second, second) is None


def _totals_of(status: Status) -> WorkloadResult:
    return result_of(Workload.SEQUENTIAL_WRITE, "fio", status)


def test_totals_are_of_the_whole() -> None:
    totals = _totals_of(read_status(_printed(_direction(), _direction(500, 10**9, 4000, 3e6))))
    assert (totals.seconds, totals.mb_s, totals.iops) == (4.0, 250.0, 125.0)
    assert (totals.latency_ms, totals.latency_p99_ms) == (3.0, 9.0)


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**9), st.integers(1, 1000)), min_size=1, max_size=20))
def test_the_curve_holds_all_that_was_moved(steps: list[tuple[int, int, int]]) -> None:
    requests, size_bytes, runtime_ms, moved = 0, 0, 0, 0.0
    before = START
    for more_requests, more_bytes, more_ms in steps:
        requests, size_bytes, runtime_ms = requests + more_requests, size_bytes + more_bytes, runtime_ms + more_ms
        status = read_status(_printed(_direction(requests, size_bytes, runtime_ms, 1e6)))
        rates = sample_between(before, status)
        assert rates is not None
        assert rates.latency_ms >= 0
        moved += rates.read_mb_s * more_ms / 1000
        before = status
    assert moved == pytest.approx(size_bytes / 1e6)


def test_an_error_of_the_device_is_told() -> None:
    with pytest.raises(JobFailed, match="error 5"):
        _totals_of(read_status(_printed(_direction(1, 1, 1, 1.0), error=5)))


def test_nothing_measured_is_told() -> None:
    with pytest.raises(JobFailed, match="before it had measured"):
        _totals_of(START)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"jobs": []}', '{"jobs": [{"read": 1}]}', '{"jobs": 3}'])
def test_what_fio_never_prints_is_an_error_with_a_sentence(text: str) -> None:
    with pytest.raises(JobFailed, match="can't be read"):
        read_status(text)


def test_what_reads_and_writes_is_asked_for_as_writing_and_counted_as_both() -> None:
    argv = fio_argv(Workload.RANDOM_MIXED_4K_Q32, "/dev/md127", seconds=1, region_bytes=2**30)
    assert "--rw=randrw" in argv
    assert "--rwmixread=70" in argv
    assert "--readonly" not in argv
    both = read_status(_printed(_direction(70, 70 * 4096, 1000, 1e6), _direction(30, 30 * 4096, 1000, 3e6)))
    sample = sample_between(START, both)
    assert sample is not None
    assert (sample.read_iops, sample.write_iops) == (70, 30)
    result = result_of(Workload.RANDOM_MIXED_4K_Q32, "fio", both)
    assert result.iops == 100
    assert result.latency_ms == pytest.approx(1.6)
