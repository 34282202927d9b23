"""A seeded sample of ``make predict-check``: one array of drawn disks, predicted from its disks alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..predict_check.__main__ import Draw, measured
from ..published_check.rate import quantiles

pytestmark = pytest.mark.lab
SEED = 9


def test_what_is_predicted_of_drawn_disks_is_what_fio_finds(tmp_path: Path) -> None:
    """Apart from the overhead of a busy computer; the bounds themselves are for an idle one."""
    rows = list(measured(Draw(SEED, 1, ["hdd10000"]), tmp_path, hasten=2))
    assert len(rows) >= 4
    median, ninety = quantiles([row.error for row in rows])
    assert median < 0.35
    assert ninety < quantiles([row.naive_error for row in rows])[1]
