"""The catalogue of messages in the chosen language.

It is GNU gettext's: Python reads it without another package, Babel collects the messages, translators have their tools,
and a message has as many plural forms as its language. The command line, the window and the helper's errors share it,
which Qt's own couldn't: the command line doesn't wait for Qt, and the helper has none.

English is the source and needs no file; another language is ``resources/translations/LANG/LC_MESSAGES/raidwright.po``,
compiled when a checkout is set up and when a wheel is built. ``tr`` and ``ntr`` translate a text immediately;
``translated`` translates a ``Message`` made elsewhere (``core.messages``). Untranslated messages stay English.
"""

from __future__ import annotations

import functools
import gettext
import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from raidwright.core.messages import ENGLISH, Message, Wording, say
from raidwright.core.sizes import decimal_parts
from raidwright.resources import resource

DOMAIN = "raidwright"
_FIELD = re.compile(r"\{[^{}]*\}")
_SETTINGS = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # gettext(3): the first that is set counts
_SOURCE = ("en", "C", "POSIX")
_NOBODYS = "messages"  # gettext's default domain
UNITS = (
    *(say("B"), say("kB"), say("MB"), say("GB"), say("TB"), say("PB")),
    *(say("KiB"), say("MiB"), say("GiB"), say("TiB"), say("PiB")),
)


class _Unknown(gettext.NullTranslations):
    """Translations that return "" for untranslated messages."""

    def gettext(self, _message: str) -> str:
        return ""

    def ngettext(self, _msgid1: str, _msgid2: str, _n: int) -> str:
        return ""

    def pgettext(self, _context: str, _message: str) -> str:
        return ""


def _wordless(template: str) -> str:
    """Return ``template`` if it consists of fields only (``messages.sentences``), else ""."""
    return "" if any(map(str.isalpha, _FIELD.sub("", template))) else template


def _strung(pair: str, parts: Iterable[str]) -> str:
    """Join ``parts`` with the two-part template ``pair``, without empty ones."""
    said = [part for part in parts if part]
    return functools.reduce(lambda first, second: pair.format(first=first, second=second), said) if said else ""


class Catalogue(Wording):
    """The messages of a language, and the formatting of their fields. Without ``translations`` it is English.

    ``language`` is its code; ``binary_sizes``: sizes are shown in powers of 1024 instead of 1000.
    """

    def __init__(
        self,
        translations: gettext.NullTranslations | None = None,
        language: str = "en",
        *,
        binary_sizes: bool = False,
    ) -> None:
        self.language = language
        self.binary_sizes = binary_sizes
        self._translations = translations or gettext.NullTranslations()
        self._translations.add_fallback(_Unknown())
        self._templates: dict[str, str] = {}
        decimal, grouping = self._sign_of("decimal sign", "."), self._sign_of("digit grouping sign", ",")
        self._two_sentences = self._sign_of("two sentences", "{first} {second}")
        self._two_items = self._sign_of("two items", "{first}, {second}")
        self._two_phrases = self._sign_of("two phrases", "{first}; {second}")
        self._whole_sentence = self._sign_of("whole sentence", "{sentence}.")
        self._signs = {ord("."): decimal, ord(","): grouping}

    def _sign_of(self, context: str, sign: str) -> str:
        return self._translations.pgettext(context, sign) or sign

    def told(self, one: str, fields: Mapping[str, object], many: str = "", count: int = 0) -> str:
        """Return ``word`` of such a message, without making its English first."""
        template, english = self._template_of(one, many, count), many if many and count != 1 else one
        if template or self.binary_sizes:
            return self.filled(template or english, fields)
        return ENGLISH.filled(english, fields)

    def word(self, text: str) -> str:
        """Return a message in this language; any other text, or an untranslated one, unchanged."""
        if not isinstance(text, Message):
            return text
        if "part_1" in text.fields:  # ``messages.sentences``
            return self.joined(self.word(part) for part in text.fields.values() if isinstance(part, str))
        template = self._template_of(text.template, text.many, text.how_many)
        if not template and self.binary_sizes:  # the English text was filled with decimal sizes
            template = text.many if text.many and text.how_many != 1 else text.template
        return self.filled(template, text.fields) if template else str(text)

    def _template_of(self, one: str, many: str, count: int) -> str:
        """Return the template in this language, in its count's plural form; "" if untranslated."""
        if many:
            return self._translations.ngettext(one, many, count)
        if one not in self._templates:
            self._templates[one] = (self._translations.gettext(one) or _wordless(one)) if one else ""
        return self._templates[one]

    def joined(self, sentences: Iterable[str]) -> str:
        """Join sentences with this language's separator, without empty ones."""
        return _strung(self._two_sentences, sentences)

    def with_commas(self, items: Iterable[str]) -> str:
        """Join items with this language's list separator, without empty ones."""
        return _strung(self._two_items, items)

    def with_semicolons(self, phrases: Iterable[str]) -> str:
        """Join phrases that may contain commas, without empty ones."""
        return _strung(self._two_phrases, phrases)

    def ended(self, text: str) -> str:
        """Return ``text`` as a whole sentence: a capital first, and one full stop of this language."""
        stop = self._whole_sentence.format(sentence="")
        return self._whole_sentence.format(
            sentence=f"{text[:1].upper()}{text[1:].removesuffix('.').removesuffix(stop)}"
        )

    def comma(self, first: str, second: str) -> str:
        """Join two items of a list."""
        return self._two_items.format(first=first, second=second)

    def number(self, digits: str) -> str:
        """Replace digits and signs by this language's."""
        return digits.translate(self._signs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a field, with sizes in the chosen units."""
        return super().format_field(value, "binary" if self.binary_sizes and format_spec == "size" else format_spec)

    def percent(self, number: str) -> str:
        """Return a percentage as this language writes it: “34%”, “34 %”."""
        return self.word(say("{number}%", number=number))

    def size(self, number: str, unit: str) -> str:
        """Return a size with this language's unit: TB, To."""
        return self.word(say("{number} {unit}", number=number, unit=say(unit)))

    def ending(self, last_sign: str, first: str, last: str) -> str:
        """Join the last item of a list."""
        if last_sign == "or":
            return self.word(say("{first} or {last}", first=first, last=last))
        return self.word(say("{first} and {last}", first=first, last=last))


_chosen = Catalogue()


def choose(languages: Sequence[str] | None = None, folder: Path | None = None, *, binary_sizes: bool = False) -> None:
    """Choose the first of ``languages`` that has a catalogue; by default those of the environment.

    ``binary_sizes`` as for a ``Catalogue``.

    Call it before any text is made, since existing texts aren't translated again.
    """
    global _chosen  # noqa: PLW0603 -- a program has one language
    wanted = _languages_of_environment() if languages is None else languages
    foreign = list(itertools.takewhile(lambda language: not language.startswith(_SOURCE), wanted))
    folder = folder or resource("translations")
    file = gettext.find(DOMAIN, folder, foreign) if foreign else None
    found = gettext.translation(DOMAIN, folder, foreign) if file else None
    _chosen = Catalogue(found, Path(file).parents[1].name if file else "en", binary_sizes=binary_sizes)
    # Python's argparse calls gettext itself, which uses the environment, too.
    gettext.bindtextdomain(DOMAIN, str(folder))
    gettext.textdomain(DOMAIN if file else _NOBODYS)


def language() -> str:
    """Return the code of the chosen language."""
    return _chosen.language


def languages(folder: Path | None = None) -> tuple[str, ...]:
    """Return the codes of the available languages: English, and those with a catalogue."""
    found = (folder or resource("translations")).glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return "en", *sorted(path.parents[1].name for path in found)


def _languages_of_environment() -> list[str]:
    return next((said.split(":") for name in _SETTINGS if (said := os.environ.get(name))), [])


def tr(template: str, /, **fields: object) -> str:
    """Return ``template`` with its fields, in the chosen language."""
    return _chosen.told(template, fields)


def ntr(one: str, many: str, count: int, /, **fields: object) -> str:
    """Return ``one`` or ``many``, by ``count``, in the chosen language; ``{count}`` is a field of both."""
    return _chosen.told(one, {"count": count, **fields}, many, count)


def translated(text: str) -> str:
    """Return a ``Message`` in the chosen language; any other text unchanged."""
    return _chosen.word(text)


def joined(*sentences: str) -> str:
    """Join whole ``sentences`` as in the chosen language, without empty ones."""
    return _chosen.joined(sentences)


def with_commas(*items: str) -> str:
    """Return ``items`` as a list of the chosen language: “a, b”, without empty ones."""
    return _chosen.with_commas(items)


def with_semicolons(*phrases: str) -> str:
    """Return ``phrases``, which may contain commas, as a list of the chosen language: “a; b”, without empty ones."""
    return _chosen.with_semicolons(phrases)


def ended(text: str) -> str:
    """Return ``text`` as a whole sentence of the chosen language: “no disk is left” → “No disk is left.”"""
    return _chosen.ended(text)


def number(value: float, form: str) -> str:
    """Format ``value`` in Python's ``form``, like ``.1f`` or ``,``, with the chosen language's signs."""
    return _chosen.format_field(value, form)


def decimal_size(size_bytes: int) -> str:
    """Return ``core.sizes.decimal_size`` in the chosen language; binary if so chosen."""
    return _chosen.format_field(size_bytes, "size")


def other_size(size_bytes: int) -> str:
    """Return the size in the other units, to show beside a ``decimal_size``."""
    if not _chosen.binary_sizes:
        return binary_size(size_bytes)
    digits, unit = decimal_parts(size_bytes)
    return _chosen.size(_chosen.number(digits), unit)


def binary_size(size_bytes: int) -> str:
    """Return ``core.sizes.binary_size`` in the chosen language."""
    return _chosen.format_field(size_bytes, "binary")
