"""Root file system of the guest: Debian, built once by mmdebstrap and cached under a key of all its inputs.

The image holds Debian's packages, the modules of the kernel that runs it, two accounts and an init script that unpacks
a lab's own files (see ``overlay``), so that changing those never rebuilds it. mmdebstrap chooses the mirror, and works
as root as well as for an ordinary user (in a user namespace).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from raidwright import debian
from raidwright.core.errors import MachineError
from raidwright.core.messages import say

from .image_failures import why_not_built
from .places import cache_root, made_cache

KERNEL = "linux.uml"
INIT = "/usr/sbin/raidwright-lab-init"
_MODULES = Path("/usr/lib/uml/modules")
_BLOCK_BYTES = 4096
_IMAGE_BYTES = 4 * 2**30  # sparse; unused blocks take no space
_INODE_RATIO_BYTES = 65536
_BUILD_BYTES = 3 * 2**29  # the tree, the tar and the image, about 450 MiB each

_PACKAGES = (
    "btrfs-progs,dbus,dosfstools,e2fsprogs,fdisk,fio,kmod,lvm2,mdadm,openssh-server,polkitd,procps,python3,"
    "python3-dbus-fast,smartmontools,systemd,systemd-sysv,udev,udisks2,xfsprogs"
)
# UDisks2 recommends these, by a name that changes with the library's version.
_UDISKS_PLUGINS = {
    "bookworm": "libblockdev-crypto2,libblockdev-mdraid2",
    "trixie": "libblockdev-crypto3,libblockdev-mdraid3",
}

# Runs on the host with the new tree as $1.
_HOOK = f"""set -e
chroot "$1" useradd --create-home --groups sudo --shell /bin/bash alice
chroot "$1" useradd --create-home --shell /bin/bash bob
echo practice > "$1/etc/hostname"
rm -f "$1/etc/resolv.conf"
: > "$1/etc/fstab"
rm -f "$1"/etc/ssh/ssh_host_*
mkdir -p "$1/usr/lib/modules"
cat > "$1{INIT}" <<'END'
#!/bin/sh
tar -x -f /dev/ubdb -C / || exit
exec /lib/systemd/systemd
END
chmod 0755 "$1{INIT}"
"""


class Generation(StrEnum):
    """Debian release of the guest, which determines its mdadm, UDisks2 and fio."""

    BOOKWORM = "bookworm"  # mdadm 4.2, UDisks2 2.9.4, fio 3.33
    TRIXIE = "trixie"  # mdadm 4.4, UDisks2 2.10.1, fio 3.39


def root_image(generation: Generation, tell: Callable[[str], None]) -> Path:
    """Return the image of ``generation``, built if need be, with progress reported to ``tell``. Raises MachineError."""
    command = _build_command(generation)
    key = hashlib.sha256("\0".join([*command, _HOOK, str(_IMAGE_BYTES)]).encode()).hexdigest()[:16]
    image = cache_root() / f"{generation}-{key}.ext2"
    if image.exists():
        return image
    made_cache()
    with image.with_suffix(".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not image.exists():  # another process may have built it while we waited
            tell(
                say(
                    "Building the practice machine's Debian {generation}; this happens once and takes some minutes.",
                    generation=generation,
                )
            )
            _build(command, image, tell)
    return image


def _build_command(generation: Generation) -> list[str]:
    modules = _MODULES / _kernel_version()
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "info", "locale", "man")]
    return [
        "mmdebstrap",
        "--variant=minbase",
        f"--include={_PACKAGES},{_UDISKS_PLUGINS[generation]}",
        *excluded,
        f"--customize-hook={_HOOK}",
        f"--customize-hook=copy-in {modules} /usr/lib/modules",
        "--format=tar",
        str(generation),
    ]


def _kernel_version() -> str:
    try:
        done = subprocess.run([KERNEL, "--version"], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise _not_installed(KERNEL) from error
    return done.stdout.strip()


def _not_installed(program: str) -> MachineError:
    sentence = debian.why("lab", say("The practice machine needs {program}, which isn't installed.", program=program))
    return MachineError(sentence, code="not-installed")


def _build(command: list[str], image: Path, tell: Callable[[str], None]) -> None:
    free_bytes = shutil.disk_usage(image.parent).free
    if free_bytes < _BUILD_BYTES:
        raise MachineError(
            "Building the practice machine's system needs {needed_bytes:binary}; {folder} has "
            "{free_bytes:binary} free. Make room there, or set XDG_CACHE_HOME to a folder that has it.",
            code="no-room",
            needed_bytes=_BUILD_BYTES,
            folder=image.parent,
            free_bytes=free_bytes,
        )
    with tempfile.TemporaryDirectory(prefix="build-", dir=image.parent) as directory:
        tar, unfinished = Path(directory) / "root.tar", Path(directory) / "root.ext2"
        _run([*command, str(tar)], tell)
        tell(say("Writing its disk image."))
        _run(
            [
                "genext2fs",
                "--block-size", str(_BLOCK_BYTES),
                "--size-in-blocks", str(_IMAGE_BYTES // _BLOCK_BYTES),
                "--bytes-per-inode", str(_INODE_RATIO_BYTES),
                "--allow-holes",
                "--tarball", str(tar),
                str(unfinished),
            ],
            tell,
        )  # fmt: skip
        unfinished.rename(image)


def _run(argv: list[str], tell: Callable[[str], None]) -> None:
    """Run a program of the build, passing its output on; its last lines go into the error."""
    path = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"
    environment = {**os.environ, "LC_ALL": "C", "PATH": path}
    heard: list[str] = []
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
    except FileNotFoundError as error:
        raise _not_installed(argv[0]) from error
    with process:
        for line in process.stdout or ():
            heard.append(line.rstrip())
            if line.startswith("I: "):
                tell(f"  {line[3:].rstrip()}")
    if process.returncode:
        why = why_not_built(argv[0], heard)
        said = say("The practice machine's system can't be built: {why}", why=why)
        raise MachineError(
            debian.why("lab", said),
            code="image",
            program=argv[0],
        )
