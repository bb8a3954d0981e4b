/* SPDX-License-Identifier: Apache-2.0 */
/* One node of a simulated reduction, for float, complex, integer and indexed values. Unrounded
 * products are carried along so that a fused multiply-add rounds once; faults that change a single
 * operation act here. */
#include <math.h>

#include "harness/model/fault.h"
#include "oracles/exact/fold/parts.h"

fold_value_t fold_zero(const fold_t *fold) {
  return fold->element->kind == ELEMENT_FLOAT ? fold_real(0) : fold_integer(0);
}

fold_value_t fold_settle(const fold_t *fold, fold_value_t value) {
  if (!fold->fused || value.factor == 1) return value;
  return fold_real(arithmetic_multiply(&fold->arithmetic, value.real, value.factor));
}

/* Where both sides are single products, the right one stays unrounded: what a loop of fused
 * multiply-adds that starts from zero does. */
static double add_floats(const fold_t *fold, fold_value_t left, fold_value_t right) {
  const arithmetic_t *arithmetic = &fold->arithmetic;
  if (fold->fused && right.factor != 1) {
    return arithmetic_fused(arithmetic, right.real, right.factor, fold_settle(fold, left).real);
  }
  if (fold->fused && left.factor != 1) {
    return arithmetic_fused(arithmetic, left.real, left.factor, right.real);
  }
  return arithmetic_add(arithmetic, left.real, right.real);
}

fold_value_t fold_combine_floats(const fold_t *fold, fold_value_t left, fold_value_t right) {
  bool zeros = left.real == 0 && right.real == 0;
  fold_value_t spoilt;
  if (fold->schedule->fault != FAULT_NONE && fold_spoil_node(fold, left, right, &spoilt)) {
    return spoilt;
  }
  switch (fold->body) {
    case FOLD_ADD:
      return fold_real(add_floats(fold, left, right));
    case FOLD_MULTIPLY:
      return fold_product(fold, left, right);
    case FOLD_MAXIMUM:
      if (zeros && fold->schedule->fault == FAULT_equal_zeros) return left;
      return fold_real(arithmetic_maximum(left.real, right.real));
    case FOLD_MINIMUM:
      if (zeros && fold->schedule->fault == FAULT_equal_zeros) return left;
      return fold_real(arithmetic_minimum(left.real, right.real));
    default:
      g_assert_not_reached();
  }
}

fold_value_t fold_combine_complex(const fold_t *fold, fold_value_t left, fold_value_t right) {
  if (fold->body == FOLD_MULTIPLY) return fold_product(fold, left, right);
  g_assert(fold->body == FOLD_ADD);
  const arithmetic_t *arithmetic = &fold->arithmetic;
  return fold_complex(arithmetic_add(arithmetic, left.real, right.real),
                      arithmetic_add(arithmetic, left.imaginary, right.imaginary));
}

/* (a + bi) (c + di) = (ac - bd) + (ad + bc) i, each operation rounded: the formula of StableHLO's
 * `multiply`, without the recovery of infinities that C's annex G asks for. */
static fold_value_t complex_product(const fold_t *fold, fold_value_t left, fold_value_t right) {
  const arithmetic_t *arithmetic = &fold->arithmetic;
  if (fold->schedule->fault == FAULT_conjugate_lhs) left.imaginary = -left.imaginary;
  double ac = arithmetic_multiply(arithmetic, left.real, right.real);
  double bd = arithmetic_multiply(arithmetic, left.imaginary, right.imaginary);
  double ad = arithmetic_multiply(arithmetic, left.real, right.imaginary);
  double bc = arithmetic_multiply(arithmetic, left.imaginary, right.real);
  return fold_complex(arithmetic_add(arithmetic, ac, -bd), arithmetic_add(arithmetic, ad, bc));
}

static bool is_zero(const fold_t *fold, fold_value_t value) {
  bool is_complex = fold->element->kind == ELEMENT_COMPLEX;
  return value.real == 0 && (!is_complex || value.imaginary == 0);
}

/* A factor of 1 marks what is no product: a product by 1 is written with other factors. */
static fold_value_t unrounded_product(double left, double right) {
  if (right != 1) return (fold_value_t){.real = left, .factor = right};
  double halving = fabs(left) > 1 ? 0.5 : 2;
  return (fold_value_t){.real = left * halving, .factor = 1 / halving};
}

static fold_value_t float_product(const fold_t *fold, fold_value_t left, fold_value_t right) {
  if (fold->fused) return unrounded_product(left.real, right.real);
  double product = arithmetic_multiply(&fold->arithmetic, left.real, right.real);
  if (fold->schedule->fault == FAULT_products_narrow) product = fold_narrow(fold, product);
  return fold_real(product);
}

fold_value_t fold_product(const fold_t *fold, fold_value_t left, fold_value_t right) {
  const element_t *element = fold->element;
  if (element->format == NULL) {
    uint64_t product = left.integer * right.integer; /* Also AND, of booleans. */
    return fold_integer(fold_extend(element, element->bits, product));
  }
  if (fold->schedule->fault == FAULT_skip_zero_operands &&
      (is_zero(fold, left) || is_zero(fold, right))) {
    return fold_zero(fold);
  }
  if (element->kind == ELEMENT_COMPLEX) return complex_product(fold, left, right);
  return float_product(fold, left, right);
}

void fold_products(const fold_t *fold, const fold_value_t *left, const fold_value_t *right,
                   size_t count, fold_value_t *out_terms) {
  if (fold->element->kind == ELEMENT_FLOAT && fold->schedule->fault == FAULT_NONE) {
    for (size_t i = 0; i < count; i++) out_terms[i] = float_product(fold, left[i], right[i]);
    return;
  }
  for (size_t i = 0; i < count; i++) out_terms[i] = fold_product(fold, left[i], right[i]);
}

uint64_t fold_extend(const element_t *element, unsigned bits, uint64_t value) {
  unsigned unused = 64 - bits;
  if (element->kind == ELEMENT_SIGNED) return (uint64_t)((int64_t)(value << unused) >> unused);
  return value << unused >> unused;
}

static uint64_t add_integers(const fold_t *fold, uint64_t left, uint64_t right) {
  const element_t *element = fold->element;
  bool wraps_early = fold->schedule->fault == FAULT_wrap_narrow_integers;
  if (element->kind == ELEMENT_BOOLEAN) return left | right;
  return fold_extend(element, wraps_early ? element->bits / 2u : element->bits, left + right);
}

/* Values are extended to 64 bits, so that one comparison serves all widths. */
static bool integer_less(const element_t *element, uint64_t a, uint64_t b) {
  return element->kind == ELEMENT_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

fold_value_t fold_combine_integers(const fold_t *fold, fold_value_t left, fold_value_t right) {
  uint64_t a = left.integer;
  uint64_t b = right.integer;
  fold_value_t spoilt;
  if (fold->schedule->fault != FAULT_NONE && fold_spoil_node(fold, left, right, &spoilt)) {
    return spoilt;
  }
  switch (fold->body) {
    case FOLD_ADD:
      return fold_integer(add_integers(fold, a, b));
    case FOLD_MULTIPLY:
      return fold_product(fold, left, right);
    case FOLD_MAXIMUM:
      return integer_less(fold->element, a, b) ? right : left;
    case FOLD_MINIMUM:
      return integer_less(fold->element, b, a) ? right : left;
    case FOLD_AND:
      return fold_integer(a & b);
    case FOLD_OR:
      return fold_integer(a | b);
    case FOLD_XOR:
      return fold_integer(a ^ b);
    default:
      g_assert_not_reached();
  }
}

/* The classic bodies, as frameworks emit them: a value wins if it compares greater (less) or is not
 * a number; between equal values the smaller index wins, and the right value. */
fold_value_t fold_combine_indexed(const fold_t *fold, fold_value_t left, fold_value_t right) {
  bool is_float = fold->element->kind == ELEMENT_FLOAT;
  bool less =
      is_float ? left.real < right.real : integer_less(fold->element, left.integer, right.integer);
  bool greater =
      is_float ? left.real > right.real : integer_less(fold->element, right.integer, left.integer);
  bool equal = is_float ? left.real == right.real : left.integer == right.integer;
  bool sees_nan = is_float && fold->schedule->fault != FAULT_indexed_nan_ignored;
  bool wins = (fold->body == FOLD_ARGMAX ? greater : less) || (sees_nan && isnan(left.real));
  bool first = fold->schedule->fault == FAULT_wrong_tie
                   ? integer_less(fold->index_element, right.index, left.index)
                   : integer_less(fold->index_element, left.index, right.index);
  first = first || fold->schedule->fault == FAULT_indexed_ties_ignored;
  fold_value_t result = wins ? left : right;
  result.index = wins || (equal && first) ? left.index : right.index;
  return result;
}
