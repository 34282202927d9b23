"""Client of the privileged helper: plain values in, values out, jobs followed to their end.

The protocol is in ``core.protocol``. A job's signals are sent to its owner alone, so no match rule is needed for them;
listening starts before the call, because a job may emit signals before its path is known.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any

from dbus_fast.signature import Variant

from raidwright.core.errors import RaidwrightError, Unreachable
from raidwright.core.protocol import codec
from raidwright.core.protocol.errors import UnknownMethod, WrongSignature, read_failure
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, INTROSPECTABLE, JOB_INTERFACE, PATH, VERSION
from raidwright.core.protocol.verb import CANCEL, ENDED, FAILED, PROGRESS, SAMPLE, Verb
from raidwright.machine.bus import DAEMON, Bus, BusCall, ReceivedSignal, Reply, owner_rule
from raidwright.machine.bus_errors import absent_afar, connection_lost, other_version, unreachable

from .job_progress import JobProgress, OnUpdate, ignore

_CANCEL_SECONDS = 5.0
_EXAMINE_SECONDS = 30.0  # includes the helper's own start
_VERSION = re.compile(rf'<annotation name="{re.escape(VERSION)}" value="([0-9A-Za-z.+~-]{{1,40}})"/>')


class Helper:
    """The helper on one machine. On a remote machine (``afar``) examining may require a password, too.

    ``is_here``: it is this computer's, whose installer is the one that this program knows the path of.
    """

    def __init__(self, bus: Bus, *, afar: bool = False, is_here: bool = False) -> None:
        self._bus = bus
        self._afar = afar
        self._is_here = is_here

    async def do(self, verb: Verb[Any], *arguments: object, on_update: OnUpdate = ignore) -> Any:
        """Call ``verb`` and return its answer, or the result of the job that it starts.

        ``arguments`` are plain values of the verb's types. Raises Denied, Unreachable, InputError, DiskRefused and
        JobFailed; Denied also if a password would be needed for a verb that never prompts.
        """
        prompts = verb.prompts or self._afar
        call = _call(verb, *map(_on_the_wire, arguments), prompts=prompts)
        try:
            return await self._done(verb, call, on_update)
        except (UnknownMethod, WrongSignature) as error:
            raise other_version(verb.name, await self.version()) from error
        except Unreachable as error:
            if not self._is_here and error.code == "no-service":
                raise absent_afar() from error
            raise

    async def _done(self, verb: Verb[Any], call: BusCall, on_update: OnUpdate) -> Any:
        if verb.starts_job:
            return codec.read(verb.value, await self._follow_job(call, on_update))
        reply = await self._bus.call(call, limit_seconds=None if call.interactive else _EXAMINE_SECONDS)
        return _answer(verb, reply.body[0]) if verb.gives else None

    async def version(self) -> str:
        """Return the version that the helper reports; "" if it doesn't report one. Raises Unreachable."""
        reply = await self._bus.call(BusCall(BUS_NAME, PATH, INTROSPECTABLE, "Introspect"))
        found = _VERSION.search(str(reply.body[0]))
        return found[1] if found else ""

    async def _follow_job(self, call: BusCall, on_update: OnUpdate) -> dict[str, Any]:
        """Start the job of ``call``, and follow it to its result."""
        signals: asyncio.Queue[ReceivedSignal | None] = asyncio.Queue()
        await self._bus.subscribe(owner_rule(BUS_NAME))
        try:
            with self._bus.listening(signals.put_nowait):
                started = await self._start(call)
                try:
                    return await _follow(started, signals, on_update)
                except asyncio.CancelledError:
                    await self._cancel(started, signals)
                    raise
        finally:
            await self._bus.unsubscribe(owner_rule(BUS_NAME))

    async def _start(self, call: BusCall) -> Reply:
        """Start a job, without time limit, since a person may be typing a password."""
        starting = asyncio.ensure_future(self._bus.call(call, limit_seconds=None))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The password may still be entered: the job that then starts must be cancelled.
            starting.add_done_callback(self._abandon)
            raise

    def _abandon(self, starting: asyncio.Future[Reply]) -> None:
        if not starting.cancelled() and starting.exception() is None:
            self._bus.send(_cancel_call(starting.result()))

    async def _cancel(self, started: Reply, signals: asyncio.Queue[ReceivedSignal | None]) -> None:
        """Cancel the job, and wait a few seconds for it to confirm."""
        with contextlib.suppress(RaidwrightError, TimeoutError):  # it ended by itself, or is gone
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self._bus.call(_cancel_call(started))
                await _follow(started, signals, lambda _update: None)


def _call(verb: Verb[Any], *arguments: object, prompts: bool = False) -> BusCall:
    return BusCall(BUS_NAME, PATH, INTERFACE, verb.name, verb.signature, arguments, prompts)


def _cancel_call(started: Reply) -> BusCall:
    return _call(CANCEL, started.body[0])


async def _follow(started: Reply, signals: asyncio.Queue[ReceivedSignal | None], on_update: OnUpdate) -> dict[str, Any]:
    """Pass a job's updates on until it ends; return its result, or raise the error that it failed with."""
    while (signal := await signals.get()) is not None:
        if signal.sender == DAEMON and signal.member == "NameOwnerChanged":
            if signal.body[:2] == [BUS_NAME, started.sender]:
                raise unreachable(BUS_NAME, "vanished")
        elif (signal.sender, signal.path, signal.interface) == (started.sender, started.body[0], JOB_INTERFACE):
            match signal.member, signal.body:
                case PROGRESS.name, [step, fraction]:
                    on_update(JobProgress(step, fraction))
                case SAMPLE.name, [sample]:
                    on_update(codec.read(Sample, sample))
                case ENDED.name, [result]:
                    return dict(result)
                case FAILED.name, [code, sentence, fields]:
                    raise read_failure(code, sentence, fields)
    raise connection_lost()


def _answer(verb: Verb[Any], told: Any) -> Any:
    """Return the answer of a verb without a job as values of the protocol; disks with an empty answer are left out."""
    kind = verb.value
    match verb.gives[0].type:
        case "a{sv}":
            return codec.read(kind, told)
        case "aa{sv}":
            return tuple(codec.read(kind, one) for one in told)
        case "a{sa{sv}}":
            return {disk: codec.read(kind, found) for disk, found in told.items() if found}
        case "a{sa(sts)}":
            return {disk: tuple(kind(*one) for one in found) for disk, found in told.items()}
    raise NotImplementedError(verb.name)


def _on_the_wire(argument: object) -> object:
    """Convert a plain value to a method argument: dictionaries become ``a{sv}``."""
    match argument:
        case dict():
            return _variants(argument)
        case list():
            return [_on_the_wire(one) for one in argument]
    return argument


def _variants(value: dict[str, object]) -> dict[str, Variant]:
    """Convert to ``a{sv}``: None is left out, numbers and texts by their type."""
    return {key: _variant(item) for key, item in value.items() if item is not None}


def _variant(value: object) -> Variant:
    match value:
        case bool():
            return Variant("b", value)
        case int():
            return Variant("x", value)
        case float():
            return Variant("d", value)
        case list():
            return Variant("av", [_variant(item) for item in value])
        case dict():
            return Variant("a{sv}", _variants(value))
    return Variant("s", str(value))
