"""A pasted create command: its plan, each word's explanation, warnings, and words that aren't understood."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.findings.collect import findings_of
from raidwright.analysis.findings.of_commands import findings_of_command, findings_of_paste
from raidwright.cli import main
from raidwright.core.errors import InputError
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import EXPLANATIONS
from raidwright.core.md.mdadm_versions import MDADM_4_2
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.units import marketing_bytes
from raidwright.reading.pasted import member_named, plan_of, read_paste
from raidwright.reading.shell_words import Operator, ShellWord, shell_words

from .field_commands import FIELD, MISTYPED
from .making_plans import marked_plans
from .tutorials import REFUSED, TUTORIALS

SIZE_BYTES = 4 * 10**12


def _plan(text: str, size_bytes: int = SIZE_BYTES) -> Plan:
    return Plan(plan_of(read_paste(text), lambda path: member_named(path, size_bytes)))


def _ids(members: tuple[Member | MdArray | None, ...]) -> list[str | None]:
    return [member.id if isinstance(member, Member) else None for member in members]


@pytest.mark.parametrize("title", TUTORIALS)
def test_a_tutorials_command_is_understood(title: str) -> None:
    tutorial = TUTORIALS[title]
    pasted = read_paste(tutorial.text)
    plan = _plan(tutorial.text)
    assert {name: getattr(plan.array, name) for name in tutorial.shape} == tutorial.shape
    assert _ids(plan.array.members) == list(tutorial.devices)
    assert _ids(plan.array.spares) == tutorial.spares
    assert len(pasted.others) == tutorial.left, pasted.others
    found = (*findings_of_command(pasted, plan), *findings_of(plan))
    assert tutorial.warned <= {finding.code for finding in found}
    for command in pasted.commands:
        assert all(word.text and word.why for word in command.words)
        assert " ".join(word.text for word in command.words).count("/dev/") >= len(command.members) - 1


_COMMAND = "mdadm --create /dev/md0 -l 1 -n 2 /dev/sdb1 /dev/sdc1"


@pytest.mark.parametrize(
    "text",
    [
        "&#8211;".join(_COMMAND.split("--")),
        f"{_COMMAND} &amp;&amp; mdadm -Ds &gt; /etc/mdadm.conf",
        "> mdadm --create /dev/md0 -l 1\n> -n 2 /dev/sdb1\n> /dev/sdc1\n",
        "> > $ sudo mdadm --create /dev/md0 -l 1\n> > -n 2 /dev/sdb1 /dev/sdc1\n>\n> > $ cat /proc/mdstat\n",
        f"```root@box:~# {_COMMAND}```",
        f"Then run ```{_COMMAND}``` and wait.",
        "mdadm --create /dev/md0 -l 1 -n 2 \\\n  /dev/sdb1 /dev/sdc1 \\\n  > /dev/null\n",
    ],
)
def test_what_mail_and_pages_put_around_a_command_is_taken_off(text: str) -> None:
    plan = _plan(text)
    assert (plan.array.level, _ids(plan.array.members)) == ("raid1", ["sdb1", "sdc1"])


def test_a_volume_in_a_container_is_refused_for_that() -> None:
    with pytest.raises(InputError, match="container of the firmware's"):
        read_paste("mdadm -C /dev/md/vol0 /dev/md/imsm0 -n 2 -l 1")


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_understood_is_named(text: str) -> None:
    with pytest.raises(InputError) as refused:
        _plan(text)
    assert REFUSED[text] in str(refused.value)


def test_the_words_are_those_of_the_command_bar() -> None:
    words = {word.text: word.why for word in read_paste("mdadm -C /dev/md/t -l5 -n3 -c64 /dev/sd[bcd]").whole.words}
    assert words["-l5"].startswith(EXPLANATIONS["level"])
    assert words["-c64"].startswith(EXPLANATIONS["chunk"])
    assert words["-n3"] == EXPLANATIONS["count"]
    assert "next start" in words["/dev/sdb"]


def test_arrays_made_of_arrays_are_one_plan() -> None:
    plan = _plan(
        "mdadm -C /dev/md1 -l1 -n2 /dev/sda /dev/sdb\n"
        "mdadm -C /dev/md/two -l1 -n2 /dev/sdc /dev/sdd\n"
        "mdadm -C /dev/md0 -l0 -n2 /dev/md/1 /dev/md/two"
    )
    assert plan.array.level is Level.RAID0
    assert [isinstance(member, MdArray) and _ids(member.members) for member in plan.array.members] == [
        ["sda", "sdb"],
        ["sdc", "sdd"],
    ]


def test_the_bitmap_that_nobody_mentions_is_that_of_the_mdadm_in_question() -> None:
    pasted = read_paste("mdadm -C /dev/md0 -l1 -n2 /dev/sda /dev/sdb")

    def bitmap(size_bytes: int) -> Bitmap:
        return plan_of(pasted, lambda path: member_named(path, size_bytes), MDADM_4_2).bitmap

    assert bitmap(50 * 2**30) is Bitmap.NONE
    assert bitmap(200 * 2**30) is Bitmap.INTERNAL


@given(marked_plans())
def test_our_own_commands_mean_the_plan_that_they_were_made_of(array: MdArray) -> None:
    """The program can parse its own commands."""
    text = "\n".join(command.shell() for command in create_commands(array))
    sizes = {f"/dev/disk/by-id/{member.id}": member.size_bytes for member in array.disks()}
    read = plan_of(read_paste(text), lambda path: member_named(path, sizes[path]))
    assert create_commands(read) == create_commands(array)


@given(st.text(alphabet="ab $\"'\\{}[],.-#;|&>=\n`()", max_size=40))
def test_nothing_that_is_pasted_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(InputError):
        read_paste(f"mdadm --create {text}")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a{b,c}d{1..3}", ["abd1", "abd2", "abd3", "acd1", "acd2", "acd3"]),
        ("a{b,{c,d}}", ["ab", "ac", "ad"]),
        ("{c..a}", ["c", "b", "a"]),
        ("a{b}c {} '{b,c}'", ["a{b}c", "{}", "{b,c}"]),
        ("sd[cab] 'sd[ab]' sd[!a]", ["sda", "sdb", "sdc", "sd[ab]", "sd[!a]"]),
        ("$X \"$X\" '$X'", ["1", "2{b,c}", "1 2{b,c}", "$X"]),
        ("'' \"\" a''b", ["", "", "ab"]),
        ("a\\ b\\#c d#e # f", ["a b#c", "d#e"]),
    ],
)
def test_words_are_parted_as_bash_does(line: str, words: list[str]) -> None:
    assert [word.text for word in shell_words(line, {"X": "1 2{b,c}"}) if isinstance(word, ShellWord)] == words


def test_operators_stand_alone() -> None:
    pieces = shell_words("a|b&&c 2>/dev/null;d2>x", {})
    assert [piece.text for piece in pieces if isinstance(piece, Operator)] == ["|", "&&", "2>", ";", ">"]


def test_explain_prints_words_findings_and_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "yes | mdadm -C /dev/md0 -l5 -n3 /dev/sd[bcd]", "--disk-size", "4TB", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [word["text"] for word in told["commands"][0]] == [
        "-C",
        "/dev/md0",
        "-l5",
        "-n3",
        *told["command"].split()[-3:],
    ]
    assert told["plan"]["level"] == "raid5"
    assert {"unasked", "short-lived-names", "single-parity"} <= {finding["code"] for finding in told["findings"]}
    assert main(["explain", "mdadm -C /dev/md0 -l5 -n3 /dev/sd[bcd]"]) == 0
    said = capsys.readouterr().out
    assert "--disk-size" in said
    assert "How the members work together." in said


def test_what_mdadm_would_refuse_is_said_beside_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "mdadm -C /dev/md0 -l1 -c64 -n2 /dev/sd[bc]", "--disk-size", "4TB"]) == 2
    said = capsys.readouterr().out
    assert "raid1 has no chunks" in " ".join(said.split())


@pytest.mark.parametrize(("version", "bitmap"), [("4.2", "internal"), ("4.4", "none")])
def test_explain_goes_by_the_mdadm_that_is_named(version: str, bitmap: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = "mdadm -C /dev/md0 --run -l1 -n2 /dev/sd[bc]"
    assert main(["explain", command, "--disk-size", "4TB", "--mdadm", version, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["plan"]["bitmap"] == bitmap
    assert f"--bitmap={bitmap}" in told["command"]


def test_explain_names_what_it_does_not_understand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "mdadm -C /dev/md0 -l1 -n2 $DISKS"]) == 2
    assert "$DISKS" in capsys.readouterr().err


@pytest.mark.parametrize("title", FIELD)
def test_a_command_of_the_field_is_met_as_what_it_is(title: str) -> None:
    said = FIELD[title]
    pasted = read_paste(said.text)
    explained = {word.text: word.why for words in pasted.words for word in words}
    for beginning, why in said.words.items():
        (found,) = {text for word, text in explained.items() if word.startswith(beginning)}
        assert why in found, found
    plan = _plan(said.text, marketing_bytes(SIZE_BYTES)) if said.is_planned else None
    codes = {finding.code for finding in findings_of_paste(pasted, plan, findings_of(plan) if plan else ())}
    assert said.found <= codes
    assert not said.not_found & codes
    if not said.is_planned:
        with pytest.raises(InputError, match="makes no array"):
            _plan(said.text)


@pytest.mark.parametrize("text", MISTYPED)
def test_a_fault_of_typing_is_named_with_the_way_out(text: str) -> None:
    with pytest.raises(InputError) as refused:
        _plan(text)
    assert MISTYPED[text] in str(refused.value)


@pytest.mark.parametrize("title", [title for title, said in FIELD.items() if "recovery" in said.found])
def test_a_recovery_is_never_told_to_synchronise(title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", FIELD[title].text, "--disk-size", "4TB"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "overlays" in printed
    assert "--assemble --force" in printed
    for advice in ("Let md synchronise", "--write-zeroes is safe", "With everything said"):
        assert advice not in printed
    assert main(["explain", FIELD[title].text, "--disk-size", "4TB", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["command"] is None


def test_what_is_printed_for_others_lets_mdadm_ask(capsys: pytest.CaptureFixture[str]) -> None:
    text = FIELD["a journal on a mirror, by linux-raid"].text
    assert main(["explain", text, "--disk-size", "8TB", "--json"]) == 0
    command = json.loads(capsys.readouterr().out)["command"]
    mirror, whole = command.split(" && ")
    assert "--create /dev/md/journ --level=1" in mirror
    assert whole.endswith("--write-journal=/dev/md/journ")
    assert "--run" not in command


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["--assemble", "--grow", "--add", "-f", "-a", "-b", "--stop", "/dev/md0", "/dev/sda", "="]),
            st.text(alphabet="-abfCGARSor=1{}/", max_size=8),
        ),
        max_size=6,
    )
)
def test_no_mode_ends_in_a_traceback(words: list[str]) -> None:
    with contextlib.suppress(InputError):
        pasted = read_paste(" ".join(["mdadm", *words]))
        assert findings_of_paste(pasted) is not None
        assert all(word.text and word.why for line in pasted.words for word in line)


@pytest.mark.parametrize(
    "before",
    [
        "#mdadm",
        "node1 # mdadm",
        "~/src # ./mdadm",
        "# ~/mdadm-4.1/sbin/mdadm",
        "[root@box src]# mdadm",
        "root@box:~#mdadm",
        "livecd ~ # mdadm",
        "(chroot) livecd / # mdadm",
        "box:/etc/mdadm # mdadm",
        "12:30 root@box ~ # mdadm",
    ],
)
def test_a_prompt_of_any_form_is_no_part_of_the_command(before: str) -> None:
    (command,) = read_paste(f"{before} -C /dev/md0 -n 2 -l mirror /dev/sdb /dev/sdc").commands
    assert command.members == ("/dev/sdb", "/dev/sdc")


def test_quotes_around_the_whole_command_are_the_proses() -> None:
    (command,) = read_paste("'mdadm --create /dev/md0 --level=1 -n2 /dev/sdb\n/dev/sdc'").commands
    assert command.members == ("/dev/sdb", "/dev/sdc")


def test_a_stopped_array_that_is_removed_loses_no_member() -> None:
    for line, is_warned in (("--remove /dev/md0", False), ("/dev/md0 --remove /dev/sdb", True)):
        found = {finding.code for finding in findings_of_paste(read_paste(f"mdadm {line}"))}
        assert ("taken-out" in found) is is_warned


def test_run_of_an_added_device_starts_its_array() -> None:
    ((words,),) = [pasted.words for pasted in [read_paste("mdadm -IRs")]]
    assert "as soon as it can run" in str(words[0].why)


def test_a_comma_in_brackets_names_no_device() -> None:
    (command,) = read_paste("mdadm --create /dev/md0 -l1 -n3 /dev/nvme[0,2-3]n1").commands
    assert command.members == ("/dev/nvme0n1", "/dev/nvme2n1", "/dev/nvme3n1")


def test_a_wildcard_is_refused_for_what_it_is() -> None:
    with pytest.raises(InputError, match="“/dev/nvme\\*n1” stands for"):
        read_paste("mdadm --create /dev/md0 -l5 -n3 /dev/nvme*n1")


def test_a_read_only_array_with_a_missing_member_is_a_recovery() -> None:
    assert read_paste("mdadm --create -o -n3 -l5 /dev/md0 missing /dev/sdb /dev/sdc").recovery_signs
    assert not read_paste("mdadm --create -n3 -l5 /dev/md0 missing /dev/sdb /dev/sdc").recovery_signs


_MIRROR = ("raid1", ["/dev/sda1", "/dev/sdb1"])


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("runcmd:\n  - mdadm --create /dev/md0 -l0 -n2 /dev/nvme1n1 /dev/nvme2n1\n  - mkfs.xfs /dev/md0\n",
         ("raid0", ["/dev/nvme1n1", "/dev/nvme2n1"])),
        ("  - [ mdadm, --create, /dev/md0, --level=1, --raid-devices=2, /dev/sda1, /dev/sdb1 ]\n", _MIRROR),
        ("subprocess.run(['mdadm', '--create', '/dev/md0', '-l1', '-n2', '/dev/sda1', '/dev/sdb1'])\n", _MIRROR),
        ("Run `mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sda1 /dev/sdb1` as root.\n", _MIRROR),
        ("ssh root@nas 'mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sda1 /dev/sdb1'\n", _MIRROR),
        ('user_data = "mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sda1 /dev/sdb1"\n', _MIRROR),
        ("if ! [ -e /dev/md0 ]; then mdadm -C /dev/md0 -l1 -n2 /dev/sda1 /dev/sdb1; fi\n", _MIRROR),
    ],
)  # fmt: skip
def test_a_command_within_other_text_is_found(text: str, made: tuple[str, list[str]]) -> None:
    """YAML's lists, Python's, Markdown's prose, Terraform's strings, ssh's words and a shell's conditions."""
    (command,) = read_paste(text).commands
    assert (str(command.level), list(command.members)) == made


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("for d in b c d; do mdadm --zero-superblock /dev/sd$d; done\n", "$d"),
        (
            "yes | mdadm --create /dev/md0 --level={{ raid_level }} --raid-devices=2 /dev/sda /dev/sdb\n",
            "{{ raid_level }}",
        ),
    ],
)
def test_a_loops_and_a_templates_variable_are_named(text: str, unknown: str) -> None:
    with pytest.raises(InputError) as refused:
        read_paste(text)
    assert f"What “{unknown}” stands for" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("mdadm --run /dev/md127", "--run", "put together and not started"),
        ("mdadm --action=check /dev/md0", "--action=check", "Let md do this"),
        ("mdadm -If sdb1", "-If", "out of its array"),
        ("nohup mdadm --monitor --mail=sysadmin --delay=300 /dev/md0 &", "--monitor", "Watch arrays"),
    ],
)
def test_an_option_is_explained_as_its_mode_has_it(text: str, word: str, why: str) -> None:
    (command,) = read_paste(text).further
    assert why in next(explained.why for explained in command.words if explained.text == word)


@pytest.mark.parametrize(
    ("text", "version", "why"),
    [
        ("--logical-block-size=4096", "4.4", "--logical-block-size: that needs mdadm 4.5 or later, and this is 4.4"),
        ("--logical-block-size=4096 -e 0.90", "4.6", "--logical-block-size goes with metadata 1.x alone"),
        ("--write-zeroes", "4.2", "--write-zeroes: that needs mdadm 4.3 or later"),
        ("--logical-block-size=4096", "4.5", ""),
        ("--write-zeroes", "4.4", ""),
    ],
)
def test_an_option_that_the_named_mdadm_does_not_have_is_told(
    text: str, version: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"mdadm -C /dev/md/tank -l1 -n2 -b none {text} /dev/sda /dev/sdb"
    assert main(["explain", "--mdadm", version, "--disk-size", "8TB", command]) == (2 if why else 0)
    printed = " ".join(capsys.readouterr().out.split())
    assert ("would refuse it: " in printed) is bool(why)
    assert why in printed


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("/dev/md/my.raid", "my-raid"),
        ("/dev/md/Médiathèque", "Mediatheque"),
        ("/dev/md/nas+films", "nas-films"),
        ("--name=v1.0 /dev/md0", "v1-0"),
    ],
)
def test_a_name_that_mdadm_takes_is_planned_by_the_nearest(given: str, taken: str) -> None:
    pasted = read_paste(f"mdadm -C {given} -l1 -n2 -b internal /dev/sda /dev/sdb")
    assert plan_of(pasted, lambda path: member_named(path, 8 * 10**12)).name == taken
    [found] = [finding for finding in findings_of_command(pasted) if finding.code == "renamed"]
    assert f"is called “{taken}” and not" in found.sentence


@pytest.mark.parametrize("node", ["/dev/md/...", "/dev/md/$NAME", "/dev/md/" + "a." * 17, "/dev/md/é" + "é" * 20])
def test_a_name_that_no_mdadm_takes_is_refused(node: str) -> None:
    with pytest.raises(InputError, match=r"is no name for an array|is too long"):
        read_paste(f"mdadm -C '{node}' -l1 -n2 /dev/sda /dev/sdb")


@pytest.mark.parametrize(
    "around",
    [
        "- name: make it\n  ansible.builtin.shell: yes | {}\n  args:\n    creates: /dev/md0\n",
        "RUN yes | {}\n",
        "runcmd:\n  - yes | {} && mkfs.ext4 /dev/md0\n",
        "<pre><code>yes | {} &amp;&amp; mkfs.ext4 /dev/md0</code></pre>\n",
        "if ! test -b /dev/md0; then yes | {}; fi\n",
    ],
)
def test_an_answer_is_seen_wherever_the_command_is(around: str) -> None:
    pasted = read_paste(around.format("mdadm --create /dev/md0 --level=1 --raid-devices=2 /dev/sdb /dev/sdc"))
    assert pasted.whole.members == ("/dev/sdb", "/dev/sdc")
    assert "unasked" in {finding.code for finding in findings_of_command(pasted)}


def test_a_redirection_is_no_placeholder() -> None:
    pasted = read_paste("mdadm -C /dev/md0 -l1 -n2 /dev/sdb /dev/sdc <answers >log 2>&1")
    assert pasted.whole.members == ("/dev/sdb", "/dev/sdc")
