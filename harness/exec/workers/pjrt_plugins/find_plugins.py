# SPDX-License-Identifier: Apache-2.0
"""Lists the PJRT plugins that the packages of this Python bring, NAME and path with a tab between.

They are where JAX looks for them: modules below the namespace package jax_plugins, and those that
packages name in the groups jax_plugins and xla_plugins of their entry points; and shared objects in
the packages installed here whose names tell that they may be plugins.  No module of theirs is run:
a plugin is a shared object in the folder of the module that has the function GetPjrtApi().

    python3 find_plugins.py
"""
from __future__ import annotations

import importlib.metadata
import importlib.util
import mmap
import pkgutil
import re
from pathlib import Path
from typing import Iterator

GROUPS = ("jax_plugins", "xla_plugins")
MAY_BE = re.compile(r"(pjrt|plugin|libtpu)[^/]*\.so$")


def is_plugin(path: Path) -> bool:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data[:4] == b"\x7fELF" and data.find(b"\0GetPjrtApi\0") >= 0
    except (OSError, ValueError):  # An empty file cannot be mapped.
        return False


def modules() -> Iterator[tuple[str, str]]:
    """Names, and the modules that JAX would have register plugins of these names."""
    for group in GROUPS:
        for entry in importlib.metadata.entry_points(group=group):
            yield entry.name, entry.value.partition(":")[0]
    namespace = importlib.util.find_spec("jax_plugins")
    for folder in (namespace.submodule_search_locations or ()) if namespace else ():
        for module in pkgutil.iter_modules([folder]):
            yield module.name, f"jax_plugins.{module.name}"


def folders(module: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # The package around it is not there.
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations:
        return [Path(folder) for folder in spec.submodule_search_locations]
    return [Path(spec.origin).parent] if spec.origin else []


def candidates() -> Iterator[tuple[str, Path]]:
    for name, module in modules():
        for folder in folders(module):
            yield from ((name, path) for path in sorted(folder.glob("*.so")))
    for package in importlib.metadata.distributions():
        for file in package.files or ():
            if MAY_BE.search(str(file)):
                parts = file.parts
                yield parts[1 if parts[0] in GROUPS else 0], Path(str(package.locate_file(file)))


def main() -> None:
    seen = set()
    for name, path in candidates():
        place = path.resolve()
        if place not in seen and is_plugin(place):
            print(f"{name}\t{place}")
        seen.add(place)


if __name__ == "__main__":
    main()
