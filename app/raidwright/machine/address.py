"""Machine addresses: ``local``, ``lab`` or ``lab:NAME``, ``ssh://host``, or a D-Bus address."""

from __future__ import annotations

import os
from typing import NamedTuple, get_args

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.lab.paths import living, living_called

from .connection import Role
from .ssh.host import SCHEME, parse_host

_SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket"
DEFAULT_ROLE = "admin"


class MachineAddress(NamedTuple):
    """A machine's ``title`` for people and its ``bus_address``: a D-Bus address, or ``ssh://host``.

    ``lab`` is a practice machine's name, "" for any other. Practice machines have their own colour everywhere.
    """

    title: str
    bus_address: str
    lab: str = ""

    @property
    def is_practice(self) -> bool:
        """True for a practice machine, where only md is real."""
        return bool(self.lab)


def parse_machine(text: str, *, role: str = DEFAULT_ROLE) -> MachineAddress:
    """Parse ``text``; raises InputError for an invalid address, or a lab that isn't running.

    ``role`` is the user on a practice machine's bus.
    """
    kind, _, rest = text.partition(":")
    if text == "local":
        return MachineAddress(say("This computer"), os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or _SYSTEM_BUS)
    if kind == "lab":
        return _practice(rest, role)
    if text.startswith("unix:"):
        return MachineAddress(text, text)
    if text.startswith(SCHEME):
        host = parse_host(text)
        return MachineAddress(host.title, host.address)
    raise InputError("“{text}” is not a machine; write local, lab, lab:NAME or ssh://host.", code="machine", text=text)


def _practice(name: str, role: str) -> MachineAddress:
    roles = get_args(Role)
    if role not in roles:
        raise InputError(
            "“{role}” is nobody on a practice machine; say one of {roles}.", code="role", role=role, roles=roles
        )
    found = living_called(name or _only_lab([each.name for each in living()]))
    return MachineAddress(say("Practice machine {name}", name=found.name), f"unix:path={found.bus(role)}", found.name)


def _only_lab(names: list[str]) -> str:
    match names:
        case [name]:
            return name
        case []:
            raise InputError("No practice machine runs; start one with “raidwright lab up”.", code="no-lab")
    raise InputError(
        "Several practice machines run; say which one, as lab:{name}. They are {names}.",
        code="which-lab",
        name=names[0],
        names=names,
    )
