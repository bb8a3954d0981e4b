# SPDX-License-Identifier: Apache-2.0
"""pytest's options for tests of @assay.cases, what they saw in JUnit properties and in the summary, and known findings.

    pytest --assay-cases 2000 --assay-seed 7 --assay-contract backend --assay-db night.db --assay-known known.txt

A file of known findings has lines `OP CLASS TEXT`, where `*` is any op or class, and TEXT is a part of the explanation; so has the
marker @pytest.mark.assay_known(op="*", class_="flush", text="")."""

from __future__ import annotations

from typing import Any, Generator

import pytest

_KNOWN = pytest.StashKey[list[tuple[str, str, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "tensor operations held to what conforms")
    group.addoption("--assay-cases", type=int, metavar="N", help="cases that each test of @assay.cases judges")
    group.addoption("--assay-seed", type=int, metavar="N", help="seed of these cases")
    group.addoption(
        "--assay-contract", metavar="CONTRACT", help="what is permitted: spec, backend, wide, or changes to these"
    )
    group.addoption(
        "--assay-db",
        metavar="FILE",
        help="database to keep findings and counts in, for `assay query` and `assay report`",
    )
    group.addoption("--assay-known", metavar="FILE", help="findings that are known: lines OP CLASS TEXT")


def _read_known(path: str) -> list[tuple[str, str, str]]:
    known = []
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.partition("#")[0].split(None, 2)
                if not words:
                    continue
                if len(words) < 2:
                    raise pytest.UsageError(f"{path}:{number}: expected OP CLASS TEXT, with * for any op or class")
                known.append((words[0], words[1], words[2].strip() if len(words) > 2 else ""))
    except OSError as error:
        raise pytest.UsageError(f"--assay-known {path}: {error.strerror}") from error
    return known


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "assay_known(op, class_, text): divergences of @assay.cases that are known")
    cases = config.getoption("--assay-cases")
    if cases is not None and cases < 1:
        raise pytest.UsageError(f"--assay-cases {cases}: at least one")
    contract = config.getoption("--assay-contract")
    if contract is not None:
        from ._library import AssayError, contract_of

        try:
            contract_of(contract)
        except AssayError as error:
            raise pytest.UsageError(f"--assay-contract: {error}") from error
    path = config.getoption("--assay-known")
    config.stash[_KNOWN] = _read_known(path) if path else []


def _marked(item: pytest.Item) -> list[tuple[str, str, str]]:
    known = []
    for marker in item.iter_markers("assay_known"):
        unknown = set(marker.kwargs) - {"op", "class_", "text"}
        if marker.args or unknown:
            raise pytest.UsageError(f"{item.nodeid}: assay_known takes op=, class_= and text= alone")
        known.append((marker.kwargs.get("op", "*"), marker.kwargs.get("class_", "*"), marker.kwargs.get("text", "")))
    return known


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    from . import _runs

    config = item.config
    wanted = _runs.Settings(
        cases=config.getoption("--assay-cases"),
        seed=config.getoption("--assay-seed"),
        contract=config.getoption("--assay-contract"),
        db=config.getoption("--assay-db"),
        known=[*config.stash[_KNOWN], *_marked(item)],
    )
    told = _runs.Record()
    tokens = _runs.settings.set(wanted), _runs.record.set(told)
    try:
        return (yield)
    finally:
        _runs.settings.reset(tokens[0])
        _runs.record.reset(tokens[1])
        if told.op:
            item.user_properties += [
                ("assay_op", told.op),
                ("assay_cases", told.cases),
                ("assay_refused", told.refused),
                ("assay_vacuous", told.vacuous),
                ("assay_known", told.known),
                ("assay_summary", told.summary()),
            ]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call" and dict(report.user_properties).get("assay_op")
    ]
    if not reports:
        return
    terminalreporter.section("assay", sep="-")
    for report in reports:
        terminalreporter.line(f"{report.nodeid}: {dict(report.user_properties)['assay_summary']}")
