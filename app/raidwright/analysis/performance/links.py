"""Bandwidth shared by members: links, and the computer's own bus or processor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from raidwright.core.messages import say

from .array import ModelledArray
from .bounds import Bound
from .constants import A_FIFTH


def link_bounds(array: ModelledArray, bytes_by_slot: Iterable[float], *, write: bool) -> Iterator[Bound]:
    """Yield the bound of each link with a ceiling; ``bytes_by_slot`` are each slot's bytes per byte counted."""
    ceilings = array.ceilings_mb_s
    loads: defaultdict[str, float] = defaultdict(float)
    together = 0.0
    for moved, of_slot in zip(bytes_by_slot, array.link_loads, strict=True):
        together += moved
        for link, load in of_slot[write].items():
            loads[link] += moved * load
    for link, load in loads.items():
        if load and ceilings.get(link):
            yield Bound(ceilings[link] * 1e6 / load, say("the link {link}", link=link), spread=A_FIFTH)
    whole = array.host.write_ceiling_b_s if write else array.host.read_ceiling_b_s
    whole = whole or (array.computer_mb_s or 0.0) * 1e6
    if whole:
        yield Bound(whole / max(together, 1.0), say("the computer's bus or processor"), spread=A_FIFTH)
