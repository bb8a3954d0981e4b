# SPDX-License-Identifier: Apache-2.0
"""The node tests of the package `onnx` as cases with the results that they expect, for
`assay corpus import onnx`.

    python main.py [OP_MODULE...]

The tests come with the package as Python: each module of onnx.backend.test.case.node makes models of
one node, operands and expected results when it is imported.  A line is printed for each test:

    OP <tab> NAME <tab> CASE LINE <tab> DATA { " : " DATA }
    OP <tab> NAME <tab> ! <tab> why it is no case
"""
from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings

import numpy as np

import node_ops
from case_text import NotTaken


def modules(wanted: list[str]) -> list[str]:
    from onnx.backend.test.case import node

    present = sorted(m.name for m in pkgutil.iter_modules(node.__path__) if not m.name.startswith("_"))
    unknown = sorted(set(wanted) - set(present))
    if unknown:
        raise SystemExit(f"onnx has no node tests called {', '.join(unknown)}; write some of: {' '.join(present)}")
    return wanted or present


def tests(wanted: list[str]) -> list:
    """What importing the modules has put into the list of the package."""
    from onnx.backend.test.case import node

    for name in modules(wanted):
        np.random.seed(0)  # Some tests draw their operands.
        try:
            importlib.import_module(f"{node.__name__}.{name}")
        except ImportError as failure:  # A package that only some tests want.
            print(f"{name}\t{name}\t!\tcannot be imported: {failure}".replace("\n", " "))
    return node._NodeTestCases


def line_of(test) -> str:
    nodes = test.model.graph.node
    is_expanded = "_expanded" in test.name
    if is_expanded or len(nodes) != 1:
        return f"{'(a function)' if is_expanded else '(a graph)'}\t{test.name}\t!\tseveral nodes"
    op = nodes[0].op_type
    try:
        return f"{op}\t{test.name}\t{node_ops.case_of(test)}"
    except NotTaken as why:
        return f"{op}\t{test.name}\t!\t{why}"


def main() -> None:
    warnings.simplefilter("ignore")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    for test in tests(sys.argv[1:]):
        print(line_of(test))


main()
