"""Known faults of a machine's kernel and mdadm that concern one of its arrays (``core.md.known``)."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.md.known import Fault, Traits, faults_of, is_over_iscsi, kernel_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import mdadm_of
from raidwright.core.md.running_state import Hold
from raidwright.core.model.plan import Consistency

from .states.volume import State
from .values import Array


def known_faults(array: State) -> tuple[tuple[Fault, str], ...]:
    """Return the faults that concern ``array``, or one of a volume's arrays, each once with its source."""
    if array.host is None:
        return ()
    kernel, mdadm = kernel_of(array.host.kernel), mdadm_of(array.host.mdadm)
    each = (traits for one in array.arrays for traits in _traits(one))
    return tuple(dict(found for traits in each for found in faults_of(traits, kernel, mdadm)).items())


def _traits(array: Array) -> Iterator[Traits]:
    if array.level not in list(Level):
        return
    bad = {f"/dev/{name}" for name, _ in array.facts.bad_sectors} if array.facts is not None else set()
    working = sorted((place.slot or 0, place.device) for place in array.places if place.works)
    yield Traits(
        Level(array.level),
        has_write_mostly=any("write_mostly" in place.states for place in array.places),
        is_over_iscsi=any(is_over_iscsi(place.path) for place in array.places),
        has_bad_blocks=bool(working) and working[0][1] in bad,
        fails_to_read=bool(bad),
        reshape_waits=array.hold is Hold.RESHAPE_WAITS,
        copies=any("replacement" in place.states and not place.has_failed for place in array.places),
        has_bitmap=array.facts is not None and array.facts.consistency == Consistency.BITMAP,
    )
