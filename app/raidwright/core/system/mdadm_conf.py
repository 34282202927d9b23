"""mdadm.conf as mdadm parses it: words with their positions in the text, so that an edit leaves all others unchanged.

A line that begins with a blank continues the last one that doesn't, also across comments and empty lines; a word may
have quotes, and blanks within them. Source: mdadm ``config.c`` (conf_line, conf_word, arrayline), ``uuid.c``
(parse_uuid), mdadm.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_COMMENT = re.compile(r"#[^\n]*")
_WORD = re.compile(r"""(?:"[^"\n]*"?|'[^'\n]*'?|[^ \t\n"'])+""")  # a # within a word is part of it
_KEYWORDS = (  # in mdadm's order: an abbreviation is the first of them that begins with it
    "DEVICES", "ARRAY", "MAILADDR", "MAILFROM", "PROGRAM", "CREATE", "HOMEHOST", "HOMECLUSTER", "AUTO", "POLICY",
    "PART-POLICY", "SYSFS", "MONITORDELAY", "ENCRYPTION_NO_VERIFY", "PROBING", "IMSM_DISABLE_OROM",
)  # fmt: skip
_MIN_LETTERS = 3
_UUID = re.compile(r"[:. -]*(?:[0-9a-f][:. -]*){32}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConfWord:
    """A word without its quotes, and its position in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ConfLine:
    """A line's words, continuation lines included."""

    words: tuple[ConfWord, ...]

    @property
    def texts(self) -> list[str]:
        """The words' texts."""
        return [word.text for word in self.words]

    @property
    def keyword(self) -> str:
        """The full keyword, which may be abbreviated to three letters or more; "" for none of mdadm's."""
        first = self.words[0].text.upper()
        if len(first) < _MIN_LETTERS:
            return ""
        return next((keyword for keyword in _KEYWORDS if keyword.startswith(first)), "")

    def value(self, name: str) -> ConfWord | None:
        """Return the word ``name=…``, the name case-insensitive."""
        return next((word for word in self.words[1:] if word.text.lower().startswith(f"{name}=")), None)

    @property
    def place(self) -> ConfWord | None:
        """An ARRAY line's device: its word without "="."""
        return next((word for word in self.words[1:] if word.text.startswith("/") or "=" not in word.text), None)

    @property
    def uuid(self) -> ConfWord | None:
        """An ARRAY line's first valid UUID; mdadm ignores others."""
        return next((word for word in self.uuids if uuid_digits(word.text[5:])), None)

    @property
    def uuids(self) -> list[ConfWord]:
        """An ARRAY line's words ``UUID=…``, including invalid ones."""
        return [word for word in self.words[1:] if word.text.lower().startswith("uuid=")]


def uuid_digits(text: str) -> str:
    """Return the 32 hexadecimal digits of a UUID with mdadm's separators; "" for one that mdadm finds invalid."""
    return re.sub(r"[:. -]", "", text).lower() if _UUID.fullmatch(text) else ""


def lines_of(text: str) -> list[ConfLine]:
    """Return the lines of ``text`` that aren't empty or comments."""
    found: list[list[ConfWord]] = []
    for word in _words(text):
        is_first = word.start == 0 or text[word.start - 1] == "\n"
        if is_first or not found:
            found.append([])
        found[-1].append(word)
    return [ConfLine(tuple(words)) for words in found]


def _words(text: str) -> Iterator[ConfWord]:
    at = 0
    while at < len(text):
        if comment := _COMMENT.match(text, at):
            at = comment.end()
        elif match := _WORD.match(text, at):
            yield ConfWord(match[0].replace('"', "").replace("'", ""), match.start(), match.end())
            at = match.end()
        else:
            at += 1


def with_words(text: str, changes: Sequence[tuple[int, int, str]]) -> str:
    """Return ``text`` with each (start, end, new words) replaced."""
    for start, end, new in sorted(changes, reverse=True):
        text = f"{text[:start]}{new}{text[end:]}"
    return text


def without_line(text: str, line: ConfLine) -> str:
    """Return ``text`` without the physical lines of ``line``; comments and empty lines between them stay."""
    starts = {text.rfind("\n", 0, word.start) + 1 for word in line.words}
    ends = {start: text.find("\n", start) + 1 or len(text) for start in starts}
    return with_words(text, [(start, end, "") for start, end in ends.items()])
