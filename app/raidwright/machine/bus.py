"""Connection to a machine's system bus: typed calls with a time limit, signals, and uniform errors.

The only adapter to dbus-fast, of which only the low-level interface is used. Variants and bytes are unpacked here:
everything above sees plain values.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from dbus_fast.aio import MessageBus
from dbus_fast.auth import UID_NOT_SPECIFIED, AuthExternal
from dbus_fast.constants import MessageFlag, MessageType
from dbus_fast.errors import DBusFastError
from dbus_fast.message import Message
from dbus_fast.signature import Variant

from raidwright.core.errors import InputError, Unreachable
from raidwright.core.messages import say

from .bus_errors import connection_lost, error_from_bus, unreachable

DAEMON = "org.freedesktop.DBus"
DAEMON_PATH = "/org/freedesktop/DBus"
CALL_SECONDS = 10.0
_CONNECT_SECONDS = 10.0
_LATE = "org.freedesktop.DBus.Error.TimedOut"  # a service's start lasts longer than dbus-daemon waits, 25 s
_LATE_STARTS = 4  # each waits as long again; the start itself goes on meanwhile, by systemd


def owner_rule(name: str) -> str:
    """Return the match rule for the NameOwnerChanged of ``name``: its service appears or disappears."""
    return f"type='signal',sender='{DAEMON}',interface='{DAEMON}',member='NameOwnerChanged',arg0='{name}'"


def plain(value: Any) -> Any:
    """Return ``value`` from the wire without variants; byte strings (paths, device names) as text without their NUL."""
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode(errors="replace")
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class ReceivedSignal:
    """A received signal, its variants unpacked. ``sender`` is a unique name (``:1.42``), or the bus itself."""

    sender: str
    path: str
    interface: str
    member: str
    body: list[Any]


@dataclass(frozen=True, slots=True)
class BusCall:
    """A method call. ``interactive`` lets polkit ask for a password; such a call should have no time limit."""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: tuple[object, ...] = ()
    interactive: bool = False

    def message(self) -> Message:
        """The call as a dbus-fast message."""
        return Message(
            destination=self.destination,
            path=self.path,
            interface=self.interface,
            member=self.member,
            signature=self.signature,
            body=list(self.body),
            flags=MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION if self.interactive else MessageFlag.NONE,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its unpacked values, and the sender's unique name."""

    sender: str
    body: list[Any]


class IncomingCall:
    """A method call received by us; its handler must answer it once."""

    def __init__(self, message: Message, send: Callable[[Message], None]) -> None:
        self.sender = message.sender or ""
        self.interface = message.interface or ""
        self.member = message.member or ""
        self.body: list[Any] = plain(message.body)
        self._message = message
        self._send = send

    def reply(self) -> None:
        """Answer with an empty method return."""
        self._send(Message.new_method_return(self._message))

    def fail(self, name: str, text: str) -> None:
        """Answer with the D-Bus error ``name``."""
        self._send(Message.new_error(self._message, name, text))


class Bus:
    """One connection, made by ``Bus.connect``; it serves until ``close`` or until the peer disconnects."""

    def __init__(self, connection: MessageBus) -> None:
        self._connection = connection
        self._handlers: list[Callable[[ReceivedSignal | None], None]] = []
        self._answers: dict[int, asyncio.Future[Message | None]] = {}  # by serial; None: the connection ended
        self._served: dict[str, Callable[[IncomingCall], Coroutine[Any, Any, None]]] = {}  # by path
        self._serving: set[asyncio.Task[None]] = set()
        self._closed = asyncio.ensure_future(self._watch_end())
        connection.add_message_handler(self._receive)

    @classmethod
    async def connect(cls, address: str) -> Bus:
        """Connect to ``address`` (``unix:path=…``); raises Unreachable."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                # No uid is claimed: at the remote end of a relay or a tunnel it may differ from ours.
                connection = MessageBus(bus_address=address, auth=AuthExternal(uid=UID_NOT_SPECIFIED))
                await connection.connect()
        except (OSError, EOFError, DBusFastError) as error:
            sentence = say(
                "The machine's system bus can't be reached at {address}: {why}. Is it running?",
                address=address,
                why=_why(error),
            )
            raise Unreachable(sentence, code="no-bus", address=address) from error
        return cls(connection)

    async def _watch_end(self) -> None:
        with contextlib.suppress(OSError, EOFError, DBusFastError):  # the cause of the end doesn't matter
            await self._connection.wait_for_disconnect()  # type: ignore[no-untyped-call]
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(None)
        for handler in tuple(self._handlers):
            handler(None)

    @property
    def name(self) -> str:
        """Our unique name on this bus (``:1.42``)."""
        return self._connection.unique_name or ""

    def _receive(self, message: Message) -> bool:
        """Process a message; False if the connection itself should answer that there is no such object."""
        if message.message_type is MessageType.METHOD_CALL:
            return self._take_call(message)
        if message.message_type is not MessageType.SIGNAL:
            answer = self._answers.get(message.reply_serial or 0)
            if answer is not None and not answer.done():
                answer.set_result(message)
            return True
        signal = ReceivedSignal(
            sender=message.sender or "",
            path=message.path or "",
            interface=message.interface or "",
            member=message.member or "",
            body=plain(message.body),
        )
        for handler in tuple(self._handlers):
            handler(signal)
        return True

    def _take_call(self, message: Message) -> bool:
        take = self._served.get(message.path or "")
        if take is None:
            return False
        task = asyncio.create_task(take(IncomingCall(message, self._send)))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return True

    def _send(self, message: Message) -> None:
        if self._connection.connected:
            self._sent(message)

    @contextlib.contextmanager
    def serving(self, path: str, take: Callable[[IncomingCall], Coroutine[Any, Any, None]]) -> Iterator[None]:
        """While inside, ``take`` handles and answers every method call to the object at ``path``."""
        self._served[path] = take
        try:
            yield
        finally:
            del self._served[path]
            for task in self._serving:
                task.cancel()

    @contextlib.contextmanager
    def listening(self, handler: Callable[[ReceivedSignal | None], None]) -> Iterator[None]:
        """While inside, ``handler`` gets every signal that arrives, and None once when the connection ends."""
        self._handlers.append(handler)
        try:
            yield
        finally:
            self._handlers.remove(handler)

    async def subscribe(self, *rules: str) -> None:
        """Subscribe to the signals that match ``rules``; raises Unreachable."""
        calls = (BusCall(DAEMON, DAEMON_PATH, DAEMON, "AddMatch", "s", (rule,)) for rule in rules)
        await asyncio.gather(*(self.call(call) for call in calls))

    async def unsubscribe(self, *rules: str) -> None:
        """Undo ``subscribe``; a bus that is gone has dropped the rules already."""
        with contextlib.suppress(Unreachable):
            for rule in rules:
                await self.call(BusCall(DAEMON, DAEMON_PATH, DAEMON, "RemoveMatch", "s", (rule,)))

    async def call(self, call: BusCall, *, limit_seconds: float | None = CALL_SECONDS) -> Reply:
        """Call and wait for the answer; raises the exceptions of ``bus_errors`` for an error or a timeout."""
        if not self._connection.connected:
            raise connection_lost()
        try:
            async with asyncio.timeout(limit_seconds):
                answer = await self._exchange(call.message())
                for _ in range(_LATE_STARTS):
                    if answer is None or answer.error_name != _LATE or answer.sender != DAEMON:
                        break
                    answer = await self._exchange(call.message())  # it never arrived, so it may be sent again
        except TimeoutError:
            raise unreachable(call.destination, "no-reply") from None
        except (OSError, EOFError) as error:
            raise connection_lost() from error
        except DBusFastError as error:  # before it was sent: a value that its type can't hold
            raise InputError("This can't be asked of the machine: {why}.", code="wire", why=str(error)) from error
        if answer is None:
            raise connection_lost()
        if answer.message_type is MessageType.ERROR:
            raise error_from_bus(answer.error_name or "", plain(answer.body), call.destination)
        return Reply(sender=answer.sender or "", body=plain(answer.body))

    async def _exchange(self, message: Message) -> Message | None:
        # Not dbus-fast's own call(): on a broken connection it leaves an exception that can't be retrieved.
        message.serial = self._connection.next_serial()
        answer: asyncio.Future[Message | None] = asyncio.get_running_loop().create_future()
        self._answers[message.serial] = answer
        try:
            await self._sent(message)
            return await answer
        finally:
            del self._answers[message.serial]

    def _sent(self, message: Message) -> asyncio.Future[None]:
        """Send; the future fails with OSError where the connection is broken.

        Not dbus-fast's own send(): where the first write fails it goes on to watch the socket that it has just closed,
        raises for that, and leaves its future, with its exception, to nobody.
        """
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sent.add_done_callback(_let_go)
        message.serial = message.serial or self._connection.next_serial()
        writer = self._connection._writer
        assert writer is not None  # noqa: S101 -- narrows the type; made by connect()
        try:
            writer.schedule_write(message, sent)
        except OSError as error:
            if not sent.done():
                sent.set_exception(error)
        return sent

    def send(self, call: BusCall) -> None:
        """Call without waiting; no reply is expected."""
        message = call.message()
        message.flags |= MessageFlag.NO_REPLY_EXPECTED
        self._send(message)

    async def wait_closed(self) -> None:
        """Return when the connection has ended, from either side."""
        await asyncio.shield(self._closed)

    async def close(self) -> None:
        """End the connection and wait until it has ended."""
        self._connection.disconnect()
        await self.wait_closed()


def _let_go(sent: asyncio.Future[None]) -> None:
    """Retrieve the exception of a failed send; the end of the connection is reported elsewhere."""
    if not sent.cancelled():
        sent.exception()


def _why(error: Exception) -> str:
    """Return a failed connection's reason, without Python's error numbers."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or say("it does not answer")
