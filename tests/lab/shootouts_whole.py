"""Shoot-outs that end in every way but a good one leave nothing; minutes, so under `make shootout-check`."""

from __future__ import annotations

import signal

import pytest

from tests.kit.shootout_bench import Bench

from .shootouts import DEGRADED, bench

__all__ = ["bench"]
pytestmark = pytest.mark.lab
# Replaces mdadm: once it has made an array it reports that, and ends a little later.
_SLOW = """#!/bin/sh
$0.real "$@"; code=$?
case "$*" in --create*) touch /run/made; sleep 5 ;; esac
exit $code
"""


_PUT = """cd /usr/sbin; cp -p mdadm mdadm.real; cat > mdadm.slow
chmod 755 mdadm.slow; mv mdadm.slow mdadm"""


def test_a_shoot_out_that_is_stopped_has_taken_everything_away_when_it_ends(bench: Bench) -> None:
    with bench.shootout(*DEGRADED) as running:
        running.wait_for("with a disk lost")
        running.process.send_signal(signal.SIGINT)
        assert running.ended(240) == 130
    assert bench.left() == []


def test_a_program_that_is_killed_leaves_nothing(bench: Bench) -> None:
    with bench.shootout(*DEGRADED) as running:
        running.wait_for("with a disk lost")
        running.process.kill()
        running.ended(60)
    assert bench.wait_until_nothing_is_left() == []


def test_a_helper_that_is_killed_with_the_array_just_made_leaves_nothing(bench: Bench) -> None:
    """The array was recorded before."""
    bench.lab.exec(["sh", "-ec", _PUT], _SLOW.encode())
    try:
        with bench.shootout(*DEGRADED) as running:
            bench.lab.exec(["sh", "-c", "until [ -e /run/made ]; do sleep 0.05; done"], timeout_seconds=240)
            bench.kill_helper()
            running.process.kill()
            running.ended(60)
    finally:
        bench.shell("mv /usr/sbin/mdadm.real /usr/sbin/mdadm; rm /run/made")
    assert bench.left() != []
    with bench.shootout("--clean") as running:
        assert running.ended(240) == 0, running.said
        assert "1 scratch array was taken away" in running.told
    assert bench.left() == []


def test_after_a_power_cut_the_next_start_takes_away_what_is_left(bench: Bench) -> None:
    with bench.shootout(*DEGRADED) as running:
        running.wait_for("with a disk lost")
        bench.cut_power()
    assert bench.left() != []
    with bench.shootout("--clean") as running:
        assert running.ended(240) == 0, running.said
        assert "1 scratch array was taken away" in running.told
    assert bench.left() == []
