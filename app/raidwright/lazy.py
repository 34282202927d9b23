"""Lazily made parts: attributes that are made at their first use, and can be asked whether they have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

_OWNER = TypeVar("_OWNER")
_PART = TypeVar("_PART")


class Lazy(Generic[_OWNER, _PART]):
    """Decorator of a method that makes a part: the attribute is made at its first use, and then stays the same.

    ``Window.plan.made(window)`` is the part, or None before that.
    """

    def __init__(self, make: Callable[[_OWNER], _PART]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> Self: ...

    @overload
    def __get__(self, owner: _OWNER, kind: type[Any]) -> _PART: ...

    def __get__(self, owner: _OWNER | None, kind: type[Any]) -> Self | _PART:
        """Python: make the part; later uses find it in ``owner`` itself, before the class."""
        if owner is None:
            return self
        part = vars(owner)[self._name] = self._make(owner)
        return part

    def made(self, owner: _OWNER) -> _PART | None:
        """Return the part of ``owner`` if it has been made."""
        return vars(owner).get(self._name)
