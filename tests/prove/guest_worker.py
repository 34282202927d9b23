"""Worker inside the practice machine: creates real arrays on loop devices and answers with the outcome.

Standard library only. Reads one job a line from standard input, writes one answer a line:

    {"do": "create", "sizes": [sectors …], "commands": [argv …], "arrays": [name …]}
    {"do": "cells", … and "chunk_bytes", "chunks"}
    {"do": "failures", … and "sets": [[device …] …]}
    {"do": "grow", … and "tries": [{"before": [argv …], "change": argv, "after": [argv …]} …]}

Devices are named LOOP0, LOOP1 … in the argv.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import mmap
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path("/run/prove")
FIRST_LOOP = 40
LOOP_SET_FD, LOOP_CLR_FD, LOOP_CTL_ADD = 0x4C00, 0x4C01, 0x4C80
BACKUP = Path("/run/prove-backup")  # for what a reshape is about to overwrite
SECTOR = 512
Answer = dict[str, Any]  # JSON, both ways


def run(argv: Sequence[str], timeout: float = 40) -> tuple[int, str]:
    """Run a command; return its exit code and output. mdadm's questions get no answer."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def must(argv: Sequence[str]) -> None:
    """Run a command that must succeed."""
    code, said = run(argv)
    if code:
        raise RuntimeError(f"{argv}: {said}")


def loop(number: int) -> str:
    """Return the path of a job's device."""
    return f"/dev/loop{FIRST_LOOP + number}"


def backing(number: int) -> Path:
    """Return the backing file of a job's device."""
    return FOLDER / f"disk{number}"


def full_copy(number: int) -> Path:
    """Return the copy of the backing file from when its array had just been filled."""
    return FOLDER / f"disk{number}.full"


def attach(sizes: list[int]) -> None:
    """Attach empty sparse devices of the given sectors, by ioctls: starting a program is slow in here."""
    for number, sectors in enumerate(sizes):
        with contextlib.suppress(FileExistsError), Path("/dev/loop-control").open("r+b", buffering=0) as control:
            fcntl.ioctl(control, LOOP_CTL_ADD, FIRST_LOOP + number)
        with backing(number).open("w+b") as file, Path(loop(number)).open("r+b", buffering=0) as device:
            file.truncate(sectors * SECTOR)
            fcntl.ioctl(device, LOOP_SET_FD, file.fileno())


def detach(count: int) -> None:
    """Detach the devices; retry for a while those that are still in use."""
    for number in range(count):
        for _ in range(50):
            if is_detached(loop(number)):
                break
            time.sleep(0.02)
        backing(number).unlink(missing_ok=True)


def is_detached(path: str) -> bool:
    """Detach the loop device's file; return whether it has none any more."""
    with contextlib.suppress(OSError), Path(path).open("rb", buffering=0) as device:
        fcntl.ioctl(device, LOOP_CLR_FD)
    return not (Path("/sys/block") / Path(path).name / "loop").exists()


def real(argv: list[str]) -> list[str]:
    """Return argv with the placeholders replaced."""
    return [re.sub(r"\bLOOP(\d+)", lambda found: loop(int(found[1])), word) for word in argv]


def md_path(name: str) -> Path:
    """Return /sys/block/mdN of an array by its name."""
    return Path("/sys/block") / Path(f"/dev/md/{name}").resolve().name


def text(path: Path) -> str:
    """A sysfs file's words; "" when it isn't there."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def facts(name: str) -> Answer:
    """Return an array's figures from sysfs."""
    block = md_path(name)
    members = {}
    for folder in (block / "md").glob("dev-*"):
        members[folder.name[4:]] = {
            "slot": text(folder / "slot"),
            "offset": int(text(folder / "offset")),
            "size_kib": int(text(folder / "size")),
        }
    return {
        "sectors": int(text(block / "size")),
        "component_kib": int(text(block / "md/component_size")),
        "layout": text(block / "md/layout"),
        "level": text(block / "md/level"),
        "chunk_bytes": int(text(block / "md/chunk_size")),
        "policy": text(block / "md/consistency_policy"),
        "bitmap": text(block / "md/bitmap/location"),
        "members": members,
    }


def stop_all() -> None:
    """Stop every array, outer ones first; md lists them newest first or last, so go round until none is left."""
    for _ in range(100):
        arrays = [line.split()[0] for line in Path("/proc/mdstat").read_text().splitlines() if line.startswith("md")]
        if not arrays:
            for node in [*Path("/dev/md").glob("*"), *Path("/dev").glob("md[0-9]*")]:
                node.unlink(missing_ok=True)  # the kernel takes some away itself
            return
        for array in sorted(arrays, reverse=True):
            run(["mdadm", "--stop", f"/dev/{array}"])
        time.sleep(0.02)
    raise RuntimeError(Path("/proc/mdstat").read_text())


def create(job: Answer) -> Answer:
    """Run the commands; return the one that failed, or the arrays' figures."""
    for argv in job["commands"]:
        code, said = run(real(argv))
        if code:
            return {"refused": said, "code": code}
    return {"arrays": {name: facts(name) for name in job["arrays"]}}


def pattern(chunk: int, chunk_bytes: int) -> bytes:
    """Return a chunk's bytes: its number, so that no two chunks are alike, and a running count in every eighth byte."""
    seed = (chunk + 1).to_bytes(8, "little")
    line = hashlib.blake2b(seed, digest_size=64).digest()
    return seed + (line * (chunk_bytes // 64 + 1))[: chunk_bytes - 8]


def fill(device: str, chunks: int, chunk_bytes: int) -> None:
    """Write every chunk through the array."""
    with Path(device).open("r+b", buffering=0) as array:
        array.writelines(pattern(chunk, chunk_bytes) for chunk in range(chunks))
        os.fsync(array.fileno())


def direct_read(device: str, chunks: int, chunk_bytes: int) -> int:
    """Return how many chunks read back right, read from the disks and not from the page cache."""
    good = 0
    buffer = mmap.mmap(-1, chunk_bytes)
    handle = os.open(device, os.O_RDONLY | os.O_DIRECT)
    try:
        for chunk in range(chunks):
            try:
                count = os.preadv(handle, [buffer], chunk * chunk_bytes)
            except OSError:
                continue
            good += count == chunk_bytes and buffer[:] == pattern(chunk, chunk_bytes)
    finally:
        os.close(handle)
    return good


def cells(job: Answer) -> Answer:
    """Fill the array, stop it, and give a digest of each cell of each member's data area."""
    answer = create(job)
    if "refused" in answer:
        return answer
    name, chunk_bytes = job["arrays"][-1], job["chunk_bytes"]
    fill(f"/dev/md/{name}", job["chunks"], chunk_bytes)
    stop_all()
    for number in range(len(job["sizes"])):
        must(["blockdev", "--flushbufs", loop(number)])
    answer["cells"] = [
        cells_of(backing(number), job["offsets"][number] * SECTOR, chunk_bytes) for number in range(len(job["sizes"]))
    ]
    return answer


def cells_of(path: Path, offset: int, chunk_bytes: int) -> list[str]:
    """Digests of a member's chunk rows from its data offset on; "0" for a row of zeros."""
    digests = []
    with path.open("rb") as file:
        file.seek(offset)
        while len(data := file.read(chunk_bytes)) == chunk_bytes:
            digests.append(hashlib.blake2b(data, digest_size=8).hexdigest() if any(data) else "0")
    return digests


def failures(job: Answer) -> Answer:
    """Fail each set of devices for real in a fresh copy of the filled array and read all of it back."""
    answer = create(job)
    if "refused" in answer:
        return answer
    name = job["arrays"][-1]
    fill(f"/dev/md/{name}", job["chunks"], job["chunk_bytes"])
    owners = {device: array for array, fact in answer["arrays"].items() for device in fact["members"]}
    stop_all()
    count = len(job["sizes"])
    for number in range(count):
        shutil.copyfile(backing(number), full_copy(number))
    answer["sets"] = [fail_set(job, owners, failed) for failed in job["sets"]]
    for number in range(count):
        full_copy(number).unlink()
    return answer


def restore(count: int) -> None:
    """Restore every device as it was when the array had just been filled."""
    for number in range(count):
        shutil.copyfile(full_copy(number), backing(number))
        must(["blockdev", "--flushbufs", loop(number)])


def fail_set(job: Answer, owners: dict[str, str], failed: list[int]) -> Answer:
    """Fail a set of devices; return the chunks that read back right, and the devices that md wouldn't fail."""
    count = len(job["sizes"])
    restore(count)
    name = job["arrays"][-1]
    for array, devices in job["assemble"]:
        must(["mdadm", "--assemble", f"/dev/md/{array}", *real(devices)])
    refused = []
    for number in failed:
        device = loop(number)
        code, _ = run(["mdadm", f"/dev/md/{owners[Path(device).name]}", "--fail", device])
        if code:
            refused.append(number)
    good = direct_read(f"/dev/md/{name}", job["chunks"], job["chunk_bytes"])
    stop_all()
    lost = refused or good != job["chunks"]
    return {"refused": refused, "good": good, "without_them": assemble_without(job, failed) if lost else None}


def assemble_without(job: Answer, failed: list[int]) -> int | None:
    """Return the chunks that read back right without the failed devices; None when md doesn't start."""
    restore(len(job["sizes"]))
    gone = {f"LOOP{number}" for number in failed}
    for array, devices in job["assemble"]:
        left = [device for device in devices if device not in gone]
        code = run(["mdadm", "--assemble", "--run", f"/dev/md/{array}", *real(left)])[0] if left else 1
        started = not code and text(md_path(array) / "md/array_state") not in ("", "clear", "inactive")
        if not started:
            gone.add(f"/dev/md/{array}")  # an outer array goes on without it
    outer = job["arrays"][-1]
    good = None if f"/dev/md/{outer}" in gone else direct_read(f"/dev/md/{outer}", job["chunks"], job["chunk_bytes"])
    stop_all()
    return good


def grow(job: Answer) -> Answer:
    """Create the array, fill it, and request each change; recreate it after one that changed something."""
    for path in ("/proc/sys/dev/raid/speed_limit_min", "/proc/sys/dev/raid/speed_limit_max"):
        Path(path).write_text("1000000")  # a reshape must not wait for anything
    answer, tries, data = create(job), [], b""
    prepared: list[list[str]] = []  # the changes to the current array
    for wanted in job["tries"]:
        if prepared not in ([], wanted["before"]):
            renew(job["sizes"])
            answer, prepared, data = create(job), [], b""
        if "refused" in answer:
            return answer
        data = data or fill_whole(job["arrays"][-1])
        tries.append(one_growth(job["arrays"][-1], wanted, data, is_prepared=prepared == wanted["before"]))
        prepared = wanted["before"]
        if tries[-1]["after"] != tries[-1]["before"]:
            renew(job["sizes"])
            answer, prepared, data = create(job), [], b""
    return answer | {"tries": tries}


def renew(sizes: list[int]) -> None:
    """Empty every device."""
    stop_all()
    detach(len(sizes))
    attach(sizes)


def fill_whole(name: str) -> bytes:
    """Fill the array; return what was written."""
    piece = random.Random(name).randbytes(499_979)  # noqa: S311 - repeatable is the point; a prime, so rows differ
    size = facts(name)["sectors"] * SECTOR
    data: bytes = (piece * (size // len(piece) + 1))[:size]
    Path(f"/dev/md/{name}").write_bytes(data)
    return data


def one_growth(name: str, wanted: Answer, data: bytes, *, is_prepared: bool) -> Answer:
    """Request a change, wait for its end, and return the state of array and data."""
    for argv in [] if is_prepared else wanted["before"]:
        run(real(argv))  # what a refused one leads to, the change shows
        settle(name)
    before = standing(name)
    code, said = run(real(wanted["change"]), timeout=120)
    settle(name)
    for argv in wanted["after"]:
        run(real(argv))
        settle(name)
    BACKUP.unlink(missing_ok=True)
    after = standing(name)
    if after != before:
        reassemble(name)
    wrong = harm(name, data) or ("" if after == before else mismatches(name, len(data)))
    return {"code": code, "said": said, "before": before, "after": after, "harm": wrong}


def reassemble(name: str) -> None:
    """Stop the array and start it again: only then does md read what it has written of itself."""
    devices = [f"/dev/{member}" for member in facts(name)["members"]]
    for _ in range(50):  # an mdadm that monitored the reshape may still have it open
        if not run(["mdadm", "--stop", f"/dev/md/{name}"])[0]:
            break
        time.sleep(0.1)
    run(["mdadm", "--assemble", f"/dev/md/{name}", *devices])
    settle(name)


def harm(name: str, data: bytes) -> str:
    """Return the fault of the data, as far as the array reaches; "" when there is none."""
    device = Path(f"/dev/md/{name}")
    run(["blockdev", "--flushbufs", str(device)])
    try:
        found = device.read_bytes()[: len(data)]
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return "" if found and found == data[: len(found)] else "other data"


def mismatches(name: str, written: int) -> str:
    """Return the fault of copies or parity, of an array without missing members; "" when there is none.

    Space that was added behind the ``written`` bytes is written first: with a bitmap the kernel leaves raid10's copies
    there as they were (``raid10_finish_reshape`` asks for a resync, which the bitmap calls needless).
    """
    md = md_path(name) / "md"
    if not (md / "sync_action").exists() or int(text(md / "degraded") or 0):
        return ""
    with Path(f"/dev/md/{name}").open("r+b") as device:
        device.seek(written)
        device.write(bytes(max(0, facts(name)["sectors"] * SECTOR - written)))
    (md / "sync_action").write_text("check")
    settle(name)
    count = int(text(md / "mismatch_cnt"))
    return f"{count} sectors of copies or parity differ" if count else ""


def settle(name: str) -> None:
    """Wait until md has nothing under way, and no mdadm waits to finish a change."""
    for _ in range(1200):
        if text(md_path(name) / "md/sync_action") in ("", "idle", "frozen") and not is_growing():
            return
        time.sleep(0.05)
    raise RuntimeError("still at it: " + Path("/proc/mdstat").read_text())


def is_growing() -> bool:
    """Return whether an mdadm is still changing the array, as those are that wait for a reshape's end."""
    return any(b"--grow" in words for words in map(command_line, Path("/proc").glob("[0-9]*/cmdline")))


def command_line(path: Path) -> bytes:
    """Return a process's command line; empty when it has ended."""
    try:
        words = path.read_bytes()
    except OSError:
        return b""
    return words if words.startswith(b"mdadm") or b"/mdadm" in words[:20] else b""


def standing(name: str) -> Answer:
    """Return the array's shape, and how many members are missing."""
    fact, md = facts(name), md_path(name) / "md"
    fact["slots"] = int(text(md / "raid_disks").split()[0])
    fact["lacking"] = int(text(md / "degraded") or 0)
    return fact


DO: dict[str, Callable[[Answer], Answer]] = {"create": create, "cells": cells, "failures": failures, "grow": grow}


def do_without_udev() -> None:
    """Let mdadm make its own nodes: waiting for udev is most of a creation's time, and udev would assemble anew."""
    os.environ["MDADM_NO_UDEV"] = "1"
    must(["systemctl", "stop", "systemd-udevd-kernel.socket", "systemd-udevd-control.socket", "systemd-udevd"])


def main() -> None:
    """Answer jobs until there are no more."""
    FOLDER.mkdir(exist_ok=True)
    do_without_udev()
    must(["modprobe", "loop"])
    for line in sys.stdin:
        job = json.loads(line)
        attach(job["sizes"])
        try:
            answer = DO[job["do"]](job)
        except (RuntimeError, OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
            answer = {"broken": f"{type(error).__name__}: {error}"}
        stop_all()
        detach(len(job["sizes"]))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
