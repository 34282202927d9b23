"""Texts of other programs, as people paste them: named for what they are, with the way on. Excerpts of public ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.reading.known_texts import TextKind, known_text
from raidwright.reading.mdadm_reports import read_report
from raidwright.reading.pasted import read_paste
from raidwright.reading.plans import loads_plan
from raidwright.runs.imports.files import runs_in

_LSBLK = """NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
fd0      2:0    1  1.4M  0 disk
sda      8:0    0   20G  0 disk
"""
_LSBLK_F = """NAME FSTYPE LABEL UUID MOUNTPOINT
sda linux_raid_member mdadmwrite:0 bf7a711b-b3aa-9440-40d2-c12e79824706
sdb linux_raid_member mdadmwrite:0 bf7a711b-b3aa-9440-40d2-c12e79824706
"""
_LSBLK_J = (
    '{\n   "blockdevices": [\n      {"name":"sda", "maj:min":"8:0", "rm":false, "size":"20G", "type":"disk"}\n   ]\n}\n'
)
_BLKID = (
    '/dev/sde1: UUID="519f7038-2bfe-d51e-42cb-ce1c30127df3" UUID_SUB="8c577c73-7874-cc59-8c3e-4af69b60f1ca" '
    'LABEL="devops-PC:6" TYPE="linux_raid_member" PARTUUID="692e402e-6a02-6049-8522-2e734dadac9c"\n'
)
_SFDISK = """Disk /dev/sda: 20 GiB, 21474836480 bytes, 41943040 sectors
Device     Boot   Start      End  Sectors Size Id Type
/dev/sda1  *       2048  2099199  2097152   1G 83 Linux
"""
_ZPOOL = """  pool: tank
 state: ONLINE
 scan: scrub repaired 0 in 1h8m with 0 errors on Sun Dec  2 01:08:26 2012
config:

        NAME          STATE     READ WRITE CKSUM
        pool          ONLINE       0     0     0
          raidz1-0    ONLINE       0     0     0
"""
_BTRFS = """Label: 'data'  uuid: 3b4b0d5e-5c25-4c0b-9d7c-0b5b5c1a3f21
\tTotal devices 2 FS bytes used 1.21TiB
\tdevid    1 size 3.64TiB used 1.25TiB path /dev/sda
"""
_LVS = (
    "  LV   VG  Attr       LSize   Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert\n  lv   vg  rwi-a-r--- 100.00g\n"
)
_MEGACLI = (
    "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nRAID Level : Primary-5, Secondary-0\n"
)
_STORCLI = "CLI Version = 007.1504.0000.0000 June 22, 2020\nOperating system = Linux 5.4.0-42-generic\nController = 0\n"
_HPACUCLI = "Smart HBA H244br in Slot 0 (Embedded)\n   array A\n      logicaldrive 1 (838.3 GB, RAID 1, OK)\n"
_TW_CLI = "Port   Status  Unit   Size        Blocks        Serial\np0     OK      u0     931.51 GB   1953525168    X\n"
_DMRAID = "*** Group superset .ddf1_disks\n--> Active Subset\nname   : ddf1_all\nsize   : 1953253376\nstride : 128\n"
_SMARTCTL = (
    "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0-28-amd64] (local build)\n=== START OF INFORMATION SECTION ===\n"
)
_SMARTCTL_J = (
    '{\n  "json_format_version": [1, 0],\n  "smartctl": {"version": [7, 3]},\n  "smart_status": {"passed": true}\n}\n'
)
_FIO_TEXT = "randread: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, ioengine=libaio, iodepth=32\nfio-3.33\n"
_FIO_JSON = '{\n  "fio version" : "fio-3.42-6-g219f",\n  "timestamp" : 1783516429,\n  "jobs" : []\n}\n'
_HDPARM = "/dev/sda2:\n Timing buffered disk reads: 510 MB in  3.01 seconds = 169.62 MB/sec\n"
_DD = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.43328 s, 198 MB/s\n"
_KDISKMARK = """KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark
[Read]
Sequential   1 MiB (Q=  8, T= 1):   552.201 MB/s [    539.3 IOPS]
"""
_BONNIE = "Version  2.00       ------Sequential Output------ --Sequential Input- --Random-\n"
_SCAN = (
    "ARRAY /dev/md127 level=raid0 num-devices=3 metadata=1.2 name=\"ip-172-31-25-105:'GOAT-data'\" "
    "UUID=2d08b310:fd13bd21:bc2417a4:56a1ec57\n   devices=/dev/xvdb,/dev/xvdc,/dev/xvdd\n"
)
_KICKSTART = """part raid.713 --fstype="mdmember" --ondisk=sdb --size=18940
raid / --device=root --fstype="xfs" --level=RAID1 raid.707 raid.713
"""
_DISKO = """  raid_data = {
    content = {
      type = "mdraid";
      name = "raid_data";
    };
  };
"""
_NIXOS = (
    'boot.initrd.mdadmConf = "ARRAY /dev/md0 metadata=1.2 name=nixos:0 UUID=c5cb0286:a9a92645:2a354d88:941aa36d";\n'
)
_PRESEED = (
    "d-i partman-auto/method string raid\nd-i partman-auto-raid/recipe string 1 2 0 ext4 / /dev/sda1#/dev/sdb1 .\n"
)
_ANSIBLE = """- hosts: storage
  vars:
    mdadm_arrays:
      - name: md0
        devices: [/dev/sdb, /dev/sdc]
        level: 1
"""
_CURTIN = "storage:\n  config:\n    - id: mddevice\n      name: md0\n      type: raid\n      raidlevel: 1\n"
_DMESG = (
    "[    2.113450] md/raid1:md0: active with 2 out of 2 mirrors\n[    2.113470] md0: detected capacity change from 0\n"
)
_RAIDTAB = "raiddev /dev/md0\n    raid-level 1\n    nr-raid-disks 2\n"
_MDSTAT = "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      976630464 blocks super 1.2 [2/2] [UU]\n"

KNOWN: list[tuple[str, str, TextKind]] = [
    (_LSBLK, "lsblk", TextKind.DEVICES),
    (_LSBLK_F, "lsblk", TextKind.DEVICES),
    (_LSBLK_J, "lsblk", TextKind.DEVICES),
    (_BLKID, "blkid", TextKind.DEVICES),
    (_SFDISK, "fdisk", TextKind.DEVICES),
    (_ZPOOL, "ZFS", TextKind.OTHER_SYSTEM),
    (_BTRFS, "btrfs", TextKind.OTHER_SYSTEM),
    (_LVS, "LVM", TextKind.OTHER_SYSTEM),
    (_MEGACLI, "MegaCli or storcli", TextKind.CONTROLLER),
    (_STORCLI, "MegaCli or storcli", TextKind.CONTROLLER),
    (_HPACUCLI, "ssacli or hpacucli", TextKind.CONTROLLER),
    (_TW_CLI, "tw_cli", TextKind.CONTROLLER),
    (_DMRAID, "dmraid", TextKind.CONTROLLER),
    (_SMARTCTL, "smartctl", TextKind.HEALTH),
    (_SMARTCTL_J, "smartctl", TextKind.HEALTH),
    (_FIO_TEXT, "fio", TextKind.BENCHMARK_FOR_PEOPLE),
    ("Run status group 0 (all jobs):\n   READ: bw=119MiB/s (125MB/s)\n", "fio", TextKind.BENCHMARK_FOR_PEOPLE),
    ("  write: IOPS=7, BW=31.1KiB/s (31.8kB/s)\n", "fio", TextKind.BENCHMARK_FOR_PEOPLE),
    ("  read : io=327521KB, bw=2273.7KB/s, iops=746\n", "fio", TextKind.BENCHMARK_FOR_PEOPLE),
    ("Jobs: 1 (f=1): [r(1)][100.0%][r=1.2GiB/s][eta 00m:00s]\n", "fio", TextKind.BENCHMARK_FOR_PEOPLE),
    (_FIO_JSON, "fio", TextKind.BENCHMARK),
    (_HDPARM, "hdparm", TextKind.UNREAD_BENCHMARK),
    (_DD, "dd", TextKind.UNREAD_BENCHMARK),
    ("1024+0 enregistrements lus\n", "dd", TextKind.UNREAD_BENCHMARK),
    ("1073741824 octets (1,1 GB, 1,0 GiB) copiés, 2,3456 s, 458 MB/s\n", "dd", TextKind.UNREAD_BENCHMARK),
    ("1048576000 Bytes (1,0 GB, 1000 MiB) kopiert, 4,2 s, 250 MB/s\n", "dd", TextKind.UNREAD_BENCHMARK),
    ("1073741824バイト (1.1 GB, 1.0 GiB) コピーされました、 1.5 s、 715 MB/s\n", "dd", TextKind.UNREAD_BENCHMARK),
    ("1073741824 bytes transferred in 2.3 secs (457768513 bytes/sec)\n", "dd", TextKind.UNREAD_BENCHMARK),
    (_KDISKMARK, "KDiskMark", TextKind.UNREAD_BENCHMARK),
    (_BONNIE, "bonnie++", TextKind.BENCHMARK_FOR_PEOPLE),
    (_SCAN, "mdadm --detail --scan, mdadm.conf", TextKind.ARRAY_LINES),
    (_KICKSTART, "Anaconda's kickstart", TextKind.INSTALLER),
    (_DISKO, "NixOS disko", TextKind.INSTALLER),
    (_NIXOS, "NixOS", TextKind.INSTALLER),
    (_PRESEED, "Debian's preseed", TextKind.INSTALLER),
    (_ANSIBLE, "Ansible", TextKind.INSTALLER),
    (_CURTIN, "curtin or subiquity", TextKind.INSTALLER),
    (_RAIDTAB, "raidtools, mdadm's predecessor", TextKind.INSTALLER),
    ("mkraid /dev/md0\n", "raidtools, mdadm's predecessor", TextKind.INSTALLER),
    ("echo check > /sys/block/md0/md/sync_action\n", "md's files in /sys and /proc", TextKind.SETTING),
    ("storcli /c0 add vd type=raid5 drives=252:0-3\n", "MegaCli or storcli", TextKind.CONTROLLER),
    ("diskutil appleRAID create mirror Tank JHFS+ disk2 disk3\n", "macOS's AppleRAID", TextKind.OTHER_SYSTEM),
    ("parity /mnt/parity/snapraid.parity\n", "SnapRAID", TextKind.OTHER_SYSTEM),
    ("zpool create -f tank raidz2 /dev/sd[b-g]\n", "ZFS", TextKind.OTHER_SYSTEM),
    (_DMESG, "dmesg", TextKind.KERNEL_LOG),
    (_MDSTAT, "/proc/mdstat", TextKind.REPORT),
    ("sbName=/boot/config/super.dat\nsbVersion=2.9.13\n", "Unraid", TextKind.OTHER_SYSTEM),
    ("mdState=STARTED\nmdNumDisks=4\n", "Unraid", TextKind.OTHER_SYSTEM),
    ("Festplatte /dev/sda: 1,82 TiB, 2000398934016 Bytes, 3907029168 Sektoren\n", "fdisk", TextKind.DEVICES),
    ("Disque /dev/sda : 1,8 TiB, 2000398934016 octets, 3907029168 secteurs\n", "fdisk", TextKind.DEVICES),
    ("Node                  Generic               SN         Model\n", "nvme list", TextKind.DEVICES),
    ("RAID:\n  Device-1: md0 type: mdadm level: raid-1 status: active\n", "inxi", TextKind.DEVICES),
    ("RAID:      Device-1: md0 type: mdadm status: active\n", "inxi", TextKind.DEVICES),
    ("  *-disk:0\n       description: ATA Disk\n", "lshw", TextKind.DEVICES),
    ("/dev/md0: 931.39GiB raid1 2 devices, 0 spares.\n", "mdadm --query", TextKind.DEVICES),
    ("/dev/sdb1: is not an md array\n", "mdadm --query", TextKind.DEVICES),
    ("/dev/sdb1: device 0 in 2 device active raid1 /dev/md0.\n", "mdadm --query", TextKind.DEVICES),
    ("/sys/block/md0/md/array_state:clean\n/sys/block/md0/md/layout:2\n", "/sys/block/md0/md", TextKind.VALUES),
    ("array_state:clean\nchunk_size:524288\n", "/sys/block/md0/md", TextKind.VALUES),
    ("$ sudo mdadm --create /dev/md0 -l1 -n2 /dev/sd[bc]\n", "mdadm", TextKind.COMMAND),
]


@pytest.mark.parametrize(("text", "program", "kind"), KNOWN, ids=[f"{one[1]}-{at}" for at, one in enumerate(KNOWN)])
def test_a_text_is_named_for_what_it_is(text: str, program: str, kind: TextKind) -> None:
    known = known_text(text)
    assert known is not None
    assert (known.program, known.kind) == (program, kind)
    if kind not in (TextKind.PLAN, TextKind.KERNEL_LOG):
        assert program in known.way_out
    assert known_text(text, (kind,)) is None or known_text(text, (kind,)) != known


@pytest.mark.parametrize(("text", "program", "kind"), KNOWN, ids=[f"{one[1]}-{at}" for at, one in enumerate(KNOWN)])
def test_every_reader_says_what_it_was_given(text: str, program: str, kind: TextKind, tmp_path: Path) -> None:
    """No reader answers “no report”, “no command”, “no benchmark” or “not JSON” to what another one of ours knows."""
    file = tmp_path / "pasted.txt"
    file.write_text(text, encoding="utf-8")
    readers: dict[TextKind, Callable[[str], object]] = {
        TextKind.REPORT: read_report,
        TextKind.COMMAND: read_paste,
        TextKind.PLAN: loads_plan,
    }
    for own, read in readers.items():
        if own is not kind and (own, kind) != (TextKind.REPORT, TextKind.ARRAY_LINES):
            with pytest.raises(InputError) as refused:
                read(text)
            assert str(refused.value) == known_text(text).way_out  # type: ignore[union-attr]
    if kind is not TextKind.BENCHMARK:
        with pytest.raises(InputError) as refused:
            runs_in(file)
        assert str(refused.value).endswith(known_text(text).way_out)  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["", "hello", "a b c\n", "{}", "[1, 2]", "Notes: the array is fine\n"])
def test_other_text_stays_unknown(text: str) -> None:
    assert known_text(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"blockdevices": [{"name": "sdb1", "children": [{"name": "md127", "type": "raid5"}]}, {"name": "md126"}]}\n',
        (
            "NAME      MAJ:MIN RM  SIZE RO TYPE\nsdb         8:16   0  250M  0 disk\n"
            "└─md127     9:127  0  744M  0 raid6\n"
            "  md126     9:126  0  744M  0 raid1\n"
        ),
    ],
    ids=["JSON", "a tree"],
)
def test_the_arrays_in_a_list_of_devices_are_named(text: str) -> None:
    with pytest.raises(InputError, match=r"mdadm --detail prints of /dev/md127 or /dev/md126\."):
        read_report(text)
