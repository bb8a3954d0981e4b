# SPDX-License-Identifier: Apache-2.0
"""check(), assert_conforms() and accept() on arrays of numpy."""

import os
import threading

import ml_dtypes
import numpy as np
import pytest

import assay
from assay import _library

rng = np.random.default_rng(17)


def normal(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_product_of_matrices():
    a, b = normal(33, 65), normal(65, 17)
    verdict = assay.assert_conforms("dot_general", [a, b], a @ b)
    assert verdict and verdict.outcome == "conforms" and verdict.judged_count == 33 * 17
    assert "contracting=[1]x[0]" in verdict.inferred


def test_batches_are_leading_dimensions():
    a, b = normal(2, 3, 8, 5), normal(2, 3, 5, 4)
    assert assay.assert_conforms("dot_general", [a, b], a @ b).program.line.startswith(
        "stablehlo.dot_general batch=[0,1]x[0,1] contract=[3]x[2]"
    )


def test_where_numpy_would_repeat_a_matrix_for_each_batch_nothing_is_inferred():
    """With equal sizes the shapes agree, and a right kernel would be blamed."""
    for left, right in (((4, 4), (4, 4, 4)), ((3, 3, 4, 5), (3, 5, 6))):
        a, b = normal(*left), normal(*right)
        with pytest.raises(assay.InvalidArgument, match="name the dimensions"):
            assay.check("dot_general", [a, b], a @ b)
    for left, right in (((5,), (3, 5, 6)), ((2, 3, 5), (5,)), ((2, 3, 5), (5, 6)), ((5,), (5,))):
        a, b = normal(*left), normal(*right)
        assert assay.assert_conforms("dot_general", [a, b], np.asarray(a @ b)).outcome == "conforms"


def test_views_are_not_copied_and_have_strides():
    a, b = normal(64, 64), normal(64, 64)
    c = a.T[::2] @ b[:, ::-1]
    assert assay.assert_conforms("dot_general", [a.T[::2], b[:, ::-1]], c)
    assert assay.check("dot_general", [a[::2], b[:, ::-1]], c).outcome == "diverges"


def test_a_wrong_element_is_told():
    a, b = normal(8, 16), normal(16, 8)
    c = a @ b
    c[3, 5] *= np.float32(1.001)
    verdict = assay.check("dot_general", [a, b], c)
    assert not verdict and verdict.outcome == "diverges" and verdict.wrong_count == 1
    assert verdict.worst.index == (3, 5) and verdict.worst.got.number == float(c[3, 5])
    assert verdict.worst.low.number <= verdict.worst.exact.number <= verdict.worst.high.number
    assert np.argwhere(verdict.wrong()).tolist() == [[3, 5]]
    assert "assay judge" in verdict.replay


def test_the_message():
    a, b = normal(4, 6), normal(6, 4)
    c = (a.astype(np.float16) @ b.astype(np.float16)).astype(np.float32)
    with pytest.raises(assay.NonConforming) as told:
        assay.assert_conforms("dot_general", [a, b], c)
    text = str(told.value)
    for words in (
        "stablehlo.dot_general does not conform to contract 'wide'",
        "got  ",
        "permitted  ",
        "exact  ",
        "16 of 16 components",
        "F16_F16_F16",
        "inferred: ",
        "smallest case, to paste into a test:",
        "assay judge",
    ):
        assert words in text, text
    literal = text.split("to paste into a test:\n")[1].splitlines()[0].strip()
    with pytest.raises(assay.NonConforming):
        eval(literal, {"assay": assay, "np": np, "ml_dtypes": ml_dtypes})


def test_the_smallest_case_is_a_literal_however_long_it_is():
    a, b = normal(4, 100), normal(100, 4)
    with pytest.raises(assay.NonConforming) as told:
        assay.assert_conforms("dot_general", [a, b], a @ b * np.float32(1.01), contract="backend")
    literal = told.value.literal
    assert "f32[1,100], f32[100,1]: `literal` of this exception" in str(told.value) and literal not in str(told.value)
    assert literal.endswith(", contract='backend')")
    with pytest.raises(assay.NonConforming):
        eval(literal, {"assay": assay, "np": np})


def test_softmax_and_its_axis():
    x = normal(5, 40)
    assert assay.assert_conforms("softmax", [x], softmax(x), contract="backend")
    assert assay.assert_conforms("softmax", [x], softmax(x, 0), axis=0, contract="backend")
    assert assay.check("softmax", [x], softmax(x, 0), contract="backend").outcome == "diverges"


def layer_norm(x, weight, bias, epsilon=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = np.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(epsilon)) * weight + bias


def test_layer_norm_and_what_it_may_leave_out():
    x, w, b = normal(6, 64), normal(64), normal(64)
    assert assay.assert_conforms("layer_norm", [x, w, b], layer_norm(x, w, b), axis=[-1], epsilon=1e-5)
    verdict = assay.assert_conforms("layer_norm", [x], layer_norm(x, 1, 0))
    assert {"weight=ones", "bias=zeros", "epsilon=1e-05"} <= set(verdict.inferred)
    verdict = assay.assert_conforms("layer_norm", [x, None, b], layer_norm(x, 1, b))
    assert "weight=ones" in verdict.inferred and "bias=zeros" not in verdict.inferred
    assert assay.assert_conforms("layer_norm", [x, w, None], layer_norm(x, w, 0)).inferred[-1] == "bias=zeros"


def test_scale_and_offset_of_a_batch_norm_may_be_left_out():
    x, scale = normal(16, 5), normal(5)
    mean, variance = x.mean(0), x.var(0)
    y = (x - mean) / np.sqrt(variance + np.float32(1e-5))
    verdict = assay.assert_conforms("batch_norm_training", [x], [y, mean, variance])
    assert {"scale=ones", "offset=zeros"} <= set(verdict.inferred)
    verdict = assay.assert_conforms("batch_norm_training", [x, scale], [y * scale, mean, variance])
    assert "offset=zeros" in verdict.inferred and "scale=ones" not in verdict.inferred


def test_the_reading_that_would_explain_a_result():
    x = normal(6, 64) * np.float32(1e-3)
    with pytest.raises(assay.NonConforming, match="conform with epsilon=0.001"):
        assay.assert_conforms("layer_norm", [x], layer_norm(x, 1, 0, 1e-3))
    outside = (x - x.mean(-1, keepdims=True)) / (
        np.sqrt(np.square(x - x.mean(-1, keepdims=True)).mean(-1, keepdims=True)) + np.float32(1e-5)
    )
    with pytest.raises(assay.NonConforming, match="conform with eps_outside_sqrt=True"):
        assay.assert_conforms("layer_norm", [x], outside)
    assert assay.assert_conforms("layer_norm", [x], outside, eps_outside_sqrt=True)


def variance_of(x, ddof=0):
    return x.astype(np.float64).var(-1, keepdims=True, ddof=ddof)


READINGS = {
    "norm_epsilon=larger": lambda x, eps: np.sqrt(np.maximum(variance_of(x), eps)),
    "norm_epsilon=larger-outside": lambda x, eps: np.maximum(np.sqrt(variance_of(x)), eps),
    "norm_variance=sample": lambda x, eps: np.sqrt(variance_of(x, 1) + eps),
    "eps_outside_sqrt=true,norm_variance=sample": lambda x, eps: np.sqrt(variance_of(x, 1)) + eps,
}


@pytest.mark.parametrize("reading", READINGS)
def test_readings_of_a_norm(reading):
    scales = np.array([[1e-4], [1e-2], [3e-2], [1]], np.float32)
    x = normal(4, 32) * scales
    mean = x.astype(np.float64).mean(-1, keepdims=True)
    y = ((x - mean) / READINGS[reading](x, 1e-3)).astype(np.float32)
    with pytest.raises(assay.NonConforming, match="it would conform with") as caught:
        assay.assert_conforms("layer_norm", [x], y, epsilon=1e-3)
    assert caught.value.verdict.reading == reading
    settings = [setting.split("=") for setting in reading.split(",")]
    keywords = {key: value == "true" if key == "eps_outside_sqrt" else value for key, value in settings}
    assert assay.assert_conforms("layer_norm", [x], y, epsilon=1e-3, **keywords)
    y[1, 3] *= np.float32(1.01)  # Then no reading explains all.
    assert assay.check("layer_norm", [x], y, epsilon=1e-3).reading == ""


def test_no_attribute_of_an_op_is_taken_for_a_permission():
    indices = np.int64([2, 0])
    assert assay.assert_conforms("one_hot", [indices], np.eye(3, dtype=np.float32)[indices], depth=3)
    for op in assay.ops():
        for seed in range(4):
            try:
                case = assay.draw(op, seed=seed)
            except assay.Unsupported:
                continue
            assert not any(assay._library.is_permission(op, key) for key in case.attributes), case
    assert assay._library.is_permission("dot_general", "depth")


def test_readings_of_pytorch_normalize_and_running_variance():
    x = normal(4, 8) * np.array([[1e-4], [1e-3], [1e-2], [1]], np.float32)
    norm = np.sqrt(np.square(x.astype(np.float64)).sum(-1, keepdims=True))
    y = (x / np.maximum(norm, 1e-2)).astype(np.float32)
    assert assay.check("l2_norm", [x], y, epsilon=1e-2).reading == "eps_outside_sqrt=true"
    added = (x / np.sqrt(norm * norm + 1e-4)).astype(np.float32)
    assert assay.check("l2_norm", [x], added, epsilon=1e-4).reading == "norm_epsilon=added"
    assert assay.assert_conforms("l2_norm", [x], added, epsilon=1e-4, norm_epsilon="added")
    v = normal(6, 3)
    mean, variance = v.astype(np.float64).mean(0), v.astype(np.float64).var(0)
    out = ((v - mean) / np.sqrt(variance + 2.0**-10)).astype(np.float32)
    results = [out, mean.astype(np.float32), v.astype(np.float64).var(0, ddof=1).astype(np.float32)]
    inputs = [v, np.ones(3, np.float32), np.zeros(3, np.float32)]
    verdict = assay.check("batch_norm_training", inputs, results, epsilon=2.0**-10, feature_index=1)
    assert verdict.reading == "norm_variance=sample-returned"


def test_the_other_gelu_is_a_reading():
    x = normal(200)
    z = np.sqrt(2 / np.pi) * (x + 0.044715 * x.astype(np.float64) ** 3)
    verdict = assay.check("gelu", [x], (0.5 * x * (1 + np.tanh(z))).astype(np.float32))
    assert verdict.reading == "approximate=tanh"


def test_a_pad_value_in_a_softmax_is_no_inaccurate_function():
    """Errors of functions that add up over the terms explain any sum."""
    x = normal(4, 1000)
    e = np.exp(x - x.max(-1, keepdims=True), dtype=np.float64)
    padded = e / (e.sum(-1, keepdims=True) + 24 * np.exp(-x.max(-1, keepdims=True).astype(np.float64)))
    verdict = assay.check("softmax", [x], padded.astype(np.float32))
    assert (verdict.class_name, verdict.observed) == ("value", "")
    x = normal(4, 16)
    wrong = np.exp(x - x.max(-1, keepdims=True)).astype(np.float64) * (1 + 6e-5 * np.sin(1000 * x))
    inaccurate = (wrong / wrong.sum(-1, keepdims=True)).astype(np.float32)
    verdict = assay.check("softmax", [x], inaccurate)
    assert (verdict.class_name, verdict.observed) == ("precision", "inaccurate elementary functions")
    inaccurate[2, 7] *= np.float32(1.05)  # Which no inaccurate function explains.
    verdict = assay.check("softmax", [x], inaccurate)
    assert verdict.outcome == "diverges" and verdict.observed != "inaccurate elementary functions"


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_narrow_floats(dtype):
    a, b = normal(8, 32, dtype=dtype), normal(32, 8, dtype=dtype)
    wide = a.astype(np.float32) @ b.astype(np.float32)
    assert assay.assert_conforms("dot_general", [a, b], wide.astype(dtype), vacuous="pass")
    assert assay.assert_conforms("dot_general", [a, b], wide, vacuous="pass")


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, np.int8, np.uint16, np.int64])
def test_integers(dtype):
    x, y = (np.arange(6) % 3).astype(dtype), (np.arange(6) % 2).astype(dtype)
    total = (x.astype(np.int64) + y.astype(np.int64)).astype(dtype)
    assert assay.assert_conforms("add", [x, y], total)
    wrong = total.copy()
    wrong[2] = int(wrong[2]) + 1
    assert assay.check("add", [x, y], wrong).outcome == "diverges"


def test_booleans_and_complex_numbers():
    p = np.array([True, False, True])
    assert assay.assert_conforms("maximum", [p, ~p], p | ~p)
    z = (normal(7) + 1j * normal(7)).astype(np.complex64)
    assert assay.assert_conforms("add", [z, z], z + z)
    wrong = z + z
    wrong[4] += 1j
    verdict = assay.check("add", [z, z], wrong)
    assert (
        verdict.worst.index == (4,)
        and verdict.worst.part == "imaginary"
        and np.flatnonzero(verdict.wrong()).tolist() == [4]
    )


def test_quantized_tensors():
    kind = "!quant.uniform<i8:f32,0x1p-5>"
    x, q = normal(4, 16), rng.integers(-127, 128, (16, 4)).astype(np.int8)
    y = x @ (q.astype(np.float32) * np.float32(2**-5))
    assert assay.assert_conforms("dot_general", [x, assay.typed(q, kind)], y)


@pytest.mark.parametrize(
    ("written", "element"),
    [
        ("!quant.uniform<i8:f32,0x1p-5>", "!quant.uniform<i8:f32,0x1p-5>"),
        (f"!quant.uniform<i8:f32, {(0.03125).hex()}:0>", "!quant.uniform<i8:f32,0x1p-5>"),
        (f"!quant.uniform<i8:f32,{(0.75).hex()}:-3>", "!quant.uniform<i8:f32,0x1.8p-1:-3>"),
        ("!quant.uniform<i8<-128:127>:f32, 0.1:-12>", "!quant.uniform<i8:f32,0x1.99999ap-4:-12>"),
        ("!quant.uniform<u8<0:254>:f32, 2>", "!quant.uniform<ui8<0:254>:f32,0x1p+1>"),
        ("!quant.uniform<i8<-127:127>:f32:1, {0.5, 2.5e-1:7}>", "!quant.uniform<i8<-127:127>:f32:1,{0x1p-1,0x1p-2:7}>"),
        ("!quant.uniform<i4:bf16, 0.1>", "!quant.uniform<i4:bf16,0x1.9ap-4>"),
        ("bf16", "bf16"),
    ],
)
def test_quantized_types_may_be_written_as_mlir_and_python_write_them(written, element):
    assert assay.typed(np.zeros(2, np.int8), written).element == element


def test_quantized_types_that_are_none_are_refused_by_the_library():
    q = np.zeros(2, np.int8)
    for wrong in ("!quant.uniform<i8:f32,many>", "!quant.uniform<i8:f32,-0.5>", "!quant.uniform<i8:f99,0.5>"):
        with pytest.raises(assay.InvalidArgument):
            assay.check("uniform_dequantize", [assay.typed(q, wrong)], q.astype(np.float32))


def test_reductions_begin_with_what_is_neutral():
    x = normal(5, 30)
    verdict = assay.assert_conforms("reduce", [x], x.sum(1), dims=1)
    assert "initial value 0" in verdict.inferred
    assert assay.assert_conforms("reduce", [x, -np.inf], x.max(1), body="maximum", dims=[-1])
    assert assay.check("reduce", [x], x[:, :-1].sum(1), dims=1).outcome == "diverges"


def test_convolution_as_frameworks_have_it():
    x, k = normal(1, 2, 6), normal(3, 2, 3)
    y = np.stack([[sum(np.dot(x[0, c, i : i + 3], k[o, c]) for c in range(2)) for i in range(4)] for o in range(3)])[
        None
    ].astype(np.float32)
    assert assay.assert_conforms("convolution", [x, k], y)


def test_accept_sets():
    x = normal(40)
    low, high = assay.accept("reduce", [x, 0.0], body="add", dims=[0])
    assert low <= x.sum() <= high and high - low < 1e-4
    beyond = np.nextafter(np.float32(high), np.float32(np.inf))
    assert assay.check("reduce", [x, 0.0], np.float32(high), body="add", dims=[0])
    assert not assay.check("reduce", [x, 0.0], beyond, body="add", dims=[0])
    found = assay.accept_sets("add", [np.float32([np.inf, 1, -0.0]), np.float32([-np.inf, 1, -0.0])])[0]
    assert found.nan.tolist() == [True, False, False] and found.low[1] == found.high[1] == 2
    assert found.negative_zero.tolist() == [False, False, True]


def test_models():
    x = normal(3, 100)
    for model in ("sequential", "pairwise+fma", "lanes8"):
        assert assay.assert_conforms(
            "reduce", [x, 0.0], assay.simulate("reduce", [x, 0.0], model=model, dims=[1]), dims=[1]
        )
    wrong = assay.simulate("reduce", [x, 0.0], model="canary:drop_last_term", dims=[1])
    assert not assay.check("reduce", [x, 0.0], wrong, dims=[1])


def test_power():
    power = assay.power("softmax", [normal(2, 50)])
    assert 0 < power.ulps_median < 100 and power.elements > 0 and "ulp" in power.text


def test_nothing_is_evidence_of_nothing():
    big = np.full((1, 64), 3e38, np.float32)
    with pytest.raises(assay.NoEvidence):
        assay.assert_conforms("reduce", [np.concatenate([big, -big], 1), 0.0], np.float32([0]), dims=[1])
    assert assay.assert_conforms(
        "reduce", [np.concatenate([big, -big], 1), 0.0], np.float32([0]), dims=[1], vacuous="pass"
    )


def test_the_signature_of_torch_testing():
    from assay.testing import assert_close_to_spec

    x = normal(4, 20)
    assert assert_close_to_spec(softmax(x), "softmax", [x], contract="backend")
    with pytest.raises(AssertionError):
        assert_close_to_spec(softmax(x) * np.float32(1.001), "softmax", [x])


def test_threads_have_contexts_of_their_own():
    a, b = normal(32, 32), normal(32, 32)
    c = a @ b
    outcomes = []

    def work():
        outcomes.extend(assay.check("dot_general", [a, b], c).outcome for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == ["conforms"] * 80


def test_names_of_other_libraries_lead_to_ops():
    ops = {name.split(".", 1)[1] for name in _library.op_names()}
    assert set(_library._ELSEWHERE.values()) <= ops
    assert not set(_library._ELSEWHERE) & ops


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: assay.check("dot_generl", [1.0], 1.0), "is it 'dot_general'"),
        (lambda: assay.check("exp", [np.float32([1])], np.float32([1])), "is it 'exponential'"),
        (lambda: assay.check("matmul", [np.float32([[1]])] * 2, np.float32([[1]])), "is it 'dot_general'"),
        (
            lambda: assay.check("convolution", [np.zeros((1, 1, 4, 4), np.float32)] * 2, np.float32([1]), padding=1, stride=2),
            "has no attribute 'stride'",
        ),
        (lambda: assay.check("reduce", [np.float32([1])], np.float32(1), body="max"), "for body='max'"),
        (lambda: assay.check("gather", [np.float32([1]), np.int64([0])], np.float32([1])), "needs offset_dims="),
        (lambda: assay.check("softmax", [1.0], 1.0), "a number has no element type"),
        (
            lambda: assay.check("softmax", [np.float32([1])], np.float32([1]), axis=3),
            "dimension 3 of a tensor of rank 1",
        ),
        (lambda: assay.check("softmax", [np.float32([1])], np.float32([1]), contract="backnd"), "contract 'backnd'"),
        (lambda: assay.check("softmax", [np.float32([1])], np.float32([1]), axes=0), "axes"),
        (lambda: assay.check("softmax", ["x"], np.float32([1])), "is no tensor"),
        (lambda: assay.check("softmax", [np.array(["x"])], np.float32([1])), "none of StableHLO's"),
        (lambda: assay.check("top_k", [np.float32([1])], np.float32([1])), "needs k="),
        (lambda: assay.accept("reshape", [np.float32([1])]), "name them"),
        (lambda: assay.accept("convert", [np.float32([1])], result="f33"), "no element type is called"),
        (lambda: assay.check("add", [np.float32([1]), np.float32([1, 2])], np.float32([1])), "stablehlo.add"),
        (lambda: assay.check("softmax", [np.float32([1])], np.float32([1]), axis=0.5), "a dimension is an integer"),
        (lambda: assay.check("softmax", [np.float32([1])], np.float32([1]), axis=None), "a dimension is an integer"),
        (lambda: assay.check("softmax", np.float32([[1]]), np.float32([1])), "a list of operands is expected"),
        (lambda: assay.check("dot_general", [np.float32([[1]])], np.float32([[1]])), "are missing or do not fit"),
        (lambda: assay.check("add", [np.float32([1]), None], np.float32([1])), "operand 1 is missing"),
        (lambda: assay.check("negate", [np.float32([1])], np.float32([-1]), seed=-1), "a seed is 0 to"),
        (lambda: assay.check("negate", [np.float32([1])], np.float32([-1]), threads=1 << 40), "threads 0 to 1024"),
        (lambda: assay.check("negate", [np.float32([1])], np.float32([-1]), budget="2"), "a budget seconds"),
        (lambda: assay.check("one_hot", [np.int64([1])], np.float32([[1]]), depth=1 << 70), "attribute depth"),
        (lambda: assay.simulate("add", [np.float32([1]), np.float32([2])], model="no-such"), "no-such"),
        (lambda: assay.assert_conforms("erf", [np.float32([1])], np.float32([1]), vacuous="maybe"), "vacuous"),
    ],
)
def test_bad_arguments_are_told(call, words):
    with pytest.raises(assay.InvalidArgument, match=None) as told:
        call()
    assert words in str(told.value), str(told.value)


def test_large_tensors_by_threads_and_with_a_budget():
    x = np.random.default_rng(3).standard_normal((700, 256)).astype(np.float32)
    e = np.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    alone, together = (assay.check("softmax", [x], y, threads=threads) for threads in (1, 0))
    assert alone.outcome == together.outcome == "conforms" and repr(alone) == repr(together)
    y[::3, 7] *= np.float32(1.01)
    wrong = [assay.check("softmax", [x], y, threads=threads) for threads in (1, 2, 3)]
    assert {one.explanation for one in wrong} == {wrong[0].explanation} and wrong[0].wrong_count == 234
    assert all((one.wrong() == wrong[0].wrong()).all() for one in wrong)
    sampled = assay.check("softmax", [x], y, budget=1e-9)
    assert sampled.outcome == "diverges" and sampled.left_out_count > 0 and sampled.missed_one_in >= 10
    with pytest.raises(assay.InvalidArgument):
        assay.check("softmax", [x], y, threads=-1)


def rms_norm(x, weight, epsilon):
    x = x.astype(np.float64)
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight).astype(np.float32)


def test_ops_of_files(tmp_path):
    folder = os.path.join(os.path.dirname(__file__), "..", "..", "corpus", "ops")
    assert {"nn.rms_norm", "nn.silu"} <= set(assay.ops(folder))
    x, weight = normal(3, 16), normal(16)
    y = rms_norm(x, weight, 1e-3)
    assert assay.assert_conforms("nn.rms_norm", [x, weight], y, epsilon=1e-3)
    assert assay.assert_conforms("rms_norm", [x, weight], y, epsilon=1e-3)
    wrong = y.copy()
    wrong[1, 2] *= np.float32(1.0001)
    with pytest.raises(assay.NonConforming, match="assay judge --ops .*rms_norm.op"):
        assay.assert_conforms("nn.rms_norm", [x, weight], wrong, epsilon=1e-3)
    stored_less_one = rms_norm(x, 1 + weight.astype(np.float64), 1e-3)
    with pytest.raises(assay.NonConforming, match="it would conform with reading=weight-plus-one"):
        assay.assert_conforms("nn.rms_norm", [x, weight], stored_less_one, epsilon=1e-3)
    low, high = assay.accept("nn.rms_norm", [x, weight], result="f32", epsilon=0)
    assert np.all(low <= rms_norm(x, weight, 0)) and np.all(rms_norm(x, weight, 0) <= high)
    other = tmp_path / "other.op"
    other.write_text("op nn.silu\nsummary s\noperand x[N]\nresult y[N]\ny = x * 2\n")
    with pytest.raises(assay.InvalidArgument, match="declares nn.silu already"):
        assay.ops(other)
    own = tmp_path / "own.op"
    own.write_text("op my.double\nsummary s\noperand x[N...]\nresult y[N...]\ny = x * 2\n")
    assay.ops(own)
    report = assay.vet(lambda x: x * 2, op="my.double", types=["f32"], cases=50)
    assert report, report
    assert not assay.vet(lambda x: x * np.float32(2.0001), op="my.double", types=["f32"], cases=50)
