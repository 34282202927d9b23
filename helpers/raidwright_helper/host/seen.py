"""Disks and arrays as the kernel and udev tell of them, without opening any: for prompts, and for whoever only looks.

What a caller says of a disk or an array is compared with this and never shown, so a prompt can't be made to lie.
Sources: udev's ``60-persistent-storage`` rules (ID_MODEL_ENC, ID_SERIAL_SHORT), mdadm's ``63-md-raid-arrays`` (MD_UUID,
MD_NAME), the kernel's ``md/uuid``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from raidwright.core.json_fields import printable
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Member, Metadata
from raidwright.core.sizes import decimal_size

from .host import Host

_MEMBER = "linux_raid_member"  # libblkid's word for a disk with md's superblock
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class SeenArray:
    """An array that udev knows; ``name`` is without its home host."""

    number: int
    uuid: str
    name: str

    @property
    def label(self) -> str:
        """How prompts, sentences and the journal name it."""
        return array_label(self.name, self.uuid)


def array_label(name: str, uuid: str) -> str:
    """An array by name and UUID, as a person reads it; both may come from anywhere."""
    return f"“{printable(name)}” ({printable(uuid)})"


def name_of(full_name: str, uuid: str) -> str:
    """An array's name without its home host; its UUID when it has none (0.90)."""
    return printable(full_name.rpartition(":")[2]) or uuid


def seen_array(host: Host, uuid: str) -> SeenArray | None:
    """The running array with this UUID; None when udev knows of none."""
    for number in host.arrays():
        if uuid_of(host, number) == uuid:
            return SeenArray(number, uuid, name_of(host.udev(number).properties.get("MD_NAME", ""), uuid))
    return None


def uuid_of(host: Host, number: int) -> str:
    """A running array's UUID, as mdadm writes it; "" when neither the kernel nor udev tells.

    The kernel has it from the superblock; udev from mdadm's words, among which a superblock's name stands as it is. Of
    0.90 the kernel writes the bytes in another order, and of metadata that isn't md's own it knows none.
    """
    metadata = host.attribute(number, "md/metadata_version")
    is_told = metadata != Metadata.V0_90 and not metadata.startswith("external:")
    if is_told and (text := host.attribute(number, "md/uuid")):
        return array_uuid(text)
    return host.udev(number).properties.get("MD_UUID", "")


def label_of_array(host: Host, uuid: str) -> str:
    """The array of this UUID, as a prompt names it."""
    array = seen_array(host, uuid)
    return array.label if array else "that is not here"


def label_of_stopped(host: Host, uuid: str) -> str:
    """An array that doesn't run, as a prompt names it: by what udev has seen on its members."""
    for number in host.udev_blocks():
        properties = host.udev(number).properties
        if array_uuid(properties.get("ID_FS_UUID", "")) == uuid and properties.get("ID_FS_TYPE") == _MEMBER:
            return array_label(name_of(properties.get("ID_FS_LABEL", ""), uuid), uuid)
    return "that is not here"


def labels_of_disks(host: Host, members: Collection[Member]) -> list[str]:
    """The disks that ``members`` mean, as a prompt names them: model, serial and size as they are now.

    One look over all disks serves them all: a look reads all that udev knows.
    """
    links = {f"disk/by-id/{member.id}" for member in members}
    parts = (part for disk in host.disks() for part in (disk, *host.partitions(disk)))
    numbers: dict[str, int] = {}
    for part in parts:
        for link in links & host.udev(part).links:
            numbers.setdefault(link, part)
    return [_label(host, member, numbers.get(f"disk/by-id/{member.id}")) for member in members]


def label_of_disk(host: Host, member: Member) -> str:
    """The one disk that ``member`` means, as a prompt names it."""
    return labels_of_disks(host, [member])[0]


def _label(host: Host, member: Member, number: int | None) -> str:
    if number is None:
        return "a disk that is not here"
    whole = host.whole(number)
    serials = sorted(serials_of(host, whole))
    serial = member.serial if member.serial in serials else "".join(serials[:1])
    named = " ".join(filter(None, (next(models_of(host, whole), ""), serial))) or host.kernel_name(number)
    part = f", partition {host.partition(number)}" if number != whole else ""
    return f"{printable(named)} ({decimal_size(host.size_bytes(number))}{part})"


def serials_of(host: Host, number: int) -> set[str]:
    """Every serial that the kernel or udev knows the disk by; programs show one or the other."""
    known = host.udev(number).properties
    found = {known.get(key, "") for key in ("ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "SCSI_IDENT_SERIAL")}
    return {serial.strip() for serial in found | {host.attribute(number, "device/serial")}} - {""}


def serial_of(host: Host, number: int) -> str:
    """The serial that stands on the disk's label, as UDisks2 chooses it; "" when it tells none."""
    known = host.udev(number).properties
    told = (known.get("ID_SCSI_SERIAL"), known.get("ID_SERIAL_SHORT"), host.attribute(number, "device/serial"))
    return next((serial.strip() for serial in told if serial and serial.strip()), "")


def models_of(host: Host, number: int) -> Iterator[str]:
    """The spellings of the disk's model, the fullest first."""
    known = host.udev(number).properties
    for text in (decoded(known.get("ID_MODEL_ENC", "")), known.get("ID_MODEL", ""), known.get("ID_NAME", "")):
        if text.strip():
            yield " ".join(text.split())
    for name in ("device/model", "device/name"):
        if text := host.attribute(number, name):
            yield text


def is_model(host: Host, number: int, model: str) -> bool:
    """Whether the disk is of ``model``, which may be cut short or have the maker ahead of it."""
    known = host.udev(number).properties
    vendors = (known.get("ID_VENDOR", ""), known.get("ID_VENDOR_ENC", ""), host.attribute(number, "device/vendor"))
    makers = {"", *vendors}
    spelled = {_letters(maker + text) for text in models_of(host, number) for maker in map(decoded, makers)}
    return any(_letters(model) in spelling for spelling in spelled or {""})


def decoded(text: str) -> str:
    r"""udev's ``\x20`` undone."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
