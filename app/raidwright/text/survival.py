"""Sentences that both the window and the command line say."""

from __future__ import annotations

from raidwright.core.md.survival import Survival

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(number: int) -> str:
    """``two`` up to twelve, digits beyond."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def survival_sentence(survival: Survival) -> str:
    """“Any one disk may fail; of the 6 ways in which two can fail, 4 lose nothing.”"""
    most = survival.most()
    if most < 0:
        return "It can't start with these disks missing."
    survived, ways = survival.counts(most + 1)
    if most == 0:
        return f"Of the {ways} disks, {survived} may fail." if survived else "Any disk that fails takes data with it."
    disks = "one disk" if most == 1 else f"{in_words(most)} disks"
    return f"Any {disks} may fail; {_beyond(most + 1, survived, ways)}."


def _beyond(k: int, survived: int, ways: int) -> str:
    if ways == 1:
        return "both together lose everything" if k == 2 else f"all {in_words(k)} together lose everything"
    if survived == 0:
        return f"any {in_words(k)} at once lose data"
    verb = "loses" if survived == 1 else "lose"
    return f"of the {ways:,} ways in which {in_words(k)} can fail, {survived:,} {verb} nothing"
