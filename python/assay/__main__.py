# SPDX-License-Identifier: Apache-2.0
"""python -m assay VERB ...: the command line."""

import os
import sys

from ._command import program_path
from ._library import EnvironmentFailure


def main() -> None:
    try:
        path = program_path()
    except EnvironmentFailure as error:
        sys.exit(f"assay: {error}")
    os.execv(path, ["assay", *sys.argv[1:]])


if __name__ == "__main__":
    main()
