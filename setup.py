"""Compiles ``proxy/machine/hot.py``, where Cython and a C compiler are there; all else is in pyproject.toml.

Without them the package is the same without the compiled copy, and runs hot.py. With REWRIGHT_PURE=1 it is
not even tried, and a wheel is one for every platform.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FOLDER = Path("rewright/proxy/machine")
SOURCES = ("hot.py", "hot.pxd")
MODULE = "rewright.proxy.machine._hot"
BUILD = Path("build/compiled")
# a .pxd is looked for by the module's full name
PACKAGE = BUILD / "rewright/proxy/machine"


def wanted() -> bool:
    # a length of the protocol has 32 bits without a sign: a Py_ssize_t must have more
    return sys.maxsize > 2**32 and os.environ.get("REWRIGHT_PURE", "") in {"", "0"}


def copied() -> Path:
    """The module under its compiled name, with the digest of what it is made from
    (``rewright.proxy.machine.core``).
    """
    contents = [(FOLDER / name).read_bytes() for name in SOURCES]
    digest = hashlib.sha256(b"".join(contents)).hexdigest()
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for folder in (PACKAGE, PACKAGE.parent, PACKAGE.parent.parent):
        (folder / "__init__.py").touch()
    text = contents[0].decode().replace('SOURCE = ""', f'SOURCE = "{digest}"')
    (PACKAGE / "_hot.py").write_text(text)
    shutil.copyfile(FOLDER / "hot.pxd", PACKAGE / "_hot.pxd")
    return PACKAGE / "_hot.py"


def look_at(made: str) -> None:
    """Raises ValueError where Cython has taken a number for an object, as 3.3.1 does in some values."""
    if re.search(r"\(\(PyObject \*\)__pyx_t_\d+\)", made):
        raise ValueError("a number would be taken for an object; write the condition as branches")


class BuildOptional(build_ext):
    """Whatever keeps it from being compiled is told, and is no failure."""

    def run(self) -> None:
        try:
            from Cython.Build import cythonize

            source = Extension(MODULE, [str(copied())])
            made = cythonize(
                [source],
                include_path=[str(BUILD)],
                compiler_directives={"language_level": 3, "annotation_typing": False},
                quiet=True,
            )
            look_at(Path(made[0].sources[0]).read_text())
        except Exception as error:  # noqa: BLE001 -- the package does without
            print(f"rewright: {MODULE} is not compiled: {error}")
            self.extensions = []
            return
        self.extensions[0].sources = made[0].sources
        super().run()


setup(
    ext_modules=[Extension(MODULE, [str(FOLDER / "hot.py")], optional=True, extra_compile_args=["-g0"])]
    if wanted()
    else [],
    cmdclass={"build_ext": BuildOptional},
)
