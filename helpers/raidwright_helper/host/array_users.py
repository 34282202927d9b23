"""Users of an array and of everything stacked on it, by the kernel's word: asked last before it is stopped or written.

A claim (O_EXCL) sees neither a loop device nor a process that has it open, and names nobody; md refuses to stop an
array that anybody has open, and doesn't say who that is.
"""

from __future__ import annotations

import contextlib

from raidwright.core.errors import DiskRefused
from raidwright.core.messages import say
from raidwright.core.protocol.device_users import UserKind

from .device_users import DeviceUsers, loops_over, words_of
from .guards import Exclusive, Pinned
from .host import Host
from .open_devices import Opening, lasting_openings, lasting_writers

_WRITTEN = say("is open for writing by {used} (process {pid}) ({name}); end that first")
_OPEN = say("is open in {used} (process {pid}) ({name}); end that first")
_SAME_MOUNT = {UserKind.MOUNT, UserKind.LOG}  # one more mount of it does no harm


def stack_on(host: Host, number: int) -> tuple[int, ...]:
    """Return the device and everything on it, once each: partitions, holders, loop devices over block devices."""
    found, loops = dict[int, None](), loops_over(host)
    ahead = [number]
    while ahead:
        one = ahead.pop(0)
        if one not in found:
            found[one] = None
            ahead += [*host.partitions(one), *host.holders(one), *loops.get(one, ())]
    return tuple(found)


async def verify_unused_array(host: Host, number: int, who: str, *, may_be_mounted: bool = False) -> None:
    """Raise DiskRefused with whoever uses the array or what is on it: mounts anywhere, swap, loop devices, writers.

    Holders are no users themselves. ``may_be_mounted``: mounts of its own file system are none either.
    """
    users = DeviceUsers.read(host)
    for part in (number, *host.partitions(number)):
        for user in users.of(part):
            is_own = may_be_mounted and user.kind in _SAME_MOUNT and not user.through
            if user.kind != UserKind.HOLDER and not is_own:
                raise _in_use(who, words_of(user, host.kernel_name(part)))
    for writer in await lasting_writers(host, {*stack_on(host, number), host.whole(number)}):
        raise _in_use(who, _opened(host, writer))


async def open_in(host: Host, *numbers: int) -> str | None:
    """Return which process has the arrays or what is on them open, if only to read, as the rest of a sentence."""
    stack = {one for number in numbers for one in stack_on(host, number)}
    found = sorted((one for one in await lasting_openings(host) if one.number in stack), key=lambda one: one.pid)
    return next((_opened(host, one) for one in found), None)


async def claim_array(
    host: Host, device: Pinned, who: str, until: contextlib.ExitStack, *, writable: bool = False
) -> Exclusive:
    """Claim the array or volume exclusively until ``until`` closes; raises DiskRefused, which names whoever has it."""
    try:
        return until.enter_context(Exclusive(host, device, who, writable=writable))
    except DiskRefused as error:
        if error.code != "disk-busy":
            raise
        await verify_unused_array(host, device.number, who)
        if (how := await open_in(host, device.number)) is not None:
            raise _in_use(who, how, "array-open") from error
        raise


def _opened(host: Host, one: Opening) -> str:
    return say(_WRITTEN if one.writes else _OPEN, used=one.name, pid=one.pid, name=host.kernel_name(one.number))


def _in_use(who: str, reason: str, code: str = "array-in-use") -> DiskRefused:
    return DiskRefused("{who} {reason}. Nothing was done.", code=code, who=who, reason=reason)
