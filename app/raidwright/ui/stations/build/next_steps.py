"""What comes after a build, one step at a time: a file system, a place for it, and a start with the computer."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.protocol.results import Configured, MadeFileSystem, Mounted, Preview, Settings, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Tuning
from raidwright.machine.values import Named
from raidwright.operations.system import (
    Configuration,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    RestoreConfiguration,
    Tune,
    Unmount,
    WriteConfiguration,
)
from raidwright.session import Session
from raidwright.ui.job import Job

GIVE_UP_SECONDS = 7  # what disks made for arrays come with


class NextStep(Enum):
    """Which step is next."""

    FILE_SYSTEM = auto()
    PLACE = auto()
    FILES = auto()
    SHOWN = auto()
    DONE = auto()


class NextSteps(QObject):
    """The steps for one array; ``changed`` follows everything shown, ``done`` a step that was done."""

    changed = Signal()
    done = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.job = Job(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.changed.connect(self.changed)
        self._forget(Named("", ""))

    def _forget(self, array: Named) -> None:
        self.array = array
        self.stage = NextStep.FILE_SYSTEM
        self.job.failure = ""
        self.made: MadeFileSystem | None = None
        self.mounted: Mounted | None = None
        self.preview: Preview | None = None
        self.settings: Settings | None = None
        self.wanted = Configuration()
        self._was_seen = False  # by the machine, mounted

    def begin(self, array: Named) -> None:
        """Turn to another array, of which nothing is known yet."""
        if array != self.array:
            self.job.abandon()  # what comes of it isn't of this array
            self._forget(array)
            self.changed.emit()

    def make(self, kind: FileSystemKind, label: str) -> None:
        """Make a file system."""
        self.job.begin(MakeFileSystem(self.array, kind, label))

    def mount(self, place: str) -> None:
        """Mount it."""
        self.job.begin(Mount(self.array, place))

    @Slot()
    def unmount(self) -> None:
        """Unmount it."""
        self.job.begin(Unmount(self.array))

    def see(self, mounted_at: str) -> None:
        """Follow the machine: what was unmounted there, by whomever, is to be mounted here."""
        if self.mounted is not None and self._was_seen and not mounted_at and not self.job.is_busy:
            self.mounted, self.preview, self.stage = None, None, NextStep.PLACE
            self.changed.emit()
        self._was_seen = bool(mounted_at)

    def show_files(self, mail: str) -> None:
        """Ask what would change in the system's files."""
        self.wanted = Configuration(place=self.mounted.place if self.mounted else "", mail=mail)
        self.job.begin(PreviewConfiguration(self.array, self.wanted))

    @Slot()
    def write_files(self) -> None:
        """Write exactly what is shown."""
        if self.preview is not None:
            self.job.begin(WriteConfiguration(self.array, self.wanted, self.preview.token))

    @Slot()
    def put_files_back(self) -> None:
        """Put back what that replaced."""
        self.job.begin(RestoreConfiguration())

    @Slot()
    def let_disks_give_up(self) -> None:
        """See to it that no disk tries for so long that the kernel takes it for dead, now and at each start."""
        self.job.begin(Tune(self.array, Tuning(error_recovery_s=GIVE_UP_SECONDS), Lasting.ALWAYS))

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
            case MadeFileSystem():
                self.made, self.stage = result, NextStep.PLACE
            case Mounted():
                self.mounted, self.stage = result, NextStep.FILES
            case Unmounted():
                self.mounted, self.preview, self.stage = None, None, NextStep.PLACE
            case Preview():
                self.preview, self.stage = result, NextStep.SHOWN if result.difference else NextStep.DONE
            case Settings():
                self.settings = result
            case Configured():
                self.stage = NextStep.DONE if self.stage is NextStep.SHOWN else NextStep.FILES
        self.done.emit()

    @Slot()
    def _failed(self) -> None:
        if self.stage is NextStep.SHOWN:
            self.stage = NextStep.FILES  # what was shown may no longer be so
