"""The project's documents by name, and the links between them."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from raidwright.core.messages import Message, say
from raidwright.resources import document
from raidwright.text.catalogue import language
from raidwright.ui.station import Station

GUIDE = "docs/guide/index.md"
GLOSSARY = "docs/glossary.md"
LICENCES = "docs/licences.md"
OF_STATION = {station: f"docs/guide/{station}.md" for station in Station}
DOCUMENTS: dict[str, Message] = {
    GUIDE: say("User guide"),
    **{
        page: say("{number} · {title}", number=number, title=station.kind.title)
        for number, (station, page) in enumerate(OF_STATION.items(), 1)
    },
    "docs/guide/care.md": say("Looking after an array"),
    "docs/guide/studies.md": say("Ask what they asked"),
    "docs/guide/change.md": say("Changing an array"),
    GLOSSARY: say("Glossary"),
    "docs/command-line.md": say("The command line"),
    "docs/figures.md": say("How the figures are made"),
    "docs/kernels.md": say("Kernels and mdadm"),
    "SECURITY.md": say("Security"),
    "docs/security-proofs.md": say("How security is proved"),
    "docs/architecture.md": say("Architecture"),
    "CONTRIBUTING.md": say("Working on Raidwright"),
    "docs/testing.md": say("Tests and proofs"),
    "docs/translating.md": say("Words and languages"),
    "docs/releasing.md": say("Releasing"),
    "CHANGELOG.md": say("Changes"),
    "README.md": say("Read me"),
    "docs/installing.md": say("Installing"),
    LICENCES: say("Licences"),
}
_ELSEWHERE = re.compile("[a-z]+:")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


class Link(NamedTuple):
    """The target of a link: an ``anchor`` ("" for the top) of a document, or an external address."""

    document: str = ""
    anchor: str = ""
    address: str = ""


def in_language(name: str) -> str:
    """Return the document ``name`` in the present language, or ``name`` if it isn't translated."""
    own = name.replace("docs/", f"docs/{language()}/", 1)
    return own if name.startswith("docs/") and document(own).is_file() else name


def source_of(name: str) -> str:
    """Return the English source of the translated document ``name``."""
    return name.replace(f"docs/{language()}/", "docs/", 1)


def link_from(page: str, href: str) -> Link:
    """Return the target of ``href`` in the document ``page``."""
    if _ELSEWHERE.match(href):
        return Link(address=href)
    path, _, anchor = href.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    return Link(target, anchor)


def anchor_of(heading: str) -> str:
    """Return a heading's anchor, as on GitHub: ``Where the defence ends`` is ``where-the-defence-ends``."""
    return _NOT_IN_ANCHORS.sub("", heading.lower()).replace(" ", "-")
