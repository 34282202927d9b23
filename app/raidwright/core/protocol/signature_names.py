"""Names by which the user confirms the loss of a disk's contents, one word each.

``ext4`` is a signature known to libblkid, ``1:ext4`` one in the first partition, ``unknown`` unrecognised bytes, and
``array:tank`` the stopped array that loses the disk: to confirm it the user has typed the array's name.
"""

from __future__ import annotations

import re

ARRAY = "array:"
_ARRAY_NAME = r"[^,=/\x00-\x1f\x7f]{1,64}"
_NAME = re.compile(rf"(?:([0-9]{{1,3}}):)?(?:{ARRAY}({_ARRAY_NAME})|[A-Za-z0-9][A-Za-z0-9_+.-]{{0,63}})")
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
    _, kind = split_name(name)
    return kind.removeprefix(ARRAY) if kind.startswith(ARRAY) else ""


def for_prompt(name: str) -> str:
    """Return ``name`` for a prompt: the caller chose it, so only letters, digits and a few signs are shown."""
    return name if _PLAIN.fullmatch(name) else f"{ARRAY}?"
