"""A pasted command is parsed as bash and mdadm execute it: the same superblocks, member by member."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_2
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.reading.fio_options import OPTIONS
from raidwright.reading.mdadm_reports import read_report
from raidwright.reading.pasted import plan_of, read_paste

from .mdadm_rules import refused_otherwise

SAMPLES = [
    "yes | mdadm --create --verbose /dev/md0 --level=5 --raid-devices=3 /dev/sd[a-c]",
    "mdadm -C /dev/md/tank -l10 -n4 -pf2 -c64 --run /dev/sd{d,c,b,a}",
    'D="/dev/sda /dev/sdb"; mdadm --create /dev/md1 --run --metadata=1.0 --level mirror --raid-devices 2 $D',
    "mdadm -CR /dev/md7 -l5 -n3 -x1 -amd -c128 --parity=ra /dev/sd{a..d} --size=4G",
    "mdadm --cre /dev/md2 --lev=6 --raid-dev 4 --bitmap=none --assume-clean --name=six --run \\\n /dev/sd[abcd]",
    "mdadm -C /dev/md5 -e0.90 -l1 -n3 --run /dev/sda missing /dev/sdb --size=2G",
    "mdadm -C /dev/md3 -l0 -c96 -n2 --data-offset=8M --run /dev/sdc /dev/sda",
    "mdadm -C /dev/md/wm -l1 -n3 -b internal --homehost=nas --run --failfast /dev/sdc --write-mostly /dev/sda /dev/sdb",
    "mdadm -C /dev/md/ff --name=nas:ten -l10 -n4 --failfast --bitmap=none --run /dev/sd[a-d]",
    "mdadm /dev/md9 -C -l raid4 -n 3 --run /dev/sda /dev/sdb /dev/sdc --size=1048576 -b internal",
]
_OWN = re.compile(  # each array's, or each member's, own lines
    r"\s*(?:\S+ Time|Re\w+ Offset|.*UUID|Checksum|Events|State|Device Role|Preferred Minor|Array State"
    r"|this|\d+ |Number|Name|Active Devices|Working Devices|Spare Devices|Failed Devices|Bad Block Log).*"
)
_CLEAR = """mdadm --quiet --stop --scan
mdadm --quiet --zero-superblock /dev/sd[a-d]; wipefs --all --quiet /dev/sd[a-d]; true"""
_EXAMINE = 'for disk in sda sdb sdc sdd; do echo "== $disk"; mdadm --examine /dev/$disk 2>/dev/null; done; true'
_SIZES = "for disk in sda sdb sdc sdd; do echo /dev/$disk $(blockdev --getsize64 /dev/$disk); done"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine with udev paused, since it would probe each disk each time; mdadm makes the devices itself."""
    with start(LabSpec(disks_from_text("4x8TB", at_memory_speed=True))) as machine:
        machine.exec(["bash", "-c", f"udevadm settle; udevadm control --stop-exec-queue; {_CLEAR}"])
        yield machine


def _superblocks(lab: Lab, commands: str) -> dict[str, list[str]]:
    """Return each disk's superblock after ``commands`` have made an array and it has stopped, less its own lines.

    A running array's superblocks are rewritten, and not on all disks at once.
    """
    script = f"export MDADM_NO_UDEV=1; {commands}; mdadm --quiet --stop --scan; {_EXAMINE}; {_CLEAR}"
    text = lab.exec(["bash", "-c", script]).stdout.decode()
    found = {}
    for disk, told in re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.MULTILINE | re.DOTALL):
        found[disk] = [line for line in told.splitlines() if not _OWN.fullmatch(line)]
        found[disk] += re.findall(r"^\s*Name : \S+", told, re.MULTILINE)
        found[disk] += re.findall(r"^\s*Device Role : .*", told, re.MULTILINE)
    assert set(found) == {"sda", "sdb", "sdc", "sdd"}
    return found


@pytest.mark.parametrize("text", SAMPLES)
def test_the_plan_makes_the_array_that_the_command_makes(lab: Lab, text: str) -> None:
    told = lab.exec(["bash", "-c", _SIZES]).stdout.decode()
    sizes = {path: int(size_bytes) for path, size_bytes in map(str.split, told.splitlines())}
    plan = plan_of(read_paste(text), lambda path: Member(path.removeprefix("/dev/"), sizes[path]), MDADM_4_2)
    ours = " && ".join(
        command.shell() for command in create_commands(plan, lambda member: f"/dev/{member.id}", asks=False)
    )
    theirs = _superblocks(lab, text)
    assert any(theirs.values())
    mine = _superblocks(lab, ours)
    for disk, lines in theirs.items():
        assert mine[disk] == lines, f"{disk}: {mine[disk]} is not {lines}"


_LOOK = "export MDADM_NO_UDEV=1; {made} >&2; mdadm --detail {node}; echo =====; mdadm --examine /dev/sd[abc]; {clear}"


MARKS: tuple[dict[str, tuple[str, ...]], ...] = (
    {"sdc": ("failfast",), "sda": ("write-mostly", "failfast"), "sdb": ("write-mostly", "failfast")},
    {"sda": ("write-mostly",), "sdc": (), "sdb": ()},  # as an array may become, and --create can't say it
)


@pytest.mark.parametrize("marks", MARKS)
def test_flags_and_home_host_are_what_mdadm_says_of_the_array(lab: Lab, marks: dict[str, tuple[str, ...]]) -> None:
    """And either report is parsed as the same plan, but for a mirror's slots."""
    told = lab.exec(["bash", "-c", _SIZES]).stdout.decode()
    sizes = {path.removeprefix("/dev/"): int(size_bytes) for path, size_bytes in map(str.split, told.splitlines())}
    members = tuple(Member(name, sizes[name]).flagged(flags) for name, flags in marks.items())
    plan = Plan(MdArray(Level.RAID1, members, name="tank", bitmap=Bitmap.INTERNAL, homehost="nas"))
    (command,) = create_commands(plan.top, lambda member: f"/dev/{member.id}", asks=False)
    script = _LOOK.format(made=command.shell(), node="/dev/md/tank", clear=_CLEAR)
    detail, examined = lab.exec(["bash", "-c", script]).stdout.decode().split("=====\n")
    assert "Name : nas:tank" in detail
    for report in (detail, examined):
        read = read_report(report, lambda path: sizes[path.removeprefix("/dev/")]).plan
        assert read.homehost == "nas"
        assert {disk.id: disk.flags for disk in read.disks()} == marks
    flags = [line.strip() for line in examined.splitlines() if line.strip().startswith("Flags")]
    assert sorted(flags) == sorted(f"Flags : {' '.join(marked)}" for marked in marks.values() if marked)


def test_mdadm_4_2_refuses_what_its_rules_say(lab: Lab) -> None:
    assert refused_otherwise(lab, MDADM_4_2) == []


def test_the_machines_fio_has_no_option_beyond_the_table(lab: Lab) -> None:
    told = lab.exec(["fio", "--cmdhelp=all"]).stdout.decode()
    names = {line.partition(":")[0].strip() for line in told.splitlines() if ":" in line}
    assert len(names) > 200
    assert names - OPTIONS.keys() == set()
