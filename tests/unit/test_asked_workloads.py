"""Any workload can be requested: the standard ones in fio's words give the same results, the rest obeys physics."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.performance.performance_json import performance_as_json
from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, Predictor, predict
from raidwright.analysis.performance.question import Question, Sync
from raidwright.cli import main
from raidwright.core.model.plan import Baseline, Bitmap, Consistency, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.workload import Pattern
from raidwright.reading.workload_words import read_workload

from .making_plans import grouped
from .test_performance import DISK, FIRST_LOST, FLASH, array, made_of, plans
from .test_workload_words import WORDS

SEVERAL = [
    array("raid0", 3),
    array("raid1", 2, FLASH),
    array("raid10", 4, layout="f2").on(replace(array("raid10", 4, layout="f2").array, bitmap=Bitmap.INTERNAL)),
    array("raid5", 5, Baseline(kind="hdd")),
    array("raid6", 8, FLASH).on(replace(array("raid6", 8, FLASH).array, bitmap=Bitmap.INTERNAL)),
    made_of(Plan(grouped("raid0", "raid1", 2, 2)), DISK),
]


def mb_s(plan: Plan, pattern: Pattern, state: PredictedState = HEALTHY, host: HostModel | None = None) -> float:
    found = predict(plan, pattern, state, host=host)
    assert found is not None
    assert 0 < found.low_mb_s < found.mb_s < found.high_mb_s
    assert isfinite(found.high_mb_s)
    return found.mb_s


@pytest.mark.parametrize("plan", SEVERAL, ids=lambda plan: plan.word)
@pytest.mark.parametrize("sync", [None, *Sync])
def test_the_standing_workloads_in_words_are_the_standing_workloads(plan: Plan, sync: Sync | None) -> None:
    question = Question(tuple(map(read_workload, WORDS.values())), sync)
    told = performance_as_json(performance_of(plan, question=question))
    for workload, text in WORDS.items():
        assert told[text] == told[workload], workload


BASELINES = (None, DISK, FLASH, Baseline(kind="ssd", flush_ms=0.0), replace(DISK, random_write_4k_iops=74))
ANY = st.builds(lambda plan, known: made_of(plan, known) if known else plan, plans(), st.sampled_from(BASELINES))
_NARROW = made_of(
    array("raid4", 4).on(replace(array("raid4", 4).array, chunk_kib=4, bitmap=Bitmap.INTERNAL)),
    Baseline(kind="ssd", flush_ms=0.0),
)
HOSTS = (
    HostModel(),
    HostModel(kernel=(2, 6), group_threads=4),
    HostModel(kernel=(6, 17), stripe_cache_pages=32768, sync_limit_b_s=1e6),
)
PATTERNS = st.builds(
    Pattern,
    st.sampled_from(["read", "write", "randread", "randwrite"]),
    st.sampled_from([1, 4, 5, 16, 64, 512, 1024, 16 * 1024]),
    st.integers(1, 1024),
    jobs=st.integers(1, 256),
) | st.builds(
    Pattern,
    st.sampled_from(["rw", "randrw"]),
    st.sampled_from([4, 64, 1024]),
    st.just(1),
    buffered=st.booleans(),
    flushed=st.booleans(),
    read_percent=st.integers(0, 100),
    jobs=st.integers(1, 256),
)


@given(ANY, PATTERNS, st.sampled_from([None, *Sync]), st.sampled_from(HOSTS), st.sampled_from([None, 4096, 10**10]))
def test_any_workload_of_any_plan_has_figures(
    plan: Plan, pattern: Pattern, sync: Sync | None, host: HostModel, span_bytes: int | None
) -> None:
    asked = replace(read_workload("read"), pattern=pattern)
    found = performance_of(plan, host, Question((asked,), sync, span_bytes))
    json.dumps(performance_as_json(found), allow_nan=False)
    speeds = found.own["read"]
    assert speeds.normal is not None
    assert (speeds.syncing is None) == (sync is None or not plan.array.level.is_redundant)
    for one in (speeds.normal, speeds.degraded, speeds.rebuilding, speeds.syncing):
        if one is not None:
            assert 0 < one.low_mb_s <= one.mb_s <= one.high_mb_s
            assert one.limited_by
    if speeds.sync is not None:
        assert 0 < speeds.sync.low_mb_s <= speeds.sync.mb_s <= speeds.sync.high_mb_s


@given(
    ANY,
    st.sampled_from(["randread", "randwrite"]),
    st.sampled_from([4, 16, 64, 256]),
    st.integers(1, 512),
    st.integers(1, 512),
    st.sampled_from([HEALTHY, FIRST_LOST]),
)
@example(_NARROW, "randwrite", 256, 3, 88, FIRST_LOST)
def test_more_in_flight_never_does_less(
    plan: Plan, direction: str, block_kib: int, depth: int, more: int, state: PredictedState
) -> None:
    if state.lost and not plan.array.level.is_redundant:
        return
    fewer = mb_s(plan, Pattern(direction, block_kib, depth), state)
    assert mb_s(plan, Pattern(direction, block_kib, min(1024, depth + more)), state) >= fewer * (1 - 1e-6)


@given(ANY, PATTERNS)
def test_a_rebuild_never_makes_anything_faster(plan: Plan, pattern: Pattern) -> None:
    rebuilding = predict(plan, pattern, replace(FIRST_LOST, rebuilding=True))
    if plan.array.level.is_redundant and rebuilding is not None:
        assert rebuilding.mb_s <= mb_s(plan, pattern) * (1 + 1e-9)


@given(st.sampled_from(["raid4", "raid5", "raid6"]), st.integers(4, 12), st.sampled_from([4, 64, 512, 1024, 4096]),
       st.integers(1, 64), st.sampled_from([DISK, FLASH]))  # fmt: skip
def test_more_of_a_stripe_in_flight_never_writes_slower(
    level: str, count: int, block_kib: int, depth: int, kind: Baseline
) -> None:
    plan, pattern = array(level, count, kind), Pattern("write", block_kib, depth)
    assert mb_s(plan, replace(pattern, depth=2 * depth)) >= mb_s(plan, pattern) * (1 - 1e-6)


@given(ANY, st.sampled_from(["randread", "randwrite"]), st.integers(1, 64), st.integers(1, 63), st.booleans())
def test_more_jobs_never_do_less(plan: Plan, direction: str, jobs: int, more: int, flushed: bool) -> None:
    pattern = Pattern(direction, 4, 4, flushed=flushed and direction == "randwrite", jobs=jobs)
    assert mb_s(plan, replace(pattern, jobs=jobs + more)) >= mb_s(plan, pattern) * (1 - 1e-6)


@given(ANY, st.integers(2, 64))
def test_jobs_are_as_good_as_depth_where_the_processor_isnt_the_limit(plan: Plan, jobs: int) -> None:
    by_jobs = mb_s(plan, Pattern("randread", 4, 1, jobs=jobs))
    assert by_jobs >= mb_s(plan, Pattern("randread", 4, jobs)) * (1 - 1e-9)


def test_a_disk_sorts_no_more_than_it_has_places_for() -> None:
    single = array("linear", 1)
    deep = [predict(single, Pattern("randread", 4, depth)) for depth in (1, 8, 32, 64, 1024)]
    iops = [one.iops for one in deep if one is not None]
    assert iops[0] == pytest.approx(75, rel=1e-3)
    assert iops[2] == pytest.approx(170, rel=1e-3)  # as measured
    assert iops[0] < iops[1] < iops[2] == iops[3] == iops[4]


def test_writes_into_a_cache_are_as_fast_at_any_depth_unless_it_was_measured() -> None:
    unmeasured = replace(DISK, random_write_4k_q32_iops=None)
    one, many = (mb_s(array("raid1", 2, unmeasured), Pattern("randwrite", 4, depth)) for depth in (1, 64))
    assert one == pytest.approx(many)


@pytest.mark.parametrize("level", ["raid0", "raid5", "raid6"])
def test_streams_on_disks_that_turn_cost_seeks_and_on_flash_none(level: str) -> None:
    one, four = Pattern("read", 256, 4), Pattern("read", 256, 4, jobs=4)
    assert mb_s(array(level, 4), four) < 0.8 * mb_s(array(level, 4), one)
    assert mb_s(array(level, 4, FLASH), four) >= mb_s(array(level, 4, FLASH), one)


def test_a_mirror_reads_as_many_streams_as_it_has_disks() -> None:
    for baseline in (DISK, FLASH):
        one, two = (mb_s(array("raid1", 2, baseline), Pattern("read", 1024, 8, jobs=jobs)) for jobs in (1, 2))
        assert two == pytest.approx(2 * one)


def test_flushes_cost_turns_of_disks_and_milliseconds_of_flash() -> None:
    log = Pattern("write", 4, 1, flushed=True)
    assert mb_s(array("raid1", 2), log) * 1e6 / 4096 == pytest.approx(120, rel=0.05)  # revolutions per second
    flash = predict(array("raid1", 2, FLASH), log)
    assert flash is not None
    assert flash.iops == pytest.approx(1 / 1.52e-3, rel=0.1)
    unknown = predict(array("raid1", 2, replace(FLASH, flush_ms=None)), log)
    assert unknown is not None
    assert unknown.high_mb_s > 8 * unknown.mb_s  # with and without power-loss protection: two worlds
    assert any("power loss" in said for said in unknown.assumes)


def test_threads_and_kernel_tell() -> None:
    plan, small = array("raid5", 5, FLASH), Pattern("randwrite", 4, 32, jobs=8)
    assert mb_s(plan, small, host=HostModel(group_threads=4)) > 1.5 * mb_s(plan, small)
    raid6 = array("raid6", 8)
    assert mb_s(raid6, Pattern("randwrite", 4, 4), host=HostModel(kernel=(4, 0))) < mb_s(
        raid6, Pattern("randwrite", 4, 4)
    )
    said = performance_of(array("raid1", 2), HostModel(group_threads=4, stripe_cache_pages=4096)).assumes
    assert [one for one in said if "group_thread_cnt" in one]
    assert [one for one in said if "stripe_cache_size" in one]


def test_a_span_shortens_seeks_and_keeps_bits_set() -> None:
    for plan in (
        array("raid5", 4),
        array("raid5", 4, FLASH).on(replace(array("raid5", 4, FLASH).array, bitmap=Bitmap.INTERNAL)),
    ):
        asked = tuple(map(read_workload, ("randwrite,depth=8", "randwrite,depth=8,size=1g")))
        whole, part = (each.normal for each in performance_of(plan, question=Question(asked)).own.values())
        assert whole is not None
        assert part is not None
        assert part.mb_s > 1.2 * whole.mb_s
        assert any("first 1.07 GB" in said for said in part.assumes)


def test_the_plans_own_bitmap_chunk_is_used() -> None:
    plan = array("raid5", 4, FLASH).on(replace(array("raid5", 4, FLASH).array, bitmap=Bitmap.INTERNAL))
    small = Pattern("randwrite", 4, 1)
    assert mb_s(plan.on(replace(plan.array, bitmap_chunk_kib=2**20)), small) > 2 * mb_s(plan, small)


@given(ANY, st.sampled_from(Sync), st.floats(1e6, 1e9), st.floats(1.0, 100.0))
def test_a_higher_limit_syncs_faster_and_leaves_less(plan: Plan, sync: Sync, limit: float, factor: float) -> None:
    if not plan.array.level.is_redundant:
        return
    question = Question((read_workload("randread"),), sync)
    hosts = (HostModel(sync_limit_b_s=one) for one in (limit, limit * factor))
    low, high = (performance_of(plan, host, question).own["randread"] for host in hosts)
    assert low.syncing is not None
    assert high.syncing is not None
    assert low.sync is not None
    assert high.sync is not None
    assert high.sync.mb_s >= low.sync.mb_s * (1 - 1e-9)
    assert high.syncing.mb_s <= low.syncing.mb_s * (1 + 1e-9)


@pytest.mark.parametrize("level", ["raid5", "raid6", "raid1"])
def test_nothing_beside_a_rebuild_jumps_by_one_more_request(level: str) -> None:
    plan, state = array(level, 8), PredictedState(FIRST_LOST.lost, rebuilding=True)
    predictor = Predictor(plan, HostModel())
    found = [predictor.predict(Pattern("randread", 4, depth), state) for depth in range(1, 65)]
    rates = [one.mb_s for one in found if one is not None]
    assert max(after / before for before, after in pairwise(rates)) < 4


def test_what_a_rebuild_takes_most_of_is_limited_by_it() -> None:
    found = predict(array("raid5", 4), Pattern("randread", 4, 1), PredictedState(FIRST_LOST.lost, rebuilding=True))
    assert found is not None
    assert found.limited_by == "the rebuild beside it"


def test_logs_beside_the_array_are_told_where_they_arent_modelled() -> None:
    plan = array("raid5", 4).on(replace(array("raid5", 4).array, consistency=Consistency.PPL))
    found = predict(plan, Pattern("randwrite", 4, 1))
    assert found is not None
    assert any("partial parity log" in said for said in found.assumes)


def test_an_array_without_redundancy_has_nothing_to_sync_and_says_so() -> None:
    question = Question((read_workload("randread"),), Sync.CHECK)
    found = performance_of(array("raid0", 2), HostModel(sync_limit_b_s=1e8), question)
    assert found.own["randread"].syncing is None
    assert [one for one in found.assumes if "nothing to check" in one]
    assert [one for one in found.assumes if "sync_speed_max" in one]


def test_an_array_that_lacks_all_that_it_survives_has_nothing_to_sync_and_says_so() -> None:
    plan = array("raid5", 4)
    question = Question((read_workload("randread"),), Sync.CHECK)
    found = performance_of(
        plan.on(replace(plan.array, members=(*plan.array.members[1:], None))), question=question
    ).own["randread"]
    assert found.syncing is None
    assert found.normal is not None
    assert [one for one in found.normal.assumes if "nothing to check" in one]
    assert [one for one in found.normal.assumes if "with a disk lost" in one]


def test_a_mirror_reads_no_stream_undisturbed_beside_one_that_is_written() -> None:
    whole, degraded = (predict(array("raid1", 2), read_workload("rw,bs=128k,reads=90").pattern, state)
                       for state in (HEALTHY, FIRST_LOST))  # fmt: skip
    assert whole is not None
    assert degraded is not None
    assert whole.mb_s < 1.5 * degraded.mb_s
    assert whole.limited_by == "seeks from one stream to the other"


# The command line


@pytest.fixture
def tank(tmp_path: Path) -> str:
    file = tmp_path / "tank.json"
    file.write_text(json.dumps(dump_plan(array("raid5", 4))), encoding="utf-8")
    return str(file)


def test_assess_answers_workloads_under_their_words(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["randread,bs=16k,depth=8,jobs=4", "write,bs=8k,flushed"]
    asked = [part for text in words for part in ("--workload", text)]
    assert main(["assess", tank, "--json", *asked, "--sync", "check", "--speed-limit", "50"]) == 0
    told = json.loads(capsys.readouterr().out)["performance"]
    for text in words:
        assert set(told[text]) == {"normal", "degraded", "rebuilding", "syncing"}
        for state in told[text].values():
            assert state["low_mb_s"] < state["mb_s"] < state["high_mb_s"]
            assert state["limited_by"]
            assert isinstance(state["assumes"], list)
        assert 0 < told[text]["syncing"]["sync"]["mb_s"] <= 50
    assert main(["assess", tank, *asked, "--sync", "check", "--kernel", "5.15.0-91-generic"]) == 0
    assert words[0] in capsys.readouterr().out


def test_what_a_sync_keeps_in_flight_is_told_of_the_kernels_that_do(
    tank: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for kernel in ("6.12", "6.16"):
        words = ("--workload", "randread,bs=16k", "--sync", "check", "--kernel", kernel)
        assert main(["assess", tank, *words]) == 0
        assert ("sync_io_depth, 32" in " ".join(capsys.readouterr().out.split())) is (kernel == "6.16")


def test_a_kernel_that_is_newer_than_any_tried_widens_the_band(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 7.1 it was once printed that it does as 6.17, whose largest requests and whose splitting it doesn't have."""
    widths = []
    for kernel in ("6.12", "7.1", "7.3"):
        assert main(["assess", tank, "--json", "--workload", "write,bs=4m", "--kernel", kernel]) == 0
        state = json.loads(capsys.readouterr().out)["performance"]["write,bs=4m"]["normal"]
        widths.append(state["high_mb_s"] / state["low_mb_s"])
        assert any("whole stripes" in each for each in state["assumes"]) is (kernel != "6.12")
        assert any("7.3 as that of 7.2" in each for each in state["assumes"]) is (kernel == "7.3")
    assert widths[0] < widths[1] < widths[2]


def test_assess_answers_the_jobs_of_a_file(tank: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.fio"
    file.write_text("[database]\nrw=randrw\nrwmixread=70\nbs=16k\niodepth=8\ndirect=1\nnumjobs=4\n", encoding="utf-8")
    assert main(["assess", tank, "--json", "--job", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["performance"]["database"]["normal"]["iops"] > 0


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--workload", "randread,zipf=1.2", "zipf"),
        ("--job", "/nowhere/own.fio", "/nowhere/own.fio"),
        ("--kernel", "new", "“new”"),
        ("--kernel", "1.0", "“1.0”"),
        ("--threads", "-1", "--threads"),
        ("--threads", "9000", "8192"),
        ("--stripe-cache", "16", "17 to 32768"),
        ("--sync", "repair", "check or resync"),
        ("--sync", "rebuild", "predicted without it"),
        ("--speed-limit", "nan", "--speed-limit"),
        ("--speed-limit", "0", "--speed-limit"),
        ("--span", "8 apples", "8 apples"),
    ],
)
def test_assess_refuses_what_it_cant_use(
    tank: str, option: str, value: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess", tank, f"{option}={value}"]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["hdd", "ssd"])
@pytest.mark.parametrize("level", ["raid1", "raid5", "raid6", "raid10"])
@pytest.mark.parametrize("kernel", [(6, 1), (6, 17), (7, 2)])
def test_one_request_or_disk_more_is_no_cliff(kernel: tuple[int, ...], level: str, kind: str) -> None:
    states = (HEALTHY, PredictedState(frozenset({"disk-0"}), rebuilding=True), PredictedState(sync=Sync.CHECK))
    host = HostModel(kernel=kernel)
    for state in states:
        for pattern in (Pattern("randread", 4, 1), Pattern("randwrite", 4, 1), Pattern("write", 256, 1)):
            whole = array(level, 8, Baseline(kind=kind))
            deeper = [mb_s(whole, replace(pattern, depth=depth), state, host) for depth in range(1, 48)]
            wider = [
                mb_s(array(level, disks, Baseline(kind=kind)), replace(pattern, depth=32), state, host)
                for disks in range(4, 36)
            ]
            for rates in (deeper, wider):
                assert all(1 / 3 < more / less < 3 for less, more in pairwise(rates)), (pattern, state)
