"""mdadm.conf and fstab with an array in them: old text in, new text out, every other line left as it was.

Standard library only: the helper, which runs as root, imports this. Sources: ``mdadm.conf(5)``, mdadm ``config.c``
(``mdadm_conf`` has its lines), ``fstab(5)``. Making a change twice is making it once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.md.mdadm import array_path
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import Metadata

from .filesystem import FileSystemKind
from .mdadm_conf import Line, lines_of, with_words, without_line

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() knows ends of lines that neither program does
_OCTAL = re.compile(r"\\([0-7]{3})")
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
    """mdadm.conf with a line for the array; raises InputError where it is another's place, or can't be told whose.

    A line that means the array is changed in place: it gets the array's place and UUID, and keeps its other words. Two
    that mean it would start it under neither (mdadm ``config.c``, conf_match).
    """
    lines = [line for line in lines_of(text) if line.keyword == "ARRAY"]
    meant = [line for line in lines if _means(line, entry)]
    if len(meant) > 1:
        raise InputError(
            "mdadm.conf has {count} lines for the array {name}, and mdadm would start it by none of them; leave one.",
            code="conf-twice",
            count=len(meant),
            name=entry.name,
        )
    for line in lines:
        if line not in meant:
            _verify_other(line, entry)
    return _with_line(text, meant[0], entry) if meant else _appended(text, entry.line)


def _means(line: Line, entry: ArrayEntry) -> bool:
    """Whether an ARRAY line is this array's: by its UUID, else by its name, else by its place alone."""
    if uuid := line.value("uuid"):
        return _digits(uuid.text[5:]) == _digits(entry.uuid)
    is_place = line.place is not None and line.place.text in (array_path(entry.name), entry.name)
    if name := line.value("name"):
        host, _, bare = name.text[5:].rpartition(":")
        return bare.casefold() == entry.name.casefold() and (is_place or host.casefold() in ("", "any"))
    return is_place and not (line.value("devices") or line.value("super-minor"))


def _verify_other(line: Line, entry: ArrayEntry) -> None:
    """Raise InputError for a line of another array in this one's place, and for one that may be this array's."""
    place = line.place.text if line.place else ""
    if place in (array_path(entry.name), entry.name):
        other = line.value("uuid") or line.value("name") or line.value("devices") or line.value("super-minor")
        raise InputError(
            "mdadm.conf gives {place} to another array, with {uuid}; take that line out, or rename one.",
            code="conf-place",
            place=place,
            uuid=other.text if other else "",
        )
    name = line.value("name")
    of_a_host = name if name and name.text[5:].rpartition(":")[2].casefold() == entry.name.casefold() else None
    if line.value("uuid") or (name and not of_a_host):
        return
    by_minor = line.value("super-minor") if entry.metadata == Metadata.V0_90 else None
    if unclear := of_a_host or line.value("devices") or by_minor:
        raise InputError(
            "mdadm.conf has a line for {place} that says no UUID ({words}), so it may be this array's, and mdadm would "
            "start it by neither line. Give that line its UUID, or take it out.",
            code="conf-unclear",
            place=place,
            words=unclear.text[:80],
        )


def _with_line(text: str, line: Line, entry: ArrayEntry) -> str:
    place, uuid, path = line.place, line.value("uuid"), array_path(entry.name)
    if place and place.text.lower() == "<ignore>":
        raise InputError(
            "mdadm.conf says that the array {name} is to be ignored; take that line out first.",
            code="conf-ignored",
            name=entry.name,
        )
    changes = []
    keyword = line.words[0]
    if place is None:
        changes.append((keyword.end, keyword.end, f" {path}"))
    elif place.text != path:
        changes.append((place.start, place.end, path))
    named = line.value("name")
    if uuid and named and named.text[5:].rpartition(":")[2] != entry.name:  # an older name, which would have to match
        changes.append((line.words[line.words.index(named) - 1].end, named.end, ""))
    if uuid is None:  # the name says no more than the UUID, and would have to match as well
        at = place or keyword
        words = (named.start, named.end, f"UUID={entry.uuid}") if named else (at.end, at.end, f" UUID={entry.uuid}")
        changes.append(words)
    return with_words(text, changes)


def with_keyword(text: str, keyword: str, value: str) -> str:
    """mdadm.conf with ``keyword`` (HOMEHOST, MAILADDR) set to ``value``; further lines of it are left as they are."""
    for line in lines_of(text):
        if line.keyword == keyword:
            if line.texts[1:] == [value]:
                return text
            first, *values = line.words
            new = [(word.start, word.end, "" if place else value) for place, word in enumerate(values)]
            return with_words(text, new or [(first.end, first.end, f" {value}")])
    return _appended(text, f"{keyword} {value}")


def with_program(text: str, program: str) -> str:
    """mdadm.conf with ``program`` for the monitor to run at events; one that stands there already stays."""
    return text if value_of(text, "PROGRAM") else _appended(text, f"PROGRAM {program}")


def value_of(text: str, keyword: str) -> str:
    """What mdadm.conf says first for ``keyword`` (MAILADDR, MAILFROM, PROGRAM), as mdadm takes it; "" for nothing."""
    return next((line.texts[1] for line in lines_of(text) if line.keyword == keyword and line.words[1:]), "")


def with_mount(text: str, entry: MountEntry, is_it: Callable[[str], bool] = lambda _source: False) -> str:
    """fstab with a line for the file system; raises InputError when its place, or itself, is spoken for otherwise.

    ``is_it`` says of a line's source (a path, LABEL=, PARTUUID= …) whether it is this file system.
    """
    for line in _LINE.findall(text):
        words = _table_words(line)
        if len(words) < 2:
            continue
        is_source = words[0].lower().replace('"', "") == f"uuid={entry.uuid}".lower() or is_it(words[0])
        is_place = plain_word(words[1]).rstrip("/") == entry.place
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
    for line in reversed(lines_of(text)):
        uuid = line.value("uuid")
        if line.keyword == "ARRAY" and uuid and _digits(uuid.text[5:]) in gone:
            text = without_line(text, line)
    return text


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


def plain_word(text: str) -> str:
    r"""A word of fstab without quotes and ``\040``."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text).strip("\"'")


def difference(path: str, before: str, after: str) -> Sequence[str]:
    """What changes in the file at ``path``, as the lines of a unified diff; none when nothing does."""
    if before == after:
        return ()
    old, new = ([line.rstrip("\n") for line in _LINE.findall(text)] for text in (before, after))
    return tuple(difflib.unified_diff(old, new, path, path, lineterm=""))


def _digits(uuid: str) -> str:
    return "".join(char for char in uuid.lower() if char in "0123456789abcdef")


def _appended(text: str, line: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n"
