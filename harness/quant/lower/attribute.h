/* SPDX-License-Identifier: Apache-2.0 */
/* What export needs to know of attributes, read from their text (program_print_attributes()), since
 * this layer knows no op: lists of numbers, where axes go, how many terms a result has. */
#ifndef ASSAY_QUANT_LOWER_ATTRIBUTE_H
#define ASSAY_QUANT_LOWER_ATTRIBUTE_H

#include "harness/model/case.h"

/* The value of an attribute, in the arena, or NULL. */
const char *quant_attribute(const program_t *program, const char *key, arena_t *arena);

/* The numbers of the `which`-th list "[1,2]" in an attribute's value; returns how many, 0 where
 * there is none.  Letters count as -1. */
uint32_t quant_attribute_list(const program_t *program, const char *key, uint32_t which,
                              arena_t *arena, int64_t out_items[TYPE_RANK_MAX]);

/* The place of an item, a letter or number, in the `which`-th list; -1 if it is not there. */
int32_t quant_attribute_place(const program_t *program, const char *key, uint32_t which,
                              const char *item, arena_t *arena);

/* Of a valid convolution or dot_general: products in one result element; and the dimension of the
 * result along which dimension `axis` of the right operand runs, or -1. */
uint64_t quant_contraction_terms(const program_t *program, arena_t *arena);
int32_t quant_contraction_axis(const program_t *program, int32_t axis, arena_t *arena);

/* Of a valid reduce or reduce_window: the most terms of a result element, its initial value left
 * aside. */
uint64_t quant_reduction_terms(const program_t *program, arena_t *arena);

/* Of a valid reshape, transpose or broadcast_in_dim: the dimension of the result along which
 * dimension `axis` of the operand runs, in the same size; or -1. */
int32_t quant_movement_axis(const program_t *program, int32_t axis, arena_t *arena);

#endif
