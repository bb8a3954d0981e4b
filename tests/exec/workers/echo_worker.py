# SPDX-License-Identifier: Apache-2.0
"""A backend on assay_worker.py that shows every path of it: the program's op tells what to do.

    python3 echo_worker.py [WORD=VALUE]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "harness/exec/workers"))

import assay_worker  # noqa: E402
from assay_worker import Invalid, Program, Unsupported, Worker  # noqa: E402


class Echo(Worker):
    """Returns its inputs, which is right for reductions over no dimension with neutral inits."""

    name = "echo"
    version = "1"

    def __init__(self, options):
        moods = ("good", "short", "bare", "silent", "typed", "angry", "keen")
        self.mood = assay_worker.take(options, "mood", "good", moods)
        super().__init__(options)
        print("this goes to stderr")

    def promises(self, program: Program) -> bool | None:
        return None if "dims" not in program.attributes else program.dims("dims") == [[]]

    def compile(self, program: Program) -> Program:
        if self.mood == "keen":
            return program
        if program.op == "stablehlo.dot_general":
            assay_worker.plain_product(program)
            return program
        if program.attributes["body"] == "multiply":
            raise Unsupported("no products")
        if program.attributes["body"] == "or":
            raise Invalid("never heard of it")
        assert "stablehlo.reduce" in program.mlir
        return program

    def execute(self, handle, operands):
        print("this, too")
        results = operands[: len(handle.results)]
        if self.mood == "angry":
            raise RuntimeError("enough\nof this")
        if self.mood == "short":
            return results[1:]
        if self.mood in ("bare", "silent"):
            return results[0] if self.mood == "bare" else None
        return [result.astype("f8") for result in results] if self.mood == "typed" else results


assay_worker.main(Echo)
