# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops that work element by element, and those that move elements, in PyTorch: one
function each.  Moved are quantized elements too, as what is stored; of 16-bit and larger unsigned
integers and 8-bit floats PyTorch moves, and computes nothing."""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program, Unsupported
from shared_programs import elementwise_program, slicing_program

Run = Callable[..., list[Any]]


class TorchElementwise:
    asks_data = True  # Whether functions refuse what the data alone tell, which nothing can that is exported.

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.functions = {
            "stablehlo.add": torch.add,
            "stablehlo.subtract": torch.sub,
            "stablehlo.multiply": torch.mul,
            "stablehlo.maximum": torch.maximum,
            "stablehlo.minimum": torch.minimum,
            "stablehlo.negate": torch.neg,
        }
        self.movements: dict[str, Callable[[Program], Run]] = {
            "stablehlo.reshape": self._reshape,
            "stablehlo.transpose": self._transpose,
            "stablehlo.broadcast_in_dim": self._broadcast,
            "stablehlo.concatenate": self._concatenate,
            "stablehlo.slice": self._slice,
            "stablehlo.reverse": self._reverse,
        }

    def find(self, program: Program) -> Run:
        if program.op in self.movements:
            return self.movements[program.op](program)
        element = elementwise_program.plain_elementwise(program)
        if element == "i1":
            raise Unsupported("no arithmetic of booleans")
        if program.op == "stablehlo.shift_right_arithmetic":
            return self._shift(element)
        if program.op in ("stablehlo.maximum", "stablehlo.minimum") and element.startswith("complex"):
            raise Unsupported("no maximum or minimum of complex numbers")
        function = self.functions[program.op]  # Of as many operands as the op has.
        return lambda *operands: [function(*operands)]

    def _shift(self, element: str) -> Run:
        if not element.startswith("i"):
            raise Unsupported("shifts zeros into unsigned integers")

        def run(left: Any, amount: Any) -> list[Any]:
            if self.asks_data and bool((amount < 0).any()):  # Told by the data alone.
                raise Unsupported("documents shifts by negative amounts as undefined")
            return [self.torch.bitwise_right_shift(left, amount)]

        return run

    def _reshape(self, program: Program) -> Run:
        sizes = elementwise_program.reshaped(program)
        return lambda operand: [operand.reshape(sizes)]

    def _transpose(self, program: Program) -> Run:
        permutation = elementwise_program.transposed(program)
        return lambda operand: [operand.permute(permutation)]

    def _broadcast(self, program: Program) -> Run:
        order, sizes = elementwise_program.broadcast(program)
        shape = program.results[0].shape
        return lambda operand: [operand.permute(order).reshape(sizes).expand(shape)]

    def _slice(self, program: Program) -> Run:
        places = tuple(slice(*ends) for ends in slicing_program.sliced(program))
        return lambda operand: [operand[places]]

    def _reverse(self, program: Program) -> Run:
        dims = slicing_program.reversed_dimensions(program)
        return lambda operand: [self.torch.flip(operand, dims)]

    def _concatenate(self, program: Program) -> Run:
        dimension = elementwise_program.concatenated(program)
        return lambda *operands: [self.torch.cat(operands, dimension)]
