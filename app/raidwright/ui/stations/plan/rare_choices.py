"""Options that few change, in a collapsible section under a line that says how they are."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, Slot
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.layouts import Level
from raidwright.core.model.names import HOST_NAME
from raidwright.core.model.plan import Member, Plan
from raidwright.text.catalogue import ntr, tr
from raidwright.text.plan.names import rare_in_brief
from raidwright.ui import tokens
from raidwright.ui.draft import Draft
from raidwright.ui.widgets.panel import TabPlace, button, column, label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from . import edits
from .model import PlanModel


class RareChoices(QWidget):
    """The options, edited through the PlanModel; expanded if the plan uses one of them, and on request.

    ``further`` are such options' rows, made elsewhere.
    """

    def __init__(self, model: PlanModel, further: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._fold = button(tr("More choices"), "rare-choices")
        self._fold.setCheckable(True)
        self._fold.setProperty("kind", "link")
        self._fold.toggled.connect(self._unfold)
        self._brief = label("", "dim", name="rare-choices-brief", wrap=True)
        self._homehost = self._edit()
        self._write_mostly = QToolButton()
        self._write_mostly.setObjectName("write-mostly")
        self._write_mostly.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._write_mostly.setAccessibleName(tr("Write-mostly disks"))
        self._menu = QMenu(self._write_mostly)
        self._menu.setObjectName("write-mostly-menu")
        self._write_mostly.setMenu(self._menu)
        self._failfast = Segmented("failfast", tr("Failfast"))
        self._failfast.chosen.connect(self._choose_failfast)
        grid = QWidget()
        self._grid = QGridLayout(grid)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(tokens.SPACE_XS + 2)
        self._grid.setHorizontalSpacing(tokens.SPACE_S)
        self._grid.setColumnStretch(1, 1)
        self._names = dict(self._rows())
        self._inside = QWidget()
        inside = column(further, grid, spacing=tokens.SPACE_XS + 2)
        inside.setContentsMargins(0, 0, 0, 0)
        self._inside.setLayout(inside)
        head = row(self._fold)
        head.addStretch(1)
        parts = column(head, self._brief, self._inside)
        parts.setContentsMargins(0, 0, 0, 0)
        self.setLayout(parts)
        TabPlace(self).give(further, grid)
        self._inside.hide()
        model.changed.connect(self._show)
        self._show(model.draft)

    def _rows(self) -> list[tuple[QWidget, QLabel]]:
        rows = (
            (tr("Home host"), self._homehost, tr("Whose array it is; empty: the computer that makes it.")),
            (tr("Write-mostly"), self._write_mostly, tr("md reads from these disks only when there is no other.")),
            (tr("Failfast"), self._failfast, tr("A disk is out of the array at its first error.")),
        )
        named = []
        for place, (title, control, hint) in enumerate(rows):
            name = label(title, "dim")
            name.setToolTip(hint)
            name.setBuddy(control)
            control.setToolTip(hint)
            self._grid.addWidget(name, place, 0)
            self._grid.addWidget(control, place, 1)
            named.append((control, name))
        return named

    def _edit(self) -> QLineEdit:
        edit = QLineEdit()
        edit.setObjectName("home-host")
        edit.setAccessibleName(tr("Home host"))
        edit.setPlaceholderText(tr("the computer that makes it"))
        edit.setValidator(QRegularExpressionValidator(QRegularExpression(HOST_NAME), edit))
        edit.textEdited.connect(lambda host: self._model.edit_fields(homehost=host))
        return edit

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        plan = draft.plan
        self.setEnabled(plan is not None and not draft.is_locked)
        if plan is None:
            return
        self._brief.setText(rare_in_brief(plan.top))
        if edits.has_rare_choices(plan):
            self._fold.setChecked(True)
        self._set_visible(self._homehost, plan.volume is None)
        if self._homehost.text() != plan.homehost:
            self._homehost.setText(plan.homehost)
        self._show_write_mostly(plan)
        self._show_failfast(plan)

    def _show_write_mostly(self, plan: Plan) -> None:
        members = [member for member in as_array(plan.top).members if isinstance(member, Member)]
        marked = sum(member.write_mostly for member in members)
        self._set_visible(self._write_mostly, as_array(plan.top).level is Level.RAID1 or marked > 0)
        self._write_mostly.setText(ntr("{count} disk", "{count} disks", marked) if marked else tr("none"))
        self._menu.clear()
        for member in members:
            action = self._menu.addAction(" ".join(part for part in (member.model, member.serial or member.id) if part))
            action.setObjectName(f"write-mostly-{member.id}")
            action.setCheckable(True)
            action.setChecked(member.write_mostly)
            action.triggered.connect(lambda is_on, disk=member.id: self._choose_write_mostly(disk, is_on))

    def _show_failfast(self, plan: Plan) -> None:
        marked = {disk.failfast for disk in plan.disks()}
        self._set_visible(self._failfast, as_array(plan.top).level in (Level.RAID1, Level.RAID10) or True in marked)
        hint = tr("For storage behind a network that now and then doesn't answer; md mends no bad sector then.")
        choices = (Choice("none", tr("none")), Choice("all", tr("all disks"), hint=hint))
        self._failfast.show_choices(choices, "all" if marked == {True} else "none" if marked == {False} else "")

    def _set_visible(self, control: QWidget, visible: bool) -> None:
        control.setVisible(visible)
        self._names[control].setVisible(visible)

    @Slot(bool)
    def _unfold(self, is_open: bool) -> None:
        self._inside.setVisible(is_open)
        self._brief.setVisible(not is_open)

    def _choose_write_mostly(self, disk_id: str, is_on: bool) -> None:
        self._model.edit(lambda plan: edits.with_write_mostly(plan, disk_id, is_marked=is_on))

    @Slot(str)
    def _choose_failfast(self, which: str) -> None:
        self._model.edit(lambda plan: edits.with_failfast(plan, is_marked=which == "all"))
