/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle entry of rng_uniform. Under the published generator each element is decided by its own
 * uniform number; otherwise elements must lie in range and the whole tensor must pass the
 * statistical checks. */
#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "generated/byteir_rng_permissions.h"
#include "oracles/audit.h"
#include "oracles/ops/byteir_rng/element.h"
#include "oracles/ops/byteir_rng/fast.h"
#include "oracles/ops/byteir_rng/normal.h"
#include "oracles/ops/byteir_rng/published.h"
#include "oracles/ops/byteir_rng/simulate.h"
#include "oracles/ops/byteir_rng/uniformity.h"

/* ---- What has no answer ---------------------------------------------------------------------- */

status_t byteir_rng_check_shape(const case_t *instance, failure_t *error) {
  if (!byteir_rng_has_shape(&instance->program)) return STATUS_OK;
  const tensor_t *shape = &instance->operands[BYTEIR_RNG_SHAPE];
  const type_t *result = &instance->program.results[0];
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    int64_t size = (int64_t)element_load(shape->type.element, shape->data, dim);
    if (size == result->dims[dim]) continue;
    return status_fail(error, STATUS_UNSUPPORTED,
                       "the operand shape has size %" PRId64
                       " for dimension %u of the result, whose type says %" PRId64,
                       size, dim, result->dims[dim]);
  }
  return STATUS_OK;
}

static status_t check_meaning(const oracle_call_t *call) {
  STATUS_TRY(byteir_rng_check_shape(call->instance, call->error));
  bool is_published = PERMITTED(call->contract, rng_uniform) == RNG_UNIFORM_PHILOX;
  if (is_published || byteir_rng_has_meaning(call->instance)) return STATUS_OK;
  return status_fail(call->error, STATUS_UNSUPPORTED,
                     "nothing says what is uniform between such bounds: low > high, or one is not "
                     "finite; rng_uniform=philox does");
}

/* ---- The published generator ----------------------------------------------------------------- */

static byteir_rng_published_t published_of(const case_t *instance) {
  return byteir_rng_published_make(&instance->program.results[0],
                                   byteir_rng_operand(instance, BYTEIR_RNG_SEED),
                                   byteir_rng_operand(instance, BYTEIR_RNG_OFFSET));
}

/* u of one element. */
static double published_uniform(const case_t *instance, size_t component) {
  byteir_rng_published_t published = published_of(instance);
  byteir_rng_counters_move(&published.counters, component);
  return byteir_rng_published_next(&published) / 0x1p32;
}

/* Whether all numbers are those of the published generator. */
static bool is_published(const oracle_call_t *call, const tensor_t *result) {
  const element_t *element = result->type.element;
  const byteir_rng_fast_t fast = byteir_rng_fast_make(call->instance, call->contract);
  byteir_rng_published_t published = published_of(call->instance);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    double uniform = byteir_rng_published_next(&published) / 0x1p32;
    uint64_t bits = element_load(element, result->data, i);
    if (byteir_rng_fast_holds(&fast, uniform, bits)) continue;
    if (!byteir_rng_holds(call, uniform, bits)) return false;
  }
  return true;
}

static void ask_published(const oracle_call_t *call, size_t component, uint64_t bits,
                          answer_t *answer) {
  const case_t *instance = call->instance;
  const format_t *format = instance->program.results[0].element->format;
  double uniform = published_uniform(instance, component);
  byteir_rng_variant_t variants[BYTEIR_RNG_VARIANTS_MAX];
  size_t count = byteir_rng_variants(&instance->program, variants);
  value_range_t range = {0}, first = {0};
  for (size_t i = 0; i < count && !answer->conforms; i++) {
    range = byteir_rng_range(call, &variants[i], uniform);
    if (i == 0) first = range;
    answer->conforms = value_range_holds(&range, format, bits,
                                         PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY);
  }
  bool has_number = first.low <= first.high;
  bool has_infinity = first.positive_infinity || first.negative_infinity;
  answer->nan_expected = first.nan && !has_number && !has_infinity;
  answer->infinity_expected = has_infinity && !has_number && !first.nan;
  value_range_print(&first, answer->expected, sizeof answer->expected);
  byteir_rng_measure(call, uniform, bits, &range, answer);
}

/* ---- Any generator --------------------------------------------------------------------------- */

/* What is known of all results of a case, with and without flushing. */
typedef struct memory {
  bool is_known[2];
  byteir_rng_finding_t findings[2];
} memory_t;

static bool are_finite(const tensor_t *result) {
  const element_t *element = result->type.element;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    uint64_t bits = element_load(element, result->data, i);
    if (!isfinite(format_to_double(element->format, bits))) return false;
  }
  return true;
}

static byteir_rng_finding_t check_uniformity(const oracle_call_t *call, const tensor_t *result) {
  const format_t *format = result->type.element->format;
  double low = format_to_double(format, byteir_rng_operand(call->instance, BYTEIR_RNG_LOW));
  double high = format_to_double(format, byteir_rng_operand(call->instance, BYTEIR_RNG_HIGH));
  byteir_rng_finding_t finding = {.is_refuted = false};
  if (!(low < high) || !are_finite(result)) return finding;
  arena_mark_t mark = arena_mark(call->arena);
  byteir_rng_sample_t sample =
      byteir_rng_sample_make(result, low, high, call->contract, call->arena);
  finding = byteir_rng_check_all(&sample);
  arena_rewind(call->arena, mark);
  return finding;
}

/* The same, remembered if there is a memo. */
static byteir_rng_finding_t recall_uniformity(const oracle_call_t *call, const tensor_t *result) {
  if (call->memo == NULL) return check_uniformity(call, result);
  if (call->memo->entries == NULL) {
    call->memo->entries = arena_alloc_zeroed(&call->memo->arena, sizeof(memory_t));
  }
  memory_t *memory = call->memo->entries;
  int flushes = PERMITTED(call->contract, ftz) == FTZ_NONE ? 0 : 1;
  if (!memory->is_known[flushes]) {
    memory->findings[flushes] = check_uniformity(call, result);
    memory->is_known[flushes] = true;
  }
  return memory->findings[flushes];
}

/* What the numbers are together is asked of the first one. */
static void ask_all(const oracle_call_t *call, const tensor_t *result, answer_t *answer) {
  if (is_published(call, result)) return;
  byteir_rng_finding_t finding = recall_uniformity(call, result);
  if (finding.is_refuted) {
    answer->conforms = false;
    snprintf(answer->expected, sizeof answer->expected, "uniform numbers: %s", finding.words);
  } else {
    snprintf(answer->observed, sizeof answer->observed, "rng_uniform=any");
  }
}

static void ask_any(const oracle_call_t *call, size_t component, const tensor_t *result,
                    answer_t *answer) {
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, component);
  byteir_rng_sets_t sets = byteir_rng_sets_make(call);
  value_range_t hull = byteir_rng_sets_hull(&sets);
  value_range_print(&hull, answer->expected, sizeof answer->expected);
  answer->conforms = byteir_rng_sets_hold(&sets, element->format, bits,
                                          PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY);
  if (answer->conforms && component == 0) {
    ask_all(call, result, answer);
  }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  STATUS_TRY(check_meaning(call));
  const tensor_t *tensor = &call->results[result];
  answer_t answer = {.conforms = false};
  if (PERMITTED(call->contract, rng_uniform) == RNG_UNIFORM_PHILOX) {
    uint64_t bits = element_load(tensor->type.element, tensor->data, component);
    ask_published(call, component, bits, &answer);
  } else {
    ask_any(call, component, tensor, &answer);
  }
  *out_answer = answer;
  return STATUS_OK;
}

static bool is_any(const oracle_call_t *call, const tensor_t *result) {
  if (!byteir_rng_has_meaning(call->instance)) return false;
  bool any_zero = PERMITTED(call->contract, zero_sign) == ZERO_SIGN_ANY;
  const element_t *element = result->type.element;
  byteir_rng_sets_t sets = byteir_rng_sets_make(call);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    uint64_t bits = element_load(element, result->data, i);
    if (!byteir_rng_sets_hold(&sets, element->format, bits, any_zero)) return false;
  }
  return !check_uniformity(call, result).is_refuted;
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  bool published = is_published(call, &call->results[0]);
  *out_formula = published ? RNG_UNIFORM_PHILOX : RNG_UNIFORM_ANY;
  *out_found = published || is_any(call, &call->results[0]);
  return STATUS_OK;
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

/* The numbers of up to three variants; a zero among the last two is left out, since the fast set
 * does not hold its sign. */
static void accept_published(const oracle_call_t *call, size_t count, accept_t *out_accept) {
  const byteir_rng_fast_t fast = byteir_rng_fast_make(call->instance, call->contract);
  byteir_rng_published_t published = published_of(call->instance);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  double *ends[2][2];
  for (int i = 0; i < 4; i++) ends[i / 2][i % 2] = ARENA_NEW_ARRAY(call->arena, double, count);
  for (size_t i = 0; i < count; i++) {
    double uniform = byteir_rng_published_next(&published) / 0x1p32;
    bits[i] = byteir_rng_fast_bits(&fast, uniform);
    for (int way = 0; way < 2; way++) {
      double value = byteir_rng_fast_value(&fast, way + 1, uniform);
      bool is_usable = isfinite(value) && (value < 0 || value > 0);
      ends[way][0][i] = is_usable ? value : 1;
      ends[way][1][i] = is_usable ? value : -1;
    }
  }
  out_accept->bits = bits;
  out_accept->low = ends[0][0];
  out_accept->high = ends[0][1];
  out_accept->other_low = ends[1][0];
  out_accept->other_high = ends[1][1];
}

static const double *filled(double value, size_t count, arena_t *arena) {
  double *values = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) values[i] = value;
  return values;
}

/* The interval of the bounds, and the infinity that is left where their difference overflows: all
 * but the first number may be one of many. */
static void accept_any(const oracle_call_t *call, size_t count, accept_t *out_accept) {
  byteir_rng_sets_t sets = byteir_rng_sets_make(call);
  value_range_t hull = byteir_rng_sets_hull(&sets);
  const value_range_t *interval = &sets.sets[0];
  out_accept->low = filled(interval->low, count, call->arena);
  out_accept->high = filled(interval->high, count, call->arena);
  uint8_t *specials = arena_alloc_zeroed(call->arena, count);
  uint8_t *asks = arena_alloc_zeroed(call->arena, count);
  for (size_t i = 0; i < count && hull.positive_infinity; i++) {
    specials[i] = ACCEPT_POSITIVE_INFINITY;
  }
  if (count > 0) asks[0] = 1;
  out_accept->specials = specials;
  out_accept->decide = asks;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  STATUS_TRY(check_meaning(call));
  size_t count = type_element_count(&call->instance->program.results[0]);
  out_accepts[0] = (accept_t){.count = count};
  if (PERMITTED(call->contract, rng_uniform) == RNG_UNIFORM_PHILOX) {
    accept_published(call, count, &out_accepts[0]);
  } else {
    accept_any(call, count, &out_accepts[0]);
  }
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component);

static const oracle_t rng_uniform_oracle = {
    .op_name = "byteir.rng_uniform",
    .remembers_results = true,
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = byteir_rng_simulate,
    .find_formula = find_formula,
};

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t no_sum = {.is_known = false};
  STATUS_TRY(audit_component(&rng_uniform_oracle, call, accepts, result, component, &no_sum));
  if (accepts[result].bits == NULL) return STATUS_OK;
  accept_t points = accepts[result]; /* Beside the bits. */
  points.bits = NULL;
  return audit_component(&rng_uniform_oracle, call, &points, result, component, &no_sum);
}

extern const oracle_t *const byteir_rng_oracles[];
const oracle_t *const byteir_rng_oracles[] = {&rng_uniform_oracle, &byteir_rng_normal_oracle, NULL};
