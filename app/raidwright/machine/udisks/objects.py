"""The type in which UDisks2's objects are kept, and the names that several modules read in them."""

from __future__ import annotations

from typing import Any

Objects = dict[str, dict[str, dict[str, Any]]]
"""``{object path: {interface: {property: value}}}``, plain values only."""

UDISKS_NAME = "org.freedesktop.UDisks2"
ROOT = "/org/freedesktop/UDisks2"
MANAGER = "org.freedesktop.DBus.ObjectManager"
"""The service, and the path and interface of its ``GetManagedObjects``."""

PREFIX = f"{UDISKS_NAME}."
BLOCK = f"{PREFIX}Block"
PARTITION = f"{PREFIX}Partition"
MDRAID = f"{PREFIX}MDRaid"

NO_OBJECT = "/"
"""UDisks2's object path for "none"."""
