/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the ops, and what several of them share. */
#ifndef ASSAY_ORACLES_OPS_DATA_DEPENDENT_OP_OP_H
#define ASSAY_ORACLES_OPS_DATA_DEPENDENT_OP_OP_H

#include "oracles/ops/data_dependent/data_dependent.h"

extern const op_t repeat_op;
extern const op_t non_zero_op;
extern const op_t partition_op;
extern const op_t stitch_op;
extern const op_t select_op;

/* Whether a type is a list of integers of one of these types, ended by NULL. */
bool dependent_is_list(const type_t *type, const char *const *elements);

/* Whether a type is one of integers whose shape `data` begins with: a row of data for each. */
bool dependent_is_prefix(const type_t *type, const char *const *elements, const type_t *data);

/* Whether `rows` are some of the rows that data have for integers of shape `prefix`, one behind the
 * other. */
bool dependent_are_rows_behind(const type_t *rows, const type_t *prefix, const type_t *data);

/* Whether two types have the same elements and the same sizes but for the first dimension, which
 * both have. */
bool dependent_rows_are_alike(const type_t *a, const type_t *b);

/* Draws rows of any element type: a shape of rank 1 at least, with room for `reserve` times as many
 * elements. */
type_t dependent_draw_rows(rng_t *rng, const draw_limits_t *limits, int64_t reserve);

/* Writes 0 .. count - 1 to `out_order` in a random order. */
void dependent_draw_order(rng_t *rng, size_t count, size_t *out_order);

#endif
