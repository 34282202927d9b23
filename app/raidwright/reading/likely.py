"""Suggestions for mistyped words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MIN_LIKENESS = 0.7  # of difflib's ratio: two letters swapped in a word of five are 0.8


def likely_word(typed: str, known: Iterable[str]) -> str:
    """Return the one of ``known`` most similar to ``typed``; "" if none is similar enough."""
    return next(iter(get_close_matches(typed.lower(), list(known), n=1, cutoff=_MIN_LIKENESS)), "")
