"""A SCSI disk's power condition, by REQUEST SENSE, which a disk in standby answers without spinning up.

The kernel lets whoever may read the disk send this command, without CAP_SYS_RAWIO (``drivers/scsi/scsi_ioctl.c``,
``scsi_cmd_allowed``). Sources: SPC-4, 4.5 (sense data), annex F (5Eh: low power condition on; 04h, 02h: an initialising
command is required, which is a disk that was stopped); ``scsi/sg.h`` (``sg_io_hdr``).
"""

from __future__ import annotations

import array
import fcntl
import os
import struct

_SG_IO = 0x2285
_HEADER = struct.Struct("@iiBBHIPPPIIiPBBBBHHiII")
_FROM_DISK = -3  # SG_DXFER_FROM_DEV
_REQUEST_SENSE, _SENSE_BYTES = 0x03, 18
_LIMIT_MS = 5000
_STANDBY = frozenset({(0x5E, 0x00), (0x5E, 0x02), (0x5E, 0x04), (0x5E, 0x09), (0x5E, 0x0A), (0x04, 0x02)})


def sleeps(node: str, number: int) -> bool | None:
    """Return whether the disk of this ``node`` and device ``number`` is in standby or stopped; None if it doesn't say.

    Blocks for some seconds where the disk doesn't answer.
    """
    try:
        device = os.open(node, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return is_standby(_sense(device)) if os.fstat(device).st_rdev == number else None
    except OSError:
        return None
    finally:
        os.close(device)


def is_standby(sense: bytes) -> bool | None:
    """Return whether sense data, fixed or descriptors, say that the disk doesn't spin; None if they are neither."""
    kind = sense[0] & 0x7F if sense else 0
    if kind in (0x70, 0x71) and len(sense) > 13:
        return (sense[12], sense[13]) in _STANDBY
    if kind in (0x72, 0x73) and len(sense) > 3:
        return (sense[2], sense[3]) in _STANDBY
    return None


def _sense(device: int) -> bytes:
    """Return the answer to REQUEST SENSE; raises OSError. No ctypes: this service may not map executable memory."""
    command = array.array("B", (_REQUEST_SENSE, 0, 0, 0, _SENSE_BYTES, 0))
    answer, failure = array.array("B", bytes(_SENSE_BYTES)), array.array("B", bytes(_SENSE_BYTES))
    places = (answer.buffer_info()[0], command.buffer_info()[0], failure.buffer_info()[0])
    sizes = (len(command), len(failure), 0, len(answer))
    header = _HEADER.pack(ord("S"), _FROM_DISK, *sizes, *places, _LIMIT_MS, 0, 0, 0, *(0,) * 9)
    told = _HEADER.unpack(fcntl.ioctl(device, _SG_IO, header))
    status, host_status = told[13], told[17]
    return b"" if status or host_status else answer.tobytes()
