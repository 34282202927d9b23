"""The names by which a person lets go of what a disk carries, one word each.

``ext4`` is a signature of libblkid's, ``1:ext4`` one in the first partition, ``unknown`` bytes that nothing recognises,
and ``array:tank`` the stopped array that loses the disk: whoever confirms that has typed the array's name.
"""

from __future__ import annotations

import re

ARRAY = "array:"
_ARRAY_NAME = r"[^,=/\x00-\x1f\x7f]{1,64}"
_NAME = re.compile(rf"(?:([0-9]{{1,3}}):)?(?:{ARRAY}({_ARRAY_NAME})|[A-Za-z0-9][A-Za-z0-9_+.-]{{0,63}})")
_PLAIN = re.compile(rf"([0-9]{{1,3}}:)?({ARRAY})?[A-Za-z0-9][A-Za-z0-9_+.:-]{{0,63}}")


def is_signature_name(text: str) -> bool:
    """Whether ``text`` can be such a name."""
    return text.isprintable() and _NAME.fullmatch(text) is not None


def split_name(name: str) -> tuple[int, str]:
    """The partition, 0 for the whole disk, and the rest: ``1:ext4`` is 1 and ``ext4``."""
    number, colon, kind = name.partition(":")
    return (int(number), kind) if colon and number.isdecimal() else (0, name)


def array_word(name: str, uuid: str) -> str:
    """The word that lets an array go: ``array:`` and its name, or its UUID where no such word can have that name."""
    word = ARRAY + name
    return word if is_signature_name(word) else ARRAY + uuid


def array_of(name: str) -> str:
    """What has to be typed to confirm ``name``: the array's name, "" where it is none of an array."""
    _, kind = split_name(name)
    return kind.removeprefix(ARRAY) if kind.startswith(ARRAY) else ""


def for_prompt(name: str) -> str:
    """``name`` as a prompt shows it: a caller chose it, so letters, digits and few signs alone are let through."""
    return name if _PLAIN.fullmatch(name) else f"{ARRAY}?"
