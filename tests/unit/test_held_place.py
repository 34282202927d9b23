"""Places at which an unfinished reshape of stripes can be held, so that all of the array can be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.md.reshape.held_place import HeldPlace

_DATA = st.integers(1, 12)
_CHUNK = st.sampled_from([8, 128, 1024, 2048])


def test_a_place_within_an_old_stripe_is_left_for_the_next_end_of_both() -> None:
    place = HeldPlace(64512, old_data=2, new_data=3, old_chunk=1024, new_chunk=1024)  # as tried: 31.5 MiB
    assert not place.is_readable
    assert place.next_readable * 3 == 67584


def test_a_place_at_an_old_stripes_end_is_kept() -> None:
    assert HeldPlace(67584, 2, 3, 1024, 1024).is_readable


@given(_DATA, _DATA, _CHUNK, _CHUNK, st.integers(0, 10_000))
def test_md_can_be_held_there_and_is_soon(old: int, new: int, old_chunk: int, new_chunk: int, steps: int) -> None:
    place = HeldPlace(steps * new * 8, old, new, old_chunk, new_chunk)
    end = place.next_readable
    assert end % max(old_chunk, new_chunk) == 0  # md takes whole chunks (md.c, max_sync_store)
    assert 0 <= end * new - place.position < old * new * old_chunk * new_chunk
    assert HeldPlace(end * new, old, new, old_chunk, new_chunk).is_readable
