"""The dispatcher: a table of verbs, and the same steps for each call.

Look up, check the types, reserve a place, read the arguments, ask polkit, run. No verb can be reached without the
polkit check, and no verb can forget it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus
from raidwright.core.errors import Denied, InputError, JobFailed, RaidwrightError
from raidwright.core.protocol.errors import SIGNATURE, Busy, TooLong, UnknownMethod, WrongSignature, fields_of, name_of
from raidwright.core.protocol.names import INTERFACE, INTROSPECTABLE, JOB_INTERFACE, JOBS_PATH, PATH
from raidwright.core.protocol.verb import CANCEL

from raidwright_helper.jobs.bus_values import ascii_text, to_wire, told
from raidwright_helper.jobs.journal import Record
from raidwright_helper.verbs.method import AuthorisedCall, Method

from .introspection import introspection
from .places import Places, WaitingPlace
from .polkit import Authority
from .reading import MAX_BODY_BYTES, MessageHeader
from .wire import PEER, send

_LOG = logging.getLogger("raidwright-helper")
MAX_CALLS_OF_ONE = 16  # per connection
MAX_CALLS = 1024  # before their user is known


class Dispatcher:
    """Dispatcher of method calls on ``bus`` by the table ``methods``.

    ``have_ended`` waits for cancelled jobs, and returns whether it helped.
    """

    def __init__(
        self,
        bus: MessageBus,
        authority: Authority,
        methods: Iterable[Method],
        on_idle: Callable[[], object],
        have_ended: Callable[[], Awaitable[bool]],
    ) -> None:
        self._bus = bus
        self._authority = authority
        self._methods = {method.verb.name: method for method in methods}
        self._on_idle = on_idle
        self._have_ended = have_ended
        self._calls: dict[asyncio.Task[None], str] = {}  # the senders of the calls in progress
        self._places = Places()

    @property
    def is_busy(self) -> bool:
        """True while a call is in progress."""
        return bool(self._calls)

    def has_call_of(self, sender: str) -> bool:
        """Return whether a call of ``sender``, a unique bus name, is in progress."""
        return sender in self._calls.values()

    def handle(self, call: MessageHeader) -> None:
        """Begin to answer ``call``; never raises."""
        if call.body_bytes > MAX_BODY_BYTES:
            most_kib = MAX_BODY_BYTES // 1024
            self._refuse(
                call,
                TooLong("No call is longer than {most_kib} KiB; this one wasn't read.", code="long", most_kib=most_kib),
            )
            return
        of_one = Counter(self._calls.values())[call.sender]
        if len(self._calls) >= MAX_CALLS or of_one >= MAX_CALLS_OF_ONE:
            self._refuse(call, _flood())
            return
        task = asyncio.get_running_loop().create_task(self._answer(call))
        self._calls[task] = call.sender
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._calls[task]
        self._on_idle()

    async def caller_vanished(self, sender: str) -> None:
        """Cancel the calls of a caller that has left the bus, including its polkit prompt."""
        calls = [task for task, owner in self._calls.items() if owner == sender]
        for task in calls:
            task.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _answer(self, call: MessageHeader) -> None:
        try:
            signature, body = await self._result(call)
        except RaidwrightError as error:
            self._refuse(call, error)
        except Exception:  # noqa: BLE001  # the boundary: the caller gets a sentence, the journal the traceback
            _LOG.exception("a verb broke")
            self._refuse(call, JobFailed("The helper itself broke; its journal says where.", code="bug"))
        else:
            if call.wants_reply:
                send(
                    self._bus,
                    Message(
                        message_type=MessageType.METHOD_RETURN,
                        destination=call.sender,
                        reply_serial=call.serial,
                        signature=signature,
                        body=list(body),
                    ),
                )

    async def _result(self, incoming: MessageHeader) -> tuple[str, Sequence[object]]:
        if incoming.interface == INTROSPECTABLE and incoming.member == "Introspect":
            return "s", [introspection(incoming.path)]
        if incoming.interface == PEER and incoming.member == "Ping":
            return "", []
        method, is_of_job = self._look_up(incoming)
        uid = await self._uid_of(incoming.sender)
        with self._places.of(uid, incoming.body_bytes) as place:
            try:
                # Only now: a flooding caller has its calls refused unread.
                arguments = [incoming.path] if is_of_job else incoming.body()
                call = AuthorisedCall(incoming.sender, uid, arguments)
                result = await self._permitted(incoming, method, call, place)
                gives = "".join(one.type for one in method.verb.gives)
                return gives, [told(result)] if gives else []
            except asyncio.CancelledError:
                if place.is_taken_away:
                    raise _flood() from None
                raise

    async def _permitted(
        self, incoming: MessageHeader, method: Method, call: AuthorisedCall, place: WaitingPlace
    ) -> object:
        action = method.action_for(call.arguments)
        try:
            request = _read(method, call.arguments)
            is_let = not isinstance(request, InputError) and method.is_let(call.sender, request)
            if action is not None and not is_let:
                interactive = bool(incoming.flags & MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION)
                known = defaultdict(lambda: "?") if isinstance(request, InputError) else method.details(request)
                details = {name: known[name] for name in action.details}
                with place.waiting():
                    await self._authority.require(call.sender, action.id, details, interactive=interactive)
            if isinstance(request, InputError):
                raise request
            return await self._run(method, replace(call, request=request))
        except RaidwrightError as error:  # refusals are for the journal, too
            Record(incoming.member, call.uid).write(error.code)
            raise

    async def _run(self, method: Method, call: AuthorisedCall) -> object:
        """Run the act; what a cancelled job still holds is waited for, since its caller may have left long ago."""
        try:
            return await method.run(call)
        except Busy as busy:
            if busy.code != "busy" or not await self._have_ended():
                raise
        return await method.run(call)

    def _look_up(self, call: MessageHeader) -> tuple[Method, bool]:
        """Return the method, and whether it is a job's own Cancel: the service's, applied to that job."""
        method = self._methods.get(call.member)
        on_service = call.path == PATH and call.interface == INTERFACE
        is_cancel = call.interface == JOB_INTERFACE and call.member == CANCEL.name
        on_job = is_cancel and call.path.startswith(f"{JOBS_PATH}/")
        if method is None or not (on_service or on_job):
            raise UnknownMethod(
                "{interface}.{member} is not a method of this object.", interface=call.interface, member=call.member
            )
        takes = "" if on_job else method.verb.signature
        if call.signature != takes:
            raise WrongSignature(
                "{member} takes ({takes}), not ({signature}).",
                code="signature",
                member=call.member,
                takes=takes,
                signature=call.signature,
            )
        return method, on_job

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

    def _refuse(self, call: MessageHeader, error: RaidwrightError) -> None:
        if not call.wants_reply:
            return
        send(
            self._bus,
            Message(
                message_type=MessageType.ERROR,
                destination=call.sender,
                reply_serial=call.serial,
                error_name=name_of(error),
                signature=SIGNATURE,
                body=[ascii_text(error.sentence), str(error.code), to_wire(fields_of(error))],
            ),
        )


def _read(method: Method, arguments: Sequence[Any]) -> Any:
    """Return the request, or the InputError of reading it."""
    try:
        return method.read(arguments)
    except InputError as error:
        return error


def _flood() -> Busy:
    return Busy("Too many questions at once; wait for the answers.", code="flood")
