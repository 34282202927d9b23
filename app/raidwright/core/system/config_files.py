"""mdadm.conf and fstab with an array in them: old text in, new text out, every other line left as it was.

Standard library only: the helper, which runs as root, imports this. Sources: ``mdadm.conf(5)`` (words, comments, lines
that go on, keywords cut to three letters or more), mdadm ``config.c``, ``fstab(5)``. Making a change twice is making it
once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.md.mdadm import array_path
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import Metadata

from .filesystem import FileSystemKind

_KEYWORDS = (
    "ARRAY", "AUTO", "BLAME", "CREATE", "DEVICE", "HOMECLUSTER", "HOMEHOST", "MAILADDR", "MAILFROM", "MONITORDELAY",
    "PART-POLICY", "POLICY", "PROBING", "PROGRAM", "SYSFS",
)  # fmt: skip
_LEAST_LETTERS = 3
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() knows ends of lines that neither program does
_MAIL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}(@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)?")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?")
_MOUNT_OPTIONS = "nofail,x-systemd.device-timeout=5min,nodev,nosuid"
_HOMEHOSTS = ("<system>", "<ignore>", "<none>")


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """An array for mdadm.conf. ``uuid`` as md writes it."""

    name: str
    metadata: str
    uuid: str

    @property
    def line(self) -> str:
        """Its line."""
        return f"ARRAY {array_path(self.name)} metadata={self.metadata} UUID={self.uuid}"


@dataclass(frozen=True, slots=True)
class MountEntry:
    """A file system for fstab, by its own UUID."""

    uuid: str
    place: str
    kind: FileSystemKind

    @property
    def line(self) -> str:
        """Its line: a boot goes on without it, and what is on it gets no powers of its own.

        systemd gives a device up after 90 s, and never tries again. Disks that spin up in turn, and the half minute
        that a degraded array waits for the others (mdadm-last-resort@.timer), may take longer; nothing else waits.
        """
        check = 2 if self.kind is FileSystemKind.EXT4 else 0
        return f"UUID={self.uuid} {self.place} {self.kind} {_MOUNT_OPTIONS} 0 {check}"


def checked_array_name(name: str) -> str:
    """``name`` when it can stand in mdadm.conf as it is; raises InputError."""
    if not is_array_name(name):
        raise InputError(
            "The array's name, “{name}”, has more in it than letters, digits, - and _; rename it first "
            "(mdadm --assemble --update=name).",
            code="array-name",
            name=name[:40],
        )
    return name


def checked_metadata(version: str) -> str:
    """``version`` when it is one of md's own formats; raises InputError."""
    if version not in set(Metadata):
        known = ", ".join(Metadata)
        raise InputError(
            "Only arrays with metadata {known} can be written into mdadm.conf here.", code="metadata", known=known
        )
    return version


def checked_mail(address: str) -> str:
    """``address`` when it is one that mdadm's monitor can write to; raises InputError."""
    if not _MAIL.fullmatch(address) or len(address) > 254:
        raise InputError("The address is a user of this computer, or like somebody@example.org.", code="mail")
    return address


def checked_host(name: str) -> str:
    """``name`` when a computer can be called so, or ``any``, which mdadm takes for each; raises InputError."""
    if not _HOST.fullmatch(name):
        raise InputError("The home host is a computer's name, or “any”.", code="homehost")
    return name


def checked_homehost(name: str) -> str:
    """``name`` when it is a host's, or one of mdadm.conf's words for one; raises InputError."""
    if name not in _HOMEHOSTS and not _HOST.fullmatch(name):
        raise InputError("The home host is a computer's name, or one of {known}.", code="homehost", known=_HOMEHOSTS)
    return name


def with_array(text: str, entry: ArrayEntry) -> str:
    """mdadm.conf with a line for the array; raises InputError when another array has its place.

    A line that already says UUID and place stays as it is, with whatever else it says.
    """
    lines = _logical(text)
    for index, line in enumerate(lines):
        words = _words(line)
        if _keyword(words) != "ARRAY":
            continue
        place, uuid = words[1] if len(words) > 1 else "", _uuid_of(words)
        if uuid == _digits(entry.uuid):
            return text if place == array_path(entry.name) else _joined(lines, index, entry.line)
        if uuid and place in (array_path(entry.name), entry.name):
            raise InputError(
                "mdadm.conf gives {place} to another array, with UUID {uuid}; take that line out, or rename one.",
                code="conf-place",
                place=place,
                uuid=uuid,
            )
    return _appended(text, entry.line)


def with_keyword(text: str, keyword: str, value: str) -> str:
    """mdadm.conf with ``keyword`` (HOMEHOST, MAILADDR) set to ``value``; further lines of it are left as they are."""
    lines = _logical(text)
    for index, line in enumerate(lines):
        words = _words(line)
        if _keyword(words) == keyword:
            return text if words[1:] == [value] else _joined(lines, index, f"{keyword} {value}")
    return _appended(text, f"{keyword} {value}")


def with_program(text: str, program: str) -> str:
    """mdadm.conf with ``program`` for the monitor to run at events; one that stands there already stays."""
    return text if value_of(text, "PROGRAM") else _appended(text, f"PROGRAM {program}")


def value_of(text: str, keyword: str) -> str:
    """What mdadm.conf says first for ``keyword`` (MAILADDR, MAILFROM, PROGRAM), as mdadm takes it; "" for nothing."""
    lines = (words for line in _logical(text) if _keyword(words := _words(line)) == keyword)
    return next((words[1] for words in lines if len(words) > 1), "")


def with_mount(text: str, entry: MountEntry) -> str:
    """fstab with a line for the file system; raises InputError when its place, or itself, is spoken for otherwise."""
    for line in _LINE.findall(text):
        words = _table_words(line)
        if len(words) < 2:
            continue
        is_source = words[0].strip('"').lower().replace('"', "") == f"uuid={entry.uuid}".lower()
        is_place = words[1].rstrip("/") == entry.place
        if is_source and is_place:
            return text
        if is_source or is_place:
            raise InputError(
                "fstab already mounts {what} at {place}; take that line out, or choose that place.",
                code="fstab-place",
                what=words[0][:80],
                place=words[1][:80],
            )
    return _appended(text, entry.line)


def without_arrays(text: str, uuids: Collection[str]) -> str:
    """mdadm.conf without the lines of the arrays with these UUIDs."""
    gone = {_digits(uuid) for uuid in uuids}
    lines = ((line, _words(line)) for line in _logical(text))
    return "".join(line for line, words in lines if not (_keyword(words) == "ARRAY" and _uuid_of(words) in gone))


def without_mounts(text: str, filesystems: Collection[str]) -> str:
    """fstab without the lines of the file systems with these UUIDs."""
    gone = {f"uuid={uuid}".lower() for uuid in filesystems}
    return "".join(line for line in _LINE.findall(text) if _source_of(line) not in gone)


def _source_of(line: str) -> str:
    words = _table_words(line)
    return words[0].replace('"', "").lower() if words else ""


def table_lines(text: str) -> Iterator[list[str]]:
    """The words of each line of fstab or crypttab that says anything."""
    return (words for line in text.split("\n") if (words := _table_words(line)))


def _table_words(line: str) -> list[str]:
    """What stands between spaces and tabs, which alone part words there; nothing for a comment."""
    words = [word for word in re.split(r"[ \t\n]+", line) if word]
    return [] if words[:1] and words[0].startswith("#") else words


def difference(path: str, before: str, after: str) -> Sequence[str]:
    """What changes in the file at ``path``, as the lines of a unified diff; none when nothing does."""
    if before == after:
        return ()
    old, new = ([line.rstrip("\n") for line in _LINE.findall(text)] for text in (before, after))
    return tuple(difflib.unified_diff(old, new, path, path, lineterm=""))


def _logical(text: str) -> list[str]:
    """mdadm.conf's lines with what goes on in the next one, line ends kept; their sum is the text."""
    found: list[str] = []
    for line in _LINE.findall(text):
        if found and line[:1] in (" ", "\t"):
            found[-1] += line
        else:
            found.append(line)
    return found


def _words(line: str) -> list[str]:
    bare = (part.partition("#")[0] for part in line.split("\n"))
    return [word.replace('"', "").replace("'", "") for part in bare for word in part.split()]


def _keyword(words: Sequence[str]) -> str:
    first = words[0].upper() if words else ""
    if len(first) < _LEAST_LETTERS:
        return ""
    return next((keyword for keyword in _KEYWORDS if keyword.startswith(first)), "")


def _uuid_of(words: Sequence[str]) -> str:
    return next((_digits(word[5:]) for word in words if word.lower().startswith("uuid=")), "")


def _digits(uuid: str) -> str:
    return "".join(char for char in uuid.lower() if char in "0123456789abcdef")


def _joined(lines: Sequence[str], index: int, line: str) -> str:
    return "".join((*lines[:index], f"{line}\n", *lines[index + 1 :]))


def _appended(text: str, line: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n"
