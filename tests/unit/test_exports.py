"""A plan's export formats: valid by each format's own checker, and with the helper's own commands in it."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as XmlTree

import pytest
from raidwright.analysis.geometry.of_plan import Role, geometry_of
from raidwright.analysis.geometry.states import CellState
from raidwright.analysis.imagined import imagined_disks, is_practised
from raidwright.cli import main
from raidwright.colours import LIGHT
from raidwright.core.errors import InputError
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import array_path
from raidwright.core.model.plan import MdArray, Member, Metadata, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Scheduler, Tuning
from raidwright.export.surroundings import Surroundings, mkfs_words
from raidwright.lab.disks.identity import wwn
from raidwright.lab.shelf import disks_from_text, names_of_kinds
from raidwright.runs.run import Run, RunResult
from raidwright.runs.store import Runs
from raidwright.text.plan.exports import FORMS, ExportRequest
from raidwright.text.reports.shopping_list import Prices, shopping_list
from raidwright.text.reports.stage_svg import stage_svg
from raidwright.ui.stations.plan.stage.paint import Look
from raidwright.ui.stations.plan.stage.scene import scene_of

from .making_plans import LAYOUTS, equal, grouped, member, slice_of

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
TANK = replace(equal("raid10", 4, "f2"), name="tank")
SERIAL = Member("ata-Disk_O'Neil", 8 * 10**12, "Maker's disk", 'S 1$(reboot)`id`"')
VARIANTS = {
    **{f"{level} {layout}": Plan(equal(level, 4, layout)) for level in Level for layout in LAYOUTS[level][:2]},
    "nested": Plan(grouped("raid0", "raid1", 2, 2)),
    "spare, journal": Plan(replace(equal("raid5", 3), spares=(member("spare"),), journal=member("log"))),
    "spare alone": Plan(replace(equal("raid6", 5), spares=(member("spare"),), metadata=Metadata.V1_0)),
    "slot left empty": Plan(replace(equal("raid1", 2), members=(member("one"), None))),
    "slices": Plan(MdArray(Level.RAID1, (slice_of("a", 1), slice_of("b", 1)))),
    "names that a shell would read": Plan(MdArray(Level.RAID1, (SERIAL, member("b")))),
}


def named(plan: Plan, name: str) -> Plan:
    """Return ``plan`` under that name."""
    return plan.on(replace(plan.array, name=name))


AROUND = {
    "plain": Surroundings(),
    "all": Surroundings(
        FileSystemKind.XFS,
        "/mnt/files",
        "someone@example.org",
        Tuning(read_ahead_kib=4096, stripe_cache_size=4096, scheduler=Scheduler.BFQ),
        {"disk-0": ("1:ext4", "PMBR", "gpt")},
    ),
    "no file system": Surroundings(None),
}


def _text(form: str, plan: Plan, around: str = "plain") -> str:
    return FORMS[form].text(ExportRequest(plan, AROUND[around]))


@pytest.mark.parametrize("around", AROUND)
def test_every_script_is_clean_to_shellcheck(around: str, tmp_path: Path) -> None:
    files = []
    for number, plan in enumerate(VARIANTS.values()):
        files.append(tmp_path / f"{number}.sh")
        files[-1].write_text(_text("script", named(plan, f"tank-{number}"), around), encoding="utf-8")
    done = subprocess.run(["shellcheck", *files], capture_output=True, text=True, check=False)  # noqa: S607
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("title", VARIANTS)
@pytest.mark.parametrize("form", ["script", "ansible"])
def test_the_commands_are_the_helpers(title: str, form: str) -> None:
    plan = named(VARIANTS[title], "tank")
    text = _text(form, plan)
    for command in create_commands(plan.top, asks=False):
        for word in command.argv:
            if word.startswith("--") and not word.startswith("--write-journal"):
                assert shlex.quote(word) in text
    for word in mkfs_words(plan, FileSystemKind.EXT4, "@"):
        assert word == "@" or word in text


def test_all_looking_comes_before_the_first_write() -> None:
    lines = _text("script", Plan(grouped("raid0", "raid1", 2, 2))).splitlines()
    looks = [number for number, line in enumerate(lines) if line.startswith("    look ")]
    makes = [number for number, line in enumerate(lines) if line.startswith("    mdadm --create")]
    assert len(looks) == 4
    assert len(makes) == 3
    assert max(looks) < min(makes)


def test_serials_and_sizes_are_verified() -> None:
    text = _text("script", Plan(MdArray(Level.RAID1, (SERIAL, member("b")), name="tank")))
    assert f"look {shlex.join(['/dev/disk/by-id/' + SERIAL.id, SERIAL.serial, str(SERIAL.size_bytes)])}\n" in text


@pytest.mark.parametrize(
    ("around", "sentence"),
    [
        (Surroundings(place="/etc"), "right below /srv or /mnt"),
        (Surroundings(mail="a b; reboot"), "user of this computer"),
    ],
)
@pytest.mark.parametrize("form", ["script", "ansible", "cloud-init", "fstab"])
def test_what_no_file_could_say_is_refused(around: Surroundings, sentence: str, form: str) -> None:
    with pytest.raises(InputError, match=sentence):
        FORMS[form].text(ExportRequest(Plan(TANK), around))


def test_cloud_config_carries_the_script() -> None:
    text, script = _text("cloud-init", Plan(TANK)), _text("script", Plan(TANK))
    carried = text.partition("content: |\n")[2].partition("runcmd:")[0]
    assert text.startswith("#cloud-config\n")
    assert "".join(line.removeprefix("      ") for line in carried.splitlines(keepends=True)) == script


def test_lines_for_the_systems_files() -> None:
    wanted = ExportRequest(Plan(TANK), Surroundings(), UUID, "0a1b2c3d-0000-4000-8000-000000000000")
    assert FORMS["mdadm.conf"].text(wanted) == f"ARRAY {array_path('tank')} metadata=1.2 UUID={UUID}\n"
    assert FORMS["fstab"].text(wanted).startswith("UUID=0a1b2c3d-0000-4000-8000-000000000000 /srv/tank ext4 nofail,")
    assert "blkid" in _text("fstab", Plan(TANK))
    assert (
        _text("mdadm.conf", Plan(replace(grouped("raid0", "raid1", 2, 2), name="nest"))).count("ARRAY /dev/md/nest")
        == 3
    )
    with pytest.raises(InputError, match="nothing for fstab"):
        _text("fstab", Plan(TANK), "no file system")


class _Tags(HTMLParser):
    """Checks that every opened tag is closed, and there is no script."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 -- the parser's own signature
        self.seen.add(tag)
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("title", ["raid10 n2", "nested", "slot left empty", "names that a shell would read"])
def test_a_report_is_one_whole_page(title: str) -> None:
    page = _text("report", named(VARIANTS[title], "tank"))
    tags = _Tags()
    tags.feed(page)
    assert not tags.open
    assert {"svg", "table", "h2"} <= tags.seen
    assert not tags.seen & {"script", "link", "img"}
    assert SERIAL.serial not in page or "<" not in SERIAL.serial
    assert "Over 5 years the chance" in page


@pytest.mark.parametrize("title", VARIANTS)
def test_the_picture_shows_every_member(title: str) -> None:
    plan = VARIANTS[title]
    picture = XmlTree.fromstring(stage_svg(plan))  # noqa: S314 -- our own
    texts = [element.text for element in picture.iter() if element.tag.endswith("text")]
    count = sum(len(one.members) if isinstance(one, MdArray) else 1 for one in plan.array.members)
    assert [text for text in texts if text and text.startswith("Slot ")] == [f"Slot {slot}" for slot in range(count)]


@pytest.mark.parametrize("title", VARIANTS)
def test_the_picture_has_the_colours_of_the_stage(title: str) -> None:
    plan = VARIANTS[title]
    geometry = geometry_of(plan)
    count = min(12, geometry.rows - geometry.first_row)
    [band, *_far] = scene_of(geometry, 0, count).bands
    wanted = [
        Look(Role(role), colour, CellState.INTACT).ground(LIGHT) if colour >= 0 else LIGHT.sunken
        for slot in range(geometry.members)
        for role, colour in zip(band.cells.role[:, slot].tolist(), band.colour[:, slot].tolist(), strict=True)
    ]
    picture = XmlTree.fromstring(stage_svg(plan))  # noqa: S314 -- our own
    assert [element.get("fill") for element in picture.iter() if element.tag.endswith("rect")] == wanted


def test_columns_that_imagined_disks_leave_empty_are_left_out() -> None:
    bought = replace(TANK, members=tuple(replace(disk, model="WD", serial=disk.id[-1]) for disk in TANK.disks()))
    for head in ("Model", "Serial"):
        assert f"<th>{head}</th>" in _text("report", Plan(bought))
        assert f"<th>{head}</th>" not in _text("report", Plan(TANK))
    assert "<th>Name</th>" in _text("report", Plan(TANK))


@pytest.fixture
def tank_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plan's file, with no measurements."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(dump_plan(Plan(TANK))), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", [form for form in FORMS if not FORMS[form].is_printed])
def test_every_form_is_printed_or_goes_into_a_file(
    form: str, tank_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(tank_file), "--as", form]) == 0
    printed = capsys.readouterr().out
    assert "tank" in printed
    made = tank_file.with_name("made")
    assert main(["export", str(tank_file), "--as", form, "-o", str(made)]) == 0
    assert made.read_text(encoding="utf-8") == printed


def test_a_pdf_wants_a_file_that_can_be_written(tank_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tank_file), "--as", "pdf"]) == 2
    assert "-o FILE.pdf" in capsys.readouterr().err
    assert main(["export", str(tank_file), "--as", "pdf", "-o", str(tank_file.parent)]) == 2
    assert "can't be written" in capsys.readouterr().err
    made = tank_file.with_name("tank.pdf")
    assert main(["export", str(tank_file), "--as", "pdf", "-o", str(made)]) == 0
    assert made.read_bytes().startswith(b"%PDF-")


def test_a_report_tells_of_the_arrays_own_runs(tank_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def kept(number: int, mb_s: float, target: str, plan: Plan) -> Run:
        result = RunResult("sequential_read", 15.0, mb_s, mb_s, 9.8)
        started = datetime(2026, 11, 20, 14, number, tzinfo=UTC)
        context = {"plan": dump_plan(plan)}
        about: dict[str, Any] = {"machine": "here", "workload": "sequential_read", "context": context}
        return Run(id=f"run-{number}", started=started, target=target, result=result, **about)

    other = "md:ffffffff:ffffffff:ffffffff:ffffffff"
    Runs().add(
        [
            kept(1, 411, f"md:{UUID}", Plan(TANK)),
            kept(2, 823, f"md:{UUID}", Plan(TANK)),
            kept(3, 77.7, other, Plan(equal("raid5", 3))),
        ]
    )
    for more in ([], ["--uuid", UUID]):
        assert main(["export", str(tank_file), "--as", "report", *more]) == 0
        page = capsys.readouterr().out
        assert page.index(">823<") < page.index(">411<")
        assert ">77.7<" not in page
        assert "Measured against predicted" in page
        assert ">2.00<" in page.partition("The newest runs against those before")[2]
    assert main(["export", str(tank_file), "--as", "report", "--uuid", other.removeprefix("md:")]) == 0
    page = capsys.readouterr().out
    assert ">77.7<" in page
    assert "The newest runs against" not in page


def test_an_export_wants_a_plan_or_an_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export"]) == 2
    assert "--array" in capsys.readouterr().err


def _bought(pool: str, level: Level, *, spares: int = 0) -> Plan:
    members = tuple(disk.as_member() for disk in imagined_disks(pool, kind="hdd7200"))
    count = len(members) - spares
    return Plan(MdArray(level, members[:count], spares=members[count:], chunk_kib=512))


def test_a_shopping_list_has_disks_slots_and_prices() -> None:
    plan = _bought("3x8TB+2x4TB", Level.RAID5, spares=1)
    prices = Prices(
        {disk.size_bytes: price for disk, price in zip(plan.disks(), (160, 160, 160, 90.5), strict=False)}, "EUR"
    )
    lines = shopping_list(plan, prices).splitlines()
    assert "3 × 8 TB, 7200 rpm  0–2       160.00 EUR  480.00 EUR" in lines
    assert "2 × 4 TB, 7200 rpm  3, spare  90.50 EUR   181.00 EUR" in lines
    assert any(line.startswith("Sum: 661.00 EUR, which is 55.0") for line in lines)  # of 12.0 TB
    assert any("CMR" in line for line in lines)


def test_a_shopping_list_leaves_out_disks_that_are_there() -> None:
    told = shopping_list(Plan(TANK.each_disk(lambda disk: replace(disk, id=f"wwn-{disk.id}", serial="S1"))))
    assert "4 disks are there already" in told
    assert "Nothing to buy" in told


def test_disks_of_a_practice_machine_are_still_to_be_bought() -> None:
    kinds = disks_from_text("+".join(f"2x1TB:{kind}" for kind in (*names_of_kinds(), "memory")))
    names = [f"{form}{wwn(disk).hex()}" for disk in kinds for form in ("wwn-0x", "scsi-3")]
    assert all(map(is_practised, names))
    assert not any(map(is_practised, ("wwn-0x5000c500a1b2c3d4", "disk-1", "wwn-0x600605b00a1b2c3d4e5f60718293a4b5")))
    plan = _bought("4x8TB", Level.RAID6)
    moved = plan.each_disk(
        lambda disk: replace(disk, id=names[2 * int(disk.id[-1])], model="Seagate ST8000NM000A", serial="WKD00001")
    )
    assert shopping_list(moved) == shopping_list(plan)


def test_a_missing_price_leaves_no_sum() -> None:
    plan = _bought("3x8TB+1x12TB", Level.RAID5)
    told = shopping_list(plan, Prices({plan.array.members[0].size_bytes: 160}))  # type: ignore[union-attr]
    assert "Sum" not in told
    assert "480.00" in told


def test_a_shopping_list_takes_prices_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(dump_plan(_bought("4x8TB", Level.RAID6))), encoding="utf-8")
    assert main(["export", str(path), "--as", "shopping-list", "--price", "8TB=160", "--currency", "EUR"]) == 0
    assert "Sum: 640.00 EUR" in capsys.readouterr().out
    assert main(["export", str(path), "--as", "card", "--currency", "EUR"]) == 2
    assert main(["export", str(path), "--as", "shopping-list", "--price", "8TB"]) == 2


def test_what_builds_an_array_is_not_exported_for_one_that_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("script", "mdadm", "ansible", "cloud-init"):
        assert main(["export", "--array", "tank", "--as", form]) == 2
        assert "tank exists, and what builds it would overwrite it" in capsys.readouterr().err
