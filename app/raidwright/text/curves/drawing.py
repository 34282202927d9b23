"""Drawing of a line chart as an ``<svg>`` element, which the window, picture files and reports show alike.

Each part has its colour of a scheme, and a class by which a page of HTML gives it that of the reader's scheme.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from raidwright.colours import DARK, LIGHT, STRIPES, Tokens, mix
from raidwright.text.catalogue import number
from raidwright.text.run.measurements import figure

from .chart import Line, LineChart, Look
from .geometry import INSET, LINE, MAX_NAME, TEXT, Plot, name_heights, plot_of, text_width

REPORT_WIDTH, REPORT_HEIGHT = 720, 340
_ORDER = (4, 1, 2, 3, 5, 0)  # of the palette: the ones that are furthest apart first
_INK_SHARE = {False: 0.72, True: 0.85}  # of a colour beside the scheme's text, for contrast on its panel
_PALE = 0.4
_TONES = ("good", "warn")
_END = {True: "end", False: ""}  # text-anchor, by whether the text is left of its place


def line_colour(place: int, scheme: Tokens) -> str:
    """Return the colour of the lines with that place in the palette."""
    return mix(STRIPES[_ORDER[place % len(_ORDER)]], scheme.text, _INK_SHARE[scheme.is_dark])


def page_style() -> str:
    """Return the CSS by which a page of HTML gives the drawings the colours of the reader's scheme."""
    dark = "\n".join(_rules(DARK))
    return "\n".join([*_rules(LIGHT), f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}", ""])


def _rules(scheme: Tokens) -> Iterator[str]:
    inks = {"dim": scheme.dim, "text": scheme.text, "good": scheme.green, "warn": scheme.amber}
    inks |= {f"c{place}": line_colour(place, scheme) for place in range(len(_ORDER))}
    for name, colour in inks.items():
        yield f"svg text.{name}, .{name}-dot, .{name}-band {{ fill: {colour}; }}"
        yield f".{name}-line {{ stroke: {colour}; }}"
    yield f".line {{ stroke: {scheme.line}; }}"
    yield f".ground {{ fill: Canvas; }} .span {{ fill: {scheme.amber_soft}; }}"


def svg_of_chart(
    chart: LineChart,
    width: float = REPORT_WIDTH,
    height: float = REPORT_HEIGHT,
    scheme: Tokens = LIGHT,
    family: str = "sans-serif",
    *,
    inline: bool = False,
) -> str:
    """Return the picture, for a file, or ``inline`` for a page of HTML."""
    plot = plot_of(chart, width, height)
    box = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    look = f'role="img" aria-label="{escape(chart.said_aloud())}" font-family="{escape(family)}" font-size="{TEXT:g}"'
    namespace = "" if inline else ' xmlns="http://www.w3.org/2000/svg"'
    parts = [*_axes(chart, plot, scheme), *_references(chart, plot, scheme)]
    for line in sorted(chart.lines, key=lambda line: line.look is Look.NOW):  # the present ones on top
        parts += _line(line, plot, scheme, connects=chart.connects)
    parts += [*_span_words(chart, plot, scheme), *_values(chart, plot, scheme), *_names(chart, plot, scheme)]
    return "\n".join([f"<svg{namespace} {box} {look}>", *parts, "</svg>"])


def _axes(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    yield _text(0, 12, chart.unit, "dim", scheme.dim)
    for value in plot.ticks:
        y = plot.y(value)
        yield _stroke("line", scheme.line, (plot.left - INSET, y), (plot.right + INSET, y))
        yield _text(plot.left - 16, y + 4, number(value, ",g"), "dim", scheme.dim, anchor="end")
    free = 0.0
    for place, words in chart.ticks:
        half = text_width(words) / 2
        if plot.x(place) - half > free:  # crowded ones are left out
            yield _text(plot.x(place), plot.bottom + 16, words, "dim", scheme.dim, anchor="middle")
            free = plot.x(place) + half + 4
    yield _text(plot.right + INSET, plot.bottom + 32, chart.axis, "dim", scheme.dim, anchor="end")


def _references(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    left, right = plot.left - INSET, plot.right + INSET
    if (span := chart.span) is not None:
        top, low = plot.y(span.high), plot.y(span.low)
        yield (
            f'<rect class="span" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
            f'height="{max(2.0, low - top):.1f}" fill="{scheme.amber_soft}"/>'
        )
    if (slope := chart.slope) is not None and slope.rate > 0:
        end = min(plot.last, plot.most / slope.rate)
        if end > plot.first:
            ends = ((plot.x(plot.first), plot.y(plot.first * slope.rate)), (plot.x(end), plot.y(end * slope.rate)))
            yield _stroke("dim-line", scheme.dim, *ends, dash="6 4")
            x, y = plot.x(end), plot.y(end * slope.rate) + 10
            is_left = x - text_width(slope.words) > left + 20
            yield _text(x - 14 if is_left else x + 8, y, slope.words, "dim", scheme.dim, anchor=_END[is_left])
    for guide in chart.guides:
        y = plot.y(guide.y)
        yield _stroke("text-line", scheme.text, (left, y), (right, y), dash="6 4")
        yield _text(right, y - 5, guide.words, "text", scheme.text, anchor="end")
    yield from _marks(chart, plot, scheme)


def _span_words(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    if (span := chart.span) is not None:
        x, y = plot.left - INSET + 4, plot.y(span.low) + LINE
        yield _ground(x, y, span.words, scheme, anchor="")
        yield _text(x, y, span.words, "warn", scheme.amber, bold=True)


def _marks(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    right, words = plot.right + INSET, []
    for place, mark in enumerate(chart.marks):
        colour = {"good": scheme.green, "warn": scheme.amber}.get(mark.tone, scheme.dim)
        kind, x = mark.tone if mark.tone in _TONES else "dim", plot.x(mark.x)
        yield _stroke(f"{kind}-line", colour, (x, plot.top), (x, plot.bottom), dash="2 3")
        is_left = x + 6 + text_width(mark.words) > right
        y = plot.bottom - 8 - LINE * (len(chart.marks) - 1 - place)
        at = x - 6 if is_left else x + 6
        words.append(_ground(at, y, mark.words, scheme, anchor=_END[is_left]))
        words.append(_text(at, y, mark.words, kind, colour, anchor=_END[is_left], bold=True))
    yield from words


def _line(line: Line, plot: Plot, scheme: Tokens, *, connects: bool) -> Iterator[str]:
    colour, kind = line_colour(line.colour, scheme), f"c{line.colour % len(_ORDER)}"
    faint = f' opacity="{_PALE}"' if line.look is Look.BEFORE else ""
    dash = "5 4" if line.look is Look.DEGRADED else ""
    places = [(plot.x(point.x), plot.y(point.y)) for point in line.points]
    if connects and line.look is Look.NOW and any(point.high > point.low for point in line.points):
        ends = [(plot.x(one.x), plot.y(one.high)) for one in line.points]
        ends += [(plot.x(one.x), plot.y(one.low)) for one in reversed(line.points)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
        yield f'<polygon class="{kind}-band" points="{path}" fill="{colour}" opacity="0.16"/>'
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    if connects:
        drawn = f'points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}{faint}'
        yield f'<polyline class="{kind}-line" {drawn}/>'
    if line.look is Look.NOW or len(places) == 1:
        yield from (
            f'<circle class="{kind}-dot" cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" stroke="{scheme.panel}" '
            f'stroke-width="1.2"{faint}/>'
            for x, y in places
        )


def _values(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    if not chart.lines or not chart.shows_values:
        return
    for point in chart.lines[0].points:
        x, y, is_best = plot.x(point.x), plot.y(point.high), point.x == chart.best
        kind, colour = ("good", scheme.green) if is_best else ("text", scheme.text)
        if is_best:
            yield (
                f'<circle class="good-line" cx="{x:.1f}" cy="{plot.y(point.y):.1f}" r="8" fill="none" '
                f'stroke="{scheme.green}" stroke-width="2"/>'
            )
        above, said = y - 12, figure(point.y)
        is_crossed = any(above - LINE < plot.y(guide.y) < above + 4 for guide in chart.guides)
        at = plot.y(point.low) + 22 if is_crossed else above
        yield _ground(x, at, said, scheme, anchor="middle")
        yield _text(x, at, said, kind, colour, anchor="middle", bold=is_best)


def _names(chart: LineChart, plot: Plot, scheme: Tokens) -> Iterator[str]:
    for line, height in name_heights(chart, plot):
        end, colour = line.points[-1], line_colour(line.colour, scheme)
        x, y = plot.x(end.x), plot.y(end.y)
        kind = f"c{line.colour % len(_ORDER)}"
        if x < plot.right - 1 or abs(height - y) > 3:
            ends = ((x + 6, y), (plot.right + 12, height))
            yield _stroke(f"{kind}-line", colour, *ends, width=0.8)
        is_now = line.look is Look.NOW
        name = _cut(line.name, MAX_NAME)
        yield _text(plot.right + 15, height + 4, name, kind if is_now else "dim", colour if is_now else scheme.dim,
                    bold=is_now)  # fmt: skip


def _cut(words: str, most: float) -> str:
    while text_width(words) > most and len(words) > 2:
        words = f"{words[:-2].rstrip()}…"
    return words


def _ground(x: float, y: float, words: str, scheme: Tokens, *, anchor: str) -> str:
    """Return the ground of a text that lies over lines."""
    width = text_width(words)
    left = x - {"end": width, "middle": width / 2}.get(anchor, 0.0)
    box = f'x="{left:.1f}" y="{y - TEXT + 1:.1f}" width="{width:.1f}" height="{LINE:g}"'
    return f'<rect class="ground" {box} fill="{scheme.panel}" opacity="0.85"/>'


def _stroke(
    kind: str, colour: str, first: tuple[float, float], last: tuple[float, float], *, dash: str = "", width: float = 1.2
) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    ends = f'x1="{first[0]:.1f}" y1="{first[1]:.1f}" x2="{last[0]:.1f}" y2="{last[1]:.1f}"'
    return f'<line class="{kind}" {ends} stroke="{colour}" stroke-width="{width:g}"{dashes}/>'


def _text(x: float, y: float, words: str, kind: str, colour: str, *, anchor: str = "", bold: bool = False) -> str:
    where = f' text-anchor="{anchor}"' if anchor else ""
    weight = ' font-weight="600"' if bold else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" fill="{colour}"{where}{weight}>{escape(words)}</text>'
