"""Disks' power states, from the kernel and from UDisks2, so that examining a disk doesn't wake it.

UDisks2's ``PmGetState`` sends ATA's CHECK POWER MODE, which doesn't spin the disk up; sending it from here would need
CAP_SYS_RAWIO. Other SCSI disks (SAS) are asked from here (``scsi_power``).
"""

from __future__ import annotations

import asyncio
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.errors import Code

from .host import Host
from .scsi_power import sleeps

_UDISKS = "org.freedesktop.UDisks2"
_STANDBY = 0x00  # ACS-3, 7.3: spun down; all other states answer without a delay


class PowerStates:
    """Reader of the disks' power states, over ``bus``."""

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus

    async def verify_awake(self, host: Host, disk: int, who: str) -> None:
        """Raise DiskRefused if the whole ``disk`` is in standby, or is a spinning disk in an unknown state."""
        if host.attribute(disk, "device/power/runtime_status") == "suspended":
            raise _asleep(who)
        if host.attribute(disk, "queue/rotational") != "1":
            return  # flash answers at once
        if host.udev(disk).properties.get("ID_ATA") != "1":
            is_scsi = host.kernel_name(disk).startswith("sd")
            if is_scsi and await asyncio.to_thread(sleeps, host.node(disk), disk) is True:
                raise _asleep(who)
            return  # one that doesn't say is taken for awake
        state = await self._ata_state(host.kernel_name(disk))
        if state is None:
            raise DiskRefused(
                "Whether {disk} sleeps can't be told, since UDisks2 doesn't answer. Ask for it to be woken.",
                code="disk-power-unknown",
                disk=who,
            )
        if state == _STANDBY:
            raise _asleep(who)

    async def _ata_state(self, name: str) -> int | None:
        block = f"/org/freedesktop/UDisks2/block_devices/{name}"
        drive = await self._ask(block, "org.freedesktop.DBus.Properties", "Get", "ss", f"{_UDISKS}.Block", "Drive")
        if drive is None:
            return None
        options = {"auth.no_user_interaction": Variant("b", True)}
        state = await self._ask(drive.value, f"{_UDISKS}.Drive.Ata", "PmGetState", "a{sv}", options)
        return None if state is None else int(state)

    async def _ask(self, path: str, interface: str, member: str, signature: str, *body: object) -> Any:
        """Return the first value of the reply; None for an error."""
        reply = await self._bus.call(
            Message(
                destination=_UDISKS,
                path=path,
                interface=interface,
                member=member,
                signature=signature,
                body=list(body),
            )
        )
        return reply.body[0] if reply.message_type is MessageType.METHOD_RETURN else None


def _asleep(who: str) -> DiskRefused:
    return DiskRefused(
        "{disk} sleeps; looking at what it holds would wake it. Ask for that if you want it.",
        code=Code.ASLEEP,
        disk=who,
    )
