"""An array's UUID: one spelling here, whatever its source."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.model.names import array_uuid


@given(st.uuids())
def test_a_uuid_has_one_spelling(uuid: UUID) -> None:
    ours = array_uuid(str(uuid))
    assert [len(part) for part in ours.split(":")] == [8] * 4
    assert UUID(ours.replace(":", "")) == uuid
    for other in (ours, ours.replace(":", "-"), ours.replace(":", ""), str(uuid).upper()):
        assert array_uuid(other) == ours


@pytest.mark.parametrize("text", ["", "tank", "0a1b2c3d", "/dev/md127", "g" * 32, "md:" + "0" * 32])
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert array_uuid(text) == text
