"""The opening words of a D-Bus connection, seen from a relay that speaks for another uid.

A client's ``AUTH EXTERNAL`` carries its own uid in hexadecimal digits (D-Bus specification, "Authentication
Protocol"); the bus compares it with the uid that the kernel reports of the socket, which in a lab is the role's.
File descriptors can't cross the line, so a client that asks for them is to be told no.
"""

from __future__ import annotations


class Opening:
    """Rewrites a client's bytes up to ``BEGIN``, and passes on everything after."""

    def __init__(self, uid: int) -> None:
        self._identity = str(uid).encode().hex().encode()
        self._pending: bytes | None = b""

    def rewrite(self, data: bytes) -> bytes:
        """The bytes to pass on; an unfinished line is kept until its end has come."""
        if self._pending is None:
            return data
        *lines, self._pending = (self._pending + data).split(b"\r\n")
        passed = b""
        while lines:
            line = lines.pop(0)
            passed += self._rewrite_line(line) + b"\r\n"
            if line == b"BEGIN":
                rest = b"\r\n".join([*lines, self._pending])
                self._pending = None
                return passed + rest
        return passed

    def _rewrite_line(self, line: bytes) -> bytes:
        nul, words = (b"\0", line[1:].split()) if line.startswith(b"\0") else (b"", line.split())
        match words:
            case [b"AUTH", b"EXTERNAL", _]:
                return nul + b"AUTH EXTERNAL " + self._identity
            case [b"DATA", _]:
                return b"DATA " + self._identity
            case [b"NEGOTIATE_UNIX_FD"]:
                return b"NO_UNIX_FD_HERE"  # the bus answers ERROR to a word that it doesn't know
            case _:
                return line
