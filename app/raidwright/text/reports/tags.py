"""Elements of an HTML page; all text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape


def heading(text: str) -> str:
    """Return a heading."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph, in one of the style's classes."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def listed(lines: Iterable[str]) -> Iterator[str]:
    """Yield a bulleted list."""
    yield "<ul>"
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul>"


def table(*rows: Sequence[str], heads: Sequence[str] = (), figures: int = 0) -> Iterator[str]:
    """Yield a table, the last ``figures`` columns right-aligned; ``heads`` are repeated on each printed page."""
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
    """Return large figures side by side, each above its name."""
    cells = (
        f'<td><span class="figure">{escape(value)}</span><br/><span class="dim">{escape(name)}</span></td>'
        for value, name in pairs
    )
    return f'<table class="figures" cellspacing="0"><tr>{"".join(cells)}</tr></table>'
