"""Attacks: random messages of each kind, and the answers that a correct helper may give.

No attack here is a valid plan: only ``builders`` makes those. So any write to a disk that no builder names is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType, Variant
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, JOB_INTERFACE, JOBS_PATH, PATH
from raidwright.core.protocol.verb import CANCEL, Verb
from raidwright.core.protocol.verbs import VERBS
from raidwright.core.system.workload import Workload

from tests.kit.two_bands import two_bands

from .values import HOSTILE_TEXTS, Values, wire

INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
PEER = "org.freedesktop.DBus.Peer"
_LEVELS = ("raid0", "raid1", "raid5", "raid6", "raid10", "linear", "raid4")
_MANY = 140_000  # of at least four bytes each
_FORGED_JOB = f"{JOBS_PATH}/{'0' * 32}"


@dataclass(slots=True)
class Targets:
    """The lab's disks as plans name them. ``stale`` are disks that were reviewed and then swapped for others."""

    free: tuple[Member, ...]
    canaries: tuple[Member, ...]
    in_use: tuple[Member, ...]
    array: tuple[str, str] = ("", "")  # UUID and name of one that runs
    stale: list[Member] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Attack:
    """A message; ``mutate`` is done to its bytes. ``is_harmless``: anybody may have an answer to it."""

    kind: str
    message: Message
    is_harmless: bool = False
    mutate: Callable[[bytearray], bytearray] | None = None

    @property
    def wants_reply(self) -> bool:
        """True when an answer must come (the bus may discard a mutated message)."""
        return self.mutate is None and not self.message.flags & MessageFlag.NO_REPLY_EXPECTED


class Attacks:
    """An endless stream of attacks, the same for the same seed."""

    def __init__(self, seed: int, targets: Targets) -> None:
        self._random = Random(seed)  # noqa: S311  (to be repeatable, not secret)
        self._values = Values(self._random)
        self._targets = targets
        self._kinds: dict[Callable[[], Attack], int] = {
            self._other_types: 420,
            self._nothing_there: 220,
            self._forged_job: 80,
            self._harmless: 100,
            self._other_interfaces: 90,
            self._strange_bytes: 50,
            self._any_verb: 25,  # from here on polkit is asked, which takes the lab's processor 10 to 50 ms
            self._plan: 15,
            self._joined_plan: 8,
            self._swapped_disk: 8,
            self._workload: 10,
            self._files: 5,
            self._disk_for_an_array: 10,
            self._start_of_an_array: 5,
            self._going_on_of_an_array: 5,
            self._takeover_of_an_array: 5,
            self._act_on_an_array: 10,
            self._baseline: 5,
            self._unasked: 3,
            self._too_long: 1,
        }

    def next(self) -> Attack:
        """The next attack."""
        [make] = self._random.choices(tuple(self._kinds), tuple(self._kinds.values()))
        return make()

    def _call(
        self,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        *,
        path: str = PATH,
        interface: str = INTERFACE,
    ) -> Message:
        return Message(
            destination=BUS_NAME,
            path=path,
            interface=interface,
            member=member,
            flags=MessageFlag(self._random.choice((0, 0, 0, 0, 0, 0, 1, 2, 4))),
            signature=signature,
            body=list(body),
        )

    def _ask(self, verb: Verb[Any], *body: Any) -> Message:
        return self._call(verb.name, verb.signature, body)

    def _other_types(self) -> Attack:
        """A verb with other types than it takes."""
        verb = self._random.choice(VERBS)
        kinds = ("s", "a{sv}", "as", "x", "ay", "o", "v", "a{sv}a{sv}a{sv}", "sss", "(sa{sv})", "a{ss}", "aa{sv}", "d")
        signature = "".join(self._random.choices(kinds, k=self._random.randint(1, 3)))
        signature = signature + "s" if signature == verb.signature else signature
        return Attack("other types", self._call(verb.name, signature, self._values.of(signature)))

    def _nothing_there(self) -> Attack:
        member = self._random.choice(("Create", "createarray", "__class__", "Exec", "Get", "_refuse", "Introspect"))
        path = self._random.choice((PATH, "/", JOBS_PATH, _FORGED_JOB, "/org/freedesktop"))
        interface = self._random.choice((INTERFACE, JOB_INTERFACE))
        return Attack("unknown method or object", self._call(member, path=path, interface=interface))

    def _forged_job(self) -> Attack:
        path = f"{JOBS_PATH}/{self._random.getrandbits(128):032x}"
        path = self._random.choice((path, path, _FORGED_JOB, JOBS_PATH, "/", f"{path}/{path.rpartition('/')[2]}"))
        if self._random.random() < 0.5:
            return Attack("forged job", self._ask(CANCEL, path))
        return Attack("forged job", self._call(CANCEL.name, path=path, interface=JOB_INTERFACE))

    def _harmless(self) -> Attack:
        if self._random.random() < 0.5:
            return Attack("ping, introspection", self._call("Ping", interface=PEER), is_harmless=True)
        path = self._random.choice((PATH, "/", _FORGED_JOB, "/etc/passwd", "/org"))
        return Attack("ping, introspection", self._call("Introspect", path=path, interface=INTROSPECTABLE), True)

    def _other_interfaces(self) -> Attack:
        interface, member, signature = self._random.choice(
            (
                ("org.freedesktop.DBus.Properties", "GetAll", "s"),
                ("org.freedesktop.DBus.Properties", "Set", "ssv"),
                ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", ""),
                (PEER, "GetMachineId", ""),
                ("org.freedesktop.PolicyKit1.AuthenticationAgent", "BeginAuthentication", "s"),
            )
        )
        message = self._call(member, signature, self._values.of(signature), interface=interface)
        return Attack("properties and others", message)

    def _strange_bytes(self) -> Attack:
        """Any flags, a turned bit, or a message of another kind."""
        member, takes, body = self._random.choice(
            (("Cancel", "o", ["/"]), ("ExamineDisks", "", []), ("Not", "s", ["x"]))
        )
        message = self._call(member, takes, body)
        chosen = self._random.random()
        if chosen < 0.5:
            flags = self._random.randrange(256)
            return Attack("any flags", message, mutate=lambda data: _set(data, 2, flags))
        if chosen < 0.8:
            kind = self._random.choice((MessageType.SIGNAL, MessageType.METHOD_RETURN, MessageType.ERROR))
            return Attack("signals and forged replies", self._not_a_call(kind), mutate=lambda data: data)
        at, bit = self._random.randrange(100), self._random.randrange(8)
        return Attack("turned bits", message, mutate=lambda data: _turn(data, at, bit))

    def _not_a_call(self, kind: MessageType) -> Message:
        serial = self._random.randrange(1, 2000)
        if kind is MessageType.SIGNAL:
            return Message(message_type=kind, destination=BUS_NAME, path=PATH, interface=JOB_INTERFACE, member="Ended")
        if kind is MessageType.ERROR:
            name = "org.freedesktop.DBus.Error.Failed"
            return Message(message_type=kind, destination=BUS_NAME, reply_serial=serial, error_name=name)
        yes = [[True, False, {}]]  # as polkit says it
        return Message(
            message_type=kind, destination=BUS_NAME, reply_serial=serial, signature="(bba{ss})", body=list(yes)
        )

    def _any_verb(self) -> Attack:
        """A verb with the types that it takes, and values that make no sense."""
        verb = self._random.choice([verb for verb in VERBS if verb is not looking.EXAMINE_DISKS])
        return Attack("verb, senseless values", self._ask(verb, *self._values.of(verb.signature)))

    def _too_long(self) -> Attack:
        """More than any call holds, of a kind that takes long to read; of the right types, or of others."""
        member, signature = self._random.choice((("ListBuilds", "aas"), ("ExamineSignatures", "asb")))
        body: list[Any] = [[[]] * _MANY] if signature == "aas" else [[""] * _MANY, False]
        return Attack("too long", self._call(member, signature, body))

    def _unasked(self) -> Attack:
        return Attack("examine", self._ask(looking.EXAMINE_DISKS))

    def _plan(self) -> Attack:
        """A good plan for any disks, made bad in one place."""
        everything = self._targets.free + self._targets.canaries + self._targets.in_use
        plan, options = self._good_plan(everything)
        self._random.choice(
            (
                self._strange_key,
                self._strange_value,
                self._strange_member,
                self._strange_options,
                self._many_members,
            )
        )(plan, options)
        return Attack("plan, bad in one place", self._create(plan, options))

    def _joined_plan(self) -> Attack:
        """A joined plan that is in order, made bad in one place."""
        everything = self._targets.free + self._targets.canaries + self._targets.in_use
        plan: dict[str, Any] = json.loads(json.dumps(dump_plan(two_bands(self._random.sample(everything, 4), 64, 32))))
        options: dict[str, Any] = {"confirmed_name": "tank"}
        part = self._random.choice(self._random.choice(plan["members"])["members"])
        key, value = self._random.choice(
            (
                ("size_bytes", part["disk_size_bytes"]),  # more than fits beside the table
                ("size_bytes", part["size_bytes"] + 512),
                ("partition", part["partition"] + 1),
                ("disk_size_bytes", part["disk_size_bytes"] + 4096),
                ("sector_bytes", 4096),
                ("disk", f"{part['disk']}0"),
                ("id", f"../{part['id']}"),
                ("serial", f"{self._values.text()}?"),
                ("name", ""),
            )
        )
        if key == "name":
            plan["name"] = self._random.choice(("-heap", "../etc", "heap/data", "x" * 64, f"/{self._values.text()}"))
            options["confirmed_name"] = plan["name"]
        else:
            part[key] = value
        return Attack("joined plan, bad in one place", self._create(plan, options))

    def _swapped_disk(self) -> Attack:
        """A plan that is in order, but for a disk that isn't the one that was reviewed, or is in use."""
        others = list(self._targets.in_use + tuple(self._targets.stale))
        canary = self._random.choice(self._targets.canaries)
        model = self._random.choice(self._targets.free)
        for name in ("serial", "size_bytes", "id"):
            values = {key: getattr(canary, key) for key in ("id", "size_bytes", "model", "serial")}
            values[name] = getattr(model, name)
            others.append(Member(**values))
        wrong = self._random.choice([other for other in others if other not in self._targets.free])
        plan, options = self._good_plan(self._targets.free)
        plan["members"] = [*plan["members"][:2], _member(wrong)]
        return Attack("plan, disk swapped or in use", self._create(plan, options))

    def _good_plan(self, disks: tuple[Member, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
        members = self._random.sample(disks, min(4, len(disks)))
        level = self._random.choice(_LEVELS)
        plan = {"version": 1, "name": "tank", "level": level, "members": [_member(member) for member in members]}
        return plan, {"confirmed_name": "tank", "scratch": True}

    def _create(self, plan: dict[str, Any], options: dict[str, Any]) -> Message:
        return self._ask(verbs.CREATE_ARRAY, wire(plan).value, wire(options).value)

    def _strange_key(self, plan: dict[str, Any], _options: dict[str, Any]) -> None:
        plan[self._random.choice(("command", "force", "run", "--force", "device", "x" * 300, "näme"))] = "yes"

    def _strange_value(self, plan: dict[str, Any], _options: dict[str, Any]) -> None:
        key = self._random.choice(("name", "level", "layout", "members", "journal", "bitmap", "metadata", "links"))
        plan[key] = self._values.variant() if self._random.random() < 0.5 else self._random.choice(HOSTILE_TEXTS[:15])
        plan["version"] = 2  # whatever was drawn, it is no plan

    def _strange_member(self, plan: dict[str, Any], _options: dict[str, Any]) -> None:
        key = self._random.choice(("id", "disk", "partition", "size_bytes", "baseline"))
        plan["members"][0] |= {key: self._values.variant(), "serial": "OTHER", "device": "/dev/sda"}

    def _strange_options(self, _plan: dict[str, Any], options: dict[str, Any]) -> None:
        key = self._random.choice(("confirmed_name", "scratch", "force"))
        options[key] = Variant("s", f"not {self._values.text()}")

    def _many_members(self, plan: dict[str, Any], _options: dict[str, Any]) -> None:
        if self._random.random() < 0.5:
            plan["members"] = plan["members"][:1] * self._random.choice((2, 30, 400))
        else:
            plan["members"] = [{"level": "raid1", "members": [{"level": "raid1", "members": plan["members"]}]}]

    def _baseline(self) -> Attack:
        """A disk to be written over that is in use, or isn't the one that was reviewed; or strange options."""
        wrong = replace(self._random.choice(self._targets.canaries), serial="OTHER")
        held = self._random.choice((*self._targets.in_use, *self._targets.stale, wrong))
        disk, options = self._random.choice(
            (
                (held, {"write": True, "seconds": 1, "wake": True}),
                (wrong, {"seconds": 1}),
                (held, {"write": self._values.text()}),
                (held, {"seconds": self._random.choice((0, -1, 11, 2**40))}),
                (held, {"filename": "/dev/sda"}),
            )
        )
        if self._random.random() < 0.3:
            disks = [wire(_member(disk)).value] * self._random.choice((0, 1, 2, 65))
            return Attack("baseline", self._ask(verbs.MEASURE_AT_ONCE, disks, wire(options).value))
        return Attack("baseline", self._ask(verbs.TAKE_BASELINE, wire(_member(disk)).value, wire(options).value))

    def _workload(self) -> Attack:
        """A workload that can't be: no such target, or on a disk, writing; or with options that there aren't."""
        disk = self._random.choice(self._targets.free + self._targets.canaries + self._targets.in_use)
        target, workload, options = self._random.choice(
            (
                (self._values.text(), str(self._random.choice(list(Workload))), {}),
                (disk.id, "random_write_4k", {}),
                (disk.id, "own_randrw_99_4k_q8_j2", {}),
                (disk.id, "own_read_4k_q1 --exec_prerun=id", {}),
                (disk.id, "sequential_read", {"filename": "/dev/sda"}),
                (disk.id, "sequential_read", {"seconds": self._random.choice((0, -1, 601, "1"))}),
                (disk.id, self._values.text(), {}),
                (f"md:{'0a1b2c3d:' * 3}0a1b2c3d", "random_write_4k", {"seconds": 1}),
            )
        )
        return Attack("workload", self._ask(verbs.RUN_WORKLOAD, target, workload, wire(options).value))

    def _files(self) -> Attack:
        """A file system on what is none of ours, or of no closed form."""
        disk = self._random.choice(self._targets.free + self._targets.canaries + self._targets.in_use)
        target, kind, options = self._random.choice(
            (
                (disk.id, "xfs", {}),
                (f"md:{'0a1b2c3d:' * 3}0a1b2c3d", "ext4", {"size_mib": 1}),
                (self._values.text(), "xfs", {}),
                (f"md:{disk.id}", self._values.text(), {"directory": "/etc"}),
            )
        )
        if self._random.random() < 0.3:
            settings = [self._random.choice(("read_ahead_kib", "scheduler", self._values.text()))]
            return Attack("sweep", self._ask(verbs.BEGIN_SWEEP, target, self._values.text(), settings, 30))
        return Attack("files", self._ask(verbs.MEASURE_FILE_SYSTEM, target, kind, wire(options).value))

    def _disk_for_an_array(self) -> Attack:
        """A disk for an array that runs and lacks one; its name, the disk or what may be wiped isn't right."""
        uuid, name = self._targets.array
        canary = self._random.choice(self._targets.canaries)
        swapped = _member(canary)
        key = self._random.choice(("serial", "size_bytes", "id"))
        swapped[key] = getattr(self._random.choice(self._targets.free), key)
        wrong = self._random.choice((*map(_member, (*self._targets.in_use, *self._targets.stale)), swapped))
        array, disk, wipe = self._random.choice(
            (
                ((uuid, f"not {name}"), _member(canary), []),
                (("0a1b2c3d:" * 3 + "0a1b2c3d", name), _member(canary), []),
                ((uuid, name), wrong, []),
                ((uuid, name), _member(canary), ["ext4"]),
                ((uuid, name), _member(canary), [self._values.text()]),
                ((uuid, name), _member(canary), ["linux_raid_member", f"array:{self._values.text()}"]),
            )
        )
        if self._random.random() < 0.5:
            return Attack("disk for an array", self._ask(verbs.ADD_MEMBER, *array, wire(disk).value, wipe))
        old = wire(_member(self._random.choice(self._targets.in_use))).value
        return Attack("disk for an array", self._ask(verbs.REPLACE_MEMBER, *array, old, wire(disk).value, wipe))

    def _start_of_an_array(self) -> Attack:
        """An array that runs, or is called otherwise, or is nowhere; or by force, for which there is no option."""
        uuid, name = self._targets.array
        array, options = self._random.choice(
            (
                ((uuid, name), {"missing": True}),
                ((uuid, f"not {name}"), {"read_only": True}),
                (("0a1b2c3d:" * 3 + "0a1b2c3d", name), {}),
                ((self._values.text(), self._values.text()), {"missing": True}),
                ((uuid, name), {"force": True}),
                ((uuid, name), {"read_only": self._values.text()}),
            )
        )
        return Attack("start of an array", self._ask(verbs.START_ARRAY, *array, wire(options).value))

    def _going_on_of_an_array(self) -> Attack:
        """An array of which nothing waits, or is called otherwise, or is nowhere; or by force, which is no option."""
        uuid, name = self._targets.array
        array, options = self._random.choice(
            (
                ((uuid, name), {"missing": True}),
                ((uuid, f"not {name}"), {}),
                (("0a1b2c3d:" * 3 + "0a1b2c3d", name), {}),
                ((uuid, name), {"force": True}),
                ((uuid, name), {"missing": self._values.text()}),
            )
        )
        return Attack("going on of an array", self._ask(verbs.CONTINUE_ARRAY, *array, wire(options).value))

    def _takeover_of_an_array(self) -> Attack:
        """An array that runs, is called otherwise, or is nowhere; or a name that is none."""
        uuid, name = self._targets.array
        arguments = self._random.choice(
            (
                (uuid, name, "mine"),
                (uuid, f"not {name}", "mine"),
                ("0a1b2c3d:" * 3 + "0a1b2c3d", name, name),
                (uuid, name, "--force"),
                (uuid, name, self._values.text()),
            )
        )
        return Attack("taking over an array", self._ask(verbs.TAKE_OVER_ARRAY, *arguments))

    def _act_on_an_array(self) -> Attack:
        """Any other act on the array that runs; name, disk or token isn't right, or it is no scratch array."""
        uuid, name = self._targets.array
        disk = wire(_member(self._random.choice(self._targets.canaries))).value
        wrong = self._random.choice(((uuid, f"not {name}"), ("0a1b2c3d:" * 3 + "0a1b2c3d", name)))
        member = self._random.choice((verbs.FAIL_MEMBER, verbs.REMOVE_MEMBER, verbs.RE_ADD_MEMBER))
        verb, body = self._random.choice(
            (
                (member, (uuid, name, disk, self._random.choice((False, True)))),
                (member, (*wrong, disk, False)),
                (verbs.STOP_ARRAY, wrong),
                (verbs.DISMANTLE_ARRAY, (*wrong, [disk], [], {})),
                (verbs.DISMANTLE_ARRAY, (uuid, name, [disk], [], {})),
                (verbs.START_CHECK, wrong),
                (verbs.REMOVE_VANISHED, wrong),
                (verbs.PACE_CHANGE, (*wrong, 0)),
                (verbs.CHANGE_ARRAY, (*wrong, wire({"level": "raid6", "slots": 5}).value, [disk])),
                (verbs.CHANGE_ARRAY, (uuid, name, wire({"level": self._values.text(), "slots": 5}).value, [disk])),
                (verbs.CHANGE_ARRAY, (*wrong, wire({"level": "joined", "slots": 5}).value, [disk])),
                (verbs.CHANGE_ARRAY, (*wrong, wire({"level": "raid5", "slots": 4, "exchange": True}).value, [disk])),
                (verbs.CHANGE_ARRAY, (uuid, name, wire({"level": "joined", "slots": 5}).value, [disk])),
                (verbs.MOUNT, (*wrong, "/srv/tank")),
                (verbs.PREVIEW_CONFIGURATION, (*wrong, {})),
                (verbs.WRITE_CONFIGURATION, (uuid, name, {}, self._values.text())),
            )
        )
        return Attack("act on an array", self._ask(verb, *body))


def _member(member: Member) -> dict[str, Any]:
    return {key: getattr(member, key) for key in ("id", "model", "serial", "size_bytes")}


def _set(data: bytearray, at: int, value: int) -> bytearray:
    data[at] = value
    return data


def _turn(data: bytearray, at: int, bit: int) -> bytearray:
    fixed = 16  # with another length in here the bus would wait for more, and swallow the calls that follow
    data[fixed + at % (len(data) - fixed)] ^= 1 << bit
    return data
