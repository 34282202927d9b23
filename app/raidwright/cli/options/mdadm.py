"""The mdadm version assumed: versions have different defaults."""

from __future__ import annotations

import argparse

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.mdadm_versions import KNOWN, MDADM_4_4, MdadmVersion
from raidwright.core.md.needs import refuse_needs
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import tr

_VERSIONS = {str(version): version for version in KNOWN}


def add_mdadm_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--mdadm``."""
    parser.add_argument("--mdadm", choices=_VERSIONS, help=tr("the version that will make it"))


def chosen_mdadm(options: argparse.Namespace) -> MdadmVersion:
    """Return the version of ``--mdadm``, or Debian 13's."""
    return _VERSIONS.get(options.mdadm, MDADM_4_4)


def refuse_for_mdadm(options: argparse.Namespace, plan: Plan) -> None:
    """Raise PlanRefused if the version of ``--mdadm`` can't create ``plan``; nothing is checked without it."""
    if options.mdadm:
        refuse_needs(plan.top, chosen_mdadm(options))
        capacity_of(plan.top, chosen_mdadm(options))
