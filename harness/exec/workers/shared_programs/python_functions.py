# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's own, by the names of ops: option functions=FILE of the workers for NumPy, PyTorch and JAX.

The file is Python and has a dictionary FUNCTIONS:

    import torch
    FUNCTIONS = {
        "nn.silu": torch.nn.functional.silu,
        "nn.rms_norm": lambda x, weight, epsilon: torch.nn.functional.rms_norm(x, x.shape[-1:], weight, epsilon),
    }

A function gets the operands in their order, as the library's arrays, and the attributes by name: numbers, truth
values, lists, or text.  Quantized operands are what is stored; what that means is the keyword `quantization`, a list of
assay_worker.Quantization or None, of the operands and then of the results.  It returns the result, or a list of them.  What it cannot do it refuses by raising
NotImplementedError; a program with an attribute that is none of its arguments, or with quantized types where
`quantization` is none, is refused without it.
"""
from __future__ import annotations

import hashlib
import inspect
import json
import runpy
from typing import Any, Callable, Mapping

from assay_worker import Invalid, Program, Unsupported

Run = Callable[..., list[Any]]


class PythonFunctions:
    """Those of a file; of an empty path, none."""

    def __init__(self, path: str) -> None:
        self.functions: Mapping[str, Callable[..., Any]] = {}
        self.version = ""
        if path:
            self._load(path)

    def _load(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
        except OSError as error:
            raise Invalid(f"functions={path}: {error.strerror}") from error
        try:
            found = runpy.run_path(path).get("FUNCTIONS")
        except Exception as error:
            raise Invalid(f"functions={path}: {type(error).__name__}: {error}") from error
        if not isinstance(found, dict) or not all(map(callable, found.values())):
            raise Invalid(f"functions={path}: no dictionary FUNCTIONS from names of ops to functions")
        self.functions = found
        self.version = f", functions {digest[:8]}"

    def __bool__(self) -> bool:
        return bool(self.functions)

    def __contains__(self, op: str) -> bool:
        return op in self.functions

    def find(self, program: Program) -> Run:
        """What runs the program, for an op that is there."""
        function = self.functions[program.op]
        attributes = {key: _value(text) for key, text in program.attributes.items()}
        if program.is_quantized:
            kinds = [*program.operands, *program.results]
            attributes["quantization"] = [kind.quantization for kind in kinds]
        for key in attributes:
            if not _takes(function, key):
                raise Unsupported(f"the function takes no {key}")

        def run(*operands: Any) -> list[Any]:
            try:
                results = function(*operands, **attributes)
            except NotImplementedError as error:
                raise Unsupported(str(error) or f"{program.op} is not implemented") from error
            return list(results) if isinstance(results, (list, tuple)) else [results]

        return run


def _takes(function: Callable[..., Any], key: str) -> bool:
    """Whether it has an argument of that name; of what has no signature nobody knows, and it is called."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return any(a.kind is inspect.Parameter.VAR_KEYWORD or (a.name == key and a.kind in named) for a in arguments)


def _value(text: str) -> Any:
    """3, 0x1p-17, true, [1,2] as what they are; words as they are."""
    try:
        return float.fromhex(text) if "0x" in text else json.loads(text)
    except ValueError:
        return text
