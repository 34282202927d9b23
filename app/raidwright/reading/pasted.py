"""Create commands in pasted text, and the one array that they make: a MdArray, once the disks are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata

from .create_command import CreateCommand, Explained, array_name, read_create
from .known_texts import TextKind, known_text
from .likely import likely_word
from .mdadm_options import mode_of, read_options
from .mdadm_rules import OPTION_SPANS, needs_said_bitmap, refuse_missing_option, why_no_name
from .mode_command import ModeCommand, read_mode_command
from .paste import Simple, commands_in
from .words import is_file

_WITHOUT_EFFECT = (
    "sudo",
    "doas",
    "command",
    "nice",
    "time",
    "nohup",
    "exec",
    "do",
    "then",
    "else",
    "if",
    "while",
    "!",
    "{",
    "-",
    "spawn",
)
_HANDING_ON = ("xargs", "parallel")  # words that they read
_SUDO_VALUES = ("-u", "-g", "-p", "-C", "-h", "-n+")
_BY_ITSELF_ABOVE_KIB = 100 * 2**20  # mdadm 4.2 Create.c: larger members get a bitmap by default
_PARTITION = re.compile(r"(?P<disk>(?:sd|hd|vd|xvd)[a-z]+|(?:nvme\d+n|mmcblk|loop)\d+(?=p))p?(?P<number>\d+)")
_BY_ID_PARTITION = re.compile(r"(?P<disk>.+)-part(?P<number>\d+)")

MemberOf = Callable[[str], Member]


@dataclass(frozen=True, slots=True)
class Pasted:
    """The commands of a paste: ``commands`` create arrays, in order; the last is the outermost.

    ``others`` are ignored commands. If none creates an array, ``further`` are mdadm's other commands.
    """

    commands: tuple[CreateCommand, ...]
    others: tuple[str, ...]
    further: tuple[ModeCommand, ...] = ()

    @property
    def whole(self) -> CreateCommand:
        """Return the outermost array, or the only one; there must be one."""
        return self.commands[-1]

    @property
    def words(self) -> tuple[tuple[Explained, ...], ...]:
        """Return the words of each command, explained."""
        return (*(command.words for command in self.commands), *(command.words for command in self.further))

    @property
    def recovery_signs(self) -> tuple[str, ...]:
        """Return the signs that a command re-creates an array over its data (``CreateCommand.recovery_signs``)."""
        return next((signs for command in self.commands if (signs := command.recovery_signs)), ())

    def devices(self) -> tuple[str, ...]:
        """Return the disks and partitions in the commands, each once, in order."""
        made = {node for command in self.commands for node in _nodes(command)}
        named = (path for command in self.commands for path in command.paths() if path not in made)
        return tuple(dict.fromkeys(named))


def read_paste(text: str) -> Pasted:
    """Parse the commands in ``text``; raises InputError that names what isn't understood."""
    creates, others = list[CreateCommand](), list[str]()
    further, simples = list[Simple](), commands_in(text)
    for simple in _answered(simples):
        words = _without_sudo(simple)
        start = next((at for at, word in enumerate(words) if PurePosixPath(word).name == "mdadm"), len(words))
        if start < len(words) and (handing := next((word for word in words[:start] if word in _HANDING_ON), "")):
            raise _unknown(f"| {handing}")
        command = _create(simple, words[start + 1 :])
        if command is None:
            others.append(str(simple))
            further += [simple] if start == 0 and len(words) > 1 else []
        else:
            creates.append(command)
            others += [" ".join(words[:start])] if start else []
    if creates:
        _refuse_several(creates)
        return Pasted(tuple(creates), tuple(others))
    known = known_text(text, (TextKind.COMMAND,))
    if not further or (known and known.kind is TextKind.INSTALLER):
        raise InputError(known.way_out, code="paste-nothing") if known else _nothing(others)
    left = [other for other in others if other not in set(map(str, further))]
    return Pasted((), tuple(left), tuple(map(_further, further)))


def _answered(simples: Sequence[Simple]) -> Iterator[Simple]:
    """Yield the commands, those that expect(1) spawns with what it sends."""
    sent = next((str(simple) for simple in simples if simple.words[0].text == "send"), "")
    for simple in simples:
        is_spawned = bool(sent) and simple.words[0].text == "spawn"
        yield replace(simple, answers=simple.answers or sent) if is_spawned else simple


def _further(simple: Simple) -> ModeCommand:
    _refuse_unknown(simple)
    return read_mode_command(_without_sudo(simple)[1:])


def _nothing(others: list[str]) -> InputError:
    """Return the refusal of a paste that doesn't run mdadm."""
    program = next((word for word in others[0].split() if word not in _WITHOUT_EFFECT), "") if others else ""
    if program != "mdadm" and likely_word(program, ["mdadm"]):
        return InputError(
            "There is no program “{program}”. Did you mean mdadm?", code="paste-nothing", program=program[:40]
        )
    return InputError(
        "There is no mdadm --create command in it{what}.",
        code="paste-nothing",
        what=f": “{others[0][:60]}”" if others else "",
    )


def plan_of(pasted: Pasted, member_of: MemberOf, mdadm: MdadmVersion = MDADM_4_4) -> MdArray:
    """Return the plan, with ``member_of`` for each device's path; ``mdadm`` is the version whose defaults apply.

    Raises what ``member_of`` does. ``capacity_of`` checks whether mdadm would accept the plan.
    """
    return plans_of(pasted, member_of, mdadm)[-1]


def plans_of(pasted: Pasted, member_of: MemberOf, mdadm: MdadmVersion = MDADM_4_4) -> tuple[MdArray, ...]:
    """Return the plans of the arrays that aren't members of another: the journal's mirror, if any, then the whole.

    Raises what ``member_of`` does, and InputError if no command creates an array.
    """
    if not pasted.commands:
        raise InputError(
            "“{command}” makes no array, so there is no plan of it.",
            code="paste-no-plan",
            command=" ".join(("mdadm", *(word.text for word in pasted.further[0].words))),
        )
    made: dict[str, MdArray] = {}
    for command in pasted.commands:
        plan = _plan(command, made, member_of, mdadm)
        plan = replace(plan, bitmap=_bitmap(command, plan, mdadm))
        made |= dict.fromkeys(_nodes(command), plan)
    journal = made.get(pasted.whole.journal or "")
    return (journal, plan) if journal else (plan,)


def refuse_options(pasted: Pasted, mdadm: MdadmVersion | None) -> None:
    """Raise PlanRefused for what mdadm refuses of the commands, or the given version alone does; None: not known."""
    for command in pasted.commands:
        if "logical-block-size" in command.given and command.metadata is Metadata.V0_90:
            raise PlanRefused("--logical-block-size goes with metadata 1.x alone; take 1.2.", code="block-size")
        if files := [path for path in command.paths() if is_file(path)]:
            raise PlanRefused(
                "{files:and}: mdadm takes block devices alone, and a file isn't one. Attach it first: losetup --find "
                "--show FILE.",
                code="not-a-device",
                files=files,
            )
        if mdadm is not None:
            _refuse_by_version(command, mdadm)
    if mdadm is not None:
        for option in sorted({option for further in pasted.further for option in further.given & OPTION_SPANS.keys()}):
            refuse_missing_option(option, mdadm)


def _refuse_by_version(command: CreateCommand, mdadm: MdadmVersion) -> None:
    for option in sorted(command.given & OPTION_SPANS.keys()):
        refuse_missing_option(option, mdadm)
    for name in command.names:
        if why := why_no_name(name, mdadm):
            raise PlanRefused(
                "mdadm {mdadm} refuses the name “{name}”: {why}.",
                code="array-name",
                mdadm=str(mdadm),
                name=name[:80],
                why=why,
            )
    if "write-behind" in command.given and not _has_bitmap(command, mdadm):
        raise PlanRefused("--write-behind requires a bitmap; add --bitmap=internal.", code="write-behind")


def _has_bitmap(command: CreateCommand, mdadm: MdadmVersion) -> bool:
    """True if mdadm knows of a bitmap where it looks at --write-behind: given, or asked for before."""
    if command.bitmap is None:
        return not needs_said_bitmap(mdadm) and "run" not in command.given
    return command.bitmap is not Bitmap.NONE or needs_said_bitmap(mdadm)


def member_named(path: str, size_bytes: int) -> Member:
    """Return the device at ``path`` named by its node, serial unknown: ``sdb``, or ``sdb1`` as a slice of it.

    A disk's image is named by its file.
    """
    name = path.removeprefix("/dev/") if path.startswith("/dev/") else path.rpartition("/")[2]
    name = name.removeprefix("disk/by-id/").replace("/", "-")
    slice_of = (_BY_ID_PARTITION if "/by-" in path else _PARTITION).fullmatch(name)
    if slice_of:
        return Member(name, size_bytes, disk=slice_of["disk"], partition=int(slice_of["number"]))
    return Member(name, size_bytes)


def disk_at(path: str, disks: Iterable[Disk]) -> Member | None:
    """Return the one of ``disks`` at ``path``; None for a partition or an unknown path."""
    by_id = path.removeprefix("/dev/disk/by-id/")
    found = (disk for disk in disks if disk.device == path or by_id in (disk.id, *disk.by_id))
    return next((disk.as_member() for disk in found), None)


def whole_disk(path: str) -> str:
    """Return the path of the disk with the partition at ``path``; ``path`` itself if it isn't a partition."""
    slice_of = member_named(path, 0).disk
    return path if slice_of is None else f"{path[: path.rindex('/') + 1]}{slice_of}"


def _without_sudo(simple: Simple) -> list[str]:
    words = [word.text for word in simple.words]
    while words and words[0] in _WITHOUT_EFFECT:
        words.pop(0)
        while words and words[0].startswith("-"):
            del words[: 2 if words[0] in _SUDO_VALUES else 1]
    return words


def _create(simple: Simple, words: list[str]) -> CreateCommand | None:
    """Parse a create command from these words; None for another mdadm command."""
    is_create = any(re.fullmatch(r"--cr(?:e(?:a(?:te?)?)?)?(?:=.*)?|-[A-Za-z]*C.*", word) for word in words)
    if not is_create:
        return None
    _refuse_unknown(simple)
    given = read_options(words)
    names = [name for one in given for name, _ in one.options]
    if "create" not in names:
        return None
    if mode_of(given) != "create":
        raise InputError(
            "mdadm wants --create before “{text}”.",
            code="option-order",
            text=next(one.text for one in given if one.options),
        )
    return read_create(given, simple.answers)


def _refuse_unknown(simple: Simple) -> None:
    if unknown := next((word.unknown for word in simple.words if word.unknown), ""):
        raise _unknown(unknown)


def _unknown(text: str) -> InputError:
    return InputError(
        "What “{unknown}” stands for can't be known here; write it out.", code="paste-unknown", unknown=text
    )


def _refuse_several(creates: list[CreateCommand]) -> None:
    """Refuse several arrays unless the last is made of all the others, or has them for its journal."""
    made = {node for command in creates[:-1] for node in _nodes(command)}
    used = [path for path in (*creates[-1].members, creates[-1].journal) if path in made]
    is_deep = any(path in made for command in creates[:-1] for path in command.members)
    if len(used) != len(creates) - 1 or is_deep:
        raise InputError(
            "That makes {count} arrays: {arrays:and}. Paste the command of one.",
            code="paste-several",
            count=len(creates),
            arrays=[command.array for command in creates],
        )


def _nodes(command: CreateCommand) -> Iterator[str]:
    """Yield the names by which another command may refer to the array."""
    yield command.array
    names = dict.fromkeys((array_name(command.array), command.name))
    for name in names:
        yield f"/dev/md/{name}"
        if name.isdigit():
            yield f"/dev/md{name}"


def _plan(command: CreateCommand, made: dict[str, MdArray], member_of: MemberOf, mdadm: MdadmVersion) -> MdArray:
    flags = dict(command.flags)

    def member(path: str | None) -> Member | MdArray | None:
        return None if path is None else made.get(path) or disk(path)

    def disk(path: str) -> Member:
        return member_of(path).flagged(flags.get(path, ()))

    def journal(path: str) -> Member:
        mirror = made.get(path)
        return member_named(path, capacity_of(mirror, mdadm).array_bytes) if mirror else member_of(path)

    # Unless all members are zeroed first (--write-zeroes), different contents would count as in sync.
    is_clean = "assume-clean" in command.given and "write-zeroes" not in command.given
    return MdArray(
        level=command.level,
        members=tuple(map(member, command.members)),
        name=command.name,
        layout=command.layout,
        chunk_kib=command.chunk_kib,
        metadata=command.metadata,
        bitmap=command.bitmap or Bitmap.NONE,
        component_size_kib=command.size_kib,
        data_offset_kib=command.data_offset_kib,
        consistency=command.consistency,
        journal=journal(command.journal) if command.journal else None,
        assume_clean=is_clean,
        spares=tuple(map(disk, command.spares)),
        bitmap_chunk_kib=command.bitmap_chunk_kib,
        homehost=command.homehost,
    )


def _bitmap(command: CreateCommand, plan: MdArray, mdadm: MdadmVersion) -> Bitmap:
    """Return mdadm's default for a command without --bitmap: 4.4 asks, older versions go by the members' size."""
    other_way = command.journal or command.consistency not in (None, Consistency.BITMAP)
    if command.bitmap is not None or not plan.level.is_redundant or other_way:
        return plan.bitmap
    if mdadm >= MDADM_4_4:
        return Bitmap.NONE if "run" in command.given else Bitmap.INTERNAL
    try:
        is_large = capacity_of(plan, mdadm).component_size_kib > _BY_ITSELF_ABOVE_KIB
    except PlanRefused:  # whoever looks at the whole plan says why
        return Bitmap.NONE
    return Bitmap.INTERNAL if is_large else Bitmap.NONE
