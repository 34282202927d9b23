"""Messages, and the catalogue's translations of them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
from babel.messages.catalog import Message as Entry
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.messages import Message, packed, say, say_count, sentences, unpacked
from raidwright.core.protocol.errors import failure_of, read_failure
from raidwright.text import catalogue
from raidwright.text.catalogue import (
    decimal_size,
    ended,
    joined,
    ntr,
    number,
    tr,
    translated,
    with_commas,
    with_semicolons,
)

from tests.kit import pseudo

_HOSTILE = "“{who}” %s {0.__class__} {size_bytes:size} \\u201c"


def test_a_message_is_its_english_text() -> None:
    message = say("{disk} has {size_bytes:size} ({size_bytes:binary}), {share:.0%} used by {names:and}",
                  disk="sda", size_bytes=8 * 10**12, share=0.345, names=["a", "b", "c"])  # fmt: skip
    assert message == "sda has 8.00 TB (7.28 TiB), 34% used by a, b and c"
    assert (say_count("{count} disk", "{count} disks", 1), say_count("{count} disk", "{count} disks", 0)) == (
        "1 disk",
        "0 disks",
    )
    for other in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):  # noqa: S301 -- our own bytes
        assert (other, other.template, other.fields) == (message, message.template, message.fields)
    assert json.loads(json.dumps(message)) == message


def test_what_stands_in_a_field_is_data() -> None:
    """Whatever braces a disk's model contains, at any depth."""
    message = say("{who} is here", who=_HOSTILE)
    assert message == f"{_HOSTILE} is here"
    assert say("{outer}.", outer=message) == f"{_HOSTILE} is here."
    assert InputError(Message(_HOSTILE)).sentence == _HOSTILE
    assert say("{0.__class__} {who.__class__}", who="x") == "{0.__class__} {who.__class__}"


def test_a_field_that_is_missing_hides_no_error() -> None:
    assert InputError("{disk} of {array}", disk="sda").sentence == "sda of {array}"


_FIELD = st.recursive(
    st.text() | st.integers(-(2**63), 2**63) | st.booleans() | st.floats(allow_nan=False),
    lambda inner: (
        st.builds(lambda template, value: Message("so", template, {"it": value}), st.text(), inner) | st.lists(inner)
    ),
    max_leaves=6,
)


@given(st.text(min_size=1), st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), _FIELD))
def test_a_message_comes_back_from_json_as_it_went(template: str, fields: dict[str, object]) -> None:
    message = Message("as it is in English", template, fields)
    told = json.loads(json.dumps(packed(message)))
    again = unpacked(told)
    assert (again, again.template) == (message, template)
    assert packed(again) == packed(message)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"sentence": "s", "template": 3, "fields": {}},
        {"sentence": "s", "template": "\\u12", "fields": {}},
        {"sentence": "s", "template": "“", "fields": {}},
        {"sentence": "s", "template": "t", "fields": [1]},
        {"sentence": "s", "template": "t", "fields": {}, "many": "m", "count": "2"},
    ],
)
def test_what_another_version_packed_is_shown_as_it_came(told: dict[str, object], tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path):
        assert translated(unpacked(told)) == str(told.get("sentence"))


def test_an_error_of_the_helper_is_said_in_the_window_s_language(tmp_path: Path) -> None:
    """Through all fields of Failed; an unknown template stays English."""
    sentence = say(
        "{who} {reason}, or choose another disk.",
        who=_HOSTILE,
        reason=say("is swap space ({name}); switch it off with swapoff", name="sda"),
    )
    known = read_failure(*failure_of(DiskRefused(sentence, code="disk-in-use", disk="ata-x")))
    newer = read_failure(*failure_of(DiskRefused("A {later} helper says so.", later="newer")))
    older = read_failure("failed", "The sentence alone.", {})
    assert (type(known), known.code, known.fields) == (DiskRefused, "disk-in-use", {"disk": "ata-x"})
    with pseudo.spoken(tmp_path):
        assert translated(known.sentence) == (
            f"⟦{_HOSTILE} ⟦is swap space (sda); switch it off with swapoff⟧, or choose another disk.⟧"
        )
        assert translated(newer.sentence) == "A newer helper says so."
        assert translated(older.sentence) == "The sentence alone."
    assert translated(known.sentence) == known.sentence


def _polish(entry: Entry) -> str | tuple[str, ...]:
    """Translate with three forms: of one, of few, and of many; the grouping sign is a space."""
    if entry.context:
        return {".": ",", ",": "\N{NO-BREAK SPACE}"}.get(str(entry.id), str(entry.id))
    if entry.id == ("{count} disk", "{count} disks") or not isinstance(entry.id, str):
        one, many = entry.id
        return (f"one: {one}", f"few: {many}", f"many: {many}")
    return str(entry.id).replace("TB", "TB!")


def test_a_language_has_as_many_plural_forms_as_it_wants(tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path, "pl", _polish):
        said = [ntr("1 hour", "{count} hours", count) for count in (1, 2, 5, 22, 25)]
        assert said == ["one: 1 hour", "few: 2 hours", "many: 5 hours", "few: 22 hours", "many: 25 hours"]
        assert translated(say_count("1 day", "{count} days", 3)) == "few: 3 days"
        assert translated(sentences([say_count("1 day", "{count} days", 3), "sda"])) == "few: 3 days sda"
        assert ntr("not in it", "not in it either", 3) == "not in it either"


def test_numbers_and_units_are_the_language_s(tmp_path: Path) -> None:
    with pseudo.spoken(tmp_path, "pl", _polish):
        assert decimal_size(8 * 10**12) == "8,00 TB!"
        assert number(12345.6, ",.1f") == "12\N{NO-BREAK SPACE}345,6"
        assert tr("{size_bytes:size}", size_bytes=1_500_000_000) == "1,50 GB"
    assert (decimal_size(8 * 10**12), number(12345.6, ",.1f")) == ("8.00 TB", "12,345.6")


def test_sentences_follow_one_another_as_the_language_has_it() -> None:
    assert joined("One.", "", "Two.") == "One. Two."
    assert ended("no disk is left") == ended("no disk is left.") == "No disk is left."
    catalogue.choose(["ja"])
    try:
        assert joined("一つ。", "", "二つ。") == translated(sentences(["一つ。", "二つ。"])) == "一つ。二つ。"
        assert ended("ディスクがありません") == ended("ディスクがありません。") == "ディスクがありません。"
    finally:
        catalogue.choose(["en"])
    assert joined() == ""


def test_a_list_has_the_signs_of_the_language() -> None:
    assert (with_commas("sda", "", "sdb"), with_semicolons("a, b", "c")) == ("sda, sdb", "a, b; c")
    assert tr("{disks:or}", disks=["sda", "sdb", "sdc"]) == "sda, sdb or sdc"
    catalogue.choose(["ja"])
    try:
        assert with_commas("一つ", "", "二つ") == with_semicolons("一つ", "二つ") == "一つ、二つ"
        assert tr("{disks:or}", disks=["sda", "sdb", "sdc"]) == "sda、sdb または sdc"
        assert tr("{disks}", disks=["sda", "sdb"]) == "sda、sdb"
    finally:
        catalogue.choose(["en"])
    assert (with_commas(), tr("{disks}", disks=[])) == ("", "")


@pytest.mark.parametrize(
    ("settings", "is_foreign"),
    [
        ({"LANG": "vo_XX.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANGUAGE": "vo:en", "LANG": "C"}, True),
        ({"LANGUAGE": "en:vo"}, False),  # English is the source, and no file of it needs to be there
        ({"LC_ALL": "C", "LANG": "vo"}, False),
        ({"LANG": "tlh"}, False),
        ({}, False),
    ],
)
def test_the_environment_chooses(
    settings: dict[str, str], is_foreign: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The C library reads these, too, and translates its own errors: Volapük, since it doesn't have it.
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pseudo.spoken(tmp_path, "vo"):
        catalogue.choose(folder=tmp_path)
        assert tr("Undo") == ("⟦Undo⟧" if is_foreign else "Undo")


def test_every_unit_can_be_translated() -> None:
    from raidwright.core import sizes  # noqa: PLC0415

    assert set(catalogue.UNITS) == {*sizes._DECIMAL, *sizes._BINARY}
