"""All examined disks of an array that doesn't start: the table, and the hypotheses in the order to try them.

Every hypothesis is tried on overlays before anything is written to a disk. Those that keep the superblocks come first;
those that make lost ones anew come after them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidwright.core.errors import InputError
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.md.rescue.hypothesis import MAX_HYPOTHESES, Hypothesis, RescueReason
from raidwright.core.md.rescue.question import StripeQuestion
from raidwright.core.md.rescue.search import MAX_QUESTIONS, Evidence, Ranked, Search, shape_of
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import MdArray, Member, Metadata

from .assembled import assembled
from .made_anew import recreated, search_for
from .offsets import offsets_of
from .table import ExaminedDisk, main_array, newest_of, table_of

_RUNS = say(
    "Stop it first: this array runs, so nothing of it is tried, since what a trial reads would change meanwhile. Stop "
    "it if what it shows isn't what you look for; then list the ways again."
)


@dataclass(frozen=True, slots=True)
class Examined:
    """All examined disks: the table, the hypotheses in their order, and ``lost``, why there is none, or None.

    ``refuted`` more ways are contradicted by the disks' stripes; ``cut`` more aren't listed.
    """

    disks: tuple[ExaminedDisk, ...]
    hypotheses: tuple[Hypothesis, ...]
    lost: Message | None = None
    refuted: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """Disks to examine: superblocks by id (``found``), the same as plan members, and what is known of the array.

    ``card`` is a plan of the array (a recovery card's, an imported report's), in the order of its slots unless it says
    that the order is unknown. ``uuid`` is the array that is meant; "" for the one with the most members. ``own`` has
    the names of what disks without a superblock hold of their own; ``zero`` are those that hold nothing, where members
    hold data. Neither is a candidate, unless the stripes prove that it is a member. ``proven`` are disks of which they
    did so already, whichever the order; then no others are looked for. ``running`` are the disks that the array runs
    of: then there is nothing to try before it is stopped. ``heads`` are what begins where the members' data may begin,
    by KiB, where nothing tells that; else None.
    """

    found: Mapping[str, MemberSuperblock | None]
    disks: Mapping[str, Member]
    card: MdArray | None = None
    uuid: str = ""
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zero: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()
    running: frozenset[str] = frozenset()
    heads: Mapping[int, str] | None = None

    @property
    def array(self) -> str:
        """UUID of the array that is meant."""
        return self.uuid or main_array(self.found)

    @property
    def kept(self) -> dict[str, MemberSuperblock]:
        """The superblocks of the array that is meant."""
        return {disk: one for disk, one in self.found.items() if one and one.uuid == self.array}

    @property
    def begins(self) -> bool:
        """True if members have their superblock before the data, so that nothing on a member begins where it begins."""
        formats = {one.metadata for one in self.kept.values()} or ({self.card.metadata} if self.card else set())
        return not formats & {Metadata.V0_90, Metadata.V1_0}

    def search(self) -> Search | None:
        """Return the search for members without a superblock; raises InputError."""
        out = {*self.own, *self.zero}
        found = {disk: one for disk, one in self.found.items() if one or disk not in out}
        disks = {disk: self.disks[disk] for disk in self.found}
        search = search_for(self.kept, found, disks, self.card, self.array)
        return search.narrowed(self.proven) if search and self.proven else search

    def search_or_none(self) -> Search | None:
        """Return the search; None also where the facts don't allow one."""
        try:
            return self.search()
        except InputError:
            return None


def examine(
    found: Mapping[str, MemberSuperblock | None],
    disks: Mapping[str, Member],
    card: MdArray | None = None,
    uuid: str = "",
    running: Collection[str] = (),
) -> Examined:
    """Return the table and the hypotheses of ``Case``, without evidence from the disks' stripes."""
    return examined(Case(found, disks, card, uuid, running=frozenset(running)), Evidence())


def examined(
    case: Case, evidence: Evidence, elsewhere: Sequence[tuple[Case, Evidence]] = (), *, unlooked: int = 0
) -> Examined:
    """Return the table and the hypotheses; those that make superblocks anew in the order of the ``evidence``.

    ``elsewhere`` is the same with other data offsets, in the order to try them, and ``unlooked`` how many more may be.
    """
    kept, found = case.kept, case.found
    disks = {disk: case.disks[disk] for disk in found}
    table = tuple(table_of(found, case.array, case.own, case.zero, case.running))
    if case.running:
        return Examined(table, (), _RUNS)
    hypotheses = list(assembled(kept, found, disks))
    lost, refuted, cut = None, 0, unlooked
    for one, told in ((case, evidence), *elsewhere):
        try:
            if (search := one.search()) is not None:
                ranked = search.ranked(told, kept)
                hypotheses += _with_heads(one, _anew(search, ranked, found, disks))
                refuted, cut = refuted + ranked.refuted, cut + ranked.cut
        except InputError as error:
            lost = error.sentence
    distinct = {one.attempt.digest: one for one in reversed(hypotheses)}
    ordered = sorted(distinct.values(), key=hypotheses.index)
    cut += max(0, len(ordered) - MAX_HYPOTHESES)
    listed = tuple(ordered[:MAX_HYPOTHESES])
    return Examined(table, listed, None if listed else lost or _why_lost(kept, found), refuted, cut)


def question_of(case: Case) -> StripeQuestion | None:
    """Return the question about stripes that would tell the case's members; None if there is nothing to ask."""
    try:
        search = case.search()
        if search is None or (first := search.first()) is None:
            return None
        plan = recreated(search, first, RescueReason.ORDER, case.found, case.disks).attempt.plan
    except InputError:
        return None
    if plan is None:
        return None
    shape = shape_of(plan)
    disks = dict.fromkeys((*case.kept, *filter(None, search.known), *search.candidates))
    by_place = shape.has_places and (search.size <= MAX_QUESTIONS or shape.tells_order)
    tells = shape.positions or (shape.level is Level.RAID0 and by_place)
    orders = search.questions(has_places=by_place) if tells else ()
    heads = offsets_of(search.plan, [case.disks[disk] for disk in disks]).searched
    return StripeQuestion(tuple(disks), shape, plan.data_offset_kib or 0, orders, by_place, heads)


def _anew(
    search: Search, ranked: Ranked, found: Mapping[str, MemberSuperblock | None], disks: Mapping[str, Member]
) -> Iterator[Hypothesis]:
    if search.stated:
        yield recreated(search, search.known, search.stated, found, disks)
    is_only = len(ranked.orders) == 1 and search.stated is None and not ranked.refuted
    for order in ranked.orders:
        here = [disk or None for disk in order]
        if _is_enough(search.plan, here):
            yield recreated(search, here, RescueReason.FACTS if is_only else RescueReason.ORDER, found, disks)


def _with_heads(case: Case, hypotheses: Iterator[Hypothesis]) -> Iterator[Hypothesis]:
    """Yield the hypotheses with what begins where they have the members' data begin, if that isn't told."""
    for one in hypotheses:
        plan = one.attempt.plan
        if case.heads is None or plan is None or not plan.data_offset_kib:
            yield one
        else:
            yield replace(one, is_offset_guessed=True, begins_with=case.heads.get(plan.data_offset_kib, ""))


def _is_enough(plan: MdArray, order: Sequence[str | None]) -> bool:
    whole = replace(plan, members=(None,) * len(order))
    return array_survives(whole, [slot for slot, disk in enumerate(order) if disk is None])


def _why_lost(kept: Mapping[str, MemberSuperblock], found: Mapping[str, MemberSuperblock | None]) -> Message:
    """Return why no hypothesis is left, in a sentence with the way on."""
    if not kept and any(found.values()):
        return say(
            "None of these {disks} disks belongs to that array. Plug its disks in, or give its recovery card "
            "(--card FILE).",
            disks=len(found),
        )
    if not kept:
        return say(
            "None of these {disks} disks has a superblock of md. With the array's recovery card, or what mdadm "
            "--examine or --detail once printed of it, the superblocks can be made anew (--card FILE).",
            disks=len(found),
        )
    newest = newest_of(kept)
    here = len({one.slot for one in kept.values() if one.slot is not None})
    return say(
        "{here} of the array's {slots} members are here, and its data need more: what is on the others can't be saved "
        "without them. Look for the missing disks first.",
        here=here,
        slots=newest.slots,
    )
