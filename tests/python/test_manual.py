# SPDX-License-Identifier: Apache-2.0
"""The examples of the manual run as they stand there, in one namespace for each page."""

import pathlib
import re

MANUAL = pathlib.Path(__file__).parents[2] / "harness/docs/python.md"


def test_examples():
    text = MANUAL.read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(examples) >= 4
    names: dict = {}
    for example in examples:
        exec(compile(example, str(MANUAL), "exec"), names)
