/* SPDX-License-Identifier: Apache-2.0 */
/* Random algorithm attributes: of algorithms that have a name, and of any members. */
#include "oracles/ops/dot_general/algorithm.h"

static bool is_signed_f8(const format_t *format) {
  return format->bits == 8 && format->specials != FORMAT_EXPONENT_ONLY;
}

static const format_t *draw_signed_f8(rng_t *rng) {
  const format_t *format;
  do {
    format = &format_table[rng_below(rng, FORMAT_COUNT)];
  } while (!is_signed_f8(format));
  return format;
}

/* ---- With a name ----------------------------------------------------------------------------- */

/* Whether somebody would ask for the row with operands of that type: one that holds numbers of the
 * precision type, and, for several components, more than those.  Every row suits integers. */
static bool suits(const dot_algorithm_row_t *row, const format_t *storage) {
  if (storage == NULL) return true;
  if (row->component_count > 1) return storage == &format_table[FORMAT_f32];
  if (row->precision == NULL) return is_signed_f8(storage);
  return row->precision->precision <= storage->precision && row->precision->bits <= storage->bits;
}

static dot_algorithm_t draw_known(rng_t *rng, const format_t *storage) {
  enum { ATTEMPTS = 16 };
  int attempts = rng_one_in(rng, 8) ? 1 : ATTEMPTS;
  const dot_algorithm_row_t *row;
  do {
    row = &dot_algorithm_table[rng_below(rng, dot_algorithm_count)];
  } while (--attempts > 0 && !suits(row, storage));
  if (row->precision != NULL) return dot_algorithm_of_row(row, row->precision, row->precision);
  if (storage != NULL && is_signed_f8(storage)) return dot_algorithm_of_row(row, storage, storage);
  const format_t *lhs = draw_signed_f8(rng);
  return dot_algorithm_of_row(row, lhs, draw_signed_f8(rng));
}

/* ---- Of any members -------------------------------------------------------------------------- */

static const element_t *draw_name(rng_t *rng, const char *const *names, size_t count) {
  return element_named(names[rng_below(rng, count)]);
}

static const element_t *draw_float(rng_t *rng) {
  static const char *const names[] = {"bf16",   "bf16",   "f16", "f16",      "tf32",
                                      "tf32",   "f32",    "f64", "f8E5M2",   "f8E4M3FN",
                                      "f8E3M4", "f8E4M3", "i8",  "f4E2M1FN", "i16"};
  return draw_name(rng, names, G_N_ELEMENTS(names));
}

static const element_t *draw_float_sum(rng_t *rng, const element_t *factor) {
  static const char *const names[] = {"f32", "f32", "f32", "bf16", "f16", "f64", "f8E5M2"};
  if (rng_one_in(rng, 4) && factor->format != NULL && factor->is_tensor_element) return factor;
  return draw_name(rng, names, G_N_ELEMENTS(names));
}

static const element_t *draw_integer(rng_t *rng) {
  static const char *const names[] = {"i8", "i8", "i16", "i32", "i4", "ui8"};
  return draw_name(rng, names, G_N_ELEMENTS(names));
}

static const element_t *draw_integer_sum(rng_t *rng) {
  static const char *const names[] = {"i32", "i32", "i16", "i8", "i64"};
  return draw_name(rng, names, G_N_ELEMENTS(names));
}

/* Mostly two counts alike, and as many products as have a sum of components up to the count, or
 * all. */
static void draw_counts(rng_t *rng, dot_algorithm_attribute_t *inout_attribute) {
  int64_t lhs = rng_between(rng, 1, 4);
  int64_t rhs = rng_one_in(rng, 4) ? rng_between(rng, 1, 4) : lhs;
  int64_t few = MIN(lhs, rhs), all = lhs * rhs;
  inout_attribute->lhs_component_count = lhs;
  inout_attribute->rhs_component_count = rhs;
  inout_attribute->primitive_count = rng_one_in(rng, 2)   ? few * (few + 1) / 2
                                     : rng_one_in(rng, 2) ? all
                                                          : rng_between(rng, 1, all);
}

/* One that has a meaning. */
static dot_algorithm_attribute_t draw_any(rng_t *rng, const element_t *storage) {
  bool adds_integers = storage->format == NULL && rng_one_in(rng, 2);
  dot_algorithm_attribute_t attribute = {
      .lhs_component_count = 1, .rhs_component_count = 1, .primitive_count = 1};
  attribute.lhs_type = adds_integers ? draw_integer(rng) : draw_float(rng);
  attribute.rhs_type = !rng_one_in(rng, 3) ? attribute.lhs_type
                       : adds_integers     ? draw_integer(rng)
                                           : draw_float(rng);
  attribute.accumulation_type =
      adds_integers ? draw_integer_sum(rng) : draw_float_sum(rng, attribute.lhs_type);
  bool are_floats = attribute.lhs_type->format != NULL && attribute.rhs_type->format != NULL;
  if (are_floats && rng_one_in(rng, 3)) draw_counts(rng, &attribute);
  attribute.allows_imprecise_accumulation = !adds_integers && rng_one_in(rng, 8);
  return attribute;
}

dot_algorithm_attribute_t dot_algorithm_draw(rng_t *rng, const element_t *storage) {
  if (rng_one_in(rng, 3)) return draw_any(rng, storage);
  dot_algorithm_t algorithm = draw_known(rng, storage->format);
  dot_algorithm_attribute_t attribute = dot_algorithm_attribute(&algorithm, rng_one_in(rng, 3));
  if (rng_one_in(rng, 16)) attribute.primitive_count = rng_between(rng, 1, 4);
  if (rng_one_in(rng, 32)) attribute.lhs_component_count = rng_between(rng, 1, 4);
  return attribute;
}
