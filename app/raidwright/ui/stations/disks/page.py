"""The Disks station: the table, the choice, findings, and Next."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from raidwright.analysis.imagined import is_imagined
from raidwright.core.messages import say
from raidwright.machine.connection import ConnectionState, PracticeSpec
from raidwright.text.catalogue import decimal_size, ntr, tr, translated
from raidwright.text.disk import facts as words
from raidwright.text.shown import Cell, Tone
from raidwright.ui import tokens
from raidwright.ui.widgets.findings import FindingList
from raidwright.ui.widgets.locating import LocateRow
from raidwright.ui.widgets.panel import Notice, Panel, TabPlace, button, column, label, row
from raidwright.ui.widgets.row_menu import Entry, RowMenu, copying
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel
from raidwright.ui.widgets.which_disk import which_button

from .bay_name import BayNameDialog
from .measure_row import MeasureRow
from .model import DiskRow, DisksModel
from .practice import PracticeBar
from .welcome import Welcome

if TYPE_CHECKING:
    from raidwright.analysis.findings.finding import Finding
    from raidwright.core.model.disk import Disk
    from raidwright.ui.draft import Draft

_MAX_FINDINGS = 3
_CHOICE_HEIGHT = 180  # of three findings, from the start: or else the buttons above jump with the first choice
_TABLE_HEIGHT = 64  # the heading and a row, to show that there are more


class DisksStation(QWidget):
    """The station. ``next_wanted`` asks for the Plan station, ``buying_wanted`` for planning a purchase."""

    next_wanted = Signal()
    buying_wanted = Signal()

    def __init__(self, model: DisksModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("disks-station")
        self._model, self.measuring = model, MeasureRow(self)
        self._rows = TableModel(self._columns(), _look, key=lambda row: row.disk.id)
        self._table = Table(self._rows, "disks-table", tr("Disks of this machine"))
        self._table.row_activated.connect(self._activated)
        self._table.setMinimumHeight(_TABLE_HEIGHT)
        self._table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # it scrolls; text doesn't
        RowMenu(self._table, self._entries)
        self._notice = Notice("disks-notice")
        self._notice.acted.connect(lambda: model.practise(PracticeSpec()))
        self._notice.also_acted.connect(self.buying_wanted)
        self._practice: PracticeBar | None = None
        self._welcome: Welcome | None = None
        self._place = TabPlace(self)
        self._findings: tuple[Finding, ...] | None = None
        model.practice_asked.connect(self._ask_for_practice)
        whole = QWidget(self)
        self._pages = QStackedLayout()
        self._pages.addWidget(whole)
        around = QVBoxLayout(self)
        around.setContentsMargins(*(tokens.SPACE_L,) * 4)
        around.addLayout(self._pages)
        self._box = box = QVBoxLayout(whole)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.SPACE_M)
        box.addWidget(self._disks_panel(), 1)
        box.addWidget(self._choice_panel())
        model.changed.connect(self._show)
        self._show()

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column("", lambda one: Cell(_mark(one))),
            Column(tr("Model"), lambda one: words.model(one.disk)),
            Column(tr("Serial"), lambda one: Cell(one.disk.serial or "–", hint=one.disk.wwn)),
            Column(tr("Size"), lambda one: Cell(decimal_size(one.disk.size_bytes)), align="right"),
            Column(tr("Kind"), lambda one: Cell(words.kind(one.disk))),
            Column(tr("Sectors"), lambda one: Cell(words.sectors(one.disk)), room=tr("Sectors"), spare=True),
            Column(tr("Link"), lambda one: Cell(words.link(one.disk)), room="host10 port 1", spare=True),
            Column(tr("Health"), lambda one: words.health(one.disk)),
            Column(
                tr("Reads"),
                lambda one: words.reads(one.disk),
                align="right",
                room="1,000 MB/s",
                spare=True,
                wanted=any(
                    one.disk.baseline is not None for one in self._model.rows
                ),  # a column of dashes says nothing
            ),
            Column(
                tr("Device"),
                lambda one: Cell(one.disk.device.removeprefix("/dev/") if one.is_there else "–"),
                spare=True,
            ),
            Column(tr("Now holds"), _holds, stretch=True),
        )

    def _disks_panel(self) -> Panel:
        panel = Panel(tr("Disks of this machine"))
        self._hint = label("", "dim", name="disks-hint")
        panel.say_beside(self._hint)
        self._all = button(tr("Select all free disks"), "disks-choose-all")
        self._all.clicked.connect(self._model.choose_all)
        self._why_not = label("", "dim", name="disks-why-not")
        self._seeking = label("", "title", name="disks-seeking", wrap=True)
        self._leave_seeking = button(tr("Not now"), "disks-seeking-leave")
        self._leave_seeking.clicked.connect(self._model.seek_none)
        buying = button(
            tr("Compare disks to buy …"), "disks-buying", hint=tr("Compare and plan disks that you might buy")
        )
        buying.clicked.connect(self.buying_wanted)
        self._real_alone = button(tr("Remove planned disks"), "disks-forget-imagined")
        self._real_alone.clicked.connect(self._model.forget_imagined)
        foot = row(self._all, self._seeking, self._leave_seeking, buying, self._real_alone, spacing=tokens.SPACE_M)
        foot.setStretchFactor(self._seeking, 1)
        foot.addWidget(self.measuring, 1)
        self._why_not.hide()
        self._full = QWidget(panel)
        locating, self._which, shown = self._model.locating, None, None
        if locating is not None:
            self._which = which_button(locating, lambda: self._model.snapshot.disks, "disks-which")
            panel.head.addWidget(self._which)
            shown = LocateRow(locating)
        full = column(self._table, self._why_not, shown, foot, spacing=tokens.SPACE_M)
        full.setStretchFactor(self._table, 1)
        self._full.setLayout(full)
        self._layers = QStackedLayout()
        self._layers.addWidget(self._full)
        self._layers.addWidget(self._notice)
        panel.body.addLayout(self._layers, 1)
        return panel

    def _choice_panel(self) -> Panel:
        panel = Panel()
        panel.setMinimumHeight(_CHOICE_HEIGHT)
        self._sum = label("", "figure", name="disks-chosen")
        self._sum_more = label("", "dim", name="disks-chosen-more", wrap=True)
        self._knowing = FindingList("disks-findings", _MAX_FINDINGS)
        self._next = button(tr("Plan the array →"), "disks-next", primary=True)
        self._next.clicked.connect(self._go_on)
        self._next_why = label("", "dim", name="disks-next-why", wrap=True)
        at_left = row(self._next)
        at_left.addStretch(1)
        chosen = column(label(tr("Chosen"), "title"), self._sum, self._sum_more)
        knowing = column(label(tr("Worth knowing"), "title"), self._knowing)
        way_on = column(label(tr("Next"), "title"), self._next_why, at_left)
        for part in (chosen, knowing, way_on):
            part.addStretch(1)
        beside = row(spacing=tokens.SPACE_XL)
        for part, stretch in ((chosen, 3), (knowing, 4), (way_on, 3)):
            beside.addLayout(part, stretch)
        panel.body.addLayout(beside)
        return panel

    @Slot()
    def _show(self) -> None:
        rows, empty_had_focus = self._model.rows, self._notice.hasFocus()
        self._rows.show_columns(self._columns())
        self._rows.show_rows(rows)
        self._layers.setCurrentWidget(self._full if rows else self._notice)
        if not rows:
            self._say_why_empty()
        elif empty_had_focus:
            self._take_focus()
        reading = tr("more about them is still being read …")
        choosing = tr("choose those that the array may use; nothing is changed here")
        self._hint.setText(f"· {reading if self._model.snapshot.is_reading else choosing}")
        if self._which is not None:
            self._which.setVisible(bool(self._model.snapshot.disks))
        self._real_alone.setVisible(bool(self._model.imagined))
        self.measuring.setEnabled(not self._model.unseen)
        self._all.setEnabled(any(not one.why_not and not one.is_chosen for one in rows))
        self._say_seeking()
        self._say_chosen()
        self._say_findings()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: pass the focus on; as a focus proxy of the table the station would break the Tab order."""
        super().focusInEvent(event)
        self._take_focus()

    @Slot()
    def _take_focus(self) -> None:
        """Focus the present content: the disks, or the notice on why there are none."""
        page = self._pages.currentWidget()
        if page is not None and self._pages.currentIndex():
            page.setFocus()
        else:
            (self._table if self._model.rows else self._notice).setFocus()

    def greet(self) -> Welcome:
        """Show the welcome above the disks."""
        welcome = Welcome(self)
        welcome.practice_wanted.connect(lambda: self._model.practise(PracticeSpec()))
        welcome.buying_wanted.connect(self.buying_wanted)
        welcome.left.connect(self._show)
        welcome.left.connect(self._take_focus)
        self._model.changed.connect(lambda: welcome.show_connection(self._model.connection))
        welcome.show_connection(self._model.connection)
        self._box.insertWidget(0, welcome)
        welcome.show()  # the layout would only do so later
        self._place.give(welcome)
        self._welcome = welcome
        self._show()
        return welcome

    def show_page(self, page: QWidget | None) -> None:
        """Show ``page`` instead of the disks, or, with None, the disks again."""
        if page is not None and self._pages.indexOf(page) < 0:
            self._pages.addWidget(page)
            self._place.give(page)
        self._pages.setCurrentWidget(page) if page is not None else self._pages.setCurrentIndex(0)
        self._take_focus()

    def _say_why_empty(self) -> None:
        now, problem = self._model.connection, self._model.snapshot.problem
        is_offered = self._welcome is not None and not self._welcome.isHidden()  # above, as the first step
        buy = "" if is_offered else tr("Compare disks to buy …")
        practise = "" if now.is_practice or is_offered else tr("Use the practice machine")
        if now.state is ConnectionState.STARTING:
            self._notice.say(tr("The practice machine is starting"), translated(_FIRST_START))
        elif now.state in (ConnectionState.CONNECTING, ConnectionState.NONE):
            self._notice.say(tr("Looking for disks …"), tr("Asking the machine's disk service (UDisks2)."))
        elif problem or now.state is ConnectionState.FAILED:
            again = tr("Start the practice machine again") if now.is_practice else practise
            self._notice.say(tr("The disks can't be seen"), translated(problem or now.sentence), again, buy)
        else:
            self._notice.say(tr("No disks here"), translated(_NO_DISKS), practise, buy)

    def _say_seeking(self) -> None:
        gone = self._model.seeking
        self._seeking.setText(
            tr("Choose the disk that takes the place of {disk}.", disk=words.name(gone)) if gone else ""
        )
        for part in (self._seeking, self._leave_seeking):
            part.setVisible(gone is not None)
        self._all.setVisible(gone is None)

    def _say_chosen(self) -> None:
        chosen = self._model.chosen
        sizes = Counter(decimal_size(disk.size_bytes) for disk in chosen)
        self._sum.setText(" + ".join(f"{count} × {size}" for size, count in sizes.items()) or tr("None yet"))
        total = decimal_size(sum(disk.size_bytes for disk in chosen))
        uniform = ntr("one size", "{count} sizes", len(sizes))
        self._sum_more.setText(
            tr("{total} in all, {sizes}", total=total, sizes=uniform)
            if chosen
            else tr("Click a disk, or go to it with the arrow keys and press Space.")
        )
        count = self._model.all_at_once
        self._next.setEnabled((len(chosen) > 1 or count > 0) and not self._model.unseen)
        all_of_them = ntr("Plan with all {count} free disk →", "Plan with all {count} free disks →", count)
        self._next.setText(all_of_them if count else tr("Plan the array →"))
        self._next.setAccessibleName(self._next.text())
        if self._model.unseen and self._model.rows:
            self._next_why.setText(tr("The disks are shown as last seen; nothing is done with them meanwhile."))
        elif count:
            self._next_why.setText(tr("Choose the disks for the array, or take all that are free."))
        elif len(chosen) > 1:
            self._next_why.setText(
                ntr(
                    "See every layout that these {count} disks allow.",
                    "See every layout that these {count} disks allow.",
                    len(chosen),
                )
            )
        else:
            self._next_why.setText(tr("An array needs two disks or more."))

    @Slot()
    def _go_on(self) -> None:
        """Plan the chosen disks; if none is chosen, all that are free."""
        if self._model.all_at_once:
            self._model.choose_all()
        self.next_wanted.emit()

    def show_draft(self, draft: Draft) -> None:
        """Show the findings on the chosen disks from the plan's assessment."""
        self._findings = tuple(draft.assessment.findings) if draft.assessment else None
        self._say_findings()

    def _say_findings(self) -> None:
        """Show what is known of the chosen disks; none are chosen any more once they are built into an array."""
        if self._model.chosen and self._findings is not None:
            self._knowing.show_findings(self._findings)
        else:
            nothing = tr("Choose disks, and what is worth knowing about them appears here.")
            self._knowing.show_findings((), nothing)

    @Slot()
    def _ask_for_practice(self) -> None:
        if self._practice is None:
            self._practice = PracticeBar(self)
            self._practice.wanted.connect(self._model.practise)
            self._practice.left.connect(self._take_focus)
            self._model.practice_wanted.connect(self._practice.hide)  # started here or elsewhere
            self._box.insertWidget(0, self._practice)
            self._place.give(self._practice)
        self._practice.open()

    def _entries(self, place: int) -> tuple[Entry | None, ...]:
        one: DiskRow = self._rows.rows[place]
        disk, turn = one.disk, tr("Leave it out") if one.is_chosen else tr("Choose it")
        return (
            Entry("turn", turn, lambda: self._turn(one), is_open=one.is_chosen or not one.why_not),
            None,
            *self._entries_of_place(one),
            copying("serial", tr("Copy the serial number"), disk.serial),
            copying("path", tr("Copy the path"), f"/dev/disk/by-id/{disk.id}" if one.is_there and disk.device else ""),
        )

    def _entries_of_place(self, one: DiskRow) -> tuple[Entry | None, ...]:
        """Return the entries on where the disk is, if it is on a machine."""
        locating, disk = self._model.locating, one.disk
        if locating is None or is_imagined(disk.id):
            return ()
        if locating.is_shown(disk.id):
            shown = Entry("locate", tr("Stop showing it"), locating.stop)
        else:
            may = one.is_there and not locating.job.is_busy
            shown = Entry("locate", tr("Show which disk it is"), lambda: locating.show(disk.id), is_open=may)
        return (
            shown,
            Entry("bay", tr("Name its bay …"), lambda: self._name_bay(disk), is_open=self._model.has_own_place(disk)),
            None,
        )

    def _name_bay(self, disk: Disk) -> None:
        if (locating := self._model.locating) is not None:
            BayNameDialog(locating.session, disk, self.window()).open()

    @Slot(int)
    def _activated(self, place: int) -> None:
        self._turn(self._rows.rows[place])

    def _turn(self, one: DiskRow) -> None:
        self._why_not.setText(f"{one.disk.model} {one.disk.serial}: {one.mind}" if one.mind else "")
        self._why_not.setVisible(bool(one.mind))
        self._model.toggle(one.disk.id)


def _look(one: DiskRow) -> RowLook:
    return RowLook(marked=one.is_chosen, muted=bool(one.why_not), words=one.mind)


def _mark(one: DiskRow) -> str:
    return "✕" if one.is_gone else "✓" if one.is_chosen else "–" if one.why_not else "☐"


def _holds(one: DiskRow) -> Cell:
    if is_imagined(one.disk.id):
        return Cell(badge=tr("imagined"), tone="info", hint=tr("On no machine: to plan with, before buying."))
    if not one.is_there:
        return Cell(badge=words.gone(), tone="bad", hint=one.mind)
    if one.is_unseen:
        return Cell(words.holds_beside(one.disk), badge=tr("not seen now"), tone="warn", hint=one.mind)
    tone: Tone = "bad" if one.is_gone else "info" if one.why_not else "warn"
    return Cell(words.holds_beside(one.disk), badge=words.standing(one.disk), tone=tone, hint=one.mind)


_FIRST_START = say(
    "A real Linux boots beside your system, with disks of its own. It takes a few seconds; "
    "the very first time it is put together, which takes a few minutes."
)
_NO_DISKS = say(
    "This machine shows no disk that an array could use. "
    "The practice machine has some: everything there is real but the disks."
)
