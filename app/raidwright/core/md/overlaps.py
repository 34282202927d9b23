"""Overlaps of data, superblock and bitmap, which the kernel refuses and mdadm doesn't check.

Sources: kernel ``md.c md_run`` (data overlaps metadata), ``md-bitmap.c write_sb_page`` (bitmap runs in to data).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raidwright.core.errors import PlanRefused
from raidwright.core.model.plan import Metadata

from .superblock import BAD_BLOCK_LOG_SECTORS, SUPERBLOCK_AT, superblock_at


@dataclass(frozen=True, slots=True)
class Data:
    """The data area on every device of an array: ``component_sectors`` from ``data_offset`` on."""

    metadata: Metadata
    data_offset: int
    component_sectors: int  # 0 if the superblock records none (raid0 and linear)

    @property
    def end(self) -> int:
        """One past the last sector of data."""
        return self.data_offset + self.component_sectors


def refuse_data_on_superblock(data: Data, devices: Iterable[tuple[str, int]]) -> None:
    """Raise PlanRefused if on one of ``devices`` (name, sectors) the data would reach a superblock at the end.

    The kernel checks a journal as well, which therefore may not be smaller than a member.
    """
    if data.metadata in SUPERBLOCK_AT or not data.component_sectors:
        return
    for name, sectors in devices:
        if data.end > superblock_at(data.metadata, sectors):
            raise PlanRefused(
                "With metadata {metadata} {disk} is too small: the data would run over md's superblock at its "
                "end. Take metadata 1.2, or leave the data offset out.",
                code="data-on-superblock",
                disk=name,
                metadata=data.metadata,
            )


def refuse_data_on_bitmap(data: Data, bitmap_bytes: int, devices: Iterable[tuple[str, int]]) -> None:
    """Raise PlanRefused if on one of ``devices`` (name, sectors) data and bitmap would overlap."""
    if not bitmap_bytes or data.metadata is Metadata.V0_90:
        return  # 0.90 has its bitmap within the last 64 KiB, after the superblock
    for name, sectors in devices:
        superblock = superblock_at(data.metadata, sectors)
        if data.metadata in SUPERBLOCK_AT:
            overlaps = superblock + 8 + -(-bitmap_bytes // 512) > data.data_offset
        else:
            overlaps = data.end > superblock - BAD_BLOCK_LOG_SECTORS - -(-bitmap_bytes // 4096) * 8
        if overlaps:
            raise PlanRefused(
                "With this data offset the data on {disk} would overlap the bitmap; leave the data offset out.",
                code="data-on-bitmap",
                disk=name,
            )
