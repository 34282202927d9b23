"""The stage's first rows as SVG: members as columns, each cell with its content, copies and parity distinguished."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from raidwright.analysis.geometry.of_plan import Role, all_rows, geometry_of
from raidwright.analysis.geometry.stripes import stripes_of
from raidwright.colours import COPY_SHARE, LIGHT, PARITY_SHARE, STRIPES, ink_on, mix
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.text.catalogue import tr

_ROWS = 12
_WIDE, _HIGH, _GAP, _HEAD = 92, 22, 4, 40
_BAND = 9  # of a picture on a page of 60 rem
_MAX_COLUMNS = 64  # wider arrays show their first members


def stage_bands(plan: Plan) -> Iterator[str]:
    """Yield the whole stage, in as many pictures below one another as fit a page's width."""
    columns = min(geometry_of(plan).members, _MAX_COLUMNS)
    bands = -(-columns // _BAND)
    side = -(-columns // bands)
    yield from (stage_svg(plan, range(first, min(first + side, columns))) for first in range(0, columns, side))


def stage_svg(plan: Plan, shown: range | None = None) -> str:
    """Return an ``<svg>`` element of its own size, of the ``shown`` slots; raises PlanRefused as ``geometry_of``."""
    geometry = geometry_of(plan)
    count = min(geometry.rows - geometry.first_row, _ROWS)
    rows = all_rows(geometry.first_row, count)
    cells = geometry.cells(rows)
    stripes = stripes_of(geometry, rows, cells)
    columns = shown or range(min(geometry.members, _MAX_COLUMNS))
    journal = plan.array.journal if columns.stop == geometry.members else None
    width = (len(columns) + (journal is not None)) * (_WIDE + _GAP)
    height = _HEAD + count * (_HIGH + _GAP)
    title = escape(tr("Where the first chunks lie"))
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    look = f'role="img" aria-label="{title}" font-family="sans-serif" font-size="11"'
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" {box} {look}>']
    for place, column in enumerate(columns):
        x = place * (_WIDE + _GAP)
        drawn.append(_text(x, 14, tr("Slot {slot}", slot=column), bold=True))
        drawn.append(_text(x, 30, _whose(plan, column)))
        for row in range(count):
            role, chunk = Role(int(cells.role[row, column])), int(cells.chunk[row, column])
            words = _words(role, chunk, int(cells.copy[row, column]))
            drawn += _cell(x, _HEAD + row * (_HIGH + _GAP), _ground(role, int(stripes[row, column])), words)
    if journal is not None:
        x = len(columns) * (_WIDE + _GAP)
        drawn += [_text(x, 14, tr("Journal"), bold=True), _text(x, 30, _name_of(journal))]
        drawn.append(f'<path d="M{x} {_HEAD} V{height - _GAP} H{x + _WIDE} V{_HEAD} Z" fill="{LIGHT.sunken}"/>')
    return "\n".join([*drawn, "</svg>"])


def _whose(plan: Plan, column: int) -> str:
    """Return the end of the serial number of a column's disk; "" for an empty slot."""
    leaves: list[Member | None] = []
    for member in plan.array.members:
        leaves += member.members if isinstance(member, MdArray) else [member]  # type: ignore[arg-type]  # two deep at most
    disk = leaves[column] if column < len(leaves) else None
    return _name_of(disk) if disk else ""


def _name_of(disk: Member) -> str:
    return (disk.serial or disk.id)[-12:]


def _words(role: Role, chunk: int, copy: int) -> str:
    return {
        Role.EMPTY: "",
        Role.DATA: str(chunk),
        Role.COPY: tr("{chunk} · copy {number}", chunk=chunk, number=copy + 1),
        Role.P: "P",
        Role.Q: "Q",
    }[role]


def _ground(role: Role, stripe: int) -> str:
    """Return a cell's background, as on the window's stage."""
    if role is Role.EMPTY or stripe < 0:
        return LIGHT.sunken
    colour = STRIPES[stripe % len(STRIPES)]
    if role is Role.DATA:
        return colour
    return mix(colour, LIGHT.panel, COPY_SHARE if role is Role.COPY else PARITY_SHARE)


def _cell(x: int, y: int, ground: str, words: str) -> list[str]:
    return [
        f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="3" fill="{ground}"/>',
        _text(x + 6, y + 15, words, ink=ink_on(ground)),
    ]


def _text(x: int, y: int, words: str, *, bold: bool = False, ink: str = LIGHT.text) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" fill="{ink}"{weight}>{escape(words)}</text>'
