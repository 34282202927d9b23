"""What comes after a build, one step at a time: a file system, a place for it, and a start with the computer."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol.results import Configured, MadeFileSystem, Mounted, Preview, Settings, Unmounted
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning
from raidwright.machine.helper.system_steps import (
    MakeFileSystem,
    Mount,
    Named,
    PutFilesBack,
    ShowFiles,
    Step,
    StepResult,
    Tune,
    Unmount,
    Wishes,
    WriteFiles,
)
from raidwright.session import Session
from raidwright.tasks import Task
from raidwright.text.catalogue import translated

GIVE_UP_SECONDS = 7  # what disks made for arrays come with


class Stage(Enum):
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
        self._session = session
        self._task: Task | None = None
        self._forget(Named("", ""))

    def _forget(self, array: Named) -> None:
        self.array = array
        self.stage = Stage.FILE_SYSTEM
        self.failure = ""
        self.made: MadeFileSystem | None = None
        self.mounted: Mounted | None = None
        self.preview: Preview | None = None
        self.settings: Settings | None = None
        self.wishes = Wishes()
        self._was_seen = False  # by the machine, mounted

    @property
    def is_busy(self) -> bool:
        """Whether a step is under way."""
        return self._task is not None

    def begin(self, array: Named) -> None:
        """Turn to another array, of which nothing is known yet."""
        if array != self.array:
            if self._task is not None:
                self._task.blockSignals(True)  # what comes of it isn't of this array
                self._task = None
            self._forget(array)
            self.changed.emit()

    def make(self, kind: FileSystemKind, label: str) -> None:
        """Make a file system."""
        self._take(MakeFileSystem(self.array, kind, label))

    def mount(self, place: str) -> None:
        """Mount it."""
        self._take(Mount(self.array, place))

    @Slot()
    def unmount(self) -> None:
        """Unmount it."""
        self._take(Unmount(self.array))

    def see(self, mounted_at: str) -> None:
        """Follow the machine: what was unmounted there, by whomever, is to be mounted here."""
        if self.mounted is not None and self._was_seen and not mounted_at and self._task is None:
            self.mounted, self.preview, self.stage = None, None, Stage.PLACE
            self.changed.emit()
        self._was_seen = bool(mounted_at)

    def show_files(self, mail: str) -> None:
        """Ask what would change in the system's files."""
        self.wishes = Wishes(place=self.mounted.place if self.mounted else "", mail=mail)
        self._take(ShowFiles(self.array, self.wishes))

    @Slot()
    def write_files(self) -> None:
        """Write exactly what is shown."""
        if self.preview is not None:
            self._take(WriteFiles(self.array, self.wishes, self.preview.token))

    @Slot()
    def put_files_back(self) -> None:
        """Put back what that replaced."""
        self._take(PutFilesBack())

    @Slot()
    def let_disks_give_up(self) -> None:
        """See to it that no disk tries for so long that the kernel takes it for dead, now and at each start."""
        self._take(Tune(self.array, Tuning(error_recovery_s=GIVE_UP_SECONDS)))

    def _take(self, step: Step) -> None:
        if self._task is not None:
            return
        self.failure = ""
        self._task = self._session.take_step(step, update=self._progressed, done=self._done, failed=self._failed)
        self.changed.emit()

    @Slot(object)
    def _progressed(self, _progress: object) -> None:
        """These steps take moments; which one is under way can be seen."""

    @Slot(object)
    def _done(self, result: StepResult) -> None:
        self._task = None
        match result:
            case MadeFileSystem():
                self.made, self.stage = result, Stage.PLACE
            case Mounted():
                self.mounted, self.stage = result, Stage.FILES
            case Unmounted():
                self.mounted, self.preview, self.stage = None, None, Stage.PLACE
            case Preview():
                self.preview, self.stage = result, Stage.SHOWN if result.difference else Stage.DONE
            case Settings():
                self.settings = result
            case Configured():
                self.stage = Stage.DONE if self.stage is Stage.SHOWN else Stage.FILES
        self.changed.emit()
        self.done.emit()

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        self._task, self.failure = None, translated(error.sentence)
        if self.stage is Stage.SHOWN:
            self.stage = Stage.FILES  # what was shown may no longer be so
        self.changed.emit()
