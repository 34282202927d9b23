"""The glossary: every term's meaning, for the plan's choices the experts' recommendation, and its source.

A meaning is one or two sentences that need no other term of this page. ``markdown`` returns the whole as a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated


class Term(NamedTuple):
    """A term. ``experts``: their recommendation, "" without a choice; ``source`` is the same in every language."""

    name: str
    meaning: str
    experts: str = ""
    source: str = ""


CHOICES: Mapping[str, Term] = {
    "level": Term(
        say("Level"),
        say(
            "How the disks share the work: striping (raid0) adds up space and speed, copies (raid1, raid10) and parity "
            "(raid5, raid6) keep the data when disks fail. Copies take half of the space or more; parity takes one "
            "disk or two, and makes small writes slow, since each of them first reads what was there."
        ),
        say(
            "raid1 for two disks; raid10 where many small writes matter; raid6 for many large disks, since a rebuild "
            "takes hours to days and a second disk may fail meanwhile. raid5 on large disks only beside a good backup."
        ),
        "md(4), mdadm(8) --level",
    ),
    "nested": Term(
        say("Nested"),
        say(
            "A stripe (raid0) over arrays that each have copies or parity of their own. Each of them may lose a disk, "
            "and a rebuild reads its own group alone."
        ),
        say(
            "Rarely below 12 disks: raid60 where one raid6 would be too wide to rebuild in time. For mirrors, raid10 "
            "does the same in one array that can be grown."
        ),
        "md(4), mdadm(8) --create",
    ),
    "bands": Term(
        say("Bands"),
        say(
            "Disks of unlike sizes are cut into slices at the heights of the smaller ones; the slices at one height, a "
            "band, are an array, and the arrays are joined to one volume. A disk that fails is lost to every band that "
            "it is in, and what is left at the top of too few disks stays free, since it can't be protected."
        ),
        say(
            "Where the disks are unlike and space counts, since one array on whole disks uses of each only as much as "
            "the smallest has. There is more to know when something breaks, LVM's metadata as well as md's: print the "
            "recovery card."
        ),
        "md(4), lvm(8), sfdisk(8)",
    ),
    "copies": Term(
        say("Copies"),
        say(
            "On how many disks each chunk is kept. With two copies any one disk may fail, with three any two; the "
            "space is divided by the number."
        ),
        say("Two, with a backup. Three where the array must go on when another disk fails during a rebuild."),
        "md(4) RAID10",
    ),
    "arrangement": Term(
        say("Layout of copies"),
        say(
            "Where the copies of a chunk lie. Near puts them side by side; offset puts them one row below, on the next "
            "disk; far puts them in another part of the disks, so that one file is read as fast as from raid0 but each "
            "write moves the heads of a spinning disk far."
        ),
        say(
            "Near: with an even number of disks it survives most pairs of failures, and it can be grown later. Far "
            "where large files are mostly read from spinning disks; it can never be reshaped."
        ),
        "md(4) RAID10, mdadm(8) --layout, kernel raid10.c",
    ),
    "layout": Term(
        say("Layout of parity"),
        say(
            "Which disk holds the parity of which stripe. Going around, it lets every disk share in the reading and "
            "the writing; parity-first and parity-last keep it on one disk."
        ),
        say(
            "left-symmetric, md's own choice: it goes around so that one long read keeps every disk busy. "
            "The layouts that end in -6 are steps between raid5 and raid6."
        ),
        "md(4) RAID4/5/6, mdadm(8) --layout",
    ),
    "chunk": Term(
        say("Chunk"),
        say(
            "How much lies on one disk before the next takes over. An access smaller than a chunk mostly keeps one "
            "disk busy, a larger one several."
        ),
        say(
            "512 KiB, mdadm's own choice, for most. 64 or 128 KiB on parity levels with many writes of middle size: "
            "smaller stripes are filled sooner, and a write that fills its stripe need not read first."
        ),
        "mdadm(8) --chunk, kernel raid5.c",
    ),
    "bitmap": Term(
        say("Bitmap"),
        say(
            "Remembers which regions are being written. After a crash, or when a disk was away for a moment, only "
            "those are made equal again: seconds to minutes instead of hours to days."
        ),
        say(
            "Internal, for every array with copies or parity of large disks: it takes no space from the array, and "
            "costs a small write when a region is newly touched. PPL, on raid5 alone, closes the write hole instead "
            "and makes writes somewhat slower."
        ),
        "md(4) BITMAP WRITE-INTENT LOGGING, mdadm(8) --bitmap, --consistency-policy",
    ),
    "journal": Term(
        say("Write journal"),
        say(
            "A disk beside the members of a raid4, raid5 or raid6 that every write reaches first. After a crash md "
            "repeats from it what was cut off, so parity and data agree even if a disk is missing: the write hole is "
            "closed."
        ),
        say(
            "Most have none: a UPS and a backup meet the same risk. Where it must be closed, a mirror of two SSDs with "
            "protection against power loss, since each write waits for it. On raid5, PPL needs no further disk and "
            "takes up to 40% of small writes. A bitmap shortens the resync, and closes nothing. If the journal "
            "fails, the array can only be read, and an array with a journal can't be reshaped."
        ),
        "md(4) RAID WRITE JOURNAL, kernel Documentation/driver-api/md/raid5-cache.rst",
    ),
    "spares": Term(
        say("Spares"),
        say(
            "Disks that stand by, empty. When a member fails, md rebuilds onto a spare at once, and nobody has to come."
        ),
        say(
            "One, where nobody is near for days. With raid5 and a spare, think of raid6 on the same disks: as much "
            "space, and a second failure is survived at once instead of after a rebuild."
        ),
        "mdadm(8) --spare-devices",
    ),
    "missing": Term(
        say("Missing"),
        say(
            "Slots that are left empty. The array starts degraded; a disk that is added later is filled by a rebuild, "
            "and until then it survives one failure less."
        ),
        say(
            "None, but for moving in: when the last disk still holds the data that will be copied onto the array. "
            "Keep a backup until the rebuild is done."
        ),
        "mdadm(8) --create",
    ),
    "metadata": Term(
        say("Metadata"),
        say(
            "The format of md's superblock, which tells what belongs to which array, and where it lies: 1.2 at 4 KiB "
            "from the beginning of each member, 1.1 at the very beginning, 1.0 and 0.90 at the end."
        ),
        say(
            "1.2, mdadm's own choice: nobody takes such a member for a plain disk. 1.0 for a small raid1 that firmware "
            "or a boot loader reads as if it were a plain disk. 0.90 only for systems too old for anything else."
        ),
        "mdadm(8) --metadata, md(4)",
    ),
    "read-ahead": Term(
        say("Read-ahead"),
        say(
            "How far the kernel reads on by itself while a program reads one file from its beginning to its end. md "
            "sets it to two whole stripes, at least 128 KiB, so that one reader keeps every disk busy."
        ),
        say(
            "md's own. Try more where one large file is read slower than predicted: on four disks of 2007, raid5 went "
            "from 88 to 211 MB/s with a far larger one. It doesn't outlast a restart by itself; a udev rule keeps it."
        ),
        "kernel Documentation/ABI/stable/sysfs-block (read_ahead_kb), md.c; Piszcz 2007",
    ),
    "assume-clean": Term(
        say("First sync"),
        say(
            "When an array is created, md makes the copies equal or computes the parity once; the array can be used "
            "meanwhile. --assume-clean skips that and says that it was done."
        ),
        say(
            "Run it, always. Parity that was never computed rebuilds garbage when a disk fails, also of what was "
            "written since: a small write leaves wrong parity wrong. Where it was skipped, have md repair the array "
            "once. Skip it only for a measurement whose array is thrown away, or to bring back an array that was whole."
        ),
        "mdadm(8) --assume-clean",
    ),
}

OTHERS: Mapping[str, Term] = {
    "array": Term(say("Array"), say("Several disks that the system shows as one block device, such as /dev/md127.")),
    "member": Term(say("Member"), say("A disk or partition that belongs to an array.")),
    "slot": Term(say("Slot"), say("A member's place in its array, counted from 0. Another disk can take it over.")),
    "stripe": Term(
        say("Stripe"), say("The chunks that lie side by side, one on each member, with the parity over them.")
    ),
    "parity": Term(
        say("Parity"),
        say(
            "What is computed over the data of a stripe so that missing parts can be computed back: P stands in for "
            "any one of them, P and Q together for any two."
        ),
        source="md(4)",
    ),
    "mirror": Term(say("Mirror"), say("Members that all hold the same: raid1, or the copies of raid10.")),
    "degraded": Term(
        say("Degraded"), say("An array that runs though a member is gone. What it has left is all that there is.")
    ),
    "rebuild": Term(
        say("Rebuild"),
        say("Filling a disk that is new in the array from the others. md calls it recovery."),
        "",
        "md(4)",
    ),
    "resync": Term(
        say("Resync"),
        say("Making copies or parity agree again, after the array was created or after a crash."),
        source="md(4)",
    ),
    "check": Term(
        say("Check"),
        say("Reading all of an array and comparing its copies or parity. Sectors that can't be read are written anew."),
        source="md(4) SCRUBBING AND MISMATCHES",
    ),
    "reshape": Term(
        say("Reshape"),
        say("Changing the level, the layout, the chunk or the number of disks of an array that is in use."),
        source="mdadm(8) GROW MODE",
    ),
    "superblock": Term(
        say("Superblock"), say("What md keeps on each member to know its array by: UUID, level, layout, slot.")
    ),
    "data-offset": Term(
        say("Data offset"),
        say(
            "Where on a member the array's data begin. Before it lie the superblock, the bitmap and room for a reshape."
        ),
        source="mdadm(8) --data-offset",
    ),
    "component-size": Term(
        say("Component size"),
        say("How much of each member the array uses. The smallest member sets it; what others have more lies idle."),
        source="mdadm(8) --size",
    ),
    "write-hole": Term(
        say("Write hole"),
        say(
            "A crash in the middle of a write to a parity level leaves data and parity that don't agree. If a disk "
            "fails before they are made to, what is computed for it is wrong."
        ),
        source="kernel Documentation/driver-api/md/raid5-ppl.rst",
    ),
    "error-recovery": Term(
        say("Error recovery (SCT ERC)"),
        say(
            "How long a disk tries to read a bad sector. Desktop disks may try for minutes; the kernel then takes them "
            "for dead, and the array loses a disk that had one bad sector."
        ),
        source="smartctl(8) scterc",
    ),
    "sector-error": Term(
        say("Unreadable sector"),
        say("A sector that a disk can't read any more. In an array without redundancy left, its data are lost."),
    ),
    "smr": Term(
        say("Shingled disk (SMR)"),
        say("A disk whose tracks overlap. It writes slowly once its cache is full, and a rebuild onto it takes days."),
    ),
    "afr": Term(
        say("Failure rate (AFR)"), say("How many of a hundred disks of a kind fail in a year, as a share: 1.5%.")
    ),
    "queue-depth": Term(
        say("Queue depth"), say("How many accesses are asked for at a time, without waiting for answers.")
    ),
    "iops": Term(say("IOPS"), say("Accesses a second; what counts where they are small and everywhere.")),
    "practice-machine": Term(
        say("Practice machine"),
        say(
            "A real Linux with real md that runs as an ordinary program, on disks that are files. No real disk is in "
            "it."
        ),
    ),
}

GLOSSARY: Mapping[str, Term] = {**CHOICES, **OTHERS}


def markdown() -> str:
    """Return the glossary in the chosen language, by name."""
    title, entries = tr("Glossary"), sorted(GLOSSARY.values(), key=lambda term: translated(term.name).casefold())
    return "\n\n".join((f"# {title}", *map(_entry, entries))) + "\n"


def _entry(term: Term) -> str:
    parts = [f"**{translated(term.name)}.** {translated(term.meaning)}"]
    if term.experts:
        parts.append(tr("What experts take: {words}", words=translated(term.experts)))
    if term.source:
        source = tr("Source: {source}", source=term.source)
        parts.append(f"*{source}*")
    return "\n\n".join(parts)
