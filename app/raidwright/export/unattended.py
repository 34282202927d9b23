"""Exports for automatic installation: cloud-init, which can run the script, and preseed, which can't express the plan.

Sources: cloud-init's module reference (it has none for md; write_files and runcmd), partman-auto-raid's
``partman-auto-raid.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import default_layout
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Bitmap, Metadata, Plan
from raidwright.text.catalogue import tr

from .script import build_script
from .shell import comment
from .surroundings import PACKAGES, Surroundings


def cloud_config(plan: Plan, surroundings: Surroundings) -> str:
    """Return cloud-config that installs the script and runs it at the first boot; raises as ``build_script``."""
    script = build_script(plan, surroundings)
    path = f"/usr/local/sbin/make-array-{plan.name}"
    lines = [
        "#cloud-config",
        *comment(
            tr(
                "cloud-init doesn't support md arrays, so it brings a script along and runs it once the packages are "
                "there. The disks must be attached by then."
            )
        ),
        "package_update: true",
        f"packages: [{', '.join(PACKAGES[surroundings.kind])}]",
        "write_files:",
        f"  - path: {path}",
        '    permissions: "0700"',
        "    content: |",
        *(f"      {line}" if line else "" for line in script.rstrip("\n").split("\n")),
        "runcmd:",
        f"  - [{path}]",
    ]
    return "\n".join(lines) + "\n"


def preseed(plan: Plan) -> NoReturn:
    """Raise InputError, which names the parts of the plan that Debian's installer doesn't support."""
    raise InputError(
        "Debian's installer can't be told of this array: its partman-auto-raid makes arrays of partitions that it "
        "makes itself, and doesn't support {what:and}. Take the script or cloud-init once the system is installed.",
        code="export-preseed",
        what=list(_unsayable(plan)),
    )


def _unsayable(plan: Plan) -> Iterator[Message]:
    yield say("the disks' serial numbers")
    if any(disk.partition is None for disk in plan.disks()):
        yield say("whole disks as members")
    if plan.is_nested:
        yield say("arrays of arrays")
    if plan.layout not in (None, default_layout(plan.level)):
        yield say("the layout {layout}", layout=plan.layout)
    if plan.chunk_kib:
        yield say("a chunk")
    if plan.metadata is not Metadata.V1_2:
        yield say("metadata {metadata}", metadata=plan.metadata)
    if plan.bitmap is not Bitmap.NONE:
        yield say("a bitmap")
    if flags := sorted({flag for disk in plan.disks() for flag in disk.flags}):
        yield say("{flags:and}", flags=flags)
    yield say("the array's name")
