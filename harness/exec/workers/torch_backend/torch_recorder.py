# SPDX-License-Identifier: Apache-2.0
"""The calls of ATen that a program makes, written down while it runs: for quantized tensors, which make_fx cannot trace."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from assay_worker import Unsupported
from torch.utils._python_dispatch import TorchDispatchMode


class Recorder(TorchDispatchMode):
    """Code of a function `program`, and the tensors that it has from elsewhere, constant0, constant1, ..."""

    def __init__(self, operands: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.constants: list[torch.Tensor] = []
        self.names: dict[int, str] = {}
        self.kept: list[Any] = []  # So that no other tensor gets an id that is known.
        for i, operand in enumerate(operands):
            self._name(operand, f"given_{i}")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        words = [*map(self._text, args), *(f"{key}={self._text(value)}" for key, value in kwargs.items())]
        name = f"value{len(self.lines)}"
        self.lines.append(f"{name} = torch.ops.{func}({', '.join(words)})")
        self._name(result, name)
        return result

    def _name(self, value: Any, name: str) -> None:
        self.kept.append(value)
        if isinstance(value, torch.Tensor):
            self.names[id(value)] = name
        elif isinstance(value, (list, tuple)):
            for i, part in enumerate(value):
                self._name(part, f"{name}[{i}]")

    def _text(self, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self._text, value))}]"
        if not isinstance(value, torch.Tensor):
            return repr(value)
        if id(value) not in self.names:
            if value.is_quantized:
                raise Unsupported("a quantized tensor that no call has made")
            self._name(value, f"constant{len(self.constants)}")
            self.constants.append(value)
        return self.names[id(value)]

    def code(self, results: Sequence[torch.Tensor], count: int) -> str:
        given = ", ".join(f"given_{i}" for i in range(count))
        body = [*self.lines, f"return {self._text(list(results))}"]
        return "\n".join([f"def program({given}):", *(f"    {line}" for line in body)])


def record(run: Callable[..., Sequence[torch.Tensor]], operands: Sequence[torch.Tensor]) -> tuple[str, list[torch.Tensor]]:
    recorder = Recorder(operands)
    with recorder:
        results = run(*operands)
    return recorder.code(results, len(operands)), recorder.constants
