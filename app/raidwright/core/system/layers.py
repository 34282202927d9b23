"""The devices on top of an array, as the helper tells them: volumes of LVM, unlocked LUKS devices, partitions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .filesystem import FileSystemKind


class LayerKind(StrEnum):
    """Kinds of such devices, by device-mapper's UUID."""

    LVM = "lvm"
    CRYPT = "crypt"
    PARTITION = "partition"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Layer:
    """A device on an array: its name (device-mapper's, else the kernel's), its kind and udev's type of its content.

    ``is_below``: something else is on top of it. ``number`` is its device number, 0 where a program has it told.
    """

    name: str
    kind: LayerKind
    content: str = ""
    is_below: bool = False
    is_swap: bool = False
    mounted_at: str = ""
    number: int = 0

    @property
    def can_be_mounted(self) -> bool:
        """True for one with a file system of a kind that Raidwright mounts."""
        return self.kind is not LayerKind.OTHER and not self.is_below and self.content in set(FileSystemKind)

    def line(self) -> str:
        """Return the layer as one line: ``vg1-lv1 lvm ext4 top /srv/qnap``."""
        how = "swap" if self.is_swap else "below" if self.is_below else "top"
        name = self.name.replace(" ", "\\x20")  # device-mapper's own way
        return f"{name} {self.kind} {self.content or '-'} {how} {self.mounted_at}"


def layer_of_line(line: str) -> Layer:
    """Return the layer of ``Layer.line``."""
    name, kind, content, how, mounted_at = line.split(" ", 4)
    return Layer(name, LayerKind(kind), "" if content == "-" else content, how == "below", how == "swap", mounted_at)
