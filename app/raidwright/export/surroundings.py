"""Surroundings of an array in an export, beyond the plan: file system, mount point, mail address of md's monitor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of, stripe_of_layer
from raidwright.core.layers.commands import device_path
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import UNKNOWN, SignatureNames
from raidwright.core.system.config_files import checked_array_name, checked_mail
from raidwright.core.system.filesystem import FileSystemKind, checked_place, mkfs_argv
from raidwright.core.system.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``kind`` None makes no file system; ``place`` "" is /srv and the array's name.

    ``removed`` are the signatures to erase, by disk (``core.protocol.facts.SignatureNames``).
    """

    kind: FileSystemKind | None = FileSystemKind.EXT4
    place: str = ""
    mail: str = "root"
    tuning: Tuning = field(default_factory=Tuning)
    removed: SignatureNames = field(default_factory=dict)

    def checked(self, plan: Plan) -> Surroundings:
        """Return these with their defaults filled in.

        Raises PlanRefused for a plan that mdadm would refuse, InputError for values invalid in system files.
        """
        if plan.volume is not None and not self.tuning.is_empty:
            raise InputError("Settings by udev aren't exported for joined volumes yet; leave them out.", code="tuning")
        capacity_of(plan.top)
        checked_array_name(plan.name)
        place = checked_place(self.place or f"/srv/{plan.name}") if self.kind else ""
        return Surroundings(self.kind, place, checked_mail(self.mail), self.tuning, self.removed)

    def expected(self, disk: Member) -> str:
        """Return the signatures that ``disk`` may hold, as the script's ``signatures`` prints them; "" for none."""
        return " ".join(sorted({name for name in self.removed.get(disk.id, ()) if name != UNKNOWN}))


def mkfs_words(plan: Plan, kind: FileSystemKind, uuid: str) -> tuple[str, ...]:
    """Return the helper's own mkfs command for ``plan``, with the array's stripe."""
    return mkfs_argv(kind, device_path(plan.top), uuid=uuid, stripe=stripe_of_layer(plan.top))


PACKAGES: Mapping[FileSystemKind | None, tuple[str, ...]] = {
    None: ("mdadm",),
    FileSystemKind.EXT4: ("mdadm", "e2fsprogs"),
    FileSystemKind.XFS: ("mdadm", "xfsprogs"),
    FileSystemKind.BTRFS: ("mdadm", "btrfs-progs"),
}
