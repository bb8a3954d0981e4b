/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of real products: factors are multiplied in double-double arithmetic; products
 * that may leave the normal range in some order are left to the exact decision. */
#include "oracles/ops/reduce/product_accept.h"

#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/matmul/enclosure_round.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/reduce/gather.h"

/* A product as an unevaluated sum of two binary64 numbers, and how far partial products may go. */
typedef struct running_product {
  double high, low;
  bool is_rounded;  /* Some partial product was not a binary64 number. */
  size_t odd_count; /* Factors other than powers of two. */
  double largest;   /* Product of the magnitudes above 1. */
  double smallest;  /* Product of the magnitudes below 1; 0 for a zero factor, NaN for a NaN. */
} running_product_t;

/* One more factor, exactly but for 2^-104 or so of the product: the factors have at most 24 bits,
 * so high * factor splits exactly into a rounded product and its error (fused multiply-add). */
static void take_factor(running_product_t *product, double factor) {
  double rounded = product->high * factor;
  double error = fma(product->high, factor, -rounded) + product->low * factor;
  product->high = rounded + error;
  product->low = error - (product->high - rounded);
  product->is_rounded |= error != 0;
  int exponent;
  product->odd_count += factor != 0 && frexp(fabs(factor), &exponent) != 0.5;
  double magnitude = fabs(factor);
  if (magnitude > 1) {
    product->largest *= magnitude;
  } else {
    product->smallest *= magnitude;
  }
}

/* True if every partial product, in any order and with its rounding errors, is a normal number far
 * from both ends of the range (theory.md, T32).  False for NaN. */
static bool stays_normal(const running_product_t *product, const format_t *format,
                         const error_bound_t *bound) {
  double factor = 2 * (1 + bound->total_factor);
  double largest = format_to_double(format, format->largest_bits);
  return product->largest * factor < largest &&
         product->smallest > format_smallest_normal(format) * factor;
}

/* Whether no schedule rounds, for products that stay normal: no partial product has more
 * significant bits than the whole (theory.md, T31).  Then x* alone conforms. */
static bool is_exact_product(const running_product_t *product, const format_t *format) {
  return !product->is_rounded && format_round_double(format, product->high) == product->high;
}

/* Whether one multiplication is all that rounds: whether a wider node may round it before is then
 * left to the exact side. */
static bool is_rounded_once(const running_product_t *product, const contract_t *contract) {
  return PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES && !product->is_rounded &&
         product->odd_count <= 2;
}

static running_product_t multiply_slice(const case_t *instance, const reduce_slices_t *slices,
                                        size_t output, double init) {
  running_product_t product = {.high = 1, .largest = 1, .smallest = 1};
  take_factor(&product, init);
  for (size_t term = 0; term < slices->term_count; term++) {
    size_t index = slices->output_base[output] + slices->term_offset[term];
    take_factor(&product, reduce_load_float(&instance->operands[0], index));
  }
  return product;
}

accept_t reduce_product_accept(const oracle_call_t *call, const reduce_slices_t *slices) {
  const case_t *instance = call->instance;
  const format_t *format = instance->program.results[0].element->format;
  size_t count = slices->output_count;
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, 0)];
  double init_value = reduce_load_float(init, 0);
  /* Of 1 and -1 any number rounds nothing (theory.md, T30). */
  size_t factors = slices->term_count + (fabs(init_value) == 1 ? 0 : 1);
  accept_t accept = accept_decide_all(count, call->arena);
  if (format->bits == 64 || in_order_matters(factors == 0 ? 0 : factors - 1, call->contract))
    return accept;
  /* Flushing only adds permissions: the exact side grants them. */
  contract_t strict = *call->contract;
  PERMITTED(&strict, ftz) = FTZ_NONE;
  error_bound_t bound = error_bound_product(format, &strict, factors); /* theory.md, T30. */
  double *reference = ARENA_NEW_ARRAY(call->arena, double, count);
  double *magnitude = ARENA_NEW_ARRAY(call->arena, double, count);
  double *low = ARENA_NEW_ARRAY(call->arena, double, count);
  double *high = ARENA_NEW_ARRAY(call->arena, double, count);
  uint8_t *decide = arena_alloc(call->arena, count);
  bool *is_sure = ARENA_NEW_ARRAY(call->arena, bool, count); /* x* rounded, and nothing else. */
  for (size_t i = 0; i < count; i++) {
    running_product_t product = multiply_slice(instance, slices, i, init_value);
    decide[i] = !stays_normal(&product, format, &bound);
    is_sure[i] = is_exact_product(&product, format) || is_rounded_once(&product, call->contract);
    reference[i] = decide[i] ? NAN : product.high;
    magnitude[i] = decide[i] ? 0 : fabs(product.high);
  }
  accept.reference = reference;
  accept.magnitude = magnitude;
  accept.bound_factor = bound.total_factor;
  accept.unit_roundoff = format_unit_roundoff(format);
  accept.decide = decide;
  enclosure_t enclosure = {.count = count,
                           .reference = reference,
                           .magnitude = magnitude,
                           .factor = bound.factor,
                           .format = format,
                           .ends = ENCLOSURE_NEAREST,
                           .side = ENCLOSURE_INSIDE};
  enclosure_round_ends(&enclosure, low, high);
  for (size_t i = 0; i < count; i++) {
    if (is_sure[i]) low[i] = high[i] = format_round_double(format, reference[i]);
    /* Every schedule keeps the sign, though the bound may be wider than the product. */
    if (low[i] <= 0 && high[i] >= 0) decide[i] = 1;
  }
  accept.low = low;
  accept.high = high;
  return accept;
}
