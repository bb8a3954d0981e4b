/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reduce: where the terms of each result element lie.
 * A program has N inputs, then N initial values as operands, and N results; all inputs have one
 * shape, so one reduce_slices_t serves them all. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_REDUCE_H
#define ASSAY_ORACLES_OPS_REDUCE_REDUCE_H

#include "harness/kinds/reduction.h"

static inline const reduce_attributes_t *reduce_attributes(const program_t *program) {
  return program->attributes;
}

/* N of a valid program. */
static inline uint32_t reduce_input_count(const program_t *program) {
  return program->operand_count / 2;
}

/* The types of its N inputs, accumulations and results. */
reduction_types_t reduce_types(const program_t *program);

/* Inputs, initial values, accumulations and results of a valid program are quantized, or none is.
 */
static inline bool reduce_is_quantized(const program_t *program) {
  return program->operands[0].quantization != NULL;
}

/* Whether its body is a program of elementwise ops, rather than one that has a name. */
static inline bool reduce_has_written_body(const program_t *program) {
  return reduce_attributes(program)->reduction.body == REDUCE_WRITTEN;
}

/* Whether the trees have terms alone (theory.md, T210): of quantized values, and of bodies that are
 * written out.  Other bodies have initial values that change nothing. */
static inline bool reduce_has_no_init(const program_t *program) {
  return reduce_attributes(program)->has_no_init;
}

/* The operand that holds the initial value of input `input`. */
static inline uint32_t reduce_init_operand(const program_t *program, uint32_t input) {
  return reduce_input_count(program) + input;
}

/* The dimensions of the inputs that stay, ascending: those of the results. */
dimension_list_t reduce_kept_dimensions(const program_t *program);

/* The dimensions of the inputs that go, ascending, whatever the order of the attribute. */
dimension_list_t reduce_reduced_dimensions(const program_t *program);

/* The terms of result element `output`, in the specification's order, are the input elements
 * output_base[output] + term_offset[term] for term = 0..term_count-1 (before conversion to the
 * accumulation type). */
typedef struct reduce_slices {
  size_t output_count;
  size_t term_count;         /* 0 for empty slices; 0 also if there is no output. */
  const size_t *output_base; /* output_count of them. */
  const size_t *term_offset; /* term_count of them. */
} reduce_slices_t;

/* The slices of a valid program; the arrays live in the arena. */
reduce_slices_t reduce_slices_make(const program_t *program, arena_t *arena);

#endif
