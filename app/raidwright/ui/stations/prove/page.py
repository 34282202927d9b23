"""The Prove station: candidates built on slices of the empty disks, measured, compared, and removed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QDir, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from raidwright.analysis.layers.survival import survival_of
from raidwright.core.model.plan import Plan
from raidwright.core.system.filesystem import ALIGNED_KINDS
from raidwright.suites import OwnSuite, Suite
from raidwright.text.catalogue import ntr, tr
from raidwright.text.disk import facts as words_of_disks
from raidwright.text.plan.names import any_may_fail, array_name, long_name
from raidwright.text.shown import Cell
from raidwright.ui.imagined.practice_alike import PracticeAlike
from raidwright.ui.imagined.ways_on import WaysOn
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.inputs import ComboBox, DecimalBox, SpinBox
from raidwright.ui.widgets.panel import Notice, Panel, button, column, label, row
from raidwright.ui.widgets.scrolling import FewLines
from raidwright.ui.widgets.segmented import Choice, Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

from .asking import StudyMenu
from .decision import DecisionPanel
from .found import FoundPanel
from .matrix import MatrixDialog
from .model import ProveModel

_MINUTES, _REPEATS, _SLICE_GIB = (1, 24 * 60), (1, 10), (0.25, 256.0)  # minimum and maximum
_OWN = str(OwnSuite(()))
_BOX_SIZE = (94, 30)
_MIN_TABLE_HEIGHT, _MAX_DISKS_HEIGHT = 110, 50


class _Offer(NamedTuple):
    place: int
    plan: Plan
    is_chosen: bool
    is_made: bool

    @property
    def name(self) -> str:
        """The name: level and layout of an advised plan; for the user's own with its differences as well."""
        return array_name(self.plan.top) if self.is_made else long_name(self.plan.top)


class ProveStation(QWidget):
    """The station. ``next_wanted`` asks for the Build station, ``disks_wanted`` for the Disks station.

    ``winner_wanted(Plan)`` asks for that plan as the present one, and for Build.
    """

    next_wanted = Signal()
    disks_wanted = Signal()
    winner_wanted = Signal(object)

    def __init__(self, model: ProveModel, alike: PracticeAlike, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("prove-station")
        self._model, self._alike = model, alike
        self._notice = Notice("prove-notice")
        self._notice.acted.connect(self.disks_wanted)
        full = QWidget(self)
        beside = QHBoxLayout(full)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(SPACE_M)
        self._tries_more = False  # after a shoot-out
        self._offer = self._offer_panel()
        self._decision = DecisionPanel(model)
        self._decision.build_wanted.connect(self._build_it)
        self._decision.skip_wanted.connect(self.next_wanted)
        self._decision.again_wanted.connect(self._try_more)
        beside.addWidget(self._offer, 3)
        beside.addWidget(FoundPanel(model), 6)
        beside.addWidget(self._decision, 3)
        self._full = full
        self._layers = QStackedLayout()
        self._layers.addWidget(full)
        self._layers.addWidget(self._notice)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.addLayout(self._layers)
        model.changed.connect(self._show)
        self._show()

    # -- laying out --

    def _offer_panel(self) -> Panel:
        panel = Panel(tr("Layouts to try"))
        self._more = button(tr("Add variants …"), "prove-more")
        self._more.clicked.connect(self._ask_for_more)
        self._studies = StudyMenu(self._model)
        panel.head.addWidget(self._studies)
        panel.head.addWidget(self._more)
        self._offers = TableModel(
            (
                Column("", lambda one: Cell("✓" if one.is_chosen else "☐")),
                Column(tr("Layout"), lambda one: Cell(one.name), stretch=True),
                Column(tr("May fail"), lambda one: Cell(any_may_fail(survival_of(one.plan.top)))),
            ),
            lambda one: RowLook(marked=one.is_chosen),
        )
        self._offer_table = Table(self._offers, "prove-candidates", tr("Layouts to try"))
        self._offer_table.row_activated.connect(lambda place: self._model.toggle(self._offers.rows[place].place))
        self._offer_table.setMinimumHeight(_MIN_TABLE_HEIGHT)
        panel.body.addWidget(self._offer_table, 1)
        left_out = tr("Joined arrays aren't tried here: each layout is measured as one array on whole disks.")
        self._left_out = label(left_out, "dim", name="prove-left-out", wrap=True)
        panel.body.addWidget(self._left_out)
        self._measured = QWidget(panel)
        self._measured.setLayout(self._choices())
        panel.body.addWidget(self._measured)
        self._what = label("", "dim", name="prove-what", wrap=True)
        self._allow = QCheckBox()
        self._allow.setObjectName("prove-allow")
        self._allow.toggled.connect(self._model.allow)
        self._which = label("", "dim", name="prove-disks", wrap=True)
        self._disks = FewLines(self._which, _MAX_DISKS_HEIGHT)
        self._why_not = label("", "error", name="prove-why-not", wrap=True)
        self._begin = button(tr("Measure them"), "prove-begin", primary=True)
        self._begin.clicked.connect(self._model.begin)
        skip = button(tr("Go on to Build →"), "prove-skip")
        skip.clicked.connect(self.next_wanted)
        self._back = button(tr("Back to the result"), "prove-back")
        self._back.clicked.connect(self._to_result)
        ways = row(self._begin, skip, self._back)
        ways.addStretch(1)
        only = tr("Only disks that are here can be measured; a practice machine's take as long as real ones.")
        ways_on = WaysOn(self._alike, only, panel)
        for part in (self._what, self._allow, self._disks, self._why_not, ways_on):
            panel.body.addWidget(part)
        panel.body.addLayout(ways)
        return panel

    def _choices(self) -> QVBoxLayout:
        self._suite = Segmented("prove-suite", tr("What is measured"))
        self._suite.chosen.connect(self._model.choose_suite)
        self._more_suites = Segmented("prove-suite-more", tr("What is measured instead"))
        self._more_suites.chosen.connect(self._choose_more)
        self._minutes = _box(SpinBox(), "prove-minutes", tr("Minutes that it may take"), tr(" min"))
        self._minutes.setRange(*_MINUTES)
        self._minutes.setValue(self._model.minutes)
        self._minutes.valueChanged.connect(self._model.choose_minutes)
        self._slice = _box(DecimalBox(), "prove-slice", tr("How much of each disk is used, in GiB"), tr(" GiB"))
        self._slice.setRange(*_SLICE_GIB)
        self._slice.valueChanged.connect(self._model.choose_slice)
        self._repeats = _box(SpinBox(), "prove-repeats", tr("Repeats of the deciding workloads"), tr(" times"))
        self._repeats.setRange(*_REPEATS)
        self._repeats.setSpecialValueText(tr("once"))
        self._repeats.setValue(self._model.repeats)
        self._repeats.valueChanged.connect(self._model.choose_repeats)
        self._degraded = QCheckBox(tr("with a disk lost"))
        self._degraded.setObjectName("prove-degraded")
        self._degraded.toggled.connect(self._model.choose_degraded)
        self._rebuilding = QCheckBox(tr("while a disk is rebuilt, too"))
        self._rebuilding.setObjectName("prove-rebuilding")
        self._rebuilding.toggled.connect(self._model.choose_rebuilding)
        self._cross_paired = QCheckBox(tr("cross-paired mirrors of the first two disks, too"))
        self._cross_paired.setObjectName("prove-cross-paired")
        self._cross_paired.setToolTip(
            tr("Each disk's outer half mirrored on the other's inner half, striped: one stream reads from both.")
        )
        self._cross_paired.toggled.connect(self._model.choose_cross_paired)
        self._btrfs = QCheckBox(tr("btrfs, too"))
        self._btrfs.setObjectName("prove-btrfs")
        self._btrfs.toggled.connect(self._model.choose_btrfs)
        self._beside = ComboBox()
        self._beside.setObjectName("prove-beside")
        self._beside.setAccessibleName(tr("A volume beside them"))
        self._beside.setToolTip(tr("A disk that takes part as it is, such as the volume of a hardware controller."))
        self._beside.activated.connect(lambda _place: self._model.choose_beside(str(self._beside.currentData())))
        self._asked: tuple[QWidget, ...] = (
            *(self._more, self._offer_table, self._suite, self._more_suites),
            *(self._minutes, self._slice, self._repeats, self._degraded, self._rebuilding, self._cross_paired),
            *(self._studies, self._btrfs, self._beside),
        )
        boxes = row(
            *(
                column(label(said, "dim"), box, spacing=SPACE_XS)
                for said, box in (
                    (tr("Time limit"), self._minutes),
                    (tr("Use the first"), self._slice),
                    (tr("Repeats"), self._repeats),
                )
            ),
            spacing=SPACE_S,
        )
        boxes.addStretch(1)
        states = row(self._degraded, self._rebuilding, spacing=SPACE_M)
        states.addStretch(1)
        others = row(self._more_suites, self._btrfs, spacing=SPACE_S)
        others.addStretch(1)
        return column(self._suite, others, boxes, states, self._cross_paired, self._beside, spacing=SPACE_S)

    # -- showing --

    @Slot()
    def _show(self) -> None:
        model = self._model
        is_busy = model.job.is_busy
        self._layers.setCurrentWidget(self._full if model.offered else self._notice)
        if not model.offered:
            self._notice.say(
                tr("Which is fastest on these disks?"),
                tr(
                    "Here the layouts that you are torn between are built for real on a small part of your empty disks "
                    "and measured whole, with a disk lost, and while it is rebuilt. Choose the disks first."
                ),
                tr("Choose disks"),
            )
        self._left_out.setVisible(model.leaves_out_joined)
        self._offers.show_rows(
            tuple(
                _Offer(place, plan, place in model.chosen, plan in model.made)
                for place, plan in enumerate(model.offered)
            )
        )
        suites = (
            Choice(Suite.QUICK, tr("4 tests"), hint=tr("Streams, and 4 KiB 32 at once.")),
            Choice(
                Suite.CLASSIC,
                tr("8 tests"),
                hint=tr("As CrystalDiskMark's: streams, 512 KiB, 4 KiB one by one and 32 at once."),
            ),
            Choice(Suite.BUFFERED, tr("files"), hint=tr("One large file written and read through the page cache.")),
            Choice(Suite.MIXED, tr("mixed"), hint=tr("4 KiB 32 at once, of which seven of ten read.")),
        )
        own = tr("own job: {name}", name=model.job_name) if model.job_name else tr("own job …")
        more = (
            Choice(Suite.LAYOUTS, tr("files, 64 KiB"), hint=tr("One large file, and 64 KiB at random, one by one.")),
            Choice(Suite.FILESYSTEM, tr("ext4 and XFS"), hint=tr("Files, many and large, told of the stripe and not.")),
            Choice(_OWN, own, hint=tr("A fio job of yours, without any file or program of its own.")),
        )
        for segmented, choices in ((self._suite, suites), (self._more_suites, more)):
            segmented.show_choices(choices, str(model.suite))
        self._say_what()
        for box, is_on in (
            (self._allow, model.is_allowed),
            (self._degraded, model.degraded),
            (self._rebuilding, model.rebuilding),
            (self._cross_paired, model.cross_paired),
            (self._btrfs, len(model.kinds) > len(ALIGNED_KINDS)),
        ):
            with QSignalBlocker(box):
                box.setChecked(is_on)
        with QSignalBlocker(self._minutes):
            self._minutes.setValue(model.minutes)
        self._measured.setVisible(not model.is_imagined)
        self._begin.setVisible(not is_busy and not model.is_imagined)
        self._begin.setEnabled(model.is_allowed and not model.why_not and model.contest is not None)
        self._show_beside()
        self._btrfs.setVisible(model.suite is Suite.FILESYSTEM)
        self._slice.show_value(model.slice_gib)
        for part in (*self._asked, self._allow):
            part.setEnabled(not is_busy)
        self._arrange()

    def _show_beside(self) -> None:
        offered = self._model.volumes_offered
        self._beside.setVisible(bool(offered))
        with QSignalBlocker(self._beside):
            self._beside.clear()
            self._beside.addItem(tr("no volume beside them"), "")
            for disk in offered:
                self._beside.addItem(tr("beside them: {disk}", disk=words_of_disks.name(disk)), disk.id)
            self._beside.setCurrentIndex(max(0, self._beside.findData(self._model.beside)))

    def _say_what(self) -> None:
        model, contest = self._model, self._model.contest
        why_not = "" if model.job.is_busy or model.is_imagined else model.why_not
        self._why_not.setText(f"✕ {why_not}" if why_not else "")
        self._why_not.setVisible(bool(why_not))
        if contest is not None:
            self._what.setText(
                tr(
                    "One disk alone is measured, too. Each measurement takes {seconds} s, all of them about "
                    "{minutes:.0f} minutes. "
                    "Only the first {slice_bytes:binary} of each disk are used; the disks are empty again afterwards.",
                    seconds=contest.seconds,
                    minutes=max(1.0, contest.total_s / 60),
                    slice_bytes=model.slice_bytes,
                )
            )
        self._what.setVisible(contest is not None and not model.is_imagined)
        disks = model.members
        may = ntr("This disk may be written to:", "These {count} disks may be written to:", len(disks))
        if unknown := [words_of_disks.name(disk) for disk in model.unknown_chosen]:
            over = tr("Bytes that nothing here recognises are overwritten on {disks}.", disks=unknown)
            may = f"{over}\n{may}"
        self._allow.setText(may)
        self._which.setText(words_of_disks.by_model(disks))
        self._disks.fit()
        for part in (self._allow, self._disks):
            part.setVisible(bool(disks) and not why_not and not model.is_imagined)

    @Slot()
    def _arrange(self) -> None:
        """Show the decision at the right after a shoot-out, until the user wants to try more; else the choice."""
        self._tries_more = self._tries_more and not self._model.job.is_busy
        is_decision = self._model.is_to_decide and not self._tries_more
        self._back.setVisible(self._model.is_to_decide)
        self._offer.setVisible(not is_decision)
        self._decision.setVisible(is_decision)

    @Slot()
    def _try_more(self) -> None:
        self._tries_more = True
        self._arrange()
        self._offer_table.setFocus()

    @Slot()
    def _to_result(self) -> None:
        self._tries_more = False
        self._arrange()
        self._decision.setFocus()

    @Slot()
    def _ask_for_more(self) -> None:
        # A parent in Qt doesn't protect a dialog of ours from Python's garbage collector.
        self._dialog = MatrixDialog(self._model, self.window())
        self._dialog.open()

    @Slot(str)
    def _choose_more(self, key: str) -> None:
        """Choose a suite, or ask for a job file: also if there is one already, since another may be wanted."""
        if key != _OWN:
            self._model.choose_suite(key)
            return
        self._show()  # the previous suite, until there is a file
        dialog = QFileDialog(self.window(), tr("Open a fio job"), QDir.homePath())
        dialog.setObjectName("prove-job-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._model.take_job(Path(name)))
        dialog.open()

    @Slot()
    def _build_it(self) -> None:
        model = self._model
        if not model.why_not_build(model.looked_at):
            self.winner_wanted.emit(model.plan_of(model.looked_at))


_Box = TypeVar("_Box", SpinBox, DecimalBox)


def _box(box: _Box, name: str, title: str, suffix: str) -> _Box:
    box.setObjectName(name)
    box.setAccessibleName(title)
    box.setSuffix(suffix)
    box.setFixedSize(*_BOX_SIZE)
    return box
