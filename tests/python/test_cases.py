# SPDX-License-Identifier: Apache-2.0
"""@assay.cases, strategies, vet() and pytest's options, on kernels that are right and on others."""

import re
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


@pytest.mark.parametrize("op", ["softmax", "layer_norm", "batch_norm_training", "transpose", "arg_max", "dot_general", "reduce"])
def test_drawn_programs_are_such_that_operands_are_enough(op):
    for seed in range(1, 40):
        case = assay._cases.draw_usual(op, types="f32", strata=None, seed=seed, contract="wide")
        x = case.operands[0]
        if op == "softmax":
            assert case.attribute("axis") == [x.ndim - 1]
        elif op in ("layer_norm", "batch_norm_training"):
            dimension = x.ndim - 1 if op == "layer_norm" else min(1, x.ndim - 1)
            assert case.attribute("axis" if op == "layer_norm" else "feature_index") == [dimension]
            assert case.operands[1].shape == (x.shape[dimension],)
            assert abs(float.fromhex(case.attributes["epsilon"]) - 1e-5) < 1e-12
        elif op == "transpose":
            assert case.program.results[0].shape == x.shape[::-1]
        elif op == "arg_max":
            assert case.program.results[0].shape == x.shape[:-1]
        elif op == "dot_general":
            assert case.program.results[0].shape == np.matmul(*case.operands).shape and "algorithm" not in case.attributes
        else:
            assert case.program.results[0].shape == ()


def test_a_kernel_may_overwrite_its_operands():
    @assay.cases("add", types="f32", n=20)
    def test(case):
        a, b = case.operands
        a += b
        case.check(a)

    with np.errstate(all="ignore"):
        test()
    again = assay.case("stablehlo.add f32[1] f32[1] -> f32[1]", [np.float32([1]), np.float32([2])])
    again.operands[0][:] = 7
    assert again.check(np.float32([3])).outcome == "conforms" and not again.check(np.float32([9]))


class TestMethods:
    n = 0

    @assay.cases("negate", types="f32", n=5)
    def test_a_method(self, case):
        self.n += 1
        case.check(-case.operands[0])
        assert self.n > 0

    @pytest.mark.parametrize("sign", [-1])
    @assay.cases("negate", types="f32", n=5)
    def test_a_method_with_parameters(self, case, sign):
        case.check(case.operands[0] * np.float32(sign))


def test_what_a_test_asserts_of_a_verdict_does_not_hide_it():
    @assay.cases("negate", types="f32", n=5)
    def test(case):
        assert case.check(case.operands[0]), "my own words"

    with pytest.raises(assay.NonConforming, match="made small from"):
        test()


def test_an_exception_of_the_kernel_says_on_which_case():
    @assay.cases("negate", types="f32", n=5, strata="corner=1")  # Small: a large one has no literal.
    def test(case):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as told:
        test()
    if hasattr(told.value, "add_note"):
        assert told.value.__notes__[0].startswith('case 0 of seed 1: assay.case("stablehlo.negate f32[')


def test_a_literal_has_the_contract():
    @assay.cases("negate", types="f32", n=5, contract="spec")
    def test(case):
        case.check(case.operands[0])

    with pytest.raises(assay.NonConforming) as told:
        test()
    assert told.value.literal in str(told.value) and told.value.literal.endswith(", 'spec')")


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
        right = assay.vet(np.add, op="add", types=np.float32, cases=30, db=str(database))
        assert right, str(right)
        wrong = assay.vet(np.subtract, op="add", types=["f32"], cases=30, db=str(database))
    assert not wrong and wrong.failures
    with sqlite3.connect(database) as connection:
        assert connection.execute("select count(*) from finding").fetchone()[0] > 0


def test_vet_of_a_callable_that_gets_operands_alone(tmp_path):
    """As the README has it: a right product of matrices passes, under the same name each time."""
    database = tmp_path / "night.db"
    with np.errstate(all="ignore"):
        for kernels in (np.matmul, {"dot_general": np.matmul}):
            report = assay.vet(kernels, op="dot_general", types=["f32"], cases=40, db=database, name="mine")
            assert report and re.search("judged [34][0-9]: proc:python-kernel mine", str(report)), str(report)
        wrong = assay.vet(lambda a, b: a[:, :-1] @ b[:-1], op="dot_general", types=["f32"], cases=40, db=database, name="wrong")
    assert not wrong
    with sqlite3.connect(database) as connection:
        assert [name for (name,) in connection.execute("select name from executor order by 1")] == [
            "proc:python-kernel mine",
            "proc:python-kernel wrong",
        ]
        small = [line for (line,) in connection.execute("select small_case_line from finding where is_shrunk")]
    assert any("batch=[]x[] contract=[1]x[0] f32[1,1] f32[1,1]" in line for line in small), small


def test_vet_of_a_callable_that_raises_or_refuses():
    def raises(x):
        raise ZeroDivisionError("by nothing")

    report = assay.vet(raises, op="negate", types="f32", cases=5)
    assert not report and len(report.failures) == 1 and "ZeroDivisionError: by nothing" in str(report)

    def refuses(x):
        raise NotImplementedError

    report = assay.vet(refuses, op="negate", types=["f32"], cases=5)
    assert not report and "judged 0 of 5" in report.failures[0]


def test_vet_says_what_it_needs():
    with pytest.raises(assay.InvalidArgument, match="say which op"):
        assay.vet(np.add)
    with pytest.raises(assay.InvalidArgument, match="contract"):
        assay.vet(np.add, op="add", contract="no-such")
    for cases in (0, "ten", 1.5):
        with pytest.raises(assay.InvalidArgument, match="a number of cases is expected, at least one"):
            assay.vet(np.add, op="add", cases=cases)
    for kernels in ({}, 3, {"add": 3}, [np.add]):
        with pytest.raises(assay.InvalidArgument, match="a callable is expected, or a dictionary of callables by op"):
            assay.vet(kernels)


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
            "*test_right: 20 cases of stablehlo.dot_general*half of the elements measured would have shown *error*",
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
    """Beside the same verdicts: a right kernel of operands alone stays right."""
    pytester.makepyfile(KERNELS + """
@assay.cases("add", types="f32", n=20)
def test_wrong(case):
    case.check(case.operands[0] - case.operands[1])

@assay.cases("dot_general", types="bf16,bf16->f32", n=40)
def test_right(case):
    case.check(matmul(*case.operands))

@pytest.mark.assay_known()
@assay.cases("dot_general", types="f32", n=20)
def test_known(case):
    case.check(without_last_term(*case.operands))
""")
    for round in (1, 2):
        ran = pytester.runpytest_subprocess("--assay-db", "night.db")
        ran.assert_outcomes(failed=1, passed=2)
        ran.stdout.fnmatch_lines(["*made small from stablehlo.add*", "*test_wrong: 20 cases of stablehlo.add; 20 wrong*"])
    with sqlite3.connect(pytester.path / "night.db") as connection:
        names = [name for (name,) in connection.execute("select distinct executor from finding order by 1")]
        assert names == ["proc:python-kernel test_known", "proc:python-kernel test_wrong"]
        names = [name for (name,) in connection.execute("select distinct name from executor order by 1")]
        assert names == [f"proc:python-kernel test_{which}" for which in ("known", "right", "wrong")]  # In both runs.


def test_vet_tells_a_kernel_the_attributes_that_it_takes():
    orders = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    for compare in (
        lambda a, b, *, comparison_direction: orders[comparison_direction](a, b),
        lambda a, b, comparison_direction: orders[comparison_direction](a, b),
        lambda a, b, **words: orders[words["comparison_direction"]](a, b),
    ):
        report = assay.vet(compare, op="compare", types="f32,f32->i1", cases=30)
        assert report, str(report)
    wrong = lambda a, b, *, comparison_direction: orders[comparison_direction](b, a)  # noqa: E731
    assert not assay.vet(wrong, op="compare", types="f32,f32->i1", cases=30)
    report = assay.vet(lambda x, *, permutation: x.transpose(permutation), op="transpose", types="f32", cases=30, usual=False)
    assert report, str(report)
    # Who names all attributes gets all programs: reversed dimensions alone, which a call may leave out, are their own inverse.
    assert assay.vet(lambda x, *, permutation: x.transpose(permutation), op="transpose", types="f32", cases=30)
    assert not assay.vet(lambda x, *, permutation: x.transpose(np.argsort(permutation)), op="transpose", types="f32", cases=30)
    with pytest.raises(assay.InvalidArgument, match=r"let it take some of comparison_direction.*def kernel"):
        assay.vet(np.equal, op="compare", types="f32,f32->i1", cases=5)
    with pytest.raises(assay.InvalidArgument, match="have attributes that a kernel has to be told"):
        assay.vet(lambda x: x, op="l2_norm", types="f32", cases=5)


def test_vet_draws_nothing_that_a_kernel_is_not_told():
    def largest(x, *, k):  # Of the last axis, as a call that says no other has it.
        order = np.argsort(-x.astype("i8"), axis=-1, kind="stable")[..., :k]
        return [np.take_along_axis(x, order, -1), order.astype(np.int32)]

    report = assay.vet(largest, op="top_k", types="i8->i8,i32", cases=40)
    assert report, str(report)
    with pytest.raises(assay.InvalidArgument, match=r"let it take some of k, axis, sorted by name"):
        assay.vet(lambda x, *, sorted: x, op="top_k", types="i8->i8,i32", cases=5)


@pytest.mark.parametrize("types", ["f64", "complex<f64>"])
def test_a_number_of_numpys_has_its_type(types):
    assert assay.vet(np.add, op="add", types=types, cases=30)  # numpy.float64, of tensors of one number, is a float, too.
