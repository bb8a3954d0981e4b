/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of export, private to export*.c: the list of steps while it grows, and what is known of
 * the tensors inside the region that is being exported. */
#ifndef ASSAY_QUANT_LOWER_STATE_H
#define ASSAY_QUANT_LOWER_STATE_H

#include "harness/model/op.h"
#include "harness/quant/lower/export.h"
#include "harness/quant/lower/scale.h"

/* ---- The list (lower/emit.c) ----------------------------------------------------------------- */

typedef struct exporter {
  const quant_graph_t *graph;
  quant_lowering_t lowering;
  arena_t *arena;
  GArray *tensors;      /* quant_step_tensor_t */
  GArray *steps;        /* quant_step_t */
  GHashTable *names;    /* Of tensors, for unique_name(). */
  GHashTable *memo;     /* char *, owned: what was made -> number of its tensor. */
  GPtrArray *memo_keys; /* Of the memo, by increasing tensor. */
  GHashTable *folded;   /* char *, owned: a constant and its type -> const tensor_t *. */
  int32_t *values;      /* By value: the tensor that its producer made, or QUANT_NONE. */
  bool *is_region_done; /* By region: its steps are merged with those of another. */
  GArray *merged;       /* uint32_t: the regions of which that is so, in order of merging. */
  int32_t region;       /* To which steps are put down, or QUANT_NONE. */
  quant_step_counts_t counts;
} exporter_t;

void exporter_init(exporter_t *exporter, const quant_graph_t *graph, quant_lowering_t lowering,
                   arena_t *arena);
void exporter_deinit(exporter_t *exporter);

/* A place to go back to when a way to export a part turns out to be closed. */
typedef struct exporter_mark {
  guint tensor_count;
  guint step_count;
  guint merged_count;
  quant_step_counts_t counts;
} exporter_mark_t;
exporter_mark_t exporter_mark(const exporter_t *exporter);
void exporter_rewind(exporter_t *exporter, exporter_mark_t mark);

/* Adds a tensor; `name` is made unique by a number behind it. */
uint32_t exporter_add_tensor(exporter_t *exporter, const char *name, const type_t *type,
                             const tensor_t *constant);
const type_t *exporter_type(const exporter_t *exporter, uint32_t tensor);

/* The tensor of constant data: the same one for the same data. */
uint32_t exporter_constant(exporter_t *exporter, const char *name, const tensor_t *constant);

/* A constant integer tensor over the shape, all of whose elements are `value`. */
uint32_t exporter_splat(exporter_t *exporter, const element_t *element, const type_t *shape,
                        int64_t value);

/* A step that is to be added. */
typedef struct new_step {
  const program_t *program;
  const uint32_t *operands; /* Tensors, one for each operand of the program. */
  const char *const *names; /* Of the results' tensors. */
  const type_t *declared;   /* Types of these: the program's but for quantization. */
} new_step_t;

/* Adds a step; out_tensors has its results.  STATUS_UNSUPPORTED, with nothing added, if the program
 * is not valid. */
status_t exporter_emit(exporter_t *exporter, const new_step_t *step, uint32_t *out_tensors,
                       failure_t *error);

/* A step of an op without attributes; `seen` are the types that it sees of its operands.  The same
 * step gives the same tensor: it is there once. */
typedef struct simple_op {
  const char *name; /* "stablehlo.add" */
  uint32_t operand_count;
  uint32_t operands[2];
  type_t seen[2];
  type_t result;
} simple_op_t;
status_t exporter_emit_simple(exporter_t *exporter, const simple_op_t *op, const char *name,
                              const type_t *declared, uint32_t *out_tensor, failure_t *error);

/* A tensor that is to be had as another type. */
typedef struct tensor_conversion {
  uint32_t tensor;
  const type_t *from; /* As which it is seen. */
  const type_t *to;
  const char *name; /* Of the result. */
} tensor_conversion_t;

/* Converts by uniform_quantize, uniform_dequantize or convert; the tensor itself if the two types
 * are equal. */
status_t exporter_convert(exporter_t *exporter, const tensor_conversion_t *conversion,
                          uint32_t *out_tensor, failure_t *error);

/* ---- Inside a region (lower/inner.c) --------------------------------------------------------- */

typedef enum inner_kind {
  INNER_FLOAT,       /* In high precision. */
  INNER_QUANTIZED,   /* Storage of a quantized type. */
  INNER_ACCUMULATOR, /* Integers that stand for themselves times a scale: zero points are 0. */
} inner_kind_t;

/* What a tensor of a region is while the region is exported. */
typedef struct inner_state {
  inner_kind_t kind;
  type_t type;    /* Accumulators of the fixed form: quantized, those of the integer form plain. */
  int32_t tensor; /* QUANT_NONE of constants that no step has used yet. */
  const tensor_t *constant; /* Its data, or NULL. */
  const char *name;         /* For the tensors of constants. */
  /* Not of floats: the scale of an element is scales[its index along `axis`], or the only one. */
  int32_t axis; /* Or -1. */
  uint32_t scale_count;
  const exact_scale_t *scales;
  uint64_t bound; /* No |stored - zero point| is larger. */
} inner_state_t;

typedef struct region_export {
  exporter_t *exporter;
  const quant_region_t *region;
  inner_state_t *states; /* By inner tensor. */
} region_export_t;

/* "REGION.INNER" and "REGION.INNER.SUFFIX", in the arena. */
const char *region_name(const region_export_t *self, uint32_t inner, const char *suffix);

inner_state_t state_of_float(const type_t *type, int32_t tensor, const tensor_t *constant,
                             const char *name);
inner_state_t state_of_quantized(exporter_t *exporter, inner_kind_t kind, const type_t *type,
                                 int32_t tensor, const tensor_t *constant, const char *name);

/* "i32" and the like with the shape of a type: what its bits are without quantization. */
type_t type_plain(const type_t *type);

/* The tensor of a state; constants become one now. */
uint32_t state_tensor(exporter_t *exporter, const inner_state_t *state);

/* The same numbers in high precision, as a tensor (accumulators of the integer form are not asked);
 * or with the parameters of `quantized`, by a conversion or, in the integer form, by integers.
 * Constants are folded as that conversion computes them. */
status_t state_to_float(exporter_t *exporter, const inner_state_t *state, uint32_t *out_tensor,
                        failure_t *error);

/* Likewise, then converted to the float type `wanted`, if that is another. */
status_t state_to_type(exporter_t *exporter, const inner_state_t *state, const type_t *wanted,
                       uint32_t *out_tensor, failure_t *error);
status_t state_to_quantized(exporter_t *exporter, const inner_state_t *state,
                            const type_t *quantized, inner_state_t *out_state, failure_t *error);

/* Whether all elements of both have the same scales. */
bool state_scales_equal(const inner_state_t *a, const inner_state_t *b);

bool state_is_constant_float(const inner_state_t *state);

/* Whether a constant float has an element that is NaN, which no integer stands for. */
bool state_has_nan(const inner_state_t *state);

/* Whether all elements of a constant float are the same, finite and positive. */
bool state_is_positive_splat(const inner_state_t *state, double *out_value);

/* Whether all elements of a constant float are zeros. */
bool state_is_zero(const inner_state_t *state);

/* The parameters that are derived for an inner tensor: those of the output port that it ends in,
 * reached by nothing but ops that keep parameters (maxima, minima, movement).  NULL if there are
 * none, or they are per axis. */
const quantization_t *region_target(const region_export_t *self, uint32_t inner,
                                    const element_t **out_storage);

/* The spec of the output port that an inner tensor is, if it is used for nothing else; or NULL. */
const quant_spec_t *region_port_spec(const region_export_t *self, uint32_t inner);

/* A type with the shape of `shape` and the target's parameters. */
type_t quantized_like(const type_t *shape, const element_t *storage,
                      const quantization_t *quantization);

/* What both quantized forms do alike (lower/passthrough.c): ops that keep parameters.  reshape,
 * transpose and broadcast_in_dim of storage, of accumulators, and of constants, which are folded;
 * concatenate, of operands that are first given the same parameters; maximum and minimum, and
 * reductions by them, of storage with the same parameters, constants quantized alike.  The fixed
 * form sees quantized types where these are per tensor, and all else is seen as plain integers:
 * the order of what is stored is that of the numbers. */
status_t region_move(region_export_t *self, const quant_op_t *op, failure_t *error);
status_t region_concatenate(region_export_t *self, const quant_op_t *op, failure_t *error);
status_t region_extremum(region_export_t *self, const quant_op_t *op, failure_t *error);
status_t region_reduce_extremum(region_export_t *self, const quant_op_t *op, failure_t *error);

/* Which of these an op is, by its name and body. */
bool op_is(const quant_op_t *op, const char *name);
bool op_reduces_by(const region_export_t *self, const quant_op_t *op, const char *body);

/* ---- The forms ------------------------------------------------------------------------------- */

/* One op in high precision: operands are dequantized, or widened from what they are stored as;
 * results stay floats. */
status_t region_float_op(region_export_t *self, const quant_op_t *op, failure_t *error);

/* One op on the 16-bit floats that its operands are stored as, constants rounded to them, with a
 * result of that type, or of its own where it is an output that stays in high precision.
 * STATUS_UNSUPPORTED where that cannot be. */
status_t region_narrow_op(region_export_t *self, const quant_op_t *op, failure_t *error);

/* One op on quantized types, or on accumulators.  STATUS_UNSUPPORTED where that cannot be. */
status_t region_fixed_op(region_export_t *self, const quant_op_t *op, failure_t *error);

/* One op on plain integers.  STATUS_UNSUPPORTED where that cannot be. */
status_t region_integer_op(region_export_t *self, const quant_op_t *op, failure_t *error);

/* ---- Integers (lower/integer.c, lower/rescale.c) --------------------------------------------- */

/* Accumulators of what is stored less zero points, as i32 (i64 where that may not hold them);
 * accumulators as they are. */
status_t state_to_centered(exporter_t *exporter, const inner_state_t *state,
                           inner_state_t *out_state, failure_t *error);

/* An accumulator's tensor as i32 or i64. */
status_t state_widen(exporter_t *exporter, inner_state_t *inout_state, const element_t *element,
                     failure_t *error);

/* Where scaling ends: the parameters, and the storage values within which results are clamped. */
typedef struct scaling_target {
  type_t type;
  const int64_t *lows; /* By channel of `type`. */
  const int64_t *highs;
} scaling_target_t;

/* Parameters of a quantized type, clamped to its storage range. */
scaling_target_t scaling_target_of(exporter_t *exporter, const type_t *type);

/* Scales an accumulator: one multiplication and one rounding shift (neither where scales are equal,
 * the shift alone where their quotient is a power of two), plus the zero point, clamped, converted.
 * With |accumulator| <= bound, multiplier and shift of multiplier_make(), the result is within
 *   1/2 + bound * 2^-(shift + 1)
 * storage steps of what the accumulator stands for, clamped: half a step is the shift's rounding
 * (ties up), the rest the multiplier's.  Products stay below 2^62, so nothing wraps. */
status_t state_scale(exporter_t *exporter, const inner_state_t *state,
                     const scaling_target_t *target, const char *name, uint32_t *out_tensor,
                     failure_t *error);

/* Converts between quantized types in integers; by stablehlo.uniform_quantize where their scales
 * are too far apart for that.  The tensor itself if the two types are equal. */
status_t exporter_rescale(exporter_t *exporter, const tensor_conversion_t *conversion,
                          uint32_t *out_tensor, failure_t *error);

#endif
