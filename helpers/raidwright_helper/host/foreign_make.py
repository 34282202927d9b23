"""Arrays with external metadata: Intel's firmware RAID (imsm), DDF, and anything else that mdmon manages.

Such a set is a container, which has no slots, and volumes in it. Only mdmon and the firmware write their metadata, so
Raidwright treats them as read-only. Source: kernel ``Documentation/admin-guide/md.rst`` (metadata_version:
``external:imsm`` of a container, ``external:/md127/0`` or, while mdmon is blocked, ``external:-md127/0`` of a volume).
"""

from __future__ import annotations

from raidwright.core.errors import DiskRefused
from raidwright.core.md.foreign_make import make_name

from .host import Host

_EXTERNAL = "external:"


def make_of(host: Host, number: int) -> str:
    """Return ``imsm``, ``ddf`` …; "" for an array with native md metadata."""
    said = _external(host, number)
    if (container := container_of(host, number)) is not None:
        return _external(host, container) or "external"
    return said


def is_container(host: Host, number: int) -> bool:
    """Return whether the array is a container, which holds volumes rather than data."""
    return bool(_external(host, number)) and container_of(host, number) is None


def container_of(host: Host, number: int) -> int | None:
    """Return the container of a volume; None for any other array."""
    said = _external(host, number)
    if not said.startswith(("/", "-")):
        return None
    name = said[1:].partition("/")[0]
    return next((one for one in host.arrays() if host.kernel_name(one) == name), None)


def node_of(host: Host, number: int) -> str:
    """Return the array's familiar node, ``/dev/md/imsm0``, if udev has made one."""
    links = sorted(link for link in host.udev(number).links if link.startswith("md/"))
    return f"/dev/{links[0]}" if links else host.node(number)


def verify_own_make(host: Host, number: int) -> None:
    """Raise DiskRefused for an array with external metadata."""
    if make := make_of(host, number):
        raise DiskRefused(
            "{node} is {make}. The firmware and mdmon look after it, and Raidwright only looks at it. Nothing was "
            "done.",
            code="array-foreign-make",
            node=node_of(host, number),
            make=make_name(make),
        )


def _external(host: Host, number: int) -> str:
    said = host.attribute(number, "md/metadata_version")
    return said.removeprefix(_EXTERNAL) if said.startswith(_EXTERNAL) else ""
