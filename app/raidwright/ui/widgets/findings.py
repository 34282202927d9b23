"""Findings in words: a badge, the sentence, and reason and remedy on hover; more on a click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from raidwright.analysis.findings.finding import Finding, Severity
from raidwright.text.catalogue import ntr, tr, translated
from raidwright.text.plan.names import remedy_in_brief
from raidwright.text.shown import Tone
from raidwright.ui.tokens import SPACE_S

from .panel import TabPlace, badge, button, clear, label, row
from .scrolling import ScrollArea

_HIGHEST = 190


class FindingList(ScrollArea):
    """A list of the gravest ``most`` findings; “and 6 more” shows the rest. A long list scrolls.

    ``wanted`` carries a finding's change; it has a button if ``applies``. “and 6 more” goes into ``head``, if given.
    """

    wanted = Signal(object)

    def __init__(
        self,
        name: str,
        most: int,
        parent: QWidget | None = None,
        *,
        applies: bool = False,
        head: QHBoxLayout | None = None,
    ) -> None:
        self._inner = QWidget()
        self._box = QVBoxLayout(self._inner)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_S)
        super().__init__(self._inner, parent)
        self._place = TabPlace(self)
        self.setObjectName(name)
        self._most, self._applies, self._head = most, applies, head
        self._is_open = False
        self._more: QPushButton | None = None
        self._shown: tuple[tuple[Finding, ...], str] | None = None

    def show_findings(self, findings: Sequence[Finding], empty: str = "") -> None:
        """Show ``findings``, sorted by severity; ``empty`` is shown without any."""
        if (tuple(findings), empty) != self._shown:
            self._shown = tuple(findings), empty
            self._lay_out()

    def _lay_out(self) -> None:
        findings, empty = self._shown or ((), "")
        clear(self._box)
        if self._more is not None and self._head is not None:
            self._more.deleteLater()
        self._more = None
        for finding in findings if self._is_open else findings[: self._most]:
            self._add(finding)
        if len(findings) > self._most:
            more = ntr("and {count} more", "and {count} more", len(findings) - self._most)
            self._more = button(tr("fewer") if self._is_open else more, f"{self.objectName()}-more")
            self._more.setProperty("kind", "link")
            self._more.clicked.connect(self._turn)
            self._put_more(self._more)
            self._place.give(self._more)
        if not findings:
            nothing = label(empty or tr("Nothing to say against it."), "dim", wrap=True)
            self._put(row(nothing), nothing)
        self._box.addStretch(1)
        self._fit()

    def _put_more(self, more: QPushButton) -> None:
        if self._head is not None:
            self._head.addWidget(more)
            return
        line = row(more)
        line.addStretch(1)
        self._put(line, more)

    def _put(self, line: QHBoxLayout, *parts: QWidget) -> None:
        self._box.addLayout(line)
        for part in parts:
            part.show()  # only shown parts count for the height

    @Slot()
    def _turn(self) -> None:
        self._is_open = not self._is_open
        self._lay_out()
        if self._more is not None:
            self._more.setFocus()

    def _add(self, finding: Finding) -> None:
        tones: dict[Severity, tuple[str, Tone]] = {
            Severity.DANGER: (tr("Danger"), "bad"),
            Severity.WARNING: (tr("Careful"), "warn"),
            Severity.NOTE: (tr("Note"), "info"),
        }
        tag = badge(*tones[finding.severity])
        sentence = label(translated(finding.sentence), wrap=True)
        sentence.setMinimumWidth(1)  # truncates a long name rather than the whole panel
        hint = "\n\n".join(part for part in (translated(finding.reason), translated(finding.remedy)) if part)
        sentence.setToolTip(hint)
        sentence.setAccessibleDescription(hint)
        line = row()
        line.addWidget(tag, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(sentence, 1)
        self._put(line, tag, sentence)
        if self._applies and (change := finding.change) is not None:
            apply = button(remedy_in_brief(change), f"{self.objectName()}-apply-{finding.code}")
            apply.setProperty("kind", "link")
            apply.setToolTip(translated(finding.remedy))
            apply.clicked.connect(lambda: self.wanted.emit(change))
            line.addWidget(apply, 0, Qt.AlignmentFlag.AlignTop)
            apply.show()

    def _fit(self) -> None:
        """Set the height that the content needs at this width, up to the limit from which it scrolls."""
        wrapped = self._box.totalHeightForWidth(self._inner.width())
        height = min(max(wrapped, self._box.totalMinimumSize().height()), _HIGHEST)
        if height != self.height():
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: adjust the height to the new width."""
        super().resizeEvent(event)
        self._fit()
