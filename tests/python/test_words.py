# SPDX-License-Identifier: Apache-2.0
"""What a call may say in other words than Assay's own, and what the answer is where it may not."""

import numpy as np
import pytest

import assay

rng = np.random.default_rng(5)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def refused(*arguments, **attributes):
    with pytest.raises(assay.InvalidArgument) as told:
        assay.check(*arguments, **attributes)
    return str(told.value)


def test_dimensions_of_a_product():
    a, b = normal(2, 3, 4), normal(2, 4, 5)
    for words in (
        {"batch": ([0], [0]), "contracting": ([2], [1])},
        {"batch": (0, 0), "contracting": (2, -2)},
        {"batch": "[0]x[0]", "contracting": "[2]x[1]"},
        {
            "lhs_batching_dimensions": [0],
            "rhs_batching_dimensions": [0],
            "lhs_contracting_dimensions": [2],
            "rhs_contracting_dimensions": [1],
        },
    ):
        assert assay.check("dot_general", [a, b], a @ b, **words), words
    assert not assay.check("dot_general", [a, a], a @ a.transpose(0, 2, 1) * 2, batch=(0, 0), contracting=(2, 2))


def test_dimensions_that_are_none():
    a, b = normal(3, 4), normal(4, 5)
    assert "as in batch=([1], [0])" in refused("dot_general", [a, b], a @ b, batch=3)
    assert "as in contracting=([1], [0])" in refused("dot_general", [a, b], a @ b, contracting="1")
    for contract in (([1], [0]), [[1], [0]], 1):
        assert "contracting=([1], [0])" in refused("dot_general", [a, b], a @ b, contract=contract)
    with pytest.raises(assay.InvalidArgument, match="a contract is a text"):
        assay.vet(np.add, op="add", contract=["wide"])
    assert "it has batch, contracting, precision" in refused("dot_general", [a, b], a @ b, dimension_numbers=[0])


def test_what_most_gathers_leave_empty():
    table = normal(10, 4)
    words = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "slice_sizes": [1, 4]}
    for places in ([3, 0, 9], [[3], [0], [9]]):
        indices = np.array(places)
        extra = {"index_vector_dim": 1} if indices.ndim == 2 else {}
        verdict = assay.check("gather", [table, indices], table[[3, 0, 9]], **words, **extra)
        assert verdict and "operand_batching_dims=[]" in verdict.inferred
        assert not assay.check("gather", [table, indices], table[[3, 1, 9]], **words, **extra)
        assert np.array_equal(assay.simulate("gather", [table, indices], **words, **extra), table[[3, 0, 9]])
    assert "needs offset_dims=" in refused("gather", [table, np.array([3])], table[[3]])
    words["slice_sizes"] = [1]
    assert "slice_sizes" in refused("gather", [table, np.array([3])], table[[3]], **words)


def test_ops_that_are_elsewhere():
    x = normal(2, 4)
    assert "'nn.rms_norm'" in refused("rmsnorm", [x], x)  # Other tests add that op.
    assert "a file can declare it" in refused("scatter", [x], x)
    assert "no file can declare it" in refused("sort", [x], x)
    assert "is it 'gather'?" in refused("index_select", [x], x)


def test_values_that_an_attribute_has():
    x = normal(1, 1, 2, 2)
    assert "'mode', one of nearest, linear;" in refused("resize", [x, np.array([1, 1, 4, 4])], x, target_mode="size")
    assert "there are add, multiply, maximum" in refused("reduce", [x, np.float32(0)], x[0], body="sum", dims=[0])


def folded_norm(x, epsilon=np.float32(1e-5)):
    inverse = 1 / np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return x * inverse + -x.mean(-1, keepdims=True) * inverse


def test_rows_that_contradict_themselves():
    """Who folds a norm, or takes exp2 of rounded products, does not compute a row's numbers anew for each element."""
    ramp = (3 + (np.arange(16) * 37 % 16) / 8).astype(np.float32)
    x = np.tile(ramp, (3, 1))
    with pytest.raises(assay.NonConforming) as told:
        assay.assert_conforms("layer_norm", [x], folded_norm(x))
    text = str(told.value)
    assert "class shared" in text and "it would conform under: layer_norm=folded" in text
    assert "permitted  what agrees, by the numbers that a row shares" in text and "at least 1 of 48 components" in text
    assert assay.check("layer_norm", [x], folded_norm(x), layer_norm="folded")
    for rows in (8, 300):  # As one, and in blocks.
        x = normal(rows, 1000) * 3
        e = np.exp2((x - x.max(-1, keepdims=True)) * np.float32(1.4426950408889634))
        verdict = assay.check("softmax", [x], e / e.sum(-1, keepdims=True))
        assert verdict.class_name == "shared" and verdict.observed == "exp_by_exp2=yes"
