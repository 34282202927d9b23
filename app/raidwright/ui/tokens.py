"""Spacing, corners and type of the window; its colours are in ``colours``."""

from __future__ import annotations

SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL = 4, 8, 12, 16, 24
CORNER, CORNER_PANEL = 6, 10

# Sizes in pixels at 100 %.
TYPE_TINY, TYPE_SMALL, TYPE_BODY, TYPE_TITLE = 11.0, 12.5, 13.0, 15.0
TYPE_QUESTION, TYPE_TILE, TYPE_FIGURE = 20.0, 22.0, 28.0

FONT_FAMILY = "Inter"
