"""Plan ↔ the JSON of version 1, read strictly: an unknown key, a wrong type or a bad value is named and refused.

Besides its identity, a disk may have ``"afr": 0.02``, its own annual failure rate, and ``"age_years": 3.5``, each
within ``assumed.ASSUMED``; slices of a disk have the same values. They take precedence over the model's rate and the
plan's age.

``"unknown": ["data_offset_kib"]`` names the fields missing from a report on an existing array: the plan has mdadm's
default there, and must not be used to find the array's data again.

The helper reads plans with this too, so it uses the standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.json_fields import Fields, printable
from raidwright.core.md.layouts import Level, canonical_layout

from .assumed import ASSUMED, ValidRange
from .names import is_array_name, is_disk_id, is_host_name
from .plan import (
    DISK_KINDS,
    JOINED,
    LAYER_WORDS,
    RPM,
    SPEEDS,
    UNKNOWABLE,
    Baseline,
    Bitmap,
    Consistency,
    Layer,
    LinearVolume,
    MdArray,
    Member,
    Metadata,
    Piece,
    Plan,
)

VERSION = 1
MAX_MEMBERS = 1920
SECTORS = (512, 4096)  # bytes of a logical sector


def read_plan(data: object) -> Plan:
    """Return the Plan in a mapping of plain values (from JSON, or from the bus); raises InputError."""
    fields = Fields(data, "The plan")
    version = fields.take("version", int)
    if version not in (None, VERSION):
        raise InputError(
            "The plan is of version {version}; this program reads version {known}. A newer one may read it.",
            code="plan-version",
            version=version,
            known=VERSION,
        )
    name = fields.take("name", str) or "md0"
    if not is_array_name(name):
        raise InputError(
            "The plan: “name” must be 1 to 32 letters, digits, - or _.", code="plan-name", where="The plan"
        )
    homehost = fields.take("homehost", str) or ""
    if homehost and not is_host_name(homehost):
        raise InputError(
            "The plan: “homehost” must be a computer's name, or any.", code="plan-homehost", where="The plan"
        )
    plan = _read_layer(fields, name, homehost)
    _check_slices(plan)
    return plan


def _check_slices(plan: Plan) -> None:
    """Refuse slices of one disk with different failure rates or ages."""
    known: dict[str, tuple[float | None, float | None]] = {}
    for disk in plan.disks():
        if known.setdefault(disk.failure_unit, (disk.afr, disk.age_years)) != (disk.afr, disk.age_years):
            raise InputError(
                "The plan: slices of {failure_unit} have different “afr” or “age_years”; say the same of each.",
                code="plan-slices",
                failure_unit=disk.failure_unit,
            )


def _read_layer(fields: Fields, name: str, homehost: str) -> Plan:
    """Return the plan whose keys lie beside those of its top layer."""
    word = fields.require_word("level", LAYER_WORDS)
    top: Layer
    if word == JOINED:
        members = _read_members(fields, 0)
        arrays = tuple(one for one in members if isinstance(one, MdArray))
        top = LinearVolume(arrays, name=name, homehost=homehost, pieces=_read_pieces(fields))
        links, assumptions = _read_said(fields)
        _refuse_array_keys(fields)
        if len(arrays) < len(members):
            number = next(place for place, one in enumerate(members) if not isinstance(one, MdArray))
            raise PlanRefused(
                "Member {number} of a joined volume must be an array of slices.", code="joined-members", number=number
            )
    else:
        top = replace(_read_array(fields, word, name, 0), homehost=homehost)
        links, assumptions = _read_said(fields)
    fields.finish()
    _refuse_no_members(top.arrays if isinstance(top, LinearVolume) else top.members, fields.where)
    return Plan(top, links, assumptions)


def _read_said(fields: Fields) -> tuple[tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]:
    """Return the links and the assumptions."""
    links = fields.rest("links", lambda entry: _read_links(Fields(entry, f"{fields.where}, links"), entry)) or ()
    said = fields.rest("assumptions", lambda entry: _read_assumptions(Fields(entry, f"{fields.where}, assumptions")))
    return links, said or ()


def _refuse_no_members(members: tuple[object, ...], where: str) -> None:
    if not members:
        raise InputError("{where}: “members” is empty; name the disks.", code="plan-missing", where=where)


def _read_members(fields: Fields, depth: int) -> tuple[Member | MdArray | None, ...]:
    return tuple(
        _read_entry(entry, f"{fields.where}, member {slot}", depth)
        for slot, entry in enumerate(fields.items("members", MAX_MEMBERS))
    )


def _read_array(fields: Fields, word: str, name: str, depth: int) -> MdArray:
    """Return the array whose level is ``word``; of a volume's keys a linear one."""
    layout = fields.take("layout", str)
    members = _read_members(fields, depth)
    spares = tuple(
        _read_member(Fields(entry, f"{fields.where}, spare {number}"))
        for number, entry in enumerate(fields.items("spares", MAX_MEMBERS))
    )
    return MdArray(
        level=Level.LINEAR if word == JOINED else Level(word),
        members=members,
        name=name,
        layout=None if layout is None else canonical_layout(word, layout),
        chunk_kib=fields.positive("chunk_kib"),
        metadata=fields.choice("metadata", Metadata) or Metadata.V1_2,
        bitmap=fields.choice("bitmap", Bitmap) or Bitmap.NONE,
        bitmap_chunk_kib=fields.positive("bitmap_chunk_kib"),
        component_size_kib=fields.positive("component_size_kib"),
        data_offset_kib=fields.positive("data_offset_kib"),
        consistency=fields.choice("consistency", Consistency),
        journal=fields.rest("journal", lambda entry: _read_member(Fields(entry, f"{fields.where}, journal"))),
        assume_clean=fields.take("assume_clean", bool) or False,
        spares=spares,
        unknown=_read_unknown(fields),
    )


_ARRAY_KEYS = tuple(
    name for name in MdArray.__slots__ if name not in {"level", "members", "name", "homehost"}
)  # in the order in which they are refused


def _refuse_array_keys(fields: Fields) -> None:
    """Refuse keys of an md array on a joined volume, which is none: its members have them."""
    plain = MdArray(Level.LINEAR, ())
    said = _read_array(fields, JOINED, "md0", 0)
    keys = [name for name in _ARRAY_KEYS if getattr(said, name) != getattr(plain, name)]
    if keys:
        raise InputError(
            "{where}: “{key}” belongs to an array; a joined volume has none. Say it of its members.",
            code="plan-joined",
            where=fields.where,
            key=keys[0],
        )


def _read_pieces(fields: Fields) -> tuple[Piece, ...]:
    pieces = []
    for number, entry in enumerate(fields.items("pieces", MAX_MEMBERS)):
        one = Fields(entry, f"{fields.where}, piece {number}")
        pieces.append(Piece(one.count("member"), one.count("start_sector"), one.count("sectors")))
        one.finish()
    return tuple(pieces)


def _read_unknown(fields: Fields) -> tuple[str, ...]:
    names = tuple(map(str, fields.items("unknown", len(UNKNOWABLE))))
    for name in names:
        if name not in UNKNOWABLE:
            raise InputError(
                "{where}: “unknown” can't have “{name}”; it has {known}.",
                code="plan-choice",
                where=fields.where,
                name=printable(name),
                known=UNKNOWABLE,
            )
    return names


def _read_entry(entry: object, where: str, depth: int) -> Member | MdArray | None:
    if entry == "missing":
        return None
    fields = Fields(entry, where)
    if isinstance(entry, Mapping) and "level" in entry:
        if depth >= 1:
            raise InputError("{where}: arrays nest two deep at most.", code="plan-depth", where=where)
        if entry["level"] == JOINED:
            raise InputError("{where}: a joined volume can't be a member.", code="plan-depth", where=where)
        array = _read_array(fields, fields.require_word("level", LAYER_WORDS), "md0", depth + 1)
        _read_said(fields)  # of the plan; an inner array's were never looked at
        fields.finish()
        _refuse_no_members(array.members, fields.where)
        return array
    return _read_member(fields)


def read_member(data: object) -> Member:
    """Return a disk or slice, in the form used in a plan; raises InputError."""
    return _read_member(Fields(data, "The member"))


def _read_member(fields: Fields) -> Member:
    disk, partition = fields.take("disk", str), fields.positive("partition")
    if (disk is None) != (partition is None):
        raise InputError("{where}: “disk” and “partition” go together.", code="plan-missing", where=fields.where)
    default = f"{disk}-part{partition}" if disk else None
    member_id = fields.take("id", str) or default
    if member_id is None:
        raise InputError("{where}: “id” is missing.", code="plan-missing", where=fields.where)
    for text in (member_id, disk):
        if text is not None and not is_disk_id(text):
            raise InputError(
                "{where}: “{text}” can't be the name of a disk.",
                code="plan-id",
                where=fields.where,
                text=printable(text),
            )
    member = Member(
        id=member_id,
        size_bytes=fields.positive("size_bytes") or 0,
        model=fields.text("model") or "",
        serial=fields.text("serial") or "",
        disk=disk,
        partition=partition,
        baseline=fields.rest("baseline", lambda entry: read_baseline(entry, f"{fields.where}, baseline")),
        afr=_within(fields, "afr", ASSUMED["failure_rate"]),
        age_years=_within(fields, "age_years", ASSUMED["age_years"]),
        write_mostly=fields.take("write_mostly", bool) or False,
        failfast=fields.take("failfast", bool) or False,
        disk_size_bytes=fields.positive("disk_size_bytes"),
        sector_bytes=_read_sector(fields),
    )
    fields.finish()
    if not member.size_bytes:
        raise InputError("{where}: “size_bytes” is missing.", code="plan-missing", where=fields.where)
    return member


def _read_sector(fields: Fields) -> int | None:
    sector_bytes = fields.positive("sector_bytes")
    if sector_bytes not in (None, *SECTORS):
        raise InputError(
            "{where}: “sector_bytes” is {known:or}.",
            code="plan-choice",
            where=fields.where,
            known=list(map(str, SECTORS)),
        )
    return None if sector_bytes == SECTORS[0] else sector_bytes


def _within(fields: Fields, key: str, limits: ValidRange) -> float | None:
    value = fields.take(key, float)
    if value is not None and (wrong := limits.refusal(value)):
        raise InputError("{where}: “{key}” {wrong}.", code="plan-range", where=fields.where, key=key, wrong=wrong)
    return value


def read_baseline(data: object, where: str) -> Baseline:
    """Return the baseline of a disk in a plan; raises InputError, with ``where`` for its subject."""
    fields = Fields(data, where)
    kind = fields.text("kind")
    if kind is not None and kind not in DISK_KINDS:
        raise InputError(
            "{where}: “kind” can't be “{kind}”; it is one of {known}.",
            code="plan-choice",
            where=fields.where,
            kind=kind,
            known=DISK_KINDS,
        )
    rpm = fields.positive("rpm")
    if rpm is not None and (wrong := RPM.refusal(rpm)):
        raise InputError("{where}: “{key}” {wrong}.", code="plan-range", where=fields.where, key="rpm", wrong=wrong)
    figures = {
        name: _within(fields, name, limits)
        for name in Baseline.__slots__
        for ending, limits in SPEEDS.items()
        if name.endswith(f"_{ending}")
    }
    protection = fields.take("power_loss_protection", bool)
    baseline = Baseline(kind=kind, rpm=rpm, link=fields.text("link"), power_loss_protection=protection, **figures)
    fields.finish()
    return baseline


def _read_links(fields: Fields, entry: object) -> tuple[tuple[str, float], ...]:
    links = []
    for name in entry if isinstance(entry, Mapping) else ():
        link = Fields(fields.require(name, dict), f"{fields.where}, {printable(name)}")
        ceiling = _within(link, "mb_s", SPEEDS["mb_s"])
        link.finish()
        links.append((printable(name), ceiling or 0.0))
    return tuple(links)


def _read_assumptions(fields: Fields) -> tuple[tuple[str, float], ...]:
    given = ((name, _within(fields, name, limits)) for name, limits in ASSUMED.items())
    assumptions = tuple((name, value) for name, value in given if value is not None)
    fields.finish()
    return assumptions


def dump_plan(plan: Plan) -> dict[str, object]:
    """Return the plan as plain values, ready for ``json.dumps``; inverse of ``read_plan``."""
    named: dict[str, object] = {"version": VERSION, "name": plan.name}
    named |= {"homehost": plan.top.homehost} if plan.top.homehost else {}
    said = {"links": {name: {"mb_s": ceiling} for name, ceiling in plan.links}, "assumptions": dict(plan.assumptions)}
    top = _dump_volume(plan.top) if isinstance(plan.top, LinearVolume) else _dump_array(plan.top)
    unknown = {"unknown": top.pop("unknown")} if "unknown" in top else {}
    return named | top | {key: value for key, value in said.items() if value} | unknown


def _dump_volume(volume: LinearVolume) -> dict[str, object]:
    data: dict[str, object] = {
        "level": JOINED,
        "members": [_dump_array(array) for array in volume.arrays],
    }
    return data | ({"pieces": [asdict(piece) for piece in volume.pieces]} if volume.pieces else {})


def _dump_array(array: MdArray) -> dict[str, object]:
    data: dict[str, object] = {
        "level": str(array.level),
        "layout": array.layout,
        "chunk_kib": array.chunk_kib,
        "metadata": str(array.metadata),
        "bitmap": str(array.bitmap),
        "component_size_kib": array.component_size_kib,
        "assume_clean": array.assume_clean,
        "members": [_dump_entry(member) for member in array.members],
        "spares": [dump_member(spare) for spare in array.spares],
    }
    extras: dict[str, object | None] = {
        "bitmap_chunk_kib": array.bitmap_chunk_kib,
        "data_offset_kib": array.data_offset_kib,
        "consistency": array.consistency and str(array.consistency),
        "journal": array.journal and dump_member(array.journal),
        "unknown": list(array.unknown) or None,
    }
    return data | {key: value for key, value in extras.items() if value is not None}


def _dump_entry(member: Member | MdArray | None) -> object:
    if member is None:
        return "missing"
    return _dump_array(member) if isinstance(member, MdArray) else dump_member(member)


def dump_baseline(baseline: Baseline) -> dict[str, object]:
    """Return the known figures by name; inverse of ``read_baseline``."""
    known = {name: getattr(baseline, name) for name in Baseline.__slots__}
    return {name: value for name, value in known.items() if value is not None}


def dump_member(member: Member) -> dict[str, object]:
    """Return the member as plain values; inverse of ``read_member``."""
    data: dict[str, object] = {
        "id": member.id,
        "model": member.model,
        "serial": member.serial,
        "size_bytes": member.size_bytes,
    }
    if member.disk is not None:
        data |= {"disk": member.disk, "partition": member.partition}
    if member.baseline is not None:
        data["baseline"] = dump_baseline(member.baseline)
    own: dict[str, object] = {"afr": member.afr, "age_years": member.age_years}
    own |= {"disk_size_bytes": member.disk_size_bytes, "sector_bytes": member.sector_bytes}
    own |= {name: True for name in ("write_mostly", "failfast") if getattr(member, name)}
    return data | {name: value for name, value in own.items() if value is not None}
