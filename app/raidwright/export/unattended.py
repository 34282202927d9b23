"""Export for automatic installation: cloud-init, which runs the script.

There is none for Debian's installer: its partman-auto-raid makes arrays of partitions that it makes itself, and takes
neither serial numbers nor layout, chunk, bitmap or name. Sources: cloud-init's module reference (it has none for md;
write_files and runcmd), ``partman-auto-raid.txt``.
"""

from __future__ import annotations

from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import tr

from .joined_script import PACKAGES as JOINED_PACKAGES
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
        f"packages: [{', '.join((*PACKAGES[surroundings.kind], *(JOINED_PACKAGES if plan.volume else ())))}]",
        "write_files:",
        f"  - path: {path}",
        '    permissions: "0700"',
        "    content: |",
        *(f"      {line}" if line else "" for line in script.rstrip("\n").split("\n")),
        "runcmd:",
        f"  - [{path}]",
    ]
    return "\n".join(lines) + "\n"
