"""Exported playbooks and cloud-configs: every one linted or parsed, one playbook run twice, the second without changes.

The tools are installed into ``build/exports/env``, by pip; only ansible-core's own modules are used.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.system.tuning import Tuning
from raidwright.export.ansible import playbook
from raidwright.export.surroundings import Surroundings
from raidwright.lab import machine, shelf
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab
from raidwright.text.plan.exports import FORMS, ExportRequest

from ..kit import check
from ..kit.settled import SETTLED
from ..unit.test_exports import AROUND, VARIANTS, named
from .disks import members_of

_HERE = Path(__file__).parent
_PLACE = check.CHECKS.parent / "exports"
_BIN = _PLACE / "env" / "bin"
_TOOLS = ("ansible-core>=2.16,<3", "ansible-lint>=24")
_NAME = "exports-check"
_NOT_HERE = "packages,checks"  # a practice machine has no network, and no checks by itself
_CHANGED = re.compile(r"changed=(\d+)\s+unreachable=0\s+failed=0")


def main() -> int:
    """Lint all, then run one on Debian 12 and on 13; return 1 when anything is wrong."""
    check.parser("exports-check", __doc__).parse_args()
    if not (_BIN / "ansible-lint").exists():
        subprocess.run([sys.executable, "-m", "venv", _PLACE / "env"], check=True)
        subprocess.run([_BIN / "pip", "install", "--quiet", *_TOOLS], check=True)
    with check.table("exports", ("what", "holds")) as table:

        def add(what: str, faults: list[str]) -> None:
            table.add((what, not faults), "\n".join([what, *faults]), holds=not faults)

        add("ansible-lint", _lint())
        add("cloud-config", _read_cloud_configs())
        for generation in (Generation.BOOKWORM, Generation.TRIXIE):
            spec = machine.LabSpec(shelf.disks_from_text("4x20GB", at_memory_speed=True), generation)
            with machine.start(spec, name=_NAME) as lab:
                add(f"played twice on {generation}", _play(lab))
    return table.verdict(f"{table.rows} checks, {table.wrong} failed")


def _lint() -> list[str]:
    files = []
    for number, plan in enumerate(VARIANTS.values()):
        for around, surroundings in AROUND.items():
            files.append(_PLACE / f"{number}-{around.replace(' ', '-')}.yml")
            files[-1].write_text(playbook(named(plan, f"tank-{number}"), surroundings), encoding="utf-8")
    done = _tool("ansible-lint", "--offline", "-q", *map(str, files))
    print(f"ansible-lint: {len(files)} playbooks, exit {done.returncode}")
    return [done.stdout + done.stderr] if done.returncode else []


def _read_cloud_configs() -> list[str]:
    """Parse each as YAML and compare the script in it with the exported one."""
    faults = []
    for number, plan in enumerate(VARIANTS.values()):
        wanted = ExportRequest(named(plan, f"tank-{number}"))
        argv = [str(_BIN / "python"), "-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"]
        text = FORMS["cloud-init"].text(wanted)
        read = subprocess.run(argv, input=text, capture_output=True, text=True, check=True)
        config = json.loads(read.stdout)
        if config["write_files"][0]["content"] != FORMS["script"].text(wanted) or not config["runcmd"]:
            faults.append(f"cloud-config {number} carries something else")
    print(f"cloud-config: {len(VARIANTS)} read")
    return faults


_OLDER = f"""set -e; {SETTLED}
mdadm --quiet --create /dev/md/old --run --level=1 --raid-devices=2 --bitmap=none --size=4G /dev/sd[ab]
mkfs.ext4 -q /dev/md/old; udevadm settle; mdadm --quiet --stop /dev/md/old
mdadm --quiet --zero-superblock /dev/sd[ab]; wipefs --all --quiet /dev/sd[ab]; udevadm settle"""


def _play(lab: Lab) -> list[str]:
    plan = Plan(MdArray(Level.RAID10, members_of(lab), "tank", "f2", bitmap=Bitmap.INTERNAL))
    book = _PLACE / "tank.yml"
    book.write_text(playbook(plan, Surroundings(tuning=Tuning(read_ahead_kib=2048))), encoding="utf-8")
    lab.exec(["sh", "-c", _OLDER], timeout_seconds=120)
    faults, changes = [], []
    for _ in range(2):
        done = _tool("ansible-playbook", "-i", "practice,", "-c", "practice", "--skip-tags", _NOT_HERE, str(book))
        changed = _CHANGED.search(done.stdout)
        changes.append(int(changed[1]) if changed else -1)
        if not changed:
            faults.append(done.stdout + done.stderr)
    print(f"played twice: {changes} changes")
    look = "cat /sys/block/md*/md/level /sys/block/md*/queue/read_ahead_kb && mountpoint -q /srv/tank"
    look += " && [ $(stat --file-system --format=%b /srv/tank) -gt 8000000 ]"  # of 4 KiB; the older one had 1,000,000
    seen = lab.exec(["sh", "-c", look], check=False)
    if (seen.stdout.split(), seen.returncode) != ([b"raid10", b"2048"], 0):
        faults.append(f"not as planned: {seen.stdout!r}")
    return faults if changes[1] == 0 and changes[0] > 0 else [*faults, f"changes: {changes}"]


def _tool(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{_BIN}:{os.environ['PATH']}",
        "RAIDWRIGHT": str(Path(sys.executable).with_name("raidwright")),
        "RAIDWRIGHT_LAB": _NAME,
        "ANSIBLE_CONNECTION_PLUGINS": str(_HERE / "connection"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3",
        "ANSIBLE_BECOME": "0",
    }
    extra = ("-e", "ansible_become=false") if name == "ansible-playbook" else ()
    return subprocess.run(
        [_BIN / name, *extra, *words], env=environment, capture_output=True, text=True, check=False, cwd=_PLACE
    )


if __name__ == "__main__":
    sys.exit(main())
