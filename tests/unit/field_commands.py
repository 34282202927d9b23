"""Commands in the forms of forum threads, wikis and mails, each with its expected remarks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """``words`` with the beginning of their explanations; codes of findings: ``found``, and ``not_found``."""

    text: str
    words: dict[str, str]
    found: frozenset[str] = frozenset()
    not_found: frozenset[str] = frozenset()
    is_planned: bool = True


def _said(text: str, words: dict[str, str], found: str = "", not_found: str = "", *, is_planned: bool = True) -> Said:
    return Said(text, words, frozenset(found.split()), frozenset(not_found.split()), is_planned)


_NO_ADVICE = "assume-clean maybe-recovery no-bitmap write-hole bitmap-unsaid not-kept numbered"

FIELD = {
    "made anew on overlays, by a mail to linux-raid": _said(
        "mdadm --create --assume-clean --level=6 --raid-devices=6 --size=3906887168 --chunk=512K "
        "--data-offset=254976s /dev/md0 /dev/mapper/sd{c,d,e,f,g,h}",
        {"--data-offset": "124 MiB", "--size": "3.64 TiB of each", "--chunk": "512 KiB, so 2.00 MiB of data"},
        "recovery",
        _NO_ADVICE,
    ),
    "made anew with a member missing": _said(
        "mdadm --create /dev/md0 --assume-clean -l5 -n4 -c64 -e1.2 /dev/sdb1 missing /dev/sdd1 /dev/sde1",
        {"-c64": "64.0 KiB, so 192 KiB of data in a stripe", "-l5": "any one member may fail"},
        "recovery short-lived-names",
        _NO_ADVICE,
    ),
    "made anew read-only": _said(
        "mdadm --create /dev/md1 --readonly --assume-clean --level=1 --raid-devices=2 --metadata=0.90 "
        "/dev/sda2 /dev/sdb2",
        {"--metadata": "the old format, at the end", "--readonly": "read-only"},
        "recovery",
        _NO_ADVICE,
    ),
    "made anew by force": _said(
        "echo y | mdadm --create --run --assume-clean /dev/md0 -l6 -n5 --data-offset=128M /dev/sd[a-e]3",
        {"--data-offset": "128 MiB"},
        "recovery unasked",
        _NO_ADVICE,
    ),
    "assumed clean where all is new, by a wiki": _said(
        "mdadm --create --verbose --assume-clean /dev/md0 --level=1 --raid-devices=2 /dev/sda --write-mostly /dev/sdb",
        {"--write-mostly": "md reads only when there is no other"},
        "maybe-recovery",
        "recovery assume-clean",
    ),
    "put together by force": _said(
        "mdadm --assemble --force --verbose /dev/md127 /dev/sd[bcde]1",
        {"--force": "older than the others'", "/dev/md127": "The array.", "/dev/sdb1": "may mean another disk"},
        "forced-assembly",
        is_planned=False,
    ),
    "put together by short letters": _said(
        "mdadm -Afv /dev/md0 /dev/sda1 /dev/sdb1", {"-Afv": "recorded as failed"}, "forced-assembly", is_planned=False
    ),
    "all that is there, short": _said(
        "sudo mdadm --assemble --scan --run", {"--run": "members are missing"}, "started-short", is_planned=False
    ),
    "with another name": _said(
        "mdadm -A /dev/md/data --name=data --update=name /dev/sd[ab]",
        {"--update": "another name", "--name": "Only members of the array with this name"},
        is_planned=False,
    ),
    "a disk taken out": _said(
        "mdadm /dev/md0 -f /dev/sda1 -r /dev/sda1",
        {"-f": "this device has failed", "-r": "out of the array"},
        "taken-out",
        is_planned=False,
    ),
    "a disk put in": _said("mdadm /dev/md0 -a /dev/sda1", {"-a": "Give this device"}, "added", is_planned=False),
    "a fifth disk": _said(
        "mdadm --grow /dev/md0 --raid-devices=5 --backup-file=/root/md0.bak",
        {"--raid-devices": "shall have", "--backup-file": "while it is moved"},
        "reshaped",
        is_planned=False,
    ),
    "made smaller": _said(
        "mdadm --grow /dev/md0 --size=100G", {"--size": "100 GiB of each"}, "cut-short", is_planned=False
    ),
    "its end hidden": _said("mdadm -G /dev/md0 --array-size 5860144128", {}, "cut-short", is_planned=False),
    "all of larger disks": _said(
        "mdadm --grow /dev/md0 --size=max", {"--size": "as the smallest has"}, not_found="cut-short", is_planned=False
    ),
    "resynced": _said(
        "mdadm -A /dev/md0 --update=resync /dev/sd[abc]1", {"--update": "synchronised"}, "resynced", is_planned=False
    ),
    "without its bitmap": _said(
        "mdadm --grow -b none /dev/md0", {"-b none": "none: no bitmap."}, not_found="reshaped", is_planned=False
    ),
    "its superblocks gone": _said(
        "mdadm --zero-superblock /dev/sdb1 /dev/sdc1",
        {"--zero-superblock": "nothing knows any more"},
        "erased-superblock",
        is_planned=False,
    ),
    "looked at": _said(
        "mdadm -E /dev/sd[ab]", {"-E": "Nothing is changed."}, not_found="forced-assembly", is_planned=False
    ),
    "a journal on a mirror, by linux-raid": _said(
        "mdadm -C /dev/md/journ -l1 -n2 --bitmap=none /dev/nvme0n1p3 /dev/nvme1n1p3\n"
        "mdadm -C /dev/md/tank -l5 -n4 /dev/sd[b-e] --write-journal /dev/md/journ",
        {"--write-journal": "closes the write hole"},
        "journal-array",
        "one-journal",
    ),
    "far copies, small chunks": _said(
        "mdadm --create /dev/md/fast --level=10 --layout=f2 --chunk=64 --raid-devices=4 /dev/sd[b-e]",
        {"--layout": "2 copies, far", "--chunk": "64.0 KiB; mdadm's own choice is 512 KiB"},
        "bitmap-unsaid",
    ),
    "no bitmap, to boot from": _said(
        "mdadm -C /dev/md0 -l1 -n2 -e 1.0 --bitmap=none --homehost=any /dev/sd[ab]1",
        {"-e 1.0": "reads as the file system alone", "--bitmap": "No write-intent bitmap", "--homehost": "nobody's"},
        not_found="bitmap-unsaid",
    ),
    "a policy": _said(
        "mdadm -C /dev/md0 -l5 -n3 -k ppl /dev/sd[abc]", {"-k ppl": "of raid5 alone"}, not_found="bitmap-unsaid"
    ),
    "a raid0 of unlike disks": _said(
        "mdadm -C /dev/md0 -l0 -n2 --layout=alternate --chunk=1M /dev/sd[ab]",
        {"--layout": "as since Linux 3.14", "--chunk": "2.00 MiB of data in a stripe"},
        "no-redundancy",
    ),
    "large sectors": _said(
        "mdadm -C /dev/md0 -l1 -n2 --logical-block-size=4096 /dev/sd[ab]",
        {"--logical-block-size": "no older Linux starts such an array"},
        "not-kept",
    ),
}  # fmt: skip

MISTYPED = {  # with the intended word, or the remedy
    "mdadm --create /dev/md0 --level=5 --rad-devices=3 /dev/sd[abc]": "Did you mean --raid-devices?",
    "mdadm --create /dev/md0 --levle=5 --raid-devices=3 /dev/sd[abc]": "Did you mean --level?",
    "mdadm --create /dev/md0 -level=5 --raid-devices=3 /dev/sd[abc]": "Did you mean --level=5?",
    "mdadm --create /dev/md0 --level=1 -raid-disks=2 /dev/sd[ab]": "Did you mean --raid-disks=2?",
    "mdadm –create /dev/md0 –level=1 –raid-dervices=2 /dev/sd[ab]": "Did you mean --raid-devices?",
    "mdadm --crete /dev/md0 --level=1 --raid-devices=2 /dev/sd[ab]": "Did you mean --create?",
    "mdadm --create /dev/md0 --level=1 --num-devices=2 /dev/sd[ab]": "Did you mean --raid-devices?",
    "mdadm --create /dev/md0 --level = 5 --raid-devices=3 /dev/sd[abc]": "Write --level=5.",
    "mdadm --create /dev/md0 --level=[015] --raid-devices=3 /dev/sd[abc]": "“[015]” is no level",
    "mdadm --create /dev/md0 --level=5 --raid-devices=4 /dev/sd{a-d}": "/dev/sd{a..d}",
    "mdadm --create /dev/md0 --level=5 --raid-devices=4 /dev/sd[a..d]": "/dev/sd[a-d]",
    "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sda,/dev/sdb": "no comma",
    "mdadm --create --level=1 /dev/md0 --raid-devices=2 /dev/md0 --write-mostly /dev/nvme3n1": "its own member",
    "mdadm --create /dev/md/0 --level=1 --raid-devices=2 /dev/md0 /dev/sdb": "its own member",
    "madam --create /dev/md0 --level=1 --raid-devices=2 /dev/sd[ab]": "Did you mean mdadm?",
    "mdadm --asemble --forse /dev/md0 /dev/sd[ab]": "Did you mean --assemble?",
    "mdadm --grow /dev/md0 --raid-devises=5": "Did you mean --raid-devices?",
    "mdadm /dev/md0 --manage --remvoe /dev/sdc": "Did you mean --remove?",
    "mdadm --stop $ARRAY": "“$ARRAY”",
    "mdadm": "There is no mdadm --create command",
}
