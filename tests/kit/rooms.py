"""``python -m tests.kit.rooms``: the rooms in docs/architecture.md's tables, and their picture, drawn from these."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from pathlib import Path
from xml.sax.saxutils import escape

from raidwright.colours import LIGHT

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PICTURE = DOCS / "architecture.md", DOCS / "pictures/architecture.svg"
PROGRAM, HELPER = "raidwright", "raidwright_helper"
_ROW = re.compile(r"^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|(?: ([^|]+) \|)?$", re.MULTILINE)
_NAMED = re.compile(r"`([\w./*]+)`")
_BOX_HEIGHT, _GAP = 50, 10
_ROW_HEIGHT, _LANE = 72, 20
_TOP, _LEFT, _HELPER_LEFT = 44, 20, 540
_WIDTH, _HEAD = 720, 7


@dataclass(frozen=True, slots=True)
class Room:
    """A row of a table: the modules' common prefixes, and what they may use, as prefixes of modules."""

    modules: tuple[str, ...]
    about: str
    may_use: frozenset[str]
    loads: frozenset[str]  # packages that are neither ours nor Python's; of the program and the helper
    is_folder: bool

    @property
    def name(self) -> str:
        """The last part of its module."""
        return self.modules[0].rpartition(".")[2]

    @property
    def caption(self) -> str:
        """The first words of what is there."""
        return re.split("[;:]", self.about)[0]


def _module(path: str, package: str) -> str:
    """Return the module of ``path``, as a table of ``package`` names it."""
    name = path.removeprefix("packaging/").removesuffix(".py").strip("/").replace("/", ".")
    return f"{package}.{name}" if package else name


def _rooms(text: str, package: str) -> Iterator[Room]:
    for paths, about, may_use, loads in _ROW.findall(text):
        named = _NAMED.findall(paths)
        yield Room(
            modules=tuple(_module(path, package) for path in named),
            about=about,
            may_use=frozenset(f"{package}.{name}" if package else name for name in _NAMED.findall(may_use)),
            loads=frozenset(_NAMED.findall(loads)),
            is_folder=all(path.endswith("/") for path in named),
        )


def tables() -> Mapping[str, list[Room]]:
    """Return the rooms of the program, the helper, and ("") packaging and tests, each above those that it may use."""
    program, helper, others = re.split(r"^## .* rooms$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        PROGRAM: list(_rooms(program, PROGRAM)),
        HELPER: list(_rooms(helper, HELPER)),
        "": list(_rooms(others, "")),
    }


def room_of(module: str, rooms: Iterable[Room]) -> Room | None:
    """Return the room of ``module``, that of the longest prefix; ``tests.*`` has what lies in tests itself."""
    itself = f"{module.rpartition('.')[0] or module}.*"
    lengths = {
        len(prefix): room
        for room in rooms
        for prefix in room.modules
        if prefix == itself or f"{module}.".startswith(f"{prefix}.")
    }
    return lengths[max(lengths)] if lengths else None


def _folders_below(rooms: list[Room]) -> dict[str, set[str]]:
    """Return, for each folder, the folders that it uses, itself or by a module of its own between them."""
    reach: dict[str, set[str]] = {}
    for room in reversed(rooms):
        used = {below for name in room.may_use if (below := room_of(name, rooms)) is not None}
        named = {below.name for below in used if below.is_folder}
        reach[room.name] = named.union(*(reach[below.name] for below in used if not below.is_folder))
    return {room.name: reach[room.name] for room in rooms if room.is_folder}


def _depths(below: Mapping[str, set[str]]) -> dict[str, int]:
    """Return each folder's row, counted from the top: below all that use it."""
    found = dict.fromkeys(below, 0)
    for name in reversed([*TopologicalSorter(below).static_order()]):
        for used in below[name]:
            found[used] = max(found[used], found[name] + 1)
    return found


def _arrows(below: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the uses that don't follow from others."""

    def reached(name: str) -> set[str]:
        return below[name].union(*(reached(one) for one in below[name]))

    return [
        (name, one)
        for name, used in below.items()
        for one in sorted(used)
        if not any(one in reached(other) for other in used - {one})
    ]


@dataclass(frozen=True, slots=True)
class _Box:
    room: Room
    left: float
    top: float
    width: float
    colour: str

    def drawn(self) -> str:
        return (
            f'<rect x="{self.left:g}" y="{self.top:g}" width="{self.width:g}" height="{_BOX_HEIGHT}" rx="6" '
            f'fill="{self.colour}" stroke="{LIGHT.line}"/>\n'
            + _text(self.left + 10, self.top + 21, f"{self.room.name}/", 14, LIGHT.text, bold=True)
            + _text(self.left + 10, self.top + 39, self.room.caption, 11, LIGHT.dim)
        )


def _text(x: float, y: float, text: str, size: int, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{weight} fill="{colour}">{escape(text)}</text>\n'


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    across, down = (end[0] - start[0]) / (length := math.dist(start, end)), (end[1] - start[1]) / length
    back = end[0] - _HEAD * across, end[1] - _HEAD * down
    sides = [(back[0] + sign * down * _HEAD / 2, back[1] - sign * across * _HEAD / 2) for sign in (1, -1)]
    head = " ".join(f"L{x:.1f} {y:.1f}" for x, y in sides)
    return (
        f'<path d="M{start[0]:g} {start[1]:g} L{end[0]:g} {end[1]:g}" stroke="{LIGHT.dim}" stroke-width="1.5"/>\n'
        f'<path d="M{end[0]:g} {end[1]:g} {head} Z" fill="{LIGHT.dim}"/>\n'
    )


class _Stack:
    """Folders in rows, each above those that it uses; an arrow to a later row than the next has a lane at the right."""

    def __init__(self, rooms: list[Room], left: float, width: float, colour: str, base: float) -> None:
        below = _folders_below(rooms)
        depths = _depths(below)
        self.depth = max(depths.values())
        self._arrows = _arrows(below)
        long = sorted(
            (depths[upper], upper, lower) for upper, lower in self._arrows if depths[lower] > depths[upper] + 1
        )
        self._lanes = {
            (upper, lower): left + width - _LANE * (place + 0.5) for place, (_, upper, lower) in enumerate(long)
        }
        starts = {upper for _, upper, _ in long}
        self.boxes: dict[str, _Box] = {}
        for depth in range(self.depth + 1):
            row = [room for room in rooms if room.is_folder and depths[room.name] == depth]
            row.sort(key=lambda room: room.name in starts)
            passing = sum(first < depth < depths[lower] for first, _, lower in long)
            each = (width - _LANE * passing - _GAP * (len(row) - 1)) / len(row)
            for place, room in enumerate(row):
                at, top = left + place * (each + _GAP), base - (self.depth - depth) * _ROW_HEIGHT
                self.boxes[room.name] = _Box(room, at, top, each, colour)

    def drawn(self) -> str:
        arrows = (_arrow(*self._ends(upper, lower)) for upper, lower in self._arrows)
        return "".join((*(box.drawn() for box in self.boxes.values()), *arrows))

    def _ends(self, upper: str, lower: str) -> tuple[tuple[float, float], tuple[float, float]]:
        above, under = self.boxes[upper], self.boxes[lower]
        left, right = max(above.left, under.left), min(above.left + above.width, under.left + under.width)
        x = self._lanes.get((upper, lower), (left + right) / 2)
        return (x, above.top + _BOX_HEIGHT), (x, under.top - 2)


def picture() -> str:
    """Return the picture as SVG: the program's folders, the helper's beside them, and core below both."""
    found = tables()
    height = _TOP + _ROW_HEIGHT * max(_depths(_folders_below(found[PROGRAM])).values()) + _BOX_HEIGHT + 20
    base = height - 20 - _BOX_HEIGHT
    program = _Stack(found[PROGRAM], _LEFT, _HELPER_LEFT - _LEFT - 40, LIGHT.sunken, base)
    core = program.boxes["core"]
    program.boxes["core"] = replace(core, width=_WIDTH - 2 * _LEFT, colour=LIGHT.accent_soft)
    width = _WIDTH - _LEFT - _HELPER_LEFT
    helper = _Stack(found[HELPER], _HELPER_LEFT, width, LIGHT.amber_soft, base - _ROW_HEIGHT)
    middle, bus = _HELPER_LEFT + width / 2, _HELPER_LEFT - 20
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">\n',
        "<title>The rooms of Raidwright, and what each may use</title>\n",
        f'<rect width="{_WIDTH}" height="{height}" fill="{LIGHT.panel}"/>\n',
        _text(_LEFT, 28, "app/raidwright: an ordinary user’s program", 12, LIGHT.dim),
        _text(bus, 28, "the system bus", 12, LIGHT.dim),
        f'<path d="M{bus} 38 L{bus} {base - 12}" stroke="{LIGHT.dim}" stroke-dasharray="5 4"/>\n',
        _text(_HELPER_LEFT, _TOP + 40, "helpers/: root’s service", 12, LIGHT.dim),
        program.drawn(),
        helper.drawn(),
        _arrow((middle, base - _ROW_HEIGHT + _BOX_HEIGHT), (middle, base - 2)),
        "</svg>\n",
    ]
    return "".join(parts)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
