"""``raidwright install-helper DESTDIR``: install the root helper into the system, or below another folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidwright import debian, helper_package
from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("install-helper", help=tr("install the root helper"))
    parser.add_argument("destination", metavar="DESTDIR", type=Path, help=tr("/, or the folder that stands for it"))


def run(options: argparse.Namespace) -> int:
    destination = options.destination.absolute()
    helper_package.install(destination)
    if destination == Path("/"):
        done = say("The helper is installed. The bus finds it after: systemctl daemon-reload")
        print(translated(debian.why("helper", done)))
    return 0
