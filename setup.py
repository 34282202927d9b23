"""What a wheel holds besides the package, within it: ``packaging/shipped.py`` lists it, ``resources.py`` finds it.

The languages below ``resources/translations`` are compiled on the way, and the practice machine's C for this machine.

An editable install reads them where they lie in the checkout.
"""

import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "app"))
sys.path.insert(0, str(Path(__file__).parent / "packaging"))
from raidwright.lab.compiled import compile_into
from raidwright.resources import COMPILED
from shipped import copy_shipped
from translations import compile_all


class BuildWithResources(build_py):
    """Copies the folders, too, into a wheel that holds nothing of an earlier build."""

    def run(self) -> None:
        """Build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        beside = Path() if self.editable_mode else Path(self.build_lib, "raidwright", "_shipped")
        if not self.editable_mode:
            copy_shipped(Path(), beside)
            compile_into(beside / COMPILED)
        compile_all(beside / "resources/translations")


class WithPrograms(Distribution):
    """A distribution of one kind of processor: not all that it holds is Python."""

    def has_ext_modules(self) -> bool:
        """Return True: its wheel is no pure one."""
        return True


class WheelOfAnyPython(bdist_wheel):
    """A wheel for one kind of processor and any Python."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags in its name."""
        return "py3", "none", super().get_tag()[2]


setup(distclass=WithPrograms, cmdclass={"build_py": BuildWithResources, "bdist_wheel": WheelOfAnyPython})
