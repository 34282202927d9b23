"""A disk's uses as phrases."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.core.model.disk import Use, UseKind
from raidwright.text.catalogue import tr
from raidwright.text.disks import foreign_words
from raidwright.text.memberships import member_words

_MEMBERS = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)
_SENTENCES = {
    UseKind.SYSTEM: say("the running system is on it ({what})"),
    UseKind.MOUNTED: say("mounted at {what}"),
    UseKind.SWAP: say("swap space in use ({what})"),
    UseKind.HELD: say("held open by {what}"),
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
    said = member_words(use) if use.kind in _MEMBERS else tr(_SENTENCES[use.kind], what=use.detail)
    phrase = foreign_words(use) or said.replace(" ()", "").rstrip()
    return tr("partition {number}: {use}", number=use.partition, use=phrase) if use.partition else phrase
