"""Oldest Linux and mdadm that can start an array, and the features that require them.

Sources: kernel ``md_p.h`` (``MD_FEATURE_*``, of which a kernel refuses those that it doesn't know) and ``md.c``
``super_1_load``; md(4): journal 4.4, PPL 4.12, raid0's layout 5.4; mdadm's ``super1.c`` by release (the first that
knows them); ``known`` for what is newer.

Feature bits that change while an array runs (recovery offset, reshape, bad blocks) aren't part of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.errors import PlanRefused
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Bitmap, Consistency, Layer, MdArray, Member, Metadata

from .known import BLOCK_SIZE, LINEAR_GONE, LOCKLESS_BITMAP, Kernel, kernel_of
from .layouts import Level
from .mdadm_versions import MDADM_3_4, MDADM_4_1, MDADM_4_2, MdadmVersion

BLOCK_SIZE_KERNEL: Kernel = BLOCK_SIZE.first or (6, 19)


@dataclass(frozen=True, slots=True)
class Need:
    """A feature that requires a ``kernel``, and possibly an ``mdadm``."""

    what: Message
    kernel: Kernel
    mdadm: MdadmVersion | None = None

    @property
    def kernel_text(self) -> str:
        """Return “6.18”."""
        return ".".join(map(str, self.kernel))


_BLOCK_SIZE = Need(say("The logical block size in its metadata"), BLOCK_SIZE_KERNEL)


def needs_of(layer: Layer, made_by: Kernel | None = None) -> tuple[Need, ...]:
    """Return the features of ``layer`` and its inner arrays that older versions can't start, most demanding first.

    ``made_by`` is the Linux that creates the array, and adds what that one writes by itself.
    """
    found = {need.what: need for array in layer.md_arrays() for need in _needs(array)}
    if made_by is not None and made_by >= BLOCK_SIZE_KERNEL and needs_newest_if_made_there(layer):
        found[_BLOCK_SIZE.what] = _BLOCK_SIZE
    return tuple(sorted(found.values(), key=lambda need: need.kernel, reverse=True))


def needs_newest_if_made_there(layer: Layer) -> bool:
    """True if kernels from ``BLOCK_SIZE_KERNEL`` on create ``layer`` so that older ones can't start it."""
    return any(array.metadata is not Metadata.V0_90 for array in layer.md_arrays())


def refuse_needs(layer: Layer, mdadm: MdadmVersion | None = None, kernel: Kernel | None = None) -> None:
    """Raise PlanRefused for what this mdadm, or the kernel that will run the array, doesn't support; None: no check."""
    for need in needs_of(layer):
        if mdadm is not None and need.mdadm is not None and mdadm < need.mdadm:
            raise PlanRefused(
                "{what}: that needs mdadm {least} or later, and this is {mdadm}.",
                code="mdadm-needed",
                what=need.what,
                least=str(need.mdadm),
                mdadm=str(mdadm),
            )
        if kernel is not None and kernel < need.kernel:
            raise PlanRefused(
                "{what}: that needs Linux {least} or later, and this is {kernel}.",
                code="kernel-needed",
                what=need.what,
                least=need.kernel_text,
                kernel=".".join(map(str, kernel)),
            )
    is_linear = any(array.level is Level.LINEAR for array in layer.md_arrays())
    if is_linear and kernel is not None and LINEAR_GONE.holds(kernel):
        raise PlanRefused(
            "Linux 6.8 to 6.13 can't run a linear array, and this is {kernel}. Take raid0, or joined arrays.",
            code="kernel-needed",
            kernel=".".join(map(str, kernel)),
        )


def lacks_linear(release: str) -> bool:
    """True if a kernel of ``release`` ("6.12.9-amd64") can't run a linear array; False where that is unknown."""
    return LINEAR_GONE.holds(kernel_of(release))


def _needs(array: MdArray) -> Iterator[Need]:
    if array.bitmap is Bitmap.LOCKLESS:
        yield Need(say("The lockless bitmap"), LOCKLESS_BITMAP.first or (6, 18), LOCKLESS_BITMAP.first_mdadm)
    sizes = {member.sectors for member in array.members if isinstance(member, Member)}
    if array.level is Level.RAID0 and len(sizes) > 1 and array.layout != "dangerous":
        yield Need(say("The layout of a raid0 of unlike sizes"), (5, 4), MDADM_4_2)
    if array.consistency is Consistency.PPL:
        yield Need(say("The partial parity log"), (4, 12), MDADM_4_1)
    if array.journal is not None:
        yield Need(say("The write journal"), (4, 4), MDADM_3_4)
