"""The states: how each is made in a practice machine, how it is told, and what comes of starting it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.kit.settled import NO_FIRMWARE, SETTLED

_MAKE = "mdadm --quiet --create --run /dev/md/tank --assume-clean --bitmap=none"
_RAID5 = f"{_MAKE} --level=5 --raid-devices=3 $HOME_HOST /dev/sda /dev/sdb /dev/sdc; udevadm settle"
_STORE = (
    "mkdir -p /mnt/a; mkfs.ext4 -q -F /dev/md/tank; mount /dev/md/tank /mnt/a; echo summer > /mnt/a/photo;"
    "umount /mnt/a; sync; udevadm settle"
)
_STOP = "mdadm --quiet --stop /dev/md/tank; udevadm settle"
_TANK = f"set -e; HOME_HOST=; {_RAID5}; {_STORE}"
_LOSE = (  # a busy md releases a failed member some time later, in a reshape above all
    "mdadm --quiet --fail /dev/md/tank /dev/sdb; tries=0;"
    "until mdadm --quiet --remove /dev/md/tank /dev/sdb || [ $((tries += 1)) -gt 60 ]; do sleep 0.5; done;"
    "udevadm settle"
)
_WRITING = (  # md marks the array dirty before the first write, and clean again only after the delay, in seconds
    "m=/sys/block/$(basename $(readlink -f /dev/md/tank))/md; echo 600 > $m/safe_mode_delay;"
    "dd if=/dev/zero of=/dev/md/tank bs=64k count=1 seek=9000 oflag=direct status=none; cat $m/array_state"
)
_GROW = (
    "set -e; mdadm --quiet --add /dev/md/tank /dev/sdd; udevadm settle; echo 100 > /proc/sys/dev/raid/speed_limit_min;"
    "echo 400 > /proc/sys/dev/raid/speed_limit_max; mdadm --quiet --grow /dev/md/tank --raid-devices=4; sleep 3"
)
_TWIN = (
    f"{_MAKE} --level=1 --raid-devices=2 --uuid=0a1b2c3d:00000001:00000002:00000003 /dev/sd[{{}}]; udevadm settle;"
    f"{_STOP}"
)
_BLOCK_SIZE = """set -e
for disk in /dev/sda /dev/sdb /dev/sdc; do python3 - $disk <<'PY'
import struct, sys
with open(sys.argv[1], "r+b", buffering=0) as disk:
    disk.seek(4096)
    block = bytearray(disk.read(4096))
    block[224:228] = struct.pack("<I", 512)
    size = 256 + 2 * struct.unpack_from("<I", block, 220)[0]
    block[216:220] = bytes(4)
    total = sum(struct.unpack_from(f"<{size // 4}I", block))
    if size % 4:
        total += int.from_bytes(block[size - 2:size], "little")
    block[216:220] = struct.pack("<I", ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    disk.seek(4096)
    disk.write(block)
PY
done; sync; udevadm trigger --settle --subsystem-match=block"""


@dataclass(frozen=True, slots=True)
class ArrayCase:
    """A state. ``made`` by a script, then ``pulled`` disks, then a power ``cut`` if wanted.

    ``told`` are the states that ``array list`` may say; ``sentence`` is in its text. ``start`` are the words after
    ``array start tank``, ``refusal`` what the refusal says ("" if it starts, and the file on it is there again).
    """

    name: str
    made: str
    told: tuple[str, ...]
    sentence: str
    refusal: str = ""
    start: tuple[str, ...] = ()
    pulled: int | None = None
    cut: bool = False
    array: str = "tank"


_YES = ("--missing", "--yes-name", "tank")
CASES = (
    ArrayCase("stopped", f"{_TANK}; {_STOP}", ("stopped",), "start it."),
    ArrayCase("stopped, only read", f"{_TANK}; {_STOP}", ("stopped",), "start it.", start=("--read-only",)),
    ArrayCase(
        "from elsewhere", f"set -e; HOME_HOST=--homehost=oldnas; {_RAID5}; {_STORE}; {_STOP}", ("stopped",),
        "the name of the computer “oldnas”",
    ),
    ArrayCase("half assembled", f"{_TANK}; {_STOP}; mdadm --quiet --incremental /dev/sda; udevadm settle",
              ("inactive",), "didn't start it"),
    ArrayCase("a member missing", f"{_TANK}; {_STOP}; mdadm --quiet --zero-superblock /dev/sdb; udevadm settle",
              ("stopped",), "Plug them in if you can", refusal="--missing"),
    ArrayCase("a member missing, confirmed",
              f"{_TANK}; {_STOP}; mdadm --quiet --zero-superblock /dev/sdb; udevadm settle",
              ("stopped",), "Plug them in if you can", start=_YES),
    ArrayCase("a member pulled", f"{_TANK}; {_STOP}", ("stopped", "inactive"), "Plug them in", start=_YES, pulled=2),
    ArrayCase("a member behind", f"{_TANK}; {_LOSE}; {_STOP}", ("stopped",), "start it."),
    ArrayCase("a member behind, another gone",
              f"{_TANK}; {_LOSE}; {_STOP}; mdadm --quiet --zero-superblock /dev/sdc; udevadm settle",
              ("behind",), "behind the others", refusal="isn't forced here"),
    ArrayCase("a member here twice, as a copy",
              f"{_TANK}; {_STOP}; dd if=/dev/sda of=/dev/sdd bs=1M count=4 conv=fsync status=none; udevadm settle",
              ("copied", "inactive"), "are copies of one member (slot 0)", refusal="as copies of a disk do"),
    ArrayCase("twice, two arrays with one UUID", f"set -e; {_TWIN.format('ab')}; {_TWIN.format('cd')}",
              ("copied", "inactive"), "Two arrays with one UUID are here", refusal="Two arrays with the UUID of"),
    ArrayCase("too few members",
              f"{_TANK}; {_STOP}; mdadm --quiet --zero-superblock /dev/sdb /dev/sdc; udevadm settle",
              ("short",), "which is too few", refusal="Too few of its members are here (1 of 3)"),
    ArrayCase("cut off, dirty and degraded", f"{_TANK}; {_LOSE}; {_WRITING}", ("inactive", "dirty"),
              "force", refusal="by force", cut=True),
    ArrayCase("cut off while reshaping", f"{_TANK}; {_GROW}", ("inactive", "stopped", "running"), "", cut=True),
    ArrayCase("cut off while reshaping, degraded", f"{_TANK}; {_GROW}; {_LOSE}; {_WRITING}",
              ("inactive", "dirty"), "force", refusal="by force", cut=True),
    ArrayCase(
        "firmware RAID",
        f"set -e; {SETTLED}{NO_FIRMWARE}exec 2>&1;"
        "mdadm -C -R /dev/md/imsm0 -e imsm -l container -n2 /dev/sda /dev/sdb;"
        "mdadm -C -R /dev/md/vol0 -l1 -n2 --assume-clean /dev/md/imsm0",
        ("running", "foreign-make"), "firmware and mdmon look after it", refusal="Raidwright only looks at it",
        start=("--yes-name", "vol0"), array="vol0",
    ),
    ArrayCase("of a newer Linux", f"{_TANK}; {_STOP}; {_BLOCK_SIZE}", ("unreadable",),
              "starts on Linux 6.19 and mdadm 2.0 and later", refusal="starts on Linux 6.19 and later"),
    ArrayCase(
        "its journal gone",
        "set -e; mdadm --quiet --create --run /dev/md/tank --level=5 --raid-devices=3 --write-journal /dev/sdd "
        f"/dev/sda /dev/sdb /dev/sdc; udevadm settle; {_STORE}; {_STOP}; mdadm --quiet --zero-superblock /dev/sdd;"
        "udevadm settle",
        ("short",), "Its write journal is missing", refusal="journal",
    ),
)  # fmt: skip
