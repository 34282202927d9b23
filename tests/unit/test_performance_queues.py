"""Requests spread over flash disks, compared with raid0 of emulated ones on Linux 6.1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.bounds import spread_rate
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.prediction import predict
from raidwright.core.model.plan import Baseline
from raidwright.core.system.workload import Pattern

from .test_performance import array

_ALONE_S, _SERVED_S = 421e-6, 1 / 25_580


@pytest.mark.parametrize(
    ("disks", "depth", "measured"),
    [
        (1, 8, 18_982), (1, 16, 25_557), (1, 32, 25_546), (2, 8, 18_744), (2, 32, 49_191), (2, 64, 50_617),
        (3, 8, 18_857), (3, 32, 65_584), (3, 64, 74_545), (5, 8, 18_869), (5, 32, 72_913), (5, 64, 114_508),
    ],
)  # fmt: skip
def test_reads_a_second_as_measured(disks: int, depth: int, measured: float) -> None:
    assert spread_rate(depth, disks, _ALONE_S, _SERVED_S) == pytest.approx(measured, rel=0.03)


@given(st.floats(1, 1000), st.floats(1, 64), st.floats(1e-5, 1), st.floats(0.01, 1))
def test_more_waiting_or_more_servers_never_slow_it_down_and_no_bound_is_passed(
    waiting: float, servers: float, alone_s: float, share: float
) -> None:
    rate = spread_rate(waiting, servers, alone_s, alone_s * share)
    assert 0 < rate <= min(waiting / alone_s, servers / (alone_s * share)) * (1 + 1e-9)
    assert spread_rate(waiting + 1, servers, alone_s, alone_s * share) >= rate * (1 - 1e-9)
    if servers > 1:
        assert spread_rate(waiting, servers + 1, alone_s, alone_s * share) >= rate * (1 - 1e-9)


@pytest.mark.parametrize(
    ("level", "before", "since"), [("raid10", (6, 1), (6, 2)), ("raid6", (5, 13), (5, 14)), ("raid1", (6, 4), (6, 5))]
)
def test_many_jobs_meet_mds_locks_which_later_kernels_relieve(
    level: str, before: tuple[int, ...], since: tuple[int, ...]
) -> None:
    plan = array(level, 16, Baseline(kind="nvme"))
    many = Pattern("randread", 4, 64, jobs=32)
    old, new = (predict(plan, many, host=HostModel(kernel=kernel)) for kernel in (before, since))
    assert old is not None
    assert new is not None
    assert old.limited_by == "md's locks"
    assert new.iops > 1.5 * old.iops
