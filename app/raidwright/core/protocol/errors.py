"""The errors that travel: each class with the name that the bus knows it by, and arrives as again.

The classes of ``core.errors``, and those that only a bus has:

    InputError
    ├── NoSuchJob         Cancel, of a job that isn't the caller's
    ├── UnknownMethod     not in the table
    ├── WrongSignature    in the table, with other types
    └── TooLong           longer than any call is
    MachineError
    ├── Busy              another job has the disk, or the caller asks too much at once
    └── Unreachable
        └── NoPolkit      polkit isn't there to be asked

A method's error has a sentence, a code and fields for its body (``ssa{sv}``). A job that failed says code, sentence and
fields; among these is the class's name, under ``error``. The sentence is English; what it was made of, for whoever says
it in another language, is under ``message`` (``core.messages``).
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
_CLASS = "error"  # where a failed job's fields have the class's name
_MESSAGE = "message"


class Busy(MachineError):
    """Another job has the disk, or the caller asks for too much at once."""


class NoSuchJob(InputError):
    """No job of this name belongs to the caller."""


class NoPolkit(Unreachable):
    """polkit isn't there to be asked; nothing is done without it."""


class UnknownMethod(InputError):
    """Not in the dispatcher's table."""


class WrongSignature(InputError):
    """In the table, with other types."""


class TooLong(InputError):
    """Longer than any call is."""


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
    """The codes by which a caller knows what to do next; all others are for the journal and for scripts."""

    ASLEEP = "disk-asleep"  # ask again with ``wake``
    SIGNATURE = "disk-signature"  # ``signatures``: what it carries, which a person may let go
    HOLDS = "array-holds-something"  # ``signatures``, of an array to be taken apart: what a person may give up
    CONFIGURED = "array-configured"  # DismantleArray takes the lines out, too


def name_of(error: RaidwrightError) -> str:
    """The bus's name of its class."""
    return next(ERROR_NAMES[kind] for kind in type(error).__mro__ if kind in ERROR_NAMES)


def fields_of(error: RaidwrightError) -> dict[str, object]:
    """Its plain fields, with what its sentence was made of."""
    return {**error.fields, _MESSAGE: packed(error.sentence)}


def failure_of(error: RaidwrightError) -> tuple[str, str, dict[str, object]]:
    """The body of Failed: code, sentence and plain fields."""
    return str(error.code), error.sentence, {**fields_of(error), _CLASS: name_of(error)}


def read_failure(code: str, sentence: str, fields: Mapping[str, Any]) -> RaidwrightError:
    """The error that a job failed with; JobFailed where it doesn't say (a helper of before)."""
    return _made(_CLASSES.get(str(fields.get(_CLASS)), JobFailed), sentence, code, fields)


def read_error(name: str, body: Sequence[Any]) -> RaidwrightError | None:
    """The helper's error ``name`` with its plain ``body``; None for a name, or a form of the bus's own, that isn't its.

    Where it has no code, one is made of the name: ``disk-refused``.
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
