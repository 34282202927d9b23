"""ARRAY lines of mdadm.conf and its included files: matching them to arrays, and the text with or without them.

mdadm starts an array by the one line all of whose identities match it: UUID, name, members' nodes, minor number. Two
matching lines are as bad as none, and so is a line with one outdated identity; and DEVICE lines, where there are any,
say which disks mdadm looks at. Sources: mdadm ``config.c`` (arrayline, conf_match, devname_matches; since 4.4 it
ignores ``name=``; conf_test_dev), ``Assemble.c`` (ident_matches, which also checks level and number of slots),
``Incremental.c``, ``super0.c`` and ``super1.c`` (match_metadata_desc), mdadm.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.mdadm import array_path
from raidwright.core.model.plan import Metadata

from .mdadm_conf import ConfLine, ConfWord, lines_of, uuid_digits, with_words, without_line

_MAIN = "mdadm.conf"
_MAX_TOLD = 4  # most devices of DEVICE lines in a sentence
_LEVELS = {"mirror": "1", "stripe": "0"}
_SHAPE_WORDS = ("level", "disks", "num-devices", "spares")
_ANY_HOST = ("", "any")


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """An array for mdadm.conf. ``uuid`` as md writes it; the other fields are a line's further identities, if known.

    ``full_name`` includes the home host (``nas:tank``), ``nodes`` are the members' in /dev and ``links`` each one's
    further names there, ``level`` is md's word.
    """

    name: str
    metadata: str
    uuid: str
    full_name: str = ""
    super_minor: int | None = None
    nodes: tuple[str, ...] = ()
    level: str = ""
    slots: int = 0
    links: tuple[tuple[str, ...], ...] = ()

    @property
    def line(self) -> str:
        """Its ARRAY line."""
        return f"ARRAY {array_path(self.name)} metadata={self.metadata} UUID={self.uuid}"


class _Meant(Enum):
    """Relation of an ARRAY line to an array."""

    OURS = auto()
    OTHER = auto()
    UNCLEAR = auto()
    NO_UUID = auto()  # it may be the array's, but its UUID is invalid


def with_array(text: str, entry: ArrayEntry) -> str:
    """``with_array_in`` for mdadm.conf alone."""
    return with_array_in({_MAIN: text}, entry)[_MAIN]


def with_array_in(files: Mapping[str, str], entry: ArrayEntry) -> dict[str, str]:
    """Return the ``files`` that mdadm reads, by path, with one line for the array; a new one goes into the first file.

    A line for the array is changed in place: it gets the array's device and UUID, loses the words that would keep mdadm
    from matching it, and keeps the others. Raises InputError if the device is another array's, for ambiguous lines, and
    for DEVICE lines without its members.
    """
    _verify_devices(files, entry)
    lines = [(path, line) for path, text in files.items() for line in lines_of(text) if line.keyword == "ARRAY"]
    meant = [(path, line) for path, line in lines if _meaning(line, entry) is _Meant.OURS]
    if len(meant) > 1:
        raise InputError(
            "There are {count} lines for the array {name} in {files:and}, and mdadm would start it by none of them; "
            "leave one.",
            code="conf-twice",
            count=len(meant),
            name=entry.name,
            files=sorted({path for path, _ in meant}),
        )
    for path, line in lines:
        _verify_other(path, line, entry)
    changed = dict(files)
    if meant:
        path, line = meant[0]
        changed[path] = _with_line(files[path], path, line, entry)
    else:
        path = next(iter(files))
        text = files[path]
        changed[path] = f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{entry.line}\n"
    return changed


def _verify_devices(files: Mapping[str, str], entry: ArrayEntry) -> None:
    """Raise InputError if the DEVICE lines keep mdadm from looking at a member."""
    lines = ((path, line) for path, text in files.items() for line in lines_of(text) if line.keyword == "DEVICES")
    allowed = [(path, word) for path, line in lines for word in line.texts[1:]]
    if not allowed or any(word.lower() == "partitions" for _, word in allowed):
        return
    for place, node in enumerate(entry.nodes):
        names = (node, *(entry.links[place] if entry.links else ()))
        if not any(PurePosixPath(name).match(word) for name in names for _, word in allowed):
            raise InputError(
                "{file} lets mdadm look at {devices:and} alone (its DEVICE line), so it wouldn't find {node} of the "
                "array {name}. Write “DEVICE partitions” there, or add that disk.",
                code="conf-device",
                file=allowed[0][0],
                devices=[word[:80] for _, word in allowed][:_MAX_TOLD],
                node=node,
                name=entry.name,
            )


def without_arrays(text: str, entries: Collection[ArrayEntry]) -> str:
    """Return a file that mdadm reads without the lines of these arrays."""
    for line in reversed(lines_of(text)):
        if line.keyword == "ARRAY" and any(_meaning(line, entry) is _Meant.OURS for entry in entries):
            text = without_line(text, line)
    return text


def shape_words(text: str, entry: ArrayEntry) -> tuple[str, ...]:
    """Return the words of the array's lines that a change of its shape outdates: ``level=raid5``, ``spares=1``."""
    return tuple(word.text for _, word in _shape_words(text, entry))


def without_shape_words(text: str, entry: ArrayEntry, words: Collection[str]) -> str:
    """Return a file that mdadm reads without ``words`` (``shape_words``) in the array's lines."""
    for line, word in reversed([*_shape_words(text, entry)]):
        if word.text in words:
            text = with_words(text, [(_blank_before(text, line, word), word.end, "")])
    return text


def _shape_words(text: str, entry: ArrayEntry) -> Iterator[tuple[ConfLine, ConfWord]]:
    for line in lines_of(text):
        if line.keyword == "ARRAY" and _meaning(line, entry) is _Meant.OURS:
            for word in line.words[1:]:
                key, is_value, _ = word.text.partition("=")
                if is_value and key.lower() in _SHAPE_WORDS and not word.text.startswith("/"):
                    yield line, word


def _meaning(line: ConfLine, entry: ArrayEntry) -> _Meant:
    """Identify the line's array by its UUID, else its name, else its minor number, else its device alone."""
    if uuid := line.uuid:
        return _Meant.OURS if uuid_digits(uuid.text[5:]) == uuid_digits(entry.uuid) else _Meant.OTHER
    name = line.value("name")
    by_name = _by_name(name.text[5:], entry, is_place=_is_place(line, entry)) if name else None
    if line.uuids and (_is_place(line, entry) or by_name in (_Meant.OURS, _Meant.UNCLEAR)):
        return _Meant.NO_UUID
    if by_name:
        return _Meant.UNCLEAR if by_name is _Meant.OTHER and _is_ours_without_name(line, entry) else by_name
    if minor := line.value("super-minor"):
        return _by_minor(minor.text.partition("=")[2], entry)
    if line.value("devices"):
        return _Meant.UNCLEAR
    return _Meant.OURS if _is_place(line, entry) else _Meant.OTHER


def _by_name(name: str, entry: ArrayEntry, *, is_place: bool) -> _Meant:
    host, _, bare = name.rpartition(":")
    if name.casefold() == entry.full_name.casefold():
        return _Meant.OURS
    if bare.casefold() != entry.name.casefold():
        return _Meant.OTHER
    if not host or (not entry.full_name and (is_place or host.casefold() in _ANY_HOST)):
        return _Meant.OURS
    return _Meant.OTHER if entry.full_name else _Meant.UNCLEAR


def _is_ours_without_name(line: ConfLine, entry: ArrayEntry) -> bool:
    """True if mdadm from 4.4 on, which ignores ``name=``, matches the line with a member (``config.c``)."""
    minor, devices = line.value("super-minor"), line.value("devices")
    if not minor and not devices:
        return False
    return (not minor or _by_minor(minor.text.partition("=")[2], entry) is not _Meant.OTHER) and (
        not devices or any(_is_devices(devices.text[8:], replace(entry, nodes=(node,))) for node in entry.nodes)
    )


def _by_minor(minor: str, entry: ArrayEntry) -> _Meant:
    """Only 0.90 superblocks have a minor number."""
    if entry.metadata != Metadata.V0_90:
        return _Meant.OTHER
    if entry.super_minor is None or not minor.isdecimal():
        return _Meant.UNCLEAR
    return _Meant.OURS if int(minor) == entry.super_minor else _Meant.OTHER


def _is_place(line: ConfLine, entry: ArrayEntry) -> bool:
    return line.place is not None and _bare(line.place.text) == _bare(array_path(entry.name))


def _bare(place: str) -> str:
    bare = place.removeprefix("/dev/md/") if place.startswith("/dev/md/") else place.removeprefix("/dev/")
    return bare.removeprefix("md") if re.match(r"md\d", bare) else bare


def _verify_other(path: str, line: ConfLine, entry: ArrayEntry) -> None:
    """Raise InputError for a line of another array with this one's device, and for a line that may be this array's."""
    meaning = _meaning(line, entry)
    place = line.place.text if line.place else "ARRAY"
    words = line.value("name") or line.value("devices") or line.value("super-minor")
    if meaning is _Meant.NO_UUID and line.uuids[0].text.endswith("\r"):
        raise InputError(
            "{file} ends its lines as Windows does (CR LF), and mdadm takes the CR for a part of the UUID of {place}. "
            "Convert it (dos2unix) first.",
            code="conf-uuid",
            file=path,
            place=place,
        )
    if meaning is _Meant.NO_UUID:
        raise InputError(
            "{file} has a line for {place} with “{words}”. That is no UUID, so mdadm ignores the word. Correct the "
            "UUID, or take that line out.",
            code="conf-uuid",
            file=path,
            place=place,
            words=printable(line.uuids[0].text[:80]),
        )
    if meaning is _Meant.UNCLEAR:
        raise InputError(
            "{file} has a line for {place} that says no UUID ({words}), so it may be this array's, and mdadm would "
            "start it by neither line. Give that line its UUID, or take it out.",
            code="conf-unclear",
            file=path,
            place=place,
            words=words.text[:80] if words else "",
        )
    if meaning is _Meant.OTHER and _is_place(line, entry):
        other = line.uuid or words
        raise InputError(
            "{file} gives {place} to another array, with {uuid}; take that line out, or rename one.",
            code="conf-place",
            file=path,
            place=place,
            uuid=other.text[:80] if other else "",
        )


def _with_line(text: str, path: str, line: ConfLine, entry: ArrayEntry) -> str:
    place, node = line.place, array_path(entry.name)
    if place and place.text.lower() == "<ignore>":
        raise InputError(
            "{file} has mdadm ignore the array {name} (<ignore>), so it isn't started; take that line out first.",
            code="conf-ignored",
            file=path,
            name=entry.name,
        )
    changes = []
    keyword = line.words[0]
    if place is None:
        changes.append((keyword.end, keyword.end, f" {node}"))
    elif place.text != node:
        changes.append((place.start, place.end, node))
    stale = list(_stale(line, entry))
    if line.uuid is None:  # the name or minor number is redundant beside the UUID, and would have to match as well
        said = line.value("name") or line.value("super-minor")
        at = place or keyword
        uuid = f"UUID={entry.uuid}"
        changes.append((said.start, said.end, uuid) if said else (at.end, at.end, f" {uuid}"))
        stale = [word for word in stale if word != said]
    changes += [(_blank_before(text, line, word), word.end, "") for word in stale]
    if (metadata := line.value("metadata")) and not _is_metadata(metadata.text.partition("=")[2], entry.metadata):
        changes.append((metadata.start, metadata.end, f"metadata={entry.metadata}"))
    return with_words(text, changes)


def _blank_before(text: str, line: ConfLine, word: ConfWord) -> int:
    """Return the start of the blank before ``word``; a comment there stays."""
    before = line.words[line.words.index(word) - 1].end
    return before if not text[before : word.start].strip() else word.start


def _stale(line: ConfLine, entry: ArrayEntry) -> Iterator[ConfWord]:
    """Yield the words, other than the UUID, that keep mdadm from matching the line with the array."""
    for word in line.words[1:]:
        key, is_value, value = word.text.partition("=")
        matches = _MATCHES.get(key.lower())
        if is_value and matches and not word.text.startswith("/") and not matches(value, entry):
            yield word


def _is_name(value: str, entry: ArrayEntry) -> bool:
    if entry.full_name:
        return value.casefold() == entry.full_name.casefold()
    return value.rpartition(":")[2].casefold() == entry.name.casefold()


def _is_devices(value: str, entry: ArrayEntry) -> bool:
    patterns = value.split(",")
    return all(any(fnmatchcase(node, pattern) for pattern in patterns) for node in entry.nodes)


def _is_level(value: str, entry: ArrayEntry) -> bool:
    return not entry.level or _level(value) == _level(entry.level)


def _is_slots(value: str, entry: ArrayEntry) -> bool:
    return not entry.slots or not value.isdecimal() or int(value) == entry.slots


_MATCHES: Mapping[str, Callable[[str, ArrayEntry], bool]] = {
    "uuid": lambda value, _: bool(uuid_digits(value)),
    "name": _is_name,
    "super-minor": lambda value, entry: _by_minor(value, entry) is not _Meant.OTHER,
    "devices": _is_devices,
    "level": _is_level,
    "disks": _is_slots,
    "num-devices": _is_slots,
    "container": lambda _value, _entry: False,  # of foreign metadata formats
    "member": lambda _value, _entry: False,
}


def _level(word: str) -> str:
    return _LEVELS.get(word.lower(), word.lower().removeprefix("raid"))


def _is_metadata(value: str, metadata: str) -> bool:
    """True if mdadm takes ``value`` for the format ``metadata``."""
    if metadata == Metadata.V0_90:
        return re.fullmatch(r"0*(0\.90|0)?", value) is not None
    bare = value.lstrip("0")
    return bare in ("1", metadata, metadata.replace(".", ".0")) or (bare == "default" and metadata == Metadata.V1_2)
