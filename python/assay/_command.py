# SPDX-License-Identifier: Apache-2.0
"""The command line, which is in the package too: `python -m assay`."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
from typing import Any

from ._library import EnvironmentFailure

_HERE = os.path.dirname(os.path.abspath(__file__))


def program_path() -> str:
    """$ASSAY_PROGRAM, the program in this package, or the one on the path."""
    inside = os.path.join(_HERE, "_install", "lib", "assay", "assay")
    for path in (os.environ.get("ASSAY_PROGRAM"), inside if os.path.exists(inside) else None, shutil.which("assay")):
        if path:
            return path
    raise EnvironmentFailure(
        "the program assay is neither in this package nor on the path; set ASSAY_PROGRAM to its path"
    )


def relay_path() -> str:
    return os.path.join(_HERE, "_relay.py")


@functools.lru_cache(maxsize=None)
def worker_module() -> Any:
    """assay_worker.py, the protocol's own implementation, which the program is installed with."""
    folders = [os.environ.get("ASSAY_WORKERS"), os.path.join(_HERE, "_install", "lib", "assay", "workers")]
    for folder in folders:
        path = os.path.join(folder, "assay_worker.py") if folder else ""
        if path and os.path.exists(path):
            spec = importlib.util.spec_from_file_location("assay._worker", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            import sys

            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            return module
    raise EnvironmentFailure("assay_worker.py is not in this package; set ASSAY_WORKERS to the folder that has it")
