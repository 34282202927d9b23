"""Lockless bitmaps, and the Linux and mdadm that an array needs: refused, found, on the card, and by --mdadm."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.analysis.findings.collect import findings_of
from raidwright.analysis.findings.finding import Severity
from raidwright.analysis.findings.of_host import findings_of_host, refuse_on_host
from raidwright.cli import main
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.mdadm_versions import KNOWN, MDADM_4_4, MDADM_4_6
from raidwright.core.md.needs import needs_of, refuse_needs
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Metadata, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.facts import HostFacts
from raidwright.export.needs import starts_on
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.reading.mdadm_reports import read_report
from raidwright.reading.pasted import member_named, plan_of, read_paste
from raidwright.reading.plans import loads_plan
from raidwright.text.reports.of_plan import report

from .making_plans import equal, grouped, member, plan

LOCKLESS = replace(equal("raid5", 3), bitmap=Bitmap.LOCKLESS)


def test_a_lockless_bitmap_is_said_to_mdadm_and_kept_in_a_file() -> None:
    (command,) = create_commands(LOCKLESS)
    assert "--bitmap=lockless" in command.argv
    assert loads_plan(json.dumps(dump_plan(Plan(LOCKLESS)))).array == LOCKLESS
    read = plan_of(read_paste(command.shell()), lambda path: member_named(path, LOCKLESS.members[0].size_bytes))  # type: ignore[union-attr]
    assert read.bitmap is Bitmap.LOCKLESS


@pytest.mark.parametrize("metadata", [Metadata.V0_90, Metadata.V1_0, Metadata.V1_1])
def test_a_lockless_bitmap_is_of_metadata_1_2(metadata: Metadata) -> None:
    with pytest.raises(PlanRefused, match=r"1\.2 alone"):
        capacity_of(replace(LOCKLESS, metadata=metadata))
    with pytest.raises(PlanRefused, match="by itself"):
        capacity_of(replace(LOCKLESS, bitmap_chunk_kib=65536))
    with pytest.raises(PlanRefused, match="would overlap the bitmap"):
        capacity_of(replace(LOCKLESS, data_offset_kib=64))


NEEDS: list[tuple[MdArray, tuple[int, int] | None]] = [
    (LOCKLESS, (6, 18)),
    (replace(equal("raid5", 3), consistency=Consistency.PPL), (4, 12)),
    (replace(equal("raid5", 3), journal=member("j")), (4, 4)),
    (plan("raid0", 2**24, 2**25), (5, 4)),
    (plan("raid0", 2**24, 2**25, layout="dangerous"), None),
    (equal("raid0", 2), None),
    (replace(equal("raid6", 4), bitmap=Bitmap.INTERNAL), None),
    (grouped("raid0", "raid1", 2, 2), None),
]


@pytest.mark.parametrize(("made", "kernel"), NEEDS)
def test_the_least_kernel_is_found_and_on_the_card(made: MdArray, kernel: tuple[int, int] | None) -> None:
    needs = needs_of(made)
    assert (needs[0].kernel if needs else None) == kernel
    found = [finding for finding in findings_of(Plan(made)) if finding.code == "least-kernel"]
    assert bool(found) == (kernel is not None)
    assert all((finding.severity is Severity.WARNING) == (made is LOCKLESS) for finding in found)  # of mdadm 4.6
    line = next(line for line in recovery_card(Plan(made)).splitlines() if line.startswith("Starts on:"))
    assert ("any Linux of today" in line) == (kernel is None)
    assert "6.19" in line
    if kernel:
        least = max((str(need.mdadm) for need in needs if need.mdadm), default="")
        assert f"Linux {needs[0].kernel_text} and mdadm {least} or later" in line
        refuse_needs(made, MDADM_4_6, kernel)
        with pytest.raises(PlanRefused, match="or later, and this is"):
            refuse_needs(made, None, (kernel[0], kernel[1] - 1))


def test_old_metadata_has_no_logical_block_size() -> None:
    assert "6.19" not in starts_on(replace(equal("raid1", 2), metadata=Metadata.V0_90))


def test_an_mdadm_that_cannot_is_refused() -> None:
    with pytest.raises(PlanRefused, match=r"lockless bitmap: that needs mdadm 4\.6"):
        refuse_needs(LOCKLESS, MDADM_4_4)


@pytest.mark.parametrize("version", [str(one) for one in KNOWN])
def test_each_command_goes_by_the_mdadm_that_is_named(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(dump_plan(Plan(LOCKLESS))), encoding="utf-8")
    wanted = 0 if version == "4.6" else 2
    paste = "mdadm -C /dev/md/t -l1 -n2 --bitmap=lockless /dev/sd[ab]"
    assert main(["export", str(file), "--as", "mdadm", "--mdadm", version]) == wanted
    assert main(["assess", str(file), "--mdadm", version]) == wanted
    capsys.readouterr()
    assert main(["explain", paste, "--disk-size", "4TB", "--mdadm", version]) == wanted
    said = " ".join(capsys.readouterr().out.split())
    assert ("that needs mdadm 4.6" in said) == (version != "4.6")
    assert "experimental" in said


def test_an_examined_bitmap_says_that_it_is_lockless() -> None:
    folder = Path(__file__).parent / "foreign" / "reports"
    detail = (folder / "replacement.detail.txt").read_text(encoding="utf-8")
    bitmap = "\n        Filename : /dev/sdb\n           Magic : 6d746962\n         Version : {version}\n"
    bitmap += "            UUID : 1:2:3:4\n       Chunksize : 64 MB\n"
    for version, kind in (("4", Bitmap.INTERNAL), ("6", Bitmap.LOCKLESS)):
        text = f"{detail}\n     Intent Bitmap : Internal\n{bitmap.format(version=version)}"
        assert read_report(text).plan.bitmap is kind


@pytest.mark.parametrize(
    ("kind", "words"), [("clustered", "several computers"), ("/var/bitmap", "mdadm 4.4 and later")]
)
def test_other_bitmaps_are_told_for_what_they_are(kind: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_paste(f"mdadm -C /dev/md0 -l1 -n2 --bitmap={kind} /dev/sd[ab]")


def _found(made: MdArray, kernel: str) -> set[str]:
    return {finding.code for finding in findings_of_host(Plan(made), HostFacts("nas", kernel, "4.4"))}


@pytest.mark.parametrize(
    ("kernel", "is_bound"),
    [("7.0.14-5-pve", True), ("6.19.0-rc1", True), ("6.18.12", False), ("6.12.57+deb13-amd64", False), ("", False)],
)
def test_a_new_kernel_binds_what_it_makes_to_new_kernels(kernel: str, is_bound: bool) -> None:
    made = grouped("raid0", "raid1", 2, 2)
    assert _found(made, kernel) == ({"made-by-new-kernel"} if is_bound else set())
    assert not _found(replace(equal("raid1", 2), metadata=Metadata.V0_90), kernel)


def test_the_machines_own_kernel_and_mdadm_refuse() -> None:
    for host, words in (
        (HostFacts("nas", "6.12.57+deb13-amd64", "4.6"), r"Linux 6\.18 or later, and this is 6\.12"),
        (HostFacts("nas", "7.0.14-5-pve", "4.4"), r"mdadm 4\.6 or later, and this is 4\.4"),
    ):
        with pytest.raises(PlanRefused, match=words):
            refuse_on_host(Plan(LOCKLESS), host)
    refuse_on_host(Plan(LOCKLESS), HostFacts("nas", "7.0.14", "4.6"))
    refuse_on_host(Plan(LOCKLESS), HostFacts())  # nothing is known of it
    for kernel in ("6.7.9", "6.14.0"):
        refuse_on_host(Plan(equal("linear", 2)), HostFacts("nas", kernel, "4.2"))
    for kernel in ("6.8.0-31-generic", "6.13.1"):
        with pytest.raises(PlanRefused, match="can't run a linear array"):
            refuse_on_host(Plan(equal("linear", 2)), HostFacts("nas", kernel, "4.2"))


def test_a_card_says_for_certain_what_the_makers_kernel_decided() -> None:
    made = equal("raid5", 3)
    old, new = (recovery_card(Plan(made), BuiltArray("1:2:3:4", made_by=kernel)) for kernel in ((6, 12), (7, 0)))
    assert "any Linux of today" in old
    assert "6.19" not in old
    assert "Linux 6.19 or later (The logical block size in its metadata)" in new
    assert "Linux 6.19 or later" in report(Plan(made), made_by=(7, 0))
    assert "6.19" not in report(Plan(made), made_by=(6, 1))


def test_a_lockless_bitmap_is_not_advised_a_chunk_that_mdadm_would_refuse() -> None:
    plan = replace(equal("raid5", 3, None, 15628053168), bitmap=Bitmap.LOCKLESS)
    assert "bitmap-cost" not in {finding.code for finding in findings_of(Plan(plan), {})}
