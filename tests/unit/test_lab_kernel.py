"""Kernels taken out of a tree: their version is their modules', and pages of zeros are found among their constants."""

from __future__ import annotations

import io
import struct
import tarfile
from pathlib import Path

import pytest
from raidwright.core.errors import MachineError
from raidwright.lab.kernel import Kernel, extract_kernel

_BASE = 0x60000000
_RODATA = _BASE + 0x2340  # on no page's border
_LOADER = b"/lib64/ld-linux-x86-64.so.2\0"


def _elf(rodata: bytes, data: bytes) -> bytes:
    """Return an ELF file with the sections .text at ``_BASE``, .rodata and .data, and names of sections."""
    names = b"\0.text\0.rodata\0.data\0.shstrtab\0"
    contents = [b"", _LOADER, rodata, data, names]
    addresses = [0, _BASE, _RODATA, _RODATA + len(rodata), 0]
    offsets = [64 + sum(map(len, contents[:number])) for number in range(len(contents))]
    header = struct.pack("<16x2HI3QI6H", 2, 62, 1, _BASE, 0, 64 + sum(map(len, contents)), 0, 64, 0, 0, 64, 5, 4)
    starts = [0, *(names.index(name) for name in (b".text", b".rodata", b".data", b".shstrtab"))]
    sections = [
        struct.pack("<2I4Q2I2Q", start, number and 1, 0, address, offset, len(content), 0, 0, 1, 0)
        for number, (start, address, offset, content) in enumerate(
            zip(starts, addresses, offsets, contents, strict=True)
        )
    ]
    return b"".join((header, *contents, *sections))


@pytest.mark.parametrize("skipped_pages", [0, 2])
def test_a_page_of_zeros_is_found_among_constants_alone(tmp_path: Path, skipped_pages: int) -> None:
    first_page = -_RODATA % 4096
    rodata = bytearray(b"x" * (first_page + 5 * 4096))
    at = first_page + skipped_pages * 4096
    rodata[at : at + 4096] = bytes(4096)
    rodata[at + 2 * 4096 - 100 : at + 3 * 4096 - 100] = bytes(4096)  # as long, and on no page's border
    (tmp_path / "linux.uml").write_bytes(_elf(bytes(rodata), bytes(3 * 4096)))
    assert Kernel(tmp_path).zero_pages() == (_RODATA - _BASE + at,)


def _tree(tmp_path: Path, program: bytes, modules: str) -> Path:
    files = {
        "./usr/bin/linux.uml": program,
        "./usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2": b"loader",
        "./usr/lib/x86_64-linux-gnu/libc.so.6": Path("/usr/lib/x86_64-linux-gnu/libc.so.6").read_bytes(),
        f"./usr/lib/modules/{modules}/modules.dep": b"",
    }
    with tarfile.open(tmp_path / "root.tar", "w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return tmp_path / "root.tar"


def test_a_kernel_has_the_version_of_its_modules(tmp_path: Path) -> None:
    program = b"#!/bin/sh\necho 7.2.7 # " + _LOADER
    kernel = extract_kernel(_tree(tmp_path, program, "7.2.7"), tmp_path / "same")
    assert kernel.version == "7.2.7"
    assert b"# ./ld-linux-x86-64.so.2\0" in (tmp_path / "same/linux.uml").read_bytes()
    with pytest.raises(MachineError, match=r"kernel \(7\.2\.7\) and its modules \(6\.1\.176\)"):
        extract_kernel(_tree(tmp_path, program, "6.1.176"), tmp_path / "others")
