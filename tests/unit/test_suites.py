"""Suites: their workloads, and the order of these."""

from __future__ import annotations

import pytest
from raidwright.core.errors import InputError
from raidwright.core.system.workload import Workload
from raidwright.suites import Suite, read_suite, warm_up_seconds


def test_the_classic_eight_are_those_of_the_published_tables() -> None:
    assert {str(one) for one in Suite.CLASSIC.workloads} == {
        *("sequential_read", "sequential_write", "random_read_512k", "random_write_512k"),
        *("random_read_4k", "random_write_4k", "random_read_4k_q32", "random_write_4k_q32"),
    }


@pytest.mark.parametrize("suite", Suite)
def test_what_is_read_has_been_written_before(suite: Suite) -> None:
    """And every suite has a workload that decides a winner."""
    order = [str(one) for one in suite.workloads]
    for name in order:
        if "_read" in name:
            assert order.index(name.replace("_read", "_write")) < order.index(name)
    assert suite.decisive
    assert set(suite.decisive) <= set(suite.workloads)
    assert len(order) == len(set(order))


def test_the_page_cache_is_measured_from_the_first_byte() -> None:
    assert {one for one in Workload if not warm_up_seconds(one)} == set(Suite.BUFFERED.workloads)


def test_another_name_is_no_suite() -> None:
    assert read_suite("quick") is Suite.QUICK
    with pytest.raises(InputError, match="“slow” is no suite; there are quick, classic"):
        read_suite("slow")
