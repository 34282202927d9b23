"""Three cells of the fault matrix, so that every test run kills builds; ``make faults`` covers all."""

from __future__ import annotations

import pytest

from ..faults.__main__ import tried
from ..faults.cells import Cell
from ..faults.steps import Step
from ..faults.strikes import Strike

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
CELLS = (
    Cell("raid0", Step.WIPE, Strike.GONE),
    Cell("raid6", Step.SETTLE, Strike.HELPER),
    Cell("joined", Step.VOLUME, Strike.ERRORS),
)


def test_a_build_that_is_struck_is_named_and_taken_back() -> None:
    for cell, outcome in tried(CELLS, seed=1, name="faults-sample"):
        assert not outcome.faults, (cell, outcome)
