"""The one catalogue: what is said, in the language of whoever reads it.

It is GNU gettext's: Python reads it without another package, Babel collects the messages, translators have their tools,
and a message has as many plural forms as its language. The command line, the window and the helper's errors share it,
which Qt's own couldn't: the command line doesn't wait for Qt, and the helper has none.

English is the source and needs no file; another language is ``resources/translations/LANG/LC_MESSAGES/raidwright.po``,
compiled when a checkout is set up and when a wheel is built. ``tr`` and ``ntr`` say a text here and now;
``translated`` says what others left as a ``Message`` (``core.messages``). What no catalogue knows stays English.
"""

from __future__ import annotations

import functools
import gettext
import itertools
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from raidwright.core.messages import Message, Wording, say, say_count
from raidwright.core.sizes import decimal_parts
from raidwright.resources import resource

DOMAIN = "raidwright"
_FIELD = re.compile(r"\{[^{}]*\}")
_SETTINGS = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # gettext(3): the first that is set counts
_SOURCE = ("en", "C", "POSIX")
_NOBODYS = "messages"  # gettext's domain before one is chosen
UNITS = (
    *(say("B"), say("kB"), say("MB"), say("GB"), say("TB"), say("PB")),
    *(say("KiB"), say("MiB"), say("GiB"), say("TiB"), say("PiB")),
)


class _Unknown(gettext.NullTranslations):
    """Says "" for what no catalogue has."""

    def gettext(self, _message: str) -> str:
        return ""

    def ngettext(self, _msgid1: str, _msgid2: str, _n: int) -> str:
        return ""

    def pgettext(self, _context: str, _message: str) -> str:
        return ""


def _wordless(template: str) -> str:
    """``template`` where its fields are all that it says (``messages.sentences``), else ""."""
    return "" if any(map(str.isalpha, _FIELD.sub("", template))) else template


def _strung(pair: str, parts: Iterable[str]) -> str:
    """``parts`` as the template ``pair`` puts two; empty ones are left out."""
    said = [part for part in parts if part]
    return functools.reduce(lambda first, second: pair.format(first=first, second=second), said) if said else ""


class Catalogue(Wording):
    """The messages of a language, and how it fills them. Without ``translations`` it is English.

    ``language`` is its code; ``binary_sizes``: what would be shown in powers of 1000 is shown in powers of 1024.
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
        decimal, grouping = self._sign_of("decimal sign", "."), self._sign_of("digit grouping sign", ",")
        self._two_sentences = self._sign_of("two sentences", "{first} {second}")
        self._two_items = self._sign_of("two items", "{first}, {second}")
        self._two_phrases = self._sign_of("two phrases", "{first}; {second}")
        self._whole_sentence = self._sign_of("whole sentence", "{sentence}.")
        self._signs = {ord("."): decimal, ord(","): grouping}

    def _sign_of(self, context: str, sign: str) -> str:
        return self._translations.pgettext(context, sign) or sign

    def template_of(self, message: Message) -> str:
        """Its template in this language, in the form that goes with its count; "" where this language lacks it."""
        if message.many:
            return self._translations.ngettext(message.template, message.many, message.how_many)
        if not message.template:
            return ""
        return self._translations.gettext(message.template) or _wordless(message.template)

    def word(self, text: str) -> str:
        """A message in this language; any other text, or one that this language lacks, as it is."""
        if not isinstance(text, Message):
            return text
        if "part_1" in text.fields:  # ``messages.sentences``
            return self.joined(self.word(part) for part in text.fields.values() if isinstance(part, str))
        template = self.template_of(text)
        if not template and self.binary_sizes:  # what is said in English was filled with decimal ones
            template = text.many if text.many and text.how_many != 1 else text.template
        return self.filled(template, text.fields) if template else str(text)

    def joined(self, sentences: Iterable[str]) -> str:
        """One after the other, with what this language puts between them; empty ones are left out."""
        return _strung(self._two_sentences, sentences)

    def with_commas(self, items: Iterable[str]) -> str:
        """As a list, with what this language puts between items; empty ones are left out."""
        return _strung(self._two_items, items)

    def with_semicolons(self, phrases: Iterable[str]) -> str:
        """As a list of what may have commas itself; empty ones are left out."""
        return _strung(self._two_phrases, phrases)

    def ended(self, text: str) -> str:
        """``text`` as a whole sentence: a capital first, and this language's full stop once."""
        stop = self._whole_sentence.format(sentence="")
        return self._whole_sentence.format(
            sentence=f"{text[:1].upper()}{text[1:].removesuffix('.').removesuffix(stop)}"
        )

    def comma(self, first: str, second: str) -> str:
        """Two items of a list."""
        return self._two_items.format(first=first, second=second)

    def number(self, digits: str) -> str:
        """With this language's signs."""
        return digits.translate(self._signs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Sizes in the units that the person wants."""
        return super().format_field(value, "binary" if self.binary_sizes and format_spec == "size" else format_spec)

    def percent(self, number: str) -> str:
        """As this language writes it: “34%”, “34 %”."""
        return self.word(say("{number}%", number=number))

    def size(self, number: str, unit: str) -> str:
        """With the unit as this language calls it: TB, To."""
        return self.word(say("{number} {unit}", number=number, unit=say(unit)))

    def ending(self, last_sign: str, first: str, last: str) -> str:
        """The last of several."""
        if last_sign == "or":
            return self.word(say("{first} or {last}", first=first, last=last))
        return self.word(say("{first} and {last}", first=first, last=last))


_chosen = Catalogue()


def choose(languages: Sequence[str] | None = None, folder: Path | None = None, *, binary_sizes: bool = False) -> None:
    """Speak the first of ``languages`` that there is a catalogue of; those of the environment where none are given.

    ``binary_sizes`` as for a ``Catalogue``.

    To be called before anything is said, since what has been said isn't said again.
    """
    global _chosen  # noqa: PLW0603 -- one program speaks one language
    wanted = _languages_of_environment() if languages is None else languages
    foreign = list(itertools.takewhile(lambda language: not language.startswith(_SOURCE), wanted))
    folder = folder or resource("translations")
    file = gettext.find(DOMAIN, folder, foreign) if foreign else None
    found = gettext.translation(DOMAIN, folder, foreign) if file else None
    _chosen = Catalogue(found, Path(file).parents[1].name if file else "en", binary_sizes=binary_sizes)
    # Python's argparse asks gettext itself, which goes by the environment, too.
    gettext.bindtextdomain(DOMAIN, str(folder))
    gettext.textdomain(DOMAIN if file else _NOBODYS)


def language() -> str:
    """The code of the language that is spoken."""
    return _chosen.language


def languages(folder: Path | None = None) -> tuple[str, ...]:
    """The codes of the languages that there are: English, and those with a catalogue."""
    found = (folder or resource("translations")).glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return "en", *sorted(path.parents[1].name for path in found)


def _languages_of_environment() -> list[str]:
    return next((said.split(":") for name in _SETTINGS if (said := os.environ.get(name))), [])


def tr(template: str, /, **fields: object) -> str:
    """``template`` with its fields, in the chosen language."""
    return _chosen.word(say(template, **fields))


def ntr(one: str, many: str, count: int, /, **fields: object) -> str:
    """``one`` or ``many``, by ``count`` and in the chosen language; ``{count}`` is a field of both."""
    return _chosen.word(say_count(one, many, count, **fields))


def translated(text: str) -> str:
    """What was left as a ``Message``, in the chosen language; any other text as it is."""
    return _chosen.word(text)


def joined(*sentences: str) -> str:
    """Whole ``sentences`` one after the other, as the chosen language has it; empty ones are left out."""
    return _chosen.joined(sentences)


def with_commas(*items: str) -> str:
    """``items`` as a list of the chosen language: “a, b”; empty ones are left out."""
    return _chosen.with_commas(items)


def with_semicolons(*phrases: str) -> str:
    """``phrases``, which may have commas, as a list of the chosen language: “a; b”; empty ones are left out."""
    return _chosen.with_semicolons(phrases)


def ended(text: str) -> str:
    """``text`` as a whole sentence of the chosen language: “no disk is left” → “No disk is left.”"""
    return _chosen.ended(text)


def number(value: float, form: str) -> str:
    """``value`` in Python's ``form``, like ``.1f`` or ``,``, with the chosen language's signs."""
    return _chosen.format_field(value, form)


def decimal_size(size_bytes: int) -> str:
    """As ``core.sizes.decimal_size``, in the chosen language; binary where sizes are wanted so."""
    return _chosen.format_field(size_bytes, "size")


def other_size(size_bytes: int) -> str:
    """What stands beside a ``decimal_size``: the same in the other units."""
    if not _chosen.binary_sizes:
        return binary_size(size_bytes)
    digits, unit = decimal_parts(size_bytes)
    return _chosen.size(_chosen.number(digits), unit)


def binary_size(size_bytes: int) -> str:
    """As ``core.sizes.binary_size``, in the chosen language."""
    return _chosen.format_field(size_bytes, "binary")
