"""The one door: a table of verbs, and for each call the same way through.

Look up, check the types, find a place, read the arguments, ask polkit, run. A verb can't be reached around the
question, and the question can't be forgotten by a verb.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus
from raidwright.core.errors import Denied, JobFailed, RaidwrightError

from .journal import Record
from .places import Place, Places
from .polkit import Authority
from .reading import MOST_BODY_BYTES, Incoming
from .wire import (
    INTERFACE,
    INTROSPECTABLE,
    JOB_INTERFACE,
    JOBS_PATH,
    PATH,
    PEER,
    Busy,
    TooLong,
    UnknownMethod,
    WrongSignature,
    ascii_text,
    error_name,
    introspection,
    to_wire,
)

_LOG = logging.getLogger("raidwright-helper")
MOST_CALLS_OF_ONE = 16  # of a connection
MOST_CALLS = 1024  # before it is known whose they are


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
    """Answers method calls on ``bus`` from the table ``verbs``."""

    def __init__(self, bus: MessageBus, authority: Authority, verbs: Mapping[str, Verb], on_idle: Callable[[], object]):
        self._bus = bus
        self._authority = authority
        self._verbs = verbs
        self._on_idle = on_idle
        self._calls: dict[asyncio.Task[None], str] = {}  # the senders of the calls under way
        self._places = Places()

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self._calls)

    def handle(self, call: Incoming) -> None:
        """Begin to answer ``call``; never raises."""
        if call.body_bytes > MOST_BODY_BYTES:
            most_kib = MOST_BODY_BYTES // 1024
            self._refuse(call, TooLong(f"No call is longer than {most_kib} KiB; this one wasn't read.", code="long"))
            return
        of_one = Counter(self._calls.values())[call.sender]
        if len(self._calls) >= MOST_CALLS or of_one >= MOST_CALLS_OF_ONE:
            self._refuse(call, _flood())
            return
        task = asyncio.get_running_loop().create_task(self._answer(call))
        self._calls[task] = call.sender
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._calls[task]
        self._on_idle()

    async def caller_vanished(self, sender: str) -> None:
        """Drop the calls of a caller that has left the bus, a question to polkit included."""
        calls = [task for task, owner in self._calls.items() if owner == sender]
        for task in calls:
            task.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _answer(self, call: Incoming) -> None:
        try:
            signature, body = await self._result(call)
        except RaidwrightError as error:
            self._refuse(call, error)
        except Exception:  # noqa: BLE001  # the boundary: the caller gets a sentence, the journal the traceback
            _LOG.exception("a verb broke")
            self._refuse(call, JobFailed("The helper itself broke; its journal says where.", code="bug"))
        else:
            if call.wants_reply:
                self._send(
                    Message(
                        message_type=MessageType.METHOD_RETURN,
                        destination=call.sender,
                        reply_serial=call.serial,
                        signature=signature,
                        body=list(body),
                    )
                )

    async def _result(self, incoming: Incoming) -> tuple[str, Sequence[object]]:
        if incoming.interface == INTROSPECTABLE and incoming.member == "Introspect":
            return "s", [introspection(incoming.path)]
        if incoming.interface == PEER and incoming.member == "Ping":
            return "", []
        verb, is_of_job = self._look_up(incoming)
        uid = await self._uid_of(incoming.sender)
        with self._places.of(uid, incoming.body_bytes) as place:
            try:
                # Only now: whoever sends much at once has it refused unread.
                arguments = [incoming.path] if is_of_job else incoming.body()
                call = Call(incoming.sender, uid, arguments)
                return verb.gives, await self._permitted(incoming, verb, call, place)
            except asyncio.CancelledError:
                if place.is_taken_away:
                    raise _flood() from None
                raise

    async def _permitted(self, incoming: Incoming, verb: Verb, call: Call, place: Place) -> Sequence[object]:
        action = verb.action_for(call.arguments)
        try:
            if action is not None:
                interactive = bool(incoming.flags & MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION)
                details = verb.details(call.arguments)
                with place.waiting():
                    await self._authority.require(call.sender, action, details, interactive=interactive)
            return await verb.run(call)
        except RaidwrightError as error:  # what isn't let through is for the journal, too
            Record(incoming.member, call.uid).write(error.code)
            raise

    def _look_up(self, call: Incoming) -> tuple[Verb, bool]:
        """The verb that is meant, and whether it is a job's own Cancel: the service's, said of that job."""
        verb = self._verbs.get(call.member)
        on_service = call.path == PATH and call.interface == INTERFACE
        on_job = call.path.startswith(f"{JOBS_PATH}/") and call.interface == JOB_INTERFACE and call.member == "Cancel"
        if verb is None or not (on_service or on_job):
            raise UnknownMethod(f"{call.interface}.{call.member} is not a method of this object.")
        takes = "" if on_job else verb.takes
        if call.signature != takes:
            raise WrongSignature(f"{call.member} takes ({takes}), not ({call.signature}).", code="signature")
        return verb, on_job

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

    def _refuse(self, call: Incoming, error: RaidwrightError) -> None:
        if not call.wants_reply:
            return
        self._send(
            Message(
                message_type=MessageType.ERROR,
                destination=call.sender,
                reply_serial=call.serial,
                error_name=error_name(error),
                signature="ssa{sv}",
                body=[ascii_text(error.sentence), error.code, to_wire(error.fields)],
            )
        )

    def _send(self, answer: Message) -> None:
        try:
            self._bus.send(answer)
        except OSError as error:  # the bus itself has gone, and the service ends with it
            _LOG.info("an answer came too late for the bus: %s", error)


def _flood() -> Busy:
    return Busy("Too many questions at once; wait for the answers.", code="flood")
