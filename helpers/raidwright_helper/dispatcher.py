"""The one door: a table of verbs, and for each call the same way through.

Look up, check the types, ask polkit, run. A verb can't be reached around the question, and the question can't be
forgotten by a verb.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType, unpack_variants
from dbus_fast.aio import MessageBus
from raidwright.core.errors import Denied, JobFailed, RaidwrightError

from .journal import Record
from .polkit import Authority
from .wire import (
    INTERFACE,
    INTROSPECTABLE,
    JOB_INTERFACE,
    JOBS_PATH,
    PATH,
    PEER,
    Busy,
    UnknownMethod,
    WrongSignature,
    ascii_text,
    error_name,
    introspection,
    to_wire,
)

_LOG = logging.getLogger("raidwright-helper")
MOST_CALLS_OF_ONE = 16
MOST_CALLS_OF_A_USER = 64  # on however many connections
MOST_CALLS = 128


@dataclass(frozen=True, slots=True)
class Call:
    """A call that polkit let through. ``arguments`` are plain values of the verb's signature."""

    sender: str
    uid: int
    arguments: Sequence[Any]


Run = Callable[[Call], Awaitable[Sequence[object]]]


def _no_details(_arguments: Sequence[Any]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Verb:
    """A method: the types it takes and gives, what polkit is asked, and what runs.

    ``action`` may depend on the arguments; None is for what only a job's owner, whom polkit was asked about when
    the job began, can do. ``action`` and ``details`` see unchecked arguments and must not raise.
    """

    takes: str
    gives: str
    action: Callable[[Sequence[Any]], str] | str | None
    run: Run
    details: Callable[[Sequence[Any]], Mapping[str, str]] = _no_details

    def action_for(self, arguments: Sequence[Any]) -> str | None:
        """What polkit is asked for a call with ``arguments``."""
        return self.action(arguments) if callable(self.action) else self.action


class Dispatcher:
    """Answers every method call on ``bus`` from the table ``verbs``; set ``handle`` as its message handler."""

    def __init__(self, bus: MessageBus, authority: Authority, verbs: Mapping[str, Verb], on_idle: Callable[[], object]):
        self._bus = bus
        self._authority = authority
        self._verbs = verbs
        self._on_idle = on_idle
        self._calls: dict[asyncio.Task[None], str] = {}  # the senders of the calls under way
        self._of_users: Counter[int] = Counter()  # how many of them have come to the question, by uid

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self._calls)

    def handle(self, message: Message) -> bool:
        """dbus-fast's raw handler; it never raises. True: this one is ours to answer."""
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        sender = str(message.sender)
        if len(self._calls) >= MOST_CALLS or Counter(self._calls.values())[sender] >= MOST_CALLS_OF_ONE:
            self._refuse(message, Busy("Too many questions at once; wait for the answers.", code="flood"))
            return True
        task = asyncio.get_running_loop().create_task(self._answer(message))
        self._calls[task] = sender
        task.add_done_callback(self._forget)
        return True

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._calls[task]
        self._on_idle()

    async def caller_vanished(self, sender: str) -> None:
        """Drop the calls of a caller that has left the bus, a question to polkit included."""
        calls = [task for task, owner in self._calls.items() if owner == sender]
        for task in calls:
            task.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _answer(self, message: Message) -> None:
        try:
            signature, body = await self._result(message)
        except RaidwrightError as error:
            self._refuse(message, error)
        except Exception:  # noqa: BLE001  # the boundary: the caller gets a sentence, the journal the traceback
            _LOG.exception("a verb broke")
            self._refuse(message, JobFailed("The helper itself broke; its journal says where.", code="bug"))
        else:
            if _wants_reply(message):
                self._bus.send(Message.new_method_return(message, signature, list(body)))

    async def _result(self, message: Message) -> tuple[str, Sequence[object]]:
        if message.interface == INTROSPECTABLE and message.member == "Introspect":
            return "s", [introspection(str(message.path))]
        if message.interface == PEER and message.member == "Ping":
            return "", []
        verb, arguments = self._look_up(message)
        call = Call(str(message.sender), await self._uid_of(str(message.sender)), arguments)
        with self._place_for(call.uid):
            return verb.gives, await self._permitted(str(message.member), verb, call, message.flags)

    async def _permitted(self, member: str, verb: Verb, call: Call, flags: MessageFlag) -> Sequence[object]:
        action = verb.action_for(call.arguments)
        try:
            if action is not None:
                interactive = bool(flags & MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION)
                details = verb.details(call.arguments)
                await self._authority.require(call.sender, action, details, interactive=interactive)
            return await verb.run(call)
        except RaidwrightError as error:  # what isn't let through is for the journal, too
            Record(member, call.uid).write(error.code)
            raise

    @contextlib.contextmanager
    def _place_for(self, uid: int) -> Iterator[None]:
        """One of the user's places, lest a user with many connections and open prompts takes all that there are."""
        if self._of_users[uid] >= MOST_CALLS_OF_A_USER:
            raise Busy("Too many questions at once; wait for the answers.", code="flood")
        self._of_users[uid] += 1
        try:
            yield
        finally:
            self._of_users[uid] -= 1

    def _look_up(self, message: Message) -> tuple[Verb, Sequence[Any]]:
        """The verb that is meant and its arguments; a job's own Cancel is the service's, said of that job."""
        verb = self._verbs.get(str(message.member))
        takes, arguments = verb.takes if verb else "", unpack_variants(message.body)
        on_service = message.path == PATH and message.interface == INTERFACE
        on_job = str(message.path).startswith(f"{JOBS_PATH}/") and message.interface == JOB_INTERFACE
        if on_job and message.member == "Cancel":
            takes, arguments = "", [str(message.path), *arguments]
        elif not on_service:
            verb = None
        if verb is None:
            raise UnknownMethod(f"{message.interface}.{message.member} is not a method of this object.")
        if message.signature != takes:
            raise WrongSignature(f"{message.member} takes ({takes}), not ({message.signature}).", code="signature")
        return verb, arguments

    async def _uid_of(self, sender: str) -> int:
        reply = await self._bus.call(
            Message(
                destination="org.freedesktop.DBus",
                path="/org/freedesktop/DBus",
                interface="org.freedesktop.DBus",
                member="GetConnectionUnixUser",
                signature="s",
                body=[sender],
            )
        )
        if reply.message_type is not MessageType.METHOD_RETURN:
            raise Denied("The caller has left the bus.", code="denied-gone")
        return int(reply.body[0])

    def _refuse(self, message: Message, error: RaidwrightError) -> None:
        if not _wants_reply(message):
            return
        self._bus.send(
            Message(
                message_type=MessageType.ERROR,
                destination=message.sender,
                reply_serial=message.serial,
                error_name=error_name(error),
                signature="ssa{sv}",
                body=[ascii_text(error.sentence), error.code, to_wire(error.fields)],
            )
        )


def _wants_reply(message: Message) -> bool:
    return not message.flags & MessageFlag.NO_REPLY_EXPECTED
