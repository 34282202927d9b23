"""Parser of mdadm's commands that don't create (assemble, grow, manage …): each word explained, with its devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError

from .create_command import Explained
from .mdadm_options import MANAGING, Given, mode_of, read_options
from .words import MODES, explained_in_mode


@dataclass(frozen=True, slots=True)
class ModeCommand:
    """``mode`` is a key of ``words.MODES``, ``given`` the options by full name.

    ``updates`` are --update's values, ``sizes`` those of --size and --array-size.
    """

    mode: str
    words: tuple[Explained, ...]
    given: frozenset[str]
    devices: tuple[str, ...]
    updates: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()


def read_mode_command(words: Sequence[str]) -> ModeCommand:
    """Parse the words of a command without ``mdadm`` itself; raises InputError for what mdadm would reject."""
    given = read_options(words)
    if not any(one.options for one in given):
        raise InputError(
            "“mdadm {words}” has no option, so it only asks what its devices are.",
            code="option-missing",
            words=" ".join(words)[:60],
        )
    names = {name for one in given for name, _ in one.options}
    mode = mode_of(given)
    if mode not in MODES:
        mode = "manage" if names & MANAGING else "misc"
    return ModeCommand(
        mode=mode,
        words=tuple(Explained(text, why) for text, why in explained_in_mode(given, mode)),
        given=frozenset(names),
        devices=tuple(one.text for one in given if not one.options),
        updates=_values(given, "update"),
        sizes=_values(given, "size", "array-size"),
    )


def _values(given: Sequence[Given], *options: str) -> tuple[str, ...]:
    return tuple(value or "" for one in given for name, value in one.options if name in options)
