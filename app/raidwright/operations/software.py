"""Versions of the software involved, for bug reports."""

from __future__ import annotations

import asyncio
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from raidwright.core.errors import RaidwrightError
from raidwright.machine.helper.job_progress import OnUpdate, ignore

from .operation import Operation

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_FOR_ROOT = "/usr/local/sbin:/usr/sbin:/sbin"  # for mdadm, which isn't on a user's PATH
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Software:
    """Versions as reported by each program; "" if it is missing or can't be asked."""

    helper: str = ""
    kernel: str = ""
    mdadm: str = ""
    personalities: str = ""  # the levels that the kernel has loaded (/proc/mdstat)


@dataclass(frozen=True, slots=True)
class LookAtSoftware(Operation[Software]):
    """``is_here``: the machine is this computer, so that more than the helper can be asked."""

    is_here: bool

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Software:
        """Ask the helper, and on this computer the kernel and mdadm."""
        del on_update  # there is no progress to report
        helper = await _version_of_helper(machine)
        if not self.is_here:
            return Software(helper)
        mdstat = await asyncio.to_thread(_first_line, Path("/proc/mdstat"))
        return Software(helper, platform.release(), await _mdadm(), mdstat.partition(":")[2].strip())


async def _version_of_helper(machine: Machine) -> str:
    try:
        return await machine.helper.version()
    except RaidwrightError as error:
        return f"({error.code})"


async def _mdadm() -> str:
    path = f"{os.environ.get('PATH', os.defpath)}:{_FOR_ROOT}"
    try:
        asked = await asyncio.create_subprocess_exec(
            "mdadm",
            "--version",
            env={"PATH": path, "LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,  # mdadm prints its version there
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(_SECONDS):
            return (await asked.communicate())[0].decode(errors="replace").strip()
    except TimeoutError:
        asked.kill()
        await asked.wait()
        return ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0]
    except OSError:
        return ""
