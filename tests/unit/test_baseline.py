"""A disk's baseline: the place of each measurement, the plan's use of the figures, and outliers."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.odd_disks import MeasuredDisk, odd_ones
from raidwright.analysis.performance.typical import drive_of
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.model.plan import DISK_KINDS, SPEEDS, Baseline, Member
from raidwright.core.model.plan_json import dump_member, read_member
from raidwright.core.protocol.measured import Figures
from raidwright.core.system.baseline import (
    KEPT_BYTES,
    MAX_SECONDS,
    MIN_BYTES,
    Measurement,
    baseline_argv,
    baseline_of,
    checked_seconds,
    figures_of,
    measurements,
    region_of,
)

from tests.kit import sample

_MIB = 2**20
_SIZES = st.integers(MIN_BYTES, 40 * 10**12)
_RATES = st.floats(0.001, 1e11)
_FIGURES = st.builds(Figures, _RATES, _RATES, _RATES, _RATES)
_TAKEN = st.dictionaries(st.sampled_from(list(Measurement)), _FIGURES)
_KNOWN = st.builds(
    Baseline,
    kind=st.sampled_from((None, *DISK_KINDS)),
    rpm=st.none() | st.integers(1000, 20_000),
    link=st.none() | st.sampled_from(("ata3", "usb1-1-4")),
)


def _iops(**rates: float) -> dict[str, Figures]:
    return {Measurement[name]: Figures(rate * 0.004096, rate, 1000 / rate, 1000 / rate) for name, rate in rates.items()}


@given(st.sampled_from(list(Measurement)), _SIZES)
def test_each_measurement_lies_on_the_disk_and_writing_clear_of_its_ends(measurement: Measurement, size: int) -> None:
    region = region_of(measurement, size)
    kept = KEPT_BYTES if measurement.probe.pattern.writes else 0
    assert (region.offset_bytes % _MIB, region.size_bytes % _MIB) == (0, 0)
    assert region.size_bytes >= measurement.probe.pattern.block_bytes
    assert kept <= region.offset_bytes < region.offset_bytes + region.size_bytes <= size - kept


@given(_SIZES)
def test_outside_middle_and_inside_are_apart_and_spans_nested(size: int) -> None:
    outside, middle, inside = (
        region_of(one, size) for one in (Measurement.READ_OUTSIDE, Measurement.READ_MIDDLE, Measurement.READ_INSIDE)
    )
    assert outside.offset_bytes == 0
    assert outside.size_bytes <= middle.offset_bytes
    assert middle.offset_bytes + middle.size_bytes <= inside.offset_bytes + _MIB
    assert size - inside.offset_bytes - inside.size_bytes < 2 * _MIB
    spans = (Measurement.READ_4K, Measurement.READ_4K_TENTH, Measurement.READ_4K_HUNDREDTH)
    sizes = [region_of(one, size).size_bytes for one in spans]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1]


@given(st.sampled_from(list(Measurement)), st.integers(1, MAX_SECONDS), _SIZES)
def test_the_command_is_a_closed_form(measurement: Measurement, seconds: int, size: int) -> None:
    argv = baseline_argv(measurement, "/dev/sda", seconds=seconds, size_bytes=size)
    writes = measurement in set(measurements(write=True)) - set(measurements(write=False))
    assert argv[0] == "/usr/bin/fio"
    assert argv.count("--filename=/dev/sda") == 1
    assert {f"--runtime={seconds}", "--direct=1", "--time_based"} <= set(argv)
    assert ("--readonly" in argv) is not writes
    assert (f"--ramp_time={seconds}" in argv) is writes
    assert ("--fsync=1" in argv) is (measurement is Measurement.WRITE_4K_FLUSHED)
    assert not any(word.startswith("--status-interval") for word in argv)  # of all of them only the last would count


def test_reading_comes_first() -> None:
    writing = [one.probe.pattern.writes for one in measurements(write=True)]
    assert writing == sorted(writing)
    assert len(writing) == len(Measurement) == 14
    assert len(measurements(write=False)) == 9


@pytest.mark.parametrize("seconds", [0, -1, 11, 2**70])
def test_seconds_have_their_limits(seconds: int) -> None:
    with pytest.raises(InputError, match="1 to 10 seconds"):
        checked_seconds(seconds)
    assert checked_seconds(10) == 10


def test_the_last_of_what_fio_prints_counts() -> None:
    def printed(requests: int) -> str:
        told = {"io_bytes": requests * 4096, "total_ios": requests, "runtime": 1000}
        read = told | {"clat_ns": {"mean": 2e6, "N": requests, "percentile": {"99.000000": 9e6}}}
        write = {"io_bytes": 0, "total_ios": 0, "runtime": 0, "clat_ns": {"mean": 0.0, "N": 0}}
        return json.dumps({"jobs": [{"error": 0, "read": read, "write": write}]}, indent=2)

    found = figures_of(Measurement.READ_4K, "fio", f"a warning\n{printed(1)}\n{printed(500)}\n")
    assert found == Figures(500 * 4096 / 1e6, 500.0, 2.0, 9.0)
    with pytest.raises(JobFailed, match="before it had measured"):
        figures_of(Measurement.READ_4K, "fio", "a warning\n")


@given(_KNOWN, _TAKEN)
def test_a_plan_takes_whatever_was_measured(known: Baseline, figures: dict[str, Figures]) -> None:
    found = baseline_of(known, figures)
    assert (found.kind, found.rpm, found.link) == (known.kind, known.rpm, known.link)
    member = Member("wwn-0x1", 10**12, baseline=found)
    assert read_member(dump_member(member)) == member
    drive = drive_of(member).drive
    assert drive.read_b_s > 0
    assert drive.read_access_s > 0
    assert drive.flush_s >= 0


@given(_KNOWN, st.fixed_dictionaries(dict.fromkeys(Measurement, _FIGURES)))
def test_each_figure_is_its_measurements(known: Baseline, figures: dict[str, Figures]) -> None:
    found = baseline_of(known, figures)
    told = {
        "sequential_read_mb_s": figures[Measurement.READ_OUTSIDE].mb_s,
        "sequential_write_mb_s": figures[Measurement.WRITE_OUTSIDE].mb_s,
        "random_read_4k_iops": figures[Measurement.READ_4K].iops,
        "random_write_4k_iops": figures[Measurement.WRITE_4K].iops,
        "random_read_4k_q32_iops": figures[Measurement.READ_4K_DEEP].iops,
        "random_write_4k_q32_iops": figures[Measurement.WRITE_4K_DEEP].iops,
        "random_read_64k_iops": figures[Measurement.READ_64K].iops,
        "random_read_1m_iops": figures[Measurement.READ_1M].iops,
        "random_write_1m_iops": figures[Measurement.WRITE_1M].iops,
    }
    for name, rate in told.items():
        limits = SPEEDS["mb_s" if name.endswith("mb_s") else "iops"]
        assert getattr(found, name) == (rate if limits.least <= rate <= limits.most else None), name


def test_a_flush_is_what_makes_a_write_longer() -> None:
    spinning = _iops(READ_4K=80, WRITE_4K=200, WRITE_4K_FLUSHED=50)
    assert baseline_of(Baseline(kind="hdd"), spinning).flush_ms == pytest.approx(20 - 5)
    flash = _iops(READ_4K=10_000, WRITE_4K=20_000, WRITE_4K_FLUSHED=500)
    assert baseline_of(Baseline(kind="ssd"), flash).flush_ms == pytest.approx(2 - 0.05)
    free = _iops(READ_4K=80, WRITE_4K=200, WRITE_4K_FLUSHED=250)
    assert baseline_of(Baseline(kind="hdd"), free).flush_ms == 0.0
    assert baseline_of(Baseline(kind="hdd"), _iops(READ_4K=80)).flush_ms is None


def test_facts_alone_say_no_figure() -> None:
    for known in (Baseline(), Baseline(kind="nvme", link="nvme0")):
        assert baseline_of(known, {}) == known


def _seen(*rates: float, size_bytes: int = 8 * 10**12, rpm: int = 7200) -> list[MeasuredDisk]:
    known = Baseline(kind="hdd", rpm=rpm)
    return [MeasuredDisk(f"disk {place}", size_bytes, known, _iops(READ_4K=rate)) for place, rate in enumerate(rates)]


def test_the_odd_one_out_is_named_by_the_figure() -> None:
    [odd] = odd_ones(_seen(80, 81, 60, 79))
    assert (odd.name, odd.measurement) == ("disk 2", Measurement.READ_4K)
    assert odd.share == pytest.approx(60 / 79.5)
    assert odd_ones(_seen(80, 90, 75, 85)) == ()
    [quick] = odd_ones(_seen(80, 120, 79))
    assert quick.share == pytest.approx(1.5)


def test_only_like_is_compared_with_like_and_two_are_too_few() -> None:
    assert odd_ones(_seen(80, 40)) == ()
    others = _seen(150, 40, size_bytes=10**12)
    assert odd_ones([*_seen(80, 81, 82), *others]) == ()
    slower = [replace(one, name=f"slow {one.name}") for one in _seen(60, 61, rpm=5400)]
    assert odd_ones([*_seen(80, 81, 82), *slower]) == ()


@given(st.lists(st.floats(10, 1e6), min_size=3, max_size=9))
def test_whoever_is_odd_lies_far_from_the_median(rates: list[float]) -> None:
    shares = {one.name: one.share for one in odd_ones(_seen(*rates))}
    for place, rate in enumerate(rates):
        far = abs(rate / median(rates) - 1)
        assert (f"disk {place}" in shares) is (far > 0.15) or far == pytest.approx(0.15)


def test_what_was_measured_comes_before_what_is_typical() -> None:
    disk = sample.disk(0)
    assert disk.as_member().baseline == Baseline(kind="hdd", rpm=7200)
    known = Baseline(kind="hdd", rpm=7200, sequential_read_mb_s=210.0)
    assert replace(disk, baseline=known).as_member().baseline == known
