# SPDX-License-Identifier: Apache-2.0
"""@assay.cases, strategies, vet() and pytest's options, on kernels that are right and on others."""

import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import assay

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # Data overflow on purpose.

KERNELS = """
import numpy as np
import assay
import pytest

def matmul(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)

def without_last_term(a, b):
    return matmul(a[:, :-1], b[:-1])

def unshifted(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)

pytestmark = pytest.mark.filterwarnings("ignore")
"""


def test_a_right_kernel_passes():
    @assay.cases("dot_general", types="bf16,bf16->f32", n=40)
    def test(case):
        case.check(case.operands[0].astype(np.float32) @ case.operands[1].astype(np.float32))

    with np.errstate(all="ignore"):
        test()


def test_a_wrong_kernel_gets_its_smallest_case():
    @assay.cases("dot_general", types="f32", n=40)
    def test(case):
        a, b = case.operands
        case.check(a[:, :-1] @ b[:-1])

    with np.errstate(all="ignore"), pytest.raises(assay.NonConforming) as told:
        test()
    text = str(told.value)
    assert "made small from" in text and "f32[1,1], f32[1,1] -> f32[1,1]" in text, text
    literal = next(line for line in text.splitlines() if "assay.case(" in line).split("case = ")[1]
    again = eval(literal, {"assay": assay, "np": np})
    assert again.check(again.operands[0][:, :-1] @ again.operands[1][:-1]).outcome == "diverges"


def test_any_attributes_and_refusals():
    seen = set()

    @assay.cases("softmax", types="f32", n=30, usual=False, contract="backend,ftz=both")
    def test(case):
        axis = case.attribute("axis")[0]
        seen.add(axis - case.operands[0].ndim)
        if case.operands[0].ndim > 3:
            raise assay.Refused
        x = case.operands[0]
        e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
        case.check(e / e.sum(axis, keepdims=True))

    with np.errstate(all="ignore"):
        test()
    assert len(seen) > 1


def test_what_tests_nothing_fails():
    @assay.cases("erf", types="f32", n=3)
    def refuses(case):
        raise assay.Refused

    with pytest.raises(AssertionError, match="nothing was tested"):
        refuses()

    @assay.cases("erf", types="f32", n=3)
    def forgets(case):
        pass

    with pytest.raises(assay.InvalidArgument, match="did not call case.check"):
        forgets()


def test_hypothesis():
    import hypothesis

    @hypothesis.settings(max_examples=20, deadline=None, database=None)
    @hypothesis.given(assay_strategies().operands("stablehlo.reduce body=add dims=[1] f32[3,9] f32[] -> f32[3]"))
    def right(case):
        assert case.check(assay.simulate("reduce", case.operands, model="pairwise", dims=[1]))

    right()

    @hypothesis.settings(max_examples=20, deadline=None, database=None)
    @hypothesis.given(assay_strategies().cases("negate", types="f32"))
    def wrong(case):
        assert case.check(case.operands[0])

    with pytest.raises(AssertionError):
        wrong()


def assay_strategies():
    import assay.strategies

    return assay.strategies


def test_vet(tmp_path):
    database = tmp_path / "night.db"
    with np.errstate(all="ignore"):
        right = assay.vet(np.add, op="add", types=["f32"], cases=30, db=str(database))
        assert right, str(right)
        wrong = assay.vet(np.subtract, op="add", types=["f32"], cases=30, db=str(database))
    assert not wrong and wrong.failures
    with sqlite3.connect(database) as connection:
        assert connection.execute("select count(*) from finding").fetchone()[0] > 0


def test_vet_says_what_it_needs():
    with pytest.raises(assay.InvalidArgument, match="say which op"):
        assay.vet(np.add)
    with pytest.raises(assay.InvalidArgument, match="contract"):
        assay.vet(np.add, op="add", contract="no-such")


def test_the_command_line_is_there():
    ran = subprocess.run([sys.executable, "-m", "assay", "ops"], capture_output=True, text=True, check=True)
    assert "stablehlo.dot_general" in ran.stdout


def test_pytest_options(pytester):
    pytester.makepyfile(KERNELS + """
@assay.cases("dot_general", types="bf16,bf16->f32", n=300)
def test_right(case, tmp_path):
    assert tmp_path.exists()
    case.check(matmul(*case.operands))

@assay.cases("dot_general", types="f32,f32->f32", n=30)
def test_wrong(case):
    case.check(without_last_term(*case.operands))

@pytest.mark.assay_known(class_="formula")
@pytest.mark.assay_known(class_="nan")
@assay.cases("softmax", types="f32", n=30, contract="backend,ftz=both")
def test_known(case):
    case.check(unshifted(*case.operands))
""")
    ran = pytester.runpytest_subprocess("--assay-cases", "20", "--assay-seed", "5", "--junitxml=told.xml", "-q")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "*test_right: 20 cases of stablehlo.dot_general*would have shown an error above*ulp*",
            "*test_known: 20 cases*known*",
        ]
    )
    ran.stdout.no_fnmatch_line("*_cases.py:*in run_cases*")
    told = xml.etree.ElementTree.parse(pytester.path / "told.xml")
    found = {p.get("name"): p.get("value") for p in told.iterfind(".//testcase[@name='test_right']//property")}
    assert found["assay_cases"] == "20" and found["assay_op"] == "stablehlo.dot_general"


def test_known_findings_in_a_file(pytester):
    pytester.makepyfile(KERNELS + """
@assay.cases("dot_general", types="f32,f32->f32", n=20)
def test_wrong(case):
    case.check(without_last_term(*case.operands))
""")
    pytester.makefile(".txt", known="# what we know\nstablehlo.dot_general *\n")
    pytester.runpytest_subprocess("--assay-known", "known.txt").assert_outcomes(passed=1)
    pytester.makefile(".txt", bad="stablehlo.dot_general\n")
    ran = pytester.runpytest_subprocess("--assay-known", "bad.txt")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*bad.txt:1: expected OP CLASS TEXT*"])


def test_a_database(pytester):
    pytester.makepyfile(KERNELS + """
@assay.cases("add", types="f32", n=20)
def test_wrong(case):
    case.check(case.operands[0] - case.operands[1])
""")
    ran = pytester.runpytest_subprocess("--assay-db", "night.db")
    ran.assert_outcomes(failed=1)
    with sqlite3.connect(pytester.path / "night.db") as connection:
        assert connection.execute("select count(*) from finding").fetchone()[0] > 0
