"""What can be done around an array: its file system, its settings, and the system's files that know of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import Configured, MadeFileSystem, Mounted, Preview, Settings, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Tuning
from raidwright.machine.values import Named

from .operation import Request


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the system's files are to say besides the array's own line; "" leaves a thing as it is.

    ``place``: where fstab mounts the array's file system. ``mail``: whom md's monitor writes to.
    """

    place: str = ""
    homehost: str = ""
    mail: str = ""

    def options(self) -> dict[str, object]:
        """What is asked for, as the verbs take it."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class MakeFileSystem(Request[MadeFileSystem]):
    """Make a file system on an array that holds nothing."""

    verb = verbs.MAKE_FILESYSTEM
    array: Named
    kind: FileSystemKind
    label: str = ""

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, str(self.kind), {"label": self.label} if self.label else {})


@dataclass(frozen=True, slots=True)
class Mount(Request[Mounted]):
    """Mount the array's file system at a folder right below /srv or /mnt."""

    verb = verbs.MOUNT
    array: Named
    place: str


@dataclass(frozen=True, slots=True)
class Unmount(Request[Unmounted]):
    """Unmount it from there."""

    verb = verbs.UNMOUNT
    array: Named


@dataclass(frozen=True, slots=True)
class ExamineSettings(Request[Settings]):
    """What is set now. Never prompts."""

    verb = verbs.EXAMINE_SETTINGS
    array: Named


@dataclass(frozen=True, slots=True)
class Tune(Request[Settings]):
    """Set what ``tuning`` says; what is set then, read back."""

    verb = verbs.TUNE
    array: Named
    tuning: Tuning
    lasting: Lasting = Lasting.NOW

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, asdict(self.tuning) | {"lasting": str(self.lasting)})


@dataclass(frozen=True, slots=True)
class BeginSweep(Request[None]):
    """Be let try values of ``settings`` on the array and measure it for ``minutes``, and be asked once for it."""

    verb = verbs.BEGIN_SWEEP
    array: Named
    settings: tuple[str, ...]
    minutes: int


@dataclass(frozen=True, slots=True)
class PreviewConfiguration(Request[Preview]):
    """What would change in mdadm.conf and fstab. May ask for a password."""

    verb = verbs.PREVIEW_CONFIGURATION
    array: Named
    configuration: Configuration

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, self.configuration.options())


@dataclass(frozen=True, slots=True)
class WriteConfiguration(Request[Configured]):
    """Write what was previewed under ``token``; DiskRefused when a file has changed since."""

    verb = verbs.WRITE_CONFIGURATION
    array: Named
    configuration: Configuration
    token: str

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, self.configuration.options(), self.token)


@dataclass(frozen=True, slots=True)
class RestoreConfiguration(Request[Configured]):
    """Put back the files of the last change that stands; DiskRefused when one was changed since."""

    verb = verbs.RESTORE_CONFIGURATION
