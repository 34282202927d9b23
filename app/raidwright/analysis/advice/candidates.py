"""Candidates: every sensible plan for a pool, with all inputs of the ranking, computed once per pool.

A plan is rated by merits from 0 to 1, higher is better:

* space: the array's share of all the pool's disks;
* safety: the digits of the probability of loss within ``LOSS_YEARS``, by ``reliability`` with published assumptions.
    The array's loss counts fully and a lost sector, which costs a file, a fiftieth. Each further digit counts less
    (``tanh``: 1 in 10 is 0.32, 1 in 1000 is 0.76, 1 in a million 0.96), since beyond some of them causes that no array
    protects from dominate;
* reading, writing, random: predictions (``performance``), as shares of the fastest plan's for these disks. Where the
    host or a link is the limit, no plan nears the sum of the single disks, and shares of that would hide what differs;
* ease: 1 without complications. A warning takes half of it, a danger all of it; nested arrays take a little, disks
    left free a little more, if they were all of the pool, and scattered copies (far, offset) still more; unused space
    on members counts twice, since nothing else can use it. It has a fixed weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from math import log10, tanh

from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.findings.finding import Finding, Severity
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.errors import PlanRefused
from raidwright.core.lvm.bands import joined_plans
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Metadata, Plan

from .figures import CandidateFigures, PoolSpeeds, Predictions
from .sensible_plans import sensible_plans
from .unused import Unused, disk_sizes, unused_of

_A_SECTOR = 0.02  # relative to losing the array
_DIGITS_THAT_COUNT = 3.0
_TOLD_BY_SPACE, _TOLD_BY_SAFETY = "unequal-sizes", "no-redundancy"  # findings already covered by merits
MIN_LOSS = 1e-15  # below it losses count as equal
_DIGITS_OF_SPACE = 3  # 320 KiB of 8 TB are negligible
_A_WARNING, _A_DANGER = 1 / 2, 1.0
_ARRAYS_IN_ARRAYS, _SCATTERED_COPIES, _FREE, _LOCKED = 1 / 16, 1 / 6, 1 / 8, 1 / 4


@dataclass(frozen=True, slots=True)
class Merits:
    """Merits weighted by wishes, each from 0 to 1. Speeds are shares of the fastest plan's."""

    space: float
    safety: float
    reading: float
    writing: float
    random: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan assessed, with all inputs of the ranking that don't depend on wishes.

    Any ``survives`` disks may fail, and ``share`` (0 to 1) of the possible next failures lose nothing.
    ``speeds`` are the ``predictions`` in multiples of the mean of the pool's disks.
    ``array_loss`` and ``sector_loss`` are the likely probabilities within ``LOSS_YEARS``. ``warnings`` are the findings
    graver than a note, gravest first, without those covered by space; ``telling`` are those of them that don't apply to
    every redundant plan for these disks, so that they distinguish plans.
    ``disk_sizes`` (as in ``unused``) is empty if all the pool's disks are of one size.
    """

    assessment: Assessment
    predictions: Predictions
    speeds: PoolSpeeds
    merits: Merits
    ease: float
    array_loss: float
    sector_loss: float
    survives: int
    share: float
    can_grow: bool
    can_boot: bool
    warnings: tuple[Finding, ...] = ()
    telling: tuple[Finding, ...] = ()
    unused: tuple[Unused, ...] = ()
    disk_sizes: tuple[tuple[int, int], ...] = ()

    @property
    def plan(self) -> Plan:
        """The assessed plan."""
        return self.assessment.plan

    @property
    def array_bytes(self) -> int:
        """Usable bytes."""
        return self.assessment.capacity.array_bytes


def enumerate_plans(
    members: tuple[Member, ...], disks: Mapping[str, Disk] | None = None, *, joined: bool = False
) -> tuple[Prepared, ...]:
    """Assess every sensible plan for ``members``, once per pool. Refused plans are left out.

    ``joined`` adds those that join arrays on slices, where the sizes are so unlike that they use more of the disks.

    If disks' SMART status is FAILED, there are plans without them, too. Flash and disks that turn aren't mixed in one
    array, which would be as slow as these and as small as those.
    """
    known = disks or {}
    sound = tuple(one for one in members if not (one.id in known and known[one.id].health.failing))
    assessments = []
    pools = tuple(dict.fromkeys((*_of_one_kind(sound), *_of_one_kind(members))))
    plans = dict.fromkeys(plan for pool in pools for plan in sensible_plans(pool))
    if joined:
        plans |= dict.fromkeys(Plan(bands.plan) for pool in pools for bands in joined_plans(pool))
    for plan in plans:
        try:
            assessments.append(assess(plan, disks))
        except PlanRefused:
            continue  # disks too small for this layout: not a candidate
    from .working_out import figures_of  # noqa: PLC0415 -- the window's first list loads without numpy

    shared, figures = _shared_codes(assessments), tuple(figures_of(assessments, members))
    if not figures:
        return ()
    fastest = PoolSpeeds(*map(max, *(astuple(one.shares) for one in figures), (0.0,) * 4))
    return tuple(_prepare(one, members, shared, of, fastest) for one, of in zip(assessments, figures, strict=True))


def _of_one_kind(members: tuple[Member, ...]) -> tuple[tuple[Member, ...], ...]:
    """Return the disks that turn, and the flash, as far as there are two of them; all together if there aren't."""
    kinds = (tuple(one for one in members if one.is_flash == is_flash) for is_flash in (False, True))
    return tuple(pool for pool in kinds if len(pool) > 1) or (members,)


def _shared_codes(assessments: Iterable[Assessment]) -> frozenset[str]:
    """Return the findings' codes common to all redundant plans: they concern the disks, and distinguish no plans."""
    redundant = [one for one in assessments if one.survival.most() > 0]
    codes = [{finding.code for finding in one.findings} for one in redundant]
    return frozenset(set.intersection(*codes)) if codes else frozenset()


def _prepare(
    assessment: Assessment,
    pool: tuple[Member, ...],
    shared: frozenset[str],
    figures: CandidateFigures,
    fastest: PoolSpeeds,
) -> Prepared:
    plan, capacity, merits = assessment.plan, assessment.capacity, figures.shares.over(fastest)
    array = as_array(plan.top)
    warnings = tuple(
        finding
        for finding in assessment.findings
        if finding.severity is not Severity.NOTE and finding.code != _TOLD_BY_SPACE
    )
    telling = tuple(finding for finding in warnings if finding.code not in shared)
    pool_bytes = sum(disk.size_bytes for disk in pool)
    most = assessment.survival.most()
    survived, ways = assessment.survival.counts(most + 1)
    unused = unused_of(plan, pool)
    loss = min(1.0, figures.array_loss + _A_SECTOR * (figures.sector_loss - figures.array_loss))
    return Prepared(
        assessment=assessment,
        predictions=figures.predictions,
        speeds=figures.shares.over(PoolSpeeds(1, 1, 1, 1), len(pool)),
        merits=Merits(
            space=round(capacity.array_bytes / pool_bytes, _DIGITS_OF_SPACE),
            safety=_told_apart(tanh(-log10(max(MIN_LOSS, loss)) / _DIGITS_THAT_COUNT)),
            reading=_told_apart(merits.read),
            writing=_told_apart(merits.write),
            random=_told_apart((merits.random_read + merits.random_write) / 2),
        ),
        ease=_ease(plan, telling, unused, pool_bytes),
        array_loss=figures.array_loss,
        sector_loss=figures.sector_loss,
        survives=most,
        share=survived / ways if ways else 0.0,
        can_grow=not (array.is_nested and plan.volume is None) and _can_take_more(assessment),
        can_boot=array.level is Level.RAID1 and array.metadata in (Metadata.V1_0, Metadata.V0_90),
        warnings=warnings,
        telling=telling,
        unused=unused,
        disk_sizes=disk_sizes(plan.disks()) if len(disk_sizes(pool)) > 1 else (),
    )


def _told_apart(merit: float) -> float:
    """Round off differences due to floating point alone."""
    return round(merit, 6)


def _can_take_more(assessment: Assessment) -> bool:
    return any(item.possible for item in assessment.possibilities if item.change == "more-members")


def _ease(plan: Plan, warnings: tuple[Finding, ...], unused: tuple[Unused, ...], pool_bytes: int) -> float:
    idle = sum((_FREE if one.is_whole else _LOCKED) * one.count * one.unused_bytes for one in unused) / pool_bytes
    counted = [finding for finding in warnings if finding.code != _TOLD_BY_SAFETY]
    cares = sum(_A_DANGER if finding.severity is Severity.DANGER else _A_WARNING for finding in counted)
    cares += _ARRAYS_IN_ARRAYS * plan.top.is_nested + _SCATTERED_COPIES * has_scattered_copies(plan) + idle
    return _told_apart(max(0.0, 1 - cares))


def has_scattered_copies(plan: Plan) -> bool:
    """Return True if a raid10's copies aren't adjacent (far, offset)."""
    array = as_array(plan.top)
    return array.level is Level.RAID10 and array.copies.far > 1
