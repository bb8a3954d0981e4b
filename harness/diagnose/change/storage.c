/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized values were made otherwise: another rounding, wrapping instead of clamping, scales or
 * zero points left out, taken twice or of another tensor.  What an elementwise op of a few operands
 * stores is computed here in binary64 and compared to the bit (theory.md, T267). */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

/* How a stored value is made of a real number x = a op b: storage = end(rounding(x / scale) + zero
 * point). */
typedef enum deviation {
  AS_IT_IS,
#define DEVIATION(name, words) name,
#include "harness/diagnose/change/deviations.def"
#undef DEVIATION
} deviation_t;

static const struct {
  deviation_t deviation;
  const char *words;
} deviations[] = {
#define DEVIATION(name, words) {name, words},
#include "harness/diagnose/change/deviations.def"
#undef DEVIATION
};

/* What an op stores, or makes of what is stored. */
typedef enum stored {
  STORED_SUM,
  STORED_DIFFERENCE,
  STORED_PRODUCT,
  STORED_LARGER,
  STORED_SMALLER,
  STORED_NEGATIVE,
  STORED_QUOTIENT, /* Of a float, or a stored value, by a scale. */
  RESTORED,        /* The float that a stored value stands for. */
} stored_t;

static const struct {
  const char *name;
  stored_t stored;
} ops[] = {
#define STORING_OP(op, stored) {op, stored},
#include "generated/all_storing_ops.def"
#undef STORING_OP
};

/* A scale with its zero point, and the range of what is stored. */
typedef struct grid {
  double scale;
  int64_t zero_point;
  int64_t least, most;
} grid_t;

/* ---- Scales ---------------------------------------------------------------------------------- */

static size_t index_along(const type_t *type, size_t axis, size_t at) {
  size_t stride = 1;
  for (size_t i = axis + 1; i < type->rank; i++) stride *= (size_t)type->dims[i];
  return at / stride % (size_t)type->dims[axis];
}

static grid_t grid_of_type(const type_t *type, size_t at) {
  const quantization_t *from = type->quantization;
  size_t channel = from->axis >= 0 ? index_along(type, (size_t)from->axis, at) : 0;
  return (grid_t){.scale = from->scales[channel],
                  .zero_point = from->zero_points[channel],
                  .least = from->storage_min,
                  .most = from->storage_max};
}

/* The grid whose scale and zero point are operands 1 and 2, of one or one for each index along the
 * attribute axis; false if they are otherwise. */
static bool grid_of_operands(const case_t *instance, size_t at, grid_t *out_grid) {
  const tensor_t *scales = &instance->operands[1], *zero_points = &instance->operands[2];
  const element_t *element = zero_points->type.element;
  if (scales->type.element->format == NULL || !element_is_integer(element)) return false;
  size_t channel = 0;
  if (type_element_count(&scales->type) != 1) {
    g_autoptr(GString) text = g_string_new(NULL);
    program_print_attributes(&instance->program, text);
    const char *axis = strstr(text->str, " axis=");
    const type_t *type = &instance->program.results[0];
    if (axis == NULL) return false;
    const int64_t number = g_ascii_strtoll(axis + strlen(" axis="), NULL, 10);
    if (number < 0 || number >= type->rank) return false;
    channel = index_along(type, (size_t)number, at);
    if (channel >= type_element_count(&scales->type)) return false;
  }
  size_t place = type_element_count(&zero_points->type) == 1 ? 0 : channel;
  if (place >= type_element_count(&zero_points->type)) return false;
  const bool is_signed = element->kind == ELEMENT_SIGNED;
  const int64_t most = (INT64_C(1) << (element->bits - (is_signed ? 1 : 0))) - 1;
  const uint64_t bits = element_load(element, zero_points->data, place);
  *out_grid =
      (grid_t){.scale = format_to_double(scales->type.element->format,
                                         element_load(scales->type.element, scales->data, channel)),
               .zero_point = is_signed ? element_signed_value(element, bits) : (int64_t)bits,
               .least = is_signed ? -most - 1 : 0,
               .most = most};
  return element->bits <= 32;
}

/* ---- What is computed ------------------------------------------------------------------------ */

static double round_as(deviation_t deviation, double value) {
  switch (deviation) {
    case ROUNDED_TOWARD_ZERO:
      return trunc(value);
    case ROUNDED_DOWN:
      return floor(value);
    case ROUNDED_HALF_UP:
      return floor(value + 0.5);
    case ROUNDED_HALF_AWAY:
      return round(value);
    default:
      return nearbyint(value);
  }
}

/* What a number is made into before it is rounded to what is stored. */
static double scaled(deviation_t deviation, double value, const grid_t *grid) {
  if (deviation == SCALE_LEFT_OUT) return value;
  return deviation == SCALE_MULTIPLIED ? value * grid->scale : value / grid->scale;
}

/* What subnormal numbers are rounded by is at most a unit roundoff of this. */
static double underflow(const format_t *format) { return ldexp(1, format->exponent_min + 1); }

/* What is stored of a quotient. */
static double stored_of(deviation_t deviation, double quotient, const grid_t *grid) {
  double stored = round_as(deviation, quotient);
  if (deviation == SUM_TOWARD_ZERO) {
    stored = trunc(quotient + (double)grid->zero_point) - (double)grid->zero_point;
  }
  double zero_point = (double)grid->zero_point;
  if (deviation == ZERO_POINT_LEFT_OUT || deviation == ZERO_POINTS_LEFT_OUT) zero_point = 0;
  if (deviation == ZERO_POINT_SUBTRACTED || deviation == ZERO_POINTS_NEGATED) {
    zero_point = -zero_point;
  }
  if (deviation == ZERO_POINT_TWICE) zero_point *= 2;
  const double least = (double)grid->least, most = (double)grid->most;
  if (deviation == CLAMPED_BEFORE_ZERO_POINT) stored = CLAMP(stored, least, most);
  stored += zero_point;
  if (deviation == ZERO_POINT_AFTER_CLAMPING) stored = CLAMP(stored, least, most) + zero_point;
  bool wraps = deviation == WRAPPED || deviation == CLAMPED_BEFORE_ZERO_POINT;
  return wraps ? stored : CLAMP(stored, least, most);
}

/* A real number that was computed, and the magnitude of what was rounded on the way to it. */
typedef struct computed_real {
  double value;
  double magnitude;
} computed_real_t;

static computed_real_t as_it_came(double value) {
  return (computed_real_t){.value = value, .magnitude = fabs(value)};
}

/* The grid with the range that is held. */
static grid_t grid_of_storage(deviation_t deviation, const grid_t *grid, const element_t *element) {
  grid_t held = *grid;
  if (deviation != RANGE_IGNORED) return held;
  held.least = element_integer_min(element);
  held.most = (int64_t)MIN(element_integer_max(element), (uint64_t)INT64_MAX);
  return held;
}

/* What is stored of a real number, divided in a format.  Where such roundings may tell, nothing is
 * said (theory.md, T284). */
static computed_t store(deviation_t deviation, computed_real_t real, const grid_t *given,
                        const format_t *format, const element_t *element, uint64_t *out_bits) {
  enum { ROUNDINGS = 8, PRECISION_MIN = 4 };
  const grid_t own = grid_of_storage(deviation, given, element), *grid = &own;
  if (deviation == KEPT_AS_STORED) return COMPUTED_NONE;
  const double quotient = scaled(deviation, real.value, grid);
  /* A conversion to integers may give anything of what is beyond 32 bits. */
  if (isnan(quotient) || (deviation == WRAPPED && fabs(quotient) > 0x1p30)) return COMPUTED_ANY;
  if (format->precision < PRECISION_MIN) return COMPUTED_ANY;
  const double rounded =
      ldexp(ROUNDINGS, -format->precision) * (real.magnitude + underflow(format));
  const double error = fabs(scaled(deviation, rounded, grid));
  const double stored = stored_of(deviation, quotient, grid);
  const bool is_told = stored_of(deviation, quotient - error, grid) == stored &&
                       stored_of(deviation, quotient + error, grid) == stored;
  *out_bits = (uint64_t)(int64_t)stored & element_mask(element);
  return is_told ? COMPUTED_BITS : COMPUTED_ANY;
}

/* The bits as a number of the storage type, or of the type of its width with the other signedness.
 */
static int64_t read_stored(const element_t *element, uint64_t bits, bool is_other) {
  const bool is_signed = (element->kind == ELEMENT_SIGNED) != is_other;
  const unsigned unused = 64U - element->bits;
  return is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)(bits & element_mask(element));
}

/* The stored number less its zero point, before it is scaled. */
static double difference(deviation_t deviation, const element_t *element, uint64_t bits,
                         int64_t zero_point, uint32_t operand) {
  const bool is_of_both = deviation == OPERAND_AND_ZERO_POINT_OTHER_SIGN;
  const int64_t q = read_stored(element, bits, is_of_both || deviation == OPERAND_OTHER_SIGN);
  bool is_left_out = deviation == OPERAND_ZERO_POINT_LEFT_OUT ||
                     deviation == ZERO_POINTS_LEFT_OUT ||
                     (deviation == LEFT_ZERO_POINT_LEFT_OUT && operand == 0) ||
                     (deviation == RIGHT_ZERO_POINT_LEFT_OUT && operand == 1);
  if (is_left_out) zero_point = 0;
  bool is_negated = deviation == OPERAND_ZERO_POINT_ADDED || deviation == ZERO_POINTS_NEGATED;
  if (is_negated) zero_point = -zero_point;
  if (is_of_both) zero_point = read_stored(element, (uint64_t)zero_point, true);
  if (deviation == OPERAND_DIFFERENCE_WRAPPED) {
    return (double)read_stored(element, (uint64_t)(q - zero_point), false);
  }
  return (double)q - (double)zero_point;
}

/* The number that a stored one stands for. */
static double restored(deviation_t deviation, const tensor_t *tensor, size_t at, double scale,
                       uint32_t operand) {
  const element_t *element = tensor->type.element;
  const grid_t grid = grid_of_type(&tensor->type, at);
  const double whole = difference(deviation, element, element_load(element, tensor->data, at),
                                  grid.zero_point, operand);
  return deviation == OPERAND_SCALE_DIVIDED ? whole / scale : whole * scale;
}

static bool apply(stored_t stored, const double x[2], double *out_value) {
  switch (stored) {
    case STORED_SUM:
      *out_value = x[0] + x[1];
      return true;
    case STORED_DIFFERENCE:
      *out_value = x[0] - x[1];
      return true;
    case STORED_PRODUCT:
      *out_value = x[0] * x[1];
      return true;
    case STORED_LARGER:
      *out_value = fmax(x[0], x[1]);
      return true;
    case STORED_SMALLER:
      *out_value = fmin(x[0], x[1]);
      return true;
    case STORED_NEGATIVE:
      *out_value = -x[0];
      return true;
    default:
      return false;
  }
}

/* A binary op, or a negation, of quantized tensors. */
static computed_t compute_arithmetic(stored_t stored, deviation_t deviation, const case_t *instance,
                                     size_t at, uint64_t *out_bits) {
  const program_t *program = &instance->program;
  const uint32_t count = program->operand_count;
  const type_t *result = &program->results[0];
  double x[2] = {0, 0}, value;
  if (count < 1 || count > 2) return COMPUTED_NONE;
  for (uint32_t i = 0; i < count; i++) {
    const type_t *type = &instance->operands[i].type;
    if (type->quantization == NULL || !type_shapes_equal(type, result)) return COMPUTED_NONE;
  }
  grid_t grid = grid_of_type(result, at);
  for (uint32_t i = 0; i < count; i++) {
    const tensor_t *tensor = &instance->operands[i];
    uint32_t scaled = deviation == SCALE_OF_LEFT_FOR_BOTH ? 0 : i;
    if (deviation == SCALE_OF_RIGHT_FOR_BOTH) scaled = count - 1;
    double scale = grid_of_type(&instance->operands[scaled].type, at).scale;
    x[i] = restored(deviation, tensor, at, scale, i);
    if (deviation == OPERANDS_REQUANTIZED) x[i] = nearbyint(x[i] / grid.scale) * grid.scale;
  }
  if (count != (stored == STORED_NEGATIVE ? 1 : 2) || !apply(stored, x, &value))
    return COMPUTED_NONE;
  const bool is_sum = stored == STORED_SUM || stored == STORED_DIFFERENCE;
  const format_t *format = result->quantization->expressed->format;
  const double sum = fabs(x[0]) + fabs(x[1]);
  const double magnitude = is_sum ? sum : fabs(value) + underflow(format) * sum;
  const computed_real_t real = {.value = value, .magnitude = magnitude};
  return store(deviation, real, &grid, format, result->element, out_bits);
}

static computed_t compute_quantize(deviation_t deviation, const case_t *instance, size_t at,
                                   uint64_t *out_bits) {
  const type_t *result = &instance->program.results[0];
  const tensor_t *input = &instance->operands[0];
  const format_t *format = input->type.element->format;
  grid_t grid;
  if (!type_shapes_equal(&input->type, result)) return COMPUTED_NONE;
  if (result->quantization != NULL) {
    grid = grid_of_type(result, at);
  } else if (instance->program.operand_count != 3 || !grid_of_operands(instance, at, &grid)) {
    return COMPUTED_NONE;
  }
  if (input->type.quantization != NULL && deviation == KEPT_AS_STORED) {
    const uint64_t bits = element_load(input->type.element, input->data, at);
    const int64_t kept = read_stored(input->type.element, bits, false);
    *out_bits = (uint64_t)CLAMP(kept, grid.least, grid.most) & element_mask(result->element);
    return COMPUTED_BITS;
  }
  if (input->type.quantization != NULL) {
    const double scale = grid_of_type(&input->type, at).scale;
    const double value = restored(deviation, input, at, scale, 0);
    format = input->type.quantization->expressed->format;
    return store(deviation, as_it_came(value), &grid, format, result->element, out_bits);
  }
  if (format == NULL) return COMPUTED_NONE;
  const double value = format_to_double(format, element_load(input->type.element, input->data, at));
  return store(deviation, as_it_came(value), &grid, format, result->element, out_bits);
}

/* A float of a stored value. */
static computed_t compute_dequantize(deviation_t deviation, const case_t *instance, size_t at,
                                     uint64_t *out_bits) {
  const type_t *result = &instance->program.results[0];
  const tensor_t *input = &instance->operands[0];
  const element_t *element = input->type.element;
  grid_t grid;
  if (result->element->format == NULL || !type_shapes_equal(&input->type, result))
    return COMPUTED_NONE;
  if (input->type.quantization != NULL) {
    grid = grid_of_type(&input->type, at);
  } else if (instance->program.operand_count != 3 || !element_is_integer(element) ||
             !grid_of_operands(instance, at, &grid)) {
    return COMPUTED_NONE;
  }
  const uint64_t bits = element_load(element, input->data, at);
  const format_t *format = result->element->format;
  const double whole = difference(deviation, element, bits, grid.zero_point, 0);
  if (deviation == KEPT_AS_STORED) return COMPUTED_NONE;
  /* Formats differ in what is left of a difference that they do not have. */
  if (format_round_double(format, whole) != whole) return COMPUTED_ANY;
  bool divides = deviation == OPERAND_SCALE_DIVIDED;
  *out_bits = format_from_double(format, divides ? whole / grid.scale : whole * grid.scale);
  return COMPUTED_BITS;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* A hypothesis about an op. */
typedef struct question {
  stored_t stored;
  deviation_t deviation;
} question_t;

static computed_t compute(const void *context, const case_t *instance, size_t component,
                          uint64_t *out_bits) {
  const question_t *asked = (const question_t *)context;
  switch (asked->stored) {
    case STORED_QUOTIENT:
      return compute_quantize(asked->deviation, instance, component, out_bits);
    case RESTORED:
      return compute_dequantize(asked->deviation, instance, component, out_bits);
    default:
      break;
  }
  if (instance->program.results[0].quantization == NULL) return COMPUTED_NONE;
  return compute_arithmetic(asked->stored, asked->deviation, instance, component, out_bits);
}

void change_storage(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const program_t *program = &instance->program;
  bool is_one = program->result_count == 1 && program->operand_count > 0;
  size_t op = 0;
  while (op < G_N_ELEMENTS(ops) && strcmp(ops[op].name, program->op->name) != 0) op++;
  if (op == G_N_ELEMENTS(ops) || !is_one || !solver_tests(solver, CAUSE_other_storage)) return;
  for (size_t i = 0; i < G_N_ELEMENTS(deviations); i++) {
    const question_t question = {.stored = ops[op].stored, .deviation = deviations[i].deviation};
    const change_t change = {.cause = CAUSE_other_storage,
                             .key = deviations[i].words,
                             .instance = instance,
                             .compute = compute,
                             .context = &question,
                             .tried = 2};
    change_test(solver, &change, deviations[i].words, found);
  }
}
