"""Oldest Linux and mdadm that can start an array, as a sentence for the card and the report."""

from __future__ import annotations

from raidwright.core.md.known import Kernel
from raidwright.core.md.needs import BLOCK_SIZE_KERNEL, needs_newest_if_made_there, needs_of
from raidwright.core.model.plan import Layer
from raidwright.text.catalogue import tr, translated, with_semicolons


def starts_on(layer: Layer, made_by: Kernel | None = None) -> str:
    """Return the requirements, as in “Linux 6.18 and mdadm 4.6 or later (The lockless bitmap)”.

    ``made_by`` is the Linux that made the array; None if that isn't known, or it isn't made yet.
    """
    said = []
    if needs := needs_of(layer, made_by):
        first, what = needs[0], translated(needs[0].what)
        mdadm = max((need.mdadm for need in needs if need.mdadm), default=None)
        said.append(
            tr("Linux {kernel} and mdadm {mdadm} or later ({what})", kernel=first.kernel_text, mdadm=mdadm, what=what)
            if mdadm
            else tr("Linux {kernel} or later ({what})", kernel=first.kernel_text, what=what)
        )
    else:
        said.append(tr("any Linux of today"))
    if made_by is None and needs_newest_if_made_there(layer):
        kernel = ".".join(map(str, BLOCK_SIZE_KERNEL))
        said.append(tr("made by Linux {kernel} or later, on no older one than that", kernel=kernel))
    return with_semicolons(*said)
