"""A joined volume whose growth is cut off by power at a command, or within a reshape, and brought back."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from pathlib import Path
from typing import Any

from raidwright.cli import main
from raidwright.core.errors import RaidwrightError
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.operations.changing import ChangeArray
from raidwright.operations.system import Mount

from tests.kit.asking import ask
from tests.kit.joined_volume import READ, shell

from .test_joined_growth import call, levels, verify
from .test_joined_replace import Scene, run_on

RESHAPE = "reshape"  # in place of a command: within heap-0's reshape
_DISKS = "2x64MB+96MB+160MB+161MB"
_GATE = """#!/bin/sh
case "$*" in {words}) if grep -q raidwright-helper /proc/self/cgroup; then touch /run/is-there; sleep 3000; fi;; esac
exec $0.real "$@"
"""
_PUT = "mv {place} {place}.real; cat > {place} <<'END'\n{gate}END\nchmod 755 {place}"
_UNTIL = "end=$(( $(date +%s) + 300 )); until {there}; do [ $(date +%s) -lt $end ] || exit 9; sleep 0.1; done"
# In the first 6 MiB, of which mdadm keeps a backup that it doesn't sync, a cut can cost data (Grow.c, Grow_restart).
_PAST_CRITICAL = """{ p=none; for p in $(cat /sys/block/md*/md/reshape_position); do
[ $p = none ] || [ $p -lt 16384 ] || break; p=none; done; [ "$p" != none ]; }"""
_SLOW = "for limit in min max; do echo 300 > /proc/sys/dev/raid/speed_limit_$limit; done"
_FAST = "echo 500000 > /proc/sys/dev/raid/speed_limit_min"


class CutGrowth:
    """A machine whose disks outlive a power cut, and the volume on all of them but the largest."""

    lab: Lab
    scene: Scene

    def __init__(self, store: Path) -> None:
        disks = disks_from_text(_DISKS, at_memory_speed=True)
        self.new = max(disks, key=lambda disk: disk.size_bytes).serial
        self._spec = LabSpec(disks, store=store)

    def __enter__(self) -> CutGrowth:
        self._boot()
        self.scene = run_on(self.lab, lambda scene: scene.build(without=self.new))
        return self

    def __exit__(self, *_: object) -> None:
        self.lab.stop()

    def _boot(self) -> None:
        self.lab = start(self._spec)
        shell(self.lab, f"{_FAST}; udevadm settle")

    def cut_at(self, at: str) -> None:
        """Ask for the growth, cut the power at a program and a pattern of its words, and switch on again."""

        async def grows(scene: Scene) -> None:
            wish = VolumeGrowth((await scene.plugged(self.new),), 5)
            asked = asyncio.create_task(ask(scene.machine.helper, ChangeArray(scene.named, wish)))
            there = _PAST_CRITICAL if at == RESHAPE else "[ -e /run/is-there ]"
            await scene.shell(_UNTIL.format(there=there) + "; sync")
            await asyncio.to_thread(self.lab.stop)
            with contextlib.suppress(RaidwrightError):
                await asked

        program, _, words = at.partition(" ")
        if at == RESHAPE:
            shell(self.lab, _SLOW)
        else:
            place = shell(self.lab, f"command -v {program}").strip()
            shell(self.lab, _PUT.format(place=place, gate=_GATE.format(words=words)))
        with contextlib.suppress(RaidwrightError):  # the bus has gone with the machine
            run_on(self.lab, grows, self.scene)
        self._boot()

    def state(self) -> dict[str, Any]:
        """Return the volume as ``array list --json`` tells it; fails if it isn't one array."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main(("array", "list", "--json", "--machine", f"lab:{self.lab.name}")) == 0
        [volume] = [array for array in json.loads(out.getvalue()) if array["name"] == "heap"]
        return dict(volume)

    def finish(self) -> None:
        """Bring the volume back, do what is left of its growth, and compare it with what it should be."""
        if self.state()["state"] != "running":
            call(self.lab, "--go-on")

        async def checked(scene: Scene) -> None:
            await ask(scene.machine.helper, Mount(scene.named, "/srv/heap"))
            assert await scene.shell(READ) == scene.checksum
            await asyncio.to_thread(call, scene.lab, "--add", self.new)
            volume = await scene.seen(lambda: scene.volume)
            assert volume is not None
            await verify(scene, volume.size_bytes // 512)
            assert levels(scene) == ["raid5×5", "raid5×3", "raid1×2"]

        run_on(self.lab, checked, self.scene)
