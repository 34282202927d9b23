"""ARRAY lines: the lines that mdadm matches with an array, before and after Raidwright edits them."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.system.array_lines import (
    ArrayEntry,
    shape_words,
    with_array,
    with_array_in,
    without_arrays,
    without_shape_words,
)
from raidwright.core.system.mdadm_conf import ConfLine, lines_of, uuid_digits

UUID = "0a1b2c3d:00000001:00000002:00000003"
TANK = ArrayEntry("tank", "1.2", UUID, "nas:tank", 127, ("/dev/sdb1", "/dev/sdc1"), "raid1", 2)
OLD = ArrayEntry("0", "0.90", UUID, "", 0, ("/dev/sdb1", "/dev/sdc1"), "raid1", 2)
MAIN, FURTHER = "/etc/mdadm/mdadm.conf", "/etc/mdadm/mdadm.conf.d/nas.conf"
_PLACES = ("/dev/md/tank", "/dev/md0", "tank", "0", "<ignore>", "/dev/md/other", "")
_WORDS = (
    f"UUID={UUID}", f"uuid={UUID.upper()}", "UUID=ffffffff:1:2:3", "UUID=" + "f" * 32, "UUID=12", "name=nas:tank",
    "name=tank", "name=NAS:Tank", "name=old:tank", "name=any:tank", "name=nas:other", "super-minor=0",
    "super-minor=127", "super-minor=5", "devices=/dev/sd[bc]1", "devices=/dev/sdb1", "devices=/dev/sdx,/dev/sdy",
    "metadata=1.2",
    "metadata=1.0", "metadata=0.90", "metadata=00.90", "metadata=1", "level=raid1", "level=raid5", "num-devices=2",
    "disks=3", "container=/dev/md/imsm0", "member=0", "spare-group=shelf", "spares=1", "auto=md",
)  # fmt: skip
LINES = st.builds(
    lambda place, words, by: by.join(["ARRAY", *filter(None, [place]), *words]),
    st.sampled_from(_PLACES),
    st.lists(st.sampled_from(_WORDS), max_size=4),
    st.sampled_from([" ", "\n  ", " # a comment\n\t"]),
)
FILES = st.lists(LINES, max_size=3).map(lambda lines: "".join(f"{line}\n" for line in lines))


def matched(texts: list[str], entry: ArrayEntry, *, is_newer: bool = False) -> list[ConfLine]:
    """Return the lines that match each member of the array, as mdadm 4.2's ``conf_match``; ``is_newer``: 4.4's."""
    lines = [line for text in texts for line in lines_of(text) if line.keyword == "ARRAY"]
    return [line for line in lines if all(_is_match(line, entry, node, is_newer=is_newer) for node in entry.nodes)]


def _is_match(line: ConfLine, entry: ArrayEntry, node: str, *, is_newer: bool) -> bool:
    first: dict[str, str] = {}
    for word in line.texts[1:]:
        key, is_value, value = word.partition("=")
        if is_value and not word.startswith("/") and not (key.lower() == "uuid" and not uuid_digits(value)):
            first.setdefault(key.lower(), value)
    name = None if is_newer else first.get("name")
    minor = entry.super_minor if entry.metadata == "0.90" else -1
    said = [
        uuid_digits(first["uuid"]) == uuid_digits(UUID) if "uuid" in first else None,
        name.casefold() == entry.full_name.casefold() if name else None,
        any(fnmatchcase(node, one) for one in first["devices"].split(",")) if "devices" in first else None,
        int(first["super-minor"]) == minor if "super-minor" in first else None,
    ]
    return True in said and False not in said


@given(FILES, FILES, st.sampled_from([TANK, OLD]))
@example("ARRAY /dev/md/tank name=nas:tank\n", "", TANK)
@example("ARRAY /dev/md0 super-minor=0\n", "", OLD)
@example("", "ARRAY /dev/md/tank name=nas:tank super-minor=0\n", OLD)
@example("ARRAY /dev/md/other name=nas:other devices=/dev/sd[bc]1\n", "", TANK)
@example("", f"ARRAY /dev/md/tank UUID={UUID} name=old:tank\n", TANK)
def test_mdadm_matches_one_line_at_the_right_place_afterwards(main: str, further: str, entry: ArrayEntry) -> None:
    try:
        after = with_array_in({MAIN: main, FURTHER: further}, entry)
    except InputError:
        return
    for is_newer in (False, True):
        [line] = matched(list(after.values()), entry, is_newer=is_newer)
        assert line.place
        assert line.place.text == f"/dev/md/{entry.name}"
    assert with_array_in(after, entry) == after
    for text in after.values():
        assert not matched([without_arrays(text, [entry])], entry, is_newer=False)


@given(FILES, st.sampled_from([TANK, OLD]))
def test_what_says_nothing_of_the_array_stays(text: str, entry: ArrayEntry) -> None:
    try:
        after = with_array(text, entry)
    except InputError:
        return
    kept = ("spare-group=", "spares=", "auto=")
    assert [word for word in text.split() if word.startswith(kept)] == [
        word for word in after.split() if word.startswith(kept)
    ]
    assert text.count("#") == after.count("#")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"ARRAY /dev/md/tank UUID={UUID} name=old:tank spares=1\n", f"ARRAY /dev/md/tank UUID={UUID} spares=1\n"),
        (f"ARRAY /dev/md/tank UUID={UUID} name=NAS:Tank\n", f"ARRAY /dev/md/tank UUID={UUID} name=NAS:Tank\n"),
        (f"ARRAY /dev/md/tank super-minor=0 UUID={UUID} # x\n", f"ARRAY /dev/md/tank UUID={UUID} # x\n"),
        (f"ARRAY /dev/md/tank devices=/dev/sdb1 UUID={UUID}\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        (f"ARRAY /dev/md/tank devices=/dev/sd?1 UUID={UUID}\n", f"ARRAY /dev/md/tank devices=/dev/sd?1 UUID={UUID}\n"),
        (f"ARRAY /dev/md/tank metadata=1.0 UUID={UUID}\n", f"ARRAY /dev/md/tank metadata=1.2 UUID={UUID}\n"),
        (f"ARRAY /dev/md/tank level=raid5 num-devices=3 UUID={UUID}\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        (f"ARRAY /dev/md/tank UUID=12 UUID={UUID}\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        ("ARRAY /dev/md5 name=nas:tank super-minor=5\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        (f"ARRAY /dev/md_d0 UUID={UUID}\r\n", f"ARRAY /dev/md_d0 UUID={UUID}\r\nARRAY"),  # no UUID for mdadm
    ],
)
def test_what_would_keep_mdadm_from_the_line_goes(before: str, after: str) -> None:
    assert with_array(before, TANK).startswith(after)


@pytest.mark.parametrize(
    ("text", "entry", "why"),
    [
        ("ARRAY /dev/md/tank UUID=12\n", TANK, "“UUID=12”. That is no UUID"),
        ("ARRAY /dev/md5 name=nas:tank UUID=0a1b2c3d-1\n", TANK, "That is no UUID"),
        (f"ARRAY /dev/md/tank UUID={UUID}\r\n", TANK, "as Windows does"),
        ("ARRAY /dev/md/tank name=old:tank\n", TANK, "another array, with name=old:tank"),
        ("ARRAY /dev/md/tank super-minor=0\n", TANK, "another array, with super-minor=0"),
        ("ARRAY /dev/md0 super-minor=3\n", OLD, "another array"),
        ("ARRAY /dev/md/tank devices=/dev/sd[bc]1\n", TANK, "says no UUID"),
        ("ARRAY /dev/md/tank container=/dev/md/imsm0 member=0 name=nas:tank2\n", TANK, "another array"),
    ],
)
def test_what_only_a_person_can_mend_is_told(text: str, entry: ArrayEntry, why: str) -> None:
    with pytest.raises(InputError, match=why):
        with_array(text, entry)


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        ("DEVICE /dev/sda* /dev/sdb*\n", "/dev/sdc1"),
        ("DEVICE containers\n", "/dev/sdb1"),
        ("DEV /dev/sd[cd]1\nDEVICE\n  /dev/sdx\n", "/dev/sdb1"),
        ("DEVICE /dev/disk/by-id/*\n", "/dev/sdb1"),
        ("DEVICE /dev/*\n", ""),
        ("DEVICE /dev/sdb1\nDEVICE /dev/sd[c]1 # both\n", ""),
        ("DEVICE /dev/sdx\nDEVICE Partitions\n", ""),
        ("#DEVICE /dev/sdx\n", ""),
        ("", ""),
    ],
)
def test_a_device_line_without_a_member_is_told(text: str, missed: str) -> None:
    """``mdadm --incremental`` and ``--assemble --scan`` look at no disk that DEVICE lines leave out."""
    if not missed:
        assert with_array(text, TANK).endswith(f"{TANK.line}\n")
        return
    with pytest.raises(InputError, match=f"wouldn't find {missed} "):
        with_array(text, TANK)


def test_a_device_line_may_name_a_members_link() -> None:
    linked = replace(TANK, links=(("/dev/disk/by-id/ata-A-part1",), ("/dev/disk/by-id/ata-B-part1",)))
    assert with_array("DEVICE /dev/disk/by-id/ata-*\n", linked)


def test_a_line_of_another_host_is_anothers() -> None:
    text = "ARRAY /dev/md5 name=old:tank\n"
    assert with_array(text, TANK) == f"{text}{TANK.line}\n"


def test_a_further_file_is_changed_in_place_or_named() -> None:
    line = f"ARRAY /dev/md0 UUID={UUID} spares=1\n"
    assert with_array_in({MAIN: "MAILADDR root\n", FURTHER: line}, TANK) == {
        MAIN: "MAILADDR root\n",
        FURTHER: f"ARRAY /dev/md/tank UUID={UUID} spares=1\n",
    }
    with pytest.raises(InputError, match=f"2 lines .* in {MAIN} and {FURTHER}"):
        with_array_in({MAIN: f"ARRAY /dev/md1 UUID={UUID}\n", FURTHER: line}, TANK)
    with pytest.raises(InputError, match=f"{FURTHER} has mdadm ignore"):
        with_array_in({MAIN: "", FURTHER: f"ARRAY <ignore> UUID={UUID}\n"}, TANK)


def test_a_line_by_name_goes_with_the_array() -> None:
    text = "ARRAY /dev/md5 name=nas:tank\nARRAY /dev/md6 name=nas:tank2\nARRAY /dev/md7 name=old:tank\n"
    assert without_arrays(text, [TANK]) == text.partition("\n")[2]
    assert without_arrays("ARRAY /dev/md9 super-minor=0\n", [OLD]) == ""


def test_words_of_the_shape_are_taken_out_of_the_arrays_own_lines_alone() -> None:
    other = "ARRAY /dev/md/pool level=raid1 num-devices=2 UUID=9:9:9:9\n"
    text = (
        f"{other}ARRAY /dev/md/tank level=raid1 metadata=1.2\n"
        f"   num-devices=2 spares=1 UUID={UUID}  # mine: level=raid1\n"
    )
    assert shape_words(text, TANK) == ("level=raid1", "num-devices=2", "spares=1")
    assert without_shape_words(text, TANK, ("level=raid1", "num-devices=2")) == (
        f"{other}ARRAY /dev/md/tank metadata=1.2 spares=1 UUID={UUID}  # mine: level=raid1\n"
    )
    assert without_shape_words(text, TANK, ()) == text
    assert shape_words(other, TANK) == ()


@given(st.lists(LINES, max_size=3))
def test_without_words_of_its_shape_the_changed_array_is_matched_where_it_was(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    left = without_shape_words(text, TANK, shape_words(text, TANK))
    grown = replace(TANK, level="raid6", slots=4)
    assert len(matched([left], grown)) >= len(matched([text], TANK))
