"""Letting md go on with a reshape, a rebuild or a resync that waits because the array is read-only.

Every assembled array comes up so (array_state ``read-auto``, the kernel's ``start_ro``), and the first write would do
the same. An array that was started to be read (``readonly``), as a rescue does, is written to again. Nothing is forced.
Sources: kernel ``Documentation/admin-guide/md.rst``; mdadm(8), ``--readwrite``.
"""

from __future__ import annotations

import asyncio
import contextlib

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.md.running_state import WAITING, Hold, hold_of

from raidwright_helper.host import md
from raidwright_helper.host.arrays import PinnedArray, pin_array
from raidwright_helper.host.host import Host
from raidwright_helper.host.host_facts import examine_host
from raidwright_helper.host.runner import run
from raidwright_helper.host.running_state import state_of
from raidwright_helper.jobs.claims import Claims

_LIMIT_SECONDS = 60.0
_LOOKS, _LOOK_SECONDS = 50, 0.1


async def prepare(
    host: Host, claims: Claims, array_of: tuple[str, str], until: contextlib.ExitStack, *, missing: bool
) -> PinnedArray:
    """Return the array of this UUID and name, which waits; held until ``until`` closes.

    ``missing``: it may go on without members that are missing. Raises InputError if nothing waits, DiskRefused for one
    of another computer and for one that lacks members, and Busy.
    """
    array = await pin_array(host, claims, *array_of, until)
    number = array.array.number
    state = state_of(host, number)
    hold = hold_of(state)
    if hold not in WAITING:
        raise InputError(
            "Nothing of {array} waits for md to go on (sync_action {action}, array_state {state}).",
            code="array-waits-not",
            array=array.label,
            action=state.sync_action,
            state=state.array_state,
        )
    home = array.array.full_name.rpartition(":")[0]
    if hold is not Hold.READ_ONLY and not (await examine_host(host)).is_home(home):  # udev started it, no person
        raise DiskRefused(
            "{array} carries the name of the computer “{host}”. Going on writes to its disks: take it over first.",
            code="array-foreign",
            array=array.label,
            host=home,
        )
    if state.degraded and not missing:
        raise DiskRefused(
            "{array} lacks {count} of its members. Going on writes to the others; bring those back first, or confirm "
            "that it may go on without them.",
            code="array-lacks",
            array=array.label,
            count=state.degraded,
        )
    return array


async def go_on(host: Host, array: PinnedArray, log: list[str]) -> md.RunningArray:
    """Set the array read-write, and see md go on; raises JobFailed."""
    number = array.array.number
    log.append((await run((md.MDADM, "--readwrite", array.device.node), limit_s=_LIMIT_SECONDS)).command)
    for _ in range(_LOOKS):
        if hold_of(state_of(host, number)) not in WAITING:
            host.announce(number)
            return array.array
        await asyncio.sleep(_LOOK_SECONDS)
    raise JobFailed("md didn't go on with {array}; the journal says more.", code="array-waits", array=array.label)
