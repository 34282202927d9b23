"""md's levels and layouts: names in and out, and the numbers that the superblock holds.

Sources: mdadm ``maps.c`` (``r5layout``, ``r6layout``, ``r0layout``), ``util.c`` ``parse_layout_10``;
kernel ``raid5.c`` (``ALGORITHM_*``), ``raid10.c`` ``setup_geo``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import say


class Level(StrEnum):
    """The levels that md builds, under mdadm's names, and ``joined``: arrays on slices, joined by LVM (no md level)."""

    LINEAR = "linear"
    RAID0 = "raid0"
    RAID1 = "raid1"
    RAID4 = "raid4"
    RAID5 = "raid5"
    RAID6 = "raid6"
    RAID10 = "raid10"

    @property
    def is_redundant(self) -> bool:
        """True if md keeps copies or parity: the array resyncs, and may have spares and a bitmap."""
        return self not in (Level.LINEAR, Level.RAID0)

    @property
    def is_chunked(self) -> bool:
        """True if the level uses a chunk size."""
        return self not in (Level.LINEAR, Level.RAID1)

    @property
    def parity_disks(self) -> int:
        """Parity chunks per stripe; 0 for a level without parity."""
        return {Level.RAID4: 1, Level.RAID5: 1, Level.RAID6: 2}.get(self, 0)


WIDEST_PARITY = 12  # disks; md allows more, storage vendors advise against (TrueNAS: 12 at most, Solaris ZFS: 9)
DEFAULT_CHUNK_KIB = 512

RAID0_LAYOUTS = {"original": 1, "alternate": 2, "dangerous": 0}
RAID5_LAYOUTS = {
    "left-asymmetric": 0,
    "right-asymmetric": 1,
    "left-symmetric": 2,
    "right-symmetric": 3,
    "parity-first": 4,
    "parity-last": 5,
}
RAID6_LAYOUTS = RAID5_LAYOUTS | {
    "ddf-zero-restart": 8,
    "ddf-N-restart": 9,
    "ddf-N-continue": 10,
    "left-asymmetric-6": 16,
    "right-asymmetric-6": 17,
    "left-symmetric-6": 18,
    "right-symmetric-6": 19,
    "parity-first-6": 20,
}
_SHORT = {
    "la": "left-asymmetric",
    "ra": "right-asymmetric",
    "ls": "left-symmetric",
    "rs": "right-symmetric",
    "parity-0": "parity-first",
    "parity-n": "parity-last",
}
_RAID5_ALIASES = _SHORT | {
    "ddf-zero-restart": "right-asymmetric",
    "ddf-N-restart": "left-asymmetric",
    "ddf-N-continue": "left-symmetric",
}
_RAID6_ALIASES = _SHORT | {
    "parity-last-6": "parity-last",
    "la-6": "left-asymmetric-6",
    "ra-6": "right-asymmetric-6",
    "ls-6": "left-symmetric-6",
    "rs-6": "right-symmetric-6",
}
_NAMES: Mapping[str, Mapping[str, int]] = {
    Level.RAID0: RAID0_LAYOUTS,
    Level.RAID5: RAID5_LAYOUTS,
    Level.RAID6: RAID6_LAYOUTS,
}
_ALIASES: Mapping[str, Mapping[str, str]] = {Level.RAID5: _RAID5_ALIASES, Level.RAID6: _RAID6_ALIASES}
_DEFAULTS = {Level.RAID5: "left-symmetric", Level.RAID6: "left-symmetric", Level.RAID10: "n2"}  # mdadm's
_COPIES = re.compile(r"([nfo])([1-9]\d{0,2})")
_NEAR_AND_FAR = re.compile(r"n([1-9]\d?)([fo])([1-9]\d?)")


@dataclass(frozen=True, slots=True)
class Copies:
    """raid10's layout: ``near`` × ``far`` copies of each chunk; ``offset`` puts the far ones in the next row.

    mdadm only ever sets one of the two above 1; the kernel supports both together.
    """

    near: int = 1
    far: int = 1
    offset: bool = False

    @property
    def total(self) -> int:
        """Number of copies of each chunk."""
        return self.near * self.far

    @property
    def letter(self) -> str:
        """The letter by which mdadm calls the placement: ``n`` (near), ``f`` (far) or ``o`` (offset)."""
        return "o" if self.offset else "f" if self.far > 1 else "n"

    @property
    def number(self) -> int:
        """The layout as raid10 stores it: ``near + 256·far + 65536·offset``."""
        return self.near | self.far << 8 | self.offset << 16


def default_layout(level: Level) -> str | None:
    """Return mdadm's default layout; None for levels without one."""
    return _DEFAULTS.get(level)


def canonical_layout(level: str, name: str) -> str:
    """Return the spelling that plans use for mdadm's ``name``; raises InputError for a layout that the level lacks."""
    if level == Level.RAID10:
        if _NEAR_AND_FAR.fullmatch(name) or _COPIES.fullmatch(name):
            return name
    else:
        name = _ALIASES.get(level, {}).get(name, name)
        if name in _NAMES.get(level, {}):
            return name
    raise _no_such_layout(level, printable(name))


def _no_such_layout(level: str, name: str) -> InputError:
    known = list(_NAMES.get(level, ()))
    if level == Level.RAID10:
        sentence = say(
            "raid10 has no layout “{layout}”; it has n, f or o followed by the copies, like n2, f2 or o3.", layout=name
        )
    elif known:
        sentence = say("{level} has no layout “{layout}”; it has {known}.", level=level, layout=name, known=known)
    else:
        sentence = say("{level} has no layout “{layout}”; leave the layout out.", level=level, layout=name)
    return InputError(sentence, code="layout", level=str(level), layout=name)


def parse_copies(layout: str | None) -> Copies:
    """Return the copies that a canonical raid10 ``layout`` (``n2``, ``f3``, ``o2``, ``n2f2``) means; None: mdadm's."""
    layout = layout or _DEFAULTS[Level.RAID10]
    both = _NEAR_AND_FAR.fullmatch(layout)
    if both:
        return Copies(near=int(both[1]), far=int(both[3]), offset=both[2] == "o")
    letter, count = layout[0], int(layout[1:])
    return Copies(near=count) if letter == "n" else Copies(far=count, offset=letter == "o")


def copies_layout(number: int) -> str:
    """Return the canonical raid10 layout for the superblock's number (the inverse of ``Copies.number``)."""
    near, far, letter = number & 255, number >> 8 & 255, "o" if number >> 16 & 1 else "f"
    if far == 1:
        return f"n{near}"
    return f"{letter}{far}" if near == 1 else f"n{near}{letter}{far}"


def copy_windows(copies: Copies, members: int) -> Iterator[set[int]]:
    """Yield the sets of neighbouring raid10 members that hold all copies of some chunk (``raid10.c _enough``)."""
    first = 0
    while True:
        yield {(first + step) % members for step in range(copies.total)}
        first = (first + copies.near) % members
        if first == 0:
            return


def layout_number(level: Level, layout: str | None) -> int:
    """Return the number that ``/sys/block/mdX/md/layout`` shows for a canonical ``layout``.

    0 for levels without one; raid0 defaults to 1 (original), which mdadm ≥ 4.4 writes if no layout is given.
    """
    if level is Level.RAID10:
        return parse_copies(layout).number
    names = _NAMES.get(level)
    if names is None:
        return 0
    return names[layout or default_layout(level) or "original"]


def layout_name(level: str, number: int) -> str:
    """Return the canonical layout, the inverse of ``layout_number``; "" for an unknown level or number."""
    if level == Level.RAID10:
        return copies_layout(number)
    known = _NAMES[Level(level)] if level in set(_NAMES) else {}
    return next((name for name, kept in known.items() if kept == number), "")
