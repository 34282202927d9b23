"""Runs inside the practice machine: makes real arrays on loop devices and says what became of them.

Standard library only. Reads one job a line from standard input, writes one answer a line:

    {"do": "create", "sizes": [sectors …], "commands": [argv …], "arrays": [name …]}
    {"do": "cells", … and "chunk_bytes", "chunks"}
    {"do": "failures", … and "sets": [[device …] …]}
    {"do": "grow", … and "spares": [device …], "change": [option …]}

Devices are named LOOP0, LOOP1 … in the argv.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
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
SECTOR = 512
Answer = dict[str, Any]  # JSON, both ways


def run(argv: Sequence[str], timeout: float = 40) -> tuple[int, str]:
    """Exit code and what was said; mdadm's questions find no one."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def must(argv: Sequence[str]) -> None:
    """Run something that may not fail."""
    code, said = run(argv)
    if code:
        raise RuntimeError(f"{argv}: {said}")


def loop(number: int) -> str:
    """The path of a job's device."""
    return f"/dev/loop{FIRST_LOOP + number}"


def backing(number: int) -> Path:
    """The file behind it."""
    return FOLDER / f"disk{number}"


def full_copy(number: int) -> Path:
    """A copy of it as it was when its array had just been filled."""
    return FOLDER / f"disk{number}.full"


def attach(sizes: list[int]) -> None:
    """Empty sparse devices of the given sectors."""
    for number, sectors in enumerate(sizes):
        with backing(number).open("wb") as file:
            file.truncate(sectors * SECTOR)
        must(["losetup", loop(number), str(backing(number))])


def detach(count: int) -> None:
    """Take the devices away again; a device that something still holds is tried for a while."""
    for number in range(count):
        for _ in range(50):
            if not run(["losetup", "-d", loop(number)])[0]:
                break
            time.sleep(0.02)
        backing(number).unlink(missing_ok=True)


def real(argv: list[str]) -> list[str]:
    """argv with the placeholders replaced."""
    return [re.sub(r"\bLOOP(\d+)", lambda found: loop(int(found[1])), word) for word in argv]


def md_path(name: str) -> Path:
    """/sys/block/mdN of an array by its name."""
    return Path("/sys/block") / Path(f"/dev/md/{name}").resolve().name


def text(path: Path) -> str:
    """A sysfs file's words; "" when it isn't there."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def facts(name: str) -> Answer:
    """What sysfs says of an array."""
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
    """Run the commands; say which failed, or what the arrays are."""
    for argv in job["commands"]:
        code, said = run(real(argv))
        if code:
            return {"refused": said, "code": code}
    return {"arrays": {name: facts(name) for name in job["arrays"]}}


def pattern(chunk: int, chunk_bytes: int) -> bytes:
    """A chunk's bytes: its number, so that no two chunks are alike, in every eighth byte a running count."""
    seed = (chunk + 1).to_bytes(8, "little")
    line = hashlib.blake2b(seed, digest_size=64).digest()
    return seed + (line * (chunk_bytes // 64 + 1))[: chunk_bytes - 8]


def fill(device: str, chunks: int, chunk_bytes: int) -> None:
    """Write every chunk through the array."""
    with Path(device).open("r+b", buffering=0) as array:
        array.writelines(pattern(chunk, chunk_bytes) for chunk in range(chunks))
        os.fsync(array.fileno())


def direct_read(device: str, chunks: int, chunk_bytes: int) -> int:
    """How many chunks read back right, read from the disks and not from memory."""
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
    """Every device as it was when the array had just been filled."""
    for number in range(count):
        shutil.copyfile(full_copy(number), backing(number))
        must(["blockdev", "--flushbufs", loop(number)])


def fail_set(job: Answer, owners: dict[str, str], failed: list[int]) -> Answer:
    """What one set of failures leaves: chunks that read back right, devices that md would not let go."""
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
    """Chunks that read back right after a start without the failed devices; None when md will not start."""
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
    """Make the array, give it spares, and ask mdadm for the change."""
    answer = create(job)
    if "refused" in answer:
        return answer
    device = f"/dev/md/{job['arrays'][-1]}"
    for spare in real(job["spares"]):
        must(["mdadm", device, "--add", spare])
    code, said = run(["mdadm", "--grow", device, *real(job["change"])])
    Path("/proc/sys/dev/raid/speed_limit_max").write_text("1000000")  # so that a reshape ends before the stop
    for _ in range(200):
        if "reshape" not in Path("/proc/mdstat").read_text():
            break
        time.sleep(0.05)
    return answer | {"grew": not code, "said": said}


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
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            answer = {"broken": f"{type(error).__name__}: {error}"}
        stop_all()
        detach(len(job["sizes"]))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
