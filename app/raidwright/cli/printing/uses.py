"""A disk's uses as phrases."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.core.model.disk import Use, UseKind
from raidwright.text.catalogue import tr
from raidwright.text.disk.facts import foreign_words, live_words
from raidwright.text.disk.memberships import member_words

_MEMBERS = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)
_SENTENCES = {
    UseKind.SYSTEM: say("the running system is on it ({what})"),
    UseKind.MOUNTED: say("mounted at {what}"),
    UseKind.SWAP: say("swap space in use ({what})"),
    UseKind.HELD: say("held open by {what}"),
    UseKind.LOOP: say("in use by the loop device {what}"),
    UseKind.LOG: say("the log, or another part, of the file system mounted at {what}"),
    UseKind.EXPORT: say("exported to other machines by {what}"),
    UseKind.PROCESS: say("open for writing by {what} (process {pid})"),
    UseKind.READER: say("open for reading by {what} (process {pid})"),
    UseKind.ARRAY_MEMBER: say("member of the running array {what}"),
    UseKind.LVM: say("LVM physical volume {what}"),
    UseKind.ENCRYPTED: say("encrypted ({what})"),
    UseKind.FILESYSTEM: say("holds a file system: {what}"),
    UseKind.PARTITION_TABLE: say("has a partition table ({what})"),
    UseKind.SIGNATURE: say("holds {what}"),
    UseKind.READ_ONLY: say("read-only"),
    UseKind.NAMELESS: say("has no serial number or WWN that is its alone"),
}


def describe_use(use: Use) -> str:
    """Return a use as a phrase, the partition first."""
    said = member_words(use) if use.kind in _MEMBERS else live_words(use, _SENTENCES[use.kind])
    phrase = foreign_words(use) or said.replace(" ()", "").rstrip()
    return tr("partition {number}: {use}", number=use.partition, use=phrase) if use.partition else phrase
