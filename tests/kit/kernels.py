"""The Debians, and so the kernels and mdadms, that a proof runs on: the KERNEL of the Makefile names one."""

from __future__ import annotations

import os

from raidwright.core.md.mdadm_versions import MDADM_4_2, MDADM_4_4, MDADM_4_6, MdadmVersion
from raidwright.lab.image import GENERATION_VARIABLE, Generation

MDADM: dict[Generation, MdadmVersion] = {
    Generation.BOOKWORM: MDADM_4_2,
    Generation.TRIXIE: MDADM_4_4,
    Generation.FORKY: MDADM_4_6,
}
BY_MDADM = {str(version): generation for generation, version in MDADM.items()}


def tried() -> tuple[Generation, ...]:
    """Return the generation that was asked for, else those of Debian's two stable releases."""
    if asked := os.environ.get(GENERATION_VARIABLE):
        return (Generation(asked),)
    return (Generation.BOOKWORM, Generation.TRIXIE)


def mdadm_of(generation: Generation) -> str:
    """Return “mdadm 4.4”, to name a case by."""
    return f"mdadm {MDADM[generation]}"
