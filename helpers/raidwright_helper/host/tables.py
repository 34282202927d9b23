"""fstab and crypttab: the devices that their lines name, in any form.

A line may contain a path, UUID=, LABEL=, PARTUUID=, PARTLABEL= or ID=, with quotes around the value and ``\\040`` for a
space (fstab(5), crypttab(5)); and its options may name more devices (``device=`` of btrfs, ``logdev=`` of xfs, a
crypttab's ``header=`` and key). A device's names come from udev, and for file systems from libblkid, which reads the
device now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from raidwright.core.system.config_files import plain_word, table_lines

from .host import Host
from .seen import decoded
from .signatures import Signature
from .system_files import lenient_text

_FILES = ("fstab", "crypttab")
_TAG = re.compile(r"(UUID|LABEL|PARTUUID|PARTLABEL|ID)=(.*)", re.IGNORECASE | re.DOTALL)
_PROPERTIES = {
    "UUID": ("ID_FS_UUID", "ID_FS_UUID_ENC"),
    "LABEL": ("ID_FS_LABEL", "ID_FS_LABEL_ENC"),
    "PARTUUID": ("ID_PART_ENTRY_UUID",),
    "PARTLABEL": ("ID_PART_ENTRY_NAME",),
}
_FOLDERS = {f"by-{tag.lower()}": tag for tag in (*_PROPERTIES, "ID")}


def named_in(host: Host, number: int, signatures: Iterable[Signature] = (), *, fstab: str | None = None) -> str | None:
    """Return the file in /etc that names the device, or a file system found on it (``signatures``).

    ``fstab`` is that file's content to assume instead of the present one.
    """
    names = {*_names_of(host, number), *_names_in(signatures)}
    for file in _FILES:
        is_given = file == "fstab" and fstab is not None
        text = fstab if is_given else lenient_text(host.root / "etc" / file)
        for words in table_lines(text or ""):
            if any(_names(host, number, names, value) for value in _values(words)):
                return f"/etc/{file}"
    return None


def is_source(host: Host, number: int, source: str, signatures: Iterable[Signature] = ()) -> bool:
    """Return whether ``source``, the first field of a line of fstab, is the device, or was found on it, in any form."""
    return _names(host, number, {*_names_of(host, number), *_names_in(signatures)}, plain_word(source))


def _values(words: Sequence[str]) -> Iterator[str]:
    """Yield a line's words that may name a device: every field, and every part of its options."""
    for word in words:
        for part in word.split(","):
            value = part if _TAG.match(part) else part.partition("=")[2] if "=/dev/" in part else part
            yield plain_word(value)
            yield plain_word(value.rpartition(":")[2])  # a key file on another device: /key:LABEL=stick


def _names(host: Host, number: int, names: set[tuple[str, str]], value: str) -> bool:
    if value.startswith("/dev/"):
        link = value.removeprefix("/dev/")
        folder, _, name = link.removeprefix("disk/").partition("/")
        # For a disk with two signatures udev makes no such link; after one of them is erased it does.
        is_tag = folder in _FOLDERS and _name(_FOLDERS[folder], decoded(name)) in names
        return host.number_of(value) == number or link in host.udev(number).links or is_tag
    match = _TAG.fullmatch(value)
    return match is not None and _name(match[1], plain_word(match[2])) in names


def _names_of(host: Host, number: int) -> Iterator[tuple[str, str]]:
    record = host.udev(number)
    for tag, keys in _PROPERTIES.items():
        for key in keys:
            if value := record.properties.get(key):
                yield from {_name(tag, value), _name(tag, decoded(value))}
    for link in record.links:
        folder, _, name = link.removeprefix("disk/").partition("/")
        if folder in _FOLDERS:
            yield _name(_FOLDERS[folder], decoded(name))


def _names_in(signatures: Iterable[Signature]) -> Iterator[tuple[str, str]]:
    for signature in signatures:
        yield from (_name(tag, value) for tag, value in (("UUID", signature.uuid), ("LABEL", signature.label)) if value)


def _name(tag: str, value: str) -> tuple[str, str]:
    return tag.upper(), value if "LABEL" in tag.upper() else value.casefold()
