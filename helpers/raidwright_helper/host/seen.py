"""Disks and arrays as the kernel and udev report them, without opening any: for prompts and read-only verbs.

A caller's description of a disk or an array is compared with this and never shown, so a prompt can't be forged.
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

_MEMBER = "linux_raid_member"  # libblkid's type of a disk with md's superblock
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class SeenArray:
    """An array that udev knows; ``name`` is without its homehost."""

    number: int
    uuid: str
    name: str

    @property
    def label(self) -> str:
        """Label in prompts, sentences and the journal."""
        return array_label(self.name, self.uuid)


def array_label(name: str, uuid: str) -> str:
    """Return an array's label of name and UUID, for people; both may come from anywhere."""
    return f"“{printable(name)}” ({printable(uuid)})"


def name_of(full_name: str, uuid: str) -> str:
    """Return an array's name without its homehost; its UUID if it has none (0.90)."""
    return printable(full_name.rpartition(":")[2]) or uuid


def seen_array(host: Host, uuid: str) -> SeenArray | None:
    """Return the running array with this UUID; None if udev knows of none."""
    for number in host.arrays():
        if uuid_of(host, number) == uuid:
            return SeenArray(number, uuid, name_of(host.udev(number).properties.get("MD_NAME", ""), uuid))
    return None


def uuid_of(host: Host, number: int) -> str:
    """Return a running array's UUID in mdadm's form; "" if neither the kernel nor udev has it.

    The kernel has it from the superblock; udev from mdadm's export, which contains the superblock's name unescaped. For
    0.90 the kernel writes the bytes in another order, and for external metadata it has none.
    """
    metadata = host.attribute(number, "md/metadata_version")
    is_told = metadata != Metadata.V0_90 and not metadata.startswith("external:")
    if is_told and (text := host.attribute(number, "md/uuid")):
        return array_uuid(text)
    return host.udev(number).properties.get("MD_UUID", "")


def label_of_array(host: Host, uuid: str) -> str:
    """Return the label of the array of this UUID, for a prompt."""
    array = seen_array(host, uuid)
    return array.label if array else "that is not here"


def label_of_stopped(host: Host, uuid: str) -> str:
    """Return the label of a stopped array, for a prompt: from udev's records of its members."""
    for number in host.udev_blocks():
        properties = host.udev(number).properties
        if array_uuid(properties.get("ID_FS_UUID", "")) == uuid and properties.get("ID_FS_TYPE") == _MEMBER:
            return array_label(name_of(properties.get("ID_FS_LABEL", ""), uuid), uuid)
    return "that is not here"


def labels_of_disks(host: Host, members: Collection[Member]) -> list[str]:
    """Return the labels of the disks of ``members``, for a prompt: present model, serial and size.

    All are found in one pass over the disks: a pass reads all of udev's records.
    """
    links = {f"disk/by-id/{member.id}" for member in members}
    parts = (part for disk in host.disks() for part in (disk, *host.partitions(disk)))
    numbers: dict[str, int] = {}
    for part in parts:
        for link in links & host.udev(part).links:
            numbers.setdefault(link, part)
    return [_label(host, member, numbers.get(f"disk/by-id/{member.id}")) for member in members]


def label_of_disk(host: Host, member: Member) -> str:
    """Return the label of the disk of ``member``, for a prompt."""
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
    """Return every serial number of the disk known to the kernel or udev; programs show one or the other."""
    known = host.udev(number).properties
    found = {known.get(key, "") for key in ("ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "SCSI_IDENT_SERIAL")}
    return {serial.strip() for serial in found | {host.attribute(number, "device/serial")}} - {""}


def serial_of(host: Host, number: int) -> str:
    """Return the serial number on the disk's label, as UDisks2 chooses it; "" if unknown."""
    known = host.udev(number).properties
    told = (known.get("ID_SCSI_SERIAL"), known.get("ID_SERIAL_SHORT"), host.attribute(number, "device/serial"))
    return next((serial.strip() for serial in told if serial and serial.strip()), "")


def models_of(host: Host, number: int) -> Iterator[str]:
    """Yield the spellings of the disk's model, the fullest first."""
    known = host.udev(number).properties
    for text in (decoded(known.get("ID_MODEL_ENC", "")), known.get("ID_MODEL", ""), known.get("ID_NAME", "")):
        if text.strip():
            yield " ".join(text.split())
    for name in ("device/model", "device/name"):
        if text := host.attribute(number, name):
            yield text


def is_model(host: Host, number: int, model: str) -> bool:
    """Return whether the disk is of ``model``, which may be truncated or preceded by the vendor."""
    known = host.udev(number).properties
    vendors = (known.get("ID_VENDOR", ""), known.get("ID_VENDOR_ENC", ""), host.attribute(number, "device/vendor"))
    makers = {"", *vendors}
    spelled = {_letters(maker + text) for text in models_of(host, number) for maker in map(decoded, makers)}
    return any(_letters(model) in spelling for spelling in spelled or {""})


def decoded(text: str) -> str:
    r"""Decode udev's ``\x20``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
