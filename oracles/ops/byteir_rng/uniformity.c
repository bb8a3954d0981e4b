/* SPDX-License-Identifier: Apache-2.0 */
/* Statistical checks of numbers from an unknown generator: distribution, leading bits, repeats,
 * pairs and runs. Each number counts as an interval whose radius covers generator resolution and
 * rounding, so a conforming one is refuted with probability below 2^-60. */
#include "oracles/ops/byteir_rng/uniformity.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracles/exact/magnitude.h"
#include "oracles/ops/byteir_rng/tails.h"

enum {
  RESOLUTION_BITS_MAX = 32,
  HASH_BITS = 32,       /* Indices may be hashed to so many bits before they are enciphered. */
  BIT_LEVELS_MAX = 32,  /* Leading bits that are looked at. */
  SQUARES_PER_SIDE = 4, /* A power of two. */
  SQUARES = SQUARES_PER_SIDE * SQUARES_PER_SIDE,
};

/* 2^-60 has eight shares of so many bits, of which the checks use five; the rest is for rounding
 * (theory.md, T82). */
static const double share_bits = 63;

/* ---- Places ---------------------------------------------------------------------------------- */

/* How far a place may be from V, in units of high - low: theory.md, T80. */
static double find_radius(const format_t *format, double low, double high, double width,
                          const contract_t *contract) {
  int resolution = MIN(format->precision - 1, RESOLUTION_BITS_MAX);
  int least_exponent = format->exponent_min;
  if (PERMITTED(contract, ftz) == FTZ_NONE) least_exponent -= format->precision - 1;
  upper_t least = upper_of(ldexp(1, least_exponent));
  upper_t larger = upper_divide(upper_of(fmax(fabs(low), fabs(high))), lower_of(width));
  upper_t rounding = upper_add(upper_of(5), upper_scale(larger, 2));
  rounding = upper_scale(rounding, ldexp(1, -format->precision));
  upper_t lost = upper_add(upper_scale(upper_divide(least, lower_of(width)), 5), least);
  upper_t of_place = upper_of(ldexp(1, -resolution) + 0x1p-50);
  return upper_add(of_place, upper_add(rounding, lost)).value;
}

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

byteir_rng_sample_t byteir_rng_sample_of(const double *places, size_t count, double radius,
                                         arena_t *arena) {
  double *sorted = ARENA_NEW_ARRAY(arena, double, count);
  memcpy(sorted, places, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_doubles);
  return (byteir_rng_sample_t){count, places, sorted, radius};
}

byteir_rng_sample_t byteir_rng_sample_make(const tensor_t *result, double low, double high,
                                           const contract_t *contract, arena_t *arena) {
  const element_t *element = result->type.element;
  size_t count = type_element_count(&result->type);
  double *places = ARENA_NEW_ARRAY(arena, double, count);
  /* Of halves where the width overflows; what halving loses of subnormal numbers is nothing beside
   * such a width. */
  double scale = isfinite(high - low) ? 1 : 0.5;
  double width = high * scale - low * scale;
  for (size_t i = 0; i < count; i++) {
    double value = format_to_double(element->format, element_load(element, result->data, i));
    /* Places of conforming numbers lie within the radius, which is below 1, of [0, 1]. */
    places[i] = CLAMP((value * scale - low * scale) / width, -1, 2);
  }
  double radius = find_radius(element->format, low * scale, high * scale, width, contract);
  return byteir_rng_sample_of(places, count, radius, arena);
}

/* Where V of a number lies; of one that is low it may also lie within the radius of 1. */
typedef struct interval {
  double low;
  double high;
  bool has_other;
} interval_t;

static interval_t interval_at(const byteir_rng_sample_t *sample, size_t i) {
  const double last = 0x1.fffffffffffffp-1; /* V < 1. */
  double place = sample->places[i];
  return (interval_t){.low = CLAMP(place - sample->radius, 0, last),
                      .high = CLAMP(place + sample->radius, 0, last),
                      .has_other = place == 0};
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* Notes one of `tails` events of a check that has this probability; true if it is the least
 * probable one and refutes the numbers, so that the caller has to say what it is. */
static bool note(byteir_rng_finding_t *finding, double bits, size_t tails) {
  double bits_of_check = bits - log2((double)tails);
  if (bits_of_check <= finding->bits) return false;
  finding->bits = bits_of_check;
  finding->is_refuted = bits_of_check >= share_bits;
  return finding->is_refuted;
}

static void print_probability(byteir_rng_finding_t *finding) {
  size_t size = strlen(finding->words);
  snprintf(finding->words + size, sizeof finding->words - size, ", probability below 2^-%.0f",
           floor(finding->bits));
}

/* ---- Distribution ---------------------------------------------------------------------------- */

/* At the places where the empirical distribution function steps, which is where it is furthest from
 * a continuous one; numbers that are low count as above all places when it is to be too large, and
 * as below when too small. */
static void check_distribution(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding) {
  const double *sorted = sample->sorted;
  size_t wrapped = 0;
  while (wrapped < sample->count && sorted[wrapped] <= 0) wrapped += 1;
  double n = (double)sample->count;
  double deviation = 0;
  for (size_t i = wrapped; i < sample->count; i++) {
    double above = (double)(i + 1 - wrapped) / n - (sorted[i] + sample->radius);
    double below = (sorted[i] - sample->radius) - (double)i / n;
    deviation = fmax(deviation, fmax(above, below));
  }
  /* What the loop has rounded. */
  deviation -= 0x1p-50;
  if (!note(finding, byteir_rng_deviation_bits(sample->count, deviation), 1)) return;
  snprintf(finding->words, sizeof finding->words, "their distribution is off by %.3f", deviation);
}

/* ---- Repeats --------------------------------------------------------------------------------- */

/* V of a number that equals an earlier one lies within 2 * radius of that one's V, on a circle that
 * joins 1 to 0, whatever came before; or both indices had the same hash. */
static void check_repeats(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding) {
  const double *sorted = sample->sorted;
  size_t repeats = 0;
  for (size_t i = 1; i < sample->count; i++) repeats += sorted[i] <= sorted[i - 1] ? 1 : 0;
  double n = (double)sample->count;
  double probability = fmin(4 * sample->radius + ldexp(1, -HASH_BITS), 1);
  double mean = upper_scale(upper_of(n * (n - 1) / 2), probability).value; /* theory.md, T82. */
  if (!note(finding, byteir_rng_rare_bits(mean, repeats), 1)) return;
  snprintf(finding->words, sizeof finding->words, "%zu of %zu repeat others", repeats,
           sample->count);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

/* Bits that are known whatever V is in its interval count; which of 2^level stretches it lies in
 * tells the last of `level` bits. */
static void count_bits(const byteir_rng_sample_t *sample, int level, size_t out_counts[2]) {
  const double stretches = ldexp(1, level);
  out_counts[0] = out_counts[1] = 0;
  for (size_t i = 0; i < sample->count; i++) {
    interval_t interval = interval_at(sample, i);
    uint64_t stretch = (uint64_t)(interval.low * stretches);
    if (interval.has_other || stretch != (uint64_t)(interval.high * stretches)) continue;
    out_counts[stretch & 1]++;
  }
}

static void check_bits(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding) {
  for (int level = 1; level <= BIT_LEVELS_MAX; level++) {
    if (ldexp(sample->radius, level) >= 1) return; /* No bit would be known. */
    size_t counts[2];
    count_bits(sample, level, counts);
    for (int bit = 0; bit < 2; bit++) {
      if (2 * counts[bit] <= sample->count) continue;
      double bits = byteir_rng_binomial_bits(sample->count, counts[bit], 0.5);
      if (!note(finding, bits, 2 * BIT_LEVELS_MAX)) continue;
      snprintf(finding->words, sizeof finding->words, "bit %d is %d in %zu of %zu", level, bit,
               counts[bit], sample->count);
    }
  }
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* The quarters that V may lie in, as a bit mask. */
static unsigned quarters_of(const byteir_rng_sample_t *sample, size_t i) {
  interval_t interval = interval_at(sample, i);
  const double quarters = SQUARES_PER_SIDE;
  unsigned first = (unsigned)(interval.low * quarters);
  unsigned last = (unsigned)(interval.high * quarters);
  unsigned mask = 0;
  for (unsigned quarter = first; quarter <= last; quarter++) mask |= 1u << quarter;
  if (!interval.has_other) return mask;
  unsigned from = (unsigned)(fmax(1 - sample->radius, 0) * quarters);
  for (unsigned quarter = from; quarter < SQUARES_PER_SIDE; quarter++) mask |= 1u << quarter;
  return mask;
}

/* Pairs that surely are in each square, and those that may be. */
static size_t count_pairs(const byteir_rng_sample_t *sample, size_t out_surely[SQUARES],
                          size_t out_maybe[SQUARES]) {
  for (int square = 0; square < SQUARES; square++) out_surely[square] = out_maybe[square] = 0;
  for (size_t i = 0; i + 1 < sample->count; i += 2) {
    unsigned rows = quarters_of(sample, i);
    unsigned columns = quarters_of(sample, i + 1);
    bool is_sure = (rows & (rows - 1)) == 0 && (columns & (columns - 1)) == 0;
    for (unsigned square = 0; square < SQUARES; square++) {
      bool has_row = (rows >> square / SQUARES_PER_SIDE & 1) != 0;
      bool has_column = (columns >> square % SQUARES_PER_SIDE & 1) != 0;
      if (!has_row || !has_column) continue;
      out_maybe[square]++;
      if (is_sure) out_surely[square]++;
    }
  }
  return sample->count / 2;
}

static void check_pairs(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding) {
  size_t surely[SQUARES], maybe[SQUARES];
  size_t pairs = count_pairs(sample, surely, maybe);
  if (pairs == 0) return;
  const double probability = 1 / (double)SQUARES;
  for (int square = 0; square < SQUARES; square++) {
    const size_t counts[] = {surely[square], maybe[square]};
    for (int is_few = 0; is_few < 2; is_few++) {
      bool is_above = counts[is_few] * SQUARES > pairs;
      if (is_above == (is_few != 0)) continue;
      double bits = byteir_rng_binomial_bits(pairs, counts[is_few], probability);
      if (!note(finding, bits, 2 * SQUARES)) continue;
      snprintf(finding->words, sizeof finding->words, "%zu of %zu pairs are in square %d,%d",
               counts[is_few], pairs, square / SQUARES_PER_SIDE, square % SQUARES_PER_SIDE);
    }
  }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Numbers in turn of which each is surely above the one before; below it, if `descends`. */
static size_t longest_run(const byteir_rng_sample_t *sample, bool descends) {
  size_t longest = 1, length = 1;
  for (size_t i = 1; i < sample->count; i++) {
    interval_t lower = interval_at(sample, descends ? i : i - 1);
    interval_t upper = interval_at(sample, descends ? i - 1 : i);
    bool is_known = !lower.has_other && !upper.has_other;
    length = is_known && lower.high < upper.low ? length + 1 : 1;
    longest = MAX(longest, length);
  }
  return longest;
}

static void check_runs(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding) {
  for (int descends = 0; descends < 2; descends++) {
    size_t length = longest_run(sample, descends != 0);
    if (!note(finding, byteir_rng_run_bits(sample->count, length), 2)) continue;
    snprintf(finding->words, sizeof finding->words, "%zu of %zu in turn %s", length, sample->count,
             descends != 0 ? "descend" : "ascend");
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

typedef void run_check_t(const byteir_rng_sample_t *sample, byteir_rng_finding_t *finding);

static run_check_t *const checks[BYTEIR_RNG_CHECK_COUNT] = {
    [BYTEIR_RNG_DISTRIBUTION] = check_distribution,
    [BYTEIR_RNG_REPEATS] = check_repeats,
    [BYTEIR_RNG_BITS] = check_bits,
    [BYTEIR_RNG_PAIRS] = check_pairs,
    [BYTEIR_RNG_RUNS] = check_runs,
};

byteir_rng_finding_t byteir_rng_check_one(const byteir_rng_sample_t *sample,
                                          byteir_rng_check_t check) {
  byteir_rng_finding_t finding = {.check = check};
  if (sample->count < 2 || !(sample->radius < 1)) return finding;
  checks[check](sample, &finding);
  if (finding.is_refuted) print_probability(&finding);
  return finding;
}

byteir_rng_finding_t byteir_rng_check_all(const byteir_rng_sample_t *sample) {
  byteir_rng_finding_t finding = {.is_refuted = false};
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT && !finding.is_refuted; check++) {
    finding = byteir_rng_check_one(sample, (byteir_rng_check_t)check);
  }
  return finding;
}
