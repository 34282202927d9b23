"""A plan in words: its usual name."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.analysis.findings.finding import PlanChange
from raidwright.core.md.layouts import Level, default_layout
from raidwright.core.md.survival import Survival
from raidwright.core.messages import say
from raidwright.core.model.plan import Bitmap, Consistency, Layer, LinearVolume
from raidwright.text.catalogue import ntr, tr, translated, with_commas
from raidwright.text.shown import Cell

from .survival import in_words, share

_SHORT = {
    "left-symmetric": "",  # the default
    "left-asymmetric": "la",
    "right-asymmetric": "ra",
    "right-symmetric": "rs",
}


def short_name(layer: Layer) -> str:
    """Return “raid10 f2”, “raid50 2 × 4”, “raid5 + 1 spare”, “joined raid5 ×4 + raid1 ×2”."""
    if isinstance(layer, LinearVolume):
        return tr("joined {arrays}", arrays=_bands(layer))
    inner = next(iter(layer.inner), None)
    if inner is not None:
        number = "1+0" if inner.level is Level.RAID1 else f"{str(inner.level).removeprefix('raid')}0"
        return f"raid{number} {len(layer.members)} × {len(inner.members)}"
    layout = layer.effective_layout or ""
    name = f"{layer.level} {_SHORT.get(layout, layout)}".strip()
    if layer.spares:
        name = ntr("{plan} + {count} spare", "{plan} + {count} spare", len(layer.spares), plan=name)
    return tr("{plan} + journal", plan=name) if layer.journal is not None else name


def _bands(volume: LinearVolume) -> str:
    """Return “raid5 ×4 + raid1 ×2”: a joined plan's arrays, in the order of its volume."""
    return " + ".join(f"{short_name(band)} ×{len(band.members)}" for band in volume.arrays)


_ARRANGEMENTS = {"n": say("near"), "f": say("far"), "o": say("offset")}


def level_name(level: str) -> str:
    """Return “RAID 5” for md's ``raid5``."""
    return tr("Linear") if level == Level.LINEAR else f"RAID {level.removeprefix('raid')}"


def long_name(layer: Layer) -> str:
    """Return “RAID 6”, “RAID 5, left-asymmetric”, “RAID 10, far, 3 copies”, “RAID 60, 2 × 12 disks”, “RAID 5 with
    1 spare”, and “Joined arrays: RAID 5 ×4 + RAID 1 ×2”.
    """
    if isinstance(layer, LinearVolume):
        arrays = " + ".join(f"{long_name(band)} ×{len(band.members)}" for band in layer.arrays)
        return tr("Joined arrays: {arrays}", arrays=arrays)
    inner = next(iter(layer.inner), None)
    if inner is not None:
        number = "1+0" if inner.level is Level.RAID1 else f"{str(inner.level).removeprefix('raid')}0"
        return tr("RAID {number}, {groups} × {disks} disks", number=number, groups=len(layer.members),
                  disks=len(inner.members))  # fmt: skip
    parts = [level_name(layer.level)]
    copies = len(layer.members) if layer.level is Level.RAID1 else 2
    if layer.level is Level.RAID10:
        copies = layer.copies.total
        parts.append(translated(_ARRANGEMENTS[layer.copies.letter]))
    elif layer.layout is not None and layer.layout != default_layout(layer.level):
        parts.append(layer.layout)
    if copies > 2:
        parts.append(ntr("{count} copy", "{count} copies", copies))
    name = with_commas(*parts)
    if layer.spares:
        name = ntr("{plan} with {count} spare", "{plan} with {count} spares", len(layer.spares), plan=name)
    return tr("{plan}, write journal", plan=name) if layer.journal is not None else name


def shape_name(layer: Layer) -> str:
    """Return “RAID 5 · 4 disks”; names that count their disks already stay as they are."""
    if isinstance(layer, LinearVolume) or layer.is_nested:
        return long_name(layer)
    return f"{long_name(layer)} · {ntr('{count} disk', '{count} disks', len(layer.members))}"


def array_name(layer: Layer) -> str:
    """Return “RAID 5, left-asymmetric · 3 disks · 256 KiB”: what tells an array from others in a comparison."""
    parts = [shape_name(layer)]
    if isinstance(layer, LinearVolume):
        return parts[0]
    if layer.effective_chunk_kib:
        parts.append(chunk_words(layer.effective_chunk_kib))
    if layer.bitmap_chunk_kib:
        parts.append(tr("bitmap of {chunk}", chunk=chunk_words(layer.bitmap_chunk_kib)))
    return " · ".join(parts)


def rare_in_brief(layer: Layer) -> str:
    """Return “bitmap internal · metadata 1.2 · no slot empty · first sync runs · not nested”."""
    if isinstance(layer, LinearVolume):
        return tr("bitmaps internal · metadata 1.2 · joined by LVM")
    parts = []
    if layer.level in (Level.RAID5, Level.RAID6):
        parts.append(tr("parity {layout}", layout=layer.effective_layout))
    if layer.level.is_redundant and not layer.is_nested:
        bitmaps = {Bitmap.INTERNAL: say("bitmap internal"), Bitmap.LOCKLESS: say("bitmap lockless")}
        words = bitmaps.get(layer.bitmap, say("no bitmap"))
        if layer.journal is not None:
            words = say("write journal")
        elif layer.consistency is Consistency.PPL:
            words = say("partial parity log")
        parts.append(translated(words))
    parts.append(tr("metadata {version}", version=layer.metadata))
    if layer.level.is_redundant and not layer.is_nested:
        empty = sum(member is None for member in layer.members)
        parts.append(ntr("{count} slot empty", "{count} slots empty", empty) if empty else tr("no slot empty"))
        parts.append(tr("no first sync") if layer.assume_clean else tr("first sync runs"))
    parts.append(tr("nested") if layer.is_nested else tr("not nested"))
    return " · ".join(parts)


_CHANGES = {
    "more-members": say("more disks"),
    "larger-members": say("larger disks"),
    "fewer-members": say("fewer disks"),
    "chunk": say("another chunk"),
    "layout": say("another layout"),
}


def change_words(change: str) -> str:
    """Return a later change for people; a level by its name."""
    if change in set(Level):
        return level_name(Level(change))
    return translated(_CHANGES.get(change, change))


def chunk_words(chunk_kib: int) -> str:
    """Return ``512 KiB``, ``2 MiB``."""
    return tr("{kib} KiB", kib=chunk_kib) if chunk_kib < 1024 else tr("{mib} MiB", mib=chunk_kib // 1024)


def remedy_in_brief(change: PlanChange) -> str:
    """Return the words on the button that makes ``change``: “Use 64 KiB”, “Keep a bitmap”."""
    match change.key, change.value:
        case "chunk_kib", int(kib):
            return tr("Use {chunk}", chunk=chunk_words(kib))
        case "bitmap_chunk_kib", int(kib):
            return tr("Use {chunk} a bit", chunk=chunk_words(kib))
        case "bitmap", _:
            return tr("Keep a bitmap")
        case "assume_clean", _:
            return tr("Let it synchronise")
    return tr("Apply")


def listed(changes: Sequence[str]) -> str:
    """Return changes as the beginning of a sentence."""
    text = with_commas(*changes)
    return text[:1].upper() + text[1:]


def unbroken(sentence: str) -> str:
    """Return ``sentence`` with its options (“--backup-file”) kept on one line."""
    return sentence.replace("-", "-\N{WORD JOINER}")


def survives(survival: Survival) -> Cell:
    """Return “any 1; 4 of 6 pairs”: the failures always survived, and the share of survived further ones."""
    most = survival.most()
    survived, ways = survival.counts(most + 1) if most >= 0 else (0, 0)
    hint = tr(
        "Disks that may fail, whichever they are: {n}. Of {ways:,} ways to lose one more, {survived:,} are safe.",
        n=most,
        ways=ways,
        survived=survived,
    )
    surely, more = any_may_fail(survival), more_survived(survival)
    return Cell(f"{surely}; {more}" if more else surely, hint=hint)


def any_may_fail(survival: Survival) -> str:
    """Return “any 2”, or “none”."""
    return tr("any {count}", count=survival.most()) if survival.most() > 0 else tr("none")


def more_survived(survival: Survival) -> str:
    """Return “4 of 6 pairs”, “78% of triples”: the share of the next failures that lose nothing; "" for none."""
    some = _next_survived(survival)
    if not some or survival.most() not in (1, 2):
        return some
    if survival.most() == 1:
        return tr("{share} of pairs", share=some) if "%" in some else tr("{share} pairs", share=some)
    return tr("{share} of triples", share=some) if "%" in some else tr("{share} triples", share=some)


def next_failures(survival: Survival) -> str:
    """Return “two at once: 4 of 6 ways are safe”, or “any three at once lose data”."""
    following = in_words(max(0, survival.most()) + 1)
    some = _next_survived(survival)
    if "%" in some:
        return tr("{number} at once: {share} of the ways are safe", number=following, share=some)
    if some:
        return tr("{number} at once: {share} ways are safe", number=following, share=some)
    return tr("any {number} at once lose data", number=following)


def _next_survived(survival: Survival) -> str:
    most = survival.most()
    survived, ways = survival.counts(most + 1) if most >= 0 else (0, 0)
    return share(survived, ways) if survived else ""
