"""Steps after a build, one at a time: file system, mount point, and assembly at boot."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.protocol.results import ArraySettings, Configured, MadeFileSystem, Mounted, Preview, Unmounted
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
from raidwright.ui.job import RunningOperation

GIVE_UP_SECONDS = 7  # the default of disks made for arrays


class NextStep(Enum):
    """The next step."""

    FILE_SYSTEM = auto()
    PLACE = auto()
    FILES = auto()
    SHOWN = auto()
    DONE = auto()


class NextSteps(QObject):
    """The steps for one array; ``changed`` follows everything shown, ``done`` a completed step."""

    changed = Signal()
    done = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.job = RunningOperation(session, self)
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
        self.settings: ArraySettings | None = None
        self.wanted = Configuration()
        self.is_written = False  # its lines are in the system's files
        self._known_place = ""  # where it was mounted already
        self._was_seen = False  # mounted in a snapshot of the machine

    def begin(self, array: Named) -> None:
        """Switch to another array, without any state yet."""
        if array != self.array:
            self.job.abandon()  # its result belongs to the previous array
            self._forget(array)
            self.changed.emit()

    def resume(self, array: Named, mounted_at: str) -> None:
        """Begin anew with an array that has a file system already, mounted at ``mounted_at`` ("": not mounted)."""
        self.job.abandon()
        self._forget(array)
        self.stage = NextStep.FILES if mounted_at else NextStep.PLACE
        self._known_place = mounted_at
        self.changed.emit()

    @Slot()
    def skip_place(self) -> None:
        """Go on to the files without a mount point."""
        self.stage = NextStep.FILES
        self.changed.emit()

    def make(self, kind: FileSystemKind, label: str) -> None:
        """Make a file system."""
        self.job.begin(MakeFileSystem(self.array, kind, label))

    def mount(self, place: str) -> None:
        """Mount the file system."""
        self.job.begin(Mount(self.array, place))

    @Slot()
    def unmount(self) -> None:
        """Unmount the file system."""
        self.job.begin(Unmount(self.array))

    def see(self, mounted_at: str) -> None:
        """Follow the mount point in snapshots: after an unmount by anybody, offer mounting again."""
        if self.mounted is not None and self._was_seen and not mounted_at and not self.job.is_busy:
            self.mounted, self.preview, self.stage = None, None, NextStep.PLACE
            self.changed.emit()
        self._was_seen = bool(mounted_at)

    def show_files(self, mail: str) -> None:
        """Ask for a preview of the changes to the system's files."""
        self.wanted = Configuration(place=self.mounted.place if self.mounted else self._known_place, mail=mail)
        self.job.begin(PreviewConfiguration(self.array, self.wanted))

    @Slot()
    def write_files(self) -> None:
        """Write exactly the previewed changes."""
        if self.preview is not None:
            self.job.begin(WriteConfiguration(self.array, self.wanted, self.preview.token))

    @Slot()
    def put_files_back(self) -> None:
        """Restore the replaced content."""
        self.job.begin(RestoreConfiguration())

    @Slot()
    def let_disks_give_up(self) -> None:
        """Set the disks' error recovery timeout below the kernel's command timeout, now and at each boot."""
        self.job.begin(Tune(self.array, Tuning(error_recovery_s=GIVE_UP_SECONDS), Lasting.ALWAYS))

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
            case MadeFileSystem():
                self.made, self.stage = result, NextStep.PLACE
            case Mounted():
                self.mounted = result
                is_same = self.is_written and result.place == self.wanted.place
                self.stage = NextStep.DONE if is_same else NextStep.FILES
            case Unmounted():
                self.mounted, self.preview, self.stage = None, None, NextStep.PLACE
            case Preview():
                self.preview, self.stage = result, NextStep.SHOWN if result.difference else NextStep.DONE
                self.is_written = not result.difference
            case ArraySettings():
                self.settings = result
            case Configured():
                self.is_written = self.stage is NextStep.SHOWN
                self.stage = NextStep.DONE if self.is_written else NextStep.FILES
        self.done.emit()

    @Slot()
    def _failed(self) -> None:
        if self.stage is NextStep.SHOWN:
            self.stage = NextStep.FILES  # the preview may be outdated
