/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes the ends of intervals. */
#include "oracles/composite/stored_set.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>

#include "oracles/exact/quantum/quantize_mpfr.h"

/* How a float becomes a storage integer. */
typedef struct quantizing {
  const type_t *type;
  quantum_t quantum;
  const contract_t *contract;
  const quantize_way_t *ways;
  size_t way_count;
  stored_set_t *set;
} quantizing_t;

static void add_choices(const quantizing_t *quantizing, const quantum_t *quantum,
                        const format_t *arithmetic, double value) {
  stored_set_t *set = quantizing->set;
  for (size_t way = 0; way < quantizing->way_count; way++) {
    int64_t choices[QUANTUM_CHOICES_MAX];
    size_t count = exact_quantize_by(quantum, arithmetic, quantizing->ways[way], value, choices);
    set->anything |= count == 0;
    for (size_t i = 0; i < count; i++) {
      set->low = MIN(set->low, choices[i]);
      set->high = MAX(set->high, choices[i]);
    }
  }
}

/* One end of what was computed, in each arithmetic: in f32 whether or not it was rounded to the
 * expressed type first; a tiny scale may be read as zero. */
static void add_end(const quantizing_t *quantizing, double value) {
  const contract_t *contract = quantizing->contract;
  const format_t *arithmetics[2];
  size_t count = quantum_arithmetics(quantizing->type, contract, arithmetics);
  const format_t *expressed = quantum_expressed(quantizing->type);
  double rounded = isnan(value) ? value : format_round_double(expressed, value);
  const quantum_t quantum = quantizing->quantum;
  quantum_t flat = quantum;
  if (quantum.scale < ldexp(1, expressed->exponent_min)) flat.scale = 0;
  bool may_flush = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  for (size_t i = 0; i < count; i++) {
    add_choices(quantizing, &quantum, arithmetics[i], rounded);
    if (arithmetics[i] != expressed) add_choices(quantizing, &quantum, arithmetics[i], value);
    if (may_flush && flat.scale == 0) add_choices(quantizing, &flat, arithmetics[i], rounded);
  }
}

stored_set_t stored_set_of_range(const type_t *type, size_t element, const contract_t *contract,
                                 const quantize_way_t *ways, size_t way_count,
                                 const value_range_t *range) {
  stored_set_t set = {.low = INT64_MAX, .high = INT64_MIN};
  const quantizing_t quantizing = {.type = type,
                                   .quantum = quantum_of(type, element),
                                   .contract = contract,
                                   .ways = ways,
                                   .way_count = way_count,
                                   .set = &set};
  if (range->low <= range->high) {
    add_end(&quantizing, range->low);
    add_end(&quantizing, range->high);
  }
  if (range->positive_zero || range->negative_zero) add_end(&quantizing, 0);
  if (range->positive_infinity) add_end(&quantizing, (double)INFINITY);
  if (range->negative_infinity) add_end(&quantizing, -(double)INFINITY);
  if (range->nan) add_end(&quantizing, (double)NAN);
  return set;
}

bool stored_set_holds(const stored_set_t *set, int64_t stored) {
  return set->anything || (set->low <= stored && stored <= set->high);
}

bool stored_set_is_everything(const stored_set_t *set, const type_t *type) {
  const quantization_t *range = type->quantization;
  return set->anything || (set->low <= range->storage_min && set->high >= range->storage_max);
}

void stored_set_print(const stored_set_t *set, char *out, size_t bytes) {
  if (set->anything) {
    g_strlcpy(out, "anything", bytes);
  } else if (set->low == set->high) {
    g_snprintf(out, (gulong)bytes, "%" PRId64, set->low);
  } else {
    g_snprintf(out, (gulong)bytes, "%" PRId64 " .. %" PRId64, set->low, set->high);
  }
}
