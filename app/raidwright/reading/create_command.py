"""Parser of ``mdadm --create`` command lines: the meaning of each word, and of the whole.

Sources: mdadm ``mdadm.c`` main (which options are allowed, and how often), ``Create.c`` (too few, too many),
``util.c`` ``parse_size``, ``super0.c`` and ``super1.c`` ``match_metadata_desc``, ``maps.c`` ``pers``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level, canonical_layout, default_layout
from raidwright.core.messages import Message
from raidwright.core.model.names import array_name_like, is_array_name, is_host_name
from raidwright.core.model.plan import FLAGS, Bitmap, Consistency, Metadata

from .mdadm_options import Given
from .mdadm_rules import MAX_NAME_BYTES
from .values import LEVELS
from .words import MAY_STAND, explained

_NOT_PLANNED = ("multipath", "mp", "faulty", "container")
_METADATA = {
    "0": Metadata.V0_90, "0.90": Metadata.V0_90, "1.0": Metadata.V1_0, "1.00": Metadata.V1_0, "1.1": Metadata.V1_1,
    "1.01": Metadata.V1_1, "1.2": Metadata.V1_2, "1.02": Metadata.V1_2, "1": Metadata.V1_2, "default": Metadata.V1_2,
}  # fmt: skip
_RAID0_LAYOUTS = {"1": "original", "2": "alternate"}
_SIZE = re.compile(r"(\d+)([KMGTs]?)")
_KIB = {"": 1, "K": 1, "M": 1 << 10, "G": 1 << 20, "T": 1 << 30}
_ARRAY_NODE = re.compile(r"/dev/md(?P<number>\d+)|/dev/md/(?P<in_md>[^/]+)|(?P<bare>[^/-][^/]*)")
_NO_RANGE = re.compile(r"\{\w+-\w+\}|^/dev/[a-z]+\.\d*$")  # {a-d}; and the expansion of [a..d]
_OVERLAYS = ("/dev/mapper/", "/dev/dm-")
_ONCE = frozenset(
    {"level", "layout", "chunk", "size", "metadata", "bitmap", "raid-devices", "spare-devices", "uuid", "data-offset",
     "config"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Explained:
    """A word of a command, or an option with its value, and its explanation."""

    text: str
    why: Message


@dataclass(frozen=True, slots=True)
class CreateCommand:
    """A parsed create command. None, or "", is left to mdadm's default.

    ``members`` and ``spares`` are paths as written, None for ``missing``. ``given`` are its options, by their full
    names; ``answers`` is the reply to mdadm's questions (``yes |``). ``flags`` are, for each device that has any, those
    of ``plan.FLAGS``. ``whole_name`` is --name as it is, where ``given_name`` lacks a home host ahead of a colon.
    """

    words: tuple[Explained, ...]
    array: str
    level: Level
    members: tuple[str | None, ...]
    spares: tuple[str, ...] = ()
    journal: str | None = None
    layout: str | None = None
    chunk_kib: int | None = None
    metadata: Metadata = Metadata.V1_2
    bitmap: Bitmap | None = None
    size_kib: int | None = None
    data_offset_kib: int | None = None
    consistency: Consistency | None = None
    bitmap_chunk_kib: int | None = None
    homehost: str = ""
    flags: tuple[tuple[str, frozenset[str]], ...] = ()
    given_name: str = ""
    whole_name: str = ""
    given: frozenset[str] = frozenset()
    answers: str = ""

    @property
    def name(self) -> str:
        """The array's name in its superblock, or the nearest one that plans have: the given one, else the node's."""
        return array_name(self.given_name or self.array)

    @property
    def said_name(self) -> str:
        """The array's name as the command says it."""
        return self.given_name or _name_of_node(self.array)

    def paths(self) -> tuple[str, ...]:
        """Return the devices in the command, members first."""
        return tuple(path for path in (*self.members, *self.spares, self.journal) if path is not None)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that mdadm checks, as they are: --name's, and the node's unless it is a number."""
        in_node = _name_of_node(self.array)
        return tuple(dict.fromkeys(name for name in (self.whole_name, "" if in_node.isdigit() else in_node) if name))

    @property
    def recovery_signs(self) -> tuple[str, ...]:
        """Return the signs that the command re-creates an array to recover its data; () for a new array.

        Skipping the initial resync while also giving the data offset, the size or a missing member implies an existing
        array; so does skipping it read-only, or on overlays. A read-only array with a missing member is no new one.
        """
        if "assume-clean" not in self.given:
            return ("--readonly", "missing") if "readonly" in self.given and None in self.members else ()
        signs = [f"--{name}" for name in ("data-offset", "size", "readonly") if name in self.given]
        signs += ["missing"] if None in self.members else []
        signs += ["/dev/mapper"] if any(path and path.startswith(_OVERLAYS) for path in self.members) else []
        return ("--assume-clean", *signs) if signs else ()


def array_name(node: str) -> str:
    """Return ``0`` for ``/dev/md0``, ``tank`` for ``/dev/md/tank``, ``my-raid`` for ``/dev/md/my.raid``.

    Raises InputError for a node that no mdadm takes.
    """
    name = _name_of_node(node)
    if is_array_name(name):
        return name
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InputError(
            "The name “{name}” is too long: {count} letters, and mdadm takes {most}.",
            code="array-name",
            name=name[:80],
            count=len(name.encode()),
            most=MAX_NAME_BYTES,
        )
    taken = array_name_like(name) if name.isprintable() and not re.search(r"[$`]", name) else ""
    if not taken:
        raise InputError(
            "“{node}” is no name for an array; it is /dev/md0 or /dev/md/tank, of letters, digits, - and _.",
            code="array-name",
            node=node[:80],
        )
    return taken


def _name_of_node(node: str) -> str:
    match = _ARRAY_NODE.fullmatch(node)
    return next(filter(None, match.groups()), "") if match else ""


def read_create(given: Sequence[Given], answers: str = "") -> CreateCommand:
    """Parse the words of a command without ``mdadm`` itself; raises InputError for what mdadm would reject."""
    values: dict[str, str] = {}
    for one in given:
        for name, value in one.options:
            _take(values, one, name, value)
    whole_name = values.get("name", "")
    if values.get("name", "").count(":") == 1:  # mdadm's form with the home host
        values["homehost"], _, values["name"] = values["name"].partition(":")
    devices = [one.text for one in given if not one.options]
    if not devices:
        raise InputError("The command names no array; it comes after --create.", code="array-name")
    read = {name: reader(values) for name, reader in _READERS.items()}
    for needed in ("level", "raid-devices"):
        if needed not in values:
            raise InputError("The command lacks --{option}, which mdadm wants.", code="option-missing", option=needed)
    _refuse_mistyped(devices)
    _refuse_own_member(devices)
    level, count = _level(values), _count(values, "raid-devices")
    spares = _count(values, "spare-devices")
    _check_count(devices[1:], count, spares, level, is_forced="force" in values)
    words = explained(given, count)
    command = CreateCommand(
        words=tuple(Explained(text, why) for text, why in words),
        array=devices[0],
        level=level,
        members=tuple(None if device.lower() == "missing" else _device(device) for device in devices[1 : 1 + count]),
        spares=tuple(map(_device, devices[1 + count :])),
        journal=_device(values["write-journal"]) if "write-journal" in values else None,
        given_name=values.get("name", ""),
        whole_name=whole_name,
        flags=_flags(given),
        given=frozenset(values),
        answers=answers,
        **read,  # type: ignore[arg-type]  # each reader returns its field's type
    )
    _ = command.name, array_name(command.array)  # refuses a name invalid for an array
    return command


def _flags(given: Sequence[Given]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each device with the flags set before it: mdadm's --create clears none of them."""
    found, flags = list[tuple[str, frozenset[str]]](), frozenset[str]()
    for one in given:
        flags |= {name for name, _ in one.options if name in FLAGS}
        if flags and not one.options:
            found.append((one.text, flags))
    return tuple(found)


def _take(values: dict[str, str], one: Given, name: str, value: str | None) -> None:
    if name == "layout" and "level" not in values:
        raise InputError("mdadm needs the level before “{text}”.", code="option-order", text=one.text)
    if name in _ONCE and name in values:
        raise InputError("“{text}”: --{option} is given twice.", code="option-twice", text=one.text, option=name)
    if name not in MAY_STAND:
        raise InputError("“{text}” has no place in a create command.", code="option-mode", text=one.text)
    values.setdefault(name, value or "")


def _level(values: dict[str, str]) -> Level:
    word = values["level"]
    if word in _NOT_PLANNED:
        raise InputError("The level “{level}” is not one that can be planned here.", code="level", level=word)
    if word not in LEVELS:
        raise InputError(
            "“{level}” is no level of mdadm's; it has linear, 0, 1, 4, 5, 6 and 10.", code="level", level=word[:40]
        )
    return LEVELS[word]


def _count(values: dict[str, str], option: str) -> int:
    text = values.get(option, "0")
    least = 1 if option == "raid-devices" else 0
    if not re.fullmatch(r"[0-9]{1,4}", text) or int(text) < least:
        raise InputError("“{text}” is no number of devices (--{option}).", code="count", text=text[:40], option=option)
    return int(text)


def _check_count(devices: Sequence[str], count: int, spares: int, level: Level, *, is_forced: bool) -> None:
    if count == 1 and not is_forced:
        raise InputError("mdadm makes an array of one device only with --force.", code="count")
    if spares and not level.is_redundant:
        raise InputError("{level} has nothing to rebuild, so it takes no spares.", code="spares", level=level)
    if len(devices) != count + spares and (pattern := next((text for text in devices if re.search("[*?]", text)), "")):
        raise InputError(
            "What “{unknown}” stands for can't be known here; write it out.", code="paste-unknown", unknown=pattern[:80]
        )
    if len(devices) == 1 < count and devices[0].startswith("/dev/md"):
        raise InputError(
            "Of the one device {device} mdadm makes an array of {count} only if it is a container of the firmware's "
            "(Intel's IMSM, DDF), of which no plan is made here. Otherwise name {count} disks.",
            code="container",
            device=devices[0],
            count=count,
        )
    if len(devices) != count + spares:
        raise InputError(
            "The command says {wanted} devices and names {named}; mdadm refuses that.",
            code="count",
            wanted=count + spares,
            named=len(devices),
        )


def _refuse_own_member(devices: Sequence[str]) -> None:
    """Raise InputError for an array that is one of its own members."""
    own = {f"/dev/md/{name}" for name in [array_name(devices[0])]} | {devices[0]}
    own |= {f"/dev/md{path.rpartition('/')[2]}" for path in own if path.rpartition("/")[2].isdigit()}
    if found := next((path for path in devices[1:] if path in own), None):
        raise InputError(
            "“{path}” is the array itself, which can't be its own member. Name the disk that is meant.",
            code="own-member",
            path=found,
        )


def _refuse_mistyped(devices: Sequence[str]) -> None:
    """Raise InputError for several devices in one word, which a shell doesn't expand."""
    for text in devices:
        if _NO_RANGE.search(text):
            raise InputError(
                "“{text}” is no device: a range is {braces} or {brackets}.",
                code="device",
                text=text[:80],
                braces="/dev/sd{a..d}",
                brackets="/dev/sd[a-d]",
            )
        if re.search(r",\s*/?\w", text) and "{" not in text:
            raise InputError(
                "“{text}” is one word to mdadm. Between devices is a space, no comma.", code="device", text=text[:80]
            )


def _device(text: str) -> str:
    if re.search(r"[][{}*?$`<>\s]", text) or text.lower() == "missing" or not PurePosixPath(text).is_absolute():
        raise InputError(
            "“{text}” is no device that can be understood here; write it as /dev/sdb.", code="device", text=text[:80]
        )
    return text


def _kib(values: dict[str, str], option: str) -> int | None:
    text = values.get(option)
    if text is None or (option == "size" and text == "max"):
        return None
    if option == "data-offset" and text == "variable":
        raise InputError(
            "A plan has one data offset for all devices; give it in place of “variable”.", code="data-offset"
        )
    match = _SIZE.fullmatch(text)
    halves = match and int(match[1]) * (1 if match[2] == "s" else 2 * _KIB[match[2]])
    least = {"chunk": 8, "size": 8}.get(option, 0)
    if halves is not None and halves < least:
        raise InputError(
            "“{text}” is too little for --{option}: it is {least} KiB at least.",
            code="size",
            text=text[:40],
            option=option,
            least=least // 2,
        )
    if halves is None or halves % 2 or halves >= 1 << 62:
        raise InputError(
            "“{text}” is no size that mdadm takes for --{option}; it counts in KiB, or with K, M, G or T.",
            code="size",
            text=text[:40],
            option=option,
        )
    return halves // 2 or None


def _layout(values: dict[str, str]) -> str | None:
    text = values.get("layout")
    if text is None or "level" not in values:
        return None
    level = _level(values)
    if level is Level.RAID0:
        text = _RAID0_LAYOUTS.get(text, text)
    if level.parity_disks and text == "default":
        text = default_layout(level) or text
    return canonical_layout(level, text)


def _metadata(values: dict[str, str]) -> Metadata:
    text = values.get("metadata", "default")
    known = _METADATA.get(text) or _METADATA.get(text.lstrip("0"))
    if known is None:
        raise InputError(
            "Metadata “{text}” can't be planned here; there are {known}.",
            code="metadata",
            text=text[:40],
            known=list(Metadata),
        )
    return known


def _bitmap(values: dict[str, str]) -> Bitmap | None:
    text = values.get("bitmap")
    if text is None:
        return None
    if text == "clustered":
        raise InputError(
            "A clustered bitmap is for disks that several computers share at once; no plan is made of it here.",
            code="bitmap",
        )
    if "/" in text:
        raise InputError(
            "A bitmap in a file ({file}) can't be planned: mdadm 4.4 and later refuse it. Take internal.",
            code="bitmap",
            file=text[:80],
        )
    if text not in set(Bitmap):
        raise InputError(
            "“{text}” is no bitmap of mdadm's; there are internal, lockless and none.", code="bitmap", text=text[:80]
        )
    return Bitmap(text)


def _consistency(values: dict[str, str]) -> Consistency | None:
    text = values.get("consistency-policy")
    if text is None:
        return None
    if text not in set(Consistency):
        raise InputError(
            "“{text}” is no consistency policy; there are {known}.",
            code="consistency",
            text=text[:40],
            known=list(Consistency),
        )
    return Consistency(text)


_READERS: dict[str, Callable[[dict[str, str]], object]] = {
    "layout": _layout,
    "chunk_kib": lambda values: _kib(values, "chunk"),
    "size_kib": lambda values: _kib(values, "size"),
    "data_offset_kib": lambda values: _kib(values, "data-offset"),
    "metadata": _metadata,
    "bitmap": _bitmap,
    "bitmap_chunk_kib": lambda values: _kib(values, "bitmap-chunk"),
    "homehost": lambda values: values.get("homehost", "") if is_host_name(values.get("homehost", "")) else "",
    "consistency": _consistency,
}
