"""The confirmation of an action on an array: its effect, a field for the array's name, and two buttons."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from raidwright.core.messages import say
from raidwright.machine.states.volume import State, Volume
from raidwright.text.array.bad_blocks import bad_sectors_words
from raidwright.text.array.condition import dropped
from raidwright.text.array.histories import parted_words
from raidwright.text.catalogue import decimal_size, joined, ntr, tr
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import Panel, button, label, row

from .acts import STARTS, Act
from .half_choice import HalfChoice
from .model import ArraysModel

_STOP = say(
    "“{name}” can't be used until it is started again, here or by the next start of the computer. Nothing is erased."
)
_APART = say(
    "“{name}” ends, and these disks are free for something else: {disks}. What it holds is not erased, but can't be "
    "reached any more. As long as nothing new is on the disks the array can be brought back."
)
_APART_VOLUME = say(
    "“{name}” ends: its arrays stop, and their superblocks are removed. These disks keep their partitions, which are "
    "free for something else: {disks}. What it holds is not erased, but can't be reached any more. As long as nothing "
    "new is on the partitions the volume can be brought back."
)
_OVER = say(
    "“{name}” becomes this computer's own: its superblocks say {new} instead of {old} (mdadm --assemble --update=name)."
    " It is stopped for that if it runs, and runs afterwards. Its lines in mdadm.conf and fstab come next, shown first."
)
_RENAME = say(
    "The superblocks of “{name}” say {new} instead of {old} (mdadm --assemble --update=name). It is stopped for that, "
    "and runs afterwards by its new name. Its lines in mdadm.conf and fstab come next, shown first."
)
_HALF = say("Started to be written to, the chosen half goes on alone, degraded.")
_FORGET = say(
    "md's lists of bad blocks on the members of “{name}” are emptied: {sectors}. It is stopped for that, and runs "
    "afterwards (mdadm --assemble --update=force-no-bbl). What other members have in place of these sectors is written "
    "to them again; what only these members have is read as it is, and can be old."
)
_ON = say(
    "Members of “{name}” are missing. Going on with what waits writes to the others, and a member that comes back "
    "later has to be rebuilt. If you can plug it in, do that first."
)
_MEANS = {Act.GO_ON: _ON, Act.STOP: _STOP, Act.TAKE_APART: _APART, Act.TAKE_OVER: _OVER, Act.FORGET: _FORGET}
_GO = {
    Act.TAKE_OVER: say("Take it over"),
    Act.STOP: say("Stop it"),
    Act.TAKE_APART: say("Take it apart"),
    Act.START: say("Start it"),
    Act.LOOK: say("Look inside"),
    Act.FORGET: say("Forget them"),
    Act.GO_ON: say("Go on"),
}


class Confirmation(Panel):
    """The panel; visible only while an action awaits its confirmation."""

    def __init__(self, model: ArraysModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("arrays-confirmation")
        self._model = model
        self._asked: tuple[str, Act | None] = ("", None)  # the array's UUID, and the action shown
        self._means = label("", name="arrays-means", wrap=True)
        self._give_up = QCheckBox()
        self._give_up.setObjectName("arrays-give-up")
        self._give_up.toggled.connect(model.give_up)
        self._lines = QCheckBox(tr("Take its lines out of mdadm.conf and fstab as well"))
        self._lines.setObjectName("arrays-lines")
        self._lines.toggled.connect(model.take_lines_out)
        self._halves = HalfChoice(model)
        self._new_name = QLineEdit()
        self._new_name.setObjectName("arrays-new-name")
        self._new_name.setAccessibleName(tr("Its name from now on"))
        self._new_name.setFixedWidth(200)
        self._new_name.textEdited.connect(model.rename)
        self._renamed = QWidget()
        renamed = row(label(tr("Its name from now on")), self._new_name)
        renamed.addStretch(1)
        self._renamed.setLayout(renamed)
        self._name = NameField(model, "arrays-name")
        self._name.returnPressed.connect(model.confirm)
        self._go = button("", "arrays-go", primary=True)
        self._go.clicked.connect(model.confirm)
        self._leave = button(tr("Leave it as it is"), "arrays-leave")
        self._leave.clicked.connect(model.leave)
        self._why_not = label("", "dim", name="arrays-why-not", wrap=True)
        self._name_label = self._name.label()
        ways = row(self._name_label, self._name, self._go, self._leave)
        ways.addWidget(self._why_not, 1)
        for part in (self._means, self._halves, self._give_up, self._lines, self._renamed):
            self.body.addWidget(part)
        self.body.addSpacing(SPACE_S // 2)
        self.body.addLayout(ways)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        model, array = self._model, self._model.opened
        self.setVisible(array is not None)
        before, self._asked = self._asked, (array.uuid, model.act) if array else ("", None)
        if array is None:
            return
        disks = [f"{one.model} {one.serial} ({decimal_size(one.size_bytes)})" for one in model.disks_of(array)]
        if isinstance(array, Volume):  # each disk once, of which the arrays have slices
            disks = list(dict.fromkeys(f"{one.model} {one.serial}".strip() or one.id for one in model.disks_of(array)))
        self._halves.show_halves(array if model.act in STARTS else None)
        if array.halves and model.act in STARTS:
            self._means.setText(joined(parted_words(array), tr(_HALF) if model.act is Act.START else ""))
        elif model.act is Act.START:
            self._means.setText(_start_words(array))
        else:
            names, is_renamed = _names(array, model.new_name), model.act is Act.TAKE_OVER and not array.is_foreign
            is_volume_apart = isinstance(array, Volume) and model.act is Act.TAKE_APART
            means = _APART_VOLUME if is_volume_apart else _MEANS[model.act]
            means = _RENAME if is_renamed else means
            self._means.setText(tr(means, name=array.name, disks=disks, sectors=bad_sectors_words(array), **names))
        self._renamed.setVisible(model.act is Act.TAKE_OVER)
        if self._new_name.text() != model.new_name:
            self._new_name.setText(model.new_name)
        self._give_up.setText(tr("Give up the {what} on it", what=list(model.held)))
        self._give_up.setVisible(bool(model.held))
        self._give_up.setChecked(model.is_given_up)
        self._lines.setVisible(model.act is Act.TAKE_APART)
        self._lines.setChecked(model.with_lines)
        self._name.show_typed(array.name)
        for part in (self._name_label, self._name):
            part.setVisible(model.act is not Act.LOOK)
        is_own = model.act is Act.TAKE_OVER and not array.is_foreign
        self._go.setText(tr("Rename it") if is_own else tr(_GO[model.act]))
        self._go.setAccessibleName(self._go.text())
        self._go.setEnabled(not model.why_not)
        self._why_not.setText("" if model.job.is_busy else model.why_not)  # the station says what the job does
        if self._asked != before:  # asked anew, or another question in the place of the first
            self._name.setFocus()


def _names(array: State, new_name: str) -> dict[str, str]:
    """Return the whole name in the superblocks, as it is and as it is going to be."""
    home = (array.host.hostname if array.host else "") or tr("this computer")
    return {"old": f"{array.homehost}:{array.name}" if array.homehost else array.name, "new": f"{home}:{new_name}"}


def _start_words(array: State) -> str:
    lacking = dropped(array)
    return ntr(
        "“{name}” was last written with {count} more member than is here. Started now it is degraded, and that member "
        "has to be rebuilt later, also if it comes back. If it was written to on its own since, it is newer than what "
        "is here, and starting this parts the two. If you can plug it in, do that first.",
        "“{name}” was last written with {count} more members than are here. Started now it is degraded, and those "
        "members have to be rebuilt later, also if they come back. If they were written to on their own since, they "
        "are newer than what is here, and starting this parts the two. If you can plug them in, do that first.",
        lacking,
        name=array.name,
    )
