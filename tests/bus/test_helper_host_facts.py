"""The machine's own facts: name, kernel, mdadm, and mdadm.conf's home host."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from raidwright.core.errors import JobFailed
from raidwright.core.md.mdadm_versions import MDADM_4_2
from raidwright.core.protocol.facts import HostFacts
from raidwright_helper.host import md
from raidwright_helper.host.host import Host
from raidwright_helper.host.host_facts import examine_host

from .helper_house import put_text


def test_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def version() -> object:
        return MDADM_4_2

    monkeypatch.setattr(md, "mdadm_version", version)
    put_text(tmp_path / "proc/sys/kernel/hostname", "nas\n")
    put_text(tmp_path / "proc/sys/kernel/osrelease", "6.1.0-28-amd64\n")
    put_text(tmp_path / "etc/mdadm/mdadm.conf", "MAILADDR root\nHOMEHOST <system>\nHOMEHOST house\x1b[2J\n")
    facts = asyncio.run(examine_host(Host(tmp_path)))
    assert (facts.hostname, facts.kernel, facts.mdadm) == ("nas", "6.1.0-28-amd64", "4.2")
    assert [name for name in facts.homehosts if "\x1b" in name] == []
    assert len(facts.homehosts) == 1


def test_what_can_not_be_read_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def version() -> object:
        raise JobFailed("Raidwright needs mdadm.", code="mdadm-old")

    monkeypatch.setattr(md, "mdadm_version", version)
    assert asyncio.run(examine_host(Host(tmp_path))) == HostFacts(efi=False)
