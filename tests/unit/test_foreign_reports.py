"""Reports of arrays as people paste them, each with the one right answer; ``foreign/reports`` has the texts.

Printed by mdadm 4.2 of real arrays in a practice machine, or written in the form of public reports; names, serials and
UUIDs of people's arrays are made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.commands import create_commands
from raidwright.core.model.plan import FLAGS, Bitmap, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.export.recovery_card import recovery_card
from raidwright.reading.mdadm_reports import ReportedPlan, read_report
from raidwright.reading.plans import loads_plan

_FOLDER = Path(__file__).parent / "foreign" / "reports"
_GB = 10**9


@dataclass(frozen=True)
class Right:
    """The right plan, and the words of its remarks."""

    level: str
    members: str  # ids in slot order, “-” for a missing one
    spares: str = ""
    unknown: str = ""
    unsaid: tuple[str, ...] = ()
    unplanned: tuple[str, ...] = ()
    fields: dict[str, object] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)  # by flag, the ids of the disks that have it


PLANS = {
    "raid10-near2.detail.txt": Right(
        "raid10", "sda sdb sdc sdd", unknown="data_offset_kib", fields={"layout": "n2", "chunk_kib": 512}
    ),
    "replacement.detail.txt": Right(
        "raid1",
        "sda sdb sdc",
        "sdd",
        "data_offset_kib",
        unplanned=("/dev/sdd is about to replace /dev/sda",),
        flags={"write-mostly": "sdb sdc", "failfast": "sdc"},
    ),
    "printed-4.4-rebuilding-some-examined.mixed": Right(
        "raid5",
        "sda sdd sdc",
        unknown="data_offset_kib",
        unsaid=("Where the data begin on /dev/sdc, not examined", "so much as the array needs is taken: /dev/sdc."),
        unplanned=("/dev/sdd is being rebuilt",),
        fields={"data_offset_kib": 2048},
    ),
    "printed-4.4-detail-of-before.mixed": Right(
        "raid5",
        "sda - sdc",
        unplanned=("mdadm --detail of it is older than the superblocks (Events 20 and Events 24)",),
        unsaid=("The bitmap's chunk",),
        fields={"data_offset_kib": 2048},
    ),
    "printed-4.4-raid6-two-out.examine": Right(
        "raid6",
        "sda - sdc - sde",
        unplanned=("/dev/sdb was slot 1 and fell out", "/dev/sdd was slot 3 and fell out"),
        unsaid=("The bitmap's chunk",),
        fields={"data_offset_kib": 2048},
    ),
    "mbr-and-partition.examine.txt": Right("raid5", "sda1 sdb1 sdc1", fields={"data_offset_kib": 2048}),
    "old-0.90-with-spare.examine.txt": Right("raid5", "sda sdb sdc", "sdd", unsaid=("name",)),
    "stale-member.examine.txt": Right(
        "raid1",
        "sda - sdc",
        "sdd",
        unplanned=("/dev/sdb was slot 1 and fell out", "/dev/sdd is about to replace"),
        fields={"bitmap": Bitmap.INTERNAL, "data_offset_kib": 2048},
        flags={"write-mostly": "sdc", "failfast": "sdc"},
    ),
    "write-mostly.detail.txt": Right(
        "raid1",
        "sda sdb sdc",
        unknown="data_offset_kib",
        flags={"write-mostly": "sdb sdc", "failfast": "sdc"},
    ),
    "internal-bitmap.export.txt": Right(
        "raid6",
        "sda sdb - sdd",
        unknown="bitmap chunk_kib consistency layout",
        unsaid=("bitmap", "The layout", "The chunk"),
    ),
    "name-with-space.examine.txt": Right(
        "raid1", "sda sdb", unplanned=("“my tank”",), fields={"name": "my-tank", "homehost": "any"}
    ),
    "mdadm-3.1.examine.txt": Right(
        "raid5", "sda1 sdb1 sdc1 sdd1", fields={"component_size_kib": 1953512448, "chunk_kib": 64}
    ),
    "e1-mail-wrapped-bracket.detail.txt": Right(
        "raid5", "sda sdb sdc", unknown="data_offset_kib", fields={"name": "5", "homehost": "storage.lab.example.org"}
    ),
    "e2-run-together.examine.txt": Right(
        "raid1", "sdb -", unplanned=("/dev/sdb has bad blocks",), fields={"data_offset_kib": 2048}
    ),
    "e3-partition-larger-than-said.examine.txt": Right(
        "raid1", "sda3 -", fields={"component_size_kib": 1951944704, "metadata": "1.0"}
    ),
    "e4-mdstat-rebuilding.txt": Right(
        "raid5", "sda sdb sdc", unknown="consistency data_offset_kib members", unplanned=("is being rebuilt",)
    ),
    "e7-missing-with-same-events.examine.txt": Right(
        "raid5", "- sdb sdc sdd", unplanned=("superblocks record it as missing",), fields={"data_offset_kib": 2048}
    ),
    # Printed by mdadm 4.2, 4.4 and 4.6 of a raid6 with a failed disk.
    "printed-4.2.detail.txt": Right(
        "raid6", "sda - sdc sdd", unknown="data_offset_kib", unsaid=("The bitmap's chunk",), unplanned=("has failed",)
    ),
    "printed-4.4-mdstat.txt": Right(
        "raid6",
        "sda - sdc sdd",
        unknown="consistency data_offset_kib members",
        unplanned=("has failed",),
        fields={"bitmap_chunk_kib": 65536, "chunk_kib": 64},
    ),
    "printed-4.6-all.txt": Right(
        "raid6",
        "sda - sdc sdd",
        unknown="data_offset_kib",
        unplanned=("was slot 1 and fell out",),
        fields={"bitmap_chunk_kib": 65536, "name": "tank"},
    ),
    # Public reports, cut short and anonymised (issues, forums, linux-raid).
    "02-log-prefixed.txt": Right("raid1", "sdw sdx", "sds", "data_offset_kib"),
    "03-raid6-replaced-numbers.txt": Right(
        "raid6", "sdb1 sdl1 - sdm1", unknown="data_offset_kib", unplanned=("/dev/sde1 has failed",)
    ),
    "04-removed-with-number.txt": Right("raid1", "- sdc2", unknown="data_offset_kib"),
    "05-comments-after-values.txt": Right("raid5", "hda6 hda7 hda8 hda9", "hda10"),
    "07-mdstat-one-replaced.txt": Right(
        "raid6",
        "sdd1 sdf1 sdg1 sdh1 sda1 sdb1 sdc1 sde1",
        unknown="consistency data_offset_kib members",
        unsaid=("The order of the members", "The array's name; “3” is taken"),
        fields={"bitmap_chunk_kib": 65536, "chunk_kib": 64, "layout": "left-symmetric"},
    ),
    "11-blanks-collapsed.txt": Right("raid5", "sdb1 sdc1 sdd1", unknown="data_offset_kib"),
    "12-device-size-of-2.5.txt": Right(
        "raid6", "sdg1 sdh1 sdb1 sda1", unknown="layout", fields={"bitmap_chunk_kib": 512, "chunk_kib": 64}
    ),
    "14-failed-not-started.txt": Right("raid1", "sda sdc", unknown="data_offset_kib", unplanned=("It isn't started",)),
    "16-no-heading.txt": Right("raid1", "hdc1 hdd1"),
    "20-mail-quoted-thrice.txt": Right(
        "raid10", "sdb1 sdc1 sdd1 sde1", fields={"component_size_kib": 2930134016, "data_offset_kib": 131072}
    ),
    "21-mdadm-3.1-bitmap.txt": Right("raid5", "sdb sdc sdd sde", fields={"component_size_kib": 1953513408}),
    "23-wrapped-array-state.txt": Right("raid5", "- sdb1 sdc1", unplanned=("/dev/sdd1 was slot 2 and fell out",)),
    "25-disk-and-its-partition.txt": Right("raid5", "sde sdc sdd", unplanned=("No md superblock",)),
    "26-linear-used-0.txt": Right("linear", "sda sdb", fields={"chunk_kib": None}),
    "29-mdstat-synology-error.txt": Right(
        "raid5",
        "sda5 sdb5 sdc5 sdd5",
        unknown="consistency data_offset_kib members",
        unplanned=("/dev/sdc5 has had errors (E)",),
        fields={"chunk_kib": 64},
    ),
    "30-quoted-hard-breaks.txt": Right("raid1", "sda1 sdb1"),
    "31-raid0-with-a-spare.txt": Right(
        "raid0", "sda5 sdd5", unplanned=("/dev/sdc5, a spare: raid0 has nothing to rebuild", "It isn't started")
    ),
    "32-json-string.txt": Right("raid1", "sdb1 sdc1", unknown="data_offset_kib"),
    "33-yaml-list.txt": Right("raid1", "sdb1 sdc1", unknown="data_offset_kib"),
    "34-in-a-frame.txt": Right("raid1", "sdb1 sdc1", unknown="data_offset_kib"),
    "journal-on-an-array.detail.txt": Right("raid6", "sdb2 sdd2 sde2 sdf2", unknown="data_offset_kib"),
    "journal-not-started.detail.txt": Right(
        "raid5",
        "sdg1 sdh1 sdi1",
        "md-box:journal",
        "data_offset_kib",
        unsaid=("Whether /dev/md/box:journal is a spare or the journal",),
        unplanned=("It isn't started",),
        fields={"component_size_kib": None},
    ),
    "mdstat-wrapped.txt": Right(
        "raid6",
        "sdm1 sdy1 sdi1 sde1 sdq1",
        "sdu1",
        "consistency data_offset_kib members",
        fields={"component_size_kib": 2930134016},
    ),
    "mdstat-replacing.journal.txt": Right(
        "raid6",
        "sda1 sdb1 sdc1 sdd1",
        "sde1",
        "consistency data_offset_kib members",
        unplanned=("/dev/sde1 is about to replace another disk",),
    ),
    "mdstat-delayed.txt": Right(
        "raid5",
        "sda1 sdb1 sdc1 sdd1",
        unknown="consistency data_offset_kib members",
        unplanned=("A disk of it waits to be rebuilt", "md waits with synchronising it"),
    ),
    "mdstat-broken.txt": Right(
        "raid1",
        "dm-0 -",
        unknown="consistency data_offset_kib members",
        unplanned=("/dev/dm-1 has failed", "it has lost data"),
    ),
    "br-for-line-breaks.detail": Right("raid5", "sdb sdc - sde sdf sdg", unknown="data_offset_kib"),
    "each-line-host.detail": Right("raid5", "sdb sdc - sde sdf sdg", unknown="data_offset_kib"),
    "each-line-json.detail": Right("raid5", "sdb sdc - sde sdf sdg", unknown="data_offset_kib"),
    "each-line-numbered.detail": Right("raid5", "sdb sdc - sde sdf sdg", unknown="data_offset_kib"),
    "detail-and-a-fallen-disk.mixed": Right(
        "raid5",
        "sde sdb sdc",
        unknown="data_offset_kib",
        unplanned=("/dev/sdf was slot 1 and fell out of the array: its data are older (1200 events",),
    ),
    "detail-clean-mdstat-failed.mixed": Right(
        "raid5",
        "sda1 sdb1 sdc1",
        unknown="data_offset_kib",
        unplanned=("says [3/2] [U_U], /dev/sdb1 (F)", "of different moments"),
    ),
    "two-reports-letters-moved.mixed": Right(
        "raid5", "sdd1 sdb1 sdc1", unplanned=("older than the superblocks (Events 33382 and Events 33390)",)
    ),
    "failed-not-started-with-all-in-sync.detail": Right(
        "raid6",
        "sdm1 sdy1 sdi1 sdq1 sde1",
        "sdu1",
        "data_offset_kib",
        unplanned=("It isn't started", "/dev/sdc2 has failed"),
        fields={"component_size_kib": None},
    ),
    "one-line.mdstat": Right("raid1", "- sdb3", "sda3", "consistency members"),
    "rebuilding-onto-a-spare-2.6.detail": Right(
        "raid5", "sdb sdc -", "sde sdd", unplanned=("one of its spares (/dev/sde or /dev/sdd) is filling slot 2",)
    ),
    "synology-faulty-active-sync-5.detail": Right(
        "raid5",
        "- sdb5 sdc5 sdd5 sde5",
        "sda5",
        "data_offset_kib",
        unplanned=("/dev/sde5 has had errors (E)",),
    ),
    # Of books, mails, issues and other programs' sources; “#” names the array that is chosen.
    "string-of-go.detail.txt": Right(
        "raid6",
        "sda1 sdb1 sdc1 sdd1 sdf1 sde1",
        unknown="chunk_kib data_offset_kib layout",
        unsaid=("The chunk",),
        unplanned=("/dev/sdf1 is being rebuilt",),
    ),
    "two-without-uuid.export.txt#md1": Right(
        "raid1", "sdb3 sda3", unknown="bitmap consistency data_offset_kib", fields={"name": "1"}
    ),
    "link-and-kernel-name.mixed": Right("raid10", "dm-3 -", fields={"layout": "o2", "data_offset_kib": 1024}),
    "inactive-among-others.mdstat#md126": Right(
        "raid5", "sdo1 sdb1 sdl1 sdd1 -", unknown="consistency data_offset_kib members"
    ),
    "reshape-among-others.mdstat#md126": Right(
        "raid5", "sdc2 sdd2 sde2", unknown="consistency data_offset_kib members", fields={"chunk_kib": 64}
    ),
    # Printed by mdadm 4.2 in a practice machine.
    "a1-n3-sets.detail.txt": Right("raid10", "sda sdb sdc sdd sde sdf", unknown="data_offset_kib"),
    "a2-failed-with-spare.session.txt": Right(
        "raid10",
        "sda sdb - sdd",
        unknown="data_offset_kib",
        unplanned=("/dev/sdc has failed", "/dev/sde has failed"),
        flags={"write-mostly": "sdb sdd"},
        fields={"bitmap_chunk_kib": 65536},
    ),
    "b1-nested.detail.txt": Right("raid0", "[sda sdb] [sdc sdd]", unknown="data_offset_kib"),
    "b3-linear.session.txt": Right("linear", "sda sdb", fields={"chunk_kib": None, "data_offset_kib": 2048}),
    "c1-failed-with-spare.examine.txt": Right(
        "raid10",
        "sda sdb - sdd",
        "sde",
        unplanned=("/dev/sdc was slot 2 and fell out",),
        flags={"write-mostly": "sdb sdd sde"},
    ),
}
REFUSED = {
    "17-rescue-several-arrays.txt": ("report-several", "rescue:5 and rescue:4"),
    "22-two-fell-out.txt": ("missing-member", "/dev/sdd1 was slot 2 and fell out"),
    "27-no-superblock.txt": ("report-level", "no superblock"),
    "28-mdstat-inactive.txt": ("report-inactive", "/dev/md0"),
    "b2-nested-alone.detail.txt": ("report-nested", "/dev/md/in0 and /dev/md/in1"),
    "e5-one-of-four.examine.txt": ("missing-member", "weren't examined (slots 1, 2, 3)"),
    "e6-journal-alone.examine.txt": ("report-no-member", "only its spares, replacements or journal (/dev/sdd)"),
    "e8-became-spares.examine.txt": ("missing-member", "/dev/sdb and /dev/sdc are recorded as spares"),
    "e9-elided.detail.txt": ("report-cut", "it lacks “Version”"),
    "d1-scan.txt": ("report-scan", "mdadm --detail"),
    "d2-examine.export.txt": ("report-examine-export", "slot"),
    "grepped-events.examine": ("report-filtered", "“Events” and “Device Role”"),
    "mdstat-3-of-1-raid5.mdstat": ("report-failed", "1 of its 3 members in sync [3/1] [U__], and raid5 needs 2"),
    "pvdisplay-on-md.txt": ("report-nothing", "/dev/md2. Paste what mdadm --detail prints"),
    "pvs-on-md.txt": ("report-nothing", "/dev/md2 and /dev/md3. Paste what mdadm --detail prints"),
    "raid0-alternate-one-of-two.examine": ("missing-member", "weren't examined (slots 1)"),
    "raid0-one-of-two.examine": ("missing-member", "weren't examined (slots 1)"),
    "reflowed-reshaping.mdstat": ("report-reshape", "changing its shape"),
    "scan-of-imsm.txt": ("report-firmware", "the firmware's"),
    "two-reports-grown-since.mixed": ("missing-member", "Events 112031 and Events 273134"),
    "circled-numbers.examine.txt": ("missing-member", "My Big Storage can't start without the disks"),
    "strings-of-php.mdstat.txt": ("report-cut", "counts 8 of /dev/md13's members in sync [32/8]"),
    "strings-of-php.mdstat.txt#md1": ("report-cut", "counts 7 of /dev/md1's members in sync [8/7]"),
    "two-without-uuid.export.txt": ("report-several", "/dev/md0 and /dev/md1"),
    "inactive-among-others.mdstat": ("report-several", "/dev/md125, /dev/md126 and /dev/md127"),
    "inactive-among-others.mdstat#md124": ("report-inactive", "/dev/md124"),
    "reshape-among-others.mdstat#md127": ("report-reshape", "/dev/md127"),
    "no-node.detail.txt": ("report-node", "8:16"),
    "reshape-3-to-4.detail.txt": ("report-reshape", "3->4"),
    "reshape-3-to-4.examine.txt": ("report-reshape", "3->4"),
    "inactive.detail.txt": ("report-inactive", "mdadm --examine"),
}


def _id(member: Member | MdArray | None) -> str:
    if isinstance(member, MdArray):
        return f"[{' '.join(map(_id, member.members))}]"
    return member.id if member else "-"


def read(name: str) -> ReportedPlan:
    file, _, chosen = name.partition("#")
    size_bytes = 2 * _GB if "export" in name or "not-started" in name else None
    return read_report((_FOLDER / file).read_text(encoding="utf-8"), lambda _path: size_bytes, chosen)


@pytest.mark.parametrize("name", PLANS)
def test_a_report_is_read_rightly(name: str) -> None:
    right, report = PLANS[name], read(name)
    plan = report.plan
    ids = " ".join(map(_id, plan.members))
    assert (plan.level, ids, " ".join(spare.id for spare in plan.spares)) == (right.level, right.members, right.spares)
    assert " ".join(plan.unknown) == right.unknown
    for words, told in ((right.unsaid, report.unsaid), (right.unplanned, report.unplanned)):
        for part in words:
            assert any(part in sentence for sentence in told), (part, told)
    assert {name: getattr(plan, name) for name in right.fields} == right.fields
    flags = {flag: " ".join(disk.id for disk in plan.disks() if flag in disk.flags) for flag in FLAGS}
    assert {flag: ids for flag, ids in flags.items() if ids} == right.flags
    assert loads_plan(json.dumps(dump_plan(Plan(plan)))).homehost == plan.homehost


@pytest.mark.parametrize("name", REFUSED)
def test_a_report_is_refused_for_its_true_reason(name: str) -> None:
    code, words = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(name)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_every_report_has_its_answer() -> None:
    assert {path.name for path in _FOLDER.iterdir()} == {name.partition("#")[0] for name in (*PLANS, *REFUSED)}


def test_a_firmwares_array_is_told_as_that_even_while_it_is_inactive() -> None:
    text = "md127 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super external:imsm\n"
    with pytest.raises(InputError, match="firmware's"):
        read_report(text)


def test_an_array_may_have_the_journal() -> None:
    journal = read("journal-on-an-array.detail.txt").plan.journal
    assert journal is not None
    assert journal.id == "md-box:journal"


def test_a_copy_onto_a_replacement_is_no_rebuild() -> None:
    told = read("mdstat-replacing.journal.txt").unplanned
    assert not any("being rebuilt" in sentence for sentence in told)


def _examined(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _as_mail_source(text: str) -> str:
    return text.replace("=", "=3D").replace("   ", " =A0 ").replace(" sectors", " sec=\ntors")


@pytest.mark.parametrize(
    "changed",
    [
        _as_mail_source,
        lambda text: "\x1b]0;root@nas: ~\x07".join(text.splitlines(keepends=True)),  # a terminal's title, by script(1)
        lambda text: "".join(f"| {line:<80} |\n" for line in text.splitlines()),
        lambda text: "".join(f"Apr 28 15:11:16 nas root[1]: {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"2021-04-28T15:11:16.123456+02:00 nas root: {line}\n" for line in text.splitlines()),
    ],
)
def test_what_mail_logs_and_terminals_add_is_taken_off(changed: Callable[[str], str]) -> None:
    text = _examined("name-with-space.examine.txt")
    assert read_report(changed(text)) == read_report(text)


def test_images_of_disks_go_by_their_files_names() -> None:
    text = _examined("name-with-space.examine.txt")
    for prefix in ("", "./", "/mnt/images/"):
        plan = read_report(text.replace("/dev/sda", f"{prefix}one.img").replace("/dev/sdb", f"{prefix}two.img")).plan
        assert " ".join(map(_id, plan.members)) == "one.img two.img"


def test_mdstat_pasted_twice_is_of_one_array() -> None:
    text = _examined("mdstat-delayed.txt").replace("md3", "md_store")
    report = read_report(text + text.replace("sdd1[4]", "sde1[4]"))
    assert _id(report.plan.members[3]) == "sde1"
    assert report.plan.name == "store"
    assert any("reported more than once" in sentence for sentence in report.unplanned)


@pytest.mark.parametrize(
    ("lines", "name", "host"),
    [
        ("ARRAY /dev/md/store metadata=1.2 name=nas:store UUID=0:0:0:0", "store", "nas"),
        ("ARRAY /dev/md/3 metadata=1.2 name='nas:my store'\nARRAY /dev/md4 name=nas:4", "my-store", "nas"),
        ("ARRAY /dev/md5 name=nas:5\nARRAY /dev/md4 name=nas:4", "3", ""),
        ("INACTIVE-ARRAY /dev/md3 metadata=1.2 name=nas:store", "3", ""),
        ("ARRAY /dev/md3 UUID=0:0:0:0", "3", ""),
    ],
)
def test_mdstats_array_has_the_name_in_its_array_line(lines: str, name: str, host: str) -> None:
    report = read_report(f"{_examined('mdstat-delayed.txt')}\n{lines}\n")
    assert (report.plan.name, report.plan.homehost) == (name, host)
    assert any("The array's name;" in sentence for sentence in report.unsaid) == (not host)


def test_mdstats_arrays_can_be_members_of_one() -> None:
    pairs = "".join(
        f"md{at} : active raid1 sd{one}1[2] sd{two}1[0]\n      976630464 blocks super 1.2 [2/2] [UU]\n\n"
        for at, one, two in (("1", "e", "d"), ("0", "c", "b"))
    )
    outer = "md2 : active raid0 md0[0] md1[1]\n      1953260544 blocks super 1.2 64k chunks\n\n"
    plan = read_report(f"Personalities : [raid1] [raid0]\n{outer}{pairs}unused devices: <none>\n").plan
    assert (str(plan.level), plan.chunk_kib) == ("raid0", 64)
    inner = [member for member in plan.members if isinstance(member, MdArray)]
    assert [" ".join(map(_id, member.members)) for member in inner] == ["sdb1 sdc1", "sdd1 sde1"]


@pytest.mark.parametrize(
    ("asked", "link"),
    [("/dev/md{minor}", "/dev/md/in{at}"), ("/dev/md{minor}", "/dev/md{minor}"), ("/dev/md/x{at}", "/dev/md/in{at}")],
)
def test_an_arrays_member_goes_by_its_link_its_number_or_its_name(asked: str, link: str) -> None:
    text = _examined("b1-nested.detail.txt")
    for at, minor in ((0, 126), (1, 125)):
        heading, row = asked.format(at=at, minor=minor), link.format(at=at, minor=minor)
        text = text.replace(f"/dev/md/in{at}:", f"{heading}:").replace(f"/dev/md/in{at}\n", f"{row}\n")
    assert read_report(text).plan == read_report(_examined("b1-nested.detail.txt")).plan


_TABLE = """    Number   Major   Minor   RaidDevice State
       0       8        1        0      active sync   /dev/sda1
       1       8       17        1      active sync   /dev/sdc1
       2       8       33        2      active sync   /dev/sdb1
       4       8       49        3      spare rebuilding   /dev/sdd1
"""


def test_a_table_beside_mdstat_has_its_slots() -> None:
    report = read_report(_examined("mdstat-delayed.txt") + _TABLE)
    assert " ".join(map(_id, report.plan.members)) == "sda1 sdc1 sdb1 sdd1"
    assert "members" not in report.plan.unknown
    assert not any("The order of the members" in sentence for sentence in report.unsaid)
    other = read_report(_examined("mdstat-delayed.txt") + _TABLE.replace("sdd1", "sdx1"))
    assert "members" in other.plan.unknown


def test_a_table_alone_is_cut_and_one_beside_a_report_is_told() -> None:
    with pytest.raises(InputError, match="cut short"):
        read_report("mdadm -D /dev/md0\n" + _TABLE)
    text = _examined("write-mostly.detail.txt")
    report = read_report(text + "\nAnd later:\n" + _TABLE)
    assert report.plan == read_report(text).plan
    assert any("A table of devices without the rest" in sentence for sentence in report.unplanned)


def test_udevs_database_is_an_export_and_needs_its_devices() -> None:
    text = _examined("internal-bitmap.export.txt")
    udev = "".join(f"E: UDISKS_{line}\n" for line in text.splitlines() if line.startswith("MD_"))
    assert read_report(udev, lambda _path: 2 * _GB).plan == read_report(text, lambda _path: 2 * _GB).plan
    with pytest.raises(InputError, match="no table of devices"):
        read_report("".join(f"{line}\n" for line in text.splitlines() if "_DEVICE_" not in line))


@pytest.mark.parametrize("mark", ["% ", "> % ", "Liviu> ", ">>> Marcus>    "])
def test_other_marks_of_quotation_are_taken_off(mark: str) -> None:
    text = _examined("name-with-space.examine.txt")
    quoted = "".join(f"{mark}{line}\n" for line in text.splitlines())
    assert read_report(quoted).plan == read_report(text).plan


def test_a_superblock_below_a_report_is_a_part_of_its_own() -> None:
    detail, superblocks = _examined("write-mostly.detail.txt"), _examined("name-with-space.examine.txt")
    headless = superblocks[superblocks.index("          Magic") :]
    with pytest.raises(InputError) as refused:
        read_report(detail + headless)
    assert refused.value.code in ("report-several", "report-heading")


def test_arrays_of_one_device_are_told_apart_by_their_uuids() -> None:
    text = _examined("write-mostly.detail.txt")
    uuid = next(line.split(" : ")[1] for line in text.splitlines() if " UUID : " in line)
    with pytest.raises(InputError, match="ffffffff:1:2:3"):
        read_report(text + text.replace(uuid, "ffffffff:1:2:3"))


def test_a_cut_report_gives_way_to_whole_superblocks() -> None:
    superblocks = _examined("name-with-space.examine.txt")
    uuid = next(line.split(" : ")[1] for line in superblocks.splitlines() if "Array UUID : " in line)
    detail = f"/dev/md5:\n  Version : 1.2\n  Raid Level : raid1\n  UUID : {uuid}\n"
    assert read_report(detail + superblocks).plan == read_report(superblocks).plan


def test_a_member_with_an_older_superblock_is_not_said_to_be_left_out() -> None:
    superblocks = _examined("stale-member.examine.txt")
    uuid = next(line.split(" : ")[1] for line in superblocks.splitlines() if "Array UUID : " in line)
    detail = (
        "/dev/md5:\n  Version : 1.2\n  Raid Level : raid1\n  Array Size : 1046528 (1022.00 MiB 1071.64 MB)\n"
        f"  Used Dev Size : 1046528 (1022.00 MiB 1071.64 MB)\n  Raid Devices : 3\n  UUID : {uuid}\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       8        0        0      active sync   /dev/sda\n"
        "       1       8       16        1      active sync   /dev/sdb\n"
        "       2       8       32        2      active sync   /dev/sdc\n"
    )
    report = read_report(detail + superblocks, lambda _path: 2 * _GB)
    assert " ".join(map(_id, report.plan.members)) == "sda sdb sdc"
    assert not any("It is left out" in sentence for sentence in report.unplanned)
    assert any("/dev/sdb has an older superblock" in sentence for sentence in report.unplanned)


def test_exports_spare_may_have_failed() -> None:
    text = _examined("internal-bitmap.export.txt").replace("ROLE=3", "ROLE=spare")
    told = read_report(text, lambda _path: 2 * _GB).unsaid
    assert any("is a spare, the journal, or has failed" in sentence for sentence in told)


def test_states_of_old_mdadm_need_no_word() -> None:
    text = _examined("write-mostly.detail.txt").replace("State : clean", "State : dirty, no-errors")
    assert "dirty" in text
    assert not any("isn't known here" in sentence for sentence in read_report(text).unplanned)


def test_nothing_that_keeps_data_is_made_of_a_guess() -> None:
    plan = read("write-mostly.detail.txt").plan
    card = recovery_card(Plan(plan))
    assert "--create" not in card
    assert "where the data begin is unknown" in card
    with pytest.raises(PlanRefused, match="guess"):
        create_commands(replace(plan, assume_clean=True))
    assert loads_plan(json.dumps(dump_plan(Plan(plan)))).array == plan
    assert "--create" in recovery_card(Plan(plan.as_built()))
    assert "--data-offset=2048K" in recovery_card(Plan(read("mbr-and-partition.examine.txt").plan))


def test_no_lost_data_is_told_of_an_array_that_is_merely_not_started() -> None:
    for name in ("failed-not-started-with-all-in-sync.detail", "14-failed-not-started.txt"):
        assert not any("lost data" in sentence for sentence in read(name).unplanned)


def test_the_newest_of_several_reports_counts_wherever_it_is() -> None:
    older = _examined("write-mostly.detail.txt").replace("/dev/sdc", "/dev/sdx")
    now = _examined("write-mostly.detail.txt").replace("Events : 0", "Events : 7")
    for text in (older + now, now + older):
        report = read_report(text)
        assert report.plan == read_report(now).plan
        assert any("the newest report counts" in sentence for sentence in report.unplanned)


def test_mdstat_that_agrees_is_no_contradiction() -> None:
    text = _examined("detail-clean-mdstat-failed.mixed")
    agrees = text.replace("sdb1[1](F)", "sdb1[1]").replace("[3/2] [U_U]", "[3/3] [UUU]")
    assert not any("different moments" in sentence for sentence in read_report(agrees).unplanned)
    other = agrees.replace("sdc1[2]", "sdd1[3]")
    assert any("/dev/sdd1 among its devices" in sentence for sentence in read_report(other).unplanned)
    above, _, below = text.partition("This morning:")
    assert any("[3/2] [U_U]" in sentence for sentence in read_report(below + above).unplanned)


def test_older_superblocks_leave_a_report_as_it_is() -> None:
    text = _examined("two-reports-letters-moved.mixed").replace("Events : 33390", "Events : 33000")
    report = read_report(text)
    assert " ".join(map(_id, report.plan.members)) == "sda1 sdb1 sdc1"
    assert any("/dev/sdd1 was slot 0 and fell out" in sentence for sentence in report.unplanned)


def test_without_events_the_time_of_the_last_update_decides() -> None:
    text = "".join(
        f"{line}\n" for line in _examined("two-reports-letters-moved.mixed").splitlines() if " Events : " not in line
    )
    for year, members in (("2021", "sda1 sdb1 sdc1"), ("2031", "sdd1 sdb1 sdc1")):
        report = read_report(text.replace("Jun 18 08:56:43 2021", f"Jun 18 08:56:43 {year}"))
        assert " ".join(map(_id, report.plan.members)) == members


_TWO = """Personalities : [raid1] [raid6] [raid5] [raid4]
md2 : active raid5 sda3[0] sdc3[2] sdb3[1]
      1953260544 blocks super 1.2 level 5, 64k chunk, algorithm 2 [3/3] [UUU]
md0 : active raid1 sda1[0] sdc1[2] sdb1[1]
      2490176 blocks [3/3] [UUU]
unused devices: <none>
"""


@pytest.mark.parametrize("chosen", ["md2", "/dev/md2"])
def test_an_array_of_a_whole_machine_may_be_chosen(chosen: str) -> None:
    assert " ".join(map(_id, read_report(_TWO, chosen=chosen).plan.members)) == "sda3 sdb3 sdc3"
    with pytest.raises(InputError, match="choose it by --array"):
        read_report(_TWO)
    with pytest.raises(InputError, match="/dev/md2 and /dev/md0"):
        read_report(_TWO, chosen="md5")
    several = _examined("17-rescue-several-arrays.txt")
    assert [read_report(several, chosen=one).plan.name for one in ("5", "rescue:4")] == ["5", "4"]


def test_an_array_of_arrays_may_be_chosen_with_its_members() -> None:
    text = _TWO + _examined("b1-nested.detail.txt")
    [node] = {line.rstrip(":") for line in text.splitlines() if line.startswith("/dev/md/") and "in" not in line}
    assert read_report(text, chosen=node).plan == read_report(_examined("b1-nested.detail.txt")).plan


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: " ".join(text.split()),
        lambda text: "root@nas:~# mdadm --detail /dev/md0 " + " ".join(text.split()),
        lambda text: "".join(f"+{line}\n" for line in text.splitlines()),
        lambda text: "".join(f"mdadm-1  | {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"2024-05-01T01:02:03.1Z stdout F {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"{number:>5}  {line}\n" for number, line in enumerate(text.splitlines(), 1)),
        lambda text: "".join(f"# {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"OUT {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"    nas.example.com> {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"00:01:02.345 INFO {line}\n" for line in text.splitlines()),
    ],
    ids=[
        "one line",
        "behind a command",
        "a diff",
        "docker compose",
        "a container's log",
        "cat -n",
        "a comment",
        "pssh",
        "a prompt",
        "a program's log",
    ],
)
@pytest.mark.parametrize("name", ["write-mostly.detail.txt", "name-with-space.examine.txt"])
def test_prefixes_and_lost_line_breaks_hide_no_table(name: str, changed: Callable[[str], str]) -> None:
    assert read_report(changed(_examined(name))).plan == read_report(_examined(name)).plan


@pytest.mark.parametrize(
    ("level", "counts", "is_refused"),
    [
        ("raid6", "[6/3] [UU_U__]", True),
        ("raid6", "[6/4] [UUUU__]", False),
        ("raid1", "[3/1] [U__]", False),
        ("raid10", "[6/2] [UU____]", True),
        ("raid10", "[6/3] [U_U_U_]", False),
    ],
)
def test_mdstats_counts_are_held_against_what_the_level_needs(level: str, counts: str, is_refused: bool) -> None:
    devices = " ".join(f"sd{'abcdef'[number]}1[{number}]" for number in range(int(counts[1])))
    shape = {"raid6": "level 6, 512k chunk, algorithm 2 ", "raid10": "512K chunks 2 near-copies "}.get(level, "")
    text = f"md0 : active {level} {devices}\n      5860147200 blocks super 1.2 {shape}{counts}\n"
    if is_refused:
        with pytest.raises(InputError, match="has failed"):
            read_report(text)
    else:
        assert read_report(text).plan.level == level


def test_superblocks_of_some_members_say_the_sizes_of_their_disks() -> None:
    text = (_FOLDER / "detail-and-a-fallen-disk.mixed").read_text(encoding="utf-8")
    for old, new in (("/dev/sdf", "/dev/sdc"), ("Active device 1", "Active device 2"), (": 1200", ": 273200")):
        text = text.replace(old, new)
    told = read_report(text, lambda _path: None)
    sizes = {member.id: member.size_bytes for member in told.plan.disks()}
    assert sizes["sdc"] == 3_000_592_982_016  # its data and what lies before them: a 3 TB disk
    assert told.plan.data_offset_kib == 259_072 // 2
    assert "data_offset_kib" in told.plan.unknown  # of the others it isn't known
    unsaid = "\n".join(map(str, told.unsaid))
    assert "/dev/sde and /dev/sdb, not examined: where they do on the others is taken." in unsaid
    assert "so much as the array needs is taken: /dev/sde, /dev/sdb." in unsaid
    assert "--assume-clean" not in recovery_card(Plan(told.plan))


@pytest.mark.parametrize("columns", range(55, 62))
def test_a_rows_device_that_a_windows_width_has_cut_is_whole_again(columns: int) -> None:
    text = _examined("printed-4.4-detail-of-before.mixed").split("/dev/sda:")[0]
    folded = "".join(
        f"{line[at : at + columns]}\n" for line in text.splitlines() for at in range(0, max(1, len(line)), columns)
    )
    assert folded.count("\n") >= text.count("\n") + 3
    assert read_report(folded).plan == read_report(text).plan
