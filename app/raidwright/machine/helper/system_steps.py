"""What surrounds an array, as values: what can be asked for, and what comes of it.

No bus here, since the window imports it before it stands; ``SystemActs.take`` has a step done by the helper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning


@dataclass(frozen=True, slots=True)
class MadeFileSystem:
    """A file system that was made. The stripe is 0 where the array has none."""

    device: str
    kind: FileSystemKind
    filesystem_uuid: str
    stripe_unit_kib: int
    stripe_width_kib: int
    command: str
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mounted:
    """Where a file system is mounted."""

    place: str
    kind: FileSystemKind
    command: str


@dataclass(frozen=True, slots=True)
class Unmounted:
    """Where a file system was mounted."""

    place: str
    kind: FileSystemKind
    command: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What is set: the array's by name, a line a disk, and the rules that are kept for the next boot."""

    settings: Mapping[str, str]
    disks: tuple[str, ...]
    kept: tuple[str, ...]
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the system's files are to say besides the array's own line; "" leaves a thing as it is.

    ``place``: where fstab mounts the array's file system. ``mail``: whom md's monitor writes to.
    """

    place: str = ""
    homehost: str = ""
    mail: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The lines of a unified diff, none when all is said already; ``token`` stands for exactly this change."""

    token: str
    difference: tuple[str, ...]
    initramfs: bool


@dataclass(frozen=True, slots=True)
class Configured:
    """Files that were written, or put back."""

    files: tuple[str, ...]
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """An array, by UUID and name."""

    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class MakeFileSystem:
    """Make a file system; ends with MadeFileSystem."""

    array: Named
    kind: FileSystemKind
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    """Mount it; ends with Mounted."""

    array: Named
    place: str


@dataclass(frozen=True, slots=True)
class Unmount:
    """Unmount it; ends with Unmounted."""

    array: Named


@dataclass(frozen=True, slots=True)
class ShowFiles:
    """Show what would change in the system's files; ends with Preview."""

    array: Named
    wishes: Wishes


@dataclass(frozen=True, slots=True)
class WriteFiles:
    """Write what was shown under ``token``; ends with Configured."""

    array: Named
    wishes: Wishes
    token: str


@dataclass(frozen=True, slots=True)
class PutFilesBack:
    """Put back what the last change replaced; ends with Configured."""


@dataclass(frozen=True, slots=True)
class Tune:
    """Set what ``tuning`` says, for now and for each start; ends with Settings."""

    array: Named
    tuning: Tuning


Step = MakeFileSystem | Mount | Unmount | ShowFiles | WriteFiles | PutFilesBack | Tune
StepResult = MadeFileSystem | Mounted | Unmounted | Preview | Configured | Settings
