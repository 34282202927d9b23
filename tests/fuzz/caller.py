"""Client on the lab's bus that speaks raw D-Bus, with many calls in flight, and may disconnect at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import io
import struct
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from dbus_fast import Message, MessageType
from dbus_fast._private.unmarshaller import Unmarshaller

from .messages import Attack

_ANSWER_SECONDS = 60.0
_HEADER = struct.Struct("<III")


class Gone(Exception):
    """The bus has closed the connection."""


@dataclass(slots=True)
class Tally:
    """Outcome of a user's calls: ``answers`` by kind of attack and kind of answer, and ``faults``."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Number of calls."""
        return self.answers.total()


class Caller:
    """One connection. ``is_privileged``: whether an answer other than an error may come to what isn't harmless."""

    def __init__(self, tally: Tally, *, is_privileged: bool) -> None:
        self._tally = tally
        self._is_privileged = is_privileged
        self._serial = 0
        self._open: dict[int, Attack] = {}
        self._answered = asyncio.Event()
        self._has_ended = False  # the bus hung up; its relay may have done so by a reset, which is no end of file
        self._was_strange = False  # bytes were sent that the bus may hang up for

    @contextlib.asynccontextmanager
    async def connected(self, address: str) -> AsyncIterator[None]:
        """Be on the bus at ``address`` (``unix:path=…``); leaving is not announced."""
        self._reader, self._writer = await asyncio.open_unix_connection(address.removeprefix("unix:path="))
        self._writer.write(b"\0AUTH EXTERNAL 30\r\n")
        await self._reader.readline()
        self._writer.write(b"BEGIN\r\n")
        hello = Message(destination="org.freedesktop.DBus", path="/", interface="org.freedesktop.DBus", member="Hello")
        self._writer.write(self._bytes_of(hello))
        listening = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            self._writer.transport.abort()

    def _bytes_of(self, message: Message) -> bytearray:
        self._serial += 1
        message.serial = self._serial
        return bytearray(message._marshall(False))

    async def send(self, attack: Attack, *, most_in_flight: int) -> None:
        """Send it once fewer than ``most_in_flight`` calls wait for their answers; raises Gone."""
        await self._until_in_flight(most_in_flight - 1)
        data = self._bytes_of(attack.message)
        if attack.wants_reply:
            self._open[self._serial] = attack
        else:
            self._tally.answers[attack.kind, "none asked"] += 1
        self._was_strange |= attack.mutate is not None
        self._writer.write(attack.mutate(data) if attack.mutate else data)
        try:
            await self._writer.drain()
        except OSError:
            raise self._gone() from None

    async def finish(self) -> None:
        """Wait for the answers that are due; raises Gone."""
        await self._until_in_flight(0)

    def leave(self) -> None:
        """Stop waiting; what was open counts as left behind."""
        for attack in self._open.values():
            self._tally.answers[attack.kind, "left behind"] += 1
        self._open.clear()

    async def _until_in_flight(self, most: int) -> None:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                while len(self._open) > most:
                    self._answered.clear()
                    if self._has_ended:
                        raise self._gone()
                    await self._answered.wait()
        except TimeoutError:
            self._tally.faults += [
                f"no answer: {attack.kind}, {attack.message.member}" for attack in self._open.values()
            ]
            raise Gone from None

    def _gone(self) -> Gone:
        if not self._was_strange:
            self._tally.faults.append("thrown out by the bus for nothing")
        return Gone()

    async def _listen(self) -> None:
        try:
            while True:
                head = await self._reader.readexactly(16)
                body_bytes, _, fields_bytes = _HEADER.unpack_from(head, 4)
                rest = await self._reader.readexactly(fields_bytes + -fields_bytes % 8 + body_bytes)
                reading = Unmarshaller(io.BytesIO(head + rest))  # type: ignore[arg-type]  # it only reads
                message = reading.unmarshall()
                if message is not None and message.reply_serial in self._open:
                    self._judge(self._open.pop(message.reply_serial), message)
                self._answered.set()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the bus hung up, which whoever waits for an answer is told below
        except Exception as error:  # noqa: BLE001  # what came can't be read: whoever sent it is at fault, and we stop
            self._tally.faults.append(f"an answer that can't be read: {error!r}, {bytes(head + rest)[:200]!r}")
        finally:
            self._has_ended = True
            self._answered.set()

    def _judge(self, attack: Attack, reply: Message) -> None:
        name = "answered" if reply.message_type is MessageType.METHOD_RETURN else str(reply.error_name)
        self._tally.answers[attack.kind, name.rpartition(".")[2]] += 1
        if name == "answered" and not (attack.is_harmless or self._is_privileged):
            self._tally.faults.append(f"an ordinary user's {attack.message.member} was answered")
        texts = [part for part in reply.body if isinstance(part, str)] if name != "answered" else []
        if "bug" in texts:
            self._tally.faults.append(f"the helper broke at: {attack.kind}, {attack.message.member}")
        if name.startswith("org.raidwright") and not all(text.isascii() and text.isprintable() for text in texts):
            self._tally.faults.append(f"said back what can't be printed: {texts}")
        if name.endswith(("NoReply", "ServiceUnknown", "TimedOut")):
            self._tally.faults.append(f"the helper was gone: {attack.kind} got {name}")
