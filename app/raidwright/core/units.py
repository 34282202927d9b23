"""Size parsing, and the sectors of a disk sold with a nominal size.

Disks are sold in powers of 1000 (TB), mdadm counts in powers of 1024 (KiB); a figure on the
screen always has one of the two as its unit.
"""

from __future__ import annotations

import re

from .errors import InputError

SECTOR_BYTES = 512
_DECIMAL = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
_BINARY = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "PIB": 2**50}
_DECIMAL_SIGN = re.compile(r"(\d+)(?:\.|,(?!\d{3}$))(\d+)")  # “1,000” is a thousand to some, and one to others
_SIZE = re.compile(r"([\d.,]+)\s*([A-Za-z]+)")
_ALIGN_2_MIB_SECTORS = 2**21
_LARGEST_UNIT = (("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6))


def parse_size(text: str) -> int:
    """Return the bytes of ``8TB``, ``500 GB``, ``1,5TB``, ``64MiB``; raises InputError for anything else."""
    match = _SIZE.fullmatch(text.strip())
    scale = match and (_DECIMAL | _BINARY).get(match[2].upper())
    figure = decimal_text(match[1]) if match else None
    if figure is None or not scale:
        raise InputError("“{text}” is not a size; write it like 8TB, 500GB or 64MiB.", code="size", text=text)
    whole, _, fraction = figure.partition(".")
    size_bytes: int = int(whole + fraction) * scale // 10 ** len(fraction)
    if not 0 < size_bytes < 2**63:
        raise InputError("“{text}” is not a possible size for a disk.", code="size", text=text)
    return size_bytes


def decimal_text(text: str) -> str | None:
    """Return a number's text with a point as its decimal sign, where a comma does as well.

    None if it isn't a number, or its comma could be either sign (“1,000”).
    """
    if text.isascii() and text.isdigit():
        return text
    match = _DECIMAL_SIGN.fullmatch(text) if text.isascii() else None
    return f"{match[1]}.{match[2]}" if match else None


def parse_decimal(text: str) -> float:
    """Return ``2.5`` or ``2,5`` as 2.5; raises ValueError for anything else, and where a comma could be either sign."""
    return float(decimal_text(text.strip()) or text.replace(",", " "))


def marketing_bytes(size_bytes: int) -> int:
    """Return the actual bytes of a disk sold as ``size_bytes`` (a whole number of GB).

    Up to 8 TB by IDEMA LBA1-03; above by the rule that 10 to 24 TB drives follow (SFF-8447).
    Sizes below 50 GB aren't sold as disks and are only rounded down to a MiB, below one to a sector, but never to 0.
    """
    gigabytes = size_bytes // 10**9
    if gigabytes < 50 or size_bytes % 10**9:
        whole = 2**20 if size_bytes >= 2**20 else SECTOR_BYTES
        return max(SECTOR_BYTES, size_bytes - size_bytes % whole)
    if gigabytes <= 8000:
        return (97696368 + 1953504 * (gigabytes - 50)) * SECTOR_BYTES
    sectors = -(-size_bytes // SECTOR_BYTES)
    return -(-sectors // _ALIGN_2_MIB_SECTORS) * _ALIGN_2_MIB_SECTORS * SECTOR_BYTES


def size_text(size_bytes: int) -> str:
    """Return the label (``8TB``) of which ``marketing_bytes`` makes ``size_bytes``; a size that no label has in bytes.

    The latter is rounded down to a MiB when it is parsed again.
    """
    by_idema = 50 + max(0, size_bytes // SECTOR_BYTES - 97696368) // 1953504
    for gigabytes in (by_idema, size_bytes // 10**9):
        label_bytes = gigabytes * 10**9
        if label_bytes and marketing_bytes(label_bytes) == size_bytes:
            unit, scale = next((unit, scale) for unit, scale in _LARGEST_UNIT if label_bytes % scale == 0)
            return f"{label_bytes // scale}{unit}"
    return f"{size_bytes}B"
