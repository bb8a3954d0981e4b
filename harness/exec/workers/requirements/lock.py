#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.requirements, complete lists with hashes, from NAME.in, what is asked for:

    python3 harness/exec/workers/requirements/lock.py [NAME...]        # default: every *.in here, and in libraries/

To update, change a version in NAME.in and run it.  `assay executors install` gives the lists to
`pip install --require-hashes --only-binary :all:`, which takes nothing that is not in them.

Each list is resolved by pip itself, once for each version of Python in --pythons, which must be
there as python3.11 and so on, since what a package needs depends on the version that asks.  A list
has the union, with a marker where a package is not for all of them.  Hashes are of the files that
pip would install on this machine's platform, from the indexes and folders that it is configured
with; where NAME.in has a line `# index: pypi`, from PyPI alone.  Where it says that its packages are
installed without what they ask for, they are all that the list has.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13")
PYPI = "# index: pypi"
FOR_PYTHONS = "# pythons: "  # Versions, where a list is not for all of PYTHONS.
ALONE = "# Installed without what these packages ask for."  # pip gets --no-deps, from us as here.


def normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def environment(source: str) -> dict[str, str]:
    """What pip runs in: without a configuration where only PyPI is to be asked."""
    variables = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    if PYPI in source.splitlines():
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
            variables.pop(name, None)
        variables["PIP_CONFIG_FILE"] = os.devnull
    return variables


def resolve(python: str, listed: Path, source: str) -> dict[str, tuple[str, str]]:
    """Of each package that pip would install: its version, and the hash of the file."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        command = [f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "--dry-run"]
        command += ["--ignore-installed", "--only-binary", ":all:", "--report", f"{folder}/report"]
        command += ["--no-deps"] if ALONE in source.splitlines() else []
        subprocess.run(
            [*command, "--requirement", str(listed)], check=True, env=environment(source)
        )
        report = json.loads(Path(folder, "report").read_text(encoding="utf-8"))
    found = {}
    for item in report["install"]:
        kind, _, digest = item["download_info"]["archive_info"]["hash"].partition("=")
        if kind != "sha256":
            sys.exit(f"lock.py: {item['metadata']['name']} has a hash of kind {kind}, not sha256")
        found[normal(item["metadata"]["name"])] = (item["metadata"]["version"], digest)
    return found


def marker(versions: list[str], all_versions: list[str]) -> str:
    if versions == all_versions:
        return ""
    return " ; " + " or ".join(f'python_version == "{version}"' for version in versions)


def write_list(name: str, source: str, found: dict[str, dict[str, tuple[str, str]]]) -> str:
    """The text of a list; `found` is by version of Python."""
    pythons = list(found)
    lines = [line for line in source.splitlines() if line.startswith("#")]
    lines = [line for line in lines if line != PYPI and not line.startswith(FOR_PYTHONS)]
    lines.append(f"# Locked for Python {', '.join(pythons)} by lock.py from {name}.in: change that.")
    pins: dict[tuple[str, str], dict[str, str]] = {}
    for python, packages in found.items():
        for package, (version, digest) in packages.items():
            pins.setdefault((package, version), {})[python] = digest
    for (package, version), digests in sorted(pins.items()):
        lines.append(f"{package}=={version}{marker(list(digests), pythons)} \\")
        hashes = sorted(set(digests.values()))
        lines += [f"    --hash=sha256:{digest} \\" for digest in hashes[:-1]]
        lines.append(f"    --hash=sha256:{hashes[-1]}")
    return "\n".join(lines) + "\n"


def pythons_for(source: str, pythons: list[str]) -> list[str]:
    named = [line for line in source.splitlines() if line.startswith(FOR_PYTHONS)]
    if not named:
        return pythons
    wanted = named[0][len(FOR_PYTHONS) :].split()
    return [python for python in pythons if python in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="the lists to write (default: all)")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    parser.add_argument("--pythons", default=",".join(PYTHONS), help="versions, between commas")
    options = parser.parse_args()
    found_here = options.folder.glob("**/*.in")
    names = options.names or sorted(str(path.relative_to(options.folder).with_suffix("")) for path in found_here)
    for name in names:
        listed = options.folder / f"{name}.in"
        source = listed.read_text(encoding="utf-8")
        found = {
            python: resolve(f"python{python}", listed, source)
            for python in pythons_for(source, options.pythons.split(","))
        }
        target = options.folder / f"{name}.requirements"
        target.write_text(write_list(Path(name).name, source, found), encoding="utf-8")
        print(f"{target}: {len(next(iter(found.values())))} packages")


if __name__ == "__main__":
    main()
