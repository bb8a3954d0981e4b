# SPDX-License-Identifier: Apache-2.0
"""vet(): a Python callable under the command line, as one of its executors: the same draws, shrinking, database and report.

The program assay is a process of its own; it starts a relay as the executor's process, which hands what it is asked to this
process, where the callable is."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy

from . import _command
from ._cases import Case, Refused, _is_alike, _Stop, draw, draw_usual, has_usual_attributes
from ._library import AssayError, EnvironmentFailure, InvalidArgument, contract_of, loaded_ops, op_name
from ._programs import Program, program_from_line, program_of
from ._tensors import element_of

Kernel = Callable[..., Any]


@dataclass
class VetReport:
    """What `assay vet` found: its TAP, and whether all points passed.  True if they did."""

    tap: str
    exit_code: int

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def failures(self) -> list[str]:
        return re.findall(r"^not ok \d+ - (.*)$", self.tap, re.MULTILINE)

    def __str__(self) -> str:
        return self.tap


def _worker_class(kernels: Mapping[str, Kernel], types: Sequence[str], name: str, version: str) -> Any:
    worker_module = _command.worker_module()

    class Callables(worker_module.Worker):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            self.name, self.version = name, version

        def compile(self, program: Any) -> Any:
            if program.op not in kernels:
                raise worker_module.Unsupported(f"no callable for {program.op}")
            if types and not any(_fits(program, wanted) for wanted in types):
                raise worker_module.Unsupported(f"not of the types asked for: {', '.join(types)}")
            return program.line

        def execute(self, handle: str, operands: list[numpy.ndarray]) -> list[Any]:
            case = Case(program_from_line(handle), operands, "wide")
            case._sink = case.program.empty_results()
            try:
                _call(kernels[case.op], case)
            except _Stop:
                return case._sink
            except (Refused, NotImplementedError) as refusal:
                raise worker_module.Unsupported(str(refusal) or "refused") from refusal
            raise TypeError("the test did not call case.check() with the kernel's results")

    return Callables()


def _value(text: str) -> Any:
    """3, 0x1p-17, true, [1,2] as what they are; words as they are."""
    try:
        return float.fromhex(text) if "0x" in text else json.loads(text)
    except ValueError:
        return text


def _asked_for(kernel: Kernel, names: Iterable[str], operand_count: int) -> list[str]:
    """The attributes that a kernel takes by name, beside its operands; all of them where it takes any keyword."""
    try:
        parameters = list(inspect.signature(kernel).parameters.values())
    except (TypeError, ValueError):  # Of some functions in C none is known.
        return []
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return list(names)
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [one.name for one in parameters if one.kind in places]
    words = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY} | set(positional[operand_count:])
    return [name for name in names if name in words]


def _call(kernel: Kernel, case: Case) -> None:
    if getattr(kernel, "_takes_case", False):
        kernel(case)
        return
    said = case.attributes
    words = {name: _value(said[name]) for name in _asked_for(kernel, said, len(case.operands))}
    returned = kernel(*case.operands, **words)
    case.check(*(returned if isinstance(returned, (list, tuple)) else [returned]))


def _fits(program: Any, wanted: str) -> bool:
    """Whether a program has the types: one for all of them, or all as in "bf16,bf16->f32"."""
    operands = [kind.element for kind in program.operands]
    results = [kind.element for kind in program.results]
    if "->" not in wanted and "," not in wanted:
        return all(element == wanted for element in operands + results)
    return wanted.replace(" ", "") == ",".join(operands) + "->" + ",".join(results)


def _serve(listener: socket.socket, worker: Any, calls: threading.Lock, ended: threading.Event) -> None:
    """Answers every process that the program starts, one call of the kernel at a time."""
    server_class = _command.worker_module()._Server

    class Locked(server_class):  # type: ignore[misc, valid-type]
        def execute(self, number: str, size: str) -> None:
            with calls:
                super().execute(number, size)

    def answer(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as source, connection.makefile("wb") as sink:
            try:
                server = Locked(worker, source, sink)
                server.greet()
                server.serve()
            except (BrokenPipeError, ConnectionResetError, EOFError):
                pass  # The program ended, or gave up on a call.

    while not ended.is_set():
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        except OSError:
            return
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def run_under_command(
    kernels: Mapping[str, Kernel],
    arguments: Sequence[str],
    *,
    types: Sequence[str],
    name: str,
    version: str,
    echo: bool,
) -> tuple[int, str]:
    """Runs `assay ARGUMENTS --executor (the kernels)`: the exit code, and what was printed."""
    program = _command.program_path()
    worker = _worker_class(kernels, types, name, version)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, socket.socket(socket.AF_UNIX) as listener:
        path = os.path.join(folder, "kernels")
        listener.bind(path)
        listener.listen()
        listener.settimeout(0.2)
        ended = threading.Event()
        thread = threading.Thread(target=_serve, args=(listener, worker, threading.Lock(), ended), daemon=True)
        thread.start()
        # A name that is the same in each run, as databases know executors by it.
        script = os.path.join(folder, "python-kernel")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + " ".join(map(shlex.quote, [sys.executable, _command.relay_path(), path])) + "\n")
        os.chmod(script, 0o700)
        searched = os.pathsep.join(filter(None, [folder, os.environ.get("PATH")]))
        try:
            ran = subprocess.run(
                [program, *arguments, "--executor", f"proc:python-kernel {name}"],
                env={**os.environ, "PATH": searched, "ASSAY_OPS": loaded_ops()},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        except OSError as error:
            raise EnvironmentFailure(f"{program}: {error.strerror}") from error
        finally:
            ended.set()
            thread.join()
    if echo:
        sys.stdout.write(ran.stdout)
    if ran.returncode in (2, 3) and not ran.stdout.startswith("TAP"):  # A kernel that raises is a point that failed.
        raise (InvalidArgument if ran.returncode == 2 else EnvironmentFailure)(ran.stderr.strip() or ran.stdout.strip())
    return ran.returncode, ran.stdout


def _told(kernel: Kernel, program: Program) -> dict[str, Any]:
    """The attributes of a program that a kernel takes by name."""
    said = Case(program, [], "wide").attributes
    return {name: _value(said[name]) for name in _asked_for(kernel, said, len(program.operands))}


def _names_all(kernel: Kernel, program: Program) -> bool:
    """Whether a kernel names all attributes of a program as its own parameters, so that it can do any such program."""
    said = Case(program, [], "wide").attributes
    try:
        parameters = inspect.signature(kernel).parameters
    except (TypeError, ValueError):
        return False
    return bool(said) and set(said) <= set(parameters) and set(said) <= set(_told(kernel, program))


def _is_told_enough(kernel: Kernel, program: Program) -> bool:
    """Whether the attributes that a kernel is not told are those that a call may leave out beside the ones that it is told."""
    told = {} if getattr(kernel, "_takes_case", False) else _told(kernel, program)
    if not told:  # It gets programs whose attributes may all be left out, or _check_words() complains.
        return True
    try:
        return program_of(program.op, list(program.operands), list(program.results), told).line == program.line
    except AssayError:
        return False


def _of_such(kernel: Kernel, lines: Sequence[str]) -> Kernel:
    """The kernel, which refuses what it cannot do without being told attributes, where cases are made small: programs that are
    neither of these cases nor like them."""
    programs = {line.split(" : ", 1)[0] for line in lines}
    alike: dict[str, list[Program]] = {}
    for program in map(program_from_line, programs):
        alike.setdefault(program.op, []).append(program)

    def guarded(case: Case) -> None:
        program = case.program
        is_like = _names_all(kernel, program) or (
            _is_told_enough(kernel, program) and any(_is_alike(program, one) for one in alike.get(program.op, ()))
        )
        if program.line not in programs and not is_like:
            raise Refused
        _call(kernel, case)

    guarded._takes_case = True  # type: ignore[attr-defined]
    return guarded


@contextlib.contextmanager
def _recorded(lines: Sequence[str]) -> Iterator[str]:
    """A file of cases for --recorded."""
    with tempfile.NamedTemporaryFile("w", suffix=".cases", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        yield file.name


def _needs_words(op: str, names: Iterable[str]) -> InvalidArgument:
    names = list(names)
    return InvalidArgument(
        f"programs of {op} have attributes that a kernel has to be told: let it take some of {', '.join(names)} by "
        f"name, as in def kernel(x, *, {names[0]}), or any as **attributes"
    )


def _check_words(kernels: Mapping[str, Kernel], lines: Sequence[str]) -> None:
    """Complains of a kernel that cannot know what it is to compute, before it is blamed for that."""
    for program in map(program_from_line, {line.split(" : ", 1)[0] for line in lines}):
        kernel = kernels[program.op]
        names = Case(program, [], "wide").attributes
        is_told = getattr(kernel, "_takes_case", False) or _asked_for(kernel, names, len(program.operands))
        if not names or is_told or has_usual_attributes(program):
            continue
        raise _needs_words(program.op, names)


def _draw_line(kernel: Kernel, op: str, types: Optional[str], strata: Optional[str], seed: int, contract: str) -> str:
    """A case for which the operands, and the attributes that it takes by name, are all that a kernel has to know."""
    words: dict[str, Any] = {"types": types, "strata": strata, "contract": contract}
    for attempt in range(50):
        found = draw(op, seed=seed + (attempt << 40), **words)
        if not _names_all(kernel, found.program):
            found = draw_usual(op, seed=seed + (attempt << 40), **words)
            if not _is_told_enough(kernel, found.program):
                continue
        return found.line
    raise _needs_words(op, Case(found.program, [], "wide").attributes)


def _draw_lines(
    kernels: Mapping[str, Kernel], types: Sequence[str], cases: int, strata: Optional[str], seed: int, contract: str
) -> list[str]:
    """So many cases, in turn of each op and types, that the kernels can do."""
    wanted = [(op, one) for op in kernels for one in (types or (None,))]
    lines = []
    for drawn in range(cases):
        op, one = wanted[drawn % len(wanted)]
        lines.append(_draw_line(kernels[op], op, one, strata, seed * 1_000_003 + drawn, contract))
    return lines


def _spelled(types: Any) -> list[str]:
    """Element types as MLIR names them, of one or several: "f32", "float32", numpy.float32, or all of a program's, "i8,i8->i32"."""
    several = types if isinstance(types, (list, tuple, set, frozenset)) else [types]
    return [one if isinstance(one, str) and ("," in one or "->" in one) else element_of(one) for one in several]


def vet(
    kernels: Union[Kernel, Mapping[str, Kernel]],
    *,
    op: Optional[str] = None,
    types: Union[str, Sequence[Any]] = (),
    cases: int = 1000,
    seed: int = 1,
    contract: str = "wide",
    db: Optional[str] = None,
    strata: Optional[str] = None,
    shrink: bool = True,
    usual: bool = True,
    name: str = "",
    version: str = "0",
    echo: bool = False,
) -> VetReport:
    """Holds a callable (of `op`), or one for each op, against what conforms, as `assay vet` does with any executor.

    The callable gets the operands as numpy arrays and returns the result, or a list of them; where it raises
    NotImplementedError it refuses.  It is told the attributes that it takes by name, after the operands: kernel(x, *, epsilon), or
    all by **attributes.  What it does not take has the values that a call may leave out (a product is one of two matrices); a kernel
    that names all attributes of the op gets any program, and usual=False draws any.  `types`: "f32", numpy.float32, or all as in "bf16,bf16->f32", or a list
    of such; others are not shown to it.  `db`: a database, that `assay query` and `assay report` read, for findings and counts.  `echo`: print the TAP as well."""
    if callable(kernels):
        if op is None:
            raise InvalidArgument('say which op the callable is, as in op="dot_general"')
        found = {op_name(op): kernels}
        name = name or getattr(kernels, "__name__", "kernel")
    elif isinstance(kernels, Mapping) and kernels and all(map(callable, kernels.values())):
        found = {op_name(one): kernel for one, kernel in kernels.items()}
    else:
        raise InvalidArgument(f"a callable is expected, or a dictionary of callables by op, not {kernels!r}")
    if not isinstance(cases, (int, numpy.integer)) or cases < 1:
        raise InvalidArgument(f"cases={cases!r}: a number of cases is expected, at least one")
    contract_of(contract)  # Complains at once.
    types = _spelled(types)
    arguments = ["vet", "--seed", str(seed), "--contract", contract]
    for option, value in (("--db", db), ("--strata", strata)):
        arguments += [option, os.fspath(value)] if value else []
    arguments += ["--shrink"] if shrink else []
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", name or "kernels").strip("-") or "kernel"
    if not usual:
        arguments += ["--cases", str(cases), *(word for one in found for word in ("--op", one))]
        return VetReport(*reversed(run_under_command(found, arguments, types=types, name=safe, version=version, echo=echo)))
    lines = _draw_lines(found, types, cases, strata, seed, contract)
    _check_words(found, lines)
    guarded = {one: _of_such(kernel, lines) for one, kernel in found.items()}
    with _recorded(lines) as path:
        arguments += ["--recorded", path]
        return VetReport(*reversed(run_under_command(guarded, arguments, types=(), name=safe, version=version, echo=echo)))


def keep(op: str, run: Callable[[Case], None], lines: Sequence[str], db: str, name: str, contract: str, usual: bool) -> None:
    """Runs cases of a test of @assay.cases again, by the program, which keeps counts, and findings made small, in a database."""
    if not lines:
        return
    run._takes_case = True  # type: ignore[attr-defined]
    kernels = {op_name(op): _of_such(run, lines) if usual else run}
    with _recorded(lines) as path:
        arguments = ["run", "--recorded", path, "--contract", contract, "--db", os.fspath(db), "--shrink", "--fail-on", "never"]
        run_under_command(kernels, arguments, types=(), name=name, version="0", echo=False)
