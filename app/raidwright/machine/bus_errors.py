"""Translation of D-Bus errors into our own exceptions.

  the helper's own                            → the class that was raised there (``core.protocol.errors``)
  NotAuthorized*, AccessDenied                → Denied
  DeviceBusy                                  → DiskRefused
  ServiceUnknown, NoReply, Disconnected, …    → Unreachable
  everything else                             → MachineError

The helper's messages are sentences for people and pass through, with the code and the fields that the helper
sends along; others get a sentence here.
"""

from __future__ import annotations

from typing import Any

from raidwright import __version__
from raidwright.core.errors import Denied, DiskRefused, MachineError, RaidwrightError, Unreachable
from raidwright.core.messages import say
from raidwright.core.protocol.errors import read_error
from raidwright.core.protocol.names import BUS_NAME
from raidwright.helper_package import install_command
from raidwright.machine.udisks.objects import UDISKS_NAME

_UDISKS = f"{UDISKS_NAME}.Error."
_DBUS = "org.freedesktop.DBus.Error."
_INSTALL_AFAR = "apt-get install ./raidwright-helper_*.deb"

# A service's description for people, and the remedy if it doesn't answer.
_SERVICES = {
    UDISKS_NAME: (say("UDisks2, the service that knows the disks,"), say("Install the package udisks2 there.")),
    BUS_NAME: (
        say("Raidwright's helper"),
        say("As root there, run: {command} (planning works without it).", command=install_command()),
    ),
}

_DENIED = {
    f"{_UDISKS}NotAuthorized": "denied",
    f"{_UDISKS}NotAuthorizedCanObtain": "denied",
    f"{_UDISKS}NotAuthorizedDismissed": "dismissed",
    "org.freedesktop.PolicyKit1.Error.NotAuthorized": "denied",
    f"{_DBUS}AccessDenied": "denied",
    f"{_DBUS}AuthFailed": "denied",
    f"{_DBUS}InteractiveAuthorizationRequired": "denied",
}

_UNREACHABLE = {
    f"{_DBUS}ServiceUnknown": "no-service",
    f"{_DBUS}NameHasNoOwner": "no-service",
    f"{_DBUS}Spawn.ServiceNotFound": "no-service",
    f"{_DBUS}NoReply": "no-reply",
    f"{_DBUS}Timeout": "no-reply",
    f"{_DBUS}TimedOut": "no-reply",
    f"{_DBUS}Disconnected": "no-reply",
    f"{_DBUS}NoServer": "no-reply",
}


def error_from_bus(name: str, body: list[Any], destination: str) -> RaidwrightError:
    """Return our exception for the D-Bus error ``name``, received from ``destination``.

    ``body`` begins with a text, by convention; the helper's continues with a code and fields (``ssa{sv}``).
    """
    text = body[0] if body and isinstance(body[0], str) else say("no reason was given")
    if (own := read_error(name, body)) is not None:
        return own
    if name in _DENIED:
        sentence = (
            say("The password dialog was closed, so nothing was done.")
            if _DENIED[name] == "dismissed"
            else say("You are not allowed to do this on that machine; ask its administrator, or connect as one.")
        )
        return Denied(sentence, code=_DENIED[name], dbus=name)
    if name == f"{_UDISKS}DeviceBusy":
        return DiskRefused("The device is in use: {text}.", code="busy", dbus=name, text=text)
    if name in _UNREACHABLE or name.startswith(f"{_DBUS}Spawn."):
        return unreachable(destination, _UNREACHABLE.get(name, "no-start"))
    return MachineError(
        "{service} answered with an error: {text}",
        code="bus-error",
        dbus=name,
        service=_service(destination)[0],
        text=text,
    )


_UNITS = {UDISKS_NAME: "udisks2", BUS_NAME: "raidwright-helper"}
_ABSENCE = {
    "no-service": say("{who} isn't installed on that machine. {way_out}"),
    "no-start": say("{who} is installed on that machine, but didn't start. There, “systemctl status {unit}” says why."),
    "no-reply": say("{who} doesn't answer. The machine may be very busy; try again."),
    "stopped": say("{who} has stopped; waiting for it to come back."),
    "vanished": say("{who} stopped in the middle of the work. Look at the array before trying again."),
}


def unreachable(destination: str, code: str) -> Unreachable:
    """Return the exception for a service that isn't there; ``code`` is one of ``_ABSENCE``."""
    who, way_out = _service(destination)
    fields = {"unit": _UNITS.get(destination, destination)} if code == "no-start" else {"way_out": way_out}
    return Unreachable(say(_ABSENCE[code], who=who, **fields), code=code, service=destination)


def other_version(verb: str, version: str) -> Unreachable:
    """Return the exception for a helper whose ``verb`` differs from ours; ``version`` is "" if it reports none."""
    return Unreachable(
        "Raidwright's helper on that machine is of version {theirs}, this program of {ours}, and {verb} is another "
        "thing to them. Install the same version on both; as root there: {command}.",
        code="other-version",
        theirs=version or say("unknown"),
        ours=__version__,
        verb=verb,
        command=_INSTALL_AFAR,
    )


def absent_afar() -> Unreachable:
    """Return the exception for a remote machine without the helper; the local install command doesn't apply there."""
    return Unreachable(
        "Raidwright's helper isn't installed on that machine. Take its package there and, as root there, run: "
        "{command} (planning works without it).",
        code="no-service",
        service=BUS_NAME,
        command=_INSTALL_AFAR,
    )


def connection_lost() -> Unreachable:
    """Return the exception for a bus that disconnected."""
    return Unreachable("The connection to the machine was lost.", code="disconnected")


def _service(destination: str) -> tuple[str, str]:
    return _SERVICES.get(
        destination,
        (say("The service {destination}", destination=destination), say("Check that it is installed and running.")),
    )
