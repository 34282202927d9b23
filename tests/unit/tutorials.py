"""Create commands as pages print them: dashes, quotes, line breaks, prompts, variables, old options.

Each with its meaning: the plan that the values after it make, and the codes of its warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tutorial:
    """``shape`` are the plan's fields that aren't mdadm's defaults; ``devices`` its members, in order."""

    text: str
    shape: dict[str, object]
    devices: Sequence[str | None]
    warned: set[str] = field(default_factory=set)
    spares: list[str] = field(default_factory=list)
    left: int = 0  # commands that are left unchanged


_BCD = ["sdb", "sdc", "sdd"]
_BCDE = [*_BCD, "sde"]

TUTORIALS = {
    "long options, whole disks": Tutorial(
        "sudo mdadm --create --verbose /dev/md0 --level=1 --raid-devices=2 /dev/sdb /dev/sdc",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
        {"short-lived-names", "numbered", "whole-disk"},
    ),
    "partitions in brackets": Tutorial(
        "mdadm --create --verbose /dev/md0 --level=5 --raid-devices=4 /dev/sd[bcde]1",
        {"level": "raid5", "name": "0"},
        ["sdb1", "sdc1", "sdd1", "sde1"],
        {"single-parity"},
    ),
    "a range in brackets, sorted as a shell does": Tutorial(
        "mdadm -C /dev/md/tank -l 6 -n 4 /dev/sd[ecb-d]", {"level": "raid6", "name": "tank"}, [*_BCDE]
    ),
    "en dashes from a blog": Tutorial(
        "mdadm –create –verbose /dev/md0 –level=0 –raid-devices=2 /dev/sdb1 /dev/sdc1",
        {"level": "raid0", "name": "0"},
        ["sdb1", "sdc1"],
        {"no-redundancy"},
    ),
    "em dashes, a short option's dash kept long": Tutorial(
        "mdadm —create /dev/md0 —level=1 –n 2 /dev/sdb /dev/sdc", {"level": "raid1", "name": "0"}, ["sdb", "sdc"]
    ),
    "two en dashes in a row, and hyphens that don't break": Tutorial(
        "mdadm ––create /dev/md0 ‑‑level=1 ‑‑raid‑devices=2 /dev/sdb /dev/sdc",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
    ),
    "curly quotes": Tutorial(
        "mdadm --create “/dev/md/media” --level=’5’ --raid-devices=3 /dev/sd{b,c,d}",
        {"level": "raid5", "name": "media"},
        _BCD,
    ),
    "backslashes at the ends of lines": Tutorial(
        "mdadm --create /dev/md0 \\\n    --level=10 \\\n    --raid-devices=4 \\\n    /dev/sd{b..e}",
        {"level": "raid10", "name": "0"},
        _BCDE,
    ),
    "lines broken without a backslash, and one with a space after it": Tutorial(
        "mdadm --create /dev/md0 --level=5\n--raid-devices=3 \\ \n/dev/sdb /dev/sdc\n/dev/sdd\n",
        {"level": "raid5", "name": "0"},
        _BCD,
    ),
    "a root prompt": Tutorial(
        "# mdadm --create /dev/md0 --level=mirror --raid-devices=2 /dev/sda1 missing",
        {"level": "raid1", "name": "0"},
        ["sda1", None],
        {"degraded-start"},
    ),
    "a user's prompt with a host, and output that follows": Tutorial(
        "joe@nas:~$ sudo mdadm -C /dev/md0 -l1 -n2 /dev/sdb /dev/sdc\nmdadm: array /dev/md0 started.",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
        left=1,
    ),
    "a prompt in brackets": Tutorial(
        "[root@localhost ~]# mdadm --create /dev/md5 --level=5 --raid-devices=3 --spare-devices=1 /dev/sd{b,c,d,e}1",
        {"level": "raid5", "name": "5"},
        ["sdb1", "sdc1", "sdd1"],
        spares=["sde1"],
    ),
    "comments around it": Tutorial(
        "# Create the array\nmdadm --create /dev/md0 -l 1 -n 2 /dev/sdb /dev/sdc  # two disks\n# Then format it",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
    ),
    "variables": Tutorial(
        'DEVICE=/dev/md/data\nDISKS="/dev/sdb /dev/sdc /dev/sdd"\n'
        'mdadm --create "$DEVICE" --level 5 --raid-devices 3 ${DISKS}',
        {"level": "raid5", "name": "data"},
        _BCD,
    ),
    "a variable with brackets": Tutorial(
        "export D=/dev/sd[bc]1; mdadm -C /dev/md1 -l1 -n2 $D", {"level": "raid1", "name": "1"}, ["sdb1", "sdc1"]
    ),
    "yes into it": Tutorial(
        "yes | mdadm --create /dev/md0 --level=0 --raid-devices=2 /dev/nvme0n1 /dev/nvme1n1",
        {"level": "raid0", "name": "0"},
        ["nvme0n1", "nvme1n1"],
        {"unasked"},
    ),
    "echo y into sudo": Tutorial(
        "echo 'y' | sudo -n mdadm --create --run /dev/md0 --level=1 --raid-devices=2 /dev/xvdf /dev/xvdg",
        {"level": "raid1", "name": "0", "bitmap": "none"},
        ["xvdf", "xvdg"],
        {"unasked"},
    ),
    "old letters": Tutorial(
        "mdadm -C /dev/md0 -l5 -n4 -c64 -x1 -amd /dev/sdb1 /dev/sdc1 /dev/sdd1 /dev/sde1 /dev/sdf1",
        {"level": "raid5", "name": "0", "chunk_kib": 64},
        ["sdb1", "sdc1", "sdd1", "sde1"],
        {"bitmap-unsaid"},
        spares=["sdf1"],
    ),
    "letters in a bunch, mdadm by its path": Tutorial(
        "/sbin/mdadm -Cv /dev/md0 -l10 -n4 -pf2 /dev/sd{b,c,d,e}2",
        {"level": "raid10", "name": "0", "layout": "f2"},
        ["sdb2", "sdc2", "sdd2", "sde2"],
        {"final"},
    ),
    "names of old times": Tutorial(
        "mdadm --create /dev/md0 --auto=yes --level=raid5 --parity=ra --chunk=128 --raid-disks=3 --spare-disks=0 "
        "/dev/hda1 /dev/hdc1 /dev/hde1",
        {"level": "raid5", "name": "0", "layout": "right-asymmetric", "chunk_kib": 128},
        ["hda1", "hdc1", "hde1"],
    ),
    "options cut short": Tutorial(
        "mdadm --cre /dev/md0 --lev 6 --raid-dev 5 --meta 1.0 --lay ls /dev/sd[b-f]",
        {"level": "raid6", "name": "0", "metadata": "1.0", "layout": "left-symmetric"},
        [*_BCDE, "sdf"],
    ),
    "the array first": Tutorial(
        "mdadm /dev/md0 --create -l1 -n2 /dev/sdb /dev/sdc", {"level": "raid1", "name": "0"}, ["sdb", "sdc"]
    ),
    "metadata 0.90 to boot from": Tutorial(
        "mdadm --create /dev/md0 --level=1 --raid-devices=2 --metadata=0.90 /dev/sda1 /dev/sdb1",
        {"level": "raid1", "name": "0", "metadata": "0.90"},
        ["sda1", "sdb1"],
        {"old-metadata"},
    ),
    "assume-clean, forced": Tutorial(
        "mdadm --create /dev/md0 --assume-clean --force --level=5 --raid-devices=3 /dev/sdb /dev/sdc /dev/sdd",
        {"level": "raid5", "name": "0", "assume_clean": True},
        _BCD,
        {"assume-clean", "forced"},
    ),
    "an odd chunk": Tutorial(
        "mdadm --create /dev/md0 --level=0 --chunk=96 --raid-devices=2 /dev/sdb /dev/sdc",
        {"level": "raid0", "name": "0", "chunk_kib": 96},
        ["sdb", "sdc"],
        {"chunk-odd"},
    ),
    "a name, a bitmap, by-id": Tutorial(
        "mdadm --create /dev/md127 --name=backup --level=1 --bitmap=internal --raid-devices=2 "
        "/dev/disk/by-id/ata-WDC_WD80EFZX-68UW8N0_ZHZ00001 /dev/disk/by-id/ata-WDC_WD80EFZX-68UW8N0_ZHZ00002-part1",
        {"level": "raid1", "name": "backup", "bitmap": "internal"},
        ["ata-WDC_WD80EFZX-68UW8N0_ZHZ00001", "ata-WDC_WD80EFZX-68UW8N0_ZHZ00002-part1"],
    ),
    "sizes with letters": Tutorial(
        "mdadm --create /dev/md/s --level=10 --layout=o2 --chunk=1M --size=100G --data-offset=8M -n3 /dev/sd[bcd]",
        {
            "level": "raid10",
            "name": "s",
            "layout": "o2",
            "chunk_kib": 1024,
            "component_size_kib": 100 << 20,
            "data_offset_kib": 8192,
        },
        _BCD,
    ),
    "a journal": Tutorial(
        "mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sdb /dev/sdc /dev/sdd --write-journal /dev/nvme0n1p1",
        {"level": "raid5", "name": "0", "bitmap": "none"},
        _BCD,
        {"one-journal"},
    ),
    "what no plan keeps": Tutorial(
        "mdadm --create /dev/md0 -l1 -n2 -b internal --write-behind=256 /dev/nvme0n1 --write-mostly /dev/sdb",
        {"level": "raid1", "name": "0", "bitmap": "internal"},
        ["nvme0n1", "sdb"],
        {"not-kept"},
    ),
    "a whole page": Tutorial(
        "```bash\n$ sudo apt install mdadm\n$ lsblk\n$ sudo mdadm --create --verbose /dev/md0 --level=5 "
        "--raid-devices=3 /dev/sda /dev/sdb /dev/sdc\n$ cat /proc/mdstat\n$ sudo mkfs.ext4 -F /dev/md0\n"
        "$ sudo mdadm --detail --scan | sudo tee -a /etc/mdadm/mdadm.conf\n$ echo '/dev/md0 /mnt ext4' >> /etc/fstab\n"
        "```",
        {"level": "raid5", "name": "0"},
        ["sda", "sdb", "sdc"],
        {"single-parity"},
        left=7,
    ),
    "a pipe that follows, and an error that goes nowhere": Tutorial(
        "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sdb /dev/sdc 2>/dev/null && echo done",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
        left=1,
    ),
    "a ppl": Tutorial(
        "mdadm --create /dev/md0 -l5 -n3 -k ppl /dev/sdb /dev/sdc /dev/sdd",
        {"level": "raid5", "name": "0", "consistency": "ppl", "bitmap": "none"},
        _BCD,
    ),
    "what mdadm answers, with an apostrophe, and prose before it": Tutorial(
        "Let's make a mirror:\n\n"
        "$ sudo mdadm --create /dev/md0 --name=nas:files --level=1 --raid-devices=2 /dev/sd[bc]\n"
        "mdadm: Note: this array has metadata at the start and\n"
        "    may not be suitable as a boot device.  If you plan to\n"
        "    store '/boot' on this device please ensure that\n"
        "    your boot-loader understands md/v1.x metadata, or use\n"
        "    --metadata=0.90\n"
        "Continue creating array? y\n",
        {"level": "raid1", "name": "files", "homehost": "nas"},
        ["sdb", "sdc"],
        {"homehost"},
        left=7,
    ),
    "prose on the same line": Tutorial(
        "Then run: sudo mdadm -C /dev/md0 -l1 -n2 /dev/sdb /dev/sdc",
        {"level": "raid1", "name": "0"},
        ["sdb", "sdc"],
        left=1,
    ),
    "write-zeroes": Tutorial(
        "mdadm --create /dev/md0 --level=5 --write-zeroes --raid-devices=3 /dev/sdb /dev/sdc /dev/sdd",
        {"level": "raid5", "name": "0", "assume_clean": False},
        _BCD,
        {"not-kept"},
    ),
}

REFUSED = {
    "mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sdb /dev/sdc": "says 3 devices and names 2",
    "mdadm --create /dev/md0 --raid-devices=2 /dev/sdb /dev/sdc": "lacks --level",
    "mdadm --create /dev/md<X> --level=1 --raid-devices=2 /dev/sdb /dev/sdc": "What “<X>” stands for can't be known",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/<a> /dev/<second disk>": "What “<a>” stands for",
    "mdadm --create /dev/md0 --level=1 /dev/sdb /dev/sdc": "lacks --raid-devices",
    "mdadm --create /dev/md0 --layout=f2 --level=10 --raid-devices=2 /dev/sdb /dev/sdc": "level before “--layout=f2”",
    "mdadm --create /dev/md0 --level=7 --raid-devices=2 /dev/sdb /dev/sdc": "“7” is no level",
    "mdadm --level=1 --create /dev/md0 --raid-devices=2 /dev/sdb /dev/sdc": "--create before “--level=1”",
    "mdadm --run --create /dev/md0 --level=1 --raid-devices=2 /dev/sdb /dev/sdc": "--create before “--run”",
    "mdadm --create /dev/md0 --level=1 --level=5 --raid-devices=2 /dev/sdb /dev/sdc": "given twice",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 $DISKS": "“$DISKS”",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 $(ls /dev/sd?)": "“$(ls /dev/sd?)”",
    "mdadm --create /dev/md0 --level=1 --raid-devices=1 /dev/sd*": "--force",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sd? /dev/sdb": "“/dev/sd?”",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 sdb sdc": "“sdb”",
    "mdadm --create /dev/sdb --level=1 --raid-devices=2 /dev/sdb /dev/sdc": "“/dev/sdb” is no name",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 --foo /dev/sdb /dev/sdc": "no option “--foo”",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 --add /dev/sdb /dev/sdc": "“--add” has no place",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 --fail /dev/sdb /dev/sdc": "“--fail” has no place",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sdb /dev/sdc -e imsm": "“imsm”",
    "mdadm --create /dev/md0 --level=5 --raid-devices=3 --chunk=64KB /dev/sd[bcd]": "“64KB”",
    "mdadm --create /dev/md0 --level=5 --raid-devices=3 --a /dev/sd[bcd]": "could be",
    "mdadm --create=/dev/md0 --level=5 --raid-devices=3 /dev/sd[bcd]": "takes no value",
    "mdadm -create /dev/md0 --level=5 --raid-devices=3 /dev/sd[bcd]": "Did you mean --create?",
    'mdadm --create "/dev/md0 --level=5': "quote isn't closed",
    "mdadm --grow /dev/md0 --raid-devices=4": "“mdadm --grow /dev/md0 --raid-devices=4”",
    "mdadm -C /dev/md0 -l1 -n2 /dev/sda /dev/sdb; mdadm -C /dev/md1 -l1 -n2 /dev/sdc /dev/sdd": "2 arrays",
    "mdadm --create /dev/md0 --level=0 --raid-devices=2 --spare-devices=1 /dev/sd[bcd]": "no spares",
    "hello": "“hello”",
    "": "There is no mdadm --create command",
}
