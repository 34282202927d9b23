"""The checklist after a build: each step ticked once it is done, and the commands that ran, folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from raidwright.core.md.sync import IDLE
from raidwright.core.protocol.facts import AlertFacts
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.machine.states.volume import State
from raidwright.text.alerts import told_words
from raidwright.text.array.sync_actions import is_first_sync
from raidwright.text.catalogue import tr
from raidwright.ui.after_build.next_steps import NextStep, NextSteps
from raidwright.ui.tokens import SPACE_XS
from raidwright.ui.widgets.panel import Panel, button, label, row

_LOG_LINES = 9
_NAMES = ("sync", "file-system", "place", "boot", "told", "limits", "card")


class Checklist(Panel):
    """The list. ``buttons`` stand beside the rows of these names."""

    def __init__(self, buttons: Mapping[str, Sequence[QWidget]], parent: QWidget | None = None) -> None:
        super().__init__(tr("Checklist"), parent=parent)
        self.setObjectName("checklist")
        self.body.setSpacing(SPACE_XS)
        self._rows: dict[str, QLabel] = {}
        for name in _NAMES:
            self._rows[name] = label("", name=f"check-{name}")
            line = row(self._rows[name])
            for part in buttons.get(name, ()):
                line.addWidget(part)
            line.addStretch(1)
            self.body.addLayout(line)
        fold = button(tr("Commands"), "built-log-toggle", hint=tr("What was done"))
        fold.setCheckable(True)
        fold.setProperty("kind", "toggle")
        self._log = QPlainTextEdit()
        self._log.setObjectName("built-log")
        self._log.setAccessibleName(tr("What was done"))
        self._log.setReadOnly(True)
        self._log.setTabChangesFocus(True)
        self._log.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._log.setFixedHeight(self._log.fontMetrics().lineSpacing() * (_LOG_LINES + 1))
        self._log.hide()
        fold.toggled.connect(self._log.setVisible)
        self.head.addWidget(fold)
        self.body.addWidget(self._log)

    def show_steps(
        self, array: State | None, steps: NextSteps, alerts: AlertFacts | None, log: Sequence[str], *, card_saved: bool
    ) -> None:
        """Show the state of ``array``, of the ``steps`` and of ``alerts`` (None: untold), and the build's ``log``."""
        place = steps.mounted.place if steps.mounted else array.mounted_at if array else ""
        is_idle = array is not None and array.sync_action in IDLE and not array.degraded
        is_syncing = array is not None and (array.sync_action == "resync" or is_first_sync(array))
        self._tick("sync", is_idle, tr("First sync under way") if is_syncing else tr("Synchronised"))
        self._tick("file-system", steps.stage is not NextStep.FILE_SYSTEM or bool(place), _file_system(steps))
        self._tick("place", bool(place), tr("Mounted at {place}", place=place) if place else tr("Mounted"))
        self._tick("boot", steps.is_written, tr("Starts with the computer"))
        self._tick("told", *_told(steps, alerts))
        self._tick("limits", steps.settings is not None, tr("Disks give a bad sector up in time, at each start"))
        self._rows["limits"].setVisible(steps.settings is not None)  # not every array needs it
        self._tick("card", card_saved, tr("Recovery card saved, to be kept apart from these disks"))
        lines = [*log, *(done.command for done in (steps.made, steps.mounted) if done is not None)]
        if self._log.toPlainText() != (text := "\n".join(lines)):
            self._log.setPlainText(text)

    def _tick(self, name: str, is_done: bool, words: str) -> None:
        self._rows[name].setText(f"✓  {words}" if is_done else f"○  {words}")


def _told(steps: NextSteps, alerts: AlertFacts | None) -> tuple[bool, str]:
    """Return whether somebody is told of a failing disk, and who."""
    if alerts is None and steps.is_written and steps.wanted.mail:
        return True, tr("Told when a disk fails: {address}.", address=steps.wanted.mail)
    if alerts is not None and alerts.channels:
        return bool(alerts.arriving), told_words(alerts)
    return False, tr("Mail or a webhook when a disk fails")


def _file_system(steps: NextSteps) -> str:
    """Return “File system: ext4, aligned to the array's 1024 KiB stripe”."""
    made = steps.made
    if made is None:
        return tr("File system")
    if made.stripe_width_kib and made.kind is not FileSystemKind.BTRFS:
        kib = made.stripe_width_kib
        return tr("File system: {kind}, aligned to the array's {kib} KiB stripe", kind=str(made.kind), kib=kib)
    return tr("File system: {kind}", kind=str(made.kind))
