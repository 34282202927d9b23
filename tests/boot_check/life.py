"""A practice machine with a persistent system, an array that the program builds and configures there, and its checks.

The helper takes no part after a start: the kernel, udev, mdadm and systemd have only the files that
``raidwright configure`` and ``raidwright tune --always`` wrote.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raidwright.lab import shelf
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, start

from tests.kit.listener import GOT, INSTALL, PORT

DISKS = shelf.disks_from_text("4x128MB", at_memory_speed=True)
PLACE = "/srv/tank"
MAILBOX = "/var/mail/root"
READ_AHEAD_KIB, STRIPE_CACHE = 1536, 768
# Debian 13's mdcheck polls every 220 s for the end of md's check.
_PATIENCE_S = 300.0
# The local mailbox, filled as a mail server on the machine would do with a mail for root.
_SENDMAIL = f"""cat >/usr/sbin/sendmail <<'END'
#!/bin/sh
{{ echo "From monitor"; cat; echo; }} >>{MAILBOX}
END
chmod 755 /usr/sbin/sendmail"""
_SETTINGS = "cat /sys/block/$md/queue/read_ahead_kb /sys/block/$md/md/stripe_cache_size"
_MD = "md=$(basename $(readlink -f /dev/md/tank))"


@dataclass(frozen=True, slots=True)
class Seen:
    """A promise, whether it ``held``, and the evidence in ``what``."""

    promise: str
    held: bool
    what: str


@dataclass(slots=True)
class Life:
    """One machine over several starts; ``folder`` holds its disks, its system and the program's own files.

    ``pace`` is the machine's seconds per second of this computer: md waits 30 s of the machine's for a missing disk.
    """

    folder: Path
    generation: Generation
    name: str
    pace: float = 1.0
    seen: list[Seen] = field(default_factory=list)
    uuid: str = ""
    lab: Lab | None = None

    @contextmanager
    def started(self, disks: Sequence[LabDisk] = DISKS) -> Iterator[None]:
        """Run the machine with ``disks`` in it for the block, and shut it down."""
        store = self.folder / "store"
        store.mkdir(exist_ok=True)
        spec = LabSpec(tuple(disks), self.generation, store=store, pace=self.pace, lasts=True)
        with start(spec, name=self.name) as self.lab:
            yield
            self.lab.shut_down()

    def see(self, promise: str, held: bool, what: str) -> None:
        """Note the outcome of a promise, and print it."""
        self.seen.append(Seen(promise, held, what.strip()))
        print(f"{self.generation}: {'held' if held else 'BROKEN'}: {promise}")
        print("".join(f"    {line}\n" for line in what.strip().splitlines()), end="", flush=True)

    def sh(self, script: str) -> str:
        """Run ``script`` as root in the machine; return its output, whatever its exit code."""
        assert self.lab is not None
        return self.lab.exec(["sh", "-c", script], check=False).stdout.decode(errors="replace").strip()

    def until(self, script: str) -> bool:
        """Repeat ``script`` until it succeeds; return False when it doesn't within ``_PATIENCE_S``."""
        assert self.lab is not None
        end = time.monotonic() + _PATIENCE_S
        while self.lab.exec(["sh", "-c", script], check=False).returncode:
            if time.monotonic() > end:
                return False
            time.sleep(0.3)
        return True

    def raidwright(self, *words: str) -> Any:
        """Run a command with ``--json``; return its answer. Raises AssertionError when it fails."""
        return json.loads(self.says(*words, "--json"))

    def says(self, *words: str) -> str:
        """Run a command; return its output. Raises AssertionError when it fails."""
        done = self._run(words)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
        return done.stdout

    def refuses(self, *words: str) -> str:
        """Run a command that is refused; return the reason. Raises AssertionError when it is taken."""
        done = self._run(words)
        assert done.returncode == 2, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stderr

    def _run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "raidwright", *words, "--machine", f"lab:{self.name}"]
        return subprocess.run(argv, capture_output=True, text=True, check=False, env=self.environment())

    def environment(self) -> dict[str, str]:
        """Return the environment of one user, whose files persist over the starts."""
        return {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "COLUMNS": "120"}

    def build(self, level: str) -> None:
        """Build an array of all disks, with file system, mount point, settings and mail, as a user would."""
        self.sh(_SENDMAIL)
        members = [{key: disk[key] for key in ("id", "serial", "size_bytes", "model")} for disk in self._disks()]
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps({"name": "tank", "level": level, "bitmap": "internal", "members": members}))
        self.raidwright("build", str(plan), "--yes-name", "tank")
        self.uuid = self.sh("mdadm --detail --export /dev/md/tank | sed -n s/MD_UUID=//p")
        self.raidwright("filesystem", "make", "tank", "--yes-name", "tank")
        settings = ("--read-ahead-kib", str(READ_AHEAD_KIB), "--stripe-cache-size", str(STRIPE_CACHE))
        self.raidwright("tune", "tank", *settings, "--always", "--yes-name", "tank")
        shown = self.raidwright("configure", "tank", "--mount", PLACE, "--mail", "root", "--apply")
        assert shown["written"], shown
        self.sh(INSTALL)
        self.raidwright("alerts", "--webhook", f"http://127.0.0.1:{PORT}/tank", "--kind", "ntfy")
        self.raidwright("filesystem", "mount", "tank", "--at", PLACE, "--yes-name", "tank")
        self.until("mdadm --wait /dev/md/tank; grep -q idle /sys/block/md*/md/sync_action")
        self.raidwright("array", "list")  # the program has seen the array while it was whole
        # md appends a suffix to a name in the superblock when the host name differs.
        self.sh(f"echo summer >{PLACE}/kept; sync; echo moved >/etc/hostname")

    def _disks(self) -> list[dict[str, Any]]:
        end = time.monotonic() + _PATIENCE_S
        while len(disks := self.raidwright("disks")) < len(DISKS) and time.monotonic() < end:
            time.sleep(0.2)
        return list(disks)

    def look_after_start(self) -> None:
        """Check that the system alone has started the array as it was configured."""
        came = self.until(f"mountpoint -q {PLACE}")
        uuid = self.sh("mdadm --detail --export /dev/md/tank | sed -n s/MD_UUID=//p")
        self.see(
            "it comes back under its name, on a computer with another name", uuid == self.uuid, self.sh("ls /dev/md")
        )
        kept = self.sh(f"findmnt -no SOURCE,OPTIONS {PLACE}; cat {PLACE}/kept || systemctl status --no-pager {PLACE}")
        self.see("its file system is mounted", came and kept.endswith("summer"), kept)
        settings = self.sh(f"{_MD}; {_SETTINGS}")
        self.see("its settings hold", settings.split() == [str(READ_AHEAD_KIB), str(STRIPE_CACHE)], settings)
        helper = self.sh("systemctl show -P ActiveEnterTimestampMonotonic raidwright-helper.service")
        self.see("without the helper's doing", helper == "0", f"started at {helper}")
        monitor = self.until("systemctl is-active --quiet mdmonitor.service")
        self.see("md's monitor runs", monitor, self.sh("systemctl is-active mdmonitor.service"))

    def look_for_mail(self, promise: str, *words: str) -> None:
        """Check that a mail arrives with all ``words`` in its subject and text."""
        wanted = " && ".join(f"tr -d '\\n' <{MAILBOX} | grep -qF '{word}'" for word in words)
        came = self.until(wanted)
        self.see(promise, came, self.sh(f"grep -a -A1 ^Subject: {MAILBOX}; grep -a ^Slot {MAILBOX}"))

    def look_for_post(self, promise: str, *words: str) -> None:
        """Check that one message with all ``words`` is posted to the webhook."""
        came = self.until(" | ".join((f"cat {GOT}", *(f"grep -F '{word}'" for word in words))))
        self.see(promise, came, self.sh(f"cat {GOT}; ls /var/lib/raidwright/alerts/waiting"))

    def look_for_what_is_lost(self, lost: Sequence[LabDisk]) -> None:
        """Check that the command line names the missing disks by slot and serial."""
        [array] = self.raidwright("array", "list")
        lacks = {lack["slot"]: lack["last"]["member"]["serial"] for lack in array["lacks"] if lack["last"]}
        wanted = {DISKS.index(disk): disk.serial for disk in lost}
        self.see("the program's next start tells who is gone", lacks == wanted, json.dumps(lacks))
