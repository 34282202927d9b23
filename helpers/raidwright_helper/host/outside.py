"""Programs that need what this service's sandbox denies: they run as systemd units of their own.

So the sandbox stays as tight as mdadm and fio allow. The programs are a closed list, by absolute path:

- mounts, which are of no use in this service's own mount namespace: ``systemd-mount``, ``systemd-umount``;
- fio on the files of an array that is measured, in a mount of that unit's own (``measuring_argv``);
- ``smartctl``, whose commands to a disk need CAP_SYS_RAWIO;
- our own program that replaces one file of /etc (``etc_files``);
- ``ledctl``, which switches a bay's light through the enclosure's own device;
- ``modprobe``, ``losetup`` and ``dmsetup``, for the overlays of a rescue's trial (``overlays``), and ``find`` and
  ``sha256sum`` on the files of the array that is tried, in a mount of that unit's own;
- ``pvcreate``, ``vgcreate`` and LVM's other programs, which need device-mapper's control device and write to /etc/lvm
  (``lvm``);
- ``update-initramfs``, which writes to /boot and runs other packages' scripts;
- our own program that posts messages to the webhook, the only one with a network (``posting_argv``); and for a test
  mail, as md's monitor runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidwright.core.errors import JobFailed
from raidwright.core.messages import say

from .runner import run

SYSTEMCTL = "/usr/bin/systemctl"
POSTING = "raidwright-post.service"
MEASURED_AT = "/mnt"  # in that unit's own namespace, where it covers the host's /mnt
SYSTEMD_RUN = "/usr/bin/systemd-run"
_SYSTEMD_MOUNT = "/usr/bin/systemd-mount"
_SYSTEMD_UMOUNT = "/usr/bin/systemd-umount"
_LIMIT_SECONDS = 60.0
_CONFINED = (
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateNetwork=yes",
    "NoNewPrivileges=yes",
    "MemoryDenyWriteExecute=yes",
    "LimitCORE=0",
)


def unit_argv(
    argv: Sequence[str], *, capabilities: str | None = None, more: Sequence[str] = (), name: str = ""
) -> tuple[str, ...]:
    """Return the command that runs ``argv`` as a unit and waits for it, passing on its output and exit code.

    With ``capabilities`` (systemd's names) it has only these and may not write to files, except as ``more`` of a unit's
    properties allow; None gives it all of root's.
    """
    confined = () if capabilities is None else (*_CONFINED, f"CapabilityBoundingSet={capabilities}", *more)
    properties = [f"--property={each}" for each in confined]
    named = (f"--unit={name}",) if name else ()
    return (SYSTEMD_RUN, "--quiet", "--wait", "--pipe", "--collect", *named, *properties, "--", *argv)


def later_argv(argv: Sequence[str], capabilities: str, *, name: str, after_s: int) -> tuple[str, ...]:
    """Return the command that has ``argv`` run as the unit ``name`` in ``after_s``, even if this service ends."""
    properties = [f"--property={each}" for each in (*_CONFINED, f"CapabilityBoundingSet={capabilities}")]
    return (SYSTEMD_RUN, "--quiet", "--collect", f"--unit={name}", f"--on-active={after_s}s", *properties, "--", *argv)


def posting_argv(argv: Sequence[str], folder: str, *, waits: bool) -> tuple[str, ...]:
    """Return the command that runs ``argv`` with a network, able to write below ``folder`` alone.

    ``waits``: as ``unit_argv``. Otherwise it is only begun, as the unit `POSTING`, once the network is up, and again
    some minutes after each failure; one at a time.
    """
    own = (
        *(one for one in _CONFINED if not one.startswith("PrivateNetwork")),
        "CapabilityBoundingSet=",
        f"ReadWritePaths={folder}",
        "PrivateDevices=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "RestrictNamespaces=yes",
        "SystemCallArchitectures=native",
        "SystemCallFilter=@system-service",
    )
    later = (
        "Wants=network-online.target",
        "After=network-online.target",
        "Restart=on-failure",
        "RestartSec=5min",
        "StartLimitIntervalSec=0",
        "RuntimeMaxSec=30min",
    )
    properties = [f"--property={each}" for each in (own if waits else (*own, *later))]
    how = ("--wait", "--pipe") if waits else ("--no-block", f"--unit={POSTING}")
    return (SYSTEMD_RUN, "--quiet", "--collect", *how, *properties, "--", *argv)


def measuring_argv(argv: Sequence[str], node: str, options: str, *, name: str, limit_s: float) -> tuple[str, ...]:
    """Return the command that runs ``argv`` as the unit ``name``, which alone mounts ``node``, at ``MEASURED_AT``.

    The mount ends with the unit, and the unit with this service, however that ends: no mount is left in other
    namespaces.
    """
    own = (
        f"MountImages={node}:{MEASURED_AT}:root:nodev,nosuid,noexec{options}",
        f"ReadWritePaths={MEASURED_AT}",
        "DevicePolicy=closed",
        f"DeviceAllow={node}",
        "BindsTo=raidwright-helper.service",
        "After=raidwright-helper.service",
        f"RuntimeMaxSec={limit_s:.0f}",
    )
    return unit_argv(argv, capabilities="", more=own, name=name)


def mount_argv(node: str, place: str, kind: str, options: str = "") -> tuple[str, ...]:
    """Return the command that mounts ``node`` at ``place`` for all; systemd makes a missing folder.

    Its files get no privileges (nodev, nosuid): they may come from anywhere.
    """
    given = ",".join(filter(None, ("nodev,nosuid", options)))
    return (_SYSTEMD_MOUNT, "--quiet", "--collect", f"--type={kind}", f"--options={given}", "--", node, place)


def unmount_argv(place: str) -> tuple[str, ...]:
    """Return the command that unmounts ``place``."""
    return (_SYSTEMD_UMOUNT, "--quiet", "--", place)


async def run_outside(argv: Sequence[str], capabilities: str, log: list[str], *more: str) -> str:
    """Run ``argv`` as a unit of its own; return its output. Raises JobFailed."""
    finished = await run(
        unit_argv(argv, capabilities=capabilities, more=more), limit_s=_LIMIT_SECONDS, accept=range(256)
    )
    log.append(" ".join(argv))
    if finished.code:
        why = finished.errors.strip().splitlines()
        raise JobFailed(
            "{program} failed: {why}.",
            code="command-failed",
            program=Path(argv[0]).name,
            why=why[-1].rstrip(".") if why else say("code {exit_code}", exit_code=finished.code),
        )
    return finished.output
