/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op byteir.rng_normal: its constraints, random programs and data, and text. */
#include <math.h>

#include "oracles/ops/byteir_rng/byteir_rng.h"

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one result and four operands, or five with the shape",
                 "operands and results", byteir_rng_has_counts),
    OP_FORBIDDEN("numbers", "mean and standard deviation have rank 0",
                 "operands: mean, standard deviation", byteir_rng_has_scalar_numbers),
    OP_FORBIDDEN("seed", "seed and offset have rank 0", "operands: seed, offset",
                 byteir_rng_has_scalar_seed),
    OP_FORBIDDEN("shape", "the shape has rank 1 and an element for each dimension of the result",
                 "operands: shape", byteir_rng_fits_shape),
    OP_UNMODELLED("types",
                  "mean, standard deviation and the result, which has any shape, are unquantized "
                  "tensors of f16, bf16, f32 or f64, of the same, and all else is i64",
                  byteir_rng_is_modelled),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  byteir_rng_draw(&byteir_rng_normal_op, rng, limits, arena, out_program);
}

static double draw_number(rng_t *rng, int exponent_max) {
  int64_t fraction = rng_between(rng, -(1 << 20), 1 << 20);
  int64_t exponent = rng_between(rng, -exponent_max, exponent_max);
  return ldexp((double)fraction, (int)exponent - 20);
}

static void draw_parameters(rng_t *rng, const format_t *format, double *out_mean,
                            double *out_deviation) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  double largest = format_to_double(format, format->largest_bits);
  *out_mean = draw_number(rng, 4);
  *out_deviation = fabs(draw_number(rng, 4));
  switch (rng_below(rng, 24)) {
    case 0: /* One value, or one of few. */
      *out_deviation = 0;
      break;
    case 1:
      *out_deviation = fabs(*out_mean) * ldexp(1, -format->precision);
      break;
    case 2:
      *out_mean = smallest * (double)rng_between(rng, -20, 20);
      *out_deviation = smallest * (double)rng_between(rng, 1, 20);
      break;
    case 3: /* Products and sums may overflow. */
      *out_mean = largest * (double)rng_between(rng, -4, 4) / 4;
      *out_deviation = largest * (double)rng_between(rng, 0, 4) / 4;
      break;
    case 4:
      *out_deviation = rng_one_in(rng, 2) ? (double)NAN : (double)INFINITY;
      break;
    case 5:
      *out_mean = rng_one_in(rng, 2) ? (double)NAN : -(double)INFINITY;
      break;
    case 6:
      *out_mean = copysign(0, *out_mean);
      break;
    case 7:
    case 8:
    case 9:
    case 10: /* As they were drawn. */
      break;
    default:
      *out_mean = 0;
      *out_deviation = 1;
      break;
  }
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  const format_t *format = inout_case->program.results[0].element->format;
  double mean, deviation;
  draw_parameters(rng, format, &mean, &deviation);
  byteir_rng_store(inout_case, BYTEIR_RNG_MEAN, format_from_double(format, mean));
  byteir_rng_store(inout_case, BYTEIR_RNG_DEVIATION, format_from_double(format, deviation));
  byteir_rng_store(inout_case, BYTEIR_RNG_SEED, byteir_rng_draw_seed(rng));
  byteir_rng_store(inout_case, BYTEIR_RNG_OFFSET, byteir_rng_draw_seed(rng));
}

/* Negative deviations, of which little can be told, mostly lose their sign. */
static void settle_operands(rng_t *rng, case_t *inout_case) {
  const format_t *format = inout_case->program.results[0].element->format;
  uint64_t deviation = byteir_rng_operand(inout_case, BYTEIR_RNG_DEVIATION);
  double value = format_to_double(format, deviation);
  if (value < 0 && !rng_one_in(rng, 16)) {
    byteir_rng_store(inout_case, BYTEIR_RNG_DEVIATION, format_from_double(format, -value));
  }
  byteir_rng_settle_shape(inout_case);
}

/* ---- The row --------------------------------------------------------------------------------- */

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "fills ");
  type_print(&program->results[0], out_text);
  g_string_append(out_text,
                  " with normal random numbers of a mean and a standard deviation, of a seed and "
                  "an offset");
  if (byteir_rng_has_shape(program)) g_string_append(out_text, "; its shape is an operand");
}

const op_t byteir_rng_normal_op = {
    .name = "byteir.rng_normal",
    .spec = "ByteIR, custom calls of its compiler, byteir.rng_normal",
    .summary = "normal random numbers of a seed and an offset",
    .attributes_bytes = 0,
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = byteir_rng_print_algorithm,
    .formulas = "rng_normal",
    .is_composite = true,
    .print_mlir = custom_call_print_shaped_mlir,
    .fits_dynamic = byteir_rng_fits_dynamic,
    .print_words = print_words,
    .draw_edges = draw_edges,
    .settle_operands = settle_operands,
};
