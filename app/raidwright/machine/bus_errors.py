"""One place that turns what a bus answers into our own errors.

    NotAuthorized*, AccessDenied, Helper1 Denied      → Denied
    DeviceBusy, Helper1 DiskRefused                   → DiskRefused
    ServiceUnknown, NoReply, Disconnected, …          → Unreachable
    Helper1 BadInput                                  → InputError
    Helper1 JobFailed and NoSuchJob                   → JobFailed
    everything else                                   → MachineError

The helper's messages are sentences for people and pass through, with the code and the fields that the helper
sends along; others get a sentence here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidwright.core.errors import (
    Denied,
    DiskRefused,
    InputError,
    JobFailed,
    MachineError,
    RaidwrightError,
    Unreachable,
)
from raidwright.machine.udisks.objects import UDISKS_NAME

HELPER_NAME = "org.raidwright.Helper1"

_UDISKS = f"{UDISKS_NAME}.Error."
_DBUS = "org.freedesktop.DBus.Error."
_HELPER = "org.raidwright.Helper1.Error."

# What a service is to a person, and what helps when it doesn't answer.
_SERVICES = {
    UDISKS_NAME: ("UDisks2, the service that knows the disks,", "Install the package udisks2 there."),
    HELPER_NAME: ("Raidwright's helper", "Install Raidwright on that machine; planning works without it."),
}

_HELPER_ERRORS: dict[str, tuple[type[RaidwrightError], str]] = {
    f"{_HELPER}Denied": (Denied, "denied"),
    f"{_HELPER}BadInput": (InputError, "bad-input"),
    f"{_HELPER}DiskRefused": (DiskRefused, "disk-refused"),
    f"{_HELPER}Busy": (MachineError, "busy"),
    f"{_HELPER}NoSuchJob": (JobFailed, "no-such-job"),
    f"{_HELPER}JobFailed": (JobFailed, "job-failed"),
    f"{_HELPER}NoPolkit": (Unreachable, "no-polkit"),
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
    """Our error for the D-Bus error ``name``, answered for ``destination``.

    ``body`` begins with a text, by custom; the helper's goes on with a code and fields (``ssa{sv}``).
    """
    text = body[0] if body and isinstance(body[0], str) else "no reason was given"
    if name in _HELPER_ERRORS:
        kind, code = _HELPER_ERRORS[name]
        match body:
            case [_, str() as said, dict() as fields] if said:
                return kind(text, code=said, **_own_fields(fields))
        return kind(text, code=code)
    if name in _DENIED:
        sentence = (
            "The password dialog was closed, so nothing was done."
            if _DENIED[name] == "dismissed"
            else "You are not allowed to do this on that machine; ask its administrator, or connect as one."
        )
        return Denied(sentence, code=_DENIED[name], dbus=name)
    if name == f"{_UDISKS}DeviceBusy":
        return DiskRefused(f"The device is in use: {text}.", code="busy", dbus=name)
    if name in _UNREACHABLE or name.startswith(f"{_DBUS}Spawn."):
        return unreachable(destination, _UNREACHABLE.get(name, "no-start"))
    return MachineError(f"{_service(destination)[0]} answered with an error: {text}", code="bus-error", dbus=name)


def job_error(code: str, sentence: str, fields: Mapping[str, Any]) -> RaidwrightError:
    """Our error for a job that ended with ``Failed(code, sentence, fields)``; the sentence is the helper's."""
    kind = DiskRefused if code.startswith(("disk-", "array-", "configuration-")) else JobFailed
    return kind(sentence, code=code, **_own_fields(fields))


def _own_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in ("sentence", "code")}


_ABSENCE = {
    "no-service": "{who} isn't installed on that machine. {way_out}",
    "no-start": "{who} didn't start. {way_out}",
    "no-reply": "{who} doesn't answer. The machine may be very busy; try again.",
    "stopped": "{who} has stopped; waiting for it to come back.",
    "vanished": "{who} stopped in the middle of the work. Look at the array before trying again.",
}


def unreachable(destination: str, code: str) -> Unreachable:
    """The sentence for a service that isn't there; ``code`` is one of ``_ABSENCE``."""
    who, way_out = _service(destination)
    return Unreachable(_ABSENCE[code].format(who=who, way_out=way_out), code=code, service=destination)


def connection_lost() -> Unreachable:
    """The sentence for a bus that went away in the middle."""
    return Unreachable("The connection to the machine was lost.", code="disconnected")


def _service(destination: str) -> tuple[str, str]:
    return _SERVICES.get(destination, (f"The service {destination}", "Check that it is installed and running."))
