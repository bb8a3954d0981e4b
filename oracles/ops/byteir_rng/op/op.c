/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the op byteir.rng_uniform: operands instead of attributes, constraints, random programs,
 * text; and what both ops have in common. Bounds are drawn where rounding can leave the interval;
 * the shape operand is set to match the result. */
#include "oracles/ops/byteir_rng/byteir_rng.h"

#include <math.h>

#include "harness/draw/special_values.h"

enum { RANK_DRAWN_MAX = 5, SIZE_DRAWN_MAX = 64 };

static const element_t *index_element(void) { return element_named("i64"); }

static bool is_index(const type_t *type) {
  return type->element == index_element() && type->quantization == NULL;
}

bool byteir_rng_is_modelled(const program_t *program) {
  const type_t *operands = program->operands, *low = &operands[BYTEIR_RNG_LOW];
  const type_t *result = &program->results[0];
  for (uint32_t i = BYTEIR_RNG_SEED; i < program->operand_count; i++) {
    if (!is_index(&operands[i])) return false;
  }
  return byteir_is_float_tensor(low) && type_equal(low, &operands[BYTEIR_RNG_HIGH]) &&
         result->quantization == NULL && result->element == low->element;
}

bool byteir_rng_has_counts(const program_t *program) {
  bool has_operands =
      program->operand_count == BYTEIR_RNG_SHAPE || program->operand_count == BYTEIR_RNG_SHAPE + 1;
  return has_operands && program->result_count == 1;
}

bool byteir_rng_has_scalar_numbers(const program_t *program) {
  return program->operands[BYTEIR_RNG_LOW].rank == 0 &&
         program->operands[BYTEIR_RNG_HIGH].rank == 0;
}

bool byteir_rng_has_scalar_seed(const program_t *program) {
  return program->operands[BYTEIR_RNG_SEED].rank == 0 &&
         program->operands[BYTEIR_RNG_OFFSET].rank == 0;
}

bool byteir_rng_fits_shape(const program_t *program) {
  const type_t *shape = &program->operands[BYTEIR_RNG_SHAPE];
  if (!byteir_rng_has_shape(program)) return true;
  return shape->rank == 1 && shape->dims[0] == program->results[0].rank;
}

/* Sizes of the result that the shape operand tells. */
bool byteir_rng_fits_dynamic(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].dynamic_dims != 0) return false;
  }
  return byteir_rng_has_shape(program);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are one result and four operands, or five with the shape",
                 "operands and results", byteir_rng_has_counts),
    OP_FORBIDDEN("bounds", "low and high have rank 0", "operands: low, high",
                 byteir_rng_has_scalar_numbers),
    OP_FORBIDDEN("seed", "seed and offset have rank 0", "operands: seed, offset",
                 byteir_rng_has_scalar_seed),
    OP_FORBIDDEN("shape", "the shape has rank 1 and an element for each dimension of the result",
                 "operands: shape", byteir_rng_fits_shape),
    OP_UNMODELLED("types",
                  "low, high and the result, which has any shape, are unquantized tensors of f16, "
                  "bf16, f32 or f64, of the same, and all else is i64",
                  byteir_rng_is_modelled),
    OP_CONSTRAINTS_END,
};

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Nearly as many elements as the limits allow, half of the time: what is told of unknown generators
 * is told of many numbers. */
static void draw_dims(rng_t *rng, const draw_limits_t *limits, uint32_t rank, int64_t *out_dims) {
  bool is_large = rng_one_in(rng, 2);
  dimension_list_t order = draw_permutation(rng, rank);
  int64_t left = limits->elements_max;
  for (uint32_t i = 0; i < rank; i++) {
    bool is_last = i + 1 == rank;
    int64_t size = is_large ? rng_between(rng, 1, MIN(left, SIZE_DRAWN_MAX))
                            : draw_size(rng, limits->sizes, left);
    if (is_large && is_last) size = rng_between(rng, (left + 1) / 2, left);
    out_dims[order.dims[i]] = size;
    left /= MAX(size, 1);
  }
}

void byteir_rng_draw(const op_t *op, rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program) {
  *out_program = (program_t){.op = op, .operand_count = BYTEIR_RNG_SHAPE};
  out_program->attributes = arena_alloc_zeroed(arena, 0);
  const element_t *element = draw_element(rng, byteir_is_float, NULL);
  int64_t rank_max = MIN(limits->rank_max, (uint32_t)RANK_DRAWN_MAX);
  /* Higher ranks more often: the published generator hashes one index after another. */
  int64_t rank = MAX(rng_between(rng, 0, rank_max), rng_between(rng, 0, rank_max));
  int64_t dims[TYPE_RANK_MAX];
  draw_dims(rng, limits, (uint32_t)rank, dims);
  type_t *operands = out_program->operands;
  operands[BYTEIR_RNG_LOW] = operands[BYTEIR_RNG_HIGH] = type_make(element, 0, NULL);
  operands[BYTEIR_RNG_SEED] = operands[BYTEIR_RNG_OFFSET] = type_make(index_element(), 0, NULL);
  bool fits = limits->rank_max >= 1 && rank <= limits->elements_max;
  if (fits && rng_one_in(rng, 3)) {
    operands[BYTEIR_RNG_SHAPE] = type_make(index_element(), 1, &rank);
    out_program->operand_count = BYTEIR_RNG_SHAPE + 1;
  }
  out_program->result_count = 1;
  out_program->results[0] = type_make(element, (uint32_t)rank, dims);
}

static const op_t rng_uniform_op;

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  byteir_rng_draw(&rng_uniform_op, rng, limits, arena, out_program);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static double largest_of(const format_t *format) {
  return format_to_double(format, format->largest_bits);
}

/* The number some steps further up. */
static double step(const format_t *format, double number, int64_t steps) {
  int64_t largest = format_ordinal(format, format->largest_bits);
  int64_t ordinal = format_ordinal(format, format_from_double(format, number)) + steps;
  return format_to_double(format, format_from_ordinal(format, MIN(ordinal, largest)));
}

static double draw_number(rng_t *rng, int exponent_max) {
  int64_t fraction = rng_between(rng, -(1 << 20), 1 << 20);
  int64_t exponent = rng_between(rng, -exponent_max, exponent_max);
  return ldexp((double)fraction, (int)exponent - 20);
}

/* Of all bits set, so that low + fl(high - low) lies half a unit beyond it, and rounds up. */
static void draw_rounding_beyond(const format_t *format, double *out_low, double *out_high) {
  *out_high = ldexp(1, format->precision) - 1;
  *out_low = 1.5;
}

static void draw_bounds(rng_t *rng, const format_t *format, double *out_low, double *out_high) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  double largest = largest_of(format);
  int exponent = format->exponent_max / 2;
  *out_low = draw_number(rng, exponent);
  *out_high = draw_number(rng, exponent);
  switch (rng_below(rng, 32)) {
    case 0: /* One value; also both zeros. */
      *out_high = rng_one_in(rng, 4) ? copysign(0, *out_low) : *out_low;
      if (*out_high == 0) *out_low = copysign(0, *out_high);
      break;
    case 1:
    case 2: /* Few values. */
      *out_high = step(format, *out_low, rng_between(rng, 1, 9));
      break;
    case 3: /* Subnormal ones. */
      *out_low = smallest * (double)rng_between(rng, -20, 20);
      *out_high = smallest * (double)rng_between(rng, -20, 20);
      break;
    case 4: /* The difference may overflow. */
      *out_low = -largest * (double)rng_between(rng, 1, 4) / 4;
      *out_high = largest * (double)rng_between(rng, 1, 4) / 4;
      break;
    case 5:
      draw_rounding_beyond(format, out_low, out_high);
      break;
    case 6: /* Much less above zero than below it, or the other way round. */
      *out_low = -1;
      *out_high = rng_one_in(rng, 2) ? ldexp(1, -format->precision) : ldexp(1, 8);
      break;
    case 7:
      *out_high = rng_one_in(rng, 2) ? (double)NAN : (double)INFINITY;
      if (rng_one_in(rng, 2)) *out_low = -*out_high;
      break;
    case 8:
    case 9:
    case 10:
    case 11: /* As they were drawn. */
      break;
    default:
      *out_low = rng_one_in(rng, 3) ? -1 : 0;
      *out_high = 1;
      break;
  }
}

/* Both ends of the low and of the high half. */
uint64_t byteir_rng_draw_seed(rng_t *rng) {
  static const uint64_t ends[] = {0,          1,
                                  INT32_MAX,  (uint64_t)1 << 31,
                                  UINT32_MAX, UINT64_C(1) << 32,
                                  INT64_MAX,  (uint64_t)1 << 63,
                                  UINT64_MAX};
  return rng_one_in(rng, 2) ? rng_bits(rng) : ends[rng_below(rng, G_N_ELEMENTS(ends))];
}

void byteir_rng_store(const case_t *instance, uint32_t operand, uint64_t bits) {
  const tensor_t *tensor = &instance->operands[operand];
  element_store(tensor->type.element, tensor->data, 0, bits);
}

static void draw_edges(rng_t *rng, case_t *inout_case) {
  const format_t *format = inout_case->program.results[0].element->format;
  double low, high;
  draw_bounds(rng, format, &low, &high);
  byteir_rng_store(inout_case, BYTEIR_RNG_LOW, format_from_double(format, low));
  byteir_rng_store(inout_case, BYTEIR_RNG_HIGH, format_from_double(format, high));
  byteir_rng_store(inout_case, BYTEIR_RNG_SEED, byteir_rng_draw_seed(rng));
  byteir_rng_store(inout_case, BYTEIR_RNG_OFFSET, byteir_rng_draw_seed(rng));
}

void byteir_rng_settle_shape(case_t *inout_case) {
  if (!byteir_rng_has_shape(&inout_case->program)) return;
  const type_t *result = &inout_case->program.results[0];
  const tensor_t *shape = &inout_case->operands[BYTEIR_RNG_SHAPE];
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    element_store(shape->type.element, shape->data, dim, (uint64_t)result->dims[dim]);
  }
}

/* The shape is that of the result.  Bounds the wrong way round, of which little can be told, are
 * mostly put right. */
static void settle_operands(rng_t *rng, case_t *inout_case) {
  const type_t *result = &inout_case->program.results[0];
  const format_t *format = result->element->format;
  uint64_t low = byteir_rng_operand(inout_case, BYTEIR_RNG_LOW);
  uint64_t high = byteir_rng_operand(inout_case, BYTEIR_RNG_HIGH);
  bool is_reversed = format_to_double(format, low) > format_to_double(format, high);
  if (is_reversed && !rng_one_in(rng, 16)) {
    byteir_rng_store(inout_case, BYTEIR_RNG_LOW, high);
    byteir_rng_store(inout_case, BYTEIR_RNG_HIGH, low);
  }
  byteir_rng_settle_shape(inout_case);
}

/* ---- Text ------------------------------------------------------------------------------------ */

void byteir_rng_print_algorithm(const program_t *program, GString *out_text) {
  g_string_append(out_text, byteir_rng_has_shape(program) ? "dynamic" : "static");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append(out_text, "fills ");
  type_print(&program->results[0], out_text);
  g_string_append(out_text, " with random numbers from low to high, of a seed and an offset");
  if (byteir_rng_has_shape(program)) g_string_append(out_text, "; its shape is an operand");
}

/* ---- The row --------------------------------------------------------------------------------- */

static const op_t rng_uniform_op = {
    .name = "byteir.rng_uniform",
    .spec = "ByteIR Additional Ops, byteir.rng_uniform",
    .summary = "uniform random numbers of a seed and an offset",
    .attributes_bytes = 0,
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = byteir_rng_print_algorithm,
    .formulas = "rng_uniform",
    .is_composite = true,
    .print_mlir = custom_call_print_shaped_mlir,
    .fits_dynamic = byteir_rng_fits_dynamic,
    .print_words = print_words,
    .draw_edges = draw_edges,
    .settle_operands = settle_operands,
};

extern const op_t *const byteir_rng_ops[];
const op_t *const byteir_rng_ops[] = {&rng_uniform_op, &byteir_rng_normal_op, NULL};
