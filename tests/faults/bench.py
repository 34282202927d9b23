"""Lab for fault injection: four disks released for building, two protected ones, and all their bytes on the host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildRecord
from raidwright.lab.disks.server import Fault
from raidwright.lab.disks.store import first_tib
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.operations.builds import ListBuilds

from tests.kit.asking import ask

_RESULT = TypeVar("_RESULT")
MEMBERS = 4
_DISKS = disks_from_text("6x48MB", at_memory_speed=True)
# The first: GPT with an ext4; then ext4, swap, nothing known; not to be touched: nothing known, and an ext4.
_FILL = """set -e
printf 'label: gpt\\n,16M\\n' | sfdisk --quiet --wipe always $1; udevadm settle; mkfs.ext4 -q -F ${1}1
mkfs.ext4 -q -F $2; mkswap $3 > /dev/null; mkfs.ext4 -q -F $6
"""
CARRIED = (("gpt", "PMBR", "1:ext4"), ("ext4",), ("swap",), ("unknown",))
_FORGET = """
rm -rf /run/raidwright/hold /run/raidwright/held
vgchange -qq --activate n 2>/dev/null
udevadm settle; mdadm --stop --scan 2>/dev/null
while systemctl status raidwright-helper | grep -q 'Active: activating'; do sleep 0.1; done  # or the bus waits for it
systemctl stop raidwright-helper; systemctl reset-failed; rm -rf /var/lib/raidwright/backups
"""
_LOOK_AGAIN = "for disk; do blockdev --flushbufs --rereadpt $disk; done; udevadm settle"
# Stands in for a program that the helper starts: its first call whose words fit /run/raidwright/hold is held. (UDisks2
# and udev start mdadm, too.)
_GATE = """#!/bin/sh
pattern=
grep -q raidwright-helper /proc/self/cgroup && pattern=$(cat /run/raidwright/hold 2>/dev/null)
case "${0##*/} $*" in $pattern)
    mkdir /run/raidwright/held 2>/dev/null && while [ -d /run/raidwright/held ]; do sleep 0.05; done ;;
esac
exec $0.real "$@"
"""
_PUT_GATES = f"""set -e; mkdir -p /run/raidwright
for program in /usr/sbin/wipefs /usr/sbin/sfdisk /usr/sbin/mdadm /usr/bin/udevadm /usr/bin/systemd-run; do
cp -p $program $program.real; cat > $program.new <<'END'
{_GATE}END
chmod 755 $program.new; mv $program.new $program; done"""
_PATIENCE_SECONDS = 300.0
_UNTIL_SECONDS = 240  # nothing depends on how fast it is; a busy computer is slow


class Bench:
    """A lab called ``name``, its bytes in ``store``; ``members`` are for building, the rest is protected."""

    lab: Lab
    members: tuple[Member, ...]

    def __init__(self, store: Path, name: str) -> None:
        self._store = store
        self._name = name
        self._golden: tuple[bytes, ...] = ()

    def __enter__(self) -> Self:
        for number, disk in enumerate(_DISKS):
            line = f"disk {number}\n".encode()
            first_tib(self._store, disk).write_bytes((line * (disk.size_bytes // len(line) + 1))[: disk.size_bytes])
        self.boot()
        try:
            self.run(_FILL, *self.nodes())
            self._look_again()
            self._golden = self._bytes()
            self.members = asyncio.run(asyncio.wait_for(self._listed(), _PATIENCE_SECONDS))
        except BaseException:
            self.lab.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lab.stop()

    def boot(self) -> None:
        """Switch the machine on."""
        self.lab = start(LabSpec(_DISKS, store=self._store), name=self._name)
        self.run(_PUT_GATES)

    def cut_power(self) -> None:
        """Cut the power, and switch the machine on again."""
        self.lab.stop()
        self.boot()

    def run(self, script: str, *words: str, check: bool = True) -> str:
        """Run a shell script in the guest; return its output. Raises MachineError when it fails."""
        done = self.lab.exec(["sh", "-c", script, "sh", *words], check=check, timeout_seconds=_PATIENCE_SECONDS)
        return done.stdout.decode()

    def until(self, script: str, *words: str) -> None:
        """Wait until a shell command succeeds; raises MachineError when it doesn't in time."""
        end = f"$(( $(date +%s) + {_UNTIL_SECONDS} ))"
        self.run(f"end={end}; until {script}; do [ $(date +%s) -lt $end ] || exit 9; sleep 0.1; done", *words)

    def nodes(self) -> list[str]:
        """Return the disks' current nodes, in order; "" for a missing disk."""
        lines = self.run("lsblk --nodeps --noheadings --output=SERIAL,PATH").splitlines()
        found = dict(line.split() for line in lines if len(line.split()) == 2)
        return [found.get(disk.serial, "") for disk in _DISKS]

    async def _listed(self) -> tuple[Member, ...]:
        async with Machine.connect(self.lab.bus_address("admin")) as machine:
            while len(machine.snapshot.disks) < len(_DISKS):
                await asyncio.sleep(0.05)
            found = {disk.serial: disk.as_member() for disk in machine.snapshot.disks}
        return tuple(found[disk.serial] for disk in _DISKS[:MEMBERS])

    def ask(self, question: Callable[[Helper], Awaitable[_RESULT]]) -> _RESULT:
        """Ask the helper as an administrator; return its answer."""

        async def asked() -> _RESULT:
            async with Machine.connect(self.lab.bus_address("admin")) as machine:
                return await question(machine.helper)

        return asyncio.run(asyncio.wait_for(asked(), _PATIENCE_SECONDS))

    def latest(self) -> BuildRecord | None:
        """Return the build that was begun last."""
        builds = self.ask(lambda helper: ask(helper, ListBuilds()))
        return builds[0] if builds else None

    def arrays(self) -> tuple[str, ...]:
        """Return the UUIDs of the running arrays, from mdadm."""
        words = self.run("mdadm --detail --scan").split()
        return tuple(word.removeprefix("UUID=") for word in words if word.startswith("UUID="))

    def changed(self) -> tuple[int, ...]:
        """Return the numbers of the disks whose contents, from end to end, have changed."""
        self.run("for disk; do blockdev --flushbufs $disk; done", *filter(None, self.nodes()))
        pairs = zip(self._bytes(), self._golden, strict=True)
        return tuple(number for number, (now, first) in enumerate(pairs) if now != first)

    def _bytes(self) -> tuple[bytes, ...]:
        return tuple(first_tib(self._store, disk).read_bytes() for disk in _DISKS)

    def reset(self) -> None:
        """Reset the lab: no arrays, no builds, every disk plugged in and sound, with its initial contents."""
        self.run(_FORGET)
        for disk, content in zip(_DISKS, self._golden, strict=True):
            with first_tib(self._store, disk).open("r+b") as file:
                file.write(content)
        self.heal()

    def heal(self) -> None:
        """Plug every disk in, without faults."""
        pulled = self.lab.pulled_disks()
        for number, disk in enumerate(_DISKS):
            self.fault(number, Fault.SOUND)
            if disk.serial in pulled:
                self.lab.plug_disk(disk.serial)
        self._look_again()

    def _look_again(self) -> None:
        self.run(_LOOK_AGAIN, *self.nodes())

    def pull(self, number: int) -> None:
        """Unplug a disk."""
        self.lab.pull_disk(_DISKS[number].serial)

    def fault(self, number: int, fault: Fault) -> None:
        """Set the fault of a disk's reads and writes."""
        self.lab.fault_disk(_DISKS[number].serial, fault)
