"""What a wheel holds besides the package: ``resources/`` and the helper's code, within the package (``resources.py``).

The languages below ``resources/translations`` are compiled on the way.

An editable install reads them where they lie in the checkout.
"""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "packaging"))
from translations import compile_all

_SHIPPED = ("resources", "helpers")


class BuildWithResources(build_py):
    """Copies the folders, too, into a wheel that holds nothing of an earlier build."""

    def run(self) -> None:
        """Build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        compile_all(Path("resources", "translations"))
        for folder in () if self.editable_mode else _SHIPPED:
            target = Path(self.build_lib, "raidwright", "_shipped", folder)
            shutil.copytree(folder, target, ignore=shutil.ignore_patterns("__pycache__"))


setup(cmdclass={"build_py": BuildWithResources})
