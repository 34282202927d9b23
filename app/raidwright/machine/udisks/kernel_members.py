"""md's own word on the members of arrays, in place of UDisks2's.

UDisks2 keeps a member that was failed and removed until the array's next uevent, which may never come.
"""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.core.md.running_state import RunningMember
from raidwright.core.model.names import array_uuid
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.local_md import LocalArray
from raidwright.machine.running import members_in

from .objects import BLOCK, MDRAID, NO_OBJECT, Objects


def with_kernel_members(
    objects: Objects, known: Mapping[str, ArrayFacts], local: Mapping[str, LocalArray] | None = None
) -> Objects:
    """Return ``objects`` with the members and the count of missing ones that md has.

    The helper's ``known`` facts, by device node, or this computer's own sysfs by UUID (``local``) tell them.
    """
    told = dict(local or {})
    for facts in known.values():
        if facts.uuid and facts.array_state:
            told[array_uuid(facts.uuid)] = LocalArray(members_in(facts), facts.degraded)
    if not told:
        return objects
    by_node = {interfaces[BLOCK].get("Device", ""): path for path, interfaces in objects.items() if BLOCK in interfaces}
    found = dict(objects)
    for path, interfaces in objects.items():
        array = told.get(array_uuid(interfaces.get(MDRAID, {}).get("UUID", "")))
        if array is not None:
            active = [_active_device(member, by_node) for member in array.members]
            renewed = {**interfaces[MDRAID], "ActiveDevices": active, "Degraded": array.degraded}
            found[path] = {**interfaces, MDRAID: renewed}
    return found


def _active_device(member: RunningMember, by_node: Mapping[str, str]) -> list[object]:
    """Return the member as an entry of UDisks2's ActiveDevices."""
    path = by_node.get(f"/dev/{member.name}", NO_OBJECT)
    return [path, -1 if member.slot is None else member.slot, list(member.states), 0, {}]
