"""The chosen way's steps, to read: each with its time, its commands, and what follows from it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from raidwright.text.array.changes import StepWords
from raidwright.text.catalogue import tr
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for


class StepsText(QTextBrowser):
    """The text; it can be marked and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("change-steps")
        self.setAccessibleName(tr("The steps of the change"))
        self.document().setDefaultFont(font(tokens.TYPE_BODY))
        self.document().setDocumentMargin(tokens.SPACE_M)
        self._shown: tuple[str, tuple[StepWords, ...], tuple[str, ...]] = ("", (), ())

    def show_steps(self, first: str, steps: tuple[StepWords, ...] = (), rest: tuple[str, ...] = ()) -> None:
        """Show ``steps``, numbered, between a sentence and those of the ``rest``."""
        if self._shown != (first, steps, rest):
            self._shown = (first, steps, rest)
            self._fill()

    def _fill(self) -> None:
        first, steps, rest = self._shown
        dim = tokens_for(self.palette()).dim
        parts = [_paragraph(first)] if first else []
        for number, step in enumerate(steps, 1):
            time = f' <span style="color:{dim}">· {escape(step.time)}</span>' if step.time else ""
            parts.append(_paragraph(f"{number}. {step.title}", bold=True, more=time, above=tokens.SPACE_M))
            parts += [_paragraph(command, code=True) for command in step.commands]
            parts += [_paragraph(said, colour=dim) for said in step.said]
        parts += [_paragraph(said, colour=dim, above=tokens.SPACE_M) for said in rest]
        self.setHtml("".join(parts))

    def changeEvent(self, event: QEvent) -> None:
        """Qt: take the colours of another scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_shown"):
            self._fill()


def _paragraph(
    text: str, *, bold: bool = False, code: bool = False, colour: str = "", more: str = "", above: int = 2
) -> str:
    inside = escape(text)
    if bold:
        inside = f"<b>{inside}</b>"
    if code:
        inside = f'<span style="font-family:monospace">{inside}</span>'
    style = f"margin:{above}px 0 0 0;" + (f"color:{colour};" if colour else "")
    return f'<p style="{style}">{inside}{more}</p>'
