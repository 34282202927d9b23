"""ExamineStripes' question as it goes to the helper: an array's shape, and disks in the orders to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.md.layouts import Level, canonical_layout

from .search import MAX_QUESTIONS, Order
from .stripes import StripeShape

_MAX_SLOTS = 64
_MISSING = "-"
_MAX_CHUNK_KIB = 2**20
MAX_HEADS = 512


@dataclass(frozen=True, slots=True)
class StripeQuestion:
    """``disks`` in ``orders``, as members of ``shape`` whose data begin at ``begins_kib``.

    The answer has an entry for each order, and one for each disk: the blocks looked at, and those that aren't zero. If
    not ``by_place``, an order stands for all orders of its disks. ``heads_kib`` are places on each disk at which the
    data may begin; the disk's entry says what does.
    """

    disks: tuple[str, ...]
    shape: StripeShape
    begins_kib: int
    orders: tuple[Order, ...]
    by_place: bool = True
    heads_kib: tuple[int, ...] = ()

    def dumped(self) -> tuple[dict[str, object], list[str]]:
        """Return the shape and the orders as plain values."""
        shape = {
            "level": str(self.shape.level),
            "slots": self.shape.slots,
            "component_kib": self.shape.component_bytes // 1024,
            "chunk_kib": self.shape.chunk_bytes // 1024,
            "begins_kib": self.begins_kib,
        }
        if self.shape.layout:
            shape["layout"] = self.shape.layout
        if self.by_place:
            shape["by_place"] = True
        if self.heads_kib:
            shape["heads_kib"] = " ".join(map(str, self.heads_kib))
        return shape, [self.key(order) for order in self.orders]

    def key(self, order: Order) -> str:
        """Return an order as the helper takes it: places of ``disks``, by slot."""
        return " ".join(_MISSING if disk is None else str(self.disks.index(disk)) for disk in order)


def read_question(disks: Sequence[str], shape: Mapping[str, object], orders: Sequence[str]) -> StripeQuestion:
    """Return the question of plain values, from the bus; raises InputError."""
    fields = Fields(dict(shape), "The shape")
    level = fields.require_choice("level", Level)
    layout = fields.text("layout")
    slots, begins = fields.count("slots"), fields.count("begins_kib")
    component, chunk = fields.count("component_kib"), fields.count("chunk_kib")
    heads, by_place = _read_heads(fields.text("heads_kib") or ""), fields.take("by_place", bool) or False
    fields.finish()
    needs_chunk = level.parity_disks > 0 or level is Level.RAID10
    is_odd = chunk % 4 or component % 4 or not level.parity_disks < slots <= _MAX_SLOTS or chunk > _MAX_CHUNK_KIB
    if is_odd or (needs_chunk and not chunk) or len(orders) > MAX_QUESTIONS:
        raise InputError("Stripes of such an array can't be compared.", code="shape")
    named = canonical_layout(level, layout) if layout else None
    if level is Level.RAID10 and StripeShape(level, slots, component * 1024, chunk * 1024, named).copies.total > slots:
        raise InputError("Stripes of such an array can't be compared.", code="shape")
    meant = StripeShape(level, slots, component * 1024, chunk * 1024, named)
    placed = tuple(_read_order(one, disks, slots) for one in orders)
    return StripeQuestion(tuple(disks), meant, begins, placed, by_place, heads)


def _read_heads(text: str) -> tuple[int, ...]:
    places = text.split()
    if len(places) > MAX_HEADS or not all(one.isascii() and one.isdecimal() and len(one) < 12 for one in places):
        raise InputError("Data may begin at {most} places at most, in KiB.", code="heads", most=MAX_HEADS)
    return tuple(map(int, places))


def _read_order(text: str, disks: Sequence[str], slots: int) -> Order:
    places = text.split(" ")
    used = [place for place in places if place != _MISSING]
    is_known = all(place.isascii() and place.isdecimal() and int(place) < len(disks) for place in used)
    if len(places) != slots or not is_known or len(set(used)) < len(used):
        raise InputError("An order has a disk's number for each slot, once, or -.", code="order")
    return tuple(None if place == _MISSING else disks[int(place)] for place in places)
