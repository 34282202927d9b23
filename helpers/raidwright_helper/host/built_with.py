"""Parts that the running kernel was built with, by its modules and its configuration; its version doesn't say them.

Sources: kernel ``md-linear.c`` (MODULE_ALIAS "md-level--1"), ``drivers/md/Kconfig`` (MD_LLBITMAP); depmod(8).
"""

from __future__ import annotations

from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Plan

from .host import Host
from .host_facts import kernel_release

_LINEAR = b"md-level--1"
_NO_LOCKLESS = "# CONFIG_MD_LLBITMAP is not set"


def lacks_linear(host: Host) -> bool:
    """True if the running kernel has no driver of linear arrays; False where its modules aren't known."""
    folder = host.root / "lib/modules" / (kernel_release(host) or "unknown")
    lists = [folder / name for name in ("modules.alias", "modules.builtin.modinfo")]
    try:
        return not any(_LINEAR in each.read_bytes() for each in lists)
    except OSError:
        return False


def refuse_unbuilt(host: Host, plan: Plan) -> None:
    """Raise PlanRefused for what this very kernel can't run, though another of its version might."""
    release = kernel_release(host)
    if lacks_linear(host) and any(array.level is Level.LINEAR for array in plan.top.md_arrays()):
        raise PlanRefused(
            "This Linux ({kernel}) was built without linear arrays. Take raid0, or joined arrays.",
            code="kernel-needed",
            kernel=release,
        )
    if _lacks_lockless(host, release) and any(array.bitmap is Bitmap.LOCKLESS for array in plan.top.md_arrays()):
        raise PlanRefused(
            "This Linux ({kernel}) was built without lockless bitmaps. Take an internal bitmap.",
            code="kernel-needed",
            kernel=release,
        )


def _lacks_lockless(host: Host, release: str) -> bool:
    try:
        return _NO_LOCKLESS in (host.root / f"boot/config-{release}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
