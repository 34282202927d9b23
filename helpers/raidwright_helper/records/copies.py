"""Records of members that md copies onto other disks: whether the computer stopped before the array was checked.

On raid4 and raid5 with a bitmap such a copy can end with wrong parity on the new disk (``known.COPY_CUT_OFF``), and
nothing in the array tells that it was cut off.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable

from raidwright_helper.host import md
from raidwright_helper.host.host import Host

from .store import Store


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """The latest copy of a member of the array, begun in that boot, in Unix seconds."""

    uuid: str
    boot_id: str
    began_s: int


class Copies:
    """The latest copy of a member of each array."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host = host
        self._store = Store(
            folder,
            "record of a member's copy",
            name=lambda kept: _name_of(kept.uuid),
            read=_read,
            loss=lambda _: "If the computer stopped during that copy, have the array checked.",
        )

    def note(self, uuid: str) -> None:
        """Record that a copy begins; raises JobFailed."""
        self._store.write(KeptCopy(uuid, self._host.boot_id, int(time.time())))

    def cut_off_s(self, uuid: str) -> int | None:
        """Return when the latest copy began if the computer has been started since; None if it hasn't."""
        kept = self._store.get(_name_of(uuid))
        return kept.began_s if kept is not None and kept.boot_id != self._host.boot_id else None


def _name_of(uuid: str) -> str:
    return f"{md.checked_uuid(uuid).replace(':', '-')}.json"


def _read(data: object, _version: int) -> KeptCopy:
    fields = Fields(data, "the record")
    began_s = fields.positive("began_s")
    if began_s is None:
        raise InputError("it has no time", code="record-time")
    uuid, boot_id = md.checked_uuid(fields.require("uuid", str)), printable(fields.require("boot_id", str))
    fields.finish()
    return KeptCopy(uuid, boot_id, began_s)
