"""Speed over the number of disks: the chart with what is laid over it, what it says, and the table of its figures."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QWidget

from raidwright.operations.shootout.results import Findings
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import number, tr
from raidwright.text.curves.members import MemberRow, Overlay, member_chart, member_rows, member_words
from raidwright.text.run.measurements import figure, when
from raidwright.text.run.shootout import times, unit
from raidwright.text.shown import Cell
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.panel import column, label, row
from raidwright.ui.widgets.scrolling import FewLines
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.widgets.twins import twins_of

from .overlays import Overlays

_MAX_WORDS_HEIGHT = 84


class MemberLines(QWidget):
    """The whole, of one workload."""

    def __init__(self, overlays: Overlays, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._overlays = overlays
        self._findings: Findings | None = None
        self._workload: SuiteWorkload | None = None
        self._over = ComboBox()
        self._over.setObjectName("prove-over")
        self._over.setAccessibleName(tr("Laid over it"))
        self._over.activated.connect(lambda _place: overlays.choose(str(self._over.currentData())))
        self._offer = QWidget()
        self._offer.setLayout(row(label(tr("Laid over it:"), "dim"), self._over, spacing=SPACE_S))
        self.chart = LineChartView("prove-lines")
        self._said = label("", name="prove-lines-said", wrap=True)
        self._words = FewLines(self._said, _MAX_WORDS_HEIGHT)
        self._rows = TableModel(self._columns(""))
        table = Table(self._rows, "prove-lines-figures", tr("Speed over the number of disks"))
        twins, toggle = twins_of(self.chart, table, "prove-lines")
        head = row(self._offer, spacing=SPACE_S)
        head.addStretch(1)
        head.addWidget(toggle)
        box = column(head, twins, self._words, spacing=SPACE_S)
        box.setStretch(1, 1)
        self.setLayout(box)
        overlays.changed.connect(self._show)

    def show_findings(self, findings: Findings, workload: SuiteWorkload) -> None:
        """Show the curves of ``workload``."""
        self._findings, self._workload = findings, workload
        self._overlays.load_for(findings)
        self._show()

    @property
    def overlay(self) -> Overlay | None:
        """The set that is laid over the chart; None for none."""
        return self._overlays.overlay(self._findings) if self._findings is not None else None

    @Slot()
    def _show(self) -> None:
        findings, workload = self._findings, self._workload
        if findings is None or workload is None:
            return
        self._show_offer(findings)
        overlay = self._overlays.overlay(findings)
        self.chart.show_chart(member_chart(findings, workload, overlay))
        self._said.setText("\n".join(member_words(findings, workload, overlay)))
        self._words.fit()
        self._rows.show_columns(self._columns(unit(workload)))
        self._rows.show_rows(member_rows(findings, workload, overlay))

    def _show_offer(self, findings: Findings) -> None:
        offered = self._overlays.offered(findings)
        self._offer.setVisible(bool(offered))
        with QSignalBlocker(self._over):
            self._over.clear()
            self._over.addItem(tr("nothing"), "")
            for one in offered:
                said = tr(
                    "{what} · {machine} · {when}", what=one.title, machine=one.over.machine, when=when(one.over.started)
                )
                self._over.addItem(said, one.over.id)
            self._over.setCurrentIndex(max(0, self._over.findData(self._overlays.chosen)))

    @staticmethod
    def _columns(unit_: str) -> tuple[Column, ...]:
        def brings(one: MemberRow) -> Cell:
            return Cell("–" if one.brings is None else number(one.brings, "+,.0f"))

        return (
            Column(tr("Layout"), lambda one: Cell(one.name), stretch=True),
            Column(tr("Disks"), lambda one: Cell(str(one.count)), align="right"),
            Column(tr("Speed, {unit}", unit=unit_), lambda one: Cell(figure(one.rate)), align="right"),
            Column(tr("Each disk more brings"), brings, align="right"),
            Column(tr("× one disk"), lambda one: Cell(times(one.times_alone)), align="right", spare=True),
        )
