"""Effects of the chosen way: before, meanwhile, after, what can go wrong, and the confirmation."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from raidwright.analysis.advice.shapes import ShapeFigures
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.values import AnyWay
from raidwright.text.array.change_times import brief_time, range_of_times
from raidwright.text.array.growth import dangers, erased_words, fails_words
from raidwright.text.catalogue import decimal_size, tr
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.stations.arrays.change.ways import ShownWay
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import Panel, button, clear, column, label, row, scrolled

from .model import BiggerModel
from .parts import Sketch, ValueRow, remark_line, rows_of, shape_panel, step_list, value_rows

_NAME_WIDTH = 180


class HappensPage(QWidget):
    """The page; ``commands_wanted`` asks for the steps with their commands, ``back_wanted`` for the choices."""

    commands_wanted = Signal()
    back_wanted = Signal()

    def __init__(self, sketch: Sketch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bigger-happens")
        self._sketch = sketch
        self._model: BiggerModel | None = None
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE_M)
        for place in range(3):
            self._grid.setColumnStretch(place, 1)
        inner = QWidget()
        whole = column(self._grid)
        whole.addStretch(1)
        inner.setLayout(whole)
        page = column(scrolled(inner), self._foot(), spacing=SPACE_M)
        page.setStretch(0, 1)
        self.setLayout(page)

    def _foot(self) -> QHBoxLayout:
        """Return the line that confirms: in sight however high the page is."""
        back = button(tr("← Another way"), "bigger-another")
        back.clicked.connect(self.back_wanted)
        self._erases = label("", name="bigger-erases", wrap=True)
        self._why_not = label("", "dim", name="bigger-unconfirmed", wrap=True)
        self._failure = label("", "error", name="bigger-failure", wrap=True)
        self._name = NameField(Confirmed(self), "bigger-name", width=_NAME_WIDTH)
        self._name.returnPressed.connect(self._begin)
        self._name.textEdited.connect(self._type)
        self._go = button("", "bigger-go", primary=True)
        self._go.clicked.connect(self._begin)
        foot = row(back, column(self._failure, self._erases, self._why_not, spacing=0), self._name, self._go,
                   spacing=SPACE_M)  # fmt: skip
        foot.setStretch(1, 1)
        return foot

    def show_way(self, model: BiggerModel, rows: int) -> None:
        """Show the chosen way of ``model``, with ``rows`` of its pictures."""
        self._model = model
        clear(self._grid)
        chosen, today = model.chosen, model.today
        if chosen is None or today is None or today.figures is None or chosen.figures is None or chosen.way is None:
            return
        way = chosen.way
        was = self._sketch(today.plan, *model.heads(way.before, way.before), rows)
        becomes = self._sketch(chosen.plan, *model.heads(way.after, way.before), rows)
        panels = (
            shape_panel(tr("Before"), was, today.plan, rows_of(today.figures)),
            self._meanwhile(model, chosen, today.figures),
            shape_panel(tr("After"), becomes, chosen.plan, rows_of(chosen.figures, today.figures)),
        )
        for place, panel in enumerate(panels):
            self._grid.addWidget(panel, 0, place)
        self._grid.addWidget(self._wrong(model, way), 1, 0, 1, 3)
        grows = capacity_of(way.after).array_bytes > capacity_of(way.before).array_bytes
        self._go.setText(tr("Make it bigger") if grows else tr("Change it"))
        self._go.setAccessibleName(self._go.text())
        self._erases.setText(erased_words(way.wish.new))
        self.update_state()

    def _meanwhile(self, model: BiggerModel, chosen: ShownWay, today: ShapeFigures) -> Panel:
        panel = Panel()
        panel.setProperty("card", "chosen")
        panel.body.setContentsMargins(SPACE_L - 1, SPACE_M - 1, SPACE_L - 1, SPACE_L - 1)  # its border is wider
        way, time = chosen.way, chosen.time
        panel.body.addWidget(label(tr("Meanwhile"), "dim"))
        took = tr("about {time}", time=brief_time(time)) if time else ""
        panel.body.addWidget(label(took, "headline", wrap=True))
        panel.body.addLayout(step_list(model))
        commands = button(tr("The commands"), "bigger-commands")
        commands.setProperty("kind", "link")
        commands.clicked.connect(self.commands_wanted)
        line = row(commands)
        line.addStretch(1)
        panel.body.addStretch(1)
        panel.body.addLayout(line)
        survives = way.survives if way else 0
        rows: list[ValueRow] = [
            (tr("Space"), tr("{size}, all in use", size=decimal_size(today.array_bytes)), ""),
            (tr("May fail"), fails_words(survives), "" if survives else "warning"),
        ]
        if time is not None and (between := range_of_times(time)):
            rows.append((tr("Takes"), between, ""))
        panel.body.addLayout(value_rows(rows))
        return panel

    def _wrong(self, model: BiggerModel, way: AnyWay) -> Panel:
        panel = Panel(tr("If something goes wrong"))
        longest = model.longest
        for remark in dangers(way, longest) if longest is not None else ():
            panel.body.addLayout(remark_line(remark))
        return panel

    def _type(self, text: str) -> None:
        if self._model is not None:
            self._model.change.type_name(text)

    def _begin(self) -> None:
        if self._model is not None:
            self._model.go()

    def update_state(self) -> None:
        """Show what is typed, and why the change can't begin yet."""
        model = self._model
        if model is None or model.chosen is None:
            return
        change = model.change
        if self._name.text() != change.typed:
            self._name.setText(change.typed)
        self._name.setPlaceholderText(change.array.name)
        self._go.setEnabled(not change.why_not)
        self._why_not.setText(change.why_not)
        self._why_not.setVisible(bool(change.why_not))
        self._failure.setText(f"✕ {change.job.failure}" if change.job.failure else "")
        self._failure.setVisible(bool(change.job.failure))

    def focus_name(self) -> None:
        """Focus the field of the name."""
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)
