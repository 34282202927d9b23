"""The unfinished reshape of an array that is tried on overlays: held where all of the array can be read.

Read-only, the array has a stripe that is moved in part, and a read of that never ends (Linux 6.1) or crashes the kernel
(6.12, ``core.md.known``). So md goes on with the reshape, on the overlays, to the next place without such a stripe.
"""

from __future__ import annotations

import asyncio
import time

from raidwright.core.errors import JobFailed
from raidwright.core.md.layouts import Level
from raidwright.core.md.reshape.held_place import HeldPlace

from raidwright_helper.host import md
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run

_LIMIT_SECONDS = 60.0
_GO_ON_SECONDS = 300.0  # some MiB, on the slowest of disks
_LOOK_SECONDS = 0.1


async def hold_where_readable(host: Host, number: int, log: list[str]) -> None:
    """Let the array's reshape, if one is unfinished, go on to where all of it can be read; raises JobFailed."""
    place = _place(host, number)
    if place is None or place.is_readable:
        return
    if host.attribute(number, "md/reshape_direction") != "forwards":
        raise _failure()
    end = place.next_readable
    folder = host.block_dir(number) / "md"
    component = 2 * int(host.attribute(number, "md/component_size") or 0)
    try:
        (folder / "sync_max").write_text(str(end) if end < component else "max", encoding="ascii")
    except OSError as error:
        raise _failure() from error
    log.append((await run((md.MDADM, "--readwrite", host.node(number)), limit_s=_LIMIT_SECONDS)).command)
    until = time.monotonic() + _GO_ON_SECONDS
    while (now := _place(host, number)) is not None and now.position < end * place.new_data:
        if time.monotonic() > until:
            raise _failure()
        await asyncio.sleep(_LOOK_SECONDS)


def _place(host: Host, number: int) -> HeldPlace | None:
    """Return the place of an unfinished reshape; None if none is, or of a level without parity."""
    level, position = host.attribute(number, "md/level"), host.attribute(number, "md/reshape_position")
    if level not in set(Level) or not (parity := Level(level).parity_disks) or not position.isdecimal():
        return None
    new_disks, old_disks = _new_and_old(host.attribute(number, "md/raid_disks"))
    new_chunk, old_chunk = _new_and_old(host.attribute(number, "md/chunk_size"))
    return HeldPlace(int(position), old_disks - parity, new_disks - parity, old_chunk // 512, new_chunk // 512)


def _new_and_old(text: str) -> tuple[int, int]:
    """Return both numbers of "5 (4)", as md's sysfs has them within a reshape; twice the one of "5"."""
    new, _, old = text.partition(" ")
    return int(new), int(old.strip("()") or new)


def _failure() -> JobFailed:
    return JobFailed(
        "The array was cut off within a reshape, and while that doesn't run, parts of it can't be read. md didn't go "
        "on with it on the overlays; nothing was written to the disks. Copy the disks, and try the copies.",
        code="rescue-reshape",
    )
