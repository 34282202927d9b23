"""Later changes of raid4, raid5 and raid6.

Sources: mdadm ``Grow.c analyse_change`` and ``impose_level``; kernel ``raid5.c`` (``check_reshape``, ``raid5_resize``,
``raid4_takeover``, ``raid5_takeover``, ``raid6_takeover``), ``raid0.c raid0_takeover_raid45``, ``raid1.c
raid1_takeover``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import RAID5_LAYOUTS, Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Consistency, MdArray

from .possibility import (
    Condition,
    Needs,
    Possibility,
    backup_file,
    chunk_up_to,
    finish,
    more_disks,
    never,
    no,
    yes,
)
from .room import NO_CACHE, TOO_SMALL, Restripe, Room, restriped_chunk, room_of

_LEVELS = ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10")
_LOGGED = say("The kernel reshapes no array with a journal or a partial parity log; take that off first.")


def parity(plan: MdArray, capacity: Capacity) -> list[Possibility]:
    """List growth, reshape and takeover changes, as far as md's stripe cache and a backup allow them."""
    array = _Parity(plan, capacity, room_of(plan, capacity), len(plan.members) - plan.level.parity_disks)
    own = (
        never(("more-members", "larger-members", "chunk", "layout"), _LOGGED)
        if array.is_logged
        else [
            array.grown(),
            yes("larger-members", say("When all members are replaced by larger ones.")),
            array.chunk(),
            array.layout(),
        ]
    )
    return own + [array.level(level) for level in _LEVELS if level != plan.level]


@dataclass(frozen=True, slots=True)
class _Parity:
    """A planned parity array, and the headroom that its reshape would have."""

    plan: MdArray
    capacity: Capacity
    room: Room
    data_disks: int

    @property
    def is_logged(self) -> bool:
        """True with a journal or a partial parity log, which rule out a reshape (``raid5.c check_reshape``)."""
        return self.plan.journal is not None or self.plan.consistency is Consistency.PPL

    @property
    def has_plain_layout(self) -> bool:
        """False for raid6 with a layout ending in -6, for which mdadm must be told the new layout."""
        return self.plan.level is not Level.RAID6 or not (self.plan.effective_layout or "").endswith("-6")

    def restriped(self, change: str, reason: Message, *conditions: Condition | None, again: str = "") -> Possibility:
        """A change that rewrites the stripes on the same number of data disks; ``again`` is the final level."""
        chunk = 2 * self.plan.effective_chunk_kib
        stripes = Restripe((self.data_disks, self.data_disks), (chunk, chunk))
        if self.is_logged:
            return no(change, _LOGGED)
        if not stripes.fits_the_cache:
            return no(change, NO_CACHE)
        if stripes.finds(self.room):
            return yes(change, reason, *conditions)
        if not stripes.fits_a_backup(2 * self.capacity.component_size_kib):
            return no(change, TOO_SMALL)
        return yes(change, reason, *conditions, backup_file(), finish(again) if again else None)

    def grown(self) -> Possibility:
        """Growth by one disk; without headroom the new disk itself holds the backup."""
        chunk = 2 * self.plan.effective_chunk_kib
        stripes = Restripe((self.data_disks, self.data_disks + 1), (chunk, chunk))
        if self.plan.level is Level.RAID6 and len(self.plan.members) >= 256:
            return no("more-members", say("raid6 takes at most 256 members."))
        if not stripes.fits_the_cache:
            return no("more-members", NO_CACHE)
        if not stripes.finds(self.room) and not stripes.fits_a_backup(2 * self.capacity.component_size_kib):
            return no("more-members", TOO_SMALL)
        return yes("more-members", say("One or several at a time."), more_disks(1), self.said_layout())

    def said_layout(self) -> Condition | None:
        """The --layout that mdadm requires for raid6 with a -6 layout."""
        if self.has_plain_layout:
            return None
        return Condition(
            Needs.LAYOUT, say("Say what becomes of the layout: --layout=preserve, or --layout=normalise."), "preserve"
        )

    def chunk(self) -> Possibility:
        """Chunk change to powers of two that divide the component size. With one data disk no data moves."""
        now = self.plan.effective_chunk_kib
        most = self.capacity.component_size_kib & -self.capacity.component_size_kib
        if self.data_disks == 1 and self.plan.level is not Level.RAID6:
            return chunk_up_to(most, now)
        found = restriped_chunk(now, most, self.data_disks, self.room, 2 * self.capacity.component_size_kib)
        return yes(found.change, found.reason, *found.conditions, self.said_layout()) if found.possible else found

    def layout(self) -> Possibility:
        """Layout change within the level."""
        if self.plan.level is Level.RAID4:
            return no("layout", say("raid4 has no other layout; as raid5 it does."))
        if self.data_disks == 1 and self.plan.level is Level.RAID5:
            return yes("layout", say("At once: on two members all layouts are alike but in name."))
        return self.restriped("layout", say("To any layout of the level."))

    def level(self, level: str) -> Possibility:
        """Change to another level."""
        if level == "raid10":
            return no(level, say("md has no way to raid10 from here."))
        rule = {Level.RAID4: self.raid4_to, Level.RAID5: self.raid5_to, Level.RAID6: self.raid6_to}[self.plan.level]
        return rule(level)

    def raid4_to(self, level: str) -> Possibility:
        """Change from raid4, whose parity is on the last disk."""
        if level == "raid0":
            return yes(level, say("At once; the parity disk is given up."))
        if level == "raid5":
            return yes(level, say("At once, with the parity staying on the last disk."))
        if level == "raid1" and len(self.plan.members) != 2:
            return no(level, say("Only with exactly two members, by way of raid5."))
        return no(level, say("Only by way of raid5."))

    def raid5_to(self, level: str) -> Possibility:
        """Change from raid5; with parity-last, raid0 and raid4 are immediate."""
        parity_last = self.plan.effective_layout == "parity-last"
        if level == "raid1":
            return self.raid5_to_raid1()
        if level == "raid6":
            return self.raid5_to_raid6(parity_last)
        given_up, moved = say("The parity disk is given up."), say("The parity moves to the last disk.")
        words = {"raid0": given_up, "raid4": moved}[level]
        if parity_last:
            return yes(level, words)
        if len(self.plan.members) == 2:
            return no(level, say("With two members only from the layout parity-last, to which --layout brings it."))
        return self.restriped(level, words, again=level)

    def raid5_to_raid1(self) -> Possibility:
        """Change from raid5 of two members, which is a mirror already."""
        if len(self.plan.members) != 2:
            return no("raid1", say("Only with exactly two members."))
        if self.plan.journal is not None:
            return no("raid1", say("The kernel makes no raid1 of an array with a journal; take that off first."))
        return yes("raid1", say("Two members hold the same already."))

    def raid5_to_raid6(self, parity_last: bool) -> Possibility:
        """Change to raid6: Q goes to the new disk; mdadm then restripes unless --layout=preserve is given."""
        if len(self.plan.members) < 3:
            return no("raid6", say("Only with three members or more; add one as raid5 first."))
        second = say("The disk takes the second parity.")
        if parity_last:
            return yes("raid6", second, more_disks(1))
        if self.plan.journal is not None:
            preserve = Condition(Needs.LAYOUT, say("With a journal only with --layout=preserve."), "preserve")
            return yes("raid6", second, more_disks(1), preserve)
        words = say(
            "The disk takes the second parity, and all stripes are laid out anew; --layout=preserve spares them that."
        )
        without_log = replace(self, plan=replace(self.plan, consistency=None))  # the partial parity log is dropped
        return without_log.restriped("raid6", words, more_disks(1))

    def raid6_to(self, level: str) -> Possibility:
        """Change from raid6."""
        if level != "raid5":
            by_way = level in ("raid0", "raid4")
            return no(level, say("Only by way of raid5.") if by_way else say("md has no way there from raid6."))
        layout = self.plan.effective_layout or ""
        if layout == "parity-last" or not self.has_plain_layout:
            return yes(level, say("At once, and one disk is set free."))
        named = None
        if layout not in RAID5_LAYOUTS:
            named = Condition(
                Needs.LAYOUT,
                say("raid5 has no such layout: say another one, like --layout=left-symmetric."),
                "left-symmetric",
            )
        return self.restriped(level, say("One disk is set free."), named, again=level)
