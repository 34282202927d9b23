"""The machine's arrays, a line each, and below them the confirmation of stopping or removing one."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QVBoxLayout, QWidget

from raidwright.core.md.foreign_make import make_name
from raidwright.core.messages import say
from raidwright.core.protocol.facts import Check, CheckState
from raidwright.machine.values import Array
from raidwright.text.arrays import (
    differences,
    history_words,
    is_provided,
    make_words,
    moment,
    state_words,
)
from raidwright.text.catalogue import decimal_size, ntr, tr, translated
from raidwright.text.measurements import doing
from raidwright.text.sync_actions import is_first_sync
from raidwright.ui.tokens import SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import Panel, badge, button, clear, column, label, name_label, restyle, row, scrolled

from .model import Act, ArraysModel

_MAX_HEIGHT = 132
_CHECK = say(
    "md reads everything and compares copies and parity. It may take hours, and the disks are busier meanwhile."
)
_START = say("Puts it together from its disks that are here. Nothing is forced, and nothing on it is changed.")
_STOP = say(
    "“{name}” can't be used until it is started again, here or by the next start of the computer. Nothing is erased."
)
_APART = say(
    "“{name}” ends, and these disks are free for something else: {disks}. What it holds is not erased, but can't be "
    "reached any more. As long as nothing new is on the disks the array can be brought back."
)
_MEANS = {Act.STOP: _STOP, Act.TAKE_APART: _APART}
_GO = {Act.STOP: say("Stop it"), Act.TAKE_APART: say("Take it apart"), Act.START: say("Start it")}


_CHECKED = {
    CheckState.RUNNING: say("check begun {when}"),
    CheckState.PAUSED: say("check of {when} is paused: {found} so far"),
    CheckState.DONE: say("checked {when}: {found}"),
    CheckState.INTERRUPTED: say("the check of {when} was cut off"),
}


class ArraysPanel(Panel):
    """The panel; visible only if there are arrays, or something to say about one."""

    def __init__(self, model: ArraysModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Arrays of this machine"), parent=parent)
        self.setObjectName("arrays-panel")
        self._model = model
        self._lines: dict[str, _Line] = {}
        inner = QWidget()
        self._rows = QVBoxLayout(inner)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(SPACE_S)
        self._area = scrolled(inner)
        self._said = label("", name="arrays-said", wrap=True)
        self._back = button(tr("Bring the array back"), "arrays-back")
        self._back.clicked.connect(model.bring_back)
        self._failure = label("", "error", name="arrays-failure", wrap=True)
        said = row(spacing=SPACE_M)
        said.addWidget(self._said, 1)
        said.addWidget(self._back)
        self.body.addWidget(self._area)
        self.body.addWidget(_Confirmation(model, self))
        self.body.addWidget(self._failure)
        self.body.addLayout(said)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        model, arrays = self._model, self._model.arrays
        if [array.uuid for array in arrays] != list(self._lines):
            clear(self._rows)
            self._lines = {array.uuid: _Line(model) for array in arrays}
            for line in self._lines.values():
                self._rows.addWidget(line)
                line.show()  # only shown lines count for the height
        for array in arrays:
            self._lines[array.uuid].show_array(array)
        self._area.setFixedHeight(min(self._rows.sizeHint().height(), _MAX_HEIGHT))
        self._area.setVisible(bool(arrays))
        self._said.setText(model.said)
        self._said.setVisible(bool(model.said))
        self._back.setVisible(bool(model.way_back))
        self._back.setEnabled(not model.job.is_busy)
        self._failure.setText(f"✕ {model.job.failure}" if model.job.failure else "")
        self._failure.setVisible(bool(model.job.failure))
        self.setVisible(bool(arrays or model.said or model.job.failure))


class _Line(QWidget):
    """An array's line: its level and size, state, last check, and actions."""

    def __init__(self, model: ArraysModel) -> None:
        super().__init__()
        self._model = model
        self._array: Array | None = None
        self._name = label("", "title", name="array-name")
        self._what = label("", "dim", name="array-what")
        self._state = badge("", "good")
        self._state.setObjectName("array-state")
        self._checked = label("", "dim", name="array-checked")
        self._check = button("", "array-check", hint=translated(_CHECK))
        self._unmount = button(tr("Unmount"), "array-unmount")
        self._unmount.clicked.connect(self._unmount_it)
        self._replace = button(tr("Replace …"), "array-replace")
        self._replace.clicked.connect(self._want_replacement)
        self._start = button(tr("Start"), "array-start", hint=translated(_START))
        self._start.clicked.connect(self._start_it)
        self._stop = button(tr("Stop …"), "array-stop")
        self._apart = button(tr("Take apart …"), "array-apart")
        for part, act in ((self._stop, Act.STOP), (self._apart, Act.TAKE_APART)):
            part.clicked.connect(lambda _on=False, act=act: self._open(act))
        self._check.clicked.connect(self._toggle_check)
        line = row(self._name, self._what, self._state, self._checked, spacing=SPACE_M)
        line.addStretch(1)
        for part in (self._start, self._check, self._replace, self._unmount, self._stop, self._apart):
            line.addWidget(part)
        self.setLayout(line)

    def show_array(self, array: Array) -> None:
        """Update the array's line."""
        self._array = array
        self._name.setText(array.name)
        disks = len(self._model.disks_of(array))
        self._what.setText(
            ntr(
                "{level} · {size} · {count} disk",
                "{level} · {size} · {count} disks",
                disks,
                level=array.level,
                size=decimal_size(array.size_bytes),
            )
        )
        words, tone = self._state_of(array)
        self._state.setText(words)
        if self._state.property("badge") != tone:
            self._state.setProperty("badge", tone)
            restyle(self._state)
        for part in (self._check, self._replace, self._unmount, self._stop, self._apart):
            part.setVisible(array.running)
        self._start.setVisible(array.can_start or array.state == "inactive")
        self._start.setEnabled(not self._model.job.is_busy)
        self._start.setAccessibleName(f"{self._start.text()} ({array.name})")
        if not array.running:
            self._checked.setText(history_words(array))
            return
        self._checked.setText(self._last_check(self._model.last_check(array)))
        self._checked.setToolTip(make_words(array))
        is_checking = array.sync_action == "check"
        self._check.setText(tr("Pause the check") if is_checking else tr("Check now"))
        may_check = is_checking or (array.sync_action == "idle" and not array.degraded)
        self._check.setEnabled(not self._model.job.is_busy and may_check)
        has_copies = array.level not in ("raid0", "linear")
        self._check.setVisible(has_copies)
        self._replace.setVisible(has_copies and not is_provided(array))
        self._unmount.setVisible(bool(array.mounted_at))
        self._unmount.setToolTip(tr("Now at {place}. Nothing is erased.", place=array.mounted_at))
        for part in (self._unmount, self._stop, self._apart):
            part.setEnabled(not self._model.job.is_busy)
        for part in (self._stop, self._apart):
            part.setVisible(not array.make)
        if array.make:  # external metadata is read-only
            self._checked.setText(tr("{make}, only looked at", make=make_name(array.make)))
            for part in (self._check, self._replace, self._unmount):
                part.setVisible(False)
        for part in (self._check, self._replace, self._unmount, self._stop, self._apart):
            part.setAccessibleName(f"{part.text()} ({array.name})")

    def _state_of(self, array: Array) -> tuple[str, str]:
        if not array.running:
            return state_words(array), "warn" if array.can_start else "bad"
        if is_first_sync(array):
            return tr("⟳ first sync {share:.0%}", share=array.sync_fraction), "info"
        if array.degraded and any(place.is_coming for place in array.places):
            return tr("⟳ rebuilding, {share:.0%}", share=array.sync_fraction), "warn"
        if array.degraded:
            return ntr("✕ {count} missing", "✕ {count} missing", array.degraded), "bad"
        if array.sync_action not in ("", "idle"):
            return tr("{action} {share:.0%}", action=doing(array.sync_action), share=array.sync_fraction), "info"
        return tr("✓ whole"), "good"

    def _last_check(self, check: Check | None) -> str:
        if check is None:
            return tr("not checked yet")
        found = differences(check.mismatch_sectors)
        return tr(_CHECKED[check.state], when=moment(check.began_s), found=found)

    def _open(self, act: Act) -> None:
        if self._array is not None:
            self._model.open(self._array, act)

    def _start_it(self) -> None:
        if self._array is not None:
            self._model.start(self._array)

    def _unmount_it(self) -> None:
        if self._array is not None:
            self._model.unmount(self._array)

    def _want_replacement(self) -> None:
        if self._array is not None:
            self._model.replace_wanted.emit(self._array)

    def _toggle_check(self) -> None:
        if self._array is not None:
            self._model.check(self._array)


class _Confirmation(QFrame):
    """The confirmation of an action: its effect, a field for the array's name, and two buttons."""

    def __init__(self, model: ArraysModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("arrays-confirmation")
        self._model = model
        self._means = label("", name="arrays-means", wrap=True)
        self._give_up = QCheckBox()
        self._give_up.setObjectName("arrays-give-up")
        self._give_up.toggled.connect(model.give_up)
        self._lines = QCheckBox(tr("Take its lines out of mdadm.conf and fstab as well"))
        self._lines.setObjectName("arrays-lines")
        self._lines.toggled.connect(model.take_lines_out)
        self._name = QLineEdit()
        self._name.setObjectName("arrays-name")
        self._name.setFixedWidth(200)
        self._name.textEdited.connect(model.type_name)
        self._name.returnPressed.connect(model.confirm)
        self._go = button("", "arrays-go", primary=True)
        self._go.clicked.connect(model.confirm)
        self._leave = button(tr("Leave it as it is"), "arrays-leave")
        self._leave.clicked.connect(model.leave)
        self._why_not = label("", "dim", name="arrays-why-not", wrap=True)
        ways = row(name_label(self._name), self._name, self._go, self._leave)
        ways.addWidget(self._why_not, 1)
        whole = column(self._means, self._give_up, self._lines, ways, spacing=SPACE_S)
        whole.setContentsMargins(0, SPACE_XS, 0, 0)
        self.setLayout(whole)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        model, array = self._model, self._model.opened
        was_hidden = self.isHidden()
        self.setVisible(array is not None)
        if array is None:
            return
        disks = [f"{one.model} {one.serial} ({decimal_size(one.size_bytes)})" for one in model.disks_of(array)]
        if model.act is Act.START:
            self._means.setText(_start_words(array))
        else:
            self._means.setText(tr(_MEANS[model.act], name=array.name, disks=disks))
        self._give_up.setText(tr("Give up the {what} on it", what=list(model.held)))
        self._give_up.setVisible(bool(model.held))
        self._give_up.setChecked(model.is_given_up)
        self._lines.setVisible(model.act is Act.TAKE_APART)
        self._lines.setChecked(model.with_lines)
        if self._name.text() != model.typed:
            self._name.setText(model.typed)
        self._name.setPlaceholderText(array.name)
        self._name.setAccessibleName(tr("The array's name, to confirm"))
        self._go.setText(tr(_GO[model.act]))
        self._go.setAccessibleName(self._go.text())
        self._go.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not)
        if was_hidden:
            self._name.setFocus()


def _start_words(array: Array) -> str:
    lacking = len(array.assembly.dropped) if array.assembly else 0
    return ntr(
        "“{name}” was last written with {count} more member than is here. Started now it is degraded, and that member "
        "has to be rebuilt later, also if it comes back. If you can plug it in, do that first.",
        "“{name}” was last written with {count} more members than are here. Started now it is degraded, and those "
        "members have to be rebuilt later, also if they come back. If you can plug them in, do that first.",
        lacking,
        name=array.name,
    )
