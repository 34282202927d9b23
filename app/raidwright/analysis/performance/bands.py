"""Speed of a joined plan: the mean over its arrays by space, and where on its disk a slice lies.

The largest disk has a slice in every array, and does the work of all of them: the times that a byte takes in each array
add up, weighted by its space, whether one after the other or all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .array import ModelledArray
from .bounds import Bound
from .constants import MEAN_DISTANCE
from .drive import Drive


def of_bands(array: ModelledArray, span: float, rate: Callable[[ModelledArray, float], Bound]) -> Bound:
    """Return the mean of the arrays' ``rate`` (of an array, and a share of it) over the first ``span`` of the volume.

    The bottleneck is that of the array which takes the most time.
    """
    left = span * array.user_bytes
    parts: list[tuple[float, float, Bound]] = []  # bytes, seconds
    for band in array.bands:
        size = min(left, float(band.user_bytes))
        if size <= 0:
            break
        bound = rate(band, size / band.user_bytes)
        parts.append((size, size / bound.b_s, bound))
        left -= size
    whole, seconds = sum(size for size, _, _ in parts), sum(second for _, second, _ in parts)
    _, _, slowest = max(parts, key=lambda part: part[1])
    return replace(slowest, b_s=whole / seconds)


def slice_drive(drive: Drive, begin_bytes: int, disk_bytes: int) -> Drive:
    """Return ``drive`` of a slice from its disk's: streams at its place, seeks within it alone."""
    if not drive.spins:
        return drive
    first, end = begin_bytes / disk_bytes, min(1.0, (begin_bytes + drive.size_bytes) / disk_bytes)
    outer, inner = (drive.stream_b_s(write=False, place=place) for place in (first, end))
    mean_seek_s = drive.seek_s(MEAN_DISTANCE * (end - first))
    nearer_s = drive.mean_seek_s - mean_seek_s
    return replace(
        drive,
        read_b_s=outer,
        write_b_s=drive.stream_b_s(write=True, place=first),
        inner_share=inner / outer,
        mean_seek_s=mean_seek_s,
        read_access_s=drive.read_access_s - nearer_s,
        write_access_s=drive.write_access_s * (1 - nearer_s / drive.read_access_s),
    )
