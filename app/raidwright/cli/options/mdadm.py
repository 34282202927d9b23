"""Whose mdadm is meant: where a command leaves something unsaid, versions choose differently."""

from __future__ import annotations

import argparse

from raidwright.core.md.mdadm_versions import MDADM_4_2, MDADM_4_4, MdadmVersion
from raidwright.text.catalogue import tr

_VERSIONS = {str(version): version for version in (MDADM_4_2, MDADM_4_4)}


def add_mdadm_option(parser: argparse.ArgumentParser) -> None:
    """``--mdadm``."""
    parser.add_argument("--mdadm", choices=_VERSIONS, default=str(MDADM_4_4), help=tr("the version that will make it"))


def chosen_mdadm(options: argparse.Namespace) -> MdadmVersion:
    """The version that ``--mdadm`` names."""
    return _VERSIONS[options.mdadm]
