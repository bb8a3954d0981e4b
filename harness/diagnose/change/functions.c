/* SPDX-License-Identifier: Apache-2.0 */
/* An elementwise op computed another function than its own: one that implementations take for it,
 * or compute it by.  What it gives is compared to the bit (theory.md, T266). */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

enum { INPUTS_MAX = 3 };

/* The inputs of one element of the result. */
typedef struct inputs {
  const element_t *element; /* Of the operands: all of one type, ... */
  const element_t *result;  /* ... and that of the result. */
  const format_t *format;   /* Of the operands; NULL: they are integers. */
  uint64_t bits[INPUTS_MAX];
  double x[INPUTS_MAX];  /* Of floats. */
  int64_t n[INPUTS_MAX]; /* Of integers, with their signs. */
  size_t count;
  size_t place; /* Of the element. */
  const char *attributes;
} inputs_t;

typedef computed_t compute_t(const inputs_t *in, uint64_t *out_bits);

/* ---- Floats ---------------------------------------------------------------------------------- */

static double rounded(const inputs_t *in, double value) {
  return in->result->format == NULL ? value : format_round_double(in->result->format, value);
}

static computed_t give(const inputs_t *in, double value, uint64_t *out_bits) {
  if (in->result->format == NULL) return COMPUTED_NONE;
  *out_bits = format_from_double(in->result->format, value);
  return COMPUTED_BITS;
}

static computed_t truncated(const inputs_t *in, uint64_t *out_bits) {
  return give(in, trunc(in->x[0]), out_bits);
}

static computed_t floor_and_one(const inputs_t *in, uint64_t *out_bits) {
  return give(in, floor(in->x[0]) + 1, out_bits);
}

static computed_t ceil_less_one(const inputs_t *in, uint64_t *out_bits) {
  return give(in, ceil(in->x[0]) - 1, out_bits);
}

static computed_t nearest(const inputs_t *in, uint64_t *out_bits) {
  return give(in, nearbyint(in->x[0]), out_bits);
}

static computed_t floor_of_half_more(const inputs_t *in, uint64_t *out_bits) {
  return give(in, floor(rounded(in, in->x[0] + 0.5)), out_bits);
}

/* The same, and zeros keep the sign of what became them. */
static computed_t floor_with_sign(const inputs_t *in, uint64_t *out_bits) {
  return give(in, copysign(floor(rounded(in, in->x[0] + 0.5)), in->x[0]), out_bits);
}

static computed_t half_added(const inputs_t *in, uint64_t *out_bits) {
  return give(in, trunc(rounded(in, in->x[0] + copysign(0.5, in->x[0]))), out_bits);
}

static computed_t root_by_inverse(const inputs_t *in, uint64_t *out_bits) {
  return give(in, in->x[0] * rounded(in, 1 / sqrt(in->x[0])), out_bits);
}

static computed_t inverse_of_inverse_root(const inputs_t *in, uint64_t *out_bits) {
  return give(in, 1 / rounded(in, 1 / sqrt(in->x[0])), out_bits);
}

static computed_t quotient_by_inverse(const inputs_t *in, uint64_t *out_bits) {
  return give(in, in->x[0] * rounded(in, 1 / in->x[1]), out_bits);
}

/* With the sign of the divisor, as in Python. */
static computed_t remainder_of_floor(const inputs_t *in, uint64_t *out_bits) {
  if (in->format == NULL) {
    if (in->element->kind != ELEMENT_SIGNED) return COMPUTED_NONE;
    if (in->n[1] == 0) return COMPUTED_ANY;
    int64_t left = in->n[1] == -1 ? 0 : in->n[0] % in->n[1];
    if (left != 0 && (left < 0) != (in->n[1] < 0)) left += in->n[1];
    *out_bits = (uint64_t)left & element_mask(in->result);
    return COMPUTED_BITS;
  }
  double left = fmod(in->x[0], in->x[1]);
  if (left != 0 && (left < 0) != (in->x[1] < 0)) left += in->x[1];
  return give(in, left, out_bits);
}

static computed_t remainder_of_nearest(const inputs_t *in, uint64_t *out_bits) {
  return in->format == NULL ? COMPUTED_NONE : give(in, remainder(in->x[0], in->x[1]), out_bits);
}

static computed_t remainder_by_quotient(const inputs_t *in, uint64_t *out_bits) {
  if (in->format == NULL) return COMPUTED_NONE;
  double whole = trunc(rounded(in, in->x[0] / in->x[1]));
  return give(in, in->x[0] - rounded(in, whole * in->x[1]), out_bits);
}

static computed_t remainder_by_fma(const inputs_t *in, uint64_t *out_bits) {
  if (in->format == NULL) return COMPUTED_NONE;
  double whole = trunc(rounded(in, in->x[0] / in->x[1]));
  return give(in, fma(-whole, in->x[1], in->x[0]), out_bits);
}

static computed_t first_if_greater(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[in->x[0] > in->x[1] ? 0 : 1];
  return in->format != NULL ? COMPUTED_BITS : COMPUTED_NONE;
}

static computed_t first_if_less(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[in->x[0] < in->x[1] ? 0 : 1];
  return in->format != NULL ? COMPUTED_BITS : COMPUTED_NONE;
}

/* Elements counted through the whole tensor, whatever they are to count along. */
static computed_t own_number(const inputs_t *in, uint64_t *out_bits) {
  const bool is_integer = element_is_integer(in->result);
  if (!is_integer && in->result->format == NULL) return COMPUTED_NONE;
  *out_bits = is_integer ? in->place & element_mask(in->result)
                         : format_from_double(in->result->format, (double)in->place);
  return COMPUTED_BITS;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* The bits as an integer of that width. */
static int64_t as_integer(const inputs_t *in, size_t input) {
  const unsigned unused = 64 - in->element->bits;
  return (int64_t)(in->bits[input] << unused) >> unused;
}

static computed_t larger_by_bits(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[as_integer(in, 0) >= as_integer(in, 1) ? 0 : 1];
  return COMPUTED_BITS;
}

static computed_t smaller_by_bits(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[as_integer(in, 0) <= as_integer(in, 1) ? 0 : 1];
  return COMPUTED_BITS;
}

/* Whether the direction that the attributes have holds of numbers that compare so. */
static computed_t give_comparison(const inputs_t *in, int sign, uint64_t *out_bits) {
  static const char *const directions[] = {"=EQ ", "=NE ", "=GE ", "=GT ", "=LE ", "=LT "};
  const bool holds[] = {sign == 0, sign != 0, sign >= 0, sign > 0, sign <= 0, sign < 0};
  for (size_t i = 0; i < G_N_ELEMENTS(directions); i++) {
    if (strstr(in->attributes, directions[i]) == NULL) continue;
    *out_bits = holds[i];
    return COMPUTED_BITS;
  }
  return COMPUTED_NONE;
}

static computed_t compared_by_bits(const inputs_t *in, uint64_t *out_bits) {
  const int64_t a = as_integer(in, 0), b = as_integer(in, 1);
  return give_comparison(in, (a > b) - (a < b), out_bits);
}

static computed_t compared_by_unsigned_bits(const inputs_t *in, uint64_t *out_bits) {
  const uint64_t a = in->bits[0], b = in->bits[1];
  return give_comparison(in, (a > b) - (a < b), out_bits);
}

static bool is_above(const inputs_t *in, size_t a, size_t b) {
  if (in->format != NULL) return in->x[a] > in->x[b];
  if (in->element->kind == ELEMENT_SIGNED) return in->n[a] > in->n[b];
  return in->bits[a] > in->bits[b];
}

/* clamp(least, x, most) with the least one last. */
static computed_t clamped_to_most_first(const inputs_t *in, uint64_t *out_bits) {
  bool has_nan = isnan(in->x[0]) || isnan(in->x[1]) || isnan(in->x[2]);
  if (in->format != NULL && has_nan) return COMPUTED_ANY;
  const size_t below = is_above(in, 1, 2) ? 2 : 1;
  *out_bits = in->bits[is_above(in, 0, below) ? 0 : below];
  return COMPUTED_BITS;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static computed_t is_zero(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[0] == 0;
  return in->format == NULL ? COMPUTED_BITS : COMPUTED_NONE;
}

/* What is shifted by the whole width and more, machines do not agree on. */
static computed_t shifted_logically(const inputs_t *in, uint64_t *out_bits) {
  if (in->format != NULL) return COMPUTED_NONE;
  if (in->bits[1] >= in->element->bits) return COMPUTED_ANY;
  *out_bits = in->bits[0] >> in->bits[1];
  return COMPUTED_BITS;
}

static computed_t divided_by_power(const inputs_t *in, uint64_t *out_bits) {
  if (in->format != NULL) return COMPUTED_NONE;
  if (in->bits[1] + 1 >= in->element->bits) return COMPUTED_ANY;
  const int64_t quotient = as_integer(in, 0) / (INT64_C(1) << in->bits[1]);
  *out_bits = (uint64_t)quotient & element_mask(in->element);
  return COMPUTED_BITS;
}

/* What is nearest in the type. */
static computed_t saturated(const inputs_t *in, __int128 value, uint64_t *out_bits) {
  const bool is_signed = in->result->kind == ELEMENT_SIGNED;
  const unsigned digits = in->result->bits - (is_signed ? 1U : 0U);
  const __int128 most = ((__int128)1 << digits) - 1, least = is_signed ? -most - 1 : 0;
  *out_bits = (uint64_t)CLAMP(value, least, most) & element_mask(in->result);
  return element_is_integer(in->result) ? COMPUTED_BITS : COMPUTED_NONE;
}

static __int128 whole(const inputs_t *in, size_t input) {
  return in->element->kind == ELEMENT_SIGNED ? (__int128)in->n[input] : (__int128)in->bits[input];
}

static computed_t saturated_sum(const inputs_t *in, uint64_t *out_bits) {
  return in->format != NULL ? COMPUTED_NONE : saturated(in, whole(in, 0) + whole(in, 1), out_bits);
}

static computed_t saturated_difference(const inputs_t *in, uint64_t *out_bits) {
  return in->format != NULL ? COMPUTED_NONE : saturated(in, whole(in, 0) - whole(in, 1), out_bits);
}

static computed_t saturated_product(const inputs_t *in, uint64_t *out_bits) {
  if (in->format != NULL || in->element->bits > 32) return COMPUTED_NONE;
  return saturated(in, whole(in, 0) * whole(in, 1), out_bits);
}

static computed_t saturated_negation(const inputs_t *in, uint64_t *out_bits) {
  return in->format != NULL ? COMPUTED_NONE : saturated(in, -whole(in, 0), out_bits);
}

static int64_t difference(const inputs_t *in) {
  const unsigned unused = 64 - in->element->bits;
  return (int64_t)((in->bits[0] - in->bits[1]) << unused);
}

static computed_t larger_by_difference(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[difference(in) >= 0 ? 0 : 1];
  return in->format == NULL ? COMPUTED_BITS : COMPUTED_NONE;
}

static computed_t smaller_by_difference(const inputs_t *in, uint64_t *out_bits) {
  *out_bits = in->bits[difference(in) <= 0 ? 0 : 1];
  return in->format == NULL ? COMPUTED_BITS : COMPUTED_NONE;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct {
  const char *op;
  size_t inputs;
  compute_t *compute;
  const char *words;
} functions[] = {
#define OTHER_FUNCTION(op, inputs, compute, words) {op, inputs, compute, words},
#include "generated/all_other_functions.def"
#undef OTHER_FUNCTION
};

static bool is_plain(const type_t *type) {
  return type->quantization == NULL && type->element->components == 1 &&
         (type->element->format != NULL || element_is_integer(type->element) ||
          type->element->bits == 1);
}

/* Operands of one type, of as many elements as the result, or of one. */
static bool read_inputs(const case_t *instance, size_t place, size_t count, inputs_t *out_in) {
  const program_t *program = &instance->program;
  const type_t *result = &program->results[0];
  if (program->operand_count != count || !is_plain(result)) return false;
  *out_in = (inputs_t){.result = result->element, .count = count, .place = place};
  if (count == 0) return true;
  out_in->element = program->operands[0].element;
  out_in->format = out_in->element->format;
  for (size_t i = 0; i < count; i++) {
    const tensor_t *tensor = &instance->operands[i];
    const size_t elements = type_element_count(&tensor->type);
    bool is_alike = tensor->type.element == out_in->element && is_plain(&tensor->type);
    if (!is_alike || (elements != 1 && elements != type_element_count(result))) return false;
    out_in->bits[i] = element_load(out_in->element, tensor->data, elements == 1 ? 0 : place);
    if (out_in->format != NULL) {
      out_in->x[i] = format_to_double(out_in->format, out_in->bits[i]);
    } else {
      out_in->n[i] = element_signed_value(out_in->element, out_in->bits[i]);
    }
  }
  return true;
}

static computed_t compute(const void *context, const case_t *instance, size_t component,
                          uint64_t *out_bits) {
  const size_t which = *(const size_t *)context;
  inputs_t in;
  if (!read_inputs(instance, component, functions[which].inputs, &in)) return COMPUTED_NONE;
  g_autoptr(GString) attributes = g_string_new(NULL);
  program_print_attributes(&instance->program, attributes);
  g_string_append_c(attributes, ' ');
  in.attributes = attributes->str;
  return functions[which].compute(&in, out_bits);
}

void change_functions(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  if (!solver_tests(solver, CAUSE_other_function)) return;
  for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
    if (strcmp(functions[i].op, instance->program.op->name) != 0) continue;
    const change_t change = {.cause = CAUSE_other_function,
                             .key = functions[i].words,
                             .instance = instance,
                             .compute = compute,
                             .context = &i,
                             .tried = 4};
    change_test(solver, &change, functions[i].words, found);
  }
}
