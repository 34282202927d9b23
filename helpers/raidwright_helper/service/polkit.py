"""Asking polkit, by the caller's bus name, and failing closed.

Source: polkit's D-Bus interface ``org.freedesktop.PolicyKit1.Authority`` (CheckAuthorization).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus
from raidwright.core.errors import Denied
from raidwright.core.messages import say
from raidwright.core.protocol.errors import NoPolkit

from raidwright_helper.jobs.bus_values import ascii_text

from .wire import send

_NAME = "org.freedesktop.PolicyKit1"
_PATH = "/org/freedesktop/PolicyKit1/Authority"
_INTERFACE = "org.freedesktop.PolicyKit1.Authority"
_ALLOW_USER_INTERACTION = 1
_ABSENT = (
    "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.Spawn.",
)
QUIET_SECONDS = 25.0
_NO_MARKUP = str.maketrans("<>&", "()+")  # some agents render the message as HTML (a QLabel, unless told not to)
PROMPT_SECONDS = 300.0  # a user may have to look for the password


class Authority:
    """polkit, as seen over ``bus``."""

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus

    async def require(self, sender: str, action: str, details: Mapping[str, str], *, interactive: bool) -> None:
        """Return if polkit authorises the bus name ``sender`` for ``action``; else raise Denied or NoPolkit.

        ``details`` fill the prompt's message. ``interactive`` lets polkit ask the user for a password.
        """
        ticket = f"raidwright-{secrets.token_hex(8)}"
        call = Message(
            destination=_NAME,
            path=_PATH,
            interface=_INTERFACE,
            member="CheckAuthorization",
            signature="(sa{sv})sa{ss}us",
            body=[
                ["system-bus-name", {"name": Variant("s", sender)}],
                action,
                {key: ascii_text(value).translate(_NO_MARKUP) for key, value in details.items()},
                _ALLOW_USER_INTERACTION if interactive else 0,
                ticket,
            ],
        )
        try:
            reply = await asyncio.wait_for(self._bus.call(call), PROMPT_SECONDS if interactive else QUIET_SECONDS)
        except (asyncio.CancelledError, TimeoutError) as ended:
            self._withdraw(ticket)
            if isinstance(ended, TimeoutError):
                raise Denied(
                    "Nobody answered the question for permission in time; ask again.", code="denied-timeout"
                ) from None
            raise
        _judge(reply, action)

    def _withdraw(self, ticket: str) -> None:
        """Cancel the polkit check, so that no dialog stays open for a caller that has gone."""
        send(
            self._bus,
            Message(
                destination=_NAME,
                path=_PATH,
                interface=_INTERFACE,
                member="CancelCheckAuthorization",
                flags=MessageFlag.NO_REPLY_EXPECTED,
                signature="s",
                body=[ticket],
            ),
        )


def _judge(reply: Message, action: str) -> None:
    if reply.message_type is not MessageType.METHOD_RETURN:
        if str(reply.error_name).startswith(_ABSENT):
            raise NoPolkit(
                "polkit isn't running here, so nobody can give permission; install and start polkitd.",
                code="no-polkit",
            )
        raise Denied("polkit could not say whether this is allowed, so it isn't.", code="denied-error", action=action)
    if reply.signature != "(bba{ss})":
        raise Denied("polkit gave an answer that can't be read, so this isn't allowed.", code="denied-error")
    allowed, could_be_asked, _details = reply.body[0]
    if allowed is True:
        return
    if could_be_asked:
        sentence = say(
            "This needs an administrator's permission, and there was nobody to ask for it. Log in as an administrator."
        )
    else:
        sentence = say("This needs an administrator's permission, and it was not given.")
    raise Denied(sentence, code="denied", action=action)
