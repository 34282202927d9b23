"""Words on how md's work gives way to other work, by the machine's kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.text.pace import gives_way_words

from tests.kit import sample_arrays


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("6.1.0-28-amd64", "to sync_speed_min at the least"),
        ("6.12.113", "to sync_speed_min at the least"),
        ("6.16.3", "md/sync_io_depth, 32 unless set"),
        ("7.2.7", "md/sync_io_depth, 32 unless set"),
        ("?", None),
    ],
)
def test_it_is_told_of_the_kernel_at_hand(release: str, told: str | None) -> None:
    array = sample_arrays.every_state().arrays[0]
    said = gives_way_words(replace(array, host=replace(sample_arrays.HOST, kernel=release)))
    assert (told is None) is (said == "")
    assert told is None or (told in said and release in said)
    assert gives_way_words(replace(array, host=None)) == ""
