"""A drawn part of ``make attack-check``: two states, a few acts on each under looks, and all files read back."""

from __future__ import annotations

from random import Random

import pytest

from ..attack_check.__main__ import attacked
from ..attack_check.states import STATES

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
_STATES = 2
_ACTS = 4


def test_no_act_loses_what_nobody_gave_up(pytestconfig: pytest.Config) -> None:
    seed = int(pytestconfig.getoption("--sample") or 1)
    states = Random(seed).sample(STATES, _STATES)  # noqa: S311  (to be repeatable)
    done = list(attacked(states, seed, _ACTS))
    assert len(done) >= (_STATES - any(state.module for state in states)) * 3
    assert not [(state.name, each) for state, each in done if each.lost], f"SEED={seed}"
