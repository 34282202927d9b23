"""What surrounds an array, as values: what can be asked for, and what comes of it.

No bus here, since the window imports it before it stands; ``SystemActs.take`` has a step done by the helper.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.protocol.results import Configured, MadeFileSystem, Mounted, Preview, Settings, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the system's files are to say besides the array's own line; "" leaves a thing as it is.

    ``place``: where fstab mounts the array's file system. ``mail``: whom md's monitor writes to.
    """

    place: str = ""
    homehost: str = ""
    mail: str = ""


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
