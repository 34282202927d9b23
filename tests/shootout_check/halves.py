"""Power cut during a shoot-out of degraded cross-paired mirrors: a restart forgets the halves, the note doesn't."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.model.halves import begin_bytes, halves_of
from raidwright.core.model.plan import Member
from raidwright.lab.disks.store import first_tib
from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import CONFIRMED, Bench

_WORDS = ("all", "--cross-paired", "--suite", "buffered", "--states", "degraded", "--slice-gib", "0.5")
_SUPERBLOCK_AT, _MAGIC = 4096, 0xA92B4EFC.to_bytes(4, "little")  # metadata 1.2


def left_after_a_power_cut(store: Path) -> list[str]:
    """Return the arrays, notes, halves and superblocks left after the restart and the cleanup."""
    with Bench(store, disks_from_text("2x2GB", at_memory_speed=True), 512) as bench:
        with bench.shootout(*_WORDS, "--repeats", "1", "--minutes", "9", *CONFIRMED, "--json") as running:
            running.wait_for("with a disk lost")
            if not _superblocks(bench):
                return ["no superblock was ever there"]
            bench.cut_power()
            running.ended(120)
        with bench.shootout("--clean") as running:
            if running.ended(120):
                return [running.said]
        found = [line for line in bench.left() if not line.endswith("outside")]  # the inner halves lie there
        bench.lab.stop()
        return found + _superblocks(bench)


def _superblocks(bench: Bench) -> list[str]:
    found = []
    for disk in bench.disks:
        with first_tib(bench.store, disk).open("rb") as file:
            for half in halves_of(Member(disk.serial, disk.size_bytes)):
                file.seek(begin_bytes(half) + _SUPERBLOCK_AT)
                if file.read(4) == _MAGIC:
                    found.append(f"superblock on {half.id}")
    return found
