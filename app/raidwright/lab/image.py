"""Root file system of the guest: Debian, built once by mmdebstrap and cached under a key of all its inputs.

The image holds Debian's packages, the modules of that Debian's own kernel (see ``kernel``), two accounts and an init
script that unpacks a lab's own files (see ``overlay``), so that changing those never rebuilds it. mmdebstrap chooses
the mirror, and works as root as well as for an ordinary user (in a user namespace).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from raidwright import debian
from raidwright.core.errors import MachineError
from raidwright.core.messages import say

from .image_failures import why_not_built
from .kernel import Kernel, extract_kernel
from .places import cache_root, made_cache

INIT = "/usr/sbin/raidwright-lab-init"
_BLOCK_BYTES = 4096
_IMAGE_BYTES = 4 * 2**30  # sparse; unused blocks take no space
_INODE_RATIO_BYTES = 65536
_BUILD_BYTES = 3 * 2**29  # the tree, the tar and the image, about 450 MiB each

_PACKAGES = (
    "btrfs-progs,dbus,dosfstools,e2fsprogs,fdisk,fio,kmod,lvm2,mdadm,openssh-server,polkitd,procps,python3,"
    "python3-dbus-fast,smartmontools,systemd,systemd-sysv,udev,udisks2,user-mode-linux,xfsprogs"
)
# UDisks2 recommends these, by a name that changes with the library's version.
_UDISKS_PLUGINS = {
    "bookworm": "libblockdev-crypto2,libblockdev-mdraid2",
    "trixie": "libblockdev-crypto3,libblockdev-mdraid3",
    "forky": "libblockdev-crypto3,libblockdev-mdraid3",
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
mv "$1"/usr/lib/uml/modules/* "$1/usr/lib/modules/"
cat > "$1{INIT}" <<'END'
#!/bin/sh
tar -x -f /dev/ubdb -C / || exit
exec /lib/systemd/systemd
END
chmod 0755 "$1{INIT}"
"""


class Generation(StrEnum):
    """Debian release of the guest, which determines its kernel, mdadm, UDisks2 and fio."""

    BOOKWORM = "bookworm"  # Linux 6.1, mdadm 4.2, UDisks2 2.9.4, fio 3.33
    TRIXIE = "trixie"  # Linux 6.12, mdadm 4.4, UDisks2 2.10.1, fio 3.39
    FORKY = "forky"  # Linux 7.2, mdadm 4.6, UDisks2 2.11.2, fio 3.41


NEWEST_STABLE = Generation.TRIXIE
GENERATION_VARIABLE = "RAIDWRIGHT_GENERATION"


def generation_unasked() -> Generation:
    """Return the generation of a machine for which none is named: that of the environment, else the oldest."""
    asked = os.environ.get(GENERATION_VARIABLE, Generation.BOOKWORM)
    if asked not in list(Generation):
        raise MachineError(
            "{variable} can be {known:or}, not “{asked}”.",
            code="generation",
            variable=GENERATION_VARIABLE,
            known=[str(one) for one in Generation],
            asked=asked,
        )
    return Generation(asked)


@dataclass(frozen=True, slots=True)
class GuestSystem:
    """A generation's root image and kernel in ``folder``, whose name begins with the generation's."""

    folder: Path

    @property
    def generation(self) -> str:
        """The Debian release."""
        return self.folder.name.partition("-")[0]

    @property
    def image(self) -> Path:
        """Image of the root file system, never written to."""
        return self.folder / "root.ext2"

    @property
    def kernel(self) -> Kernel:
        """The only kernel whose modules are in the image."""
        return Kernel(self.folder / "kernel")


def guest_system(generation: Generation, tell: Callable[[str], None]) -> GuestSystem:
    """Return the system of ``generation``, built if need be; progress goes to ``tell``. Raises MachineError."""
    command = _build_command(generation)
    key = hashlib.sha256("\0".join([*command, _HOOK, str(_IMAGE_BYTES)]).encode()).hexdigest()[:16]
    system = GuestSystem(cache_root() / f"{generation}-{key}")
    if system.folder.exists():
        return system
    made_cache()
    with system.folder.with_suffix(".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not system.folder.exists():  # another process may have built it while we waited
            tell(
                say(
                    "Building the practice machine's Debian {generation}; this happens once and takes some minutes.",
                    generation=generation,
                )
            )
            _build(command, system, tell)
    return system


def _build_command(generation: Generation) -> list[str]:
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "info", "locale", "man")]
    return [
        "mmdebstrap",
        "--variant=minbase",
        f"--include={_PACKAGES},{_UDISKS_PLUGINS[generation]}",
        *excluded,
        f"--customize-hook={_HOOK}",
        "--format=tar",
        str(generation),
    ]


def _apt_options() -> list[str]:
    """Return the options by which mmdebstrap accepts a frozen archive's lists wherever this computer's apt does."""
    asked = ["apt-config", "dump", "Acquire::Check-Valid-Until"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return []
    return [f"--aptopt={line.rstrip(';')}" for line in said.splitlines() if line]


def _not_installed(program: str) -> MachineError:
    sentence = debian.why("lab", say("The practice machine needs {program}, which isn't installed.", program=program))
    return MachineError(sentence, code="not-installed")


def _build(command: list[str], system: GuestSystem, tell: Callable[[str], None]) -> None:
    cache = system.folder.parent
    free_bytes = shutil.disk_usage(cache).free
    if free_bytes < _BUILD_BYTES:
        raise MachineError(
            "Building the practice machine's system needs {needed_bytes:binary}; {folder} has "
            "{free_bytes:binary} free. Make room there, or set XDG_CACHE_HOME to a folder that has it.",
            code="no-room",
            needed_bytes=_BUILD_BYTES,
            folder=cache,
            free_bytes=free_bytes,
        )
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache) as directory:
        tar, unfinished = Path(directory) / "root.tar", GuestSystem(Path(directory) / system.folder.name)
        _run([*command, *_apt_options(), str(tar)], tell)
        tell(say("Writing its disk image."))
        unfinished.folder.mkdir()
        extract_kernel(tar, unfinished.kernel.folder)
        _run(
            [
                "genext2fs",
                "--block-size", str(_BLOCK_BYTES),
                "--size-in-blocks", str(_IMAGE_BYTES // _BLOCK_BYTES),
                "--bytes-per-inode", str(_INODE_RATIO_BYTES),
                "--allow-holes",
                "--tarball", str(tar),
                str(unfinished.image),
            ],
            tell,
        )  # fmt: skip
        unfinished.folder.rename(system.folder)


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
