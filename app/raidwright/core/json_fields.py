"""Strict readers of untyped values (JSON or D-Bus) into typed ones, with names in the errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
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


def printable(text: str, most: int = 128) -> str:
    """Return ``text`` without control characters, at most ``most`` of them: safe to log and to show."""
    return "".join(char for char in text if char.isprintable())[:most]


def loads_strictly(text: str, what: str) -> object:
    """Parse the JSON ``text``; raises InputError, with ``what`` for its subject.

    Unlike Python's parser it refuses duplicate keys, NaN and Infinity, which JSON doesn't have.
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
    """One JSON object being read: each key is taken once, and keys left over are refused.

    ``where`` names the object in sentences. Every reader raises InputError that names the key.
    """

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
            raise InputError("{where} must be an object with named values.", code="plan-type", where=where)
        self._rest = dict(data)
        self.where = where

    def take(self, key: str, kind: type[_VALUE]) -> _VALUE | None:
        """Return the value under ``key``, or None; its type must be exactly ``kind`` (an integer also for float)."""
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
        """Return the value under ``key``, which is required."""
        value = self.take(key, kind)
        if value is None:
            raise self._missing(key)
        return value

    def text(self, key: str) -> str | None:
        """Return a text, safe to show, or None."""
        value = self.take(key, str)
        return None if value is None else printable(value)

    def positive(self, key: str) -> int | None:
        """Return a positive integer, or None."""
        value = self.take(key, int)
        if value is not None and not 0 < value < 2**63:
            raise InputError(
                "{where}: “{key}” must be a positive whole number.", code="plan-range", where=self.where, key=key
            )
        return value

    def count(self, key: str) -> int:
        """Return a non-negative integer, which is required."""
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
        """Return a member of an enumeration, which is required."""
        if (value := self.choice(key, choices)) is None:
            raise self._missing(key)
        return value

    def choice(self, key: str, choices: type[_CHOICE]) -> _CHOICE | None:
        """Return a member of an enumeration, or None."""
        value = self._word(key, tuple(choices))
        return None if value is None else choices(value)

    def require_word(self, key: str, known: Collection[str]) -> str:
        """Return one of the ``known`` words, which is required."""
        if (value := self._word(key, known)) is None:
            raise self._missing(key)
        return value

    def _word(self, key: str, known: Collection[str]) -> str | None:
        value = self.take(key, str)
        if value is not None and value not in known:
            raise InputError(
                "{where}: “{key}” can't be “{value}”; it is one of {known}.",
                code="plan-choice",
                where=self.where,
                key=key,
                value=printable(value),
                known=", ".join(known),
            )
        return value

    def items(self, key: str, most: int) -> list[object]:
        """Return a list of at most ``most`` entries; empty if absent."""
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
        """Return a list of texts, safe to show, which is required."""
        values = self.require(key, list)
        if not all(isinstance(value, str) for value in values):
            raise InputError("{where}: “{key}” must be a list of texts.", code="plan-type", where=self.where, key=key)
        return [printable(value) for value in values]

    def rest(self, key: str, read: Callable[[object], _VALUE]) -> _VALUE | None:
        """Return the value under ``key`` converted by ``read``, or None if absent."""
        value = self._rest.pop(key, None)
        return None if value is None else read(value)

    def finish(self) -> None:
        """Refuse keys that were not taken."""
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
