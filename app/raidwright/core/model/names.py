"""Valid names and identifiers of arrays, hosts and disks."""

from __future__ import annotations

import re
import unicodedata

SCRATCH_NAME = "raidwright-scratch"  # prefix of the names of arrays on which candidates are tried
MAX_NAME_LENGTH = 32  # of set_name in md's superblock 1.x (md_p.h)
ARRAY_NAME = f"[A-Za-z0-9_-]{{1,{MAX_NAME_LENGTH}}}"  # also used in Qt's validators
HOST_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"  # of a home host, and "any"
_HOST = re.compile(HOST_NAME)
_ARRAY = re.compile(ARRAY_NAME)
_UUID_DIGITS = re.compile(r"[0-9a-f]{32}")
_DISK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+=-]{0,127}")


def is_array_name(text: str) -> bool:
    """True for a valid array name: it fits md's superblock, and is plain text to every shell, file system and bus."""
    return _ARRAY.fullmatch(text) is not None


def array_name_like(name: str) -> str:
    """Return the valid array name nearest to ``name``; "" if nothing of it is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    made = re.sub(r"[^A-Za-z0-9_-]+", "-", plain).strip("-")[:MAX_NAME_LENGTH].rstrip("-")
    return made if is_array_name(made) else ""


def is_host_name(text: str) -> bool:
    """True for a valid host name, or ``any``, which mdadm accepts for every host (``--homehost``)."""
    return _HOST.fullmatch(text) is not None


def is_scratch_name(text: str) -> bool:
    """True for a scratch array, or an inner array of one: made to try a candidate and removed automatically."""
    return text.startswith(f"{SCRATCH_NAME}-")


def array_uuid(text: str) -> str:
    """Return an array's UUID as mdadm writes it, ``0a1b2c3d:…``; the kernel, udev and people put hyphens elsewhere.

    Text that isn't a UUID is returned unchanged.
    """
    digits = text.replace(":", "").replace("-", "").lower()
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8)) if _UUID_DIGITS.fullmatch(digits) else text


def is_disk_id(text: str) -> bool:
    """True if ``text`` can be a file name in /dev/disk/by-id, without a path out of it."""
    return _DISK_ID.fullmatch(text) is not None
