/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle entry of rng_normal. Under the published generator each element is decided by its own two
 * uniform numbers; otherwise elements must lie within reach of the mean, and the whole tensor must
 * pass the statistical checks of their probabilities. */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "generated/byteir_rng_permissions.h"
#include "oracles/audit.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "oracles/ops/byteir_rng/normal.h"
#include "oracles/ops/byteir_rng/published.h"

static status_t check_meaning(const oracle_call_t *call) {
  STATUS_TRY(byteir_rng_check_shape(call->instance, call->error));
  bool is_published = PERMITTED(call->contract, rng_normal) == RNG_NORMAL_PHILOX;
  if (is_published || byteir_rng_normal_has_meaning(call->instance)) return STATUS_OK;
  return status_fail(call->error, STATUS_UNSUPPORTED,
                     "nothing says what is normal with a negative deviation, or where a parameter "
                     "is not finite; rng_normal=philox does");
}

/* ---- The published generator ----------------------------------------------------------------- */

static byteir_rng_published_t published_of(const case_t *instance) {
  return byteir_rng_published_make(&instance->program.results[0],
                                   byteir_rng_operand(instance, BYTEIR_RNG_SEED),
                                   byteir_rng_operand(instance, BYTEIR_RNG_OFFSET));
}

static byteir_rng_pair_t next_pair(byteir_rng_published_t *published) {
  uint32_t words[2];
  byteir_rng_published_next_two(published, words);
  return (byteir_rng_pair_t){.radial = words[0] / 0x1p32, .angular = words[1] / 0x1p32};
}

static byteir_rng_pair_t pair_at(const case_t *instance, size_t component) {
  byteir_rng_published_t published = published_of(instance);
  byteir_rng_counters_move(&published.counters, component);
  return next_pair(&published);
}

/* Whether all numbers are those of the published generator: not, if the first is none; and surely,
 * if all are what the simplest steps give; the others are asked for where neither is so. */
static bool is_published(const oracle_call_t *call, const tensor_t *result) {
  const element_t *element = result->type.element;
  if (type_element_count(&result->type) > 0) {
    byteir_rng_pair_t first = pair_at(call->instance, 0);
    if (!byteir_rng_normal_holds(call, first, element_load(element, result->data, 0))) return false;
  }
  if (byteir_rng_normal_is_plain(call->instance, call->contract, result, call->arena)) return true;
  arena_mark_t mark = arena_mark(call->arena);
  const accept_t fast = byteir_rng_normal_published(call->instance, call->contract, call->arena);
  byteir_rng_published_t published = published_of(call->instance);
  bool are_published = true;
  for (size_t i = 0; i < fast.count && are_published; i++) {
    byteir_rng_pair_t pair = next_pair(&published);
    uint64_t bits = element_load(element, result->data, i);
    are_published =
        accept_holds(&fast, element, i, bits) || byteir_rng_normal_holds(call, pair, bits);
  }
  arena_rewind(call->arena, mark);
  return are_published;
}

static void ask_published(const oracle_call_t *call, size_t component, uint64_t bits,
                          answer_t *answer) {
  const program_t *program = &call->instance->program;
  byteir_rng_pair_t pair = pair_at(call->instance, component);
  byteir_rng_variant_t variants[BYTEIR_RNG_VARIANTS_MAX];
  byteir_rng_variants(program, variants);
  value_range_t first = byteir_rng_normal_range(call, &variants[0], pair);
  answer->conforms = byteir_rng_normal_holds(call, pair, bits);
  bool has_number = first.low <= first.high;
  bool has_infinity = first.positive_infinity || first.negative_infinity;
  answer->nan_expected = first.nan && !has_number && !has_infinity;
  answer->infinity_expected = has_infinity && !has_number && !first.nan;
  value_range_print(&first, answer->expected, sizeof answer->expected);
}

/* ---- Any generator --------------------------------------------------------------------------- */

/* What is known of all results of a case, with and without flushing. */
typedef struct memory {
  bool is_known[2];
  byteir_rng_finding_t findings[2];
} memory_t;

static bool have_nan(const tensor_t *result) {
  const element_t *element = result->type.element;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    if (format_is_nan(element->format, element_load(element, result->data, i))) return true;
  }
  return false;
}

static byteir_rng_finding_t check_normality(const oracle_call_t *call, const tensor_t *result) {
  const format_t *format = result->type.element->format;
  double mean = format_to_double(format, byteir_rng_operand(call->instance, BYTEIR_RNG_MEAN));
  double deviation =
      format_to_double(format, byteir_rng_operand(call->instance, BYTEIR_RNG_DEVIATION));
  byteir_rng_finding_t finding = {.is_refuted = false};
  if (!(deviation > 0) || have_nan(result)) return finding;
  value_range_t range = byteir_rng_normal_any(call->instance);
  double largest = format_to_double(format, format->largest_bits);
  if (range.low <= -largest || range.high >= largest) return finding; /* Some overflow. */
  arena_mark_t mark = arena_mark(call->arena);
  byteir_rng_sample_t sample =
      byteir_rng_normal_sample(result, mean, deviation, call->contract, call->arena);
  finding = byteir_rng_check_all(&sample);
  arena_rewind(call->arena, mark);
  return finding;
}

/* The same, remembered if there is a memo. */
static byteir_rng_finding_t recall_normality(const oracle_call_t *call, const tensor_t *result) {
  if (call->memo == NULL) return check_normality(call, result);
  if (call->memo->entries == NULL) {
    call->memo->entries = arena_alloc_zeroed(&call->memo->arena, sizeof(memory_t));
  }
  memory_t *memory = call->memo->entries;
  int flushes = PERMITTED(call->contract, ftz) == FTZ_NONE ? 0 : 1;
  if (!memory->is_known[flushes]) {
    memory->findings[flushes] = check_normality(call, result);
    memory->is_known[flushes] = true;
  }
  return memory->findings[flushes];
}

/* What the numbers are together is asked of the first one. */
static void ask_all(const oracle_call_t *call, const tensor_t *result, answer_t *answer) {
  byteir_rng_finding_t finding = recall_normality(call, result);
  uint64_t first = element_load(result->type.element, result->data, 0);
  bool may_be_published = byteir_rng_normal_holds(call, pair_at(call->instance, 0), first);
  if (!finding.is_refuted) {
    if (may_be_published) return;
    snprintf(answer->observed, sizeof answer->observed, "rng_normal=any");
  } else if (!may_be_published || !is_published(call, result)) {
    answer->conforms = false;
    snprintf(answer->expected, sizeof answer->expected, "normal numbers: %s", finding.words);
  }
}

static bool any_holds(const oracle_call_t *call, const value_range_t *range, size_t component,
                      const tensor_t *result) {
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, component);
  if (value_range_holds(range, element->format, bits, true)) return true;
  return byteir_rng_normal_holds(call, pair_at(call->instance, component), bits);
}

static void ask_any(const oracle_call_t *call, size_t component, const tensor_t *result,
                    answer_t *answer) {
  value_range_t range = byteir_rng_normal_any(call->instance);
  value_range_print(&range, answer->expected, sizeof answer->expected);
  answer->conforms = any_holds(call, &range, component, result);
  if (answer->conforms && component == 0) ask_all(call, result, answer);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  STATUS_TRY(check_meaning(call));
  const tensor_t *tensor = &call->results[result];
  answer_t answer = {.conforms = false};
  if (PERMITTED(call->contract, rng_normal) == RNG_NORMAL_PHILOX) {
    uint64_t bits = element_load(tensor->type.element, tensor->data, component);
    ask_published(call, component, bits, &answer);
  } else {
    ask_any(call, component, tensor, &answer);
  }
  *out_answer = answer;
  return STATUS_OK;
}

static bool is_any(const oracle_call_t *call, const tensor_t *result) {
  if (!byteir_rng_normal_has_meaning(call->instance)) return false;
  value_range_t range = byteir_rng_normal_any(call->instance);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    if (!any_holds(call, &range, i, result)) return false;
  }
  return !check_normality(call, result).is_refuted;
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  bool published = is_published(call, &call->results[0]);
  *out_formula = published ? RNG_NORMAL_PHILOX : RNG_NORMAL_ANY;
  *out_found = published || is_any(call, &call->results[0]);
  return STATUS_OK;
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

static const double *filled(double value, size_t count, arena_t *arena) {
  double *values = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) values[i] = value;
  return values;
}

/* All but the first number may be one of many. */
static void accept_any(const oracle_call_t *call, size_t count, accept_t *out_accept) {
  value_range_t range = byteir_rng_normal_any(call->instance);
  out_accept->low = filled(range.low, count, call->arena);
  out_accept->high = filled(range.high, count, call->arena);
  uint8_t *specials = arena_alloc_zeroed(call->arena, count);
  uint8_t *asks = arena_alloc_zeroed(call->arena, count);
  uint8_t permitted = range.nan ? ACCEPT_NAN : 0;
  if (range.positive_infinity) permitted = ACCEPT_POSITIVE_INFINITY | ACCEPT_NEGATIVE_INFINITY;
  for (size_t i = 0; i < count; i++) specials[i] = permitted;
  if (count > 0) asks[0] = 1;
  out_accept->specials = specials;
  out_accept->decide = asks;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  STATUS_TRY(check_meaning(call));
  size_t count = type_element_count(&call->instance->program.results[0]);
  out_accepts[0] = (accept_t){.count = count};
  if (PERMITTED(call->contract, rng_normal) == RNG_NORMAL_PHILOX) {
    out_accepts[0] = byteir_rng_normal_published(call->instance, call->contract, call->arena);
  } else {
    accept_any(call, count, &out_accepts[0]);
  }
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t no_sum = {.is_known = false};
  const oracle_t *oracle = &byteir_rng_normal_oracle;
  STATUS_TRY(audit_component(oracle, call, accepts, result, component, &no_sum));
  if (accepts[result].bits == NULL) return STATUS_OK;
  accept_t ranges = accepts[result]; /* Beside the bits. */
  ranges.bits = NULL;
  return audit_component(oracle, call, &ranges, result, component, &no_sum);
}

const oracle_t byteir_rng_normal_oracle = {
    .op_name = "byteir.rng_normal",
    .remembers_results = true,
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = byteir_rng_normal_simulate,
    .find_formula = find_formula,
};
