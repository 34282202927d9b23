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

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.md.layouts import Level, canonical_layout

from .assumed import ASSUMED, ValidRange
from .names import is_array_name, is_disk_id, is_host_name
from .plan import DISK_KINDS, RPM, SPEEDS, UNKNOWABLE, Baseline, Bitmap, Consistency, Member, Metadata, Piece, Plan

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
    plan = replace(_read_array(fields, name, depth=0), homehost=homehost)
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


def _read_array(fields: Fields, name: str, depth: int) -> Plan:
    level = fields.require_choice("level", Level)
    layout = fields.take("layout", str)
    members = tuple(
        _read_entry(entry, f"{fields.where}, member {slot}", depth)
        for slot, entry in enumerate(fields.items("members", MAX_MEMBERS))
    )
    spares = tuple(
        _read_member(Fields(entry, f"{fields.where}, spare {number}"))
        for number, entry in enumerate(fields.items("spares", MAX_MEMBERS))
    )
    plan = Plan(
        level=level,
        members=members,
        name=name,
        layout=None if layout is None else canonical_layout(level, layout),
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
        links=fields.rest("links", lambda entry: _read_links(Fields(entry, f"{fields.where}, links"), entry)) or (),
        assumptions=fields.rest(
            "assumptions", lambda entry: _read_assumptions(Fields(entry, f"{fields.where}, assumptions"))
        )
        or (),
        unknown=_read_unknown(fields),
        pieces=_read_pieces(fields) if level is Level.JOINED else (),
    )
    fields.finish()
    if plan.is_joined:
        _refuse_array_keys(plan, fields.where)
    if not plan.members:
        raise InputError("{where}: “members” is empty; name the disks.", code="plan-missing", where=fields.where)
    return plan


def _refuse_array_keys(plan: Plan, where: str) -> None:
    """Refuse keys of an md array on a joined volume, which is none: its members have them."""
    plain = Plan(
        plan.level, plan.members, plan.name, links=plan.links, assumptions=plan.assumptions, pieces=plan.pieces
    )
    keys = [name for name in Plan.__slots__ if getattr(plan, name) != getattr(plain, name)]
    if keys:
        raise InputError(
            "{where}: “{key}” belongs to an array; a joined volume has none. Say it of its members.",
            code="plan-joined",
            where=where,
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


def _read_entry(entry: object, where: str, depth: int) -> Member | Plan | None:
    if entry == "missing":
        return None
    fields = Fields(entry, where)
    if isinstance(entry, Mapping) and "level" in entry:
        if depth >= 1:
            raise InputError("{where}: arrays nest two deep at most.", code="plan-depth", where=where)
        if entry["level"] == Level.JOINED:
            raise InputError("{where}: a joined volume can't be a member.", code="plan-depth", where=where)
        return _read_array(fields, "md0", depth + 1)
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
    baseline = Baseline(kind=kind, rpm=rpm, link=fields.text("link"), **figures)
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
    return named | ({"homehost": plan.homehost} if plan.homehost else {}) | _dump_array(plan)


def _dump_array(plan: Plan) -> dict[str, object]:
    if plan.is_joined:
        data: dict[str, object] = {
            "level": str(plan.level),
            "members": [_dump_entry(member) for member in plan.members],
        }
        pieces = {"pieces": [asdict(piece) for piece in plan.pieces]} if plan.pieces else {}
        return data | pieces | _dump_known(plan)
    data = {
        "level": str(plan.level),
        "layout": plan.layout,
        "chunk_kib": plan.chunk_kib,
        "metadata": str(plan.metadata),
        "bitmap": str(plan.bitmap),
        "component_size_kib": plan.component_size_kib,
        "assume_clean": plan.assume_clean,
        "members": [_dump_entry(member) for member in plan.members],
        "spares": [dump_member(spare) for spare in plan.spares],
    }
    extras: dict[str, object | None] = {
        "bitmap_chunk_kib": plan.bitmap_chunk_kib,
        "data_offset_kib": plan.data_offset_kib,
        "consistency": plan.consistency and str(plan.consistency),
        "journal": plan.journal and dump_member(plan.journal),
    }
    return data | {key: value for key, value in extras.items() if value is not None} | _dump_known(plan)


def _dump_known(plan: Plan) -> dict[str, object]:
    """Return what is known of the plan beside its shape."""
    known: dict[str, object | None] = {
        "links": {name: {"mb_s": ceiling} for name, ceiling in plan.links} or None,
        "assumptions": dict(plan.assumptions) or None,
        "unknown": list(plan.unknown) or None,
    }
    return {key: value for key, value in known.items() if value is not None}


def _dump_entry(member: Member | Plan | None) -> object:
    if member is None:
        return "missing"
    return _dump_array(member) if isinstance(member, Plan) else dump_member(member)


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
