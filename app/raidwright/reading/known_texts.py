"""Text of other programs, recognised so that a refusal can name it and lead on.

People paste what they have: ``lsblk`` in place of ``mdadm --detail``, a benchmark in place of a report, a ZFS pool. A
reader that can't read a text asks ``known_text`` what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.messages import Message, say

_MAX_CHARACTERS = 1 << 16


class TextKind(StrEnum):
    """The kinds of text that Raidwright's readers are given."""

    REPORT = "report"
    ARRAY_LINES = "array-lines"
    COMMAND = "command"
    PLAN = "plan"
    BENCHMARK = "benchmark"
    BENCHMARK_FOR_PEOPLE = "benchmark-for-people"
    UNREAD_BENCHMARK = "unread-benchmark"
    OTHER_SYSTEM = "other-system"
    CONTROLLER = "controller"
    HEALTH = "health"
    SETTING = "setting"
    VALUES = "values"
    INSTALLER = "installer"
    KERNEL_LOG = "kernel-log"
    DEVICES = "devices"


# The form of each benchmark that isn't read, and what to give “raidwright runs import” instead.
_FOR_PEOPLE = {
    "fio": say(
        "This is what fio prints for people, or its terse form, which lack the job's options. Run fio with "
        "--output-format=json, which “raidwright runs import” reads."
    ),
    "bonnie++": say(
        "This is bonnie++'s table for people, whose figures are rounded. Give “raidwright runs import” the line with "
        "commas that bonnie++ prints below it."
    ),
    "IOzone": say(
        "This is IOzone's report for Excel alone, which doesn't say in which mode IOzone ran (O_DIRECT, fsync). Give "
        "“raidwright runs import” all that IOzone prints, from “Iozone: Performance Test” on."
    ),
}
_WAYS_OUT: Mapping[TextKind, Callable[[str], Message]] = {
    TextKind.REPORT: lambda program: say(
        "This is a report of an array ({program}): “raidwright import” makes a plan of it.", program=program
    ),
    TextKind.ARRAY_LINES: lambda program: say(
        "These are ARRAY lines ({program}), which name neither slots nor chunk. Give “raidwright import” what mdadm "
        "--detail prints of the array, or mdadm --examine of its disks.",
        program=program,
    ),
    TextKind.COMMAND: lambda program: say(
        "This is a command ({program}) and not what it prints: “raidwright explain” reads it.", program=program
    ),
    TextKind.PLAN: lambda _program: say(
        "This is a plan already: “raidwright assess” judges it, and “raidwright export” writes it in other forms."
    ),
    TextKind.BENCHMARK: lambda program: say(
        "This is what {program} measured: “raidwright runs import” reads it.", program=program
    ),
    TextKind.BENCHMARK_FOR_PEOPLE: lambda program: _FOR_PEOPLE[program],
    TextKind.UNREAD_BENCHMARK: lambda program: say(
        "This is what {program} measured. It isn't read, since it doesn't say enough of how that was done. Measure "
        "with “raidwright bench”, or with fio --output-format=json.",
        program=program,
    ),
    TextKind.OTHER_SYSTEM: lambda program: say(
        "This is of {program}, which manages its disks by itself. Raidwright reads arrays of md alone.", program=program
    ),
    TextKind.CONTROLLER: lambda program: say(
        "This is of a RAID controller or of the firmware ({program}), whose arrays aren't md's own. Raidwright reads "
        "arrays of md alone.",
        program=program,
    ),
    TextKind.HEALTH: lambda program: say(
        "This is a disk's health ({program}): “raidwright disks --health” asks the disks themselves.", program=program
    ),
    TextKind.SETTING: lambda program: say(
        "This sets something of a running array ({program}), which isn't explained here; md(4) does. “raidwright array "
        "check” and “raidwright tune” do what is usual.",
        program=program,
    ),
    TextKind.VALUES: lambda program: say(
        "These are the kernel's values of an array ({program}), without its members' places. Paste what mdadm --detail "
        "prints of it, or mdadm --examine of its disks.",
        program=program,
    ),
    TextKind.INSTALLER: lambda program: say(
        "This is a configuration ({program}), and isn't read. Write its array as an mdadm --create command and give "
        "that to “raidwright explain”.",
        program=program,
    ),
    TextKind.KERNEL_LOG: lambda _program: say(
        "These are messages of the kernel, which don't say all of an array. Paste what mdadm --detail prints of it, or "
        "mdadm --examine of its disks."
    ),
    TextKind.DEVICES: lambda program: say(
        "This is a list of devices ({program}), without md's slots, chunk and layout. Paste what mdadm --detail prints "
        "of the array, or mdadm --examine of its disks.",
        program=program,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownText:
    """The program that a text is of, and its kind."""

    program: str
    kind: TextKind

    @property
    def way_out(self) -> Message:
        """The sentence on what the text is, and where to go with it."""
        return _WAYS_OUT[self.kind](self.program)


# Signs, each found at a line's beginning, the surest first: (kind, program, expressions).
_SIGNS: tuple[tuple[TextKind, str, tuple[str, ...]], ...] = (
    (TextKind.PLAN, "Raidwright", (r'\A\s{0,80}\{(?=[^\0]*"level"[ \t]*:)(?=[^\0]*"members"[ \t]*:[ \t]*\[)',)),
    (TextKind.BENCHMARK, "fio", (r'[ \t{]*"fio version"[ \t]*:',)),
    (TextKind.BENCHMARK, "IOzone", (
        r"[ \t]*Iozone: Performance Test",
        r"[ \t]*[kK]B[ \t]+reclen[ \t]+write\b",
        r"[ \t]*Children see throughput for[ \t]",
    )),
    (TextKind.BENCHMARK, "bonnie++", (r"(?:format_version|[12]\.\d+),(?:bonnie_version,|[12]\.\d+\w?,)",)),
    (TextKind.BENCHMARK_FOR_PEOPLE, "fio", (
        r"[ \t]*\S.*: \((?:groupid|g)=\d+",
        r"[2-5];fio-",
        r"[ \t]*(?:Run status group \d|(?:READ|WRITE): (?:bw|io)=|(?:read|write) ?: ?(?:IOPS|io)=)",
        r"Jobs: \d+ \(f=\d+\)",
    )),
    (TextKind.BENCHMARK_FOR_PEOPLE, "IOzone", (r'[ \t]*"(?:Writer report|Throughput report Y-axis)',)),
    (TextKind.BENCHMARK_FOR_PEOPLE, "bonnie++", (r"[ \t]*Version[ \t]+[12]\.\d+\w?[ \t]+-+Sequential Output-+",)),
    (TextKind.UNREAD_BENCHMARK, "hdparm", (r"[ \t]*Timing (?:cached|buffered disk|buffer-cache|O_DIRECT)",)),
    (TextKind.UNREAD_BENCHMARK, "dd", (
        r"[ \t]*\d+\+\d+ \w",  # 1024+0 records in, in any language
        r"[ \t]*\d+ ?\w+[ (,].*\d [kMGT]?i?B/s[ \t]*$",  # 1048576 bytes (1.0 MB) copied, 0.1 s, 10 MB/s
        r"[ \t]*\d+ bytes transferred in ",
    )),
    (TextKind.UNREAD_BENCHMARK, "KDiskMark", (r"[ \t]*KDiskMark",)),
    (TextKind.UNREAD_BENCHMARK, "CrystalDiskMark", (
        r".{0,60}\bCrystalDiskMark \d",
        r"[ \t]*(?:SEQ|RND|Sequential|Random)[^:\n]*\(Q=[ \t]*\d+,[ \t]*T=[ \t]*\d+\)",
    )),
    (TextKind.UNREAD_BENCHMARK, "sysbench", (r"sysbench \d",)),
    (TextKind.UNREAD_BENCHMARK, "ioping", (r"--- .* ioping statistics ---",)),
    (TextKind.UNREAD_BENCHMARK, "iostat", (r"(?:Device:?|[ \t]*avg-cpu:)[ \t]+(?:rrqm/s|tps|r/s|%user)",)),
    (TextKind.UNREAD_BENCHMARK, "zpool iostat", (r"[ \t]*capacity[ \t]+operations[ \t]+bandwidth",)),
    (TextKind.OTHER_SYSTEM, "ZFS", (
        r"[ \t]*(?:pool: \S+|NAME[ \t]+STATE[ \t]+READ[ \t]+WRITE[ \t]+CKSUM)[ \t]*$",
        r"NAME[ \t]+SIZE[ \t]+ALLOC[ \t]+FREE",
        r"NAME[ \t]+USED[ \t]+AVAIL[ \t]+REFER",
        r".*\bzpool (?:create|add|attach) ",
    )),
    (TextKind.OTHER_SYSTEM, "btrfs", (
        r"Label: .*[ \t]uuid: [0-9a-f-]{36}",
        r"[ \t]*(?:Data|Metadata|System),[ \t]*(?:single|DUP|RAID\w+):",
        r"[ \t]*devid[ \t]+\d+[ \t]+size[ \t]",
        r"Overall:[ \t]*$",
        r".*\bmkfs\.btrfs ",
    )),
    (TextKind.OTHER_SYSTEM, "bcachefs", (
        r"Filesystem: [0-9a-f-]{36}[ \t]*$",
        r".*\bbcachefs format ",
    )),
    (TextKind.OTHER_SYSTEM, "LVM", (
        r"[ \t]*(?:PV[ \t]+VG[ \t]+Fmt|VG[ \t]+#PV[ \t]+#LV|LV[ \t]+VG[ \t]+Attr)",
        r"[ \t]*--- (?:Physical volume|Logical volume|Volume group)",
        r".*\blvcreate .*--type[ =]raid",
        r"\S+: \d+ \d+ (?:raid|linear|striped|mirror)\b",
    )),
    (TextKind.OTHER_SYSTEM, "Storage Spaces", (
        r".*\b(?:New-VirtualDisk|Get-PhysicalDisk|Get-StoragePool)\b",
        r"FriendlyName[ \t]+",
    )),
    (TextKind.OTHER_SYSTEM, "Solaris Volume Manager", (
        r"(?:# )?metastat\b",
        r"d\d+(?:: (?:Mirror|RAID|Submirror|Concat)| -[mr] d?\d+| \d+ \d+ c\d+t\d+)",
    )),
    (TextKind.OTHER_SYSTEM, "macOS's AppleRAID", (r".*\bdiskutil appleRAID\b",)),
    (TextKind.OTHER_SYSTEM, "SnapRAID", (
        r"(?:parity|content)[ \t]+/\S+snapraid\S*",
        r".*\bsnapraid (?:sync|scrub|fix|status)\b",
    )),
    (TextKind.OTHER_SYSTEM, "Unraid", (
        r"(?:sbName|sbNumDisks|mdState|mdNumDisks|rdevStatus\.\d+)=",  # its /proc/mdstat
    )),
    (TextKind.OTHER_SYSTEM, "FreeBSD's GEOM", (
        r".*\b(?:gmirror|gstripe|graid|graid3|gconcat) (?:label|create|status)\b",
    )),
    (TextKind.CONTROLLER, "dmraid", (
        r"no raid disks",
        r"\*.{0,3}\* (?:Group superset|Active (?:set|superset)|Set)",
        r"/dev/\S+: (?:isw|pdc|sil|nvidia|via|ddf1|jmicron|asr|hpt\w+),? ",
    )),
    (TextKind.CONTROLLER, "MegaCli or storcli", (
        r"[ \t]*(?:Adapter:?[ \t]+#?\d+|Virtual Drive:?[ \t]*\d*|Virtual Disk:[ \t])",
        r"[ \t]*(?:CLI Version = |Enclosure Device ID:|BBU status for Adapter)",
        r"[ \t]*DG/VD[ \t]+TYPE",
        r"EID:Slt[ \t]+DID",
    )),
    (TextKind.CONTROLLER, "MegaCli or storcli", (r".*\b(?:storcli|perccli|[Mm]ega[Cc]li|MegaCLI)(?:64)?[ \t]+[-/]",)),
    (TextKind.CONTROLLER, "MegaRAID", (r".*(?:MEGARC MegaRAID|MegaCLI SAS RAID|MegaRAID Configuration Utility)",)),
    (TextKind.CONTROLLER, "arcconf", (
        r"Controllers [Ff]ound: \d+",
        r"Logical (?:device|drive) information[ \t]*$",
        r"Controller [Ii]nformation[ \t]*$",
    )),
    (TextKind.CONTROLLER, "ssacli or hpacucli", (
        r".*\b(?:hpacucli|hpssacli|ssacli) ",
        r"[ \t]*(?:Smart (?:Array|HBA) \S+|[Aa]rray [A-Z]\b|MSA\S*) .*(?:in Slot|\(|$)",
        r"[ \t]*(?:logicaldrive \d+|physicaldrive \S+) .*(?:\(|$)",
        r"[ \t]*array [A-Z][ \t]*$",
    )),
    (TextKind.CONTROLLER, "cciss_vol_status", (
        r"/dev/\S+: \(Smart Array",
        r"/dev/\S+: \([A-Z].*RAID \d",
        r"cciss\d+: HP ",
        r"cciss_vol_status version",
    )),
    (TextKind.CONTROLLER, "tw_cli", (
        r"(?:Unit[ \t]+UnitType|V?Port[ \t]+Status[ \t]+Unit|Ctl[ \t]+Model|/c\d+[ \t]|Name[ \t]+OnlineState)",
        r"[ \t]*[up]\d+[ \t]+\S.*(?:OK|DEGRADED|NOT-PRESENT|RAID-\d+)",
    )),
    (TextKind.CONTROLLER, "mpt-status", (
        r"log_id \d",
        r"ioc:?\d+ (?:vol_id|phy|scsi_id)",
        r".*\bmpt-status\b",
    )),
    (TextKind.CONTROLLER, "Areca's cli64", (
        r"[ \t]*# (?:Name|Ch#|Enc#|Ch)[ \t]",
        r".*\bareca\b",
        r".*\bcli64 ",
        r"[ \t]*\d+[ \t]+Raid Set #",
    )),
    (TextKind.CONTROLLER, "sas2ircu", (
        r".*SAS[23] IR Configuration Utility",
        r"IR Volume information",
        r"Controller type[ \t]+: SAS",
    )),
    (TextKind.CONTROLLER, "mvcli", (
        r".*\bmvcli ",
        r"(?:> )?(?:smart|info) -",
        r"Virtual Disk Information",
        r"Adapter ID:",
        r"VD ID\b",
        r"id:[ \t]+\d+[ \t]*$",
    )),
    (TextKind.CONTROLLER, "AACRAID, ServeRAID, ICP or DPT", (
        r"AFA\d*> ",
        r".*ServeRAID controller",
        r".*Disk Array Controller Information",
        r"Adaptec I2O RAID",
        r"Driver Parameters:",
        r".*Host Drive",
    )),
    (TextKind.HEALTH, "smartctl", (
        r"[ \t]*(?:smartctl \d|=== START OF|SMART (?:overall-health|Health Status)|ID#[ \t]+ATTRIBUTE_NAME)",
        r"Log Sense failed",
        r'[ \t{]*"(?:smartctl|ata_smart_attributes|smart_status)"[ \t]*:',
        r"Smart Info[ \t]*$",
    )),
    (TextKind.HEALTH, "nvme", (r"Smart Log for NVME device",)),
    (TextKind.REPORT, "mdadm --detail", (r"[ \t]*(?:Raid Level :|Raid Devices :|MD_LEVEL=)",)),
    (TextKind.REPORT, "/proc/mdstat", (
        r"Personalities :",
        r"md\w+ : (?:active|inactive) ",
    )),
    (TextKind.ARRAY_LINES, "mdadm --detail --scan, mdadm.conf", (r"ARRAY[ \t]+(?:/dev/|<ignore>|metadata=|UUID=)",)),
    (TextKind.INSTALLER, "Anaconda's kickstart", (
        r"raid[ \t]+(?:/\S*|swap|pv\.\S+|None)[ \t]+.*--device=",
        r"part(?:ition)?[ \t]+raid\.",
    )),
    (TextKind.INSTALLER, "Debian's preseed", (r"d-i[ \t]+partman-auto",)),
    (TextKind.INSTALLER, "raidtools, mdadm's predecessor", (
        r".*\b(?:mkraid|raidstart|raidhotadd)[ \t]+(?:-|/dev/md)",
        r"[ \t]*raiddev[ \t]+/dev/md",
    )),
    (TextKind.INSTALLER, "NixOS disko", (r'.*\btype[ \t]*=[ \t]*"(?:mdraid|mdadm)"',)),
    (TextKind.INSTALLER, "NixOS", (r"[ \t]*boot\.(?:swraid|initrd\.(?:mdadmConf|services\.swraid))",)),
    (TextKind.INSTALLER, "Ansible", (
        r"[ \t]*(?:- )?(?:\w+\.)*(?:mdadm_arrays|raid_arrays|storage_pools|storage_volumes|raid_level):",
        r"[ \t]*(?:- )?(?:\w+\.)*mdadm:[ \t]*(?:$|\w+=)",  # no message of mdadm's own: “mdadm: cannot open”
    )),
    (TextKind.INSTALLER, "curtin or subiquity", (r".*\b(?:type: raid\b|raidlevel:)",)),
    (TextKind.INSTALLER, "Butane or Ignition", (
        r"[ \t]*raid:[ \t]*$",
        r'[ \t]*"raid"[ \t]*:[ \t]*\[',
    )),
    (TextKind.DEVICES, "mdadm --query", (
        r"/dev/\S+: (?:[\d.]+[KMGT]iB \w+ \d+ devices?,|is not an md array|device \d+ in \d+ device )",
    )),
    (TextKind.VALUES, "/sys/block/md0/md", (
        r"(?:/sys/(?:devices/virtual/)?block/md\w+/md/)?(?:array_state|raid_disks|component_size|metadata_version):",
    )),
    (TextKind.COMMAND, "mdadm", (r"(?:.*[^\w=:-]|)mdadm[ \t]+(?:-\S|/dev/)",)),
    (TextKind.SETTING, "md's files in /sys and /proc", (
        r".*/sys/(?:devices/virtual/)?block/md\w+/",
        r".*/proc/sys/dev/raid/speed_limit",
        r".*\bdev\.raid\.speed_limit_",
    )),
    (TextKind.KERNEL_LOG, "dmesg", (r"(?:\[[ \t]*\d+\.\d+\] |.*\bkernel: ).*\b(?:md|raid)",)),
    (TextKind.DEVICES, "lsblk", (
        r"NAME[ \t].*\b(?:MAJ:MIN|FSTYPE|FSVER|SIZE|TYPE|MOUNTPOINTS?)\b",
        r'[ \t{]*"blockdevices"[ \t]*:',
        r'NAME="[^"]*" ',
    )),
    (TextKind.DEVICES, "blkid", (
        r'/dev/\S+: (?:.*[ \t])?(?:UUID|LABEL|PTUUID|TYPE|PARTUUID|PARTLABEL|UUID_SUB)="',
        r"(?:DEVNAME|ID_FS_\w+)=",
    )),
    (TextKind.DEVICES, "fdisk", (
        r"Disk(?: model|identifier)? ?/dev/\S+",
        r"Disk /dev/",
        r"\S+ /dev/[^\s:]+ ?: [\d.,]+ [KMGT]iB, \d+ \w+",  # in any language
        r"[ \t]*Device[ \t]+(?:Boot[ \t]+)?Start[ \t]+End",
        r"Unpartitioned space",
        r"label: (?:gpt|dos)[ \t]*$",
        r"# partition table of ",
        r"Number[ \t]+Start\b",
    )),
    (TextKind.DEVICES, "df", (
        r"(?:Filesystem|Sys\. de fichiers|Dateisystem|S\.ficheros)[ \t].*(?:blocks?|Size|Used)",
    )),
    (TextKind.DEVICES, "fstab", (
        r"(?:UUID=|LABEL=|/dev/)\S+[ \t]+(?:/\S*|none|swap)[ \t]+\w+[ \t]+\S+[ \t]+\d[ \t]+\d",
    )),
    (TextKind.DEVICES, "mount", (
        r"\S+ on /.* (?:type \w+ )?\(",
        r"TARGET[ \t]+SOURCE[ \t]+FSTYPE",
    )),
    (TextKind.DEVICES, "/proc/partitions", (r"major minor[ \t]+#blocks",)),
    (TextKind.DEVICES, "lsraid", (r"\[dev[ \t]+\d+,[ \t]*\d+\] /dev/",)),
    (TextKind.DEVICES, "lsscsi", (r"\[[0-9N]+:\d+:\d+:\d+\][ \t]+(?:disk|storage|cd/dvd|enclosu|process)",)),
    (TextKind.DEVICES, "nvme list", (r"Node[ \t]+(?:Generic[ \t]+)?SN[ \t]+Model",)),
    (TextKind.DEVICES, "inxi", (
        r"[ \t]*(?:RAID:[ \t]+)?Device-\d+: md\w+ type: mdadm",
        r"(?:Drives|RAID):[ \t]*$",
    )),
    (TextKind.DEVICES, "lshw", (r"[ \t]*\*-(?:disk|volume|raid)\b",)),
)  # fmt: skip
_COMPILED = tuple(
    (kind, program, re.compile(rf"^(?:{'|'.join(signs)})", re.MULTILINE)) for kind, program, signs in _SIGNS
)


def known_text(text: str, but: Collection[TextKind] = ()) -> KnownText | None:
    """Return what ``text`` is, None if nothing in it is known; kinds of ``but``, which its reader looked for, aside."""
    start = text[:_MAX_CHARACTERS].lstrip("\ufeff")
    signs = ((kind, program, sign) for kind, program, sign in _COMPILED if kind not in but)
    return next((KnownText(program, kind) for kind, program, sign in signs if sign.search(start)), None)
