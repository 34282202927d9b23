"""mdadm's options as mdadm parses them: bundled short ones, abbreviated long ones, separate or attached values.

Sources: mdadm ``ReadMe.c`` (``short_bitmap_auto_opts``, ``long_options``) and ``mdadm.c`` main, of 4.2 to 4.6 (which of
them has an option: ``md.mdadm_rules``);
``getopt_long(3)``: a long option may be abbreviated if all that begin so mean the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError

from .likely import likely_word

_NO_VALUE = """
manage misc assemble build create detail examine follow monitor=follow grow incremental zero-superblock query
examine-bitmap auto-detect detail-platform offroot udev examine-badblocks help help-options version verbose quiet
assume-clean write-zeroes write-mostly failfast nofailfast re-add scan force add add-spare add-journal remove fail
set-faulty=fail replace with run stop readonly readwrite no-degraded wait wait-clean cluster-confirm brief no-devices
export sparc2.2 test daemonise daemonize=daemonise oneshot syslog no-sharing invalid-backup continue rebuild-map
freeze-reshape
"""
_VALUE = """
kill-subarray update-subarray dump restore chunk rounding=chunk level parity=layout layout raid-disks=raid-devices
raid-devices spare-disks=spare-devices spare-devices size auto metadata bitmap bitmap-chunk homehost data-offset nodes
home-cluster write-journal consistency-policy logical-block-size uuid super-minor name config update action prefer mail
program alert=program increment delay pid-file backup-file array-size path symlinks
"""
_MAYBE_VALUE = "udev-rules write-behind"  # only with an equals sign


def _table(text: str, takes: str) -> dict[str, tuple[str, str]]:
    pairs = (word.partition("=") for word in text.split())
    return {name: (meant or name, takes) for name, _, meant in pairs}


_LONG = _table(_NO_VALUE, "no") | _table(_VALUE, "yes") | _table(_MAYBE_VALUE, "maybe")
_OTHER_NAMES = {  # of other programs, or of none
    "num-devices": "raid-devices", "devices": "raid-devices", "disks": "raid-devices", "raid-level": "level",
    "spares": "spare-devices", "raidlevel": "level", "chunk-size": "chunk", "chunksize": "chunk",
    "zero": "zero-superblock", "journal": "write-journal",
}  # fmt: skip
_SHORT_NO_VALUE = {
    "A": "assemble", "B": "build", "C": "create", "D": "detail", "E": "examine", "F": "follow", "G": "grow",
    "I": "incremental", "Q": "query", "h": "help", "V": "version", "X": "examine-bitmap", "Y": "export",
    "W": "write-mostly", "v": "verbose", "q": "quiet", "s": "scan", "r": "remove", "f": "force", "R": "run",
    "S": "stop", "o": "readonly", "w": "readwrite", "1": "oneshot", "t": "test", "y": "syslog",
}  # fmt: skip
_SHORT_VALUE = {
    "Z": "array-size", "b": "bitmap", "c": "chunk", "i": "pid-file", "l": "level", "p": "layout", "m": "super-minor",
    "n": "raid-devices", "x": "spare-devices", "u": "uuid", "d": "delay", "z": "size", "U": "update", "N": "name",
    "a": "auto", "e": "metadata", "k": "consistency-policy",
}  # fmt: skip
_SETS_MODE = frozenset(
    {"manage", "misc", "assemble", "build", "create", "follow", "grow", "incremental", "auto-detect", "detail",
     "examine", "examine-bitmap", "query"}
)  # fmt: skip
MANAGING = frozenset({"add", "re-add", "add-spare", "add-journal", "fail", "remove", "replace", "with"})
_MISC = frozenset({"run", "stop", "readonly", "readwrite", "write-mostly", "wait", "wait-clean", "zero-superblock"})
_AS_MANAGE = ("manage", "grow")  # mdadm's short_bitmap_opts: -b takes a value, -a none
_WITHOUT_VALUE = dict.fromkeys(("create", "assemble", "build", "incremental"), "")  # short_bitmap_auto_opts: both do
_BEFORE_MODE = frozenset(
    {"verbose", "quiet", "brief", "no-devices", "export", "homehost", "offroot", "prefer", "help", "help-options"}
)


@dataclass(frozen=True, slots=True)
class Given:
    """One word as typed, with its value if that is a word of its own, and its options.

    An option is its full name and its value, None without one. ``options`` is empty for a device's name.
    """

    text: str
    options: tuple[tuple[str, str | None], ...] = ()


def begins_long_option(name: str) -> bool:
    """True if ``name`` is a long option, an abbreviation of one (at least two letters), or a near miss."""
    return len(name) > 1 and (any(known.startswith(name) for known in _LONG) or likely_option(name) != "")


def likely_option(name: str) -> str:
    """Return the long option that ``name`` probably means; "" if none is similar enough."""
    return _OTHER_NAMES.get(name.lower().replace("_", "-"), "") or likely_word(name.replace("_", "-"), _LONG)


def read_options(words: Sequence[str]) -> list[Given]:
    """Parse arguments as mdadm does; raises InputError for what it would reject."""
    found, rest, mode = [], list(words), ""
    while rest:
        word = rest.pop(0)
        if word == "--":
            raise _unknown(word)
        if word.startswith("--"):
            given = _long(word, rest)
        elif word.startswith("-") and len(word) > 1:
            given = _bunch(word, rest, mode)
        else:
            given = Given(word)
        mode = _mode_after(mode, (name for name, _ in given.options))
        found.append(given)
    return found


def _mode_after(mode: str, names: Iterable[str]) -> str:
    """Return mdadm's mode after these options; the first one that sets a mode decides."""
    for name in names:
        if not mode and name in _SETS_MODE:
            mode = name
        elif not mode and name in MANAGING:
            mode = "manage"
        elif not mode and name in _MISC:
            mode = "misc"
    return mode


def mode_of(given: Sequence[Given]) -> str:
    """Return the mode that the options set, "" for none; raises InputError if mdadm needs the mode first."""
    devices = 0
    for one in given:
        devices += not one.options
        for name, _ in one.options:
            if name in _SETS_MODE:
                return name
            if name not in _BEFORE_MODE:
                return ""  # mdadm's manage or misc mode
        if devices > 1:
            return ""
    return ""


def _long(word: str, rest: list[str]) -> Given:
    typed, equals, value = word[2:].partition("=")
    known = {typed: _LONG[typed]} if typed in _LONG else {n: o for n, o in _LONG.items() if n.startswith(typed)}
    if not known:
        raise _unknown(word, likely_option(typed))
    if len(set(known.values())) > 1:
        raise InputError(
            "“{word}” could be {names:or}; write it whole.",
            code="option-cut",
            word=word,
            names=[f"--{n}" for n in known],
        )
    name, takes = next(iter(known.values()))
    if equals and takes == "no":
        raise InputError("“{word}”: --{name} takes no value.", code="option-value", word=word, name=name)
    if equals or takes != "yes":
        return Given(word, ((name, value if equals else None),))
    value = _value(rest, word)
    if value.startswith("=") and not equals:
        raise InputError(
            "“{word} {value}”: no space may be around the equals sign. Write {word}={after}.",
            code="option-spaces",
            word=word,
            value=value,
            after=value[1:] or next(iter(rest), ""),
        )
    return Given(f"{word} {value}", ((name, value),))


def _bunch(word: str, rest: list[str], mode: str) -> Given:
    """Parse short options after one dash; the first that takes a value has the rest of the word, or the next word."""
    if meant := _long_behind_one_dash(word):
        raise InputError(
            "“{word}” has one dash: mdadm reads each letter of it as an option. Did you mean --{meant}?",
            code="option-dash",
            word=word,
            meant=meant,
        )
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(word[1:], start=2):
        # Until the mode is known, -a and -b are different options, without a value, and -f is --fail.
        takes_value = letter in _SHORT_VALUE and letter not in _WITHOUT_VALUE.get(
            mode, "a" if mode in _AS_MANAGE else "ab"
        )
        if letter in _SHORT_VALUE and not takes_value:
            found.append(({"a": "add", "b": "brief"}[letter], None))
        elif takes_value:
            value = word[at:] or _value(rest, f"-{letter}")
            found.append((_SHORT_VALUE[letter], value))
            return Given(word if word[at:] else f"{word} {value}", tuple(found))
        elif letter == "f" and mode in ("", "manage"):
            found.append(("fail", None))
        elif letter in _SHORT_NO_VALUE:
            found.append((_SHORT_NO_VALUE[letter], None))
        else:
            raise _unknown(word if len(word) == 2 else f"-{letter}” in “{word}")
        mode = _mode_after(mode, (name for name, _ in found[-1:]))
    return Given(word, tuple(found))


def _long_behind_one_dash(word: str) -> str:
    """Return the long option meant by ``-level=5``, "" for bundled short ones like ``-Cv``."""
    typed, equals, value = word[1:].partition("=")
    if typed in _LONG:
        return f"{typed}{equals}{value}"
    is_long = len(typed) > 3 and (equals or "-" in typed) and not typed[0].isupper()
    option = likely_option(typed) if is_long else ""
    return f"{option}{equals}{value}" if option else ""


def _value(rest: list[str], word: str) -> str:
    if not rest:
        raise InputError("“{word}” needs a value, and nothing follows it.", code="option-value", word=word)
    return rest.pop(0)


def _unknown(word: str, likely: str = "") -> InputError:
    if likely:
        return InputError(
            "mdadm has no option “{word}”. Did you mean --{likely}?", code="option-unknown", word=word, likely=likely
        )
    return InputError("mdadm has no option “{word}”.", code="option-unknown", word=word)
