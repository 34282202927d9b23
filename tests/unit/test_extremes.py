"""Plans and pools at the limits of the file format: a figure or a sentence for each, never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raidwright.cli import main
from raidwright.core.md.layouts import Level

from .making_plans import LAYOUTS

_SOME = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
_COUNTS = st.one_of(st.integers(1, 12), st.integers(1, 300))
_BYTES = st.one_of(
    st.integers(10**6, 10**17),
    st.integers(6, 17).map(lambda exponent: 10**exponent),
    st.integers(20, 56).map(lambda exponent: 2**exponent),
)
_CHUNKS = st.one_of(st.none(), st.integers(0, 22).map(lambda n: 4 * 2**n), st.integers(1, 2**32))
_SECTORS = st.sampled_from([None, 1, 512, 520, 4096, 4160, 8192, 65536, 2**31])
_BASELINES = st.one_of(
    st.none(),
    st.fixed_dictionaries({"kind": st.sampled_from(["hdd", "smr", "ssd", "nvme", "memory"])}),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["hdd", "ssd", "nvme"]),
            "sequential_read_mb_s": st.floats(1e-3, 1e6),
            "random_read_4k_iops": st.floats(1e-3, 1e8),
            "random_write_4k_q32_iops": st.floats(1e-3, 1e8),
        }
    ),
)
FORMS = ("mdadm", "script", "mdadm.conf", "fstab", "ansible", "cloud-init", "card", "report")


@st.composite
def _member(draw: st.DrawFn, size_bytes: int, sectors: int | None, baseline: dict[str, Any] | None) -> dict[str, Any]:
    member: dict[str, Any] = {"size_bytes": size_bytes if draw(st.integers(0, 9)) else draw(_BYTES)}
    if sectors:
        member["logical_sector_bytes"] = sectors
    if baseline:
        member["baseline"] = baseline
    return member


@st.composite
def written_plans(draw: st.DrawFn) -> dict[str, Any]:
    """Draw plans as in files, most of them too large, too small or too many."""
    level = draw(st.sampled_from(list(Level)))
    size_bytes, sectors, baseline = draw(_BYTES), draw(_SECTORS), draw(_BASELINES)
    members = [draw(_member(size_bytes, sectors, baseline)) | {"id": f"disk-{n}"} for n in range(draw(_COUNTS))]
    plan: dict[str, Any] = {"version": 1, "name": "tank", "level": level, "members": members}
    if layout := draw(st.sampled_from(LAYOUTS[level])):
        plan["layout"] = layout
    for key, values in (("chunk_kib", _CHUNKS), ("bitmap_chunk_kib", _CHUNKS)):
        if value := draw(values):
            plan[key] = value
    plan["bitmap"] = draw(st.sampled_from(["internal", "none"]))
    plan["metadata"] = draw(st.sampled_from(["0.90", "1.0", "1.1", "1.2"]))
    if len(members) > 3 and len(members) % 2 == 0 and draw(st.booleans()):
        half = len(members) // 2
        inner = {key: plan[key] for key in ("level", "layout", "chunk_kib") if key in plan}
        plan = {
            "version": 1,
            "name": "tank",
            "level": "raid0",
            "members": [inner | {"members": members[:half]}, inner | {"members": members[half:]}],
        }
    return plan


def _said(*argv: str) -> str:
    """Return the command's output; fails on an exit code other than 0 and 2, and propagates exceptions."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(argv))
    assert status in (0, 2), argv
    said = out.getvalue() + err.getvalue()
    assert said.strip()
    return said


@given(plan=written_plans(), form=st.sampled_from(FORMS))
@_SOME
def test_a_plan_gets_figures_or_a_sentence(plan: dict[str, Any], form: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan), encoding="utf-8")
    told = json.loads(_said("assess", "--json", str(file)).splitlines()[0])
    _said("assess", str(file))
    _said("loss", str(file))
    _said("geometry", str(file), "--rows", "2")
    _said("export", str(file), "--as", form)
    if "error" not in told:
        assert told["array_sectors"] > 0
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys, "stdin", io.StringIO(told["command"]))
            _said("explain", "--disk-size", "1TB", "-")


@given(
    groups=st.lists(
        st.tuples(_COUNTS, st.integers(1, 999), st.sampled_from(["MB", "GB", "TB", "PB"])), min_size=1, max_size=3
    ),
    kind=st.sampled_from(["", ":ssd", ":nvme", ":smr", ":hdd5400"]),
    survive=st.integers(0, 5),
)
@settings(_SOME, max_examples=6)
def test_a_pool_gets_plans_or_a_sentence(groups: list[tuple[int, int, str]], kind: str, survive: int) -> None:
    pool = "+".join(f"{min(count, 60)}x{size}{unit}{kind}" for count, size, unit in groups)
    _said("candidates", "--disks", pool, "--survive", str(survive))


@pytest.mark.drawn
@pytest.mark.parametrize(
    "pool", ["3x1MB", "1x1MB", "2x1MB", "3x100PB", "256x1TB", "300x1TB", "3x4KB", "2x999PB", "4x0.1MB"]
)
def test_pools_at_the_edges(pool: str) -> None:
    _said("candidates", "--disks", pool)


@pytest.mark.drawn
@pytest.mark.parametrize("terabytes", [999, 1000, 10_000, 1_000_000])
def test_striped_disks_of_any_size(terabytes: int, tmp_path: Path) -> None:
    members = [{"id": f"disk-{n}", "size_bytes": terabytes * 10**12} for n in range(3)]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"version": 1, "level": "raid0", "name": "a", "members": members}), encoding="utf-8")
    assert "raid0" in _said("assess", str(file))
