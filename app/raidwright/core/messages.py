"""Translatable messages: English text together with its template and fields.

Code that has no user interface (the core, the helper, a table of names) makes a ``Message``. It is a ``str`` like any
other, for logs, records and comparisons; the user interface translates it with the catalogue
(``raidwright.text.catalogue``), which finds it by its template, gettext's msgid.

A template is written as for ``str.format``, with plain names in its braces and these formats beside Python's own:

    {size_bytes:size}     8.00 TB          {size_bytes:binary}   7.28 TiB
    {names}               a, b, c          {names:and}           a, b and c        {names:or}
    {fraction:.0%}        34%              {count:,}             1,234
"""

from __future__ import annotations

import functools
import string
from collections.abc import Mapping, Sequence
from typing import Any

from .sizes import binary_parts, decimal_parts

_SIZES = {"size": decimal_parts, "binary": binary_parts}


class Message(str):
    """A text in English. One without a template is of foreign origin and is shown unchanged.

    ``many`` and ``how_many`` are the plural form and its number, as for ngettext.
    """

    __slots__ = ("fields", "how_many", "many", "template")

    template: str
    fields: Mapping[str, object]
    many: str
    how_many: int

    def __new__(
        cls,
        english: str,
        template: str = "",
        fields: Mapping[str, object] | None = None,
        many: str = "",
        how_many: int = 0,
    ) -> Message:
        """Make the text ``english`` with its template and fields."""
        self = super().__new__(cls, english)
        self.template, self.fields, self.many, self.how_many = template, fields or {}, many, how_many
        return self


def say(template: str, /, **fields: object) -> Message:
    """Return the message of ``template`` with its fields; without any the template is verbatim, braces included."""
    return Message(ENGLISH.filled(template, fields), template, fields)


def say_count(one: str, many: str, count: int, /, **fields: object) -> Message:
    """Return ``one`` or ``many`` by ``count``, which both may name: “{count} disk”, “{count} disks”."""
    fields = {"count": count, **fields}
    return Message(ENGLISH.filled(one if count == 1 else many, fields), one, fields, many, count)


def sentences(several: Sequence[str]) -> Message:
    """Join sentences with spaces."""
    fields = {f"part_{number}": one for number, one in enumerate(several, 1)}
    return Message(" ".join(several), " ".join(f"{{{name}}}" for name in fields), fields)


@functools.cache  # a table says the same sentences about each of its rows, at each move of a slider
def _parts(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """Return ``template`` as texts, each with the field after it and its format."""
    parsed = string.Formatter().parse(template)
    return tuple((text, name, form or "") for text, name, form, _conversion in parsed)


class Wording:
    """Formatter of templates: the English rules; a language overrides the methods without an underscore."""

    def filled(self, template: str, fields: Mapping[str, object]) -> str:
        """Fill ``template`` with ``fields``. A missing field stays in its braces: an error's text must not fail.

        Fields are looked up by their whole name: a template can't access attributes or items.
        """
        if not fields:
            return template
        said = []
        for text, name, form in _parts(template):
            said.append(text)
            if name is not None:
                said.append(self.format_field(fields[name], form) if name in fields else f"{{{name}}}")
        return "".join(said)

    def word(self, text: str) -> str:
        """Return a text as used within another."""
        return text

    def number(self, digits: str) -> str:
        """Return ``digits`` as Python writes them, with the language's digits and separators."""
        return digits

    def percent(self, number: str) -> str:
        """Format a percentage: ``34%``."""
        return f"{number}%"

    def size(self, number: str, unit: str) -> str:
        """Format a size: ``8.00 TB``."""
        return f"{number} {unit}"

    def ending(self, last_sign: str, first: str, last: str) -> str:
        """Join “a, b” and “c” to ``a, b and c``; ``last_sign`` is “and” or “or”."""
        return f"{first} {last_sign} {last}"

    def comma(self, first: str, second: str) -> str:
        """Join two items of a list: ``a, b``."""
        return f"{first}, {second}"

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a value by ``format_spec``."""
        if type(value) in (list, tuple):  # not a type with a text of its own, like a version
            return self._listed(value, format_spec)
        if format_spec in _SIZES:
            number, unit = _SIZES[format_spec](value)
            return self.size(self.number(number), unit)
        if isinstance(value, (int, float)) and format_spec.endswith("%"):
            return self.percent(self.number(format(value * 100, f"{format_spec[:-1]}f")))
        if isinstance(value, (int, float)) and format_spec:
            return self.number(format(value, format_spec))
        return self.word(value if isinstance(value, str) else str(value))

    def _listed(self, values: Sequence[object], last_sign: str) -> str:
        words = [self.word(value if isinstance(value, str) else str(value)) for value in values]
        if last_sign and len(words) > 1:
            return self.ending(last_sign, functools.reduce(self.comma, words[:-1]), words[-1])
        return functools.reduce(self.comma, words) if words else ""


ENGLISH = Wording()


def packed(message: Message) -> dict[str, object]:
    """Return ``message`` as plain values, for the bus or JSON; ``unpacked`` reads them.

    Templates are escaped: the bus carries ASCII only (the helper's ``wire.ascii_text``), and the catalogue needs the
    exact template.
    """
    told: dict[str, object] = {"sentence": str(message)}
    if message.template:
        fields = {name: _packed_field(value) for name, value in message.fields.items()}
        told |= {"template": _escaped(message.template), "fields": fields}
    if message.many:
        told |= {"many": _escaped(message.many), "count": message.how_many}
    return told


def _packed_field(value: object) -> object:
    if isinstance(value, Message):
        return packed(value)
    if type(value) in (list, tuple):
        items: Sequence[object] = value  # type: ignore[assignment]  # the line above says so
        if any(isinstance(item, Message) for item in items):  # the bus has lists of one type
            return [packed(item if isinstance(item, Message) else Message(str(item))) for item in items]
        return [str(item) for item in items]
    return value if isinstance(value, (bool, int, float)) else str(value)


def unpacked(told: Mapping[str, Any]) -> Message:
    """Return the message that ``told`` was packed from, or its readable part if another version packed it."""
    sentence, template, many = (told.get(key) for key in ("sentence", "template", "many"))
    fields, count = told.get("fields"), told.get("count")
    if not (isinstance(template, str) and isinstance(fields, Mapping)):
        return Message(str(sentence))
    plural = (_unescaped(many), count) if isinstance(many, str) and isinstance(count, int) else ("", 0)
    known = {str(name): _unpacked_field(value) for name, value in fields.items()}
    return Message(str(sentence), _unescaped(template), known, *plural)


def _unpacked_field(value: object) -> object:
    if isinstance(value, Mapping):
        return unpacked(value)
    return [_unpacked_field(item) for item in value] if isinstance(value, list) else value


def _escaped(template: str) -> str:
    return template.encode("unicode_escape").decode("ascii")


def _unescaped(text: str) -> str:
    try:
        return text.encode("ascii").decode("unicode_escape")
    except UnicodeError:
        return ""  # not a template, so the sentence is shown unchanged
