"""What an array may be called, and how an array and a disk are told from every other."""

from __future__ import annotations

import re

SCRATCH_NAME = "raidwright-scratch"  # what arrays are called that candidates are tried on, and more behind it
ARRAY_NAME = "[A-Za-z0-9_-]{1,32}"  # also as Qt's validators read it
HOST_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"  # of a home host, and "any"
_HOST = re.compile(HOST_NAME)
_ARRAY = re.compile(ARRAY_NAME)
_UUID_DIGITS = re.compile(r"[0-9a-f]{32}")
_DISK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+=-]{0,127}")


def is_array_name(text: str) -> bool:
    """Whether an array may be called so: what md's superblock holds, and no shell, file or bus reads as more."""
    return _ARRAY.fullmatch(text) is not None


def is_host_name(text: str) -> bool:
    """Whether a computer may be called so, or it is ``any``, which mdadm takes for each (``--homehost``)."""
    return _HOST.fullmatch(text) is not None


def is_scratch_name(text: str) -> bool:
    """Whether an array, or one that it is made of, is there to try a candidate, and goes by itself."""
    return text.startswith(f"{SCRATCH_NAME}-")


def array_uuid(text: str) -> str:
    """An array's UUID as mdadm writes it, ``0a1b2c3d:…``: the kernel, udev and people put hyphens elsewhere.

    What is no UUID stays as it is.
    """
    digits = text.replace(":", "").replace("-", "").lower()
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8)) if _UUID_DIGITS.fullmatch(digits) else text


def is_disk_id(text: str) -> bool:
    """Whether ``text`` can be a name below /dev/disk/by-id, and nothing that leads out of there."""
    return _DISK_ID.fullmatch(text) is not None
