"""Sizes as fio parses them. Source: fio(1), "Parameter types", integer; fio's ``parse.c``, ``__get_mult_bytes``."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(0x[0-9a-f]+|\d{1,18})(?:([kmgtp])(ib|b|i)?|b)?", re.IGNORECASE)
_POWERS = "kmgtp"
KB_BASES = ("1024", "1000")  # fio's default first


def size_bytes(text: str, kb_base: str = KB_BASES[0]) -> int | None:
    """Return the size that fio parses from ``text`` in bytes, or None if it isn't a size to fio.

    With ``kb_base`` 1024, fio's default, 4k is 4,096 and 4KiB is 4,000: the prefixes are the opposite of IEC's, "to
    provide compatibility with old scripts". With 1000 they are as IEC has them. Without the B, 4ki is 4k (fio 3.33).
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, prefix, unit = match.groups()
    base = 1000 if (kb_base == "1000") != ((unit or "").lower() == "ib") else 1024
    power = _POWERS.index(prefix.lower()) + 1 if prefix else 0
    scale: int = base**power
    return int(number, 16 if number.lower().startswith("0x") else 10) * scale
