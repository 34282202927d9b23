"""A plan's speed in sentences: compared with one disk alone, degraded, and the rebuild's duration.

All of it follows from the predictions: a factor is rounded to halves below 3 and to whole numbers above, a share to a
common fraction, and a difference within the predictions' uncertainty is “about as fast”.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raidwright.analysis.findings.of_speed import LARGER_CACHE_PAGES
from raidwright.analysis.performance.of_plan import Performance, speeds_by_place
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.text.catalogue import decimal_size, joined, number, tr, translated, with_semicolons

from .loss import duration
from .speed import WISHED, figure_with_unit

_SLOWER, _FASTER = 0.85, 1.25  # between them: about as fast
_WHOLE_NUMBERS_FROM = 2.75
_FRACTIONS = (
    (3 / 4, say("three quarters")),
    (2 / 3, say("two thirds")),
    (1 / 2, say("half")),
    (1 / 3, say("a third")),
    (1 / 4, say("a quarter")),
    (1 / 5, say("a fifth")),
    (1 / 10, say("a tenth")),
)
_MIN_FRACTION = 0.085
_AS_MUCH = 0.95  # above this no loss is predictable
_PLAIN = frozenset({"the members", "the members' answers", "one disk's own speed"})  # limits that need no mention


def against_one_disk(plan: Plan, performance: Performance, alone: Mapping[Workload, Prediction]) -> str:
    """Return “Reads a stream about 4 times as fast as one disk and writes one about as fast. Does about 3 times …”

    ``alone`` is the best member's prediction. "" if the array has lost its data.
    """
    found = [(performance.speeds[workload].normal, alone[workload]) for workload in WISHED]
    pairs = [(array, disk) for array, disk in found if array is not None]
    if len(pairs) < len(found):
        return ""
    read, write = (_as_fast(*pair) for pair in pairs[:2])
    reads, writes = (_as_many(*pair) for pair in pairs[2:])
    streams = tr("Reads a stream {read} as one disk, and writes one {write}.", read=read, write=write)
    limits = _limits([array for array, _disk in pairs])
    if why := _why_fewer(plan, *pairs[-1]):
        small = tr(
            "Does {reads} small reads as one disk, and {writes} small writes, since {why}.",
            reads=reads,
            writes=writes,
            why=why,
        )
        limits = _limits([array for array, _disk in pairs[:-1]])
    else:
        small = tr("Does {reads} small reads as one disk, and {writes} small writes.", reads=reads, writes=writes)
    return joined(streams, small, *limits)


def by_place_words(plan: Plan) -> str:
    """Return “By place: the first 12.0 TB read 560 MB/s and write 280; the next 4.00 TB …”; "" if it isn't joined."""
    first, following = (
        say("the first {size} read {read} MB/s and write {write}"),
        say("the next {size} read {read} and write {write}"),
    )
    parts = [
        tr(
            following if place else first,
            size=decimal_size(part.array_bytes),
            read=_in_two_digits(part.read_mb_s),
            write=_in_two_digits(part.write_mb_s),
        )
        for place, part in enumerate(speeds_by_place(plan))
    ]
    return tr("Speed by a file's place: {parts}.", parts=with_semicolons(*parts)) if parts else ""


def scattered_words(scattered: Prediction | None, working_set: Prediction | None) -> str:
    """Return “Small writes all over the array: 33 IOPS.” where a bitmap slows these; "" elsewhere."""
    if scattered is None or working_set is None or scattered.mb_s > _SLOWER * working_set.mb_s:
        return ""
    return tr("Small writes all over the array: {rate}.", rate=figure_with_unit(scattered))


def scattered_hint() -> str:
    """Return why those writes are slower."""
    return tr(
        "The bar is for programs that return to the same places. A write to a place that none has written to for some "
        "seconds waits until the bitmap has it noted on the disks."
    )


def _in_two_digits(mb_s: float) -> str:
    return number(float(f"{mb_s:.2g}"), ",.0f")


def with_one_lost(plan: Plan, performance: Performance) -> str:
    """Return “With one disk lost reading suffers most: about 40% of its speed is left.”"""
    shares = {}
    for workload in WISHED:
        speeds = performance.speeds[workload]
        if speeds.normal is not None and speeds.degraded is not None:
            shares[workload] = speeds.degraded.mb_s / speeds.normal.mb_s
    if not shares:
        return tr("With one more disk lost nothing is left.") if has_gaps(plan.top) else tr(_NOTHING_LEFT)
    worst = min(shares, key=lambda workload: shares[workload])
    if shares[worst] >= _AS_MUCH:
        return tr("With one disk lost it stays about as fast.")
    return tr(_SUFFERING[worst], share=_in_twentieths(shares[worst]))


_HALF = 0.5  # of the speed: what is more isn't worth a command


def with_one_lost_and_cure(plan: Plan, performance: Performance) -> str:
    """Return the same with the command that lets a degraded array read files as before, where there is one."""
    said, read = with_one_lost(plan, performance), performance.speeds[Workload.BUFFERED_READ]
    if read.normal is None or read.degraded is None or read.degraded.limited_by != "the stripe cache":
        return said
    if read.degraded.mb_s > _HALF * read.normal.mb_s:
        return said
    command = f"raidwright tune {plan.name or 'ARRAY'} --stripe-cache-size {LARGER_CACHE_PAGES}"
    return joined(said, tr("Until it is replaced, this lets it read files as before: {command}", command=command))


_CRAWLS = 0.1  # fraction of the speed left of a single small read that waits until it is overdue


def rebuild_sentence(performance: Performance) -> str:
    """Return “A rebuild takes about 14 hours when nothing else goes on (11 to 20 hours). While …”; "" without one."""
    likely, low, high = performance.rebuild_hours, performance.rebuild_low_hours, performance.rebuild_high_hours
    if likely is None or low is None or high is None:
        return ""
    takes = tr(
        "A rebuild takes about {likely} when nothing else goes on ({range}).",
        likely=duration(likely),
        range=_hours(low, high),
    )
    stream, _write, small, _small_write = (_left_while_rebuilt(performance, workload) for workload in WISHED)
    if stream is None or small is None:
        return takes
    kept = {"stream": _share_words(stream), "small": _share_words(small)}
    if kept["stream"] == kept["small"]:
        leaves = tr("It gives way to other work, which keeps {share} of its speed meanwhile.", share=kept["stream"])
    else:
        leaves = tr(
            "It gives way to other work: meanwhile reading a stream keeps {stream} of its speed, small reads {small} "
            "of theirs.",
            **kept,
        )
    alone = _left_while_rebuilt(performance, Workload.RANDOM_READ_4K)
    if alone is not None and alone < _CRAWLS:
        leaves = joined(leaves, tr("Small reads that come one at a time wait up to half a second each."))
    return joined(takes, leaves)


def rebuild_in_brief(performance: Performance) -> str:
    """Return “Rebuild: 14 hours (11 to 20 hours).”; "" without one."""
    likely, low, high = performance.rebuild_hours, performance.rebuild_low_hours, performance.rebuild_high_hours
    if likely is None or low is None or high is None:
        return ""
    return tr("Rebuild: {likely} ({range}).", likely=duration(likely), range=_hours(low, high))


def _left_while_rebuilt(performance: Performance, workload: Workload) -> float | None:
    speeds = performance.speeds[workload]
    return speeds.rebuilding.mb_s / speeds.degraded.mb_s if speeds.rebuilding and speeds.degraded else None


def _share_words(share: float) -> str:
    """Return a share rounded to a twentieth: predictions aren't more precise."""
    if share >= _AS_MUCH:
        return tr("nearly all")
    return tr("about {share:.0%}", share=_in_twentieths(share))


def _in_twentieths(share: float) -> float:
    return max(0.01, round(share * 20) / 20)


def _hours(low: float, high: float) -> str:
    if low >= 1 and high < 48 and round(low) < round(high):
        return tr("{low:.0f} to {high:.0f} hours", low=low, high=high)
    ends = duration(low), duration(high)
    return ends[0] if ends[0] == ends[1] else tr("{low} to {high}", low=ends[0], high=ends[1])


def rests_on(members: Iterable[Member]) -> str:
    """Return the basis of these disks' predictions: baselines, or typical values of their kinds."""
    measured = {_is_measured(member) for member in members}
    if measured == {True}:
        return tr("Predicted from what was measured of these disks.")
    if True in measured:
        return tr("Predicted from what was measured of some of these disks; the others are taken as typical.")
    return tr("Predicted for typical disks of these kinds; these were not measured.")


def has_gaps(layer: Layer) -> bool:
    """Return whether a slot is empty."""
    members = layer.arrays if isinstance(layer, LinearVolume) else layer.members
    return any(has_gaps(one) if isinstance(one, MdArray) else one is None for one in members)


def _is_measured(member: Member) -> bool:
    known = member.baseline
    return known is not None and bool(known.sequential_read_mb_s and known.random_read_4k_iops)


def _as_fast(array: Prediction, disk: Prediction) -> str:
    factor = array.mb_s / disk.mb_s
    if _SLOWER <= factor < _FASTER:
        return tr("about as fast")
    if factor >= _FASTER:
        return tr("about {times:g} times as fast", times=_rounded(factor))
    return tr("about {fraction} as fast", fraction=_fraction(factor))


def _as_many(array: Prediction, disk: Prediction) -> str:
    factor = array.mb_s / disk.mb_s
    if _SLOWER <= factor < _FASTER:
        return tr("about as many")
    if factor >= _FASTER:
        return tr("about {times:g} times as many", times=_rounded(factor))
    return tr("about {fraction} as many", fraction=_fraction(factor))


def _rounded(factor: float) -> float:
    return int(factor * 2 + 0.5) / 2 if factor < _WHOLE_NUMBERS_FROM else int(factor + 0.5)


def _fraction(share: float) -> str:
    if share < _MIN_FRACTION:
        return number(max(share, 0.01), ".0%")
    return translated(min(_FRACTIONS, key=lambda one: abs(one[0] - share))[1])


def _limits(found: Iterable[Prediction]) -> list[str]:
    """Return the limits other than the disks, with their workloads; ``found`` in the order of the wishes."""
    limited: dict[Message, list[str]] = {}
    for work, one in zip(_WORK, found, strict=False):
        if one.limited_by not in _PLAIN:
            limited.setdefault(one.limited_by, []).append(translated(work))
    return [
        tr("Not the disks but {limit} limits {works:and}.", limit=translated(limit), works=tuple(works))
        for limit, works in limited.items()
    ]


def _why_fewer(plan: Plan, array: Prediction, disk: Prediction) -> str:
    """Return why small writes are fewer than one disk's; "" if they aren't, or another limit applies."""
    if array.mb_s >= _SLOWER * disk.mb_s:
        return ""
    if array.limited_by == "the bitmap":
        return tr("the bitmap has to note each place first")
    has_parity = any(one.level.parity_disks for one in plan.top.md_arrays())
    return tr("parity makes several accesses of each") if has_parity and array.limited_by in _PLAIN else ""


_WORK = (say("reading"), say("writing"), say("small reads"), say("small writes"))
_NOTHING_LEFT = say("With one disk lost nothing is left.")
_SUFFERING: Mapping[Workload, Message] = dict(
    zip(
        WISHED,
        (
            say("With one disk lost, reading suffers most: about {share:.0%} of its speed is left."),
            say("With one disk lost, writing suffers most: about {share:.0%} of its speed is left."),
            say("With one disk lost, small reads suffer most: about {share:.0%} of their speed is left."),
            say("With one disk lost, small writes suffer most: about {share:.0%} of their speed is left."),
        ),
        strict=True,
    )
)
