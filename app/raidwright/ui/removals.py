"""Signatures to remove from the plan's disks, confirmed per disk: the model, and its check boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from raidwright.core.errors import Denied, RaidwrightError, Unreachable
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import BACKUPS, KEPT_DAYS, UNKNOWN, DiskSignature, SignatureNames
from raidwright.core.protocol.signature_names import array_of, half_of, split_name
from raidwright.operations.disks import ExamineSignatures
from raidwright.session import Session
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.disk.facts import unknown_words
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.panel import clear, column, label, scrolled

_ENCRYPTED = "crypto_LUKS"  # libblkid's type
_MAX_HEIGHT = 120  # three disks' boxes; more are scrolled


@dataclass(frozen=True, slots=True)
class Removal:
    """A disk with signatures; none are removed unless ``is_let_go``."""

    disk: Disk
    signatures: tuple[DiskSignature, ...]
    is_let_go: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct signature names, in the disk's order."""
        return tuple(dict.fromkeys(one.name for one in self.signatures))


class Removals(QObject):
    """The removals. ``changed`` follows the signatures found and the ticks."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._disks: tuple[Disk, ...] = ()
        self._asked: tuple[str, ...] = ()
        self._found: Mapping[str, tuple[DiskSignature, ...]] = {}
        self._let_go: frozenset[str] = frozenset()
        self._typed: Mapping[str, str] = {}
        self._problem = ""

    def review(self, plan: Plan | None, disks: tuple[Disk, ...]) -> None:
        """Set the disks of ``plan``; ticks for another set of disks are reset.

        Disks without known signatures are examined, too: only the helper sees whether they hold any data.
        """
        there = {disk.id: disk for disk in disks if disk.is_takeable}
        self._disks = tuple(there[disk.id] for disk in whole_disks(plan.top) if disk.id in there) if plan else ()
        if tuple(disk.id for disk in self._disks) != self._asked:
            self.forget()

    def forget(self) -> None:
        """Reset, so that the disks are examined again."""
        had = self._found or self._problem
        self._asked, self._found, self._let_go, self._problem = (), {}, frozenset(), ""
        self._typed = {}
        if had:
            self.changed.emit()

    @property
    def has_failed(self) -> bool:
        """True if the disks couldn't be examined."""
        return bool(self._problem)

    def look_again(self) -> None:
        """Ask anew if the disks couldn't be examined: what was missing may be there now."""
        if self._problem:
            self.forget()
            self.look()

    def look(self) -> None:
        """Ask for the disks' signatures, once. Disks in standby may have to spin up."""
        ids = tuple(disk.id for disk in self._disks)
        if ids and ids != self._asked:
            self._asked = ids
            self._session.perform(
                ExamineSignatures(ids, wake=True),
                done=lambda found: self._take(ids, found),
                failed=lambda error: self._fail(ids, error),
            )

    @property
    def items(self) -> tuple[Removal, ...]:
        """The disks with signatures, as far as known."""
        known = ((disk, self._found.get(disk.id, ())) for disk in self._disks)
        return tuple(Removal(disk, found, disk.id in self._let_go) for disk, found in known if found)

    @property
    def confirmed(self) -> SignatureNames:
        """The signatures that may be removed; a stopped array's only once its name was typed."""
        return {one.disk.id: tuple(filter(self._may_go, one.names)) for one in self.items if one.is_let_go}

    def _may_go(self, name: str) -> bool:
        array = array_of(name)
        return not array or self.typed(array) == array

    @property
    def names(self) -> SignatureNames:
        """The signatures found, by disk, as far as it was examined."""
        return {disk: tuple(dict.fromkeys(one.name for one in found)) for disk, found in self._found.items()}

    @property
    def arrays(self) -> tuple[str, ...]:
        """The stopped arrays that lose a disk with a confirmed removal, each once; their names have to be typed."""
        names = (array_of(name) for one in self.items if one.is_let_go for name in one.names)
        return tuple(dict.fromkeys(filter(None, names)))

    def typed(self, array: str) -> str:
        """Return the text typed as the name of ``array``."""
        return self._typed.get(array, "")

    def type_array(self, array: str, text: str) -> None:
        """Set the text typed as the name of ``array``."""
        self._typed = {**self._typed, array: text}
        self.changed.emit()

    @property
    def why_not(self) -> str:
        """The reason why the build can't start yet: disks not examined, or boxes not ticked; "" for none."""
        if self._problem:
            return tr("What the disks carry can't be seen: {why}", why=self._problem)
        if not self._found and not all(disk.is_free for disk in self._disks):
            return tr("Looking at what the disks carry …")
        kept = [one.disk.serial or one.disk.id for one in self.items if not one.is_let_go]
        if kept:
            return tr("Tick what may be removed: {disks}.", disks=kept)
        untyped = next((array for array in self.arrays if self.typed(array) != array), None)
        return tr("Type the name of the array, {name}, to give its part up.", name=untyped) if untyped else ""

    def tick(self, disk_id: str, *, is_let_go: bool) -> None:
        """Confirm or keep the removal of a disk's signatures."""
        self._let_go = self._let_go | {disk_id} if is_let_go else self._let_go - {disk_id}
        self.changed.emit()

    def _take(self, ids: tuple[str, ...], found: Mapping[str, tuple[DiskSignature, ...]]) -> None:
        if ids == self._asked:
            self._found = found
            self.changed.emit()

    def _fail(self, ids: tuple[str, ...], error: RaidwrightError) -> None:
        if ids == self._asked:
            self._problem = translated(error.sentence)
            self.changed.emit()
            if isinstance(error, Denied | Unreachable):
                self._session.look_again()  # which goes on until what is missing is there


class RemovalBoxes(QWidget):
    """A check box per disk: “Remove ext4 “photos” / from WD80EFZX ZHZ1”."""

    def __init__(self, model: Removals, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[tuple[str, tuple[DiskSignature, ...]], ...] = ()
        inner = QWidget()
        self._boxes = column(spacing=SPACE_S)
        self._boxes.setContentsMargins(0, 0, 0, 0)
        inner.setLayout(self._boxes)
        self._area = scrolled(inner)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._area)
        self._names = _ArrayNames(model)
        box.addWidget(self._names)
        self._kept = label("", "dim", name="removals-kept", wrap=True)
        box.addWidget(self._kept)
        model.changed.connect(self.show_items)
        self.show_items()

    @Slot()
    def show_items(self) -> None:
        """Update the boxes."""
        items = self._model.items
        shown = tuple((one.disk.id, one.signatures) for one in items)
        if shown != self._shown:
            self._shown = shown
            clear(self._boxes)
            for one in items:
                self._boxes.addWidget(self._box(one))
            self._area.setFixedHeight(min(self._boxes.sizeHint().height(), _MAX_HEIGHT))
        kept = tr(
            "What is at the ends of these disks is saved first, in {folder}, and can be put back while the array holds "
            "nothing. After {days} days it is deleted, or by “raidwright builds --forget”.",
            folder=BACKUPS,
            days=KEPT_DAYS,
        )
        if any(signature.name.endswith(_ENCRYPTED) for one in items for signature in one.signatures):
            kept = joined(kept, tr("Until then the keys of the encrypted disk can be read there by root."))
        self._kept.setText(kept)
        self.setVisible(bool(items))

    def _box(self, one: Removal) -> QCheckBox:
        shown = [signature for signature in one.signatures if not array_of(signature.name)]
        names = list(dict.fromkeys(map(self._words, shown)))
        arrays = [f"“{array}”" for array in dict.fromkeys(filter(None, map(array_of, one.names)))]
        model, serial = one.disk.model, one.disk.serial
        if one.names == (UNKNOWN,):
            what = unknown_words()
            box = QCheckBox(tr("Overwrite {what}\non {model} {serial}", what=what, model=model, serial=serial))
        elif halves := [half for half in map(half_of, one.names) if half]:
            array, when = halves[0]
            box = QCheckBox(
                tr(
                    "Remove {what}, a half of “{array}” that was written to on its own until {when},\n"
                    "from {model} {serial}: what only it holds is lost",
                    what=names,
                    array=array,
                    when=when,
                    model=model,
                    serial=serial,
                )
            )
        elif arrays:
            box = QCheckBox(
                tr(
                    "Remove {what}, its part of the stopped array {arrays},\nfrom {model} {serial}",
                    what=names,
                    model=model,
                    serial=serial,
                    arrays=arrays,
                )
            )
        else:
            box = QCheckBox(tr("Remove {what}\nfrom {model} {serial}", what=names, model=model, serial=serial))
        box.setObjectName(f"remove-{one.disk.serial or one.disk.id}")
        box.setToolTip(box.text())
        box.setChecked(one.is_let_go)
        box.toggled.connect(lambda ticked, disk=one.disk.id: self._model.tick(disk, is_let_go=ticked))
        return box

    def _words(self, signature: DiskSignature) -> str:
        partition, kind = split_name(signature.name)
        words = f"{kind} “{signature.label}”" if signature.label else kind
        return tr("{what} (partition {number})", what=words, number=partition) if partition else words


class _ArrayNames(QWidget):
    """A field for the name of each stopped array that loses a disk."""

    def __init__(self, model: Removals) -> None:
        super().__init__()
        self._model = model
        self._fields: dict[str, QLineEdit] = {}
        self._rows = column(spacing=SPACE_S)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self.setLayout(self._rows)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        arrays = self._model.arrays
        if arrays != tuple(self._fields):
            clear(self._rows)
            self._fields = {array: self._field(array) for array in arrays}
        for array, field in self._fields.items():
            if field.text() != self._model.typed(array):
                field.setText(self._model.typed(array))
        self.setVisible(bool(arrays))

    def _field(self, array: str) -> QLineEdit:
        means = tr(
            "“{name}” is stopped and could be started again. These disks are taken from it; type its name:", name=array
        )
        field = QLineEdit()
        field.setObjectName(f"give-up-{array}")
        field.setAccessibleName(tr("The stopped array's name, {name}, to give it up", name=array))
        field.setPlaceholderText(array)
        field.textEdited.connect(lambda text: self._model.type_array(array, text))
        for part in (label(means, wrap=True), field):
            self._rows.addWidget(part)
        return field
