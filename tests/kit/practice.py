"""Disks and arrays in a practice machine, by its root's commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raidwright.core.layers.commands import create_commands
from raidwright.core.model.plan import Member, Plan
from raidwright.lab.machine import Lab


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice machine; ``node_of`` returns the node of a plan's member there."""

    lab: Lab

    def shell(self, script: str) -> str:
        """Return the output of a shell script in the guest; raises MachineError if a command fails."""
        return self.lab.exec(["sh", "-ec", script]).stdout.decode()

    def device(self, serial: str) -> str:
        """Return the node of a disk."""
        listed = self.shell("lsblk -dnpo NAME,SERIAL").splitlines()
        return next(line.split()[0] for line in listed if line.split()[1:] == [serial])

    def make(self, plan: Plan, node_of: Callable[[Member], str]) -> str:
        """Create the array with the program's own commands; return its node."""
        for command in create_commands(plan.top, node_of, asks=False):
            self.lab.exec(list(command.argv))
            self.shell("udevadm settle")
        return f"/dev/md/{plan.name}"

    def take_apart(self, node: str, plan: Plan, node_of: Callable[[Member], str]) -> None:
        """Remove the array completely, after its rebuild: during one, udev's probing of the array takes minutes."""
        self.shell(f"echo frozen > /sys/block/$(basename $(readlink -f {node}))/md/sync_action || true; "
                   f"udevadm settle; mdadm --stop {node}")  # fmt: skip
        for disk in plan.disks():
            self.shell(f"mdadm --zero-superblock {node_of(disk)} || true")
