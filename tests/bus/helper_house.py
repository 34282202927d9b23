"""The real helper, on a private bus with a fake polkit and a host of its own, and raw clients."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType, Variant, unpack_variants
from dbus_fast.aio import MessageBus
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, JOB_INTERFACE, PATH
from raidwright.core.protocol.verb import Verb
from raidwright_helper.host.etc_files import Below
from raidwright_helper.host.host import Host
from raidwright_helper.service.service import Service, ServiceSettings
from raidwright_helper.verbs.alert_verbs import AlertVerbs
from raidwright_helper.verbs.array_verbs import ArrayVerbs
from raidwright_helper.verbs.change_verbs import ChangeVerbs
from raidwright_helper.verbs.check_verbs import CheckVerbs
from raidwright_helper.verbs.disk_verbs import Verbs
from raidwright_helper.verbs.method import Method
from raidwright_helper.verbs.replace_verbs import ReplaceVerbs
from raidwright_helper.verbs.rescue_verbs import RescueVerbs
from raidwright_helper.verbs.start_verbs import StartVerbs
from raidwright_helper.verbs.system_verbs import SystemVerbs

from .fake_polkit import Answer, FakePolkit
from .private_bus import PrivateBus

PATIENCE_S = 60.0  # generous: a busy computer may take its time


_KINDS = (
    *(Verbs, ArrayVerbs, StartVerbs, CheckVerbs, ReplaceVerbs, ChangeVerbs, SystemVerbs, RescueVerbs, AlertVerbs),
)


def _methods() -> Iterator[Method]:
    for kind in _KINDS:
        yield from kind(*[None] * len(fields(kind))).table()  # type: ignore[arg-type]


METHODS = tuple(_methods())  # without a host: for inspection only


class Client:
    """A bus client. ``signals`` are all signals received, unpacked."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.signals: asyncio.Queue[Message] = asyncio.Queue()
        bus.add_message_handler(self._on_message)

    @property
    def name(self) -> str:
        """The client's unique name."""
        return str(self.bus.unique_name)

    def _on_message(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.interface == JOB_INTERFACE:
            self.signals.put_nowait(message)

    async def call(
        self,
        member: str,
        signature: str = "",
        *body: Any,
        path: str = PATH,
        interface: str = INTERFACE,
        interactive: bool = False,
    ) -> Message:
        """Call the helper; return its reply, which may be an error."""
        message = Message(
            destination=BUS_NAME,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
            flags=MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION if interactive else MessageFlag.NONE,
        )
        return await asyncio.wait_for(self.bus.call(message), PATIENCE_S)

    async def ask(self, verb: Verb[Any], *body: Any) -> Message:
        """Call a verb of the helper."""
        return await self.call(verb.name, verb.signature, *body)

    async def signal(self, *members: str) -> Message:
        """Return the next signal of a job with one of the names ``members``."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                message = await self.signals.get()
                if message.member in members:
                    message.body = unpack_variants(message.body)
                    return message


async def is_owned(bus: MessageBus, name: str) -> bool:
    """Return whether somebody on the bus has ``name``."""
    reply = await bus.call(
        Message(
            destination="org.freedesktop.DBus",
            path="/org/freedesktop/DBus",
            interface="org.freedesktop.DBus",
            member="NameHasOwner",
            signature="s",
            body=[name],
        )
    )
    return bool(reply.body[0])


class House:
    """A bus with the helper on it; ``root`` is the helper's whole host."""

    def __init__(self, bus: PrivateBus, root: Path) -> None:
        self._bus = bus
        self.root = root
        self.polkit = FakePolkit(bus.address)
        self.settings = ServiceSettings(
            bus.address,
            Host(root / "host"),
            root / "notes",
            root / "backups",
            root / "checks",
            root / "changes",
            60.0,
            Below(root / "host"),
            root / "members",
            root / "rescue",
            root / "alerts",
            root / "ends",
        )
        self._stack = contextlib.AsyncExitStack()

    async def client(self) -> Client:
        """Return a new client."""
        bus = await MessageBus(bus_address=self._bus.address).connect()
        self._stack.callback(bus.disconnect)
        return Client(bus)

    @contextlib.asynccontextmanager
    async def open(self, answer: Answer | None = Answer.YES) -> AsyncIterator[Client]:
        """Start everything, without polkit if ``answer`` is None; yield a first client. All ends with the block."""
        async with self._stack:
            if answer is not None:
                self.polkit.answer = answer
                await self.polkit.start()
                self._stack.callback(self.polkit.stop)
            bus = await MessageBus(bus_address=self._bus.address).connect()
            running = asyncio.create_task(Service(bus, self.settings).run())
            self._stack.push_async_callback(_end, running, bus)
            client = await self.client()
            await _wait_for_name(client)
            yield client


async def _end(running: asyncio.Task[None], bus: MessageBus) -> None:
    bus.disconnect()  # the service ends with its bus, and with it everything that it started
    await asyncio.wait_for(running, PATIENCE_S)


async def _wait_for_name(client: Client) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await client.call("Ping", interface="org.freedesktop.DBus.Peer")).message_type is MessageType.ERROR:
            await asyncio.sleep(0.02)


def put_disk(root: Path, name: str, disk_id: str, model: str, serial: str, size_bytes: int) -> None:
    """Add a free disk, ``sda`` to ``sdz``, to the host below ``root``, as in sysfs and udev."""
    minor = (ord(name[-1]) - ord("a")) * 16
    folder = put_device(root, name, 8, minor, {"size": str(size_bytes // 512), "device/model": model})
    (folder / "device").mkdir(exist_ok=True)
    record = f"S:disk/by-id/{disk_id}\nE:ID_SERIAL_SHORT={serial}\nE:ID_MODEL={model}\n"
    put_text(root / f"run/udev/data/b8:{minor}", record)


def put_array(root: Path, name: str, uuid: str, array_name: str) -> None:
    """Add a running array, ``md0`` to ``md9``."""
    minor = int(name[-1])
    put_device(root, name, 9, minor, {"size": "2048", "md/level": "raid1"})
    put_text(root / f"run/udev/data/b9:{minor}", f"E:MD_UUID={uuid}\nE:MD_NAME=nas:{array_name}\n")


def put_device(root: Path, name: str, major: int, minor: int, attributes: dict[str, str]) -> Path:
    """Make a block device in sysfs; return its folder."""
    folder = root / "sys/block" / name
    for attribute, text in ({"dev": f"{major}:{minor}", "uevent": f"DEVNAME={name}"} | attributes).items():
        put_text(folder / attribute, text)
    link = root / f"sys/dev/block/{major}:{minor}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder)
    return folder


def put_text(path: Path, text: str) -> None:
    """Write a file and make its parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def variants(value: dict[str, Any]) -> dict[str, Variant]:
    """Return plain values as ``a{sv}``."""
    return {key: _variant(item) for key, item in value.items() if item is not None}


def _variant(value: Any) -> Variant:
    match value:
        case bool():
            return Variant("b", value)
        case int():
            return Variant("x", value)
        case list():
            return Variant("av", [_variant(item) for item in value])
        case dict():
            return Variant("a{sv}", variants(value))
    return Variant("s", value)


def a_plan(**changes: Any) -> dict[str, Variant]:
    """Return a valid plan for two non-existent disks, in the wire format."""
    members = [
        {"id": f"wwn-0x500{n}", "model": "WD80EFZX", "serial": f"ZHZ{n}", "size_bytes": 8 * 10**12} for n in (1, 2)
    ]
    return variants({"version": 1, "name": "tank", "level": "raid1", "members": members} | changes)
