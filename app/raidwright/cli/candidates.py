"""``raidwright candidates``: the plans that a pool of disks allows, ranked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from raidwright.analysis.advice.candidates import Merits
from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.ranking import Candidate, Ranking, Wishes, candidates_for
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Layer, LinearVolume, Metadata
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.sizes import decimal_size
from raidwright.reading.pool import MAX_DISKS, imagined_members, parse_pool
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.candidates import gist_words, on_disks, shared_warnings, unused_in_brief, why_words
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import short_name
from raidwright.text.plan.survival import share

_LOSS = say("Loss, {loss_years:g} y", loss_years=LOSS_YEARS)
_SURVIVES = say("Survives: so many disks may fail, whichever they are, and one more in so many of the ways.")
_SPEEDS = say(
    "Speed: reading and writing in multiples of one disk, predicted for typical ones; small writes as those of "
    "programs that come back to the same places, without what a bitmap costs writes all over the array."
)
_UNUSED = say(
    "Unused: disks left free, and what larger disks have over the smallest; of joined arrays, what too few disks share."
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    defaults = Wishes()
    parser = subparsers.add_parser("candidates", help=tr("rank the plans that a pool of disks allows"))
    parser.add_argument(
        "--disks", required=True, metavar="POOL", help=tr("imagined disks, like 4x8TB, 4x8TB+2x4TB or 4x1TB:ssd")
    )
    parser.add_argument(
        "--survive", type=_disks, default=defaults.must_survive, metavar="K", help=tr("any K disks may fail")
    )
    for name in Merits.__slots__:
        parser.add_argument(f"--{name}", type=_weight, default=getattr(defaults, name), metavar="0-100")
    parser.add_argument("--grow", action="store_true", help=tr("disks will be added later"))
    parser.add_argument("--boot", action="store_true", help=tr("firmware must boot from it"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of a table"))


def _disks(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_DISKS:
        raise argparse.ArgumentTypeError(tr("must be 0 to {most_disks}", most_disks=MAX_DISKS))
    return int(text)


def _weight(text: str) -> int:
    if not text.isdecimal() or int(text) > 100:
        raise argparse.ArgumentTypeError(tr("must be 0 to 100"))
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Rank the plans; return 2 if the requirements can't be met."""
    weights = {name: getattr(options, name) for name in Merits.__slots__}
    wishes = Wishes(must_survive=options.survive, will_grow=options.grow, must_boot=options.boot, **weights)
    ranking = candidates_for(imagined_members(parse_pool(options.disks)), wishes)
    if options.json:
        print(json.dumps({"relax": ranking.relax, "candidates": [_as_json(item) for item in ranking.candidates]}))
    else:
        _print(ranking)
    return 2 if ranking.relax else 0


def _as_json(candidate: Candidate) -> dict[str, object]:
    prepared = candidate.prepared
    assessment, speeds = prepared.assessment, prepared.speeds
    survival = assessment.survival
    return {
        "plan": dump_plan(assessment.plan),
        "score": round(candidate.score, 4),
        "why": why_words(candidate, layout_name),
        "gist": gist_words(candidate),
        "unmet": list(candidate.unmet),
        "array_sectors": assessment.capacity.array_sectors,
        "survival": {str(k): list(survival.counts(k)) for k in range(1, len(survival.units) + 1)},
        "loss": {"years": LOSS_YEARS, "array": prepared.array_loss, "sectors": prepared.sector_loss},
        "warnings": [finding.code for finding in prepared.warnings],
        "unused": [asdict(one) for one in prepared.unused],
        "relative_speed": {name: getattr(speeds, name) for name in type(speeds).__slots__},
    }


def _print(ranking: Ranking) -> None:
    console, table = Console(highlight=False), Table(box=None, pad_edge=False)
    idle = any(one.prepared.unused for one in ranking.candidates)
    headings = ("", tr("Layout"), tr("Space"), *((tr("Unused"),) if idle else ()), tr("Survives"),
                translated(_LOSS), tr("Speed, est."))  # fmt: skip
    for heading in headings:
        table.add_column(heading)
    reasons = []
    for place, candidate in enumerate(ranking.candidates, start=1):
        prepared = candidate.prepared
        name = layout_name(prepared.plan.top)
        if any(one.is_whole for one in prepared.unused):
            name = on_disks(name, prepared)
        table.add_row(
            "–" if candidate.unmet else str(place),
            name,
            decimal_size(prepared.array_bytes),
            *((unused_in_brief(prepared.unused),) if idle else ()),
            f"{prepared.survives} · {share(*prepared.assessment.survival.counts(prepared.survives + 1))}",
            chance_in_brief(prepared.array_loss),
            tr("{read:.2g}×, {write:.2g}×", read=prepared.speeds.read, write=prepared.speeds.write),
        )
        reasons.append(f"{place} {name}: {why_words(candidate, layout_name)}")
    if ranking.candidates:
        _print_reasons(console, table, [*reasons, shared_warnings(ranking.candidates)], idle=idle)
    if ranking.relax:
        console.print(translated(ranking.relax), style="bold")


def _print_reasons(console: Console, table: Table, reasons: list[str], *, idle: bool) -> None:
    console.print(table)
    for reason in ("", *filter(None, reasons), "", _SURVIVES, _SPEEDS, *((_UNUSED,) if idle else ())):
        console.print(translated(reason))


def layout_name(layer: Layer) -> str:
    """Return the layout's name: ``raid10 f2``, ``raid0 of 4 raid5``, ``raid6 ×5 + spare``, ``joined raid5 ×4 + …``."""
    if isinstance(layer, LinearVolume):
        return short_name(layer)
    inner = next(iter(layer.inner), None)
    if inner is not None:
        return tr(
            "{level} of {members} {inner} ×{count}",
            level=layer.level,
            members=len(layer.members),
            inner=inner.level,
            count=len(inner.members),
        )
    layout = layer.effective_layout if layer.level is Level.RAID10 else layer.layout
    name = f"{layer.level} {layout or ''}".strip() + f" ×{len(layer.members)}"
    if layer.metadata is not Metadata.V1_2:
        name = tr("{plan}, metadata {metadata}", plan=name, metadata=layer.metadata)
    return tr("{plan} + spare", plan=name) if layer.spares else name
