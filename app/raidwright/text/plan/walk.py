"""The walk to a plan in words: its questions, the meaning of each choice, and the reasons for each pick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.reasons import Facet, RatioDifference
from raidwright.analysis.advice.walk import ChunkAdvice, ChunkReason, FailureChoice, Pick, PickReason, Purpose
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Layer, LinearVolume, Member
from raidwright.text.catalogue import decimal_size, joined, ntr, tr, translated
from raidwright.text.large_numbers import times_words

from .candidates import short_size
from .names import chunk_words
from .speed import counts_accesses
from .survival import in_words, share

_COUNTS = (say("None"), say("Any one"), say("Any two"), say("Any three"))
_MEANS = (
    say("Only for what you can lose: scratch space, caches."),
    say("Until a lost disk is replaced and rebuilt, a day or more, little protects you."),
    say("A second disk may fail during the rebuild. For large disks this is what experts take."),
    say("For an array that must run on where nobody replaces a disk soon."),
)
PURPOSES: Mapping[Purpose, tuple[Message, Message]] = {
    Purpose.FILES: (
        say("Media and backups"),
        say("Large files, read and written from end to end. Space and safety count most, then streaming."),
    ),
    Purpose.MACHINES: (
        say("Virtual machines, databases"),
        say("Small reads and writes all over the array, many at once. IOPS count most."),
    ),
    Purpose.MIXED: (
        say("A bit of everything"),
        say("Home directories, a file server, some of both. Nothing is given up for one thing alone."),
    ),
}
KINDS: Mapping[PickReason, Message] = {
    PickReason.OURS: say("Our pick"),
    PickReason.SPACE: say("More space"),
    PickReason.FASTER: say("Faster"),
    PickReason.SAFER: say("Safer"),
}


def failures_title(failures: int) -> str:
    """Return “Any two”."""
    return translated(_COUNTS[failures])


def failures_means(failures: int) -> str:
    """Return the meaning of surviving that number of failures."""
    return translated(_MEANS[failures])


def keeps_words(choice: FailureChoice, pool_bytes: int) -> str:
    """Return “Keeps 16.0 of 32.0 TB”, or “Keeps 16.0 TB to 24.0 TB of 32.0 TB” if layouts differ."""
    low, high = sorted((decimal_size(choice.best.array_bytes), decimal_size(choice.most_bytes)))
    if low == high:
        return tr("Keeps {size} of {whole}", size=high, whole=decimal_size(pool_bytes))
    low, high = decimal_size(choice.best.array_bytes), decimal_size(choice.most_bytes)
    return tr("Keeps {low} to {high} of {whole}", low=low, high=high, whole=decimal_size(pool_bytes))


def disks_words(pool: Iterable[Member]) -> str:
    """Return “4 × WDC WD80EFZX, 8 TB”, with sizes and models if they are few."""
    disks = tuple(pool)
    sizes = Counter(short_size(disk.size_bytes) for disk in disks)
    models = {disk.model for disk in disks}
    if len(sizes) == len(models) == 1 and (model := next(iter(models))):
        return f"{len(disks)} × {model}, {next(iter(sizes))}"
    return " + ".join(f"{count} × {size}" for size, count in sizes.items())


def may_fail(prepared: Prepared) -> str:
    """Return “any two disks may fail”, “any one disk may fail; pairs: 4 of 6”, “no disk may fail”."""
    count = prepared.survives
    if count <= 0:
        return tr("no disk may fail")
    surely = ntr("any one disk may fail", "any {number} disks may fail", count, number=in_words(count))
    survived, ways = prepared.assessment.survival.counts(count + 1)
    if count == 1 and survived:
        return tr("{surely}; pairs: {share}", surely=surely, share=share(survived, ways))
    return surely


def lacking_picks(picks: Sequence[Pick]) -> str:
    """Return why there is no pick of more space, or none that is faster; "" if there are both, or ours alone."""
    kinds = {pick.kind for pick in picks}
    if PickReason.FASTER not in kinds and len(picks) > 1:
        return tr("Nothing else that fits your answers is notably faster.")
    if PickReason.SPACE not in kinds and len(picks) > 1:
        return tr("Nothing else that fits your answers has notably more space.")
    return ""


def pick_reason(pick: Pick) -> str:
    """Return “Because …, but …”: our pick against the next one, the others against ours."""
    less = tr("Fewer disks may fail than you asked for.") if pick.is_less else ""
    if pick.against is None:
        return tr("Nothing else that meets what you asked for has more space or is faster.")
    item, other = pick.prepared, pick.against
    found = [one for one in pick.differences if not _is_said_already(one, pick.differences)]
    gains = [_difference(one, item, other) for one in found if one.better]
    if item.plan.volume and not other.plan.volume:
        gains.insert(0, _uses_all(item))
    costs = [_difference(one, item, other) for one in found if not one.better]
    gains = gains or [tr("less speaks against it")] * (len(other.telling) > len(item.telling))
    careful = joined(*(translated(finding.sentence) for finding in item.telling[:1]))
    gains = gains[:_MAX_GAINS]
    said = {"gains": tuple(gains), "costs": tuple(costs[: _MAX_REASONS - len(gains)])}
    if gains and costs:
        return joined(tr("Because {gains:and}, but {costs:and}.", **said), careful, less)
    if gains or costs:
        return joined(tr("Because {gains:and}.", **said) if gains else tr("But {costs:and}.", **said), careful, less)
    return joined(tr("Hardly different from the other."), careful, less)


def _uses_all(item: Prepared) -> str:
    """Return the reason for joined arrays."""
    if item.unused:
        return tr("it uses all of your disks that can be protected")
    return tr("it uses all of your disks")


def _is_said_already(one: RatioDifference, found: Sequence[RatioDifference]) -> bool:
    """Return True if a difference in loss only follows from a difference in survived failures."""
    return one.facet is Facet.LOSS and any(other.facet in (Facet.FAILURES, Facet.SHARE) for other in found)


def _difference(one: RatioDifference, item: Prepared, other: Prepared) -> str:
    if one.facet in (Facet.FAILURES, Facet.SHARE):
        return _failures(one, item, other)
    if one.facet in _WORK:
        work = _WORK[one.facet]
        if one.better:
            return tr("it {work} {times:.1f} times as fast", work=work, times=one.factor)
        return tr("it {work} at {share:.0%} of the speed", work=work, share=1 / one.factor)
    if one.facet is Facet.NESTED and item.plan.volume:
        return tr("it is several arrays, joined")
    better, worse = _OTHERS[one.facet]
    size = short_size(abs(item.array_bytes - other.array_bytes))
    return tr(better if one.better else worse, size=size, times=times_words(one.factor))


def _failures(one: RatioDifference, item: Prepared, other: Prepared) -> str:
    """Return “any two disks may fail, not one”; if the numbers are equal, the share of survived further failures."""
    if one.facet is Facet.SHARE:
        mine, theirs = (share(*each.assessment.survival.counts(item.survives + 1)) for each in (item, other))
        said = {"lost": in_words(item.survives + 1), "mine": mine, "theirs": theirs}
        if one.better:
            return tr("{lost} lost disks are survived more often ({mine}, not {theirs})", **said)
        return tr("{lost} lost disks are survived less often ({mine}, not {theirs})", **said)
    mine, theirs = (in_words(max(0, each.survives)) for each in (item, other))
    if item.survives <= 0:
        return tr("no disk may fail, not {theirs}", theirs=theirs)
    if one.better:
        return ntr("any {mine} disk may fail, not {theirs}", "any {mine} disks may fail, not {theirs}",
                   item.survives, mine=mine, theirs=theirs)  # fmt: skip
    return ntr("only {mine} disk may fail, not {theirs}", "only {mine} disks may fail, not {theirs}",
               item.survives, mine=mine, theirs=theirs)  # fmt: skip


_OTHERS: Mapping[Facet, tuple[Message, Message]] = {
    Facet.SPACE: (say("it has {size} more space"), say("it has {size} less space")),
    Facet.LOSS: (say("it is {times} times safer"), say("it is {times} times riskier")),
    Facet.NESTED: (say("it is one array"), say("it is arrays in arrays")),
    Facet.SCATTERED: (say("it can be reshaped later"), say("it can't be reshaped later")),
}
_MAX_GAINS, _MAX_REASONS = 2, 3  # on a card
_WORK = {
    Facet.READING: say("reads files"),
    Facet.WRITING: say("writes files"),
    Facet.RANDOM: say("does small accesses"),
    Facet.SMALL_WRITES: say("does small writes"),
}


def layout_words(layer: Layer) -> str:
    """Explain in a sentence how ``layer`` lays data out."""
    if isinstance(layer, LinearVolume):
        return tr(
            "The disks are cut into slices at each other's heights. The slices at one height are an array, and the "
            "arrays are joined to one volume, which fills one after the other."
        )
    inner = next(iter(layer.inner), None)
    if inner is not None:
        groups, disks = len(layer.members), len(inner.members)
        return joined(
            tr("The disks stand in {groups} groups of {disks}; a stripe runs over the groups.", groups=groups,
               disks=disks),
            layout_words(inner),
        )  # fmt: skip
    if layer.level is Level.RAID10:
        return tr(_COPIES[layer.copies.letter], copies=in_words(layer.copies.total))
    return translated(_LAYOUTS[layer.level])


_LAYOUTS: Mapping[Level, Message] = {
    Level.RAID0: say("Chunks go around all disks in turn. There is nothing that a lost disk could be rebuilt from."),
    Level.RAID1: say("Every disk holds everything."),
    Level.RAID4: say("Each row of chunks has a parity (P) on the last disk, from which a lost chunk is computed."),
    Level.RAID5: say(
        "Each row of chunks has one parity (P), on another disk each time: a lost chunk is computed from the others."
    ),
    Level.RAID6: say(
        "Each row of chunks has two parities (P and Q), on other disks each time: any two lost chunks are computed "
        "from the others."
    ),
    Level.LINEAR: say("One disk is filled after the other."),
}
_COPIES = {
    "n": say("Each chunk is kept {copies} times, side by side on neighbouring disks."),
    "f": say(
        "Each chunk is kept {copies} times, the further copies far in on other disks: it reads like a stripe, and can "
        "never be reshaped."
    ),
    "o": say("Each chunk is kept {copies} times, the further copies one row below on the next disk."),
}
_CHUNKS: Mapping[ChunkReason, Message] = {
    ChunkReason.NONE: say("There are no chunks to choose here."),
    ChunkReason.PARITY_FILES: say(
        "With {chunk}, files stay fast with a disk lost: md's stripe cache holds what read-ahead asks for. Larger "
        "chunks overrun it."
    ),
    ChunkReason.PARITY_SMALL: say(
        "With {chunk}, stripes are small: more writes fill one, and a write that fills its stripe reads nothing first."
    ),
    ChunkReason.STRIPES: say(
        "With {chunk}, a small access keeps one disk busy and leaves the others free, and a large file is read from "
        "all of them."
    ),
}


def chunk_reason(advice: ChunkAdvice) -> str:
    """Explain why that chunk is advised."""
    return tr(_CHUNKS[advice.reason], chunk=chunk_words(advice.chunk_kib) if advice.chunk_kib else "")


def other_chunk(chunk_kib: int | None) -> str:
    """Return the argument for a chunk other than the advised one."""
    if chunk_kib == DEFAULT_CHUNK_KIB:
        return tr("mdadm's own choice, and what most guides assume.")
    return tr("Smaller: an access spreads over more disks sooner.")


def rate(one: Prediction, figure: str) -> str:
    """Return “430 MB/s”, “530 IOPS”."""
    return tr("{figure} IOPS", figure=figure) if counts_accesses(one) else tr("{figure} MB/s", figure=figure)
