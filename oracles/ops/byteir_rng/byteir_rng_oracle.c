#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "generated/byteir_rng_permissions.h"
#include "oracles/audit.h"
#include "oracles/ops/byteir_rng/byteir_rng_element.h"
#include "oracles/ops/byteir_rng/byteir_rng_published.h"
#include "oracles/ops/byteir_rng/byteir_rng_quick.h"
#include "oracles/ops/byteir_rng/byteir_rng_simulate.h"
#include "oracles/ops/byteir_rng/byteir_rng_uniformity.h"

/* ---- What has no answer ---------------------------------------------------------------------- */

static status_t check_shape(const case_t *instance, failure_t *error) {
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

static status_t check_meaning(const case_t *instance, const contract_t *contract,
                              failure_t *error) {
  STATUS_TRY(check_shape(instance, error));
  bool is_published = PERMITTED(contract, rng_uniform) == RNG_UNIFORM_PHILOX;
  if (is_published || byteir_rng_has_meaning(instance)) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
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
  const type_t *result = &instance->program.results[0];
  for (uint32_t dim = result->rank; dim-- > 0;) {
    size_t size = (size_t)result->dims[dim];
    published.counters.indices[dim] = (uint32_t)(component % size);
    component /= size;
  }
  return byteir_rng_published_next(&published) / 0x1p32;
}

/* Whether all numbers are those of the published generator. */
static bool is_published(const case_t *instance, const contract_t *contract, const tensor_t *result,
                         arena_t *arena) {
  const element_t *element = result->type.element;
  const byteir_rng_quick_t quick = byteir_rng_quick_make(instance, contract);
  byteir_rng_published_t published = published_of(instance);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    double uniform = byteir_rng_published_next(&published) / 0x1p32;
    uint64_t bits = element_load(element, result->data, i);
    if (byteir_rng_quick_holds(&quick, uniform, bits)) continue;
    if (!byteir_rng_holds(instance, contract, uniform, bits, arena)) return false;
  }
  return true;
}

static void ask_published(const case_t *instance, const contract_t *contract, size_t component,
                          uint64_t bits, arena_t *arena, answer_t *answer) {
  const format_t *format = instance->program.results[0].element->format;
  double uniform = published_uniform(instance, component);
  byteir_rng_reading_t readings[BYTEIR_RNG_READINGS_MAX];
  size_t count = byteir_rng_readings(&instance->program, readings);
  value_range_t range = {0}, first = {0};
  for (size_t i = 0; i < count && !answer->conforms; i++) {
    range = byteir_rng_range(instance, contract, &readings[i], uniform, arena);
    if (i == 0) first = range;
    answer->conforms =
        value_range_holds(&range, format, bits, PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY);
  }
  bool has_number = first.low <= first.high;
  bool has_infinity = first.positive_infinity || first.negative_infinity;
  answer->nan_expected = first.nan && !has_number && !has_infinity;
  answer->infinity_expected = has_infinity && !has_number && !first.nan;
  value_range_print(&first, answer->expected, sizeof answer->expected);
  byteir_rng_measure(instance, contract, uniform, bits, &range, arena, answer);
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

static byteir_rng_finding_t check_uniformity(const case_t *instance, const contract_t *contract,
                                             const tensor_t *result, arena_t *arena) {
  const format_t *format = result->type.element->format;
  double low = format_to_double(format, byteir_rng_operand(instance, BYTEIR_RNG_LOW));
  double high = format_to_double(format, byteir_rng_operand(instance, BYTEIR_RNG_HIGH));
  byteir_rng_finding_t finding = {.is_refuted = false};
  if (!(low < high) || !are_finite(result)) return finding;
  arena_mark_t mark = arena_mark(arena);
  byteir_rng_sample_t sample = byteir_rng_sample_make(result, low, high, contract, arena);
  finding = byteir_rng_check_all(&sample);
  arena_rewind(arena, mark);
  return finding;
}

/* The same, remembered if there is a memo. */
static byteir_rng_finding_t recall_uniformity(const case_t *instance, const contract_t *contract,
                                              const tensor_t *result, ask_memo_t *memo,
                                              arena_t *arena) {
  if (memo == NULL) return check_uniformity(instance, contract, result, arena);
  if (memo->entries == NULL) {
    memo->entries = arena_alloc_zeroed(&memo->arena, sizeof(memory_t));
  }
  memory_t *memory = memo->entries;
  int flushes = PERMITTED(contract, ftz) == FTZ_NONE ? 0 : 1;
  if (!memory->is_known[flushes]) {
    memory->findings[flushes] = check_uniformity(instance, contract, result, arena);
    memory->is_known[flushes] = true;
  }
  return memory->findings[flushes];
}

/* What the numbers are together is asked of the first one. */
static void ask_all(const case_t *instance, const contract_t *contract, const tensor_t *result,
                    ask_memo_t *memo, arena_t *arena, answer_t *answer) {
  if (is_published(instance, contract, result, arena)) return;
  byteir_rng_finding_t finding = recall_uniformity(instance, contract, result, memo, arena);
  if (finding.is_refuted) {
    answer->conforms = false;
    snprintf(answer->expected, sizeof answer->expected, "uniform numbers: %s", finding.words);
  } else {
    snprintf(answer->observed, sizeof answer->observed, "rng_uniform=any");
  }
}

static void ask_any(const case_t *instance, const contract_t *contract, size_t component,
                    const tensor_t *result, ask_memo_t *memo, arena_t *arena, answer_t *answer) {
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, component);
  byteir_rng_sets_t sets = byteir_rng_sets_make(instance, contract, arena);
  value_range_t hull = byteir_rng_sets_hull(&sets);
  value_range_print(&hull, answer->expected, sizeof answer->expected);
  answer->conforms = byteir_rng_sets_hold(&sets, element->format, bits,
                                          PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY);
  if (answer->conforms && component == 0) {
    ask_all(instance, contract, result, memo, arena, answer);
  }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static status_t ask_remembering(const case_t *instance, const contract_t *contract, uint32_t result,
                                size_t component, const tensor_t *results, ask_memo_t *memo,
                                arena_t *arena, answer_t *out_answer, failure_t *error) {
  STATUS_TRY(check_meaning(instance, contract, error));
  const tensor_t *tensor = &results[result];
  answer_t answer = {.conforms = false};
  if (PERMITTED(contract, rng_uniform) == RNG_UNIFORM_PHILOX) {
    uint64_t bits = element_load(tensor->type.element, tensor->data, component);
    ask_published(instance, contract, component, bits, arena, &answer);
  } else {
    ask_any(instance, contract, component, tensor, memo, arena, &answer);
  }
  *out_answer = answer;
  return STATUS_OK;
}

static status_t ask(const case_t *instance, const contract_t *contract, uint32_t result,
                    size_t component, const tensor_t *results, arena_t *arena, answer_t *out_answer,
                    failure_t *error) {
  return ask_remembering(instance, contract, result, component, results, NULL, arena, out_answer,
                         error);
}

static bool is_any(const case_t *instance, const contract_t *contract, const tensor_t *result,
                   arena_t *arena) {
  if (!byteir_rng_has_meaning(instance)) return false;
  bool any_zero = PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  const element_t *element = result->type.element;
  byteir_rng_sets_t sets = byteir_rng_sets_make(instance, contract, arena);
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    uint64_t bits = element_load(element, result->data, i);
    if (!byteir_rng_sets_hold(&sets, element->format, bits, any_zero)) return false;
  }
  return !check_uniformity(instance, contract, result, arena).is_refuted;
}

static status_t find_formula(const case_t *instance, const contract_t *contract,
                             const accept_t *accepts, const tensor_t *results, arena_t *arena,
                             uint8_t *out_formula, bool *out_found, failure_t *error) {
  (void)accepts;
  (void)error;
  bool published = is_published(instance, contract, &results[0], arena);
  *out_formula = published ? RNG_UNIFORM_PHILOX : RNG_UNIFORM_ANY;
  *out_found = published || is_any(instance, contract, &results[0], arena);
  return STATUS_OK;
}

/* ---- Quick sets ------------------------------------------------------------------------------ */

/* The numbers of up to three readings; a zero among the last two is left out, since the quick set
 * does not hold its sign. */
static void accept_published(const case_t *instance, const contract_t *contract, size_t count,
                             arena_t *arena, accept_t *out_accept) {
  const byteir_rng_quick_t quick = byteir_rng_quick_make(instance, contract);
  byteir_rng_published_t published = published_of(instance);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  double *ends[2][2];
  for (int i = 0; i < 4; i++) ends[i / 2][i % 2] = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    double uniform = byteir_rng_published_next(&published) / 0x1p32;
    bits[i] = byteir_rng_quick_bits(&quick, uniform);
    for (int way = 0; way < 2; way++) {
      double value = byteir_rng_quick_value(&quick, way + 1, uniform);
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
static void accept_any(const case_t *instance, const contract_t *contract, size_t count,
                       arena_t *arena, accept_t *out_accept) {
  byteir_rng_sets_t sets = byteir_rng_sets_make(instance, contract, arena);
  value_range_t hull = byteir_rng_sets_hull(&sets);
  const value_range_t *interval = &sets.sets[0];
  out_accept->low = filled(interval->low, count, arena);
  out_accept->high = filled(interval->high, count, arena);
  uint8_t *specials = arena_alloc_zeroed(arena, count);
  uint8_t *asks = arena_alloc_zeroed(arena, count);
  for (size_t i = 0; i < count && hull.positive_infinity; i++) {
    specials[i] = ACCEPT_POSITIVE_INFINITY;
  }
  if (count > 0) asks[0] = 1;
  out_accept->specials = specials;
  out_accept->ask = asks;
}

static status_t accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                       accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  STATUS_TRY(check_meaning(instance, contract, error));
  size_t count = type_element_count(&instance->program.results[0]);
  out_accepts[0] = (accept_t){.count = count};
  if (PERMITTED(contract, rng_uniform) == RNG_UNIFORM_PHILOX) {
    accept_published(instance, contract, count, arena, &out_accepts[0]);
  } else {
    accept_any(instance, contract, count, arena, &out_accepts[0]);
  }
  return STATUS_OK;
}

static status_t audit(const case_t *instance, const contract_t *contract, const accept_t *accepts,
                      uint32_t result, size_t component, arena_t *arena, failure_t *error);

static const oracle_t rng_uniform_oracle = {
    .op_name = "byteir.rng_uniform",
    .accept = accept,
    .ask = ask,
    .ask_remembering = ask_remembering,
    .audit = audit,
    .simulate = byteir_rng_simulate,
    .find_formula = find_formula,
};

static status_t audit(const case_t *instance, const contract_t *contract, const accept_t *accepts,
                      uint32_t result, size_t component, arena_t *arena, failure_t *error) {
  const audit_reference_t no_sum = {.is_known = false};
  STATUS_TRY(audit_component(&rng_uniform_oracle, instance, contract, accepts, result, component,
                             &no_sum, arena, error));
  if (accepts[result].bits == NULL) return STATUS_OK;
  accept_t points = accepts[result]; /* Beside the bits. */
  points.bits = NULL;
  return audit_component(&rng_uniform_oracle, instance, contract, &points, result, component,
                         &no_sum, arena, error);
}

extern const oracle_t *const byteir_rng_oracles[];
const oracle_t *const byteir_rng_oracles[] = {&rng_uniform_oracle, NULL};
