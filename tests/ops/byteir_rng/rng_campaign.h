/* SPDX-License-Identifier: Apache-2.0 */
/* Results of good generators, drawn as an implementation would make them, and what the checks of
 * uniformity say of them: none may be refuted, and what is as improbable as 2^-b may not come more
 * often than that. */
#ifndef ASSAY_TESTS_OPS_BYTEIR_RNG_RNG_CAMPAIGN_H
#define ASSAY_TESTS_OPS_BYTEIR_RNG_RNG_CAMPAIGN_H

#include <glib.h>

#include "harness/draw/draw.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/ops/byteir_rng/uniformity.h"
#include "tests/ops/byteir_rng/rng_generators.h"

enum { CAMPAIGN_BITS_MAX = 64 };

typedef struct campaign {
  words_t words;
  rng_t rng;
  arena_t arena;
  size_t results;
  size_t numbers;
  size_t refuted;
  /* Results of which a check found what is as improbable as 2^-b. */
  size_t counts[BYTEIR_RNG_CHECK_COUNT][CAMPAIGN_BITS_MAX + 1];
  double most[BYTEIR_RNG_CHECK_COUNT];
} campaign_t;

static inline bool campaign_is_drawn(const element_t *element, const void *unused) {
  (void)unused;
  const format_t *format = element->kind == ELEMENT_FLOAT ? element->format : NULL;
  return format == &format_table[FORMAT_f16] || format == &format_table[FORMAT_bf16] ||
         format == &format_table[FORMAT_f32] || format == &format_table[FORMAT_f64];
}

/* Bounds that differ, mostly ordinary ones. */
static inline void campaign_bounds(rng_t *rng, const format_t *format, double *out_low,
                                   double *out_high) {
  double smallest = ldexp(1, format->exponent_min - format->precision + 1);
  double largest = format_to_double(format, format->largest_bits);
  double low = ldexp((double)rng_between(rng, -100, 100), (int)rng_between(rng, -9, 4));
  int64_t ordinal = format_ordinal(format, format_from_double(format, low));
  *out_low = 0;
  *out_high = 1;
  switch (rng_below(rng, 10)) {
    case 0:
      *out_low = -1;
      break;
    case 1: /* Few values. */
      *out_low = format_round_double(format, low);
      ordinal += rng_between(rng, 1, 200);
      *out_high = format_to_double(format, format_from_ordinal(format, ordinal));
      break;
    case 2: /* Subnormal ones. */
      *out_high = smallest * (double)rng_between(rng, 1, 100);
      break;
    case 3: /* The widest whose width is no infinity. */
      *out_low = -largest / 2;
      *out_high = largest / 2;
      break;
    case 4:
      *out_low = 1;
      *out_high = ldexp(1, (int)rng_between(rng, 1, 10));
      break;
    default:
      break;
  }
}

/* y of one u, in the arithmetic of its type. */
static inline double campaign_number(const arithmetic_t *arithmetic, double u, double low,
                                     double high, bool is_fused, high_way_t way) {
  double width = arithmetic_add(arithmetic, high, -low);
  u = format_round_double(arithmetic->format, u);
  double y = is_fused ? arithmetic_fused(arithmetic, u, width, low)
                      : arithmetic_add(arithmetic, low, arithmetic_multiply(arithmetic, u, width));
  if (y < high || way == HIGH_KEPT) return y;
  if (way == HIGH_TO_LOW) return low;
  uint64_t bits = format_from_double(arithmetic->format, high);
  return format_to_double(arithmetic->format, format_next_down(arithmetic->format, bits));
}

/* A result of one generator, in the arena. */
static inline byteir_rng_sample_t campaign_draw(campaign_t *campaign, size_t numbers_max) {
  rng_t *rng = &campaign->rng;
  const element_t *element = draw_element(rng, campaign_is_drawn, NULL);
  double low, high;
  campaign_bounds(rng, element->format, &low, &high);
  int64_t magnitude = rng_between(rng, 0, 63 - __builtin_clzll((uint64_t)numbers_max));
  int64_t most = MIN((int64_t)numbers_max, (int64_t)2 << magnitude);
  int64_t count = rng_between(rng, (int64_t)1 << magnitude, most);
  type_t type = type_make(element, 1, &count);
  tensor_t result = tensor_make(&campaign->arena, &type);
  words_start(&campaign->words, (word_source_t)rng_below(rng, SOURCE_COUNT), rng_bits(rng));
  uniform_way_t uniform_way = (uniform_way_t)rng_below(rng, UNIFORM_WAY_COUNT);
  high_way_t high_way = (high_way_t)rng_below(rng, HIGH_WAY_COUNT);
  bool is_fused = rng_one_in(rng, 2);
  const arithmetic_t arithmetic = arithmetic_make(element->format);
  for (size_t i = 0; i < (size_t)count; i++) {
    double u = uniform_next(&campaign->words, uniform_way, element->format->precision);
    double y = campaign_number(&arithmetic, u, low, high, is_fused, high_way);
    element_store(element, result.data, i, format_from_double(element->format, y));
  }
  const contract_t contract = contract_spec();
  campaign->numbers += (size_t)count;
  return byteir_rng_sample_make(&result, low, high, &contract, &campaign->arena);
}

static inline void campaign_init(campaign_t *campaign, uint64_t seed) {
  *campaign = (campaign_t){.rng = rng_make(seed)};
  arena_init(&campaign->arena);
}

static inline void campaign_run(campaign_t *campaign, size_t results, size_t numbers_max) {
  for (size_t i = 0; i < results; i++) {
    arena_reset(&campaign->arena);
    byteir_rng_sample_t sample = campaign_draw(campaign, numbers_max);
    campaign->results++;
    bool is_refuted = false;
    for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
      byteir_rng_finding_t finding = byteir_rng_check_one(&sample, (byteir_rng_check_t)check);
      is_refuted |= finding.is_refuted;
      campaign->most[check] = fmax(campaign->most[check], finding.bits);
      int bits = (int)fmin(floor(finding.bits), CAMPAIGN_BITS_MAX);
      for (int b = 0; b <= bits; b++) campaign->counts[check][b]++;
    }
    campaign->refuted += is_refuted;
  }
}

#endif
