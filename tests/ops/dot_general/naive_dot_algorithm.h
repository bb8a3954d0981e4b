/* SPDX-License-Identifier: Apache-2.0 */
/* Dot algorithms, evaluated naively: splits by masks on f32 patterns or by rounding, the products
 * of components listed by hand.  Shares nothing with the oracle. */
#ifndef ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_ALGORITHM_H
#define ASSAY_TESTS_OPS_DOT_GENERAL_NAIVE_DOT_ALGORITHM_H

#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/naive_checks.h"

enum { NAIVE_COMPONENTS_MAX = 8, NAIVE_PRODUCTS_MAX = 64 };

/* Which products of components there are, 1 for the leading one, the last product last. */
typedef struct naive_products {
  int component_counts[2];
  int product_count;
  int lhs[NAIVE_PRODUCTS_MAX];
  int rhs[NAIVE_PRODUCTS_MAX];
} naive_products_t;

/* Weight by weight, a weight being how many bits a product lies below the leading one. */
static inline naive_products_t naive_find_products(const dot_algorithm_attribute_t *algorithm) {
  int lhs_bits = algorithm->lhs_type->format->precision;
  int rhs_bits = algorithm->rhs_type->format->precision;
  int lhs_count = (int)algorithm->lhs_component_count;
  int rhs_count = (int)algorithm->rhs_component_count;
  int wanted = (int)algorithm->primitive_count;
  if (lhs_count == 1 && rhs_count == 1) {
    static const int squares[] = {1, 4, 9, 16, 25, 36, 49, 64};
    while (squares[lhs_count - 1] < wanted) lhs_count++;
    rhs_count = lhs_count;
  }
  naive_products_t products = {.component_counts = {lhs_count, rhs_count}, .product_count = wanted};
  int found = 0;
  for (int weight = 0; found < wanted; weight++) {
    for (int i = 1; i <= lhs_count; i++) {
      for (int j = 1; j <= rhs_count && found < wanted; j++) {
        if (lhs_bits * (i - 1) + rhs_bits * (j - 1) != weight) continue;
        products.lhs[wanted - 1 - found] = i;
        products.rhs[wanted - 1 - found] = j;
        found++;
      }
    }
  }
  return products;
}

/* How one implementation goes about it. */
typedef struct naive_split {
  bool truncates; /* All components but the last are cut off, instead of rounded. */
  bool by_term;   /* Products of a term are added first. */
} naive_split_t;

/* An f32 pattern without the bits that the format has not; for formats with other exponents the
 * nearest number, or the one before it. */
static inline double naive_cut(const format_t *format, double value, uint32_t bits_if_nan) {
  if (format->exponent_bits != 8) {
    if (!isfinite(value)) return naive_add_floats(format, value, -0.0);
    double largest = format_to_double(format, format->largest_bits);
    if (fabs(value) >= largest) return copysign(largest, value);
    double near = naive_add_floats(format, value, -0.0);
    if (fabs(near) <= fabs(value)) return near;
    uint64_t bits = format_from_double(format, near);
    return format_to_double(
        format, near > 0 ? format_next_down(format, bits) : format_next_up(format, bits));
  }
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if (isnan(value)) bits = bits_if_nan;
  int cut = 24 - format->precision;
  uint32_t kept = bits >> cut << cut;
  memcpy(&narrow, &kept, sizeof narrow);
  return (double)narrow;
}

static inline void naive_split_element(const naive_split_t *split, const format_t *format,
                                       int count, const tensor_t *tensor, size_t index,
                                       double out_components[NAIVE_COMPONENTS_MAX]) {
  const element_t *storage = tensor->type.element;
  uint64_t bits = element_load(storage, tensor->data, index);
  double rest = format_to_double(storage->format, bits);
  bool is_f32 = strcmp(storage->name, "f32") == 0;
  uint32_t nan_bits = is_f32 ? (uint32_t)bits : 0x7fc00000;
  if (!isfinite(rest) && !format_has_nan(format)) rest = NAN; /* Nobody says what that becomes. */
  for (int i = 0; i < count; i++) {
    bool cuts = split->truncates && i < count - 1;
    out_components[i] = isnan(rest) && !format_has_nan(format) ? rest
                        : cuts ? naive_cut(format, rest, i == 0 ? nan_bits : 0x7fc00000)
                               : naive_add_floats(format, rest, -0.0); /* Rounds. */
    rest = rest - out_components[i];
  }
}

#endif
