"""Reading untyped values (JSON, or what came over the bus) into typed ones, strictly and with names in the errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NoReturn, TypeVar

from .errors import InputError
from .messages import Message, say

_CHOICE = TypeVar("_CHOICE", bound=StrEnum)
_VALUE = TypeVar("_VALUE")
_KIND_NAMES: dict[type, Message] = {
    int: say("a whole number"),
    float: say("a number"),
    str: say("text"),
    bool: say("true or false"),
    list: say("a list"),
    dict: say("an object"),
}


def printable(text: str) -> str:
    """``text`` without control characters, at most 128 long: safe to log and to show."""
    return "".join(char for char in text if char.isprintable())[:128]


def loads_strictly(text: str, what: str) -> object:
    """The value that JSON ``text`` holds; raises InputError, with ``what`` for its subject.

    Python's own reader lets the last of two equal keys win, and takes NaN and Infinity, which JSON doesn't have.
    """

    def refuse_constant(word: str) -> NoReturn:
        raise InputError(
            "{what} says {word}, which is not a number in JSON; give a number.", code="plan-json", what=what, word=word
        )

    def without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            double = next(name for name in names if names.count(name) > 1)
            raise InputError(
                "{what} says “{double}” twice in one place; say it once.",
                code="plan-double",
                what=what,
                double=printable(double),
            )
        return found

    try:
        return json.loads(text, object_pairs_hook=without_doubles, parse_constant=refuse_constant)
    except RecursionError:
        raise InputError("{what} is nested too deeply to be one.", code="plan-json", what=what) from None
    except ValueError as error:
        raise InputError("{what} is not JSON: {why}.", code="plan-json", what=what, why=str(error)) from None


class Fields:
    """One JSON object being read: each key is taken once, and what is left over is refused.

    ``where`` names the object in sentences. Every reader raises InputError that names the key.
    """

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
            raise InputError("{where} must be an object with named values.", code="plan-type", where=where)
        self._rest = dict(data)
        self.where = where

    def take(self, key: str, kind: type[_VALUE]) -> _VALUE | None:
        """The value under ``key``, or None; its type must be exactly ``kind`` (a whole number serves as float)."""
        value = self._rest.pop(key, None)
        if value is None:
            return None
        if kind is float and type(value) is int:
            value = float(value) if abs(value) < 2**1000 else math.inf
        if type(value) is not kind:
            raise InputError(
                "{where}: “{key}” must be {kind}.",
                code="plan-type",
                where=self.where,
                key=key,
                kind=_KIND_NAMES[kind],
            )
        return value

    def require(self, key: str, kind: type[_VALUE]) -> _VALUE:
        """The value under ``key``, which must be there."""
        value = self.take(key, kind)
        if value is None:
            raise self._missing(key)
        return value

    def text(self, key: str) -> str | None:
        """Words, safe to show."""
        value = self.take(key, str)
        return None if value is None else printable(value)

    def positive(self, key: str) -> int | None:
        """A whole number above zero, or None."""
        value = self.take(key, int)
        if value is not None and not 0 < value < 2**63:
            raise InputError(
                "{where}: “{key}” must be a positive whole number.", code="plan-range", where=self.where, key=key
            )
        return value

    def count(self, key: str) -> int:
        """A whole number from zero on, which must be there."""
        value = self.require(key, int)
        if not 0 <= value < 2**63:
            raise InputError(
                "{where}: “{key}” must be a whole number from zero on.",
                code="plan-range",
                where=self.where,
                key=key,
            )
        return value

    def require_choice(self, key: str, choices: type[_CHOICE]) -> _CHOICE:
        """One of an enumeration's values, which must be there."""
        if (value := self.choice(key, choices)) is None:
            raise self._missing(key)
        return value

    def choice(self, key: str, choices: type[_CHOICE]) -> _CHOICE | None:
        """One of an enumeration's values, or None."""
        value = self.take(key, str)
        if value is None:
            return None
        try:
            return choices(value)
        except ValueError:
            known = ", ".join(choices)
            raise InputError(
                "{where}: “{key}” can't be “{value}”; it is one of {known}.",
                code="plan-choice",
                where=self.where,
                key=key,
                value=printable(value),
                known=known,
            ) from None

    def items(self, key: str, most: int) -> list[object]:
        """A list of at most ``most`` entries; empty when absent."""
        value: list[object] = self.take(key, list) or []
        if len(value) > most:
            raise InputError(
                "{where}: “{key}” has more than {most} entries.",
                code="plan-range",
                where=self.where,
                key=key,
                most=most,
            )
        return value

    def texts(self, key: str) -> list[str]:
        """A list of texts, safe to show, which must be there."""
        values = self.require(key, list)
        if not all(isinstance(value, str) for value in values):
            raise InputError("{where}: “{key}” must be a list of texts.", code="plan-type", where=self.where, key=key)
        return [printable(value) for value in values]

    def rest(self, key: str, read: Callable[[object], _VALUE]) -> _VALUE | None:
        """What ``read`` makes of the value under ``key``, or None when absent."""
        value = self._rest.pop(key, None)
        return None if value is None else read(value)

    def finish(self) -> None:
        """Refuse whatever key was not taken."""
        if self._rest:
            keys = ", ".join(f"“{printable(key)[:40]}”" for key in sorted(self._rest)[:5])
            raise InputError(
                "{where}: {keys} is not a key here; check the spelling or take it out.",
                code="plan-unknown-key",
                where=self.where,
                keys=keys,
            )

    def _missing(self, key: str) -> InputError:
        return InputError("{where}: “{key}” is missing.", code="plan-missing", where=self.where, key=key)
