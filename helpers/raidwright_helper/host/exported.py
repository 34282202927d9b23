"""Block devices that this machine exports to others: LIO's targets (iSCSI, Fibre Channel, …) and NVMe over fabrics.

nvmet claims nothing, and neither shows in /proc. Sources: kernel ``drivers/target/target_core_configfs.c`` (``core/HBA/
NAME/udev_path``), ``drivers/nvme/target/configfs.c`` (``subsystems/NQN/namespaces/ID/device_path``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from raidwright.core.json_fields import printable

from .host import Host

_CONFIG = "sys/kernel/config"
_MAX_NAME = 64


def exports(host: Host) -> Mapping[int, tuple[str, ...]]:
    """Return the exports of each device, by its number; none where configfs isn't mounted."""
    found = defaultdict[int, list[str]](list)
    for path, name in (*_of_target(host), *_of_nvmet(host)):
        if (number := host.number_of(path)) is not None:
            found[number].append(printable(name, _MAX_NAME))
    return {number: tuple(names) for number, names in found.items()}


def _of_target(host: Host) -> Iterator[tuple[str, str]]:
    for path in sorted((host.root / _CONFIG / "target/core").glob("*/*/udev_path")):
        yield _read(path), f"target/core/{path.parts[-3]}/{path.parts[-2]}"


def _of_nvmet(host: Host) -> Iterator[tuple[str, str]]:
    for path in sorted((host.root / _CONFIG / "nvmet/subsystems").glob("*/namespaces/*/device_path")):
        if _read(path.with_name("enable")) != "0":
            yield _read(path), f"nvmet/subsystems/{path.parts[-4]}/namespaces/{path.parts[-2]}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\n\0 ")
    except OSError:  # it is just being removed
        return ""
