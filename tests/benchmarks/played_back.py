"""Share of a core that watching takes on this computer: recorded output of fio, played back at fio's pace.

The helper, the bus and the program are the real ones, on a bus of their own; what is left out is fio, and starting it.
In the practice machine a call into the kernel takes about a tenth of a millisecond, a thousand times as long as here,
so that shares of a core say nothing of a real one there.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from raidwright.core.system.workload import STATUS_INTERVAL_MS, Workload
from raidwright.machine.bus import Bus
from raidwright.machine.helper.client import Helper
from raidwright.operations.measuring import RunWorkload
from raidwright_helper.acts import measure
from raidwright_helper.acts.measure import PreparedWorkload
from raidwright_helper.host.guards import Pinned

from tests.bus.helper_house import House, put_device
from tests.bus.private_bus import PrivateBus, private_bus
from tests.kit.asking import ask

_SAY = """import sys, time
for said in open(sys.argv[1]).read().split("\\n}\\n")[:-1]:
    print(said, end="\\n}\\n", flush=True)
    time.sleep(float(sys.argv[2]))"""
_MD, _MEMBERS = os.makedev(9, 0), 3


def share_of_a_core(said: str) -> float:
    """Return the share of the helper, the bus and the program together, for fio's output ``said``."""
    with private_bus() as bus, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_share(bus, Path(folder), said))


async def _share(bus: PrivateBus, folder: Path, said: str) -> float:
    house, words = House(bus, folder), folder / "said"
    words.write_text(said, encoding="utf-8")
    _put_array(folder / "host")
    argv = (sys.executable, "-c", _SAY, str(words), str(STATUS_INTERVAL_MS / 1000))
    with (
        patch.object(measure, "prepare", _prepare),
        patch.object(measure, "surroundings_of", _nothing_around),
        patch.object(measure, "fio_argv", lambda *_one, **_other: argv),
    ):
        async with house.open():
            connection = await Bus.connect(bus.address)
            helper, request = Helper(connection), RunWorkload("wwn-0x1", Workload.SEQUENTIAL_READ, 5)
            await ask(helper, request)  # once, so that everything has been read
            before_s, own_s, began_s = bus.used_s, time.process_time(), time.perf_counter()
            await ask(helper, request)
            used_s = bus.used_s - before_s + time.process_time() - own_s
            passed_s = time.perf_counter() - began_s
            await connection.close()
    return used_s / passed_s


def _put_array(root: Path) -> None:
    array = put_device(root, "md0", 9, 0, {"md/sync_action": "idle"})
    (array / "slaves").mkdir()
    for place in range(_MEMBERS):
        name = f"sd{'abc'[place]}"
        disk = put_device(root, name, 8, 16 * place, {"device/model": "X", "stat": "1 0 8 0 1 0 8 0 0 100 0"})
        (array / "slaves" / name).symlink_to(disk)


async def _prepare(*_host_claims_request: object) -> PreparedWorkload:
    return PreparedWorkload(Workload.SEQUENTIAL_READ, Pinned(_MD, "/dev/md0", -1), 5, 2**20, "3.33")


async def _nothing_around(*_host_number_fio: object) -> dict[str, str]:
    return {}
