"""The present plan as every station sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from raidwright.analysis.assessment import Assessment
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import tr

if TYPE_CHECKING:
    from raidwright.analysis.advice.candidates import Prepared
    from raidwright.analysis.advice.ranking import Wishes
    from raidwright.core.model.member import Member


@dataclass(frozen=True, slots=True)
class Draft:
    """The present plan: assessed, or refused with a sentence; no plan while too few disks are chosen.

    It is locked during its build, and after it: then its disks are an array's. ``judged`` is the name of an array that
    exists, of which this is the plan ("" for a plan to build): that is locked as well. ``tried`` says how it did in a
    shoot-out ("" if it wasn't in any). ``in_use`` names its disks that something uses now, in a sentence ("" for none).
    """

    plan: Plan | None = None
    assessment: Assessment | None = None
    refusal: str = ""
    is_locked: bool = False
    judged: str = ""
    tried: str = ""
    in_use: str = ""

    @property
    def why_untouchable(self) -> str:
        """The reason why the plan has no command and no export, and nothing asks for consent to it; "" if it has."""
        return self.judged_words if self.judged else self.in_use

    @property
    def judged_words(self) -> str:
        """The sentence that the plan is an array's, so that nothing is built of it."""
        return tr(
            "This is the array “{name}” as it is, to look at. Choose free disks to plan another.", name=self.judged
        )


class PlanSubject(Protocol):
    """The plan as other stations may use it: the model of the Plan station."""

    draft: Draft
    pool: tuple[Member, ...]
    wishes: Wishes | None

    @property
    def can_edit(self) -> bool: ...

    @property
    def prepared(self) -> tuple[Prepared, ...]: ...

    def take_tried(self, words: Mapping[Plan, str]) -> None: ...
