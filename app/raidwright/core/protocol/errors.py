"""Errors sent over D-Bus: each class with its D-Bus name, restored on arrival.

The classes of ``core.errors``, and those that only exist on the bus:

    InputError
        ├── NoSuchJob         Cancel of a job that isn't the caller's
    ├── UnknownMethod     not in the table
    ├── WrongSignature    in the table, with other types
        └── TooLong           longer than any valid call
    MachineError
        ├── Busy              another job has the disk, or the caller has too many requests
    └── Unreachable
                └── NoPolkit      polkit isn't running

A method's error has a sentence, a code and fields for its body (``ssa{sv}``). A failed job's has code, sentence and
fields, with the class's name under ``error``. The sentence is English; its template and fields, for translation, are
under ``message`` (``core.messages``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from raidwright.core.errors import (
    Denied,
    DiskRefused,
    InputError,
    JobFailed,
    MachineError,
    PlanRefused,
    RaidwrightError,
    Unreachable,
)
from raidwright.core.messages import Message, packed, say, unpacked

from .names import INTERFACE

ERRORS = f"{INTERFACE}.Error"
SIGNATURE = "ssa{sv}"
_DBUS = "org.freedesktop.DBus.Error"
_CLASS = "error"  # key of the class's name in a failed job's fields
_MESSAGE = "message"


class Busy(MachineError):
    """Another job has the disk, or the caller has too many requests."""


class NoSuchJob(InputError):
    """No job of this name belongs to the caller."""


class NoPolkit(Unreachable):
    """polkit isn't running; without it every action is denied."""


class UnknownMethod(InputError):
    """A method that isn't in the dispatcher's table."""


class WrongSignature(InputError):
    """A method in the table, called with other types."""


class TooLong(InputError):
    """A call longer than any valid one."""


ERROR_NAMES: Mapping[type[RaidwrightError], str] = {
    RaidwrightError: f"{ERRORS}.Failed",
    InputError: f"{ERRORS}.BadInput",
    PlanRefused: f"{ERRORS}.PlanRefused",
    NoSuchJob: f"{ERRORS}.NoSuchJob",
    UnknownMethod: f"{_DBUS}.UnknownMethod",
    WrongSignature: f"{_DBUS}.InvalidArgs",
    TooLong: f"{_DBUS}.LimitsExceeded",
    MachineError: f"{ERRORS}.MachineError",
    Busy: f"{ERRORS}.Busy",
    Denied: f"{ERRORS}.Denied",
    DiskRefused: f"{ERRORS}.DiskRefused",
    JobFailed: f"{ERRORS}.JobFailed",
    Unreachable: f"{ERRORS}.Unreachable",
    NoPolkit: f"{ERRORS}.NoPolkit",
}
_CLASSES = {name: kind for kind, name in ERROR_NAMES.items()}


class Code(StrEnum):
    """Codes that a caller handles; all others are for the journal and for scripts."""

    ASLEEP = "disk-asleep"  # call again with ``wake``
    SIGNATURE = "disk-signature"  # ``signatures``: the disk's contents, which the user may release for erasure
    HOLDS = "array-holds-something"  # likewise, of an array to be dismantled
    CONFIGURED = "array-configured"  # DismantleArray can remove the lines, too


def name_of(error: RaidwrightError) -> str:
    """Return the D-Bus name of the error's class."""
    return next(ERROR_NAMES[kind] for kind in type(error).__mro__ if kind in ERROR_NAMES)


def fields_of(error: RaidwrightError) -> dict[str, object]:
    """Return the error's plain fields, with the message of its sentence."""
    return {**error.fields, _MESSAGE: packed(error.sentence)}


def failure_of(error: RaidwrightError) -> tuple[str, str, dict[str, object]]:
    """Return the body of Failed: code, sentence and plain fields."""
    return str(error.code), error.sentence, {**fields_of(error), _CLASS: name_of(error)}


def read_failure(code: str, sentence: str, fields: Mapping[str, Any]) -> RaidwrightError:
    """Return the error of a failed job; JobFailed if no class is given (an older helper)."""
    return _made(_CLASSES.get(str(fields.get(_CLASS)), JobFailed), sentence, code, fields)


def read_error(name: str, body: Sequence[Any]) -> RaidwrightError | None:
    """Return the helper's error ``name`` with its plain ``body``; None for another name or an unknown body.

    An error without a code gets one from its name: ``disk-refused``.
    """
    kind = _CLASSES.get(name)
    match body:
        case [str() as sentence, str() as code, Mapping() as fields] if kind and code:
            return _made(kind, sentence, code, fields)
    if kind is None or not name.startswith(ERRORS):
        return None
    sentence = Message(body[0]) if body and isinstance(body[0], str) else say("no reason was given")
    short = name.removeprefix(f"{ERRORS}.")
    return kind(sentence, code=re.sub(r"(?<!^)(?=[A-Z])", "-", short).lower())


def _made(kind: type[RaidwrightError], sentence: str, code: str, fields: Mapping[str, Any]) -> RaidwrightError:
    own = {key: value for key, value in fields.items() if key not in ("sentence", "code", _CLASS, _MESSAGE)}
    told = fields.get(_MESSAGE)
    message = unpacked({**told, "sentence": sentence}) if isinstance(told, Mapping) else Message(sentence)
    return kind(message, code=code, **own)
