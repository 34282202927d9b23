"""The disks of a plan as a shopping list: models or kinds, counts, sizes, slots, prices, and advice on choosing them.

As plain text, to copy, and as a page of HTML, to print (``ui/printing.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from raidwright.analysis.imagined import is_imagined, is_practised
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.messages import say
from raidwright.core.model.plan import FLASH_KINDS, Layer, LinearVolume, MdArray, Member, Plan
from raidwright.export.wide import columns, padded, wrapped
from raidwright.text.catalogue import language, ntr, number, tr, translated, with_commas
from raidwright.text.plan.candidates import short_size
from raidwright.text.plan.names import long_name

from .tags import heading, listed, paragraph, table

_WIDTH = 100
_KINDS = {
    "smr": say("shingled (SMR)"),
    "ssd": say("SATA SSD"),
    "nvme": say("NVMe SSD"),
}
_CMR = say(
    "Conventional recording (CMR). Shingled disks (SMR) take days to rebuild and may time out; the data sheet or the "
    "maker's list says which a model is."
)
_ERROR_RECOVERY = say(
    "A limit on error recovery (TLER, ERC or CCTL), as disks for NAS and servers have. Without one, a disk with a bad "
    "sector may be silent for minutes and be taken for failed."
)
_BATCHES = say(
    "From different batches: two shops, or two makers. Disks with nearly consecutive serial numbers share their "
    "faults and tend to fail together."
)
_POWER_LOSS = say(
    "Power-loss protection and rated writes (TBW) that fit the use; parity multiplies the small writes of a database."
)
_SPARE = say("One more of the largest size to keep beside it: a rebuild can then begin at once.")


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per disk by size in bytes, as far as known, and their currency as text ("" if not said)."""

    by_size: Mapping[int, float] = field(default_factory=dict)
    currency: str = ""

    def of(self, sizes: Mapping[int, int]) -> float | None:
        """Return the price of as many disks of each size; None if a price is missing."""
        if not all(self.by_size.get(size) for size in sizes):
            return None
        return sum(count * self.by_size[size] for size, count in sizes.items())

    def words(self, amount: float) -> str:
        """Return the amount with its currency."""
        return f"{number(amount, ',.2f')} {self.currency}".strip()


@dataclass(frozen=True, slots=True)
class _Line:
    """Disks alike: a description, their number and size, and their slots."""

    what: str
    size_bytes: int
    slots: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.slots)

    def words(self) -> str:
        return f"{self.count} × {with_commas(*filter(None, (short_size(self.size_bytes), self.what)))}"


def shopping_list(plan: Plan, prices: Prices | None = None) -> str:
    """Return the list as text; raises PlanRefused if mdadm or md would refuse the plan."""
    prices, title = prices or Prices(), _title(plan)
    lines = [title, "=" * columns(title), "", _summary(plan), ""]
    rows = [_heads(), *_rows(plan, prices)]
    widths = [max(columns(row[place]) for row in rows) for place in range(3)]
    for row in rows:
        cells = [padded(cell, width + 2) for cell, width in zip(row[:3], widths, strict=True)]
        lines.append("".join((*cells, row[3])).rstrip())
    lines += ["", *_sum(plan, prices), "", tr("Look for"), ""]
    for advice in _advice(plan):
        first, *more = wrapped(advice, _WIDTH)
        lines += [f"- {first}", *(f"  {line}" for line in more)]
    return "\n".join(lines) + "\n"


def shopping_page(plan: Plan, prices: Prices | None = None) -> str:
    """Return the list as a page of HTML; raises as ``shopping_list``."""
    prices, title = prices or Prices(), escape(_title(plan))
    parts = (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>',
        f"<body>\n<h1>{title}</h1>",
        paragraph(_summary(plan)),
        *table(*_rows(plan, prices), heads=_heads()),
        *(paragraph(line) for line in _sum(plan, prices)),
        heading(tr("Look for")),
        *listed(_advice(plan)),
        "</body>\n</html>\n",
    )
    return "\n".join(parts)


def _title(plan: Plan) -> str:
    return tr("Shopping list for “{name}”", name=plan.name)


def _summary(plan: Plan) -> str:
    space_bytes, count = capacity_of(plan.top).array_bytes, len(whole_disks(plan.top))
    return ntr(
        "{layout} of {count} disk, {space_bytes:size} usable",
        "{layout} of {count} disks, {space_bytes:size} usable",
        count,
        layout=long_name(plan.top),
        space_bytes=space_bytes,
    )


def _heads() -> tuple[str, str, str, str]:
    return tr("Disks"), tr("Slots"), tr("Each"), tr("Together")


def _rows(plan: Plan, prices: Prices) -> Iterator[tuple[str, str, str, str]]:
    """Yield each line's disks, slots, price per disk, and sum."""
    for line in _lines(plan):
        each = prices.by_size.get(line.size_bytes)
        together = prices.words(line.count * each) if each else ""
        yield line.words(), with_commas(*_ranges(line.slots)), prices.words(each) if each else "", together
    if count := sum(not _is_wanted(disk) for disk in whole_disks(plan.top)):
        yield ntr("{count} disk is there already", "{count} disks are there already", count), "", "", ""


def _lines(plan: Plan) -> tuple[_Line, ...]:
    found: dict[tuple[str, int], list[str]] = {}
    for slot, disk in _slots(plan.top):
        if _is_wanted(disk):
            found.setdefault((_description(disk), disk.size_bytes), []).append(slot)
    return tuple(_Line(what, size, tuple(slots)) for (what, size), slots in found.items())


def _is_wanted(disk: Member) -> bool:
    """Return True for a disk that nobody has yet; a practice machine's only stand for those."""
    return is_imagined(disk.id) or is_practised(disk.id) or not disk.serial


def _description(disk: Member) -> str:
    if disk.model and not is_practised(disk.id):
        return disk.model
    baseline, kind = disk.baseline, disk.kind
    if baseline is not None and kind == "hdd" and baseline.rpm:
        return tr("{rpm} rpm", rpm=baseline.rpm)
    return translated(_KINDS.get(kind or "", ""))


def _slots(layer: Layer, prefix: str = "") -> Iterator[tuple[str, Member]]:
    """Yield each disk with its slot; of a joined plan, with its number."""
    if isinstance(layer, LinearVolume):
        yield from ((str(place), disk) for place, disk in enumerate(whole_disks(layer)))
        return
    for slot, member in enumerate(layer.members):
        if isinstance(member, MdArray):
            yield from _slots(member, f"{prefix}{slot}·")
        elif member is not None:
            yield f"{prefix}{slot}", member
    yield from ((tr("spare"), spare) for spare in layer.spares)
    if layer.journal is not None:
        yield tr("journal"), layer.journal


def _ranges(slots: tuple[str, ...]) -> Iterator[str]:
    """Yield the slots, three or more consecutive ones as a range, equal ones once."""
    slots = tuple(dict.fromkeys(slots))
    if len(slots) > 2 and all(_follows(*pair) for pair in pairwise(slots)):
        yield f"{slots[0]}–{slots[-1]}"
    else:
        yield from slots


def _follows(first: str, second: str) -> bool:
    return first.isdigit() and second.isdigit() and int(second) == int(first) + 1


def _sum(plan: Plan, prices: Prices) -> Iterator[str]:
    wanted: dict[int, int] = {}
    for line in _lines(plan):
        wanted[line.size_bytes] = wanted.get(line.size_bytes, 0) + line.count
    total = prices.of(wanted)
    if not wanted:
        yield tr("Nothing to buy: every disk of this plan is there already.")
    elif total is None:
        count = sum(wanted.values())
        yield ntr("{count} disk to buy; no price is known.", "{count} disks to buy; not every price is known.", count)
    else:
        per_tb = total / (capacity_of(plan.top).array_bytes / 1e12)
        yield tr(
            "Sum: {total}, which is {per_tb} for each usable TB",
            total=prices.words(total),
            per_tb=prices.words(per_tb),
        )


def _has_redundancy(layer: Layer) -> bool:
    return isinstance(layer, LinearVolume) or layer.level.is_redundant or layer.is_nested


def _advice(plan: Plan) -> Iterator[str]:
    disks = [disk for disk in whole_disks(plan.top) if _is_wanted(disk)] or list(whole_disks(plan.top))
    if any(disk.kind not in FLASH_KINDS for disk in disks):
        yield translated(_CMR)
        if _has_redundancy(plan.top):
            yield translated(_ERROR_RECOVERY)
    if any(disk.kind in FLASH_KINDS for disk in disks):
        yield translated(_POWER_LOSS)
    if _has_redundancy(plan.top):
        yield translated(_BATCHES)
        yield translated(_SPARE)
        least = capacity_of(plan.top).smallest_replacement_sectors
        if least:
            yield tr("A replacement must have at least {least_bytes:,} bytes.", least_bytes=least * 512)
