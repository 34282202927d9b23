"""Predictions for arrays of flash, compared with Linux 6.1 on emulated disks, three of which these are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, Predictor
from raidwright.analysis.performance.stripes import stripe_parts
from raidwright.analysis.performance.throttle import left_beside_reads
from raidwright.analysis.performance.typical import drive_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Pattern, Workload

MEASURED = Baseline(
    kind="ssd",
    sequential_read_mb_s=169.6,
    sequential_write_mb_s=141.0,
    random_read_4k_iops=1419,
    random_write_4k_iops=2503,
    random_read_4k_q32_iops=18_779,
    random_write_4k_q32_iops=12_283,
    random_read_64k_iops=838,
    random_read_1m_iops=135.6,
    random_write_1m_iops=66.5,
    flush_ms=3.59,
)
SLOWER = Baseline(
    kind="ssd",
    sequential_read_mb_s=106.5,
    sequential_write_mb_s=75.7,
    random_read_4k_iops=1400,
    random_write_4k_iops=3325,
    random_read_4k_q32_iops=7877,
    random_write_4k_q32_iops=11_110,
    random_read_64k_iops=807,
    random_read_1m_iops=91.2,
    random_write_1m_iops=39.1,
    flush_ms=4.8,
)
SLOW_ALONE = Baseline(
    kind="ssd",
    sequential_read_mb_s=154.2,
    sequential_write_mb_s=99.5,
    random_read_4k_iops=941,
    random_write_4k_iops=1171,
    random_read_4k_q32_iops=5042,
    random_write_4k_q32_iops=5080,
    random_read_64k_iops=684,
    random_read_1m_iops=118,
    random_write_1m_iops=45.8,
    flush_ms=3.9,
)
ALIKE = Baseline(
    kind="ssd",
    sequential_read_mb_s=122.3,
    sequential_write_mb_s=86.6,
    random_read_4k_iops=1580,
    random_write_4k_iops=2091,
    random_read_4k_q32_iops=8238,
    random_write_4k_q32_iops=6394,
    random_read_64k_iops=932,
    random_read_1m_iops=109.7,
    random_write_1m_iops=48.8,
    flush_ms=2.53,
)
THIRD = Baseline(
    kind="ssd",
    sequential_read_mb_s=92.9,
    sequential_write_mb_s=58.6,
    random_read_4k_iops=1336,
    random_write_4k_iops=2739,
    random_read_4k_q32_iops=12_000,
    random_write_4k_q32_iops=8496,
    random_read_64k_iops=732,
    random_read_1m_iops=84.7,
    random_write_1m_iops=39.0,
    flush_ms=2.8,
)
FIFTH = Baseline(
    kind="ssd",
    sequential_read_mb_s=139.9,
    sequential_write_mb_s=124.9,
    random_read_4k_iops=1250,
    random_write_4k_iops=2695,
    random_read_4k_q32_iops=8713,
    random_write_4k_q32_iops=7539,
    random_read_64k_iops=838,
    random_read_1m_iops=121,
    random_write_1m_iops=61.7,
    flush_ms=1.5,
)
SIXTH = Baseline(
    kind="ssd",
    sequential_read_mb_s=241.6,
    sequential_write_mb_s=165.1,
    random_read_4k_iops=2106,
    random_write_4k_iops=2780,
    random_read_4k_q32_iops=13_154,
    random_write_4k_q32_iops=10_517,
    random_read_64k_iops=1409,
    random_read_1m_iops=205.6,
    random_write_1m_iops=102.1,
    flush_ms=3.1,
)
SEVENTH = Baseline(
    kind="ssd",
    sequential_read_mb_s=288.9,
    sequential_write_mb_s=177.6,
    random_read_4k_iops=1956,
    random_write_4k_iops=4244,
    random_read_4k_q32_iops=16_430,
    random_write_4k_q32_iops=11_112,
    random_read_64k_iops=1445,
    random_read_1m_iops=239.8,
    random_write_1m_iops=104.6,
    flush_ms=2.3,
)
EIGHTH = Baseline(
    kind="nvme",
    sequential_read_mb_s=192.0,
    sequential_write_mb_s=127.9,
    random_read_4k_iops=1995,
    random_write_4k_iops=4025,
    random_read_4k_q32_iops=34_100,
    random_write_4k_q32_iops=18_118,
    random_read_64k_iops=1209,
    random_read_1m_iops=167.2,
    random_write_1m_iops=80.4,
    flush_ms=2.2,
)
NINTH = replace(
    EIGHTH,
    sequential_read_mb_s=298.1,
    sequential_write_mb_s=194.2,
    random_read_4k_iops=2324,
    random_write_4k_iops=4337,
    random_read_4k_q32_iops=21_855,
    random_write_4k_q32_iops=13_056,
    random_read_64k_iops=1620,
    random_read_1m_iops=253.5,
    random_write_1m_iops=120.0,
    flush_ms=2.6,
)
LOST = PredictedState(frozenset({"disk-0"}))
REBUILDING = PredictedState(LOST.lost, rebuilding=True)
HOST = HostModel(kernel=(6, 1), jiffy_s=1 / 100)


def of(
    level: Level, count: int, chunk_kib: int | None = 64, *, layout: str | None = None, each: Baseline = MEASURED
) -> Plan:
    members = tuple(Member(f"disk-{slot}", 64 * 10**9, baseline=each) for slot in range(count))
    return Plan(MdArray(level, members, layout=layout, chunk_kib=chunk_kib, bitmap=Bitmap.NONE))


def mb_s(plan: Plan, workload: Workload, state: PredictedState = HEALTHY, host: HostModel = HOST) -> float:
    found = Predictor(plan, host).predict(workload, state)
    assert found is not None
    return found.mb_s


@pytest.mark.parametrize(
    ("plan", "workload", "state", "measured"),
    [
        (of(Level.RAID10, 3, 128, layout="o2"), Workload.RANDOM_READ_512K, HEALTHY, 246.7),
        (of(Level.RAID1, 2, None), Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 47.3),
        (of(Level.RAID10, 3, 128, layout="o2"), Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 59.5),
        (of(Level.RAID5, 4), Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 54.5),
        (of(Level.RAID5, 4), Workload.RANDOM_WRITE_4K_Q32, LOST, 50.0),
        (of(Level.RAID5, 4), Workload.RANDOM_READ_512K, REBUILDING, 213.8),
        (of(Level.RAID5, 4), Workload.RANDOM_READ_4K, REBUILDING, 3.12),
        (of(Level.RAID1, 2, None), Workload.RANDOM_READ_512K, REBUILDING, 103.2),
    ],
)
def test_within_three_tenths_of_what_was_measured(
    plan: Plan, workload: Workload, state: PredictedState, measured: float
) -> None:
    assert mb_s(plan, workload, state) == pytest.approx(measured, rel=0.3)


@pytest.mark.parametrize(("chunk_kib", "measured"), [(64, 335.9), (128, 129.1), (256, 19.5), (512, 8.0)])
def test_a_degraded_stream_is_read_page_by_page_where_read_ahead_finds_no_room(chunk_kib: int, measured: float) -> None:
    """fio announced a stream, which doubles the read-ahead of two stripes."""
    host = replace(HOST, read_ahead_bytes=4 * 3 * chunk_kib * 1024)
    assert mb_s(of(Level.RAID5, 4, chunk_kib), Workload.BUFFERED_READ, LOST, host) == pytest.approx(measured, rel=0.3)


def test_where_data_are_lost_both_parities_of_raid6_are_read() -> None:
    """Three of four disks of 127 MB/s were busy, but for none of four rows without the opposite one: 254.4 MB/s."""
    each = replace(MEASURED, sequential_read_mb_s=127)
    assert mb_s(of(Level.RAID6, 4, each=each), Workload.SEQUENTIAL_READ, LOST) == pytest.approx(254.4, rel=0.02)


def test_a_request_alone_takes_what_it_was_measured_to_take() -> None:
    """Not its time within a stream, whose requests overlap: the link transfer follows the flash access."""
    alone = of(Level.LINEAR, 1, None)
    expected_s = (1 / 838 * (1 - 448 / 960)) + 1 / 135.6 * 448 / 960
    assert mb_s(alone, Workload.RANDOM_READ_512K) == pytest.approx(0.524288 / expected_s, rel=0.01)
    drive = drive_of(next(alone.disks())).drive
    assert drive.access_s(2**20, 1, write=True) == pytest.approx(1 / 66.5)
    assert drive.access_s(2**20, 32, write=True) == pytest.approx(2**20 / 141e6, rel=0.05)  # many overlap
    assert drive.access_s(2**21, 1, write=True) == pytest.approx(1 / 66.5 + 2**20 / 141e6)  # beyond the measured sizes


def test_what_was_not_measured_of_large_requests_is_said_and_widens_the_band() -> None:
    unmeasured = replace(MEASURED, random_read_1m_iops=None, random_write_1m_iops=None)
    found = [
        Predictor(of(Level.RAID0, 3, each=each), HOST).predict(Workload.RANDOM_READ_512K)
        for each in (MEASURED, unmeasured)
    ]
    known, unknown = (one for one in found if one)
    assert unknown.high_mb_s / unknown.low_mb_s > known.high_mb_s / known.low_mb_s
    assert [one for one in unknown.assumes if "large accesses" in one]
    assert not [one for one in known.assumes if "large accesses" in one]


@pytest.mark.parametrize("workload", [Workload.SEQUENTIAL_WRITE, Workload.BUFFERED_WRITE])
@pytest.mark.parametrize("lacking", ["random_read_4k_iops", "random_write_1m_iops"])
def test_a_stream_to_stripes_rests_on_what_single_accesses_take(workload: Workload, lacking: str) -> None:
    known, unknown = (
        Predictor(of(Level.RAID5, 4, each=each), HOST).predict(workload)
        for each in (MEASURED, replace(MEASURED, **{lacking: None}))
    )
    assert known
    assert unknown
    assert len(unknown.assumes) == len(known.assumes) + 1
    assert unknown.high_mb_s / unknown.low_mb_s > known.high_mb_s / known.low_mb_s


def test_only_the_stripe_that_is_written_in_part_is_read_for() -> None:
    array = Predictor(of(Level.RAID5, 4), HOST).array()
    assert array is not None
    parts = stripe_parts(array, 512 * 1024)  # eight chunks: two stripes of three, and two chunks
    assert (parts.reads, parts.read_bytes) == (1, 64 * 1024)
    assert (parts.writes, parts.part_bytes) == (4, 3 * 64 * 1024)


def test_a_larger_stripe_cache_gives_read_ahead_its_room() -> None:
    plan, larger = of(Level.RAID5, 4, 512), replace(HOST, stripe_cache_pages=4096)
    direct = mb_s(plan, Workload.SEQUENTIAL_READ, LOST)
    assert mb_s(plan, Workload.BUFFERED_READ, LOST, larger) > 0.7 * direct
    assert mb_s(plan, Workload.BUFFERED_READ, LOST, replace(HOST, kernel=(4, 0))) > 0.9 * direct
    assert mb_s(plan, Workload.BUFFERED_READ) > 0.9 * direct


def test_one_slow_disk_of_five_holds_single_requests_back_by_a_fifth() -> None:
    """A single request goes to any of them; only several at once wait for the slowest."""
    slow = replace(
        MEASURED, random_read_4k_iops=MEASURED.random_read_4k_iops / 2 if MEASURED.random_read_4k_iops else 0
    )
    plan = of(Level.RAID0, 5, 128)
    first, *others = plan.array.members
    assert isinstance(first, Member)
    mixed = plan.on(replace(plan.array, members=(replace(first, baseline=slow), *others)))
    assert mb_s(mixed, Workload.RANDOM_READ_4K) == pytest.approx(mb_s(plan, Workload.RANDOM_READ_4K) / 1.2, rel=0.01)


@pytest.mark.parametrize(
    ("pattern", "measured_mb_s"),
    [
        (Pattern("read", 1024, 1), 233.9),  # waits for the slowest disk's quarter of each MiB
        (Pattern("read", 1024, 8), 306.7),  # by the slower pair
        (Pattern("randread", 4, 32), 142.5),
        (Pattern("randwrite", 4, 8), 86.7),
        (Pattern("randwrite", 4, 32), 85.7),
    ],
)
def test_a_disk_with_a_slower_stream_alone_holds_the_others_back(pattern: Pattern, measured_mb_s: float) -> None:
    """Near copies on four disks with the same access times, one of which has three quarters of the others' stream."""
    quick = Baseline(
        kind="ssd",
        sequential_read_mb_s=88.3,
        sequential_write_mb_s=59.8,
        random_read_4k_iops=1880,
        random_write_4k_iops=4682,
        random_read_4k_q32_iops=8987,
        random_write_4k_q32_iops=14_500,
        flush_ms=0.336,
    )
    slow = replace(quick, sequential_read_mb_s=65.4, sequential_write_mb_s=44.3, random_write_4k_q32_iops=10_800)
    members = [Member(str(slot), 120 * 10**9, baseline=slow if slot == 3 else quick) for slot in range(4)]
    found = Predictor(Plan(MdArray(Level.RAID10, tuple(members), layout="n2", chunk_kib=128)), HOST).predict(pattern)
    assert found is not None
    assert found.mb_s == pytest.approx(measured_mb_s, rel=0.07)


@pytest.mark.parametrize(
    ("plan", "workload", "share"),
    [
        (of(Level.RAID10, 2, 128, layout="n2", each=SLOWER), Workload.BUFFERED_READ, 0.59),
        (of(Level.RAID10, 3, 64, layout="f2", each=SLOWER), Workload.RANDOM_WRITE_512K, 0.7),
        (of(Level.RAID5, 4, 64, each=SLOWER), Workload.RANDOM_WRITE_4K, 0.24),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.SEQUENTIAL_WRITE, 0.69),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.BUFFERED_WRITE, 0.85),
        (of(Level.RAID6, 4, 64, each=ALIKE), Workload.SEQUENTIAL_WRITE, 0.75),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.SEQUENTIAL_READ, 0.99),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.RANDOM_READ_4K, 0.39),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.RANDOM_READ_512K, 0.90),
        (of(Level.RAID5, 3, 512, each=ALIKE), Workload.RANDOM_WRITE_4K_Q32, 0.83),
    ],
)
def test_what_a_rebuild_was_seen_to_leave(plan: Plan, workload: Workload, share: float) -> None:
    assert mb_s(plan, workload, REBUILDING) / mb_s(plan, workload, LOST) == pytest.approx(share, rel=0.25)


def test_a_processor_that_is_busy_bounds_what_three_disks_could_do() -> None:
    """84% of it was busy, 40 µs per request: 83.9 MB/s were measured of the disks' possible 120."""
    plan = of(Level.RAID0, 3, 128)
    slow = replace(HOST, member_request_s=40e-6)
    assert mb_s(plan, Workload.RANDOM_WRITE_4K_Q32, host=slow) == pytest.approx(83.9, rel=0.1)
    assert mb_s(plan, Workload.RANDOM_WRITE_4K_Q32) > 110


def test_the_more_wait_the_more_flash_does_until_its_own_way_out_is_full() -> None:
    """Five disks shared 32 reads, some six each: 21,200 IOPS, of a possible 24,000."""
    each = replace(SLOW_ALONE, random_read_4k_iops=895, random_read_4k_q32_iops=5150)
    found = mb_s(of(Level.RAID0, 5, 512, each=each), Workload.RANDOM_READ_4K_Q32)
    assert found * 1e6 / 4096 == pytest.approx(21_200, rel=0.03)


def test_one_note_in_the_bitmap_holds_up_all_that_are_gathered() -> None:
    """Six seconds from a clean bitmap of 3576 regions on: 3.1 MB/s measured, without one 19.9."""
    members = tuple(Member(f"disk-{slot}", 240 * 10**9, baseline=SLOW_ALONE) for slot in range(3))
    plan = Plan(MdArray(Level.RAID5, members, chunk_kib=256))
    noted = Predictor(plan.on(replace(plan.array, bitmap=Bitmap.INTERNAL)), HOST).predict(
        Workload.RANDOM_WRITE_4K_Q32, seconds=6
    )
    assert noted is not None
    assert noted.mb_s == pytest.approx(3.1, rel=0.15)
    plain = plan.on(replace(plan.array, bitmap=Bitmap.NONE))
    assert mb_s(plain, Workload.RANDOM_WRITE_4K_Q32) == pytest.approx(19.9, rel=0.1)


@pytest.mark.parametrize(
    ("level", "layout", "count", "chunk_kib", "workload", "state", "measured"),
    [
        (Level.RAID10, "o2", 3, 256, Workload.RANDOM_WRITE_4K, HEALTHY, 0.774),
        (Level.RAID10, "o2", 3, 256, Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 0.796),
        (Level.RAID10, "o2", 3, 256, Workload.RANDOM_WRITE_4K_Q32, LOST, 0.801),
        (Level.RAID10, "f2", 4, 64, Workload.RANDOM_WRITE_4K, HEALTHY, 0.725),
        (Level.RAID10, "f2", 4, 64, Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 0.750),
        (Level.RAID6, None, 4, 64, Workload.RANDOM_WRITE_4K, HEALTHY, 0.686),
        (Level.RAID6, None, 4, 64, Workload.RANDOM_WRITE_4K, LOST, 0.685),
        (Level.RAID6, None, 4, 64, Workload.RANDOM_WRITE_4K_Q32, HEALTHY, 5.26),
    ],
)
def test_six_seconds_that_began_with_a_clean_bitmap(
    level: Level,
    layout: str | None,
    count: int,
    chunk_kib: int,
    workload: Workload,
    state: PredictedState,
    measured: float,
) -> None:
    """A mirror's bitmap update is written by the submitter (``raid10_unplug``): depth 32 is no faster than depth 1."""
    members = tuple(Member(f"disk-{slot}", 240 * 10**9, baseline=ALIKE) for slot in range(count))
    plan = Plan(MdArray(level, members, layout=layout, chunk_kib=chunk_kib, bitmap=Bitmap.INTERNAL))
    found = Predictor(plan, HOST).predict(workload, state, seconds=6)
    assert found is not None
    assert found.mb_s == pytest.approx(measured, rel=0.15)


@pytest.mark.parametrize(
    ("plan", "state", "measured"),
    [
        (of(Level.RAID5, 5, 64, each=THIRD), HEALTHY, 162.7),
        (of(Level.RAID6, 5, 128, each=THIRD), HEALTHY, 135.9),
        (of(Level.RAID5, 4, 512, each=THIRD), HEALTHY, 149.3),
        (of(Level.RAID5, 4, 512, each=THIRD), LOST, 128.0),
        (of(Level.RAID5, 3, 512, each=ALIKE), HEALTHY, 146.2),
        (of(Level.RAID5, 4, 128, each=FIFTH), HEALTHY, 241.7),
        (of(Level.RAID10, 3, 256, layout="o2", each=THIRD), HEALTHY, 85.8),
    ],
)
def test_what_is_written_back_to_stripes_is_held_back_while_some_are_read_for(
    plan: Plan, state: PredictedState, measured: float
) -> None:
    """As fractions of the members' 234, 176, 176, 176, 171, 375 and 88 MB/s."""
    assert mb_s(plan, Workload.BUFFERED_WRITE, state) == pytest.approx(measured, rel=0.18)


@pytest.mark.parametrize(
    ("plan", "measured"),
    [
        (of(Level.RAID5, 4, 128, each=FIFTH), 268.8),
        (of(Level.RAID5, 4, 64, each=FIFTH), 305.1),
        (of(Level.RAID6, 5, 512, each=FIFTH), 145.9),
    ],
)
def test_stripes_that_two_requests_share_are_read_for(plan: Plan, measured: float) -> None:
    """Of the members' 374 MB/s. Requests that fill stripes lose nothing: five slower disks wrote 96% of theirs."""
    assert mb_s(plan, Workload.SEQUENTIAL_WRITE) == pytest.approx(measured, rel=0.12)
    filled = mb_s(of(Level.RAID5, 5, 128, each=FIFTH), Workload.SEQUENTIAL_WRITE)
    assert filled == pytest.approx(4 * 124.9, rel=0.05)


def test_flash_that_keeps_no_read_waiting_is_not_throttled() -> None:
    """Slow disks without the throttling wrote 166.6 of 176 MB/s (Linux 6.1), with it 151.8."""
    slow = of(Level.RAID5, 4, 512, each=THIRD)
    members = 3 * 58.6
    assert mb_s(slow, Workload.BUFFERED_WRITE) < 0.9 * members
    assert mb_s(slow, Workload.BUFFERED_WRITE, host=replace(HOST, kernel=(4, 9))) == pytest.approx(members)
    quick = replace(THIRD, sequential_write_mb_s=2000, random_read_4k_iops=10_000, random_write_1m_iops=1500)
    for each, left in ((quick, 1.0), (THIRD, 0.8)):
        array = Predictor(of(Level.RAID5, 4, 512, each=each), HOST).array()
        assert array is not None
        assert left_beside_reads(array, 256 * 1024) == pytest.approx(left, abs=0.05)


@pytest.mark.parametrize(
    ("plan", "workload", "measured"),
    [
        (of(Level.RAID10, 5, 64, layout="o2", each=SEVENTH), Workload.BUFFERED_READ, 757),
        (of(Level.RAID10, 5, 64, layout="o2", each=SEVENTH), Workload.RANDOM_READ_512K, 414),
        (of(Level.RAID10, 5, 64, layout="o2", each=SEVENTH), Workload.RANDOM_WRITE_512K, 196),
        (of(Level.RAID10, 4, 64, layout="n2", each=SEVENTH), Workload.BUFFERED_READ, 370),
        (of(Level.RAID10, 4, 64, layout="n2", each=SEVENTH), Workload.RANDOM_READ_512K, 256),
        (of(Level.RAID10, 4, 64, layout="n2", each=SEVENTH), Workload.RANDOM_WRITE_512K, 172),
        (of(Level.RAID1, 3, None, each=SIXTH), Workload.BUFFERED_WRITE, 111),
        (of(Level.RAID1, 3, None, each=SIXTH), Workload.SEQUENTIAL_WRITE, 141),
        (of(Level.RAID10, 5, 256, layout="o2", each=SIXTH), Workload.SEQUENTIAL_WRITE, 363),
        (of(Level.RAID10, 5, 256, layout="o2", each=SIXTH), Workload.BUFFERED_WRITE, 336),
        (of(Level.RAID10, 5, 64, layout="n2", each=NINTH), Workload.RANDOM_READ_4K, 8.01),
        (of(Level.RAID10, 4, 512, layout="f2", each=NINTH), Workload.RANDOM_READ_4K, 7.97),
    ],
)
def test_what_barriers_and_throttling_leave_beside_a_rebuild(plan: Plan, workload: Workload, measured: float) -> None:
    assert mb_s(plan, workload, REBUILDING) == pytest.approx(measured, rel=0.22)


@pytest.mark.parametrize(
    ("plan", "measured"),
    [
        (of(Level.RAID10, 4, 64, layout="n2", each=SEVENTH), 974.5),
        (of(Level.RAID5, 3, 64, each=replace(SEVENTH, sequential_read_mb_s=222)), 659.2),
        (of(Level.RAID0, 4, 64, each=replace(SEVENTH, sequential_read_mb_s=222)), 842.8),
        (of(Level.RAID6, 5, 512, each=replace(SEVENTH, sequential_read_mb_s=222)), 1030),
    ],
)
def test_a_program_that_asks_for_more_than_is_read_ahead_gets_it_at_once(plan: Plan, measured: float) -> None:
    """One of those disks read 222 MB/s."""
    assert mb_s(plan, Workload.BUFFERED_READ) == pytest.approx(measured, rel=0.2)
    assert mb_s(plan, Workload.BUFFERED_READ, host=replace(HOST, kernel=(4, 9))) <= mb_s(plan, Workload.BUFFERED_READ)


@pytest.mark.parametrize(
    ("plan", "workload", "measured"),
    [
        (of(Level.RAID5, 4, 64, each=EIGHTH), Workload.RANDOM_READ_512K, 445.7),
        (of(Level.RAID5, 4, 64, each=EIGHTH), Workload.RANDOM_WRITE_512K, 199.9),
        (of(Level.RAID10, 4, 256, layout="f2", each=EIGHTH), Workload.RANDOM_READ_512K, 280.7),
        (of(Level.RAID10, 4, 256, layout="f2", each=EIGHTH), Workload.RANDOM_WRITE_512K, 98.5),
        (of(Level.RAID10, 3, 64, layout="o2", each=EIGHTH), Workload.RANDOM_WRITE_512K, 139.7),
    ],
)
def test_large_blocks_lie_where_the_geometry_says(plan: Plan, workload: Workload, measured: float) -> None:
    """Eight chunks of raid5 lie on all four members, and far copies meet the chunks after them."""
    assert mb_s(plan, workload) == pytest.approx(measured, rel=0.18)


def test_the_member_with_most_of_a_request_is_waited_for() -> None:
    plan = of(Level.RAID10, 5, 64, layout="o2", each=SEVENTH)
    assert mb_s(plan, Workload.RANDOM_WRITE_512K) == pytest.approx(220.5, rel=0.15)
    rates = [mb_s(of(Level.RAID0, count, 64, each=SEVENTH), Workload.RANDOM_WRITE_512K) for count in (4, 5, 7)]
    assert rates[0] == pytest.approx(rates[1], rel=0.02) == rates[2]  # one member has two chunks of the eight


def test_regions_get_dirty_while_writes_go_on_and_stay_so_where_a_member_is_lost() -> None:
    members = tuple(Member(f"disk-{slot}", 240 * 10**9, baseline=ALIKE) for slot in range(4))
    predictor = Predictor(Plan(MdArray(Level.RAID5, members, chunk_kib=64, bitmap=Bitmap.INTERNAL)), HOST)
    small = Workload.RANDOM_WRITE_4K

    def mean(state: PredictedState, seconds: float) -> float:
        found = predictor.predict(small, state, seconds=seconds)
        assert found is not None
        return found.mb_s

    assert mean(HEALTHY, 6) < mean(HEALTHY, 60) < 1.1 * mean(HEALTHY, 600)
    assert mean(LOST, 600) > 1.5 * mean(HEALTHY, 600)


def test_of_copies_on_flash_a_quicker_member_reads_more() -> None:
    """Measured on an offset array of disks of 100, 100 and 75 MB/s: 272.8 MB/s, and 174.2 without one of 100."""
    quick, slow = (replace(ALIKE, sequential_read_mb_s=mb_s) for mb_s in (100.0, 75.3))
    members = tuple(Member(f"disk-{slot}", 64 * 10**9, baseline=slow if slot == 2 else quick) for slot in range(3))
    plan = Plan(MdArray(Level.RAID10, members, layout="o2", chunk_kib=128, bitmap=Bitmap.NONE))
    assert mb_s(plan, Workload.BUFFERED_READ) == pytest.approx(272.8, rel=0.03)
    assert mb_s(plan, Workload.BUFFERED_READ, LOST) == pytest.approx(174.2, rel=0.03)
    pairs = plan.on(replace(plan.array, layout="n2", members=(*members, replace(members[0], id="disk-3"))))
    assert mb_s(pairs, Workload.SEQUENTIAL_READ, LOST) == pytest.approx(2 * 100, rel=0.03)  # one reads half of it alone
    small = [
        mb_s(one, Workload.RANDOM_READ_4K_Q32, LOST) / mb_s(one, Workload.RANDOM_READ_4K_Q32) for one in (plan, pairs)
    ]
    assert small[0] > small[1]


FAST = replace(MEASURED, kind="nvme", random_read_4k_q32_iops=8200, link="pcie0")


@pytest.mark.parametrize(("level", "reads", "writes"), [(Level.RAID0, 1, 1), (Level.RAID5, 1, 4), (Level.RAID10, 1, 2)])
def test_no_array_asks_more_of_the_computer_than_it_got_through_of_the_disks_at_once(
    level: Level, reads: int, writes: int
) -> None:
    """A request to the array needs that many of its members."""
    free, held = of(level, 5, each=FAST), of(level, 5, each=replace(FAST, computer_read_4k_iops=10_000))
    for workload, asked in ((Workload.RANDOM_READ_4K_Q32, reads), (Workload.RANDOM_WRITE_4K_Q32, writes)):
        assert mb_s(held, workload) <= 10_000 / asked * 0.004096
        assert mb_s(held, workload) < mb_s(free, workload)
    assert mb_s(held, Workload.RANDOM_READ_4K) == mb_s(free, Workload.RANDOM_READ_4K)  # one at a time keeps nobody busy


@pytest.mark.parametrize(
    ("limit", "named"), [("link_read_mb_s", "pcie0"), ("computer_read_mb_s", "the computer's bus")]
)
def test_what_disks_got_through_at_once_is_a_ceiling_of_streams(limit: str, named: str) -> None:
    held = of(Level.RAID0, 4, each=replace(FAST, **{limit: 300.0}))  # type: ignore[arg-type]
    found = Predictor(held, HOST).predict(Workload.SEQUENTIAL_READ, HEALTHY)
    assert found is not None
    assert found.mb_s == pytest.approx(300.0, rel=0.01)
    assert named in found.limited_by
    rated = replace(held, links=(("pcie0", 200.0),))  # the plan's own link rate takes precedence
    assert mb_s(rated, Workload.SEQUENTIAL_READ) == pytest.approx(200.0, rel=0.01)
