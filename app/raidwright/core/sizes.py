"""Sizes for people: disks in powers of 1000 (TB), mdadm's figures in powers of 1024 (KiB)."""

from __future__ import annotations

_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def decimal_size(size_bytes: int) -> str:
    """Format as ``8.00 TB``: three significant digits, powers of 1000."""
    return " ".join(decimal_parts(size_bytes))


def binary_size(size_bytes: int) -> str:
    """Format as ``7.28 TiB``: three significant digits, powers of 1024."""
    return " ".join(binary_parts(size_bytes))


def decimal_parts(size_bytes: int) -> tuple[str, str]:
    """Return the number and the unit of ``decimal_size``."""
    return _scaled(size_bytes, 1000, _DECIMAL)


def binary_parts(size_bytes: int) -> tuple[str, str]:
    """Return the number and the unit of ``binary_size``."""
    return _scaled(size_bytes, 1024, _BINARY)


def _scaled(size_bytes: int, step: int, names: tuple[str, ...]) -> tuple[str, str]:
    value, rank = float(size_bytes), 0
    while round(value) >= step and rank < len(names) - 1:
        value /= step
        rank += 1
    if rank == 0:
        return str(size_bytes), names[0]
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f}", names[rank]
