"""Findings in words: a toned badge, the sentence, and reason and remedy on hover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from .panel import Tone, badge, clear, label, row
from .tokens import SPACE_S

if TYPE_CHECKING:
    from ..core.finding import Finding


class FindingList(QWidget):
    """Shows the gravest ``most`` findings; says how many more there are."""

    def __init__(self, name: str, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._most = most
        self._shown: tuple[tuple[Finding, ...], str] | None = None
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_S)

    def show_findings(self, findings: Sequence[Finding], empty: str = "") -> None:
        """Show ``findings``, which come gravest first; ``empty`` stands where there are none."""
        if (tuple(findings), empty) == self._shown:
            return
        self._shown = tuple(findings), empty
        clear(self._box)
        for finding in findings[: self._most]:
            self._add(finding)
        if len(findings) > self._most:
            self._box.addWidget(label(self.tr("and {n} more").format(n=len(findings) - self._most), "dim"))
        if not findings:
            self._box.addWidget(label(empty or self.tr("Nothing to say against it."), "dim", wrap=True))
        self._box.addStretch(1)

    def _add(self, finding: Finding) -> None:
        from ..core.finding import Severity  # noqa: PLC0415 -- a window stands before anything is found

        tones: dict[Severity, tuple[str, Tone]] = {
            Severity.DANGER: (self.tr("Danger"), "bad"),
            Severity.WARNING: (self.tr("Mind"), "warn"),
            Severity.NOTE: (self.tr("Note"), "info"),
        }
        tag = badge(*tones[finding.severity])
        sentence = label(finding.sentence, wrap=True)
        sentence.setMinimumWidth(1)  # a long name is cut off rather than the whole panel
        hint = "\n\n".join(part for part in (finding.reason, finding.remedy) if part)
        sentence.setToolTip(hint)
        sentence.setAccessibleDescription(hint)
        line = row()
        line.addWidget(tag, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(sentence, 1)
        self._box.addLayout(line)
