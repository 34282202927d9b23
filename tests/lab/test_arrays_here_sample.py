"""States of arrays drawn by a seed, and an array from elsewhere taken over: `make arrays-here-check` has them all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest

from tests.arrays_here.bench import Bench
from tests.arrays_here.states import CASES

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
_SEED, _SAMPLE = 34, 2
_BY_NAME = {case.name: case for case in CASES}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("store"), "arrays-here-sample") as made:
        yield made


_SAMPLED = Random(_SEED).sample([case.name for case in CASES if not case.cut and case.pulled is None], _SAMPLE)  # noqa: S311 -- to be repeatable


@pytest.mark.parametrize("name", _SAMPLED)
def test_a_state_is_told_and_started_or_refused_rightly(bench: Bench, name: str) -> None:
    assert bench.judge(_BY_NAME[name]).fault == ""


def test_an_array_from_elsewhere_is_taken_over(bench: Bench) -> None:
    case = _BY_NAME["from elsewhere"]
    bench.run(case.made)
    try:
        assert bench.arrays()["tank"]["is_foreign"] is True
        status, text = bench.command("array", "take-over", "tank", "--name", "films", "--dry-run")
        assert status == 0
        assert "practice:films instead of oldnas:tank" in json.loads(text)["steps"][0]
        status, said = bench.command("array", "take-over", "tank", "--name", "../x", "--yes-name", "tank")
        assert (status, "no name for an array" in said) == (2, True)
        status, text = bench.command(
            "array", "take-over", "tank", "--name", "films", "--mount", "/srv/films", "--yes-name", "tank"
        )
        assert status == 0, text
        done = json.loads(text)
        assert (done["taken_over"]["name"], done["taken_over"]["homehost"]) == ("films", "practice")
        assert "--force" not in str(done["taken_over"]["log"])
        assert bench.run("cat /srv/films/photo") == "summer"
        assert "films" in bench.run("cat /etc/mdadm/mdadm.conf")
        assert "/srv/films" in bench.run("cat /etc/fstab")
        films = bench.arrays()["films"]
        assert (films["state"], films["is_foreign"], films["homehost"]) == ("running", False, "practice")
        names = bench.run("mdadm --examine --export /dev/sda /dev/sdb /dev/sdc | grep MD_NAME | sort -u")
        assert names == "MD_NAME=practice:films"
    finally:
        bench.run("umount /srv/films; true")
        bench.command("configure", "--restore")
        bench.clean(case)


def test_what_is_not_whole_is_not_taken_over(bench: Bench) -> None:
    case = _BY_NAME["from elsewhere"]
    bench.run(f"{case.made}; mdadm --quiet --zero-superblock /dev/sdb; udevadm settle")
    try:
        before = bench.run("mdadm --examine /dev/sda /dev/sdc | md5sum")
        status, said = bench.command("array", "take-over", "tank", "--yes-name", "tank")
        assert (status, "isn't whole" in said) == (2, True), said
        assert bench.run("mdadm --examine /dev/sda /dev/sdc | md5sum") == before
    finally:
        bench.clean(case)
