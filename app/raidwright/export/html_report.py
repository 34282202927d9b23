"""Reports as one self-contained HTML file: tables, and bars as SVG; with a light and a dark theme.

All input is text, which is escaped here; no script, no external resources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from string import Template

_WIDTH, _LABEL, _ROW, _BAR = 720, 230, 26, 16
# Colours where a page's style isn't applied, as on paper.
_BAR_COLOUR = "#1f6fb4"
_LOOKS = {"mark": 'stroke="#b4521f" stroke-width="3"', "base": 'stroke="#8a8a8a" stroke-dasharray="4 4"'}
_PAGE = Template("""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; --bar: #1f6fb4; --mark: #b4521f; --line: #8a8a8a; }
@media (prefers-color-scheme: dark) { :root { --bar: #6db3f2; --mark: #f2a26d; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
.bar { fill: var(--bar); } .mark { stroke: var(--mark); stroke-width: 3; }
.base { stroke: var(--line); stroke-dasharray: 4 4; }
$style</style>
</head>
<body>
<h1>$title</h1>
$body
</body>
</html>
""")


@dataclass(frozen=True, slots=True)
class HtmlBar:
    """``value`` with its name and its text; ``mark`` is the prediction."""

    name: str
    value: float
    said: str
    mark: float | None = None


@dataclass(frozen=True, slots=True)
class HtmlBars:
    """Bars on one scale; ``base`` is the value of a line across all of them."""

    title: str
    bars: tuple[HtmlBar, ...]
    base: float | None = None


@dataclass(frozen=True, slots=True)
class HtmlPicture:
    """A drawing that is made already, an ``<svg>`` element."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its heading, what it says, and its charts."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    charts: tuple[HtmlBars | HtmlPicture, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """A page: the outcome, then each section, then notes; ``style`` is the CSS of its drawings."""

    title: str
    outcome: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    style: str = ""


def as_html(report: HtmlReport) -> str:
    """Return the whole file."""
    parts = [f"<p><strong>{escape(report.outcome)}</strong></p>", *map(_section, report.sections)]
    if report.notes:
        parts.append(f"<ul>\n{''.join(f'<li>{escape(note)}</li>' for note in report.notes)}\n</ul>")
    return _PAGE.substitute(title=escape(report.title), body="\n".join(parts), style=report.style)


def _section(section: Section) -> str:
    charts = (f"<h3>{escape(chart.title)}</h3>\n{_drawn(chart)}" for chart in section.charts)
    said = (f"<p>{escape(one)}</p>" for one in section.said)
    table = (_table(section),) if section.rows else ()
    return "\n".join((f"<h2>{escape(section.heading)}</h2>", *said, *table, *charts))


def _drawn(chart: HtmlBars | HtmlPicture) -> str:
    return chart.svg if isinstance(chart, HtmlPicture) else _svg(chart)


def _table(section: Section) -> str:
    head = _row("th", section.columns)
    return (
        f"<table>\n<thead>{head}</thead>\n<tbody>{''.join(_row('td', row) for row in section.rows)}</tbody>\n</table>"
    )


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _svg(chart: HtmlBars) -> str:
    most = max((max(bar.value, bar.mark or 0.0) for bar in chart.bars), default=0.0) or 1.0
    height = _ROW * len(chart.bars)
    drawn = "\n".join(part for row, bar in enumerate(chart.bars) for part in _bar(bar, row, most))
    base = "" if chart.base is None else _line("base", _at(chart.base, most), 0, height)
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    return f'<svg {size} role="img" aria-label="{escape(chart.title)}">\n{drawn}\n{base}</svg>'


def _bar(bar: HtmlBar, row: int, most: float) -> Iterator[str]:
    top, middle = row * _ROW + (_ROW - _BAR) / 2, row * _ROW + _ROW / 2 + 4
    end = _at(bar.value, most)
    yield f'<text x="0" y="{middle:g}">{escape(bar.name)}</text>'
    box = f'x="{_LABEL}" y="{top:g}" width="{end - _LABEL:.1f}" height="{_BAR}"'
    yield f'<rect class="bar" fill="{_BAR_COLOUR}" {box}/>'
    yield f'<text x="{max(end, _at(bar.mark or 0.0, most)) + 8:.1f}" y="{middle:g}">{escape(bar.said)}</text>'
    if bar.mark is not None:
        yield _line("mark", _at(bar.mark, most), top - 2, top + _BAR + 2)


def _line(kind: str, at: float, top: float, bottom: float) -> str:
    look = _LOOKS[kind]
    return f'<line class="{kind}" {look} x1="{at:.1f}" x2="{at:.1f}" y1="{top:g}" y2="{bottom:g}"/>'


def _at(value: float, most: float) -> float:
    """Return the x position of a value; space for its text is left on the right."""
    return _LABEL + (_WIDTH - _LABEL - 110) * value / most
