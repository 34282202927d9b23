"""The runner of programs: no input from the caller, and no leftovers."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from raidwright.core.errors import JobFailed
from raidwright_helper.host import md
from raidwright_helper.host.runner import run, stream


def test_a_program_sees_a_clean_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD_ME", "x")
    read, write = os.pipe()
    os.set_inheritable(write, True)
    try:
        finished = asyncio.run(run(("/bin/sh", "-c", "env | sort; pwd; cat; ls /proc/self/fd | wc -l"), limit_s=10))
    finally:
        os.close(read)
        os.close(write)
    lines = finished.output.split()
    assert {line.split("=")[0] for line in lines if "=" in line} == {"LC_ALL", "PATH", "PWD"}
    assert lines[-2:] == ["/", "4"]  # standard input, output, error and ls's own


def test_a_program_is_named_by_its_path() -> None:
    with pytest.raises(ValueError, match="absolute"):
        asyncio.run(run(("mdadm", "--version"), limit_s=1))


def test_a_missing_program_is_a_sentence() -> None:
    with pytest.raises(JobFailed, match=r"/usr/sbin/no-such can't be started.*package") as caught:
        asyncio.run(run(("/usr/sbin/no-such",), limit_s=1))
    assert caught.value.code == "command-missing"


def test_a_failure_carries_the_programs_last_words() -> None:
    with pytest.raises(JobFailed, match="sh ended with code 3: disk on fire") as caught:
        asyncio.run(run(("/bin/sh", "-c", "echo fine >&2; printf 'disk\\033 on fire\n\n' >&2; exit 3"), limit_s=60))
    assert caught.value.fields["exit_code"] == 3


def test_the_line_that_tells_why_counts_more_than_advice_after_it() -> None:
    words = "mdadm: ADD_NEW_DISK for /dev/sdb failed: Invalid argument\nmdadm: Either upgrade, or use --layout=x"
    with pytest.raises(JobFailed, match=r"failed: Invalid argument\.$"):
        asyncio.run(run(("/bin/sh", "-c", f"echo '{words}' >&2; exit 1"), limit_s=60))


def test_only_named_codes_are_accepted() -> None:
    assert asyncio.run(run(("/bin/sh", "-c", "exit 2"), limit_s=5, accept=(0, 2))).code == 2


def test_what_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    script = f"sleep 300 & echo $! > {tmp_path}/pid; wait"
    written = tmp_path / "pid"
    limit_s = 0.5
    while not written.exists() or not written.read_text(encoding="utf-8"):
        with pytest.raises(JobFailed, match="took longer"):
            asyncio.run(run(("/bin/sh", "-c", script), limit_s=limit_s))
        limit_s *= 2  # on a busy computer the shell may not have begun by then
    status = Path(f"/proc/{int(written.read_text(encoding='utf-8'))}/stat")
    while status.exists() and ") Z " not in _text(status):
        time.sleep(0.02)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ") Z "


def test_lines_come_while_it_runs(tmp_path: Path) -> None:
    """The program prints its second line only after the first has arrived, so buffering would block it for ever."""
    came: list[str] = []
    arrived = tmp_path / "arrived"

    def hear(line: str) -> None:
        came.append(line)
        arrived.touch()

    script = f"echo one; until [ -e {arrived} ]; do sleep 0.05; done; echo two"
    asyncio.run(stream(("/bin/sh", "-c", script), hear, limit_s=60))
    assert came == ["one\n", "two\n"]


def test_output_has_a_limit() -> None:
    finished = asyncio.run(run(("/bin/sh", "-c", "head -c 3000000 /dev/zero"), limit_s=60))
    assert len(finished.output) == 2**20


def test_a_program_that_was_killed_is_told_by_its_signal() -> None:
    with pytest.raises(JobFailed, match=r"sh was ended by SIGKILL\.") as caught:
        asyncio.run(run(("/bin/sh", "-c", "kill -KILL $$"), limit_s=60))
    assert caught.value.code == "command-failed"


@pytest.mark.parametrize("words", ["mdadm - v4.1 - 2018-10-01", "mdadm - v3.4", "something else"])
def test_an_mdadm_of_another_time_is_refused(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mdadm").write_text(f"#!/bin/sh\necho '{words}' >&2\n", encoding="utf-8")
    (tmp_path / "mdadm").chmod(0o755)
    monkeypatch.setattr(md, "MDADM", str(tmp_path / "mdadm"))
    with pytest.raises(JobFailed, match="update mdadm") as caught:
        asyncio.run(md.mdadm_version())
    assert caught.value.code == "mdadm-old"


def test_lines_come_whole_however_they_are_written() -> None:
    came: list[str] = []
    script = "printf 'one\\ntw'; sleep 0.1; printf 'o\\n\\nth\\303'; sleep 0.1; printf '\\251'"
    asyncio.run(stream(("/bin/sh", "-c", script), came.append, limit_s=60))
    assert came == ["one\n", "two\n", "\n", "thé"]


def test_a_line_without_an_end_is_not_kept_for_ever() -> None:
    came: list[str] = []
    script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end"
    asyncio.run(stream(("/bin/sh", "-c", script), came.append, limit_s=30))
    endless, end = came
    assert endless.startswith("xxx")
    assert len(endless) == 2**16 + 1
    assert end == "end\n"
