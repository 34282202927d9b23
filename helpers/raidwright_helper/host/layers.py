"""Devices on top of an array: partitions, LVM's volumes, unlocked LUKS devices, each by the name that people gave it.

They are known by sysfs and device-mapper's UUIDs (libdm: ``LVM-``, ``CRYPT-``); no device is opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.errors import DiskRefused
from raidwright.core.messages import Message, say
from raidwright.core.system.layers import Layer, LayerKind

from .host import Host

_BY_UUID = {"LVM-": LayerKind.LVM, "CRYPT-": LayerKind.CRYPT}
LUKS, LVM = "crypto_LUKS", "LVM2_member"


def layers_on(host: Host, number: int) -> tuple[Layer, ...]:
    """Return the devices on the array, each once, those directly on it first."""
    found: dict[int, Layer] = {}
    ahead = [*host.partitions(number), *host.holders(number)]
    while ahead:
        above = ahead.pop(0)
        if above not in found:
            found[above] = _layer(host, above)
            ahead += [*host.partitions(above), *host.holders(above)]
    return tuple(found.values())


def _layer(host: Host, number: int) -> Layer:
    name = host.attribute(number, "dm/name") or host.kernel_name(number)
    above = bool(host.holders(number) or host.partitions(number))
    content = host.udev(number).properties.get("ID_FS_TYPE", "")
    swap = host.is_swap(number)
    return Layer(name, _kind(host, number), content, above, swap, host.mount_point(number) or "", number)


def _kind(host: Host, number: int) -> LayerKind:
    if host.partition(number) is not None:
        return LayerKind.PARTITION
    uuid = host.attribute(number, "dm/uuid")
    found = (kind for prefix, kind in _BY_UUID.items() if uuid.startswith(prefix))
    return next(found, LayerKind.OTHER)


def reasons_of_use(layers: tuple[Layer, ...]) -> Iterator[Message]:
    """Yield the uses of the layers that end only by a person's hand, each as the rest of a sentence with the remedy."""
    for layer in layers:
        if layer.mounted_at:
            yield say("carries {name}, mounted at {point}; unmount that first", name=layer.name, point=layer.mounted_at)
        elif layer.is_swap:
            yield say("carries {name}, which is swap space; switch it off with swapoff first", name=layer.name)
        elif layer.kind is LayerKind.CRYPT:
            yield say(
                "carries {name}, an unlocked LUKS device; close it first: sudo cryptsetup close {name}", name=layer.name
            )
        elif layer.kind is LayerKind.OTHER:
            yield say("carries {names}; stop that first", names=layer.name)


def layer_to_mount(layers: tuple[Layer, ...], content: str, label: str, node: str) -> Layer:
    """Return the one layer with a file system; raises DiskRefused if there is none, or several.

    ``content`` is the array's own.
    """
    candidates = [one for one in layers if one.can_be_mounted]
    mounted = [one for one in candidates if one.mounted_at]
    if len(found := mounted or candidates) == 1:
        return found[0]
    if found:
        raise DiskRefused(
            "{array} carries several volumes with a file system: {names:and}. Mount the one that you mean by its name: "
            "sudo mount /dev/mapper/{first} FOLDER.",
            code="array-several-volumes",
            array=label,
            names=[one.name for one in found],
            first=found[0].name,
        )
    if content == LUKS and not layers:
        raise DiskRefused(
            "{array} is encrypted (LUKS) and locked. Unlock it first: sudo cryptsetup open {node} NAME.",
            code="array-locked",
            array=label,
            node=node,
        )
    if content == LVM and not layers:
        raise DiskRefused(
            "{array} carries LVM's volumes, and none is active. Activate them first: sudo vgchange --activate=y.",
            code="array-volumes-inactive",
            array=label,
        )
    raise DiskRefused("The array holds no file system that can be mounted here.", code="array-no-filesystem")
