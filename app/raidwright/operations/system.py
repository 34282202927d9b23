"""Operations around an array: its file system, its settings, and its entries in the system's files."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import ArraySettings, Configured, MadeFileSystem, Mounted, Preview, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Tuning
from raidwright.machine.values import Named

from .operation import Request


@dataclass(frozen=True, slots=True)
class Configuration:
    """Additional content for the system's files besides the array's own line; "" leaves a file as it is.

    ``place``: the mount point in fstab of the array's file system. ``mail``: MAILADDR of mdmonitor.
    """

    place: str = ""
    homehost: str = ""
    mail: str = ""

    def options(self) -> dict[str, object]:
        """Return the options that are set, as the verbs take them."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class MakeFileSystem(Request[MadeFileSystem]):
    """Make a file system on an empty array."""

    verb = verbs.MAKE_FILESYSTEM
    array: Named
    kind: FileSystemKind
    label: str = ""

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, str(self.kind), {"label": self.label} if self.label else {})


@dataclass(frozen=True, slots=True)
class Mount(Request[Mounted]):
    """Mount the array's file system at a folder directly below /srv or /mnt."""

    verb = verbs.MOUNT
    array: Named
    place: str


@dataclass(frozen=True, slots=True)
class Unmount(Request[Unmounted]):
    """Unmount the array's file system."""

    verb = verbs.UNMOUNT
    array: Named


@dataclass(frozen=True, slots=True)
class ExamineSettings(Request[ArraySettings]):
    """Read the current settings. Never prompts."""

    verb = verbs.EXAMINE_SETTINGS
    array: Named


@dataclass(frozen=True, slots=True)
class Tune(Request[ArraySettings]):
    """Apply ``tuning``; returns the settings read back."""

    verb = verbs.TUNE
    array: Named
    tuning: Tuning
    lasting: Lasting = Lasting.NOW

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, asdict(self.tuning) | {"lasting": str(self.lasting)})


@dataclass(frozen=True, slots=True)
class BeginSweep(Request[None]):
    """Request authorisation, once, to change ``settings`` of the array and measure it for ``minutes``."""

    verb = verbs.BEGIN_SWEEP
    array: Named
    settings: tuple[str, ...]
    minutes: int


@dataclass(frozen=True, slots=True)
class PreviewConfiguration(Request[Preview]):
    """Preview the changes in mdadm.conf and fstab. May prompt for a password."""

    verb = verbs.PREVIEW_CONFIGURATION
    array: Named
    configuration: Configuration

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, self.configuration.options())


@dataclass(frozen=True, slots=True)
class WriteConfiguration(Request[Configured]):
    """Write the files as previewed under ``token``; DiskRefused if one has changed since."""

    verb = verbs.WRITE_CONFIGURATION
    array: Named
    configuration: Configuration
    token: str

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, self.configuration.options(), self.token)


@dataclass(frozen=True, slots=True)
class RestoreConfiguration(Request[Configured]):
    """Restore the files from before the last change in effect; DiskRefused if one was changed since."""

    verb = verbs.RESTORE_CONFIGURATION
