"""Table of what a Linux or an mdadm does, lacks or gets wrong where it concerns arrays, and what this program does.

A version says what its makers released, not what a kernel was built with: where a machine is at hand, it is asked
(``md-linear`` among its modules, the words of ``md/bitmap_type``), and the table is for the machines that aren't.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidwright.core.messages import Message, say

from .layouts import Level
from .mdadm_versions import MDADM_4_2, MDADM_4_3, MDADM_4_4, MDADM_4_5, MDADM_4_6, MdadmVersion

Kernel = tuple[int, int]
_STRIPED = (Level.RAID4, Level.RAID5, Level.RAID6)
NEWEST_READ: Kernel = (7, 2)  # the newest Linux whose md was read and run for this table


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of an array, planned or running, that decide whether a known fault concerns it.

    ``has_bad_blocks``: the first working member by number has something in its list of bad blocks;
    ``fails_to_read``: a member couldn't read sectors of its own; ``reshape_waits``: it is within a reshape that doesn't
    run; ``copies``: md copies a member onto another disk.
    """

    level: Level
    has_write_mostly: bool = False
    is_over_iscsi: bool = False
    has_bad_blocks: bool = False
    fails_to_read: bool = False
    reshape_waits: bool = False
    copies: bool = False
    has_bitmap: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as people are told it, where it ``concerns`` their array; ``code`` names it in JSON and findings."""

    code: str
    concerns: Callable[[Traits], bool]
    sentence: Message
    remedy: Message


@dataclass(frozen=True, slots=True)
class Known:
    """A row: the Linux it is true of, ``first`` to before ``mended``, and the mdadm likewise; None: no limit there.

    ``source`` are commits, pulls or threads, ``tried`` the versions on which real arrays showed it ("" for none), and
    ``answer`` is what this program does about it. ``fault`` is for what findings and the arrays' cards tell.
    """

    what: str
    source: str
    tried: str
    answer: str
    first: Kernel | None = None
    mended: Kernel | None = None
    first_mdadm: MdadmVersion | None = None
    mended_mdadm: MdadmVersion | None = None
    fault: Fault | None = None

    def holds(self, kernel: Kernel | None = None, mdadm: MdadmVersion | None = None) -> bool:
        """True if it is so with these versions; where one that it depends on isn't known, false."""
        return _within(kernel, self.first, self.mended) and _within(mdadm, self.first_mdadm, self.mended_mdadm)


def kernel_of(release: str) -> Kernel | None:
    """Return the version of a ``release`` ("6.12.9-amd64"); None if it doesn't begin with one."""
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) if found else None


def is_over_iscsi(path: str) -> bool:
    """True if a disk at this place, as udev names it below /dev/disk/by-path, is reached over iSCSI."""
    return "-iscsi-" in path  # udev-builtin-path_id.c, handle_scsi_iscsi


def faults_of(traits: Traits, kernel: Kernel | None, mdadm: MdadmVersion | None) -> Iterator[tuple[Fault, str]]:
    """Yield the known faults of these versions that concern an array, each with its source."""
    for row in TABLE:
        if row.fault is not None and row.holds(kernel, mdadm) and row.fault.concerns(traits):
            yield row.fault, row.source


def _within(version: tuple[int, int] | None, first: tuple[int, int] | None, end: tuple[int, int] | None) -> bool:
    if version is None:
        return first is None and end is None
    return (first is None or version >= first) and (end is None or version < end)


BAD_BLOCKS_REFUSE_NEWCOMERS = Known(
    "no disk joins an array whose first working member by number has something in its list of bad blocks: mdadm copies "
    "the mark of the list without the list, and Linux refuses a record of length 0 (“does not have a valid v1.2 "
    "superblock, not importing!”)",
    "Linux 1726c7746783; mdadm 4e2e208c, PR 154, issue 267",
    "Linux 6.12.113 and 7.2.7 with mdadm 4.4: refused, raid1 and raid5; Linux 6.1.176 with mdadm 4.2 and 4.4: added",
    "refused before the disk is wiped; `array start --forget-bad-blocks`",
    first=(6, 7),
    mended_mdadm=MDADM_4_5,
    fault=Fault(
        "bad-blocks-refuse-newcomers",
        lambda traits: traits.has_bad_blocks,
        say("No new disk can join it: its first member has bad blocks on md's list, which this mdadm copies half."),
        say("Before you replace or add a disk, empty the lists by array start --forget-bad-blocks, or use mdadm 4.5."),
    ),
)
LINEAR_GONE = Known(
    "linear arrays can't run; from 6.14 on if it was built, which Debian's 7.2 and 7.3 aren't",
    "Linux 849d18e27be9, 127186cfb184; Debian's linux-config",
    "Linux 7.2.7: “personality for level -1 is not loaded”",
    "refused to plan and to start; a machine's own modules are asked",
    first=(6, 8),
    mended=(6, 14),
)
LOCKLESS_BITMAP = Known(
    "lockless bitmaps, if built, which Debian's 7.2 and 7.3 aren't",
    "pull md-6.18-20250909; mdadm 4.6; Debian's linux-config",
    "Linux 7.2.7 with mdadm 4.6: “failed to write 'llbitmap'”",
    "older ones refused",
    first=(6, 18),
    first_mdadm=MDADM_4_6,
)
BLOCK_SIZE = Known(
    "the logical block size is written into new 1.x superblocks, which older Linux refuses",
    "Linux 62ed1b582246, pull md-6.19-20251111",
    "made on Linux 7.2.7; a superblock like it refused by 6.1.176",
    "said before a build, and on the card",
    first=(6, 19),
)
SYNC_THROTTLED_BY_QUEUE = Known(
    "resyncs are throttled by the members' queues (`is_mddev_idle`, `sync_io_depth`)",
    "pull md-6.16-20250513",
    "`md/sync_io_depth` 32 on 7.2.7, none on 6.12.113",
    "said with the pace of an array and with a sync's predicted rate; durations of rebuilds are bands",
    first=(6, 16),
)
REQUESTS_ARE_STRIPES = Known(
    "raid4, 5 and 6 take a whole stripe in one request (at most 1 MiB before)",
    "Linux 4ffe28ed0d7c",
    "raid5 of five, 512 KiB: `max_hw_sectors_kb` 1024 on 6.12.113, 2048 on 7.2.7",
    "bands of streams written to parity are wider",
    first=(7, 0),
)
REQUESTS_SPLIT_AT_STRIPES = Known(
    "raid5's requests are split at stripes",
    "Linux d51e1668fad6 (its author: 12.8 % faster with 24 disks)",
    "`chunk_sectors` 0 on 6.12.113, 4096 on 7.2.7",
    "bands of streams written to parity are wider",
    first=(7, 1),
)
WRITE_MOSTLY_OUT_OF_ORDER = Known(
    "overlapping writes may reach a write-mostly member of a raid1 in another order, so a check can count differences",
    "Linux 808cec74601c",
    "",
    "said before a build, and on the array's card",
    mended=(7, 1),
    fault=Fault(
        "write-mostly-out-of-order",
        lambda traits: traits.level is Level.RAID1 and traits.has_write_mostly,
        say("Writes that overlap may reach a write-mostly member in another order than the other members."),
        say("A few differences that a check counts can come from that; Linux 7.1 keeps the order."),
    ),
)
RAID10_CHECK_HANGS = Known(
    "a check of a raid10 can hang beside reads that mustn't wait (RWF_NOWAIT, io_uring)",
    "pull md-7.1-20260323",
    "",
    "said before a build, and on the array's card",
    mended=(7, 1),
    fault=Fault(
        "raid10-check-hangs",
        lambda traits: traits.level is Level.RAID10,
        say("A check can hang beside programs whose reads mustn't wait (io_uring), as some databases' don't."),
        say("Check it while such programs rest; Linux 7.1 has that mended."),
    ),
)
READ_RECOVERY_HANGS = Known(
    "recovery from a read error of raid1 and raid10 can hang",
    "pull md-7.2-20260531",
    "",
    "said where a member couldn't read sectors",
    mended=(7, 2),
    fault=Fault(
        "read-recovery-hangs",
        lambda traits: traits.level in (Level.RAID1, Level.RAID10) and traits.fails_to_read,
        say("A member has sectors that it can't read, and md's recovery from a read error can hang."),
        say("Replace that disk soon; Linux 7.2 has that mended."),
    ),
)
RAID10_MISREAD_AFTER_CUT = Known(
    "a raid10 whose power fails within a reshape is read wrongly until the reshape goes on",
    "raid10.c choose_data_offset",
    "Linux 6.1.176, mdadm 4.2 and 4.4; not on 6.12 and 7.2",
    "not started read-only; asked of the superblock, whatever the version",
    mended=(6, 12),
)
RESHAPE_READS_HANG = Known(
    "a read of a raid4, 5 or 6 never ends while its reshape doesn't run (read-only or read-auto) and has stopped "
    "within a stripe of the old shape; newer ones loop in the kernel, which can crash of it",
    "raid5.c stripe_ahead_of_reshape (Linux 486f60558607, c467e97f079f); STRIPE_WAIT_RESHAPE, made for dm-raid alone "
    "(41425f96d7aa): of md's own devices md_handle_request tries again for ever",
    "raid6 of 4 to 5, cut: Linux 6.1.176: the process hangs; 6.12.113 and 7.2.7: “io across reshape position while "
    "reshape can't make progress”, without end, with 6.12 up to a panic of the practice machine; where it has stopped "
    "at a stripe's end all is read (6.12)",
    "not mounted, measured or started read-only before md goes on; a rescue's trial holds it at a stripe's end",
    first=(6, 0),
    fault=Fault(
        "reshape-reads-hang",
        lambda traits: traits.reshape_waits and traits.level in _STRIPED,
        say("Its reshape waits, and a read at the place where it stopped never ends, or crashes Linux (6.12)."),
        say("Let it go on (array go-on) before anything is mounted or read; where it is mounted at boot, soon."),
    ),
)
COPY_CUT_OFF = Known(
    "on a raid5 with a bitmap whose power fails while a member is copied onto another disk (`--replace`), what is "
    "copied afterwards gets wrong parity, told by nothing but a warning in the kernel's log; when another disk fails, "
    "what it held comes back wrong",
    "raid5.c handle_stripe: a resync's check of the parity destroys its page (handle_parity_checks5), which is then "
    "written to the replacement (f94c0b6658c7; WARN_ON R5_UPTODATE)",
    "raid5 of three, cut at a third: Linux 6.1.176, 6.12.113 and 7.2.7: 16384 sectors differ, and files are damaged "
    "without the first disk; without a bitmap (6.1 and 6.12), and on raid6, nothing differs",
    "the copy is remembered over a restart; a check is asked for, and no member may fail before it",
    first=(3, 11),
    fault=Fault(
        "copy-cut-off",
        lambda traits: traits.copies and traits.has_bitmap and traits.level in (Level.RAID4, Level.RAID5),
        say("If the power fails while md copies a member, Linux can leave wrong parity on the new disk."),
        say("After a power cut, have it checked once the copy has ended; md's repair then writes the parity anew."),
    ),
)
CHECK_OOPS_OVER_ISCSI = Known(
    "an oops in raid456 within Debian's monthly check of members over iSCSI",
    "mdadm issue 282 (2026-07, open)",
    "",
    "said before a build, and on the array's card",
    fault=Fault(
        "check-oops-iscsi",
        lambda traits: traits.level in _STRIPED and traits.is_over_iscsi,
        say("Members are reached over iSCSI: there Debian's monthly check has ended in a kernel's oops."),
        say("Check it by hand, at a time when nobody needs it, and keep backups."),
    ),
)
POSIX_NAMES = Known(
    "an array's name must be of POSIX's portable characters",
    "mdadm lib.c, 0550fb37",
    "4.2, 4.4, 4.6",
    "names are refused before a build",
    first_mdadm=MDADM_4_3,
    mended_mdadm=MDADM_4_5,
)
NO_BITMAP_UNASKED = Known(
    "`--run` without `--bitmap` makes an array without a bitmap",
    "mdadm issue 138",
    "4.4",
    "the bitmap is always said",
    first_mdadm=MDADM_4_4,
)
FREEZE_RESHAPE = Known(
    "`--freeze-reshape` exists; an array within a reshape can be assembled without its going on",
    "mdadm ReadMe.c",
    "4.2, 4.4, 4.6",
    "not relied on",
    mended_mdadm=MDADM_4_5,
)
BACKUP_NOT_SYNCED = Known(
    "a reshape's backup file isn't synced before md relies on it",
    "mdadm Grow.c",
    "4.2 to 4.6",
    "said with the step",
    first_mdadm=MDADM_4_2,
)
CHANGED_MEMBERS_NOT_GIVEN = Known(
    "udev gives a member to md only as its device is added, no more as its content has changed",
    "mdadm's udev-md-raid-assembly.rules",
    "4.2: given; 4.4 and 4.6: not (the rules; 4.6 tried)",
    "the helper gives md the members of an array or volume whose end is undone",
    first_mdadm=MDADM_4_4,
)
TABLE = tuple(one for one in globals().values() if isinstance(one, Known))
