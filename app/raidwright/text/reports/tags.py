"""Pieces of a page of HTML; all that comes in is text, and is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape


def heading(text: str) -> str:
    """Above a part of the page."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """Words, in one of the style's kinds."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def listed(lines: Iterable[str]) -> Iterator[str]:
    """Lines with a dot before each."""
    yield "<ul>"
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul>"


def table(*rows: Sequence[str], heads: Sequence[str] = (), figures: int = 0) -> Iterator[str]:
    """Rows of cells, the last ``figures`` of each to the right; ``heads`` are said again on each printed page."""
    yield '<table cellspacing="0">'
    if heads:
        yield f"<thead>{_row('th', heads, figures)}</thead>"
    yield "<tbody>"
    yield from (_row("td", row, figures) for row in rows)
    yield "</tbody>\n</table>"


def _row(tag: str, cells: Sequence[str], figures: int) -> str:
    first = len(cells) - figures
    ends = (f'<{tag} align="right">' if place >= first else f"<{tag}>" for place in range(len(cells)))
    return "<tr>" + "".join(f"{end}{escape(cell)}</{tag}>" for end, cell in zip(ends, cells, strict=True)) + "</tr>"


def figures_row(pairs: Iterable[tuple[str, str]]) -> str:
    """Large figures side by side, each over what it is."""
    cells = (
        f'<td><span class="figure">{escape(value)}</span><br/><span class="dim">{escape(name)}</span></td>'
        for value, name in pairs
    )
    return f'<table class="figures" cellspacing="0"><tr>{"".join(cells)}</tr></table>'
