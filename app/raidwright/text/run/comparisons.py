"""Comparisons of runs in words: the faster one, significance, and what makes them incomparable."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.analysis.comparison.conditions import Aspect, ComparisonSubject, ConditionDifference, Context
from raidwright.analysis.comparison.verdict import Comparison, Verdict
from raidwright.core.messages import say
from raidwright.runs.comparing import AgainstPrediction
from raidwright.runs.run import ArrayState
from raidwright.text.catalogue import ntr, number, tr, translated

from .measurements import STATES, workload

_ASPECTS = {
    Aspect.WORKLOAD: say("the workload"),
    Aspect.TARGET: say("the target"),
    Aspect.FILES: say("what was measured"),
    Aspect.FILE_SYSTEM: say("the file system"),
    Aspect.REGION: say("the region, MiB"),
    Aspect.OFFSET: say("where the region begins"),
    Aspect.SECONDS: say("the seconds"),
    Aspect.SHORT: say("too short a time, s"),
    Aspect.PRACTICE: say("a practice machine"),
    Aspect.SOURCE: say("who measured"),
    Aspect.FIO: say("fio"),
    Aspect.ENGINE: say("fio's engine"),
    Aspect.SYNC: say("a synchronisation under way"),
    Aspect.BUSY: say("what else went on"),
    Aspect.STEADY: say("steady to its end"),
    Aspect.IN_USE: say("mounted"),
    Aspect.FILL: say("how full it was"),
    Aspect.ARRAY: say("the array"),
    Aspect.DISKS: say("the disks"),
    Aspect.STATE: say("the array's state"),
    Aspect.MACHINE: say("the machine"),
    Aspect.KERNEL: say("the kernel"),
    Aspect.SCHEDULER: say("the scheduler"),
    Aspect.WRITE_CACHE: say("the disks' write cache"),
    Aspect.READ_AHEAD: say("read-ahead, KiB"),
    Aspect.STRIPE_CACHE: say("the stripe cache"),
    Aspect.GROUP_THREADS: say("threads for stripes"),
}
_KINDS = {
    ComparisonSubject.REPEATS: say("The same, measured again"),
    ComparisonSubject.ARRAYS: say("Two arrays"),
    ComparisonSubject.ARRAY_DISK: say("An array and a disk"),
    ComparisonSubject.CONTROLLER_MD: say("A controller's volume and md"),
    ComparisonSubject.STATES: say("Two states of the array"),
    ComparisonSubject.KERNELS: say("Two systems"),
    ComparisonSubject.SETTINGS: say("Two settings"),
    ComparisonSubject.TARGETS: say("Two targets"),
}
# A value that represents something else.
_VALUES: Mapping[tuple[Aspect, str], str] = {
    (Aspect.REGION, ""): say("all of it"),
    (Aspect.OFFSET, ""): say("the start"),
    (Aspect.FILES, "yes"): say("files"),
    (Aspect.FILES, "no"): say("the device itself"),
    (Aspect.SYNC, ""): say("none"),
    (Aspect.BUSY, ""): say("nothing known"),
    (Aspect.ARRAY, ""): say("a disk alone"),
    (Aspect.PRACTICE, "yes"): say("yes"),
    (Aspect.PRACTICE, "no"): say("no"),
    (Aspect.STEADY, "yes"): say("yes"),
    (Aspect.STEADY, "no"): say("no"),
    (Aspect.IN_USE, "yes"): say("yes"),
    (Aspect.IN_USE, "no"): say("no"),
}

_BRIEFLY = {
    Verdict.FASTER: say("faster"),
    Verdict.SLOWER: say("slower"),
    Verdict.EQUAL: say("no difference"),
    Verdict.UNKNOWN: say("can't be told"),
}


def briefly(comparison: Comparison, context: Context) -> str:
    """Return the verdict in brief."""
    return tr("not comparable") if not context.compares else translated(_BRIEFLY[comparison.verdict])


def verdict_on(comparison: Comparison, context: Context) -> str:
    """Return the verdict, of which there is none for runs that don't compare."""
    return verdict(comparison) if context.compares else tr("Not comparable")


def verdict(comparison: Comparison) -> str:
    """Return “12% faster (8% to 16%)”, “No difference beyond noise”, or the number of runs needed to tell."""
    match comparison.verdict:
        case Verdict.FASTER:
            return _faster(comparison.ratio, comparison.low, comparison.high)
        case Verdict.SLOWER:
            return tr(
                "{share} slower ({low} to {high})",
                share=_share(1 - comparison.ratio),
                low=_share(1 - comparison.high),
                high=_share(1 - comparison.low),
            )
        case Verdict.EQUAL:
            return tr("No difference beyond noise")
        case Verdict.UNKNOWN:
            return _untold(comparison)


def _faster(ratio: float, low: float, high: float) -> str:
    if ratio >= 2:
        return tr("{ratio} times as fast ({low} to {high})", ratio=factor(ratio), low=factor(low), high=factor(high))
    return tr("{share} faster ({low} to {high})", share=_share(ratio - 1), low=_share(low - 1), high=_share(high - 1))


def _untold(comparison: Comparison) -> str:
    noise = _share(comparison.noise)
    if comparison.repeats is None:
        return tr("Undecided: repeats differ by {noise}, too much to see a difference of 10%", noise=noise)
    return ntr(
        "Undecided: repeats differ by {noise}; {count} run of each would tell a tenth",
        "Undecided: repeats differ by {noise}; {count} runs of each would tell a tenth",
        comparison.repeats,
        noise=noise,
    )


def _share(share: float) -> str:
    return number(share, ".1%" if abs(share) < 0.0995 else ".0%")


def factor(ratio: float) -> str:
    """Return a ratio for a column: “1.03”, “12.4”, “150”."""
    return number(ratio, ".2f" if ratio < 9.995 else ".1f" if ratio < 99.95 else ",.0f")


def against_band(ratio: float, *, is_inside: bool) -> str:
    """Return a measured rate's position relative to the predicted range."""
    if is_inside:
        return tr("as predicted")
    return tr("faster than predicted") if ratio > 1 else tr("slower than predicted")


def beside_prediction(one: AgainstPrediction) -> str:
    """Return a measured rate's position relative to the predicted range; there is none if the run was disturbed."""
    return tr("not comparable") if one.is_disturbed else against_band(one.ratio, is_inside=one.is_inside)


def kind(context: Context) -> str:
    """Return the comparison's subject: “Two systems: the kernel (6.1 against 6.12)”; "" if incomparable without one."""
    said = translated(_KINDS[context.kind])
    if not context.subject:
        return said if context.compares else ""
    return tr("{kind}: {what:and}", kind=said, what=[difference(one) for one in context.subject])


def warning(context: Context) -> str:
    """Return the differences that make the two incomparable; "" if none is known."""
    if context.compares:
        return ""
    return tr("These don't compare: {what:and}", what=[difference(one) for one in context.warnings])


def remark(context: Context) -> str:
    """Return the differences that hardly affect the figures; "" for none."""
    if not context.remarks:
        return ""
    return tr("Also different: {what:and}", what=[difference(one) for one in context.remarks])


def assumption(comparison: Comparison) -> str:
    """Return what the interval rests on where a side has a single run; "" if both have repeats."""
    if comparison.assumed_noise is None:
        return ""
    return tr(
        "With a single run on a side the range assumes that repeats of it differ by {noise} or little more; measure "
        "again to know.",
        noise=_share(comparison.assumed_noise),
    )


def not_known(context: Context) -> str:
    """Return the conditions not recorded for both; "" for none."""
    if not context.unknown:
        return ""
    return tr("Not known of both: {what:and}", what=[translated(_ASPECTS[one]) for one in context.unknown])


def told(comparison: Comparison, context: Context) -> tuple[str, ...]:
    """Return what is said beside a verdict: its subject, what forbids or disturbs it, and what it rests on."""
    said = (kind(context), warning(context), remark(context), not_known(context), assumption(comparison))
    return tuple(filter(None, said))


def difference(one: ConditionDifference) -> str:
    """Return “the kernel (6.1 against 6.12)”."""
    first, second = (_value(one.aspect, value) for value in (one.first, one.second))
    return tr("{what} ({first} against {second})", what=translated(_ASPECTS[one.aspect]), first=first, second=second)


def _value(aspect: Aspect, value: str) -> str:
    if aspect is Aspect.WORKLOAD:
        return workload(value)
    if aspect is Aspect.STATE and value in set(ArrayState):
        return translated(STATES[ArrayState(value)])
    if aspect is Aspect.FILL:
        return number(float(value), ".0%")
    return translated(_VALUES.get((aspect, value), value))
