"""Devices on an array in words: why they keep it from being stopped, and which of them is mounted."""

from __future__ import annotations

from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.layers import Layer, LayerKind
from raidwright.machine.states.volume import State
from raidwright.text.catalogue import tr

from .condition import stays_stopped_words

_LUKS = "crypto_LUKS"


def kept_running_words(array: State) -> str:
    """Return why a running array can't be stopped now, and the remedy; "" if it can, as with idle volumes of LVM."""
    if array.mounted_at:
        return tr("It is mounted at {place}. Unmount it first.", place=array.mounted_at)
    if array.would_stay_stopped:
        return stays_stopped_words()
    return next((told for layer in array.layers if (told := _use_words(layer))), "")


def _use_words(layer: Layer) -> str:
    if layer.mounted_at:
        return tr("{name} on it is mounted at {place}. Unmount that first.", name=layer.name, place=layer.mounted_at)
    if layer.is_swap:
        return tr("{name} on it is swap space. Switch it off with swapoff first.", name=layer.name)
    if layer.kind is LayerKind.CRYPT:
        return tr("{name} on it is unlocked (LUKS). Close it first (sudo cryptsetup close {name}).", name=layer.name)
    return tr("It carries {name}. Stop that first.", name=layer.name) if layer.kind is LayerKind.OTHER else ""


def idle_volumes(array: State) -> tuple[str, ...]:
    """Return the names of LVM's volumes on the array, which a stop deactivates."""
    return tuple(layer.name for layer in array.layers if layer.kind is LayerKind.LVM)


def mount_words(array: State, place: str, content: str) -> str:
    """Return what a mount at ``place`` mounts: the array, or a volume on it; or why nothing can be.

    ``content`` is libblkid's type of what is on the array itself.
    """
    layers = [one for one in array.layers if one.can_be_mounted]
    if len(layers) == 1:
        return tr("{name} on it is mounted at {place}.", name=layers[0].name, place=place)
    if layers:
        names = [one.name for one in layers]
        return tr(
            "It isn't mounted: it carries several volumes with a file system, {names:and}. Mount the one that you mean "
            "by its name (sudo mount /dev/mapper/{first} FOLDER).",
            names=names,
            first=names[0],
        )
    if content == _LUKS:
        return tr(
            "It isn't mounted, since it is encrypted (LUKS): unlock it first (sudo cryptsetup open {device} NAME), "
            "then mount it (raidwright filesystem mount {name} --at {place}).",
            device=array.device,
            name=array.name,
            place=place,
        )
    if not can_mount(array, content):
        return tr("It isn't mounted: nothing on it is a file system that can be mounted here.")
    return tr("It is mounted at {place}.", place=place)


def can_mount(array: State, content: str) -> bool:
    """Return whether there is one file system to mount: on the array itself, or on one device on it."""
    if array.layers:
        return sum(one.can_be_mounted for one in array.layers) == 1
    return content in set(FileSystemKind)
