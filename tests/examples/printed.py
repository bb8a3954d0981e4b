# SPDX-License-Identifier: Apache-2.0
"""Whether a page of the manual shows what a program printed.

    printed.py PAGE NAME OUTPUT

Each line of the page's blocks "```text NAME" is a line of OUTPUT, but for its numbers, which depend on the machine; one that ends
with "..." is the beginning of a line.  Exit status: 0; 1, and the lines that nobody printed."""

import re
import sys


def plain(line):
    """Without numbers, pytest's marks, and blanks at both ends."""
    line = re.sub(r"^E ", "", line.strip()).strip()
    return re.sub(r"[0-9a-f]{8,}|-?(0x)?[0-9][0-9a-fx.]*(p[+-]\d+|e[+-]?\d+)?", "#", line)


def main():
    page, name, output = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(rf"^```text {re.escape(name)}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
    with open(output, encoding="utf-8", errors="replace") as file:
        printed = {plain(line) for line in file}
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    missing = []
    for line in lines:
        beginning = plain(line.strip().removesuffix("..."))
        cut = line.rstrip().endswith("...")
        if not (any(one.startswith(beginning) for one in printed) if cut else beginning in printed):
            missing.append(line)
    print(f"{len(lines)} lines, {len(missing)} of them printed by nobody")
    for line in missing:
        print(line)
    return 1 if missing or len(lines) < 5 else 0


sys.exit(main())
