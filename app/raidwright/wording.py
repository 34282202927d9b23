"""Sentences that both the window and the command line say."""

from __future__ import annotations

from .core.survival import Survival


def survival_sentence(survival: Survival) -> str:
    """“Any one disk may fail; of the 6 ways in which two can fail, 4 lose nothing.”"""
    raise NotImplementedError
