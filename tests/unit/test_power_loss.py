"""Flash with and without protection against power loss: two figures until it is known which, by model or as said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.advice.speeds import compared_speeds, predictions_of
from raidwright.analysis.performance.power_loss import protected_by_model
from raidwright.analysis.performance.prediction import Prediction, predict
from raidwright.cli import main
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.workload import Pattern
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.reading.workload_words import read_workload

_ONE_BY_ONE, _MANY = Pattern("randwrite", 4, 1), Pattern("randwrite", 4, 32)
_SYNCED = Pattern("randwrite", 4, 1, flushed=True)


def _pool(text: str) -> tuple[Member, ...]:
    return imagined_members(parse_pool(text))


def _raid10(pool: str, bitmap: Bitmap = Bitmap.INTERNAL) -> Plan:
    return Plan(MdArray(Level.RAID10, _pool(pool), layout="n2", chunk_kib=512, bitmap=bitmap))


def _said(plan: Plan, pattern: Pattern, span: float = 1.0) -> Prediction:
    found = predict(plan, pattern, span=span)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "protected"),
    [
        ("SAMSUNG MZ7LH960HAJR-00005", True),
        ("SAMSUNG MZQLB960HAJR-00007", True),
        ("SAMSUNG MZ1L21T9HCLS-00A07", True),
        ("INTEL SSDSC2KB960G8", True),
        ("INTEL SSDPE2KX010T8", True),
        ("KINGSTON SEDC600M960G", True),
        ("KINGSTON SEDC1500M960G", True),
        ("Micron_5300_MTFDDAK960TDS", True),
        ("Micron_7450_MTFDKBA960TFR", True),
        ("KCD61LUL1T92", True),
        ("Samsung SSD 870 EVO 1TB", False),
        ("Samsung SSD 980 PRO 1TB", False),
        ("SAMSUNG MZVLB512HBJQ-000L7", False),
        ("CT1000MX500SSD1", False),
        ("CT2000P3PSSD8", False),
        ("WDS100T1R0A-68A4W0", False),
        ("WD_BLACK SN850X 2000GB", False),
        ("KINGSTON SA400S37480G", False),
        ("Micron_2200_MTFDHBA512TCK", False),
        ("INTEL SSDPEKNW010T8", False),
        ("ACME 1000", None),
        ("", None),
    ],
)
def test_models_tell_whether_a_flush_is_answered_from_the_cache(model: str, protected: bool | None) -> None:
    assert protected_by_model(model) is protected


def test_until_it_is_known_both_figures_are_said_and_the_band_holds_both() -> None:
    """Three NVMe arrays with a bitmap did 51,600 to 68,000 one by one (linux-raid, 2023), a 980 PRO's 174."""
    unknown = _said(_raid10("4x1TB:nvme"), _ONE_BY_ONE)
    assert unknown.protected is not None
    assert unknown.iops < 400
    assert unknown.protected.iops > 20_000
    assert unknown.low_mb_s <= unknown.mb_s < unknown.protected.mb_s <= unknown.high_mb_s
    for iops in (174, 51_600, 58_400, 68_000):
        assert unknown.low_mb_s <= iops * 4096 / 1e6 <= unknown.high_mb_s, iops


def test_what_is_said_ends_the_question() -> None:
    unknown, protected = _said(_raid10("4x1TB:nvme"), _ONE_BY_ONE), _said(_raid10("4x1TB:nvme-plp"), _ONE_BY_ONE)
    assert unknown.protected is not None
    assert protected.protected is None
    assert protected.mb_s == unknown.protected.mb_s
    plain = _raid10("4x1TB:nvme").each_disk(lambda disk: replace(disk, model="Samsung SSD 980 PRO 1TB"))
    assert _said(plain, _ONE_BY_ONE).mb_s == unknown.mb_s
    assert _said(plain, _ONE_BY_ONE).protected is None
    assert unknown.high_mb_s > 10 * _said(plain, _ONE_BY_ONE).high_mb_s


@pytest.mark.parametrize("measured_iops", [14_900, 19_600])
def test_synced_writes_of_a_protected_mirror_lie_within_the_band(measured_iops: float) -> None:
    mirror = Plan(MdArray(Level.RAID1, _pool("2x1TB:nvme-plp"), bitmap=Bitmap.INTERNAL))
    said = _said(mirror, _SYNCED)
    assert said.low_mb_s <= measured_iops * 4096 / 1e6 <= said.high_mb_s


def test_where_nothing_is_flushed_there_is_one_figure() -> None:
    assert _said(_raid10("4x1TB:nvme", Bitmap.NONE), _MANY).protected is None
    assert _said(_raid10("4x1TB:nvme"), Pattern("randread", 4, 32)).protected is None
    assert _said(_raid10("4x8TB:hdd7200"), _ONE_BY_ONE).protected is None


def _nested(pool: str) -> Plan:
    disks = _pool(pool)
    pairs = (disks[:2], disks[2:])
    mirrors = tuple(MdArray(Level.RAID1, two, name=f"m{n}", bitmap=Bitmap.INTERNAL) for n, two in enumerate(pairs))
    return Plan(MdArray(Level.RAID0, mirrors, chunk_kib=512))


@given(
    st.sampled_from(("4x1TB:nvme", "4x1TB:ssd", "4x8TB:hdd7200", "4x1TB:ssd-plp")),
    st.sampled_from(("randread", "randwrite")),
    st.sampled_from((1, 32)),
    st.sampled_from((1.0, 0.3, 0.05, 0.004)),
)
def test_a_span_reaches_the_arrays_within(pool: str, direction: str, depth: int, span: float) -> None:
    """raid0 over two mirrors keeps a chunk where raid10 n2 of four does, so that one does about as much as the other.

    Not the same: each mirror has a bitmap of its own, which is flushed on two disks beside the other's.
    """
    pattern = Pattern(direction, 4, depth)
    flat, nested = _said(_raid10(pool), pattern, span), _said(_nested(pool), pattern, span)
    assert 1 / 4 < nested.mb_s / flat.mb_s < 4
    assert nested.high_mb_s / nested.low_mb_s > flat.high_mb_s / flat.low_mb_s / 4


@pytest.mark.parametrize("count", [6, 10])
def test_small_writes_are_compared_by_what_members_do_and_not_by_what_a_core_submits(count: int) -> None:
    disks = _pool(f"{count}x1TB:ssd")
    mirrored = Plan(MdArray(Level.RAID10, disks, layout="n2", chunk_kib=512))
    halves = (disks[: count // 2], disks[count // 2 :])
    parts = tuple(MdArray(Level.RAID5, half, name=f"p{n}", chunk_kib=512) for n, half in enumerate(halves))
    with_parity = Plan(MdArray(Level.RAID0, parts, chunk_kib=512))
    mirrors, parities = (compared_speeds(plan, predictions_of(plan)) for plan in (mirrored, with_parity))
    assert mirrors.random_write > parities.random_write


def test_disks_on_usb_have_its_link_each_its_own_or_one_together() -> None:
    def reads(pool: str) -> float:
        read = predictions_of(Plan(MdArray(Level.RAID0, _pool(pool), chunk_kib=512))).read
        assert read is not None
        return read.mb_s

    assert reads("4x1TB:ssd@usb3") == pytest.approx(400)
    assert reads("4x1TB:ssd:usb") == pytest.approx(4 * 400)
    assert reads("4x1TB:ssd") > 2000
    with pytest.raises(InputError):
        _pool("4x1TB:usb9")


@pytest.mark.parametrize(
    ("option", "value", "limit"), [("--link", "100", "the computer's bus or processor"), ("--read-ahead", "4", "")]
)
def test_what_is_around_the_disks_is_said_on_the_command_line(
    option: str, value: str, limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tank = tmp_path / "tank.json"
    tank.write_text(json.dumps(dump_plan(Plan(MdArray(Level.RAID0, _pool("4x8TB:hdd7200"), chunk_kib=512)))))
    said = []
    for options in ((), (option, value)):
        assert main(["assess", str(tank), "--json", *options]) == 0
        said.append(json.loads(capsys.readouterr().out)["performance"]["buffered_read"]["normal"])
    assert said[1]["mb_s"] < said[0]["mb_s"]
    assert limit in said[1]["limited_by"]
    assert main(["assess", str(tank), option, "x"]) == 2
    assert option in capsys.readouterr().err


def test_a_saturated_array_can_be_asked_for() -> None:
    deep = read_workload("randread,bs=4k,depth=4096,jobs=400").pattern
    assert _said(_raid10("4x1TB:nvme"), deep).iops >= _said(_raid10("4x1TB:nvme"), Pattern("randread", 4, 32)).iops
