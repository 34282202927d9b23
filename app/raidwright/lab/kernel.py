"""Kernel of a guest: Debian's user-mode-linux of the guest's own generation, with its loader and its C library.

A kernel lies in a folder beside the root image that holds its modules, both from one tree, so program and modules are
one and the same version. A newer Debian's program needs a newer C library than an older host has: the copy of the
program names its own tree's loader, relative to the folder, in which it is started.
"""

from __future__ import annotations

import struct
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import MachineError

_PROGRAM = "linux.uml"
_LOADER = "ld-linux-x86-64.so.2"
_LIBRARY = "libc.so.6"
_USUAL_LOADER = f"/lib64/{_LOADER}".encode()
_OWN_LOADER = f"./{_LOADER}".encode().ljust(len(_USUAL_LOADER), b"\0")
_FILES = {
    f"./usr/bin/{_PROGRAM}": _PROGRAM,
    f"./usr/lib/x86_64-linux-gnu/{_LOADER}": _LOADER,
    f"./usr/lib/x86_64-linux-gnu/{_LIBRARY}": _LIBRARY,
}
_PAGE_BYTES = 4096
_ELF_HEADER = struct.Struct("<16x 2H I 3Q I 6H")
_SECTION = struct.Struct("<2I 4Q 2I 2Q")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel in ``folder``, which is the directory to start it in."""

    folder: Path

    @property
    def version(self) -> str:
        """Linux's version, as ``uname -r`` gives it in the guest; "" if the cache was emptied meanwhile."""
        file = self.folder / "version"
        return file.read_text() if file.exists() else ""

    @property
    def argv0(self) -> str:
        """The program, relative to the folder."""
        return f"./{_PROGRAM}"

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables by which the loader finds the kernel's own C library."""
        return {"LD_LIBRARY_PATH": "."}

    def config(self) -> str:
        """Return what the kernel was built with, as an installed one has it in /boot."""
        return self._said("--showconfig")

    def _said(self, option: str) -> str:
        argv = [self.argv0, option]
        done = subprocess.run(argv, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout or done.stderr

    def zero_pages(self) -> tuple[int, ...]:
        """Return the guest's addresses of pages of zeros among the constants of the program.

        Linux 7.0 and later has the page that it writes zeros from in its image, which it doesn't share with the process
        that serves its disks (arch/um/drivers/virtio_uml.c, vhost_user_set_mem_table); earlier ones have none.
        """
        return tuple(_zero_pages((self.folder / _PROGRAM).read_bytes()))


def extract_kernel(tar: Path, folder: Path) -> Kernel:
    """Copy the kernel of the root file system in ``tar`` into ``folder``, which it creates. Raises MachineError."""
    folder.mkdir()
    modules = set()
    with tarfile.open(tar) as tree:
        for member in tree:
            if name := _FILES.get(member.name):
                content = tree.extractfile(member)
                (folder / name).write_bytes(content.read() if content else b"")
                (folder / name).chmod(0o755)
            elif member.name.startswith("./usr/lib/modules/") and member.name.endswith("/modules.dep"):
                modules.add(Path(member.name).parent.name)
    kernel = Kernel(folder)
    _name_own_loader(folder / _PROGRAM)
    version = kernel._said("--version").strip()  # noqa: SLF001  # of this module
    if version not in modules:
        raise MachineError(
            "The practice machine's kernel ({version}) and its modules ({modules}) are of different versions.",
            code="image",
            version=version,
            modules=", ".join(sorted(modules)),
        )
    (folder / "version").write_text(version)
    return kernel


def _name_own_loader(program: Path) -> None:
    content = program.read_bytes()
    if content.count(_USUAL_LOADER + b"\0") != 1:
        raise MachineError("The practice machine's kernel names no loader that is known.", code="image")
    program.write_bytes(content.replace(_USUAL_LOADER, _OWN_LOADER))


def _zero_pages(program: bytes) -> Iterator[int]:
    """Yield the physical addresses of whole pages of zeros in .rodata; the image begins at physical address 0."""
    _, _, _, _, _, first_section, _, _, _, _, size, count, names = _ELF_HEADER.unpack_from(program)
    sections = [_SECTION.unpack_from(program, first_section + number * size) for number in range(count)]
    name_bytes = program[sections[names][4] :]
    begin = min(address for _, kind, _, address, *_ in sections if kind and address)
    for name, _, _, address, offset, length, *_ in sections:
        if name_bytes[name:].startswith(b".rodata\0"):
            for page in range(-address % _PAGE_BYTES, length - _PAGE_BYTES + 1, _PAGE_BYTES):
                if not any(program[offset + page : offset + page + _PAGE_BYTES]):
                    yield address + page - (begin - begin % _PAGE_BYTES)
