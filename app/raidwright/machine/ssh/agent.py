"""polkit authentication agent for a machine that is reached over ssh, answered by the local person.

Over ssh there is no desktop session with an agent. So we register as the agent of the remote process that holds our
connection to the bus (polkit's ``org.freedesktop.PolicyKit1.AuthenticationAgent``): the helper and UDisks2 ask polkit
about our bus name, and polkit looks for an agent by the name, its process and its session. Passwords go over ssh to
polkit's own ``polkit-agent-helper-1`` there, which asks PAM and reports to polkit; none is kept here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Sequence
from typing import Any

from dbus_fast.signature import Variant

from raidwright.core.errors import RaidwrightError
from raidwright.machine.bus import DAEMON, DAEMON_PATH, Bus, BusCall, IncomingCall
from raidwright.machine.prompts import Person

from .authentication import Dismissed, authenticate
from .tunnel import Tunnel

_POLKIT = "org.freedesktop.PolicyKit1"
_AUTHORITY = f"{_POLKIT}.Authority"
_AUTHORITY_PATH = "/org/freedesktop/PolicyKit1/Authority"
_INTERFACE = f"{_POLKIT}.AuthenticationAgent"
_PATH = "/org/raidwright/AuthenticationAgent"
_CANCELLED = f"{_POLKIT}.Error.Cancelled"
_LOG = logging.getLogger(__name__)


class _Agent:
    def __init__(self, bus: Bus, way: Tunnel, person: Person) -> None:
        self._bus, self._way, self._person = bus, way, person
        self._uid = -1
        self._polkit = ""  # polkit's unique name: only its calls are answered
        self._turns = asyncio.Lock()  # one question at a time
        self._asked: dict[str, asyncio.Task[None]] = {}  # by cookie

    async def register(self) -> None:
        """Register with polkit; raises RaidwrightError."""
        self._uid = await self._daemon_says("GetConnectionUnixUser", self._bus.name)
        if self._uid == 0:
            return  # polkit never prompts root
        await self._bus.call(BusCall(DAEMON, DAEMON_PATH, DAEMON, "StartServiceByName", "su", (_POLKIT, 0)))
        self._polkit = await self._daemon_says("GetNameOwner", _POLKIT)
        # The remote process with this connection: sshd's own for this login. polkit looks up its start time.
        pid = await self._daemon_says("GetConnectionUnixProcessID", self._bus.name)
        ourselves = ["unix-process", {"pid": Variant("u", pid), "start-time": Variant("t", 0)}]
        body = (ourselves, _locale(), _PATH)
        await self._bus.call(
            BusCall(_POLKIT, _AUTHORITY_PATH, _AUTHORITY, "RegisterAuthenticationAgent", "(sa{sv})ss", body)
        )

    async def _daemon_says(self, question: str, name: str) -> Any:
        return (await self._bus.call(BusCall(DAEMON, DAEMON_PATH, DAEMON, question, "s", (name,)))).body[0]

    async def take(self, call: IncomingCall) -> None:
        """Answer a call from polkit; refuse other senders."""
        if call.sender != self._polkit or call.interface != _INTERFACE:
            call.fail("org.freedesktop.DBus.Error.AccessDenied", "This is for polkit alone.")
            return
        match call.member, call.body:
            case "BeginAuthentication", [_action, str() as message, _icon, _details, str() as cookie, list() as who]:
                uids = [details["uid"] for kind, details in who if kind == "unix-user"]
                await self._begin(call, message, cookie, uids)
            case "CancelAuthentication", [str() as cookie]:
                if cookie in self._asked:
                    self._asked[cookie].cancel()
                call.reply()
            case _:
                call.fail("org.freedesktop.DBus.Error.UnknownMethod", "This is no method of an agent's.")

    async def _begin(self, call: IncomingCall, message: str, cookie: str, uids: Sequence[int]) -> None:
        if not uids:
            call.reply()  # no user to ask: polkit treats it as a refusal
            return
        uid = self._uid if self._uid in uids else uids[0]
        self._asked[cookie] = asyncio.create_task(self._ask(message, cookie, uid))
        try:
            await self._asked[cookie]
        except (asyncio.CancelledError, Dismissed, OSError):
            call.fail(_CANCELLED, "The question was not answered.")
        else:
            call.reply()
        finally:
            del self._asked[cookie]

    async def _ask(self, message: str, cookie: str, uid: int) -> None:
        async with self._turns:
            await authenticate(self._way, self._person, uid, cookie, message)


@contextlib.asynccontextmanager
async def agent(bus: Bus, way: Tunnel, person: Person) -> AsyncIterator[None]:
    """While inside, polkit's questions about actions over ``bus`` are put to ``person``.

    If polkit refuses the agent, no question is asked, and actions that need a password are denied as without it.
    """
    ours = _Agent(bus, way, person)
    with bus.serving(_PATH, ours.take):
        try:
            await ours.register()
        except RaidwrightError as error:
            _LOG.info("polkit's questions can't be answered here: %s", error)
        yield


def _locale() -> str:
    return next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "C")
