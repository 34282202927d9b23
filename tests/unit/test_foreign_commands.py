"""Commands as pages, mails and configurations have them, each with what is right of it; ``foreign/commands``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.analysis.findings.of_commands import findings_of_paste
from raidwright.cli import main
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.md.mdadm_versions import KNOWN, MDADM_4_2, MDADM_4_3, MDADM_4_4, MDADM_4_5, MDADM_4_6, MdadmVersion
from raidwright.reading.mdadm_rules import OPTION_SPANS, refusing_versions, why_no_name
from raidwright.reading.pasted import Pasted, plan_of, read_paste, refuse_options
from raidwright.reading.pasted import member_named as named

_FOLDER = Path(__file__).parent / "foreign" / "commands"


def _read(name: str) -> Pasted:
    return read_paste((_FOLDER / name).read_text(encoding="utf-8"))


def _said(pasted: Pasted) -> str:
    return " ".join(str(word.why) for words in pasted.words for word in words)


def _codes(pasted: Pasted) -> set[str]:
    return {finding.code for finding in findings_of_paste(pasted)}


_MADE = {  # by file: level and members, and findings that it has
    "docker-sh-c.cmd": ("raid1", "/dev/sdb /dev/sdc", set()),
    "here-document-yes.cmd": ("raid0", "/dev/xvdb /dev/xvdc", {"unasked"}),
    "here-string-yes.cmd": ("raid1", "/dev/sda /dev/sdb", {"unasked"}),
    "emphasised.cmd": ("raid1", "/dev/sdb /dev/sdc", {"short-lived-names"}),
    "homehost-none.cmd": ("raid1", "/dev/sda /dev/sdb", set()),
    "image-files.cmd": ("raid0", "/scratch/3g-1.img /scratch/3g-2.img", set()),
    "logical-volumes.cmd": ("raid1", "/dev/VG0/lv1 /dev/VG0/lv2", set()),
    "name-with-blank.cmd": ("raid1", "/dev/sda /dev/sdb", {"renamed", "name-refused"}),
    "name-with-colon.cmd": ("raid1", "/dev/sda /dev/sdb", {"name-refused"}),
    "name-with-dot-first.cmd": ("raid1", "/dev/sda1 /dev/sdb1", {"renamed", "name-refused"}),
    "puppet-exec.cmd": ("raid10", "/dev/sdb /dev/sdc /dev/sdd /dev/sde", set()),
    "sh-c-with-a-pipe.cmd": ("raid0", "/dev/sdb /dev/sdc", {"unasked"}),
    "source-of-c.cmd": ("raid0", "/dev/nvme0n1 /dev/nvme1n1", {"unasked"}),
    "terraform-inline.cmd": ("raid0", "/dev/xvdf /dev/xvdg", set()),
    "which-mdadm.cmd": ("raid0", "/dev/xvdb /dev/xvdc", set()),
    "write-behind-without-bitmap.cmd": ("raid1", "/dev/sda1 /dev/sdb1", set()),
}
_EXPLAINED = {  # by file: words that are in the explanation
    "build-default-chunk.cmd": "mdadm's own choice is 64 KiB",
    "faulty-and-missing.cmd": "Every device that the array has lost and that is there again",
    "freeze-reshape.cmd": "mdadm before 4.5 alone has it",
    "homehost-none.cmd": "<none>: no home host is written or asked for",
    "image-files.cmd": "A file, which mdadm refuses",
    "systemd-assemble.cmd": "Start an array from the members that it already has",
}
_REFUSED = {
    "ansible-variables.cmd": "What “{{ array_device }}” stands for",
    "name-too-long.cmd": "44 letters, and mdadm takes 32",
    "tldr-page.cmd": "What “{{/dev/md/MyRAID}}” stands for",
}


@pytest.mark.parametrize("name", _MADE)
def test_the_command_is_found_and_read(name: str) -> None:
    level, members, codes = _MADE[name]
    pasted = _read(name)
    assert (str(pasted.whole.level), " ".join(map(str, pasted.whole.members))) == (level, members)
    assert codes <= _codes(pasted)
    assert "unasked" in codes or "unasked" not in _codes(pasted)


@pytest.mark.parametrize("name", _EXPLAINED)
def test_each_word_is_explained_as_what_it_is(name: str) -> None:
    said = _said(_read(name))
    assert _EXPLAINED[name] in said
    assert "another disk after the next start" not in said or name in (
        "build-default-chunk.cmd",
        "freeze-reshape.cmd",
        "homehost-none.cmd",
    )


@pytest.mark.parametrize("name", _REFUSED)
def test_a_command_is_refused_for_its_true_reason(name: str) -> None:
    with pytest.raises(InputError) as refused:
        _read(name)
    assert _REFUSED[name] in str(refused.value)


def test_every_command_has_its_answer() -> None:
    assert {path.name for path in _FOLDER.iterdir()} == {*_MADE, *_EXPLAINED, *_REFUSED}


def _is_refused(pasted: Pasted, version: MdadmVersion) -> str:
    try:
        refuse_options(pasted, version)
    except PlanRefused as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("name", "refusing"),
    [
        ("name-with-colon.cmd", {MDADM_4_3, MDADM_4_4}),
        ("name-with-blank.cmd", {MDADM_4_3, MDADM_4_4}),
        ("name-with-dot-first.cmd", {MDADM_4_4}),
        ("write-behind-without-bitmap.cmd", {MDADM_4_2, MDADM_4_3}),
        ("freeze-reshape.cmd", {MDADM_4_5, MDADM_4_6}),
        ("image-files.cmd", set(KNOWN)),
        ("which-mdadm.cmd", set()),
    ],
)
def test_what_a_version_refuses_is_refused_for_it_alone(name: str, refusing: set[MdadmVersion]) -> None:
    """4.2, 4.4 and 4.6 were run with these; 4.3 and 4.5 by their source."""
    assert {version for version in KNOWN if _is_refused(_read(name), version)} == refusing


@pytest.mark.parametrize(
    ("name", "refusing"),
    [
        ("tank", ()),
        ("v1.0", ()),
        ("data+1", (MDADM_4_3, MDADM_4_4)),
        ("é", (MDADM_4_3, MDADM_4_4)),
        ("-tank", (MDADM_4_3, MDADM_4_4)),
        ("a" * 32, ()),
        ("a" * 33, KNOWN),
    ],
)
def test_names_by_version(name: str, refusing: tuple[MdadmVersion, ...]) -> None:
    assert refusing_versions(name) == refusing
    assert all(why_no_name(name, version) for version in refusing)


def test_options_by_version() -> None:
    has = {name: [str(version) for version in KNOWN if span.has(version)] for name, span in OPTION_SPANS.items()}
    assert has == {
        "write-zeroes": ["4.3", "4.4", "4.5", "4.6"],
        "logical-block-size": ["4.5", "4.6"],
        "freeze-reshape": ["4.2", "4.3", "4.4"],
        "symlinks": ["4.2"],
    }


@pytest.mark.parametrize(
    ("command", "refusing"),
    [
        ("--write-behind=256 --bitmap=internal", set()),
        ("--write-behind=256 --bitmap=none", {MDADM_4_4, MDADM_4_5, MDADM_4_6}),
        ("--write-behind=256 --run", set(KNOWN)),
        ("--symlinks=yes", set(KNOWN) - {MDADM_4_2}),
    ],
)
def test_write_behind_and_symlinks_by_version(command: str, refusing: set[MdadmVersion]) -> None:
    pasted = read_paste(f"mdadm --create /dev/md/tank -l1 -n2 {command} /dev/sda /dev/sdb")
    assert {version for version in KNOWN if _is_refused(pasted, version)} == refusing


_CREATE = "mdadm --create /dev/md0 -l1 -n2 /dev/sda1 /dev/sdb1"


@pytest.mark.parametrize(
    ("text", "is_answered"),
    [
        (f"sudo sh -c '{_CREATE}'", False),
        (f"bash -lc \"echo y | {_CREATE}\"", True),
        (f"yes | sudo sh -c '{_CREATE} && mkfs.ext4 /dev/md0'", True),
        (f"docker run --rm --privileged debian sh -c 'apt-get update && {_CREATE}'", False),
        (f"[Service]\nType=oneshot\nExecStart=/usr/sbin/{_CREATE}\n", False),
        (f"ExecStartPre=-/sbin/{_CREATE}\n", False),
        (f'inline = [\n    "sudo {_CREATE}",\n    "mkfs.xfs /dev/md0",\n]\n', False),
        (f"exec {{ 'mkraid':\n  command => '/sbin/{_CREATE}',\n  creates => '/dev/md0',\n}}\n", False),
        (f"execute 'raid' do\n  command \"{_CREATE}\"\nend\n", False),
        (f"spawn {_CREATE}\nexpect \"Continue creating array?\"\nsend \"y\\r\"\n", True),
        (f"{_CREATE.replace('mdadm', '$(which mdadm)')}\n", False),
        (f"{_CREATE.replace('mdadm', '`command -v mdadm`')}\n", False),
        (f"{_CREATE} <<< 'y'\n", True),
        (f"{_CREATE} <<-'END'\ny\nEND\ncat /proc/mdstat\n", True),
        (f"su -c '{_CREATE}'", False),
        (f'system("echo `yes | {_CREATE} 2>&1` > /dev/null");', True),
        (f"out = `yes | {_CREATE}`\n", True),
        (f"OUT=$(yes | {_CREATE})\n", True),
        (f"(echo y) | {_CREATE}\n", True),
        (f"Use *{_CREATE}* then\n", False),
        (f"run **sudo {_CREATE}**.\n", False),
        (f"run _{_CREATE}_, and wait\n", False),
        (f"- Create array:\n\n`sudo {_CREATE}`\n", False),
        (f"[code]{_CREATE}[/code]", False),
        (f"[FONT=lucida console]{_CREATE}[/FONT]", False),
        (f"\\texttt{{{_CREATE}}}", False),
        (f"[source,bash]\n----\n# {_CREATE}\n----\n", False),
        (f'- command: {_CREATE} creates=/dev/md0\n', False),
        ("- command:\n    argv:\n" + "".join(f"      - {word}\n" for word in _CREATE.split()), False),
        ("".join(f'  - "{word}"\n' for word in _CREATE.split()), False),
        (f"spawn('mdadm', {_CREATE.split()[1:]})", False),
        ('Command::new("mdadm")' + "".join(f'.arg("{word}")' for word in _CREATE.split()[1:]), False),
        (f'provisioner "remote-exec" {{\n  inline = ["{_CREATE}"]\n}}\n', False),
        (f'{{"script": "#!/bin/sh\\n{_CREATE}\\nmkfs.ext4 /dev/md0\\n"}}', False),
        (f"raid:\n\t@{_CREATE}\n", False),
        (_CREATE.replace("mdadm", "${pkgs.mdadm}/bin/mdadm"), False),
        (_CREATE.replace("mdadm", '$MDADM'), False),
        (f"[12:34:56] root@nas ~ # {_CREATE}\n", False),
        (f"# create: {_CREATE}\n", False),
    ],
)  # fmt: skip
def test_a_command_inside_another_is_found(text: str, is_answered: bool) -> None:
    """Shells, containers, systemd's units, Terraform, Puppet, Chef, expect and here-documents."""
    [command] = read_paste(text).commands
    assert (str(command.level), command.members) == ("raid1", ("/dev/sda1", "/dev/sdb1"))
    assert bool(command.answers) is is_answered


def test_words_that_another_program_hands_on_arent_known() -> None:
    with pytest.raises(InputError, match=r"What “\| xargs” stands for"):
        read_paste("ls /dev/sd[bc] | xargs mdadm --create /dev/md0 -l1 -n2")


@pytest.mark.parametrize(
    ("paths", "remedy"),
    [
        ("/dev/sda /dev/sdb", "below /dev/disk/by-id"),
        ("/dev/cciss/c0d0 /dev/cciss/c0d1", "below /dev/disk/by-id"),
        ("/dev/loop0 /dev/loop1", "no serial number"),
        ("/dev/vg/a /dev/zvol/tank/b", ""),
        ("/dev/mapper/a /dev/md/b", ""),
    ],
)
def test_only_the_kernels_names_may_be_of_other_disks(paths: str, remedy: str) -> None:
    pasted = read_paste(f"mdadm --create /dev/md/tank --run -l1 -n2 {paths}")
    found = [finding for finding in findings_of_paste(pasted) if finding.code == "short-lived-names"]
    assert [remedy in str(finding.remedy) for finding in found] == ([True] if remedy else [])


def test_a_script_in_a_here_document_is_still_read() -> None:
    [command] = read_paste(f"ssh nas bash <<EOF\n{_CREATE}\nEOF\n").commands
    assert command.members == ("/dev/sda1", "/dev/sdb1")


def test_what_has_failed_already_is_no_loss() -> None:
    for words, is_warned in (
        ("--remove failed", False),
        ("--fail detached --remove detached", False),
        ("--fail set-A", False),
        ("--remove /dev/sdb1", True),
    ):
        assert ("taken-out" in _codes(read_paste(f"mdadm /dev/md0 {words}"))) is is_warned


def test_the_rounding_of_linear_is_no_chunk() -> None:
    said = _said(read_paste("mdadm --create /dev/md0 --level=linear --rounding=64 -n2 /dev/sda1 /dev/sdb1"))
    assert "rounded down" in said
    assert "own choice is 0 KiB" in said


def test_too_small_a_chunk_is_told_with_the_least() -> None:
    with pytest.raises(InputError, match="it is 4 KiB at least"):
        read_paste("mdadm -C /dev/md0 -l5 -n3 -c 3 /dev/sda /dev/sdb /dev/sdc")


@pytest.mark.parametrize("version", ["4.2", "4.3", "4.4"])
@pytest.mark.parametrize("shape", ["-l6 -n3", "-l10 -pn4 -n3", "-l5 -c96 -n3"])
def test_a_refusal_is_json_with_each_version(version: str, shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"mdadm -C /dev/md/tank {shape} /dev/sda /dev/sdb /dev/sdc"
    assert main(["explain", text, "--disk-size", "4TB", "--mdadm", version, "--json"]) == PlanRefused.exit_code
    told = json.loads(capsys.readouterr().out)
    assert told["refusal"]
    assert told["command"] is None


def test_a_file_is_refused_without_a_size_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    text = (_FOLDER / "image-files.cmd").read_text(encoding="utf-8")
    assert main(["explain", text, "--json"]) == PlanRefused.exit_code
    assert "losetup" in json.loads(capsys.readouterr().out)["refusal"]


def test_a_plans_own_limit_is_told_as_that() -> None:
    pasted = _read("name-with-blank.cmd")
    assert plan_of(pasted, lambda path: named(path, 4 * 10**12)).name == "My-Array"
    [renamed] = [finding for finding in findings_of_paste(pasted) if finding.code == "renamed"]
    assert "a limit of plans, and none of mdadm's" in renamed.reason
