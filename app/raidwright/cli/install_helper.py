"""``raidwright install-helper DESTDIR``: put the root helper where root's things belong, or below another folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidwright import helper_package
from raidwright.text.catalogue import tr


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("install-helper", help=tr("install the root helper"))
    parser.add_argument("destination", metavar="DESTDIR", type=Path, help=tr("/, or the folder that stands for it"))


def run(options: argparse.Namespace) -> int:
    helper_package.install(options.destination.absolute())
    return 0
