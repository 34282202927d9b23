"""A study's machine: disks with partitions, arrays made of them, and dd, as the studies measured."""

from __future__ import annotations

import re

from raidwright.core.model.plan import Member

from ..kit.practice import Practice

_SAID = re.compile(r"(\d+) bytes.* copied, ([\d.e-]+) s")


class Bench(Practice):
    """A practice machine to measure in; a plan's members are named for their nodes."""

    __slots__ = ()

    def partition(self, device: str, *begins_and_sizes_mib: tuple[int, int]) -> list[str]:
        """Partitions of ``device``, each by its begin and size; their nodes."""
        table = "".join(f"{begin}MiB,{size}MiB\\n" for begin, size in begins_and_sizes_mib)
        self.shell(f"printf '{table}' | sfdisk -q --wipe never {device}; udevadm settle")
        return [f"{device}{number}" for number in range(1, len(begins_and_sizes_mib) + 1)]

    def read_mb_s(self, node: str, size_mib: int) -> float:
        """One stream through the page cache, from the beginning."""
        self.shell("echo 3 > /proc/sys/vm/drop_caches")
        return self._dd(f"if={node} of=/dev/null bs=256K count={size_mib * 4}")

    def write_mb_s(self, node: str, size_mib: int) -> float:
        """The same written, and made sure of."""
        return self._dd(f"if=/dev/zero of={node} bs=256K count={size_mib * 4} conv=fdatasync")

    def _dd(self, how: str) -> float:
        said = _SAID.search(self.shell(f"LC_ALL=C dd {how} 2>&1"))
        assert said
        return int(said[1]) / 1e6 / float(said[2])


def node_of(member: Member) -> str:
    """Members are named for their nodes here."""
    return member.id
