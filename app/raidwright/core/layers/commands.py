"""The commands that make a layer, and the device that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raidwright.core.lvm.commands import volume_create_commands
from raidwright.core.lvm.joined import volume_path
from raidwright.core.md.mdadm import Command, array_path, by_id_path
from raidwright.core.md.mdadm import create_commands as array_commands
from raidwright.core.model.plan import Layer, MdArray, Member


def create_commands(
    layer: Layer,
    path_of: Callable[[Member], str] = by_id_path,
    *,
    homehost: str = "",
    uuids: Iterator[str] | None = None,
    asks: bool = True,
) -> tuple[Command, ...]:
    """Return the commands that create a layer and all below it, lowest first."""
    if isinstance(layer, MdArray):
        return array_commands(layer, path_of, homehost=homehost, uuids=uuids, asks=asks)
    return volume_create_commands(layer, path_of, homehost=homehost, uuids=uuids, asks=asks)


def device_path(layer: Layer) -> str:
    """Return the path of the device with the file system."""
    return array_path(layer.name) if isinstance(layer, MdArray) else volume_path(layer.name)
