"""Pseudo-languages, made of all translatable messages: text that stays English in them isn't translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import translations
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from raidwright.text import catalogue

_WORD = re.compile(r"[^\W\d_]{2,}")
_INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")


everything = cache(translations.messages)


def wrapped(message: Message) -> str | tuple[str, ...]:
    """Return the pseudo-language's translation: the message in brackets, decimal signs swapped."""
    if message.context:
        return {".": ",", ",": "."}.get(str(message.id), str(message.id))
    forms = (message.id,) if isinstance(message.id, str) else message.id
    said = tuple(f"⟦{form}⟧" for form in forms)
    return said[0] if isinstance(message.id, str) else said


@contextmanager
def spoken(
    folder: Path, language: str = "vo", say: Callable[[Message], str | tuple[str, ...]] = wrapped
) -> Iterator[None]:
    """Use ``language`` during the block, with its catalogue in ``folder`` and each message translated by ``say``."""
    made = Catalog(locale=language)
    for message in everything():
        if message.id:
            made.add(message.id, say(message), context=message.context)
    target = folder / language / "LC_MESSAGES" / "raidwright.mo"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        write_mo(file, made)
    catalogue.choose([language], folder)
    try:
        yield
    finally:
        catalogue.choose(["en"])


def english_in(text: str, names: re.Pattern[str]) -> list[str]:
    """Return the words of ``text`` outside every message that aren't ``names``."""
    while (rest := _INNERMOST.sub(" ", text)) != text:
        text = rest
    return _WORD.findall(names.sub(" ", text))
