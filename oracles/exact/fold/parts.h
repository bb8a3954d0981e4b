/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of fold/run.c that have files of their own. */
#ifndef ASSAY_ORACLES_EXACT_FOLD_PARTS_H
#define ASSAY_ORACLES_EXACT_FOLD_PARTS_H

#include "oracles/exact/fold/fold.h"

/* fold/combine.c: what one node of the tree does, for each kind of element. */
fold_value_t fold_combine_floats(const fold_t *fold, fold_value_t left, fold_value_t right);
fold_value_t fold_combine_complex(const fold_t *fold, fold_value_t left, fold_value_t right);
fold_value_t fold_combine_integers(const fold_t *fold, fold_value_t left, fold_value_t right);
fold_value_t fold_combine_indexed(const fold_t *fold, fold_value_t left, fold_value_t right);

/* A value that is no unrounded product any more. */
fold_value_t fold_settle(const fold_t *fold, fold_value_t value);

/* The low `bits` bits, sign-extended if `element` is signed, else zero-extended. */
uint64_t fold_extend(const element_t *element, unsigned bits, uint64_t value);

/* fold/tree.c: folds count >= 1 leaves by the tree of the schedule. */
fold_value_t fold_tree(const fold_t *fold, fold_value_t *leaves, size_t count, size_t output);

/* fold/long_sums.c: the same, with the faults that only long sums have; overwrites the leaves. */
fold_value_t fold_spoiled_sum(const fold_t *fold, fold_value_t *leaves, size_t count,
                              size_t output);

/* fold/block_faults.c: the faults that lose or repeat terms by their places; room for
 * FOLD_TERMS_ADDED_MAX more is behind the terms.  Returns how many there are then. */
enum { FOLD_TERMS_ADDED_MAX = 15 };
size_t fold_spoil_blocks(const fold_t *fold, fold_value_t *terms, size_t count);

/* fold/node_faults.c: whether the node of these two has a fault, and then what it gives. */
bool fold_spoil_node(const fold_t *fold, fold_value_t left, fold_value_t right,
                     fold_value_t *out_value);

/* The format that a fault narrows `format` to: f32 for f64, f16 for f32, f8E5M2 for 16 bits; others
 * stay as they are. */
const format_t *fold_narrower_format(const format_t *format);

/* A value of the accumulation type, which is one of floats, as that narrower type has it. */
double fold_narrow(const fold_t *fold, double value);

#endif
