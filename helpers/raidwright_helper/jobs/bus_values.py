"""Values and texts as the bus takes them: plain values as variants, and texts that dbus-fast can send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from dbus_fast import Variant
from raidwright.core.protocol.codec import dump

_MAX_LETTERS = 2**14
_PLAIN = str.maketrans({"“": '"', "”": '"', "’": "'", "–": "-", "—": "-", "−": "-", "×": "x", "…": "..."})


def ascii_text(text: str) -> str:
    """Return ``text`` in ASCII for the bus: typographic signs made plain, other letters escaped.

    Control characters become spaces, and overlong texts are cut. Letters are escaped since dbus-fast 1.84, which Debian
    12 has, writes a string's length in letters instead of bytes; the bus then disconnects the sender. So a caller could
    end the helper with one umlaut. Gone in 2.44; drop that with Debian 12.
    """
    plain = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode()
    return "".join(char if char.isprintable() else " " for char in plain[:_MAX_LETTERS])


def to_wire(values: Mapping[str, object]) -> dict[str, Variant]:
    """Return ``a{sv}`` of plain values: texts, booleans, integers (``t``, negative ``x``), floats, lists, and such."""
    return {key: _variant(value) for key, value in values.items() if value is not None}


def _number_type(value: float) -> str:
    if isinstance(value, int):
        return "b" if isinstance(value, bool) else "t" if value >= 0 else "x"
    return "d"


def _variant(value: object) -> Variant:
    match value:
        case bool() | int() | float():
            return Variant(_number_type(value), value)
        case Mapping():
            return Variant("a{sv}", to_wire(value))
        case Sequence() if not isinstance(value, str):
            return _listed(value)
    return Variant("s", ascii_text(str(value)))


def _listed(items: Sequence[object]) -> Variant:
    parts = [item for item in items if isinstance(item, Mapping)]
    if parts and len(parts) == len(items):
        return Variant("aa{sv}", [to_wire(part) for part in parts])
    return Variant("as", _ascii([str(item) for item in items]))


def told(value: object) -> Any:
    """Return the result of a verb or job for the bus: a value of the protocol, or lists or mappings of such."""
    if value is None:
        return {}
    if is_dataclass(value):
        return {name: Variant(kind, _ascii(item)) for name, (kind, item) in dump(value).items()}
    if isinstance(value, Mapping):
        return {key: told(item) for key, item in value.items()}
    return [told(item) for item in value] if isinstance(value, (list, tuple)) else _ascii(value)


def _ascii(item: Any) -> Any:
    if isinstance(item, list):
        return [_ascii(one) for one in item]
    return ascii_text(item) if isinstance(item, str) else item
