"""What a wheel holds besides the package, within it: ``packaging/shipped.py`` lists it, ``resources.py`` finds it.

The languages below ``resources/translations`` are compiled on the way.

An editable install reads them where they lie in the checkout.
"""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "packaging"))
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
        compile_all(beside / "resources/translations")


setup(cmdclass={"build_py": BuildWithResources})
