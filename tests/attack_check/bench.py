"""One cell: a state is made, acts are drawn and done under a flood of looks, and all that was written is read back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import StopArray

from .acts import Act, acts
from .looks import flood
from .states import GUEST, State

_ACT_SECONDS = 30.0
_STOP_SECONDS = 60.0
_GUEST_SECONDS = 600.0
_LET_BE = "still at work"
_MAY_LOOK = """
polkit.addRule(function (action, subject) {
    if (/^org.raidwright.helper1.(examine|list)/.test(action.id)) return polkit.Result.YES;
});
"""


_UNMOUNTED = "umount -q /srv/tank; cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/sync_action"


@dataclass(frozen=True, slots=True)
class Done:
    """An act, what became of it ("" when it was done, else the refusal), and what was lost by it."""

    act: str
    answer: str
    lost: tuple[str, ...]


class Bench:
    """The practice machine and its disks, in the order of ``states``."""

    def __init__(self, lab: Lab, serials: Sequence[str]) -> None:
        self._lab = lab
        self._serials = serials
        self.sh(f"echo '{_MAY_LOOK}' > /etc/polkit-1/rules.d/01-attack.rules")

    def sh(self, script: str, *words: str, check: bool = True) -> str:
        """Return the output of a shell script in the guest; raises MachineError if it fails."""
        done = self._lab.exec(["sh", "-c", script, "sh", *words], check=check, timeout_seconds=_GUEST_SECONDS)
        return done.stdout.decode().strip()

    def _guest(self, verb: str, *words: str) -> str:
        return self.sh(GUEST, verb, *words)

    def _nodes(self) -> list[str]:
        lines = self.sh("lsblk --nodeps --noheadings --output=SERIAL,PATH").splitlines()
        found = dict(line.split() for line in lines if len(line.split()) == 2)
        return [found[serial] for serial in self._serials]

    def has(self, state: State) -> bool:
        """Return whether this Linux can be in the state."""
        return not state.module or self.sh(f"modprobe --dry-run {state.module} && echo yes; true") == "yes"

    def cell(self, state: State, seed: str, count: int, only: str = "") -> list[Done]:
        """Return what ``count`` drawn acts did, the last row for the array as its owner finds it afterwards."""
        nodes = self._nodes()
        self._guest("clear", *nodes)
        self._guest(state.verb, *nodes)
        uuid, level = self.sh("mdadm --detail --export /dev/md/tank | sed -n 's/MD_UUID=//p;s/MD_LEVEL=//p'").split()[
            ::-1
        ]
        done = asyncio.run(self._acted(state, Named(uuid, "tank"), Level(level), Random(seed), count, only))  # noqa: S311
        return [*done, self._reckoned(state, uuid)]

    async def _acted(
        self, state: State, array: Named, level: Level, random: Random, count: int, only: str
    ) -> list[Done]:
        done = []
        async with Machine.connect(self._lab.bus_address("admin")) as machine:
            disks = await self._disks(machine)
            drawn = [act for act in acts(array, disks, level) if only in act[0]]
            by_id = tuple(disk.id for disk in disks)
            async with flood(self._lab.bus_address("user"), array.uuid, by_id, random) as answered:
                for act in random.sample(drawn, min(count, len(drawn))):
                    answer = await _answer(machine, act, _ACT_SECONDS)
                    done.append(Done(act[0], answer, await asyncio.to_thread(self._lost, state)))
                done.append(await self._stopped(machine, array))
                if not answered:
                    done.append(Done("looks", "none was answered", ("looks",)))
        return done

    async def _disks(self, machine: Machine) -> list[Member]:
        async with asyncio.timeout(_GUEST_SECONDS):
            while len(found := {disk.serial: disk.as_member() for disk in machine.snapshot.disks}) < len(self._serials):
                await asyncio.sleep(0.1)
        return [found[serial] for serial in self._serials]

    async def _stopped(self, machine: Machine, array: Named) -> Done:
        """Let an administrator stop the array under the looks, where it is idle and unmounted."""
        if await asyncio.to_thread(self.sh, _UNMOUNTED, check=False) != "idle":
            return Done("stop, unmounted", "not idle", ())
        answer = await _answer(machine, ("stop", StopArray(array)), _STOP_SECONDS)
        kept = "is open in" in answer or answer == _LET_BE
        return Done("stop, unmounted", answer, ("an administrator's stop",) if kept else ())

    def _lost(self, state: State) -> tuple[str, ...]:
        words = ("split" if state.is_split else "whole", *self._nodes())
        return tuple(self._guest("judge", *words).splitlines())

    def _reckoned(self, state: State, uuid: str) -> Done:
        if state.is_split:
            return Done("the end", "", self._lost(state))
        return Done("the end", "", tuple(self._guest("reckon", uuid).splitlines()))


async def _answer(machine: Machine, act: Act, seconds: float) -> str:
    try:
        await asyncio.wait_for(act[1].perform(machine), seconds)
    except RaidwrightError as error:
        return str(error)
    except TimeoutError:
        return _LET_BE
    return ""
