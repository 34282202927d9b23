"""SASL opening of a D-Bus connection, rewritten for a relay that connects with another uid.

A client's ``AUTH EXTERNAL`` carries its own uid in hexadecimal digits (D-Bus specification, "Authentication Protocol");
the bus compares it with the socket's peer uid, which in a lab is the role's. File descriptors can't cross the line, so
a client's request to pass them must be refused.
"""

from __future__ import annotations


class Opening:
    """Rewrites a client's bytes up to ``BEGIN``, and passes on everything after."""

    def __init__(self, uid: int) -> None:
        self._identity = str(uid).encode().hex().encode()
        self._pending: bytes | None = b""

    def rewrite(self, data: bytes) -> bytes:
        """Return the bytes to pass on; an incomplete line is held back until its end arrives."""
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
                return b"NO_UNIX_FD_HERE"  # the bus answers ERROR to an unknown command
            case _:
                return line
