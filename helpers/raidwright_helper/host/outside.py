"""Programs that need what this service's own sandbox denies it: they run as units of their own, started by systemd.

So the sandbox stays as tight as mdadm and fio allow. What runs out here is a closed list, by absolute path:

- mounts, which are of no use in this service's own mount namespace: ``systemd-mount``, ``systemd-umount``;
- fio on the files of an array that is measured, in a mount of that unit's own (``measuring_argv``);
- ``smartctl``, whose commands to a disk need CAP_SYS_RAWIO;
- our own program that replaces one file of /etc (``etc_files``);
- ``update-initramfs``, which writes to /boot and runs other packages' scripts.
"""

from __future__ import annotations

from collections.abc import Sequence

SYSTEMCTL = "/usr/bin/systemctl"
MEASURED_AT = "/mnt"  # of that unit's own view, where it covers what is there
_SYSTEMD_RUN = "/usr/bin/systemd-run"
_SYSTEMD_MOUNT = "/usr/bin/systemd-mount"
_SYSTEMD_UMOUNT = "/usr/bin/systemd-umount"
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
    """The command that runs ``argv`` as a unit and waits for it, passing its output and exit code on.

    With ``capabilities`` (systemd's words) it has only these and may write to no file, unless ``more`` of a unit's
    properties say so; None gives it all of root's.
    """
    confined = () if capabilities is None else (*_CONFINED, f"CapabilityBoundingSet={capabilities}", *more)
    properties = [f"--property={each}" for each in confined]
    named = (f"--unit={name}",) if name else ()
    return (_SYSTEMD_RUN, "--quiet", "--wait", "--pipe", "--collect", *named, *properties, "--", *argv)


def measuring_argv(argv: Sequence[str], node: str, options: str, *, name: str, limit_s: float) -> tuple[str, ...]:
    """The command that runs ``argv`` as the unit ``name``, which alone sees ``node``'s file system, at ``MEASURED_AT``.

    The mount goes with the unit, and the unit with this service, however that ends: no mount of anybody else's is left.
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


def mount_argv(node: str, place: str, kind: str) -> tuple[str, ...]:
    """The command that mounts ``node`` at ``place`` for all; systemd makes the folder where there is none.

    What is on it gets no powers of its own (nodev, nosuid): its bytes may come from anywhere.
    """
    return (_SYSTEMD_MOUNT, "--quiet", "--collect", f"--type={kind}", "--options=nodev,nosuid", "--", node, place)


def unmount_argv(place: str) -> tuple[str, ...]:
    """The command that unmounts what is at ``place``."""
    return (_SYSTEMD_UMOUNT, "--quiet", "--", place)
