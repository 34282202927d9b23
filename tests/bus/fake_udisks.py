"""A fake UDisks2 for the program, in process, recording its calls."""

from __future__ import annotations

from typing import Any

from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.message import Message
from dbus_fast.signature import Variant

NAME = "org.freedesktop.UDisks2"
ROOT = "/org/freedesktop/UDisks2"
BLOCKS = f"{ROOT}/block_devices"
DRIVES = f"{ROOT}/drives"
_MANAGER = "org.freedesktop.DBus.ObjectManager"
_PROPERTIES = "org.freedesktop.DBus.Properties"

Interfaces = dict[str, dict[str, Variant]]


def device_bytes(text: str) -> bytes:
    """Return a path as UDisks2 sends it."""
    return text.encode() + b"\0"


def disk(letter: str, *, serial: str = "", wwn: str = "", size_bytes: int = 8 * 10**12) -> dict[str, Interfaces]:
    """Return the two objects of ``/dev/sdX``: its drive and its block device."""
    serial = serial or f"SERIAL{letter.upper()}"
    links = [f"/dev/disk/by-id/scsi-SWDC_DISK_{serial}"] + ([f"/dev/disk/by-id/wwn-{wwn}"] if wwn else [])
    drive = f"{DRIVES}/WDC_DISK_{serial}"
    return {
        drive: {
            f"{NAME}.Drive": {
                "Vendor": Variant("s", "WDC"),
                "Model": Variant("s", "WD80EFZX"),
                "Serial": Variant("s", serial),
                "WWN": Variant("s", wwn),
                "RotationRate": Variant("i", 7200),
                "ConnectionBus": Variant("s", ""),
            }
        },
        f"{BLOCKS}/sd{letter}": {
            f"{NAME}.Block": {
                "Device": Variant("ay", device_bytes(f"/dev/sd{letter}")),
                "Symlinks": Variant("aay", [device_bytes(link) for link in links]),
                "Size": Variant("t", size_bytes),
                "Drive": Variant("o", drive),
                "MDRaid": Variant("o", "/"),
                "MDRaidMember": Variant("o", "/"),
                "CryptoBackingDevice": Variant("o", "/"),
                "IdUsage": Variant("s", ""),
                "IdType": Variant("s", ""),
                "IdLabel": Variant("s", ""),
                "ReadOnly": Variant("b", False),
                "HintSystem": Variant("b", True),
            }
        },
    }


class FakeUDisks:
    """Serves ``objects`` at ``address`` while it is started.

    ``calls`` are the members called, in order, and ``clients`` their callers. ``before_answer`` are objects that it
    announces between the call and the reply without including them in the reply, as a busy udisksd may.
    """

    def __init__(self, address: str, objects: dict[str, Interfaces] | None = None) -> None:
        self.address = address
        self.objects = objects or {}
        self.calls: list[str] = []
        self.clients: list[str] = []
        self.before_answer: dict[str, Interfaces] = {}
        self._bus: MessageBus | None = None

    @property
    def bus(self) -> MessageBus:
        """The connection, while it is started."""
        assert self._bus
        return self._bus

    async def start(self) -> None:
        """Connect to the bus and request the name."""
        self._bus = await MessageBus(bus_address=self.address).connect()
        self._bus.add_message_handler(self._answer)
        await self._bus.request_name(NAME)

    async def stop(self) -> None:
        """Leave the bus like a service that exits."""
        self.bus.disconnect()
        await self.bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        self._bus = None

    def _answer(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL or not message.member:
            return False
        self.calls.append(message.member)
        self.clients.append(message.sender or "")
        if message.member == "GetManagedObjects":
            for path, interfaces in self.before_answer.items():
                self.bus.send(Message.new_signal(ROOT, _MANAGER, "InterfacesAdded", "oa{sa{sv}}", [path, interfaces]))
            return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.objects])
        return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "not faked")

    async def emit(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> None:
        """Send a signal."""
        await self.bus.send(Message.new_signal(path, interface, member, signature, body))

    async def add(self, objects: dict[str, Interfaces]) -> None:
        """Announce new objects."""
        self.objects |= objects
        for path, interfaces in objects.items():
            await self.emit(ROOT, _MANAGER, "InterfacesAdded", "oa{sa{sv}}", [path, interfaces])

    async def remove(self, *paths: str) -> None:
        """Remove objects."""
        for path in paths:
            interfaces = list(self.objects.pop(path))
            await self.emit(ROOT, _MANAGER, "InterfacesRemoved", "oas", [path, interfaces])

    async def change(self, path: str, interface: str, properties: dict[str, Variant]) -> None:
        """Change properties, of an object that need not exist."""
        self.objects.get(path, {}).get(interface, {}).update(properties)
        body = [interface, properties, []]
        await self.emit(path, _PROPERTIES, "PropertiesChanged", "sa{sv}as", body)
