"""A private bus for the whole test run, and the helper's house on it for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .helper_house import House
from .private_bus import PrivateBus, private_bus


@pytest.fixture(scope="session")
def shared_bus() -> Iterator[PrivateBus]:
    """Return the bus shared by every test that leaves nothing on it."""
    with private_bus() as bus:
        yield bus


@pytest.fixture
def house(shared_bus: PrivateBus, tmp_path: Path) -> House:
    """Return the helper, not yet started, with a host of its own."""
    return House(shared_bus, tmp_path)
