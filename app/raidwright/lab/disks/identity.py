"""Identity of a practice disk: its answers to SCSI's INQUIRY (SPC-4, 6.6 and 7.8)."""

from __future__ import annotations

import string
from collections.abc import Mapping

from .disk import LabDisk

STANDARD = -1  # standard INQUIRY data, which has no page code
_SUPPORTED, _SERIAL, _IDENTIFICATION, _CHARACTERISTICS = 0x00, 0x80, 0x83, 0xB1
_REVISION = b"4.0 "
_DOES_NOT_ROTATE = 1
# The first three bytes of a WWN (OUI) identify the disk's vendor.
_OUI = {"WDC": 0x0014EE, "Seagate": 0x000C50, "TOSHIBA": 0x000039, "Samsung": 0x002538, "NVMe": 0x002538}


def wwn(disk: LabDisk) -> bytes:
    """Return the disk's 16-byte WWN: NAA 6 (7.8.6.6.5), the vendor's OUI, and the hexadecimal digits of its serial.

    Serials must differ in those digits, or two disks would have the same WWN.
    """
    digits = "".join(char for char in disk.serial if char in string.hexdigits)
    return bytes.fromhex(f"6{_OUI.get(disk.vendor, 0):06x}{digits:0<25.25}")


def pages(disk: LabDisk) -> Mapping[int, bytes]:
    """Return the INQUIRY answers by page code."""
    numbered = {
        _SERIAL: disk.serial.encode(),
        _IDENTIFICATION: _designator(3, wwn(disk), is_binary=True) + _designator(1, _t10_name(disk), is_binary=False),
        _CHARACTERISTICS: (disk.rotation_rpm or _DOES_NOT_ROTATE).to_bytes(2) + bytes(58),
    }
    supported = bytes([_SUPPORTED, *numbered])
    answers = {code: bytes([0, code]) + len(content).to_bytes(2) + content for code, content in numbered.items()}
    return {STANDARD: _standard(disk), _SUPPORTED: bytes([0, 0]) + len(supported).to_bytes(2) + supported, **answers}


def _standard(disk: LabDisk) -> bytes:
    """Return standard data: disk (0), SPC-4 (6), response data format 2, 31 bytes more, command queuing (2)."""
    return bytes([0, 0, 6, 2, 31, 0, 0, 2]) + _padded(disk.vendor, 8) + _padded(disk.model, 16) + _REVISION


def _designator(kind: int, name: bytes, *, is_binary: bool) -> bytes:
    return bytes([1 if is_binary else 2, kind, 0, len(name)]) + name


def _t10_name(disk: LabDisk) -> bytes:
    return _padded(disk.vendor, 8) + f"{disk.model}:{disk.serial}".encode()


def _padded(text: str, size: int) -> bytes:
    return text.encode().ljust(size)[:size]
