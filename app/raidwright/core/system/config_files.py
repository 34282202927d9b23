"""Entries for an array in mdadm.conf and fstab: old text in, new text out, every other line unchanged.

Standard library only: the helper, which runs as root, imports this. Sources: ``mdadm.conf(5)``, mdadm ``config.c``
(lines are parsed in ``mdadm_conf``, ARRAY lines in ``array_lines``), ``fstab(5)``. Changes are idempotent.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import Metadata

from .filesystem import FileSystemKind
from .mdadm_conf import lines_of, with_words

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() also splits where neither program does
_OCTAL = re.compile(r"\\([0-7]{3})")
_MAIL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}(@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)?")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?")
_MOUNT_OPTIONS = "nofail,x-systemd.device-timeout=5min,nodev,nosuid"
_HOMEHOSTS = ("<system>", "<ignore>", "<none>")


@dataclass(frozen=True, slots=True)
class MountEntry:
    """A file system for fstab, by its own UUID."""

    uuid: str
    place: str
    kind: FileSystemKind

    @property
    def line(self) -> str:
        """Its fstab line: not needed for booting (nofail), without setuid files and device nodes.

        systemd gives up waiting for a device after 90 s, and never retries. Disks with staggered spin-up, and the 30 s
        that a degraded array waits for the others (mdadm-last-resort@.timer), may take longer; nothing else waits.
        """
        check = 2 if self.kind is FileSystemKind.EXT4 else 0
        return f"UUID={self.uuid} {self.place} {self.kind} {_MOUNT_OPTIONS} 0 {check}"


def checked_array_name(name: str) -> str:
    """Return ``name`` if it needs no quoting in mdadm.conf; raises InputError."""
    if not is_array_name(name):
        raise InputError(
            "The array's name, “{name}”, has more in it than letters, digits, - and _; rename it first "
            "(mdadm --assemble --update=name).",
            code="array-name",
            name=name[:40],
        )
    return name


def checked_metadata(version: str) -> str:
    """Return ``version`` if it is one of md's own formats; raises InputError."""
    if version not in set(Metadata):
        known = ", ".join(Metadata)
        raise InputError(
            "Only arrays with metadata {known} can be written into mdadm.conf here.", code="metadata", known=known
        )
    return version


def checked_mail(address: str) -> str:
    """Return ``address`` if mdadm's monitor can mail to it; raises InputError."""
    if not _MAIL.fullmatch(address) or len(address) > 254:
        raise InputError("The address is a user of this computer, or like somebody@example.org.", code="mail")
    return address


def checked_host(name: str) -> str:
    """Return ``name`` if it is a valid host name, or ``any``, which mdadm accepts for every host; raises InputError."""
    if not _HOST.fullmatch(name):
        raise InputError("The home host is a computer's name, or “any”.", code="homehost")
    return name


def checked_homehost(name: str) -> str:
    """Return ``name`` if it is a host name, or one of mdadm.conf's words for one; raises InputError."""
    if name not in _HOMEHOSTS and not _HOST.fullmatch(name):
        raise InputError("The home host is a computer's name, or one of {known}.", code="homehost", known=_HOMEHOSTS)
    return name


def with_keyword(text: str, keyword: str, value: str) -> str:
    """Return mdadm.conf with ``keyword`` (HOMEHOST, MAILADDR) set to ``value``; repeated lines of it stay unchanged."""
    for line in lines_of(text):
        if line.keyword == keyword:
            if line.texts[1:] == [value]:
                return text
            first, *values = line.words
            new = [(word.start, word.end, "" if place else value) for place, word in enumerate(values)]
            return with_words(text, new or [(first.end, first.end, f" {value}")])
    return _appended(text, f"{keyword} {value}")


def with_program(text: str, program: str, further: Collection[str] = ()) -> str:
    """Return mdadm.conf with ``program`` for the monitor's events, unless it or a ``further`` file has one already."""
    return text if value_of([text, *further], "PROGRAM") else _appended(text, f"PROGRAM {program}")


def value_of(files: Iterable[str], keyword: str) -> str:
    """Return the first value of ``keyword`` (MAILADDR, MAILFROM, PROGRAM) in mdadm's files; "" for none."""
    lines = (line for text in files for line in lines_of(text))
    return next((line.texts[1] for line in lines if line.keyword == keyword and line.words[1:]), "")


def with_mount(text: str, entry: MountEntry, is_it: Callable[[str], bool] = lambda _source: False) -> str:
    """Return fstab with a line for the file system; raises InputError if it or its mount point has another line.

    ``is_it`` tells whether a line's source (a path, LABEL=, PARTUUID= …) is this file system. A btrfs subvolume may be
    mounted elsewhere as well.
    """
    others = []
    for words in table_lines(text):
        if len(words) < 2:
            continue
        is_source = is_uuid(words[0], entry.uuid) or is_it(words[0])
        is_place = mount_place(words[1]) == entry.place
        if is_source and is_place:
            return text
        if is_place or (is_source and not _is_subvolume(words)):
            others.append(words)
    if others:
        what, place, *_ = others[0]
        raise InputError(
            "fstab already mounts {what} at {place}; take that line out, or choose that place.",
            code="fstab-place",
            what=what[:80],
            place=place[:80],
        )
    return _appended(text, entry.line)


def without_mounts(text: str, is_it: Callable[[str], bool]) -> str:
    """Return fstab without the lines whose source, their first word, satisfies ``is_it``."""
    gone = [(words := _table_words(line)) and is_it(words[0]) for line in _LINE.findall(text)]
    return "".join(line for line, is_gone in zip(_LINE.findall(text), gone, strict=True) if not is_gone)


def is_uuid(source: str, uuid: str) -> bool:
    """True if a line's source is ``UUID=…`` of this file system."""
    return source.replace('"', "").lower() == f"uuid={uuid}".lower()


def mount_place(word: str) -> str:
    """Return the mount point of an fstab line, normalised as systemd and mount do: ``/srv//tank/`` is /srv/tank."""
    return re.sub(r"(/\.)*/+(\./+)*", "/", f"{plain_word(word)}/").rstrip("/") or "/"


def _is_subvolume(words: Sequence[str]) -> bool:
    return any(option.startswith(("subvol=", "subvolid=")) for option in "".join(words[3:4]).split(","))


def table_lines(text: str) -> Iterator[list[str]]:
    """Yield the words of each fstab or crypttab line that isn't empty or a comment."""
    return (words for line in text.split("\n") if (words := _table_words(line)))


def _table_words(line: str) -> list[str]:
    """Split a line at spaces and tabs, the only separators there; a comment has no words."""
    words = [word for word in re.split(r"[ \t\n]+", line) if word]
    return [] if words[:1] and words[0].startswith("#") else words


def plain_word(text: str) -> str:
    r"""Return a word of fstab without quotes and ``\040``."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text).strip("\"'")


def difference(path: str, before: str, after: str) -> Sequence[str]:
    """Return the change of the file at ``path`` as the lines of a unified diff; empty if nothing changes."""
    if before == after:
        return ()
    old, new = ([line.rstrip("\n") for line in _LINE.findall(text)] for text in (before, after))
    return tuple(difflib.unified_diff(old, new, path, path, lineterm=""))


def _appended(text: str, line: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n"
