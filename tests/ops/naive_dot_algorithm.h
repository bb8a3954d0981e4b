/* SPDX-License-Identifier: Apache-2.0 */
/* Dot algorithms, evaluated naively: splits by masks on f32 patterns or by rounding, the products
 * of components listed by hand.  Shares nothing with the oracle. */
#ifndef ASSAY_TESTS_OPS_NAIVE_DOT_ALGORITHM_H
#define ASSAY_TESTS_OPS_NAIVE_DOT_ALGORITHM_H

#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/naive_checks.h"

/* Which products of components there are, 1 for the leading one, the last product last. */
typedef struct naive_products {
  int component_count;
  int product_count;
  int lhs[9];
  int rhs[9];
} naive_products_t;

static const naive_products_t naive_products[] = {
    {1, 1, {1}, {1}},
    {2, 3, {2, 1, 1}, {1, 2, 1}},
    {3, 6, {3, 2, 1, 2, 1, 1}, {1, 2, 3, 1, 2, 1}},
    {3, 9, {3, 3, 2, 3, 2, 1, 2, 1, 1}, {3, 2, 3, 1, 2, 3, 1, 2, 1}},
};

static inline const naive_products_t *naive_find_products(int64_t primitive_count) {
  for (size_t i = 0; i < G_N_ELEMENTS(naive_products); i++) {
    if (naive_products[i].product_count == primitive_count) return &naive_products[i];
  }
  g_assert_not_reached();
}

/* How one implementation goes about it. */
typedef struct naive_split {
  bool truncates; /* All components but the last are cut off, instead of rounded. */
  bool by_term;   /* Products of a term are added first. */
} naive_split_t;

/* An f32 pattern without the bits that the format has not. */
static inline double naive_cut(const format_t *format, double value, uint32_t bits_if_nan) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if (isnan(value)) bits = bits_if_nan;
  int cut = format->precision == 8 ? 16 : 13;
  uint32_t kept = bits >> cut << cut;
  memcpy(&narrow, &kept, sizeof narrow);
  return (double)narrow;
}

static inline void naive_split_element(const naive_split_t *split, const format_t *format,
                                       int count, const tensor_t *tensor, size_t index,
                                       double out_components[3]) {
  const element_t *storage = tensor->type.element;
  uint64_t bits = element_load(storage, tensor->data, index);
  double rest = format_to_double(storage->format, bits);
  bool is_f32 = strcmp(storage->name, "f32") == 0;
  uint32_t nan_bits = is_f32 ? (uint32_t)bits : 0x7fc00000;
  for (int i = 0; i < count; i++) {
    bool cuts = split->truncates && i < count - 1;
    out_components[i] = cuts ? naive_cut(format, rest, i == 0 ? nan_bits : 0x7fc00000)
                             : naive_add_floats(format, rest, -0.0); /* Rounds. */
    rest = rest - out_components[i];
  }
}

#endif
