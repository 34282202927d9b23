"""Serialisation of values for D-Bus: an ``a{sv}`` with an entry per field, by the field's type.

None is omitted, an enumeration is sent as its value, texts by name as lines ``name=value``, floats by name as
``a{sd}``, dataclasses of floats by name as ``a{sa{sd}}``, a tuple of dataclasses of scalars as an array of structures.
A newer helper may send fields unknown to this program, but never fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, astuple, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from raidwright.core.errors import JobFailed
from raidwright.core.messages import say

_Value = TypeVar("_Value")
_SCALARS: dict[Any, str] = {bool: "b", float: "d", str: "s"}
_LINES = Mapping[str, str]
_NUMBERS = tuple[tuple[str, int], ...]
_BY_NAME: dict[Any, str] = {_NUMBERS: "a{st}", Mapping[str, float]: "a{sd}"}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    type: Any  # without its None
    may_lack: bool
    default: object


def _field(name: str, hint: Any, default: object) -> _Field:
    parts = get_args(hint)
    is_optional = type(None) in parts
    inner = next(one for one in parts if one is not type(None)) if is_optional else hint
    may_lack = is_optional or default is not MISSING
    return _Field(name, inner, may_lack, None if default is MISSING else default)


def _look_at(kind: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(one.name, hints[one.name], one.default) for one in fields(kind))


_fields_of: Callable[[Any], tuple[_Field, ...]] = cache(_look_at)


def dump(value: Any) -> dict[str, tuple[str, Any]]:
    """Return the D-Bus type and plain value of each field of a dataclass; None is omitted."""
    told = ((one, getattr(value, one.name)) for one in _fields_of(type(value)))
    return {one.name: _dumped(one.type, item) for one, item in told if item is not None}


def _floats_by_name(kind: Any) -> Any:
    """Return the dataclass of a ``Mapping[str, dataclass]``; None for any other type."""
    parts = get_args(kind)
    return parts[1] if get_origin(kind) is Mapping and is_dataclass(parts[1]) else None


def _row(kind: Any) -> Any:
    """Return the dataclass of a ``tuple[dataclass, ...]``; None for any other type."""
    parts = get_args(kind)
    return parts[0] if get_origin(kind) is tuple and is_dataclass(parts[0]) else None


def _structure(kind: Any) -> str:
    """Return the D-Bus type of a dataclass of scalars."""
    types = (one.type for one in _fields_of(kind))
    letters = (get_args(one)[1] if get_origin(one) is Annotated else _SCALARS[one] for one in types)
    return f"({''.join(letters)})"


def _dumped(kind: Any, item: Any) -> tuple[str, Any]:
    if get_origin(kind) is Annotated:
        return get_args(kind)[1], item
    if kind is int or kind in _SCALARS:
        return _SCALARS.get(kind) or ("t" if item >= 0 else "x"), item
    if kind == _LINES:
        return "as", [f"{name}={text}" for name, text in item.items()]
    if kind in _BY_NAME:
        return _BY_NAME[kind], dict(item)
    if _floats_by_name(kind) is not None:
        return "a{sa{sd}}", {name: {key: value for key, (_, value) in dump(one).items()} for name, one in item.items()}
    return _dumped_tuple(kind, item) if get_origin(kind) is tuple else ("s", str(item))


def _dumped_tuple(kind: Any, items: Any) -> tuple[str, Any]:
    if (row := _row(kind)) is not None:
        return f"a{_structure(row)}", [list(astuple(one)) for one in items]
    return "as", list(map(str, items))


def read(kind: type[_Value], data: Mapping[str, Any]) -> _Value:
    """Return the value that ``dump`` made ``data`` of, its variants unpacked; raises JobFailed for incomplete data."""
    known: dict[str, Any] = {}
    for one in _fields_of(kind):
        if data.get(one.name) is None and not one.may_lack:
            sentence = say(
                "The helper's result lacks '{field}'; the helper there is older than this program.", field=one.name
            )
            raise JobFailed(sentence, code="result-shape")
        known[one.name] = one.default if data.get(one.name) is None else _read(one, data[one.name])
    return kind(**known)


def _read(field: _Field, item: Any) -> Any:
    kind = field.type
    try:
        if kind is float:
            return float(item)
        if kind == _LINES:
            return dict(line.split("=", 1) for line in item)
        if kind == _NUMBERS:
            return tuple(sorted(item.items()))
        if (floats := _floats_by_name(kind)) is not None:
            return {name: read(floats, told) for name, told in item.items()}
        if get_origin(kind) is tuple:
            row = _row(kind)
            return tuple(row(*one[: len(_fields_of(row))]) if row else get_args(kind)[0](one) for one in item)
        return kind(item) if isinstance(kind, type) and issubclass(kind, StrEnum) else item
    except ValueError as error:
        sentence = say(
            "The helper's result has a '{field}' that this program doesn't know; update the program.",
            field=field.name,
        )
        raise JobFailed(sentence, code="result-shape") from error
