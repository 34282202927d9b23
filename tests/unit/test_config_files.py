"""mdadm.conf and fstab: additions, unchanged lines, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.system.array_lines import ArrayEntry, with_array, without_arrays
from raidwright.core.system.config_files import (
    MountEntry,
    checked_array_name,
    checked_homehost,
    checked_mail,
    checked_metadata,
    difference,
    is_uuid,
    mount_place,
    with_keyword,
    with_mount,
    with_program,
    without_mounts,
)
from raidwright.core.system.filesystem import FileSystemKind

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
TANK = ArrayEntry("tank", "1.2", UUID)
DATA = MountEntry("0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d0a1b", "/srv/tank", FileSystemKind.XFS)
DEBIAN = """# mdadm.conf
#DEVICE partitions containers
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md/old metadata=1.2 UUID=11111111:11111111:11111111:11111111 name=host:old
   spares=1
"""
LINES = st.sampled_from(
    [*DEBIAN.splitlines(), "", "  name=x", "array /dev/md/x uuid=2222", "ARR <ignore> UUID=3", "MAIL x", "\tgo=on", "é"]
)


def test_a_line_is_added_and_every_other_stays() -> None:
    assert with_array(DEBIAN, TANK) == f"{DEBIAN}ARRAY /dev/md/tank metadata=1.2 UUID={UUID}\n"
    assert with_array("", TANK) == f"{TANK.line}\n"
    assert with_array("HOMEHOST <system>", TANK) == f"HOMEHOST <system>\n{TANK.line}\n"


def test_a_line_that_says_it_all_stays_with_what_else_it_says() -> None:
    text = f'arr "/dev/md/tank" name=h:tank\n  UUID={UUID.upper().replace(":", "-")} spare-group=a # mine\n'
    assert with_array(text, TANK) == text


def test_an_older_name_goes_with_the_line_that_has_it() -> None:
    """mdadm needs each identity of a line to match."""
    text = f"ARRAY /dev/md127 UUID={UUID}\n  name=h:0\nMAILADDR root\n"
    assert with_array(text, TANK) == f"ARRAY /dev/md/tank UUID={UUID}\nMAILADDR root\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # a continuation skips comments and empty lines
            f"MAILADDR root\nARRAY /dev/md/tank\n# the shelf\n\n   UUID={UUID} spare-group=shelf\n",
            f"MAILADDR root\nARRAY /dev/md/tank\n# the shelf\n\n   UUID={UUID} spare-group=shelf\n",
        ),
        (
            "DEVICE partitions\n# from the installer\nARRAY /dev/md/tank metadata=1.2 name=nas:tank\n",
            f"DEVICE partitions\n# from the installer\nARRAY /dev/md/tank metadata=1.2 UUID={UUID}\n",
        ),
        (
            f"ARRAY /dev/md0 UUID={UUID} spare-group=shelf spares=1 # main\nARRAY /dev/md1 UUID=f:f:f:f spares=1\n",
            f"ARRAY /dev/md/tank UUID={UUID} spare-group=shelf spares=1 # main\nARRAY /dev/md1 UUID=f:f:f:f spares=1\n",
        ),
        (f"ARRAY UUID={UUID} # mine\n", f"ARRAY /dev/md/tank UUID={UUID} # mine\n"),
        (f"ARRAY /dev/md/tank bitmap=/a#b UUID={UUID}\n", f"ARRAY /dev/md/tank bitmap=/a#b UUID={UUID}\n"),
        ("ARRAY /dev/md/tank name=NAS:TANK\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        ("ARRAY <none> name=tank\n", f"ARRAY /dev/md/tank UUID={UUID}\n"),
        ("array tank spares=1\n", f"array /dev/md/tank UUID={UUID} spares=1\n"),
        ("ARR /dev/md7 'name=any:tank'\n", f"ARR /dev/md/tank UUID={UUID}\n"),
    ],
)
def test_the_line_that_means_the_array_is_changed_in_place(text: str, expected: str) -> None:
    assert with_array(text, TANK) == expected
    assert with_array(expected, TANK) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ARRAY /dev/md0 devices=/dev/sdb1,/dev/sdc1\n", "says no UUID"),
        (f"ARRAY <ignore> UUID={UUID}\n", "ignore the array"),
        (f"ARRAY /dev/md/tank\nARRAY /dev/md5 UUID={UUID}\n", "2 lines"),
        ("ARRAY /dev/md/tank name=nas:other\n", "another array"),
        ("ARRAY /dev/md1 name=nas2:tank\n", "says no UUID"),  # of another host, or of this one before it was renamed
    ],
)
def test_a_line_that_can_not_be_changed_is_refused(text: str, why: str) -> None:
    """With a second line mdadm starts neither: they are ambiguous (config.c, conf_match)."""
    with pytest.raises(InputError, match=why):
        with_array(text, TANK)


def test_a_line_is_removed_without_the_comments_in_it() -> None:
    text = f"ARRAY /dev/md/tank\n# the shelf\n  UUID={UUID}\nMAILADDR root\n"
    assert without_arrays(text, [TANK]) == "# the shelf\nMAILADDR root\n"


def test_a_file_system_is_one_by_all_its_names() -> None:
    entry = MountEntry("11111111-2222-3333-4444-555555555555", "/srv/my tank", FileSystemKind.EXT4)
    same = "/dev/md/tank\t/srv/my\\040tank\text4\tdefaults,nofail\t0\t2\n"
    assert with_mount(same, entry, lambda source: source == "/dev/md/tank") == same
    with pytest.raises(InputError, match="fstab already mounts"):
        with_mount("LABEL=tank /mnt/old ext4 defaults 0 2\n", entry, lambda source: source == "LABEL=tank")


@pytest.mark.parametrize("word", ["/srv//tank", "/srv/tank/", "/srv/./tank", "//srv/tank//", '"/srv/tank"'])
def test_a_place_is_one_in_all_spellings(word: str) -> None:
    line = f"/dev/sda1 {word} ext4 defaults 0 0\n"
    assert mount_place(word) == "/srv/tank"
    with pytest.raises(InputError, match="already mounts"):
        with_mount(line, DATA)
    assert with_mount(line, DATA, lambda source: source == "/dev/sda1") == line
    assert [mount_place(other) for other in ("/", "//", "/srv/.tank", "none", "/srv/my\\040tank/")] == [
        "/", "/", "/srv/.tank", "none", "/srv/my tank",
    ]  # fmt: skip


def test_subvolumes_of_one_file_system_are_mounted_at_several_places() -> None:
    home = f"UUID={DATA.uuid} /home btrfs noatime,subvol=@home 0 0\n"
    data = MountEntry(DATA.uuid, DATA.place, FileSystemKind.BTRFS)
    assert with_mount(home, data) == f"{home}{data.line}\n"
    tank = f"UUID={DATA.uuid} /srv/tank btrfs subvolid=257 0 0\n"
    assert with_mount(home + tank, data) == home + tank
    with pytest.raises(InputError, match="already mounts"):
        with_mount("/dev/sda1 /srv/tank btrfs subvol=@tank 0 0\n", data)


def test_a_monitors_program_in_a_further_file_stays() -> None:
    assert with_program("", "/x", ["PROGRAM /mine\n"]) == ""
    assert with_program("", "/x", ["MAILADDR root\n"]) == "PROGRAM /x\n"


def test_a_place_that_another_array_has_is_refused() -> None:
    for place in ("/dev/md/tank", "tank"):
        with pytest.raises(InputError, match="another array"):
            with_array(f"ARRAY {place} UUID=11111111:11111111:11111111:11111111\n", TANK)


def test_comments_are_no_lines() -> None:
    text = f"# ARRAY /dev/md/tank UUID={UUID}\n#MAILADDR x\n"
    assert with_array(text, TANK) == f"{text}{TANK.line}\n"
    assert with_keyword(text, "MAILADDR", "root") == f"{text}MAILADDR root\n"


def test_a_keyword_is_set_once() -> None:
    assert with_keyword(DEBIAN, "MAILADDR", "root") == DEBIAN
    changed = with_keyword(DEBIAN, "MAILADDR", "me@example.org")
    assert changed == DEBIAN.replace("MAILADDR root", "MAILADDR me@example.org")
    assert with_keyword("mail a b\n", "MAILADDR", "a") == "mail a \n"
    assert with_keyword("MAILFROM x\n", "MAILADDR", "a") == "MAILFROM x\nMAILADDR a\n"


@given(st.lists(LINES).map("\n".join), st.sampled_from(["root", "a@b.c"]))
def test_twice_is_once_and_nothing_else_is_lost(text: str, mail: str) -> None:
    def change(before: str) -> str:
        return with_keyword(with_array(before, TANK), "MAILADDR", mail)

    once = change(text)
    assert change(once) == once
    lost = set(text.splitlines()) - set(once.splitlines())
    assert all(line.upper().startswith("MAIL") or line[:1] in " \t" for line in lost)


def test_fstab_gets_a_line_that_lets_a_boot_go_on() -> None:
    text = "# fstab\nUUID=1 / ext4 defaults 0 1"
    changed = with_mount(text, DATA)
    assert changed == f"{text}\nUUID={DATA.uuid} /srv/tank xfs nofail,x-systemd.device-timeout=5min,nodev,nosuid 0 0\n"
    assert with_mount(changed, DATA) == changed


def test_ones_own_options_in_fstab_stay() -> None:
    text = f'UUID="{DATA.uuid.upper()}"\t/srv/tank/  xfs  noatime 0 0\n'
    assert with_mount(text, DATA) == text


@pytest.mark.parametrize("line", ["/dev/sda1 /srv/tank ext4 defaults", f"UUID={DATA.uuid} /home xfs defaults 0 0"])
def test_what_fstab_says_otherwise_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="already mounts"):
        with_mount(f"{line}\n", DATA)


def test_the_difference_is_one_to_read() -> None:
    diff = difference("/etc/fstab", "a\nb\n", "a\nb\nc\n")
    assert list(diff) == ["--- /etc/fstab", "+++ /etc/fstab", "@@ -1,2 +1,3 @@", " a", " b", "+c"]
    assert not difference("/etc/fstab", "a\n", "a\n")


@pytest.mark.parametrize(
    "mail", ["", "a b", "a\nPROGRAM /bin/x", "-a", "a@", "@b", "a@-b", "a@b c", "ä", "a" * 65, "a@b#"]
)
def test_addresses_that_are_none(mail: str) -> None:
    with pytest.raises(InputError):
        checked_mail(mail)


@pytest.mark.parametrize("host", ["", "a b", "<any>", "-a", "a\nPROGRAM x", "a" * 65, "host.example"])
def test_home_hosts_that_are_none(host: str) -> None:
    with pytest.raises(InputError):
        checked_homehost(host)


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "../x", "a/b", "a" * 33])
def test_array_names_that_can_not_stand_in_a_file(name: str) -> None:
    with pytest.raises(InputError):
        checked_array_name(name)


def test_what_is_taken() -> None:
    assert [checked_mail(one) for one in ("root", "a.b+c@example.org", "x_y@host")]
    assert [checked_homehost(one) for one in ("<system>", "<ignore>", "nas-2")]
    assert checked_array_name("tank_2-b") == "tank_2-b"


def test_what_was_written_of_an_array_can_be_taken_out_again() -> None:
    old = ArrayEntry("old", "1.2", "11111111:11111111:11111111:11111111", "host:old")
    assert without_arrays(with_array(DEBIAN, TANK), [TANK]) == DEBIAN
    assert without_arrays(DEBIAN, [old]) == DEBIAN.partition("ARRAY")[0]
    assert without_arrays(DEBIAN, []) == without_arrays(DEBIAN, [TANK]) == DEBIAN
    fstab = "# fstab\nUUID=1 / ext4 defaults 0 1\n"
    assert without_mounts(with_mount(fstab, DATA), is_data) == fstab
    changed = f'UUID="{DATA.uuid.upper()}"\t/elsewhere xfs noatime\n'
    assert without_mounts(fstab + changed, is_data) == fstab
    assert without_mounts(f"# UUID={DATA.uuid} /srv\n", is_data) == f"# UUID={DATA.uuid} /srv\n"
    by_path = "/dev/md/tank /srv/tank xfs defaults 0 0\n"
    assert without_mounts(fstab + by_path, lambda source: source == "/dev/md/tank") == fstab


def is_data(source: str) -> bool:
    return is_uuid(source, DATA.uuid)


def test_only_mds_own_metadata_is_written() -> None:
    assert [checked_metadata(version) for version in ("0.90", "1.0", "1.1", "1.2")] == ["0.90", "1.0", "1.1", "1.2"]
    for other in ("", "ddf", "imsm", "1.2 #x", "1.2\rUUID=x"):
        with pytest.raises(InputError, match="metadata"):
            checked_metadata(other)
