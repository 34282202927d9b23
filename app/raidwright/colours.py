"""Colours, light and dark, of the window and of pictures that are drawn without one.

Text colours have a contrast of 4.5:1 on each of their backgrounds (WCAG 2.2, 1.4.3); edges needed to find a field or a
scroll bar, lines of plots and signs have 3:1 (1.4.11); a test computes it. ``line`` only separates.
The stripes are the palette of Okabe and Ito, which colour-blind people can distinguish.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

STRIPES = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442")
COPY_SHARE, PARITY_SHARE = 0.55, 0.4  # of the stripe's colour in the cells of copies and of parity


class Tokens(NamedTuple):
    """A scheme's colours, as ``#RRGGBB``.

    ``*_soft`` are the backgrounds of badges; green, amber and red have a meaning and never appear without a word or
    a sign; purple is used for the practice machine only.
    """

    is_dark: bool
    ground: str
    rail: str
    panel: str
    sunken: str
    line: str
    edge: str
    text: str
    dim: str
    accent: str
    accent_soft: str
    accent_hover: str
    on_accent: str
    green: str
    green_soft: str
    amber: str
    amber_soft: str
    red: str
    red_soft: str
    purple: str
    purple_soft: str


LIGHT = Tokens(
    is_dark=False,
    ground="#F6F7F9",
    rail="#EDF0F3",
    panel="#FFFFFF",
    sunken="#F0F3F6",
    line="#E1E5EA",
    edge="#7C8795",
    text="#1B2430",
    dim="#5D6B7C",
    accent="#0B6E99",
    accent_soft="#E2EFF6",
    accent_hover="#095E83",
    on_accent="#FFFFFF",
    green="#14713F",
    green_soft="#E1F3E8",
    amber="#8A5300",
    amber_soft="#FDF0D5",
    red="#B3261E",
    red_soft="#FBE6E4",
    purple="#6B3FBF",
    purple_soft="#F0E8FB",
)

DARK = Tokens(
    is_dark=True,
    ground="#12171D",
    rail="#151B22",
    panel="#1A2129",
    sunken="#12171D",
    line="#2B3540",
    edge="#707C89",
    text="#E7EDF3",
    dim="#A3B1BF",
    accent="#5BB8E0",
    accent_soft="#16323F",
    accent_hover="#7CC9EA",
    on_accent="#0C1A22",
    green="#63C896",
    green_soft="#15332A",
    amber="#F0B45A",
    amber_soft="#3A2A12",
    red="#F59A92",
    red_soft="#431F1F",
    purple="#C3A1FF",
    purple_soft="#2D2144",
)


_INKS = ("#0B0F14", "#FFFFFF")  # one of the two has 4.5:1 on any colour


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#RRGGBB``, 0 … 1 (WCAG 2.2, relative luminance)."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 … 21 (WCAG 2.2, contrast ratio)."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@functools.cache  # the stage asks for each look of its cells, at each frame
def mix(one: str, other: str, share: float) -> str:
    """Return ``share`` (0 … 1) of ``one`` blended over ``other``."""
    pairs = ((int(one[start : start + 2], 16), int(other[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02X}" for a, b in pairs)


@functools.cache
def ink_on(ground: str) -> str:
    """Return the text colour, dark or light, with the higher contrast on ``ground``."""
    return max(_INKS, key=lambda ink: contrast(ink, ground))
