"""Names by which the user confirms the loss of a disk's contents, one word each.

``ext4`` is a signature known to libblkid, ``1:ext4`` one in the first partition, ``unknown`` unrecognised bytes, and
``array:tank`` the stopped array that loses the disk: to confirm it the user has typed the array's name. What a former
member of the running array tank holds that the array lacks, since each was written to without the other, is
``half:tank@2026-11-28T02:12``, by the array's name and the time until which it was written to.
"""

from __future__ import annotations

import re
from datetime import datetime

ARRAY = "array:"
_ARRAY_NAME = r"[^,=/\x00-\x1f\x7f]{1,64}"
HALF = "half:"
_TIME = "%Y-%m-%dT%H:%M"
_NAME = re.compile(
    rf"(?:([0-9]{{1,3}}):)?(?:{ARRAY}({_ARRAY_NAME})|{HALF}({_ARRAY_NAME})@[0-9T:-]{{16}}|[A-Za-z0-9][A-Za-z0-9_+.-]{{0,63}})"
)
_PLAIN = re.compile(rf"([0-9]{{1,3}}:)?({ARRAY})?[A-Za-z0-9][A-Za-z0-9_+.:-]{{0,63}}")


def is_signature_name(text: str) -> bool:
    """True if ``text`` can be such a name."""
    return text.isprintable() and _NAME.fullmatch(text) is not None


def split_name(name: str) -> tuple[int, str]:
    """Split ``1:ext4`` into its partition, 1 (0 for the whole disk), and ``ext4``."""
    number, colon, kind = name.partition(":")
    return (int(number), kind) if colon and number.isdecimal() else (0, name)


def array_word(name: str, uuid: str) -> str:
    """Return the word that releases an array: ``array:`` and its name, or its UUID if the name can't be in a word."""
    word = ARRAY + name
    return word if is_signature_name(word) else ARRAY + uuid


def array_of(name: str) -> str:
    """Return the text to type to confirm ``name``: the array's name, "" if it isn't an array's word."""
    if half := half_of(name):
        return half[0]
    _, kind = split_name(name)
    return kind.removeprefix(ARRAY) if kind.startswith(ARRAY) else ""


def half_word(name: str, uuid: str, written_s: int) -> str:
    """Return the word that releases a half of an array, written to until ``written_s`` (Unix time)."""
    when = datetime.fromtimestamp(written_s).astimezone().strftime(_TIME)
    word = f"{HALF}{name}@{when}"
    return word if is_signature_name(word) else f"{HALF}{uuid}@{when}"


def half_of(name: str) -> tuple[str, str] | None:
    """Return the array's name and the time until which its half was written to, for people; None for another word."""
    _, kind = split_name(name)
    if not kind.startswith(HALF):
        return None
    array, _, when = kind.removeprefix(HALF).rpartition("@")
    return array, when.replace("T", " ")


def for_prompt(name: str) -> str:
    """Return ``name`` for a prompt: the caller chose it, so only letters, digits and a few signs are shown."""
    if half := half_of(name):
        array = half[0] if _PLAIN.fullmatch(half[0]) else "?"
        return f"the half of {array} that was written to on its own until {half[1]}"
    return name if _PLAIN.fullmatch(name) else f"{ARRAY}?"
