# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops that do one thing to each element, comparisons and choices among them, in PyTorch: one function
each."""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program, Unsupported
from shared_programs import pointwise_program
from shared_programs.pointwise_program import kind_of

Run = Callable[..., list[Any]]


class TorchPointwise:
    asks_data = True  # As of TorchElementwise.

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.functions: dict[str, Callable[..., Any]] = {
            "divide": torch.div,
            "remainder": torch.fmod,
            "sqrt": torch.sqrt,
            "abs": torch.abs,
            "sign": torch.sign,
            "floor": torch.floor,
            "ceil": torch.ceil,
            "round_nearest_even": torch.round,
            "and": torch.bitwise_and,
            "or": torch.bitwise_or,
            "xor": torch.bitwise_xor,
            "not": torch.bitwise_not,
            "select": torch.where,
            "exponential": torch.exp,
            "exponential_minus_one": torch.expm1,
            "log": torch.log,
            "log_plus_one": torch.log1p,
            "logistic": torch.sigmoid,
            "tanh": torch.tanh,
            "rsqrt": torch.rsqrt,
            "sine": torch.sin,
            "cosine": torch.cos,
            "clamp": lambda least, operand, most: torch.clamp(operand, least, most),
        }
        self.comparisons = {"EQ": torch.eq, "NE": torch.ne, "GE": torch.ge, "GT": torch.gt, "LE": torch.le,
                            "LT": torch.lt}  # fmt: skip

    def find(self, program: Program) -> Run:
        name, element = program.op.removeprefix("stablehlo."), pointwise_program.checked(program)
        if name == "compare":
            compare = self.comparisons[program.attributes["comparison_direction"]]
            return lambda left, right: [compare(left, right)]
        if name not in self.functions:
            raise Unsupported("no function rounds ties away from zero")
        if name == "clamp" and kind_of(element) == "b":
            raise Unsupported("no bounds of booleans")
        if name == "sign" and kind_of(element) == "f":
            raise Unsupported("documents nothing of the sign of NaN and -0")
        if name in ("divide", "remainder") and kind_of(element) in "iu":
            return self._of_integers(name)
        function = self.functions[name]
        return lambda *operands: [function(*operands)]

    def _of_integers(self, name: str) -> Run:
        def check(left: Any, right: Any) -> None:
            if bool((right == 0).any()):  # Told by the data alone: it ends the process, or raises.
                raise Unsupported("no integers divided by zero")
            least = self.torch.iinfo(left.dtype).min
            if least < 0 and bool(((left == least) & (right == -1)).any()):
                raise Unsupported("no quotient beyond the range")

        def run(left: Any, right: Any) -> list[Any]:
            if self.asks_data:
                check(left, right)
            if name == "remainder":
                return [self.torch.fmod(left, right)]
            return [self.torch.div(left, right, rounding_mode="trunc")]

        return run
