"""The checks of ``test_at_spi.py`` on every place."""

from __future__ import annotations

from tests.pages.scenes import PAGES

from .test_at_spi import check_names_and_roles


def test_every_place() -> None:
    check_names_and_roles(name for name in PAGES if not name.endswith("_menu"))  # a menu is a window of its own
