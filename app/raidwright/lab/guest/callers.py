"""Clients of the guest's system bus: each connection is made by a process with the right uid.

polkit and UDisks2 ask the kernel for the peer credentials of a socket and look the process up. So each connection is
made by a process that has the role's uid and groups and lives as long as the connection does. They are forked from a
process that has no threads and, but for its one socket, no open files.
"""

from __future__ import annotations

import grp
import os
import pwd
import signal
import socket
import sys

BUS = "/run/dbus/system_bus_socket"
ACCOUNTS = {"root": "root", "admin": "alice", "user": "bob"}


class Callers:
    """Makes bus connections as one of the roles. Must be created before the first thread."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            self._socket.close()
            _serve(theirs)
        theirs.close()

    def connect(self, role: str) -> tuple[socket.socket, socket.socket]:
        """Return a connection to the bus, and the life line of the process that made it; raises OSError."""
        life, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._socket, [role.encode()], [theirs.fileno()])
        _, fds, _, _ = socket.recv_fds(life, 16, 1)
        if not fds:
            life.close()
            raise ConnectionError(f"no bus connection for {role}")
        return socket.socket(fileno=fds[0]), life


def _serve(requests: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    while True:
        role, fds, _, _ = socket.recv_fds(requests, 64, 1)
        if not role:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            _be_caller(role.decode(), socket.socket(fileno=fds[0]))
        os.close(fds[0])


def _be_caller(role: str, life: socket.socket) -> None:
    try:
        _become(ACCOUNTS[role])
        with socket.socket(socket.AF_UNIX) as bus:
            bus.connect(BUS)
            socket.send_fds(life, [b"ok"], [bus.fileno()])
        life.recv(1)  # until the relay closes the life line
    except OSError as error:
        print(f"caller {role}: {error}", file=sys.stderr)
    os._exit(0)


def _become(account: str) -> None:
    entry = pwd.getpwnam(account)
    os.setgroups([group.gr_gid for group in grp.getgrall() if account in group.gr_mem] + [entry.pw_gid])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
