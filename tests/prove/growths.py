"""Later changes on real arrays: a possible one is done under its conditions, and isn't without one of them.

Changes that the core calls impossible are requested in the ways that a user would try. Each array is filled first, and
judged after it was stopped and started: by its shape, its data, and a check of its copies or parity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidwright.analysis.layers.possibilities import possibilities
from raidwright.core.md.layouts import Level, layout_number
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.md.reshape.possibility import MIN_CHUNK_KIB, Needs, Possibility
from raidwright.core.model.plan import Plan
from raidwright.lab.machine import Lab

from .creations import Comparison
from .guest import Job, answers, job_for
from .guest_worker import BACKUP

DONE, NOT_DONE, LOST = "done", "not done", "data lost"


@dataclass(frozen=True, slots=True)
class Way:
    """Request for a change: ``without`` is the condition left out, ``target`` the chunk in KiB or the layout."""

    one: Possibility
    target: int | str | None = None
    disks: int = 0
    has_backup: bool = False
    layout: str | None = None
    without: Needs | None = None

    def expected(self, mdadm: MdadmVersion) -> str:
        """Return the outcome that the core predicts: DONE, NOT_DONE or LOST."""
        if self.one.loses_data:
            return LOST
        unable = any(need.needs is Needs.MDADM and need.value == str(mdadm) for need in self.one.conditions)
        return DONE if self.one.possible and not self.without and not unable else NOT_DONE


def ways(plan: Plan) -> list[Way]:
    """Return all requests for the array of ``plan``; those that leave it unchanged follow each other."""
    found = possibilities(plan.top)
    refused = [way for one in found if not one.possible and not one.loses_data for way in _refused(plan, one)]
    promised = [way for one in found if one.possible for way in _promised(plan, one)]
    spoilt = [Way(one, target=_targets(plan, one.change)[0]) for one in found if one.loses_data]
    return sorted(refused, key=lambda way: (way.one.change == "larger-members", way.disks)) + promised + spoilt


def _promised(plan: Plan, one: Possibility) -> Iterator[Way]:
    needs = {each.needs: each.value for each in one.conditions}
    target = _targets(plan, one.change)[0]
    if one.change == "chunk":
        most = int(needs[Needs.CHUNK] or 0)
        target = most if most != plan.array.effective_chunk_kib else most // 2
    given = needs.get(Needs.LAYOUT)
    whole = Way(
        one,
        target=given if one.change == "layout" and given else target,
        disks=int(needs.get(Needs.DISKS) or 0),
        has_backup=Needs.BACKUP_FILE in needs,
        layout=str(given) if given and one.change != "layout" else None,
    )
    yield whole
    for need in needs:
        yield from _without(plan, whole, need)


def _without(plan: Plan, whole: Way, need: Needs) -> Iterator[Way]:
    """Yield ``whole`` without ``need``; a restart isn't left out: the kernel then crashes or corrupts the data."""
    match need:
        case Needs.DISKS:
            yield _but(whole, need, disks=whole.disks - 1)
        case Needs.BACKUP_FILE:
            yield _but(whole, need, has_backup=False)
        case Needs.LAYOUT if whole.layout:
            yield _but(whole, need, layout=None)
        case Needs.LAYOUT:
            for layout in ("f2", "n3" if whole.target == "n2" else "n2"):
                yield _but(whole, need, target=layout)
        case Needs.CHUNK:
            most = next(int(each.value or 0) for each in whole.one.conditions if each.needs is need)
            if 2 * most != plan.array.effective_chunk_kib:
                yield _but(whole, need, target=2 * most)
        case Needs.FINISH:
            yield _but(whole, need)
        case _:
            return


def _but(whole: Way, without: Needs, **changed: object) -> Way:
    fields = {name: getattr(whole, name) for name in Way.__slots__}
    return Way(**(fields | {"without": without} | changed))


def _refused(plan: Plan, one: Possibility) -> Iterator[Way]:
    """Yield the plain request, and those with all that might help: disks, a backup."""
    if one.change == "larger-members":
        yield Way(one)
    elif one.change in ("layout", "chunk"):
        yield from (Way(one, target=target) for target in _targets(plan, one.change))
        yield Way(one, target=_targets(plan, one.change)[0], has_backup=True)
    else:
        yield Way(one, disks=1 if one.change == "more-members" else 0)
        yield Way(one, disks=1 if one.change == "more-members" else 2, has_backup=True)


def _targets(plan: Plan, change: str) -> list[int | str | None]:
    if change == "chunk":
        chunk = plan.array.effective_chunk_kib or 64
        return [each for each in (chunk // 2, 2 * chunk) if each >= MIN_CHUNK_KIB]
    if change == "layout" and plan.array.level is Level.RAID10:
        kind, copies = plan.array.copies.letter, str(plan.array.copies.total)
        return [f"{'o' if kind == 'n' else 'n'}{copies}"]
    if change == "layout":
        return ["right-symmetric" if plan.array.effective_layout != "right-symmetric" else "left-asymmetric"]
    return [None]


def compare(lab: Lab, mdadm: MdadmVersion, chosen: Iterable[tuple[Plan, list[Way]]]) -> Iterator[Comparison]:
    """Compare the predicted outcome of each request with the real one."""
    kept = list(chosen)
    jobs = (_job(plan, asked) for plan, asked in kept)
    for (plan, asked), (job, answer) in zip(kept, answers(lab, jobs), strict=True):
        made = " ".join(job["commands"][-1])
        if "tries" not in answer:
            yield Comparison(made, "an array", str(answer.get("refused") or answer.get("broken")), "differs")
            continue
        for way, wanted, tried in zip(asked, job["tries"], answer["tries"], strict=True):
            said, found = way.expected(mdadm), _found(plan, way, tried)
            what = " ; ".join(" ".join(argv) for argv in (job["commands"][-1], *wanted["before"], wanted["change"]))
            detail = f"differs: {tried['harm']} {tried['said'][-300:]} {_shape(tried['after'])}"
            yield Comparison(what, _word(way, said), found, "" if said == found else detail)


def _word(way: Way, said: str) -> str:
    return f"{said}: {way.one.reason}" + (f" (without {way.without})" if way.without else "")


def _found(plan: Plan, way: Way, tried: Job) -> str:
    if tried["harm"]:
        return LOST
    after = tried["after"]
    whole = tried["code"] == 0 and after["lacking"] == 0
    return DONE if whole and _has_come_about(plan, way, tried["before"], after) else NOT_DONE


def _has_come_about(plan: Plan, way: Way, before: Job, after: Job) -> bool:
    match way.one.change:
        case "more-members":
            return bool(after["slots"] == before["slots"] + 1 and after["level"] == before["level"])
        case "larger-members":
            return bool(after["sectors"] > before["sectors"])
        case "chunk":
            return bool(after["chunk_bytes"] == 1024 * int(way.target or 0) and after["level"] == before["level"])
        case "layout":
            return bool(after["layout"] == str(layout_number(plan.array.level, str(way.target))))
        case level:
            return bool(after["level"] == level)


def _shape(fact: Job) -> str:
    names = ("level", "slots", "layout", "chunk_bytes", "component_kib", "sectors", "lacking")
    return ", ".join(f"{name} {fact[name]}" for name in names)


def _job(plan: Plan, asked: list[Way]) -> Job:
    job = job_for(plan, "grow")
    count, smallest = len(job["sizes"]), min(job["sizes"])
    # Disks of the same size to add, and larger ones to replace the members.
    others = max(way.disks for way in asked)
    larger = len(plan.array.members) if any(way.one.change == "larger-members" for way in asked) else 0
    job["sizes"] += [smallest] * others + [max(job["sizes"]) + 2048] * larger
    job["tries"] = [_asked(plan, way, count, count + others) for way in asked]
    return job


def _asked(plan: Plan, way: Way, first: int, first_larger: int) -> Job:
    """Return the worker's job for a request; LOOP ``first`` is the first disk that isn't in the array."""
    array = f"/dev/md/{plan.name}"
    spares = [f"LOOP{first + number}" for number in range(way.disks)]
    change, before = ["mdadm", "--grow", array, *_options(plan, way)], []
    if not plan.array.level.is_redundant:  # they keep no spares; disks are given with the change itself
        change += ["--add", *spares] if spares else []
    elif spares:
        before = [["mdadm", array, "--add", *spares]]
    if way.one.change == "larger-members" and plan.array.level.is_redundant:
        before = _replaced(plan, array, first_larger)
    return {"before": before, "change": change, "after": _afterwards(plan, way, array)}


def _options(plan: Plan, way: Way) -> list[str]:
    change = way.one.change
    options = {
        "more-members": [f"--raid-devices={len(plan.array.members) + 1}"]
        if plan.array.level is not Level.LINEAR
        else [],
        "larger-members": ["--size=max"],
        "chunk": [f"--chunk={way.target}"],
        "layout": [f"--layout={way.target}"],
    }.get(change, [f"--level={change}"])
    options += [f"--layout={way.layout}"] if way.layout else []
    return options + ([f"--backup-file={BACKUP}"] if way.has_backup else [])


def _replaced(plan: Plan, array: str, first_larger: int) -> list[list[str]]:
    """Return the commands that replace every member by a larger disk."""
    disks = [disk.id for disk in plan.disks() if disk is not plan.array.journal]
    larger = [f"LOOP{first_larger + number}" for number in range(len(disks))]
    one_by_one = (
        [["mdadm", array, "--add", new], ["mdadm", array, "--replace", old, "--with", new],
         ["mdadm", array, "--remove", old]]
        for old, new in zip(disks, larger, strict=True)
    )  # fmt: skip
    return [argv for steps in one_by_one for argv in steps]


def _afterwards(plan: Plan, way: Way, array: str) -> list[list[str]]:
    """Return the steps that a condition requires after the reshape; after a restart a disk is rebuilt as well."""
    needs = {each.needs: each.value for each in way.one.conditions}
    if Needs.RESTART in needs and not way.without:
        disks = [disk.id for disk in plan.disks()]
        assemble = ["mdadm", "--assemble", array, *disks]
        rebuild = [["mdadm", array, "--fail", disks[1], "--remove", disks[1]], ["mdadm", "--zero-superblock", disks[1]]]
        return [["mdadm", "--stop", array], assemble, *rebuild, ["mdadm", array, "--add", disks[1]]]
    if Needs.FINISH in needs and way.without is None:
        return [["mdadm", "--grow", array, f"--level={needs[Needs.FINISH]}"]]
    return []
