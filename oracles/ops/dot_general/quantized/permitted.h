/* SPDX-License-Identifier: Apache-2.0 */
/* The storage values that a contract permits for one component of a quantized dot_general. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_PERMITTED_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_PERMITTED_H

#include "harness/model/accept.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/dot_general/quantized/rescale.h"

/* A range of each, with what lies beyond either end of the storage range. */
enum { RANGES_MAX = 3 * (DOT_VARIANTS_MAX * QUANTIZE_WAYS_MAX + 3) };

/* The storage values of one component that the contract permits, by what permits them. */
typedef struct permitted {
  size_t range_count;
  storage_range_t ranges[RANGES_MAX];
  const char *observed[RANGES_MAX]; /* "dequantize", "integer", "integer, wrapped" ... */
  bool anything;                    /* The float to be stored may be none of the storage type. */
} permitted_t;

/* One range more; `observed` is a literal, of which permitted_t says what it is. */
void permitted_add(permitted_t *permitted, storage_range_t range, const char *observed);

/* What the formula's letter gives where the clamped float lies beyond an end of the storage range:
 * the second of `count` choices (quantum_choices_of_sum(), exact_quantize_by()); of none, anything.
 * Quantizing is monotone: if any float of a range lies there, then that at an end of it. */
void permitted_add_beyond(permitted_t *permitted, size_t count,
                          const int64_t choices[QUANTUM_CHOICES_MAX], const char *observed);

/* What a float of that range is quantized to, in every way that the contract permits; under
 * "dequantize". */
void permitted_add_quantized(permitted_t *permitted, const contract_t *contract,
                             const quantum_t *quantum, const format_t *format,
                             const value_range_t *floats);

/* Whether a storage value is in one of the ranges, and whether all of them are the same number. */
bool permitted_holds(const permitted_t *permitted, int64_t stored);
bool permitted_is_one(const permitted_t *permitted);

/* In quanta, from what exact arithmetic gives; the permitted error to the farthest integer. */
void permitted_measure(const permitted_t *permitted, int64_t exact, int64_t got, answer_t *answer);

/* Distinct ranges in words: "3, 5 .. 7". */
void permitted_print(const permitted_t *permitted, char *out, size_t bytes);

#endif
