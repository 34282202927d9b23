"""Parsing of ``ssh://[user@]host[:port]``, checked so that no part of it can be an option of ssh."""

from __future__ import annotations

import re
from typing import NamedTuple

from raidwright.core.errors import InputError

SCHEME = "ssh://"
_ADDRESS = re.compile(
    r"ssh://"
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9._+-]{0,255})@)?"
    r"(?:(?P<name>[A-Za-z0-9_][A-Za-z0-9._-]{0,254})|\[(?P<ipv6>[0-9A-Fa-f:][0-9A-Fa-f:.]{1,45}(?:%[A-Za-z0-9._-]{1,32})?)\])"
    r"(?::(?P<port>[0-9]{1,5}))?/?"
)
_MAX_PORT = 65535


class SshHost(NamedTuple):
    """A host as ssh's operand: an alias from its config, a name, or an address; "" and 0 leave it to ssh's config."""

    name: str
    user: str = ""
    port: int = 0

    @property
    def title(self) -> str:
        """The host as people call it."""
        return f"{self.user}@{self.name}" if self.user else self.name

    @property
    def address(self) -> str:
        """The host as a machine address."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{SCHEME}{f'{self.user}@' if self.user else ''}{name}{f':{self.port}' if self.port else ''}"

    @property
    def words(self) -> tuple[str, ...]:
        """ssh's last options and its operand; a command may follow."""
        user = ("-l", self.user) if self.user else ()
        port = ("-p", str(self.port)) if self.port else ()
        return (*user, *port, "--", self.name)

    @property
    def command(self) -> str:
        """The command that a person types to log in there."""
        return " ".join(("ssh", *(("-p", str(self.port)) if self.port else ()), self.title))


def parse_host(text: str) -> SshHost:
    """Parse ``text`` as an ssh address; raises InputError."""
    found = _ADDRESS.fullmatch(text)
    port = int(found["port"] or 0) if found else 0
    if found is None or port > _MAX_PORT or found["port"] in ("0", "00"):
        raise InputError(
            "“{text}” is no address for ssh; write ssh://host, ssh://user@host or ssh://user@host:port.",
            code="machine-ssh",
            text=text,
        )
    return SshHost(found["name"] or found["ipv6"], found["user"] or "", port)
