/* SPDX-License-Identifier: Apache-2.0 */
/* Random algorithm attributes, mostly of algorithms that have a name. */
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

/* Whether somebody would ask for the row with operands of that format: one that holds numbers of
 * the precision type, and, for several components, more than those. */
static bool suits(const dot_algorithm_row_t *row, const format_t *storage) {
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
  if (is_signed_f8(storage)) return dot_algorithm_of_row(row, storage, storage);
  const format_t *lhs = draw_signed_f8(rng);
  return dot_algorithm_of_row(row, lhs, draw_signed_f8(rng));
}

dot_algorithm_attribute_t dot_algorithm_draw(rng_t *rng, const element_t *storage) {
  dot_algorithm_t algorithm = draw_known(rng, storage->format);
  dot_algorithm_attribute_t attribute = dot_algorithm_attribute(&algorithm, rng_one_in(rng, 3));
  if (rng_one_in(rng, 16)) attribute.primitive_count = rng_between(rng, 1, 4);
  if (rng_one_in(rng, 32)) attribute.lhs_component_count = rng_between(rng, 1, 4);
  return attribute;
}
