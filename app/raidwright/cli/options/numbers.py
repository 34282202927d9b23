"""Comma-separated whole numbers, as arguments."""

from __future__ import annotations

import argparse

from raidwright.core.errors import InputError
from raidwright.core.units import parse_decimal
from raidwright.text.catalogue import tr


def counts(text: str) -> tuple[int, ...]:
    """Parse positive numbers for argparse, without duplicates."""
    try:
        return whole_numbers(text)
    except InputError:
        raise argparse.ArgumentTypeError(tr("must be whole numbers above 0 with commas between")) from None


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the positive whole numbers in ``text``, without duplicates; raises InputError."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and int(word) for word in words):
        raise InputError("“{text}” are no whole numbers above 0 with commas between.", code="usage", text=text)
    return tuple(dict.fromkeys(map(int, words)))


def decimal(text: str) -> float:
    """Parse a number for argparse, with a point or a comma."""
    try:
        return parse_decimal(text)
    except ValueError:
        raise argparse.ArgumentTypeError(tr("“{text}” must be a number", text=text)) from None


def positive(text: str) -> int:
    """Parse one positive number for argparse."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(tr("must be a whole number above 0"))
    return int(text)
