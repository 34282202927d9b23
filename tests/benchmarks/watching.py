"""Cost of watching: a job of fio in the practice machine, by turns watched by the program's operation and bare.

The bare one is the same command without its figures on the way. Disks that turn are paced by their model, as real ones
are; of disks as fast as memory one processor does all the work there, so that whatever watches takes fio's time. What
the watchers use of a core is measured there, where it says little, and on this computer (``played_back``).
"""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from raidwright.analysis.comparison.student import t_quantile
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.system.workload import Workload
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray
from raidwright.operations.measuring import Measure, RunWorkload

from ..kit.check import report
from .played_back import share_of_a_core

_PAIRS, _SECONDS, _REGION_MIB = 5, 6, 512
_DISKS = {"disks that turn": "3x500GB:hdd7200", "as fast as memory": "3x500GB:memory"}
_WORKLOADS = (Workload.SEQUENTIAL_READ, Workload.RANDOM_READ_4K_Q32)
_MIN_RATIO, _MAX_SHARE = 0.98, 0.05
_HOLDS = ("no", "yes")
_TICKS_A_SECOND = 100  # of the guest's /proc/PID/stat
_USED = """for unit in raidwright-helper dbus; do
cut -d ' ' -f 14,15 /proc/$(systemctl show -P MainPID $unit)/stat; done"""


class _Watched(NamedTuple):
    """A run: fio's command, its throughput, and the share of a core that watching took."""

    command: str
    bytes_s: float
    share: float


def run() -> None:
    """Print throughput watched in shares of bare, with its spread, and what the watchers use of a core."""
    rows, said = [], ""
    for name, disks in _DISKS.items():
        found, said = asyncio.run(_rows(name, disks))
        rows += found
    shares = [share_of_a_core(said) for _ in range(_PAIRS)]
    rows.append(["this computer, played back", *["–"] * 4, *_shares(shares), _HOLDS[fmean(shares) < _MAX_SHARE]])
    columns = ("what", "watched / bare", "from", "to", "± (95 %)", "share of a core", "at most", "holds")
    report("watching", columns, rows)


async def _rows(name: str, text: str) -> tuple[list[list[str]], str]:
    """Return the rows, and fio's output of the last."""
    disks = disks_from_text(text)
    with start(LabSpec(disks)) as lab:
        async with Machine.connect(lab.bus_address("root")) as machine:
            while len(machine.snapshot.disks) < len(disks):
                await asyncio.sleep(0.05)
            members = tuple(disk.as_member() for disk in machine.snapshot.disks if disk.is_free)
            plan = Plan(MdArray(Level.RAID5, members, "tank", assume_clean=True, bitmap=Bitmap.NONE))
            target = f"md:{(await CreateArray(plan, 'tank').perform(machine)).uuid}"
            rows = [await _row(f"{name}, {one}", lab, machine, target, one) for one in _WORKLOADS]
            command = (await _watched(lab, machine, target, _WORKLOADS[-1])).command
            said = await asyncio.to_thread(lab.exec, shlex.split(command))
            return rows, said.stdout.decode()


async def _row(name: str, lab: Lab, machine: Machine, target: str, workload: Workload) -> list[str]:
    ratios, shares = list[float](), list[float]()
    command = (await _watched(lab, machine, target, workload)).command  # and everything has been started once
    for pair in range(_PAIRS):
        bare_s = [await _bare(lab, command)] if pair % 2 else []  # each is the first in every other pair
        watched = await _watched(lab, machine, target, workload)
        bare_s = bare_s or [await _bare(lab, command)]
        ratios.append(watched.bytes_s / bare_s[0])
        shares.append(watched.share)
    error = t_quantile(0.975, _PAIRS - 1) * stdev(ratios) / _PAIRS**0.5
    figures = (fmean(ratios), min(ratios), max(ratios), error)
    holds = _HOLDS[fmean(ratios) >= _MIN_RATIO]
    return [name, *(f"{one:.4f}" for one in figures), *_shares(shares), holds]


def _shares(shares: Sequence[float]) -> tuple[str, str]:
    """On average, and at most."""
    return f"{fmean(shares):.2%}", f"{max(shares):.2%}"


async def _watched(lab: Lab, machine: Machine, target: str, workload: Workload) -> _Watched:
    request = RunWorkload(target, workload, _SECONDS, _REGION_MIB)
    guest_s, own_s, began = sum(_used_s(lab)), time.process_time(), time.perf_counter()
    found = (await Measure(request, "a practice machine", is_practice=True, keep=False).perform(machine)).result
    passed_s, own_s = time.perf_counter() - began, time.process_time() - own_s
    share = (own_s + sum(_used_s(lab)) - guest_s) / passed_s
    return _Watched(found.command, found.mb_s * 1e6, share)


async def _bare(lab: Lab, command: str) -> float:
    argv = [word for word in shlex.split(command) if not word.startswith("--status-interval")]
    told = await asyncio.to_thread(lab.exec, argv)
    return float(json.loads(told.stdout)["jobs"][0]["read"]["bw_bytes"])


def _used_s(lab: Lab) -> Iterator[float]:
    """Yield the CPU time of each watcher in the practice machine since it began."""
    said = lab.exec(["sh", "-c", _USED]).stdout.decode()
    return (int(ticks) / _TICKS_A_SECOND for ticks in said.split())
