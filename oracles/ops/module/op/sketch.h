/* SPDX-License-Identifier: Apache-2.0 */
/* A module that is being drawn: values that are arguments, constants and results of steps, each
 * named by its place in a list.  Its text is written and parsed at last, with constants first. */
#ifndef ASSAY_ORACLES_OPS_MODULE_OP_SKETCH_H
#define ASSAY_ORACLES_OPS_MODULE_OP_SKETCH_H

#include "harness/draw/draw.h"
#include "harness/kinds/module/module.h"

enum { SKETCH_VALUES_MAX = 64, SKETCH_FACTORS_MAX = 1 << 18 };

/* A value: its place in sketch_t.values. */
typedef uint32_t sketch_value_t;

typedef struct sketch_step {
  type_t type;      /* Of the value; of a step with several results, of the first of these. */
  const char *op;   /* NULL: an argument or a constant. */
  const char *text; /* Attributes, each behind a space; or NULL. */
  const char *data; /* Of a constant; else NULL. */
  uint32_t number;  /* Of an argument. */
  uint32_t count;   /* Of operands. */
  uint32_t more;    /* Results that nobody takes, of `more_type`. */
  type_t more_type;
  sketch_value_t operands[CASE_OPERANDS_MAX];
} sketch_step_t;

typedef struct sketch {
  rng_t *rng;
  arena_t *arena;
  const draw_limits_t *limits;
  uint32_t argument_count;
  uint32_t count;
  sketch_step_t values[SKETCH_VALUES_MAX];
} sketch_t;

/* ---- Values ---------------------------------------------------------------------------------- */

const type_t *sketch_type(const sketch_t *sketch, sketch_value_t value);

/* An operand of the module; there must be room for one. */
sketch_value_t sketch_argument(sketch_t *sketch, const type_t *type);

/* A constant: all elements alike; or numbers of few bits, drawn. */
sketch_value_t sketch_splat(sketch_t *sketch, const type_t *type, double number);
sketch_value_t sketch_numbers(sketch_t *sketch, const type_t *type);

/* A constant or an argument, as the weights of a model are. */
sketch_value_t sketch_weight(sketch_t *sketch, const type_t *type);

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Any step with one result; `text` is copied. */
sketch_value_t sketch_apply(sketch_t *sketch, const char *op, const char *text,
                            const sketch_value_t operands[], uint32_t count, const type_t *result);

/* stablehlo.NAME of values of one type, whose type the result has. */
sketch_value_t sketch_unary(sketch_t *sketch, const char *name, sketch_value_t value);
sketch_value_t sketch_binary(sketch_t *sketch, const char *name, sketch_value_t left,
                             sketch_value_t right);

/* The value itself where it is of that type. */
sketch_value_t sketch_convert(sketch_t *sketch, sketch_value_t value, const element_t *element);

/* Dimension i of the value becomes dimension dims[i] of the shape. */
sketch_value_t sketch_broadcast(sketch_t *sketch, sketch_value_t value, const int64_t dims[],
                                const type_t *shape);

/* A value of rank 0 or 1, along dimension `dim` of a shape in the second case. */
sketch_value_t sketch_spread(sketch_t *sketch, sketch_value_t value, uint32_t dim,
                             const type_t *shape);

sketch_value_t sketch_transpose(sketch_t *sketch, sketch_value_t value,
                                const dimension_list_t *permutation);
sketch_value_t sketch_reshape(sketch_t *sketch, sketch_value_t value, uint32_t rank,
                              const int64_t dims[]);
sketch_value_t sketch_concatenate(sketch_t *sketch, const sketch_value_t values[], uint32_t count,
                                  uint32_t dim);

/* Along one dimension, which goes, by "add", "multiply", "maximum" or "minimum", from its neutral
 * number. */
sketch_value_t sketch_reduce(sketch_t *sketch, const char *body, sketch_value_t value,
                             uint32_t dim);

/* Matrices [..., m, k] and [..., k, n] (of which the leading dimensions are batches) to
 * [..., m, n]; with `is_transposed` the right one is [..., n, k]. */
sketch_value_t sketch_dot(sketch_t *sketch, sketch_value_t left, sketch_value_t right,
                          bool is_transposed);

/* ---- Choices --------------------------------------------------------------------------------- */

/* f32 most often, f16, bf16 or f64; that, or i32 or i8. */
const element_t *sketch_float(sketch_t *sketch);
const element_t *sketch_number(sketch_t *sketch);

/* A size from 1 on; a number of terms from 1 on. */
int64_t sketch_size(sketch_t *sketch, int64_t largest);
int64_t sketch_terms(sketch_t *sketch, int64_t largest);

/* A shape of that many dimensions at least, of at most limits.elements_max elements. */
type_t sketch_shape(sketch_t *sketch, const element_t *element, uint32_t rank_min,
                    uint32_t rank_max);

/* One of the names, which end with NULL. */
const char *sketch_one_of(sketch_t *sketch, const char *const names[]);

/* ---- The end --------------------------------------------------------------------------------- */

void sketch_begin(sketch_t *out_sketch, rng_t *rng, const draw_limits_t *limits, arena_t *arena);

/* The program that returns these values. */
void sketch_finish(const sketch_t *sketch, const sketch_value_t returns[], uint32_t count,
                   program_t *out_program);

#endif
