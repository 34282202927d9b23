"""Sentences on joined volumes alone: how LVM joins their arrays, and how they are while they don't run or grow."""

from __future__ import annotations

from raidwright.core.lvm.joined import STRIPED, UNTOLD
from raidwright.machine.states.volume import Volume
from raidwright.text.catalogue import joined, ntr, tr
from raidwright.text.shown import StateLine

from .empty_slots import lacks_words


def of_bands(array: Volume) -> str:
    """Return “joined, of 2 arrays”, or what LVM makes of the arrays if that isn't one after the other."""
    count, kind = len(array.bands), array.other_kind
    if kind == STRIPED:
        return ntr("striped by LVM over {count} array", "striped by LVM over {count} arrays", count)
    if kind and kind != UNTOLD:
        return ntr("LVM's {kind} over {count} array", "LVM's {kind} over {count} arrays", count, kind=kind)
    return ntr("joined, of {count} array", "joined, of {count} arrays", count)


def other_volume(array: Volume) -> str:
    """Return the sentence on a volume over several arrays that isn't linear, or may not be."""
    kind = array.other_kind
    if kind == UNTOLD:
        return tr(
            "Neither LVM's backup nor device-mapper's table tells how LVM joins its arrays, so no plan is made of it "
            "and it isn't grown."
        )
    lacks = tr("It needs all of its arrays; Raidwright makes no plan of it and doesn't grow it.")
    if kind == STRIPED:
        return joined(tr("LVM stripes it over its arrays, so it isn't a joined volume as Raidwright makes one."), lacks)
    other = tr("LVM's volume over its arrays is {kind}, so it isn't a joined one as Raidwright makes it.", kind=kind)
    return joined(other, lacks)


def cut_off(volume: Volume) -> str:
    """Return what a volume's growth waits for after a power cut or a crash, and the next step."""
    halted = [band.name for band in volume.bands if not band.running and band.assembly and band.assembly.reshapes]
    lost = lacks_words(volume)
    if lost:
        return joined(lost, tr("Its growth was interrupted, too; it goes on once the disk is replaced."))
    if halted:
        waits = ntr(
            "{arrays:and} waits in the middle of a reshape, and md goes on with it from where it was.",
            "{arrays:and} wait in the middle of their reshapes, and md goes on with them from where they were.",
            len(halted),
            arrays=halted,
        )
        return joined(tr("Its growth was interrupted."), waits, tr("Go on starts the volume and does what is left."))
    if not volume.running:
        return joined(tr("Its growth was interrupted."), tr("Go on starts the volume and does what is left."))
    return joined(tr("Its growth was interrupted."), tr("The volume can be used; Go on does what is left."))


def stopped_volume(volume: Volume) -> StateLine:
    """Return the state of a volume whose arrays don't all run, or that LVM has yet to activate."""
    if all(band.running for band in volume.bands):
        told = tr("Its arrays run, and LVM's volume over them isn't active. Start activates it.")
        return StateLine(tr("not active"), "warn", told)
    return StateLine(tr("stopped"), "warn", tr("Its arrays are started together, and then the volume."))
