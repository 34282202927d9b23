"""A study's machine: disks with partitions, arrays made of them, and dd, as the studies measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidwright.core.md.mdadm import create_commands
from raidwright.core.model.plan import Plan
from raidwright.lab.machine import Lab

_SAID = re.compile(r"(\d+) bytes.* copied, ([\d.e-]+) s")


@dataclass(frozen=True, slots=True)
class Bench:
    """A practice machine; devices are named as it names them."""

    lab: Lab

    def shell(self, script: str) -> str:
        """What a shell says in there; raises MachineError."""
        return self.lab.exec(["sh", "-ec", script]).stdout.decode()

    def device(self, serial: str) -> str:
        """The node of a disk."""
        listed = self.shell("lsblk -dnpo NAME,SERIAL").splitlines()
        return next(line.split()[0] for line in listed if line.split()[1:] == [serial])

    def partition(self, device: str, *begins_and_sizes_mib: tuple[int, int]) -> list[str]:
        """Partitions of ``device``, each by its begin and size; their nodes."""
        table = "".join(f"{begin}MiB,{size}MiB\\n" for begin, size in begins_and_sizes_mib)
        self.shell(f"printf '{table}' | sfdisk -q --wipe never {device}; udevadm settle")
        return [f"{device}{number}" for number in range(1, len(begins_and_sizes_mib) + 1)]

    def make(self, plan: Plan) -> str:
        """The array of ``plan``, whose members are named for their nodes."""
        for command in create_commands(plan, lambda member: member.id):
            self.lab.exec(list(command.argv))
            self.shell("udevadm settle")
        return f"/dev/md/{plan.name}"

    def take_apart(self, node: str, plan: Plan) -> None:
        """Nothing is left of it."""
        self.shell(f"udevadm settle; mdadm --stop {node}")
        for disk in plan.disks():
            self.shell(f"mdadm --zero-superblock {disk.id} || true")

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
