/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of quantize, whose results are integers: the accept set of one is what the enclosures
 * of its quotient become.  The fast sets are what division rounded once gives, which every
 * contract permits. */
#include <glib.h>
#include <math.h>

#include "generated/byteir_quantize_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/audit.h"
#include "oracles/ops/byteir_quantize/parts.h"

/* ---- Fast side ------------------------------------------------------------------------------- */

/* A case, with what does not change from element to element. */
typedef struct fast_case {
  const tensor_t *input;
  const tensor_t *scale;
  const tensor_t *zero_point;
  byteir_quantize_channels_t channels;
  storage_t storage;
  bool ties_away;
} fast_case_t;

static fast_case_t fast_case_make(const case_t *instance, const contract_t *contract) {
  const tensor_t *zero_point = &instance->operands[QUANTIZE_ZERO_POINT];
  return (fast_case_t){.input = &instance->operands[QUANTIZE_INPUT],
                       .scale = &instance->operands[QUANTIZE_SCALE],
                       .zero_point = zero_point,
                       .channels = byteir_quantize_channels(&instance->program),
                       .storage = storage_of(zero_point->type.element),
                       .ties_away = PERMITTED(contract, quantize_ties) == QUANTIZE_TIES_AWAY};
}

static double load_double(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

/* The integer of one element, and whether all is known of it: that it is no NaN, and that its
 * quotient is a tie only if it is one exactly.  Every quotient that is no tie in the working format
 * lies between the same two ties as the exact one, since ties that do not saturate are numbers of
 * f32; only if it is a tie may implementations differ.  (That the residue is 0 tells whether it is
 * exact, but for one of f64 that underflows: then the integer is still one that conforms.) */
static int64_t quantize_fast(const fast_case_t *fast, size_t element, bool *out_is_known) {
  size_t channel = byteir_quantize_channel(&fast->channels, element);
  double input = load_double(fast->input, element);
  double scale = load_double(fast->scale, channel);
  double quotient = input / scale;
  bool is_f64 = fast->input->type.element->format == &format_table[FORMAT_f64];
  if (!is_f64) quotient = (double)(float)quotient; /* Rounding twice is innocuous: arithmetic.c. */
  bool is_tie = fabs(quotient - trunc(quotient)) == 0.5;
  *out_is_known = !isnan(quotient) && (!is_tie || fma(-quotient, scale, input) == 0);
  if (isnan(quotient)) return 0;
  return quantize_double(quotient, fast->ties_away, storage_load(fast->zero_point, channel),
                         fast->storage);
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const type_t *type = &call->instance->program.results[0];
  size_t count = type_element_count(type);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
  const fast_case_t fast = fast_case_make(call->instance, call->contract);
  for (size_t i = 0; i < count; i++) {
    bool is_known;
    int64_t quantum = quantize_fast(&fast, i, &is_known);
    bits[i] = (uint64_t)quantum & element_mask(type->element);
    decide[i] = is_known ? 0 : 1;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}

/* ---- Exact side ------------------------------------------------------------------------------ */

/* What the integer conforms by, where it is not the first of the variants. */
static void describe_variant(const quotient_variant_t *variant, size_t index, answer_t *answer) {
  if (index == 0) return;
  if (variant->formula > 0) {
    g_snprintf(answer->observed, sizeof answer->observed, "quantize=%s",
               contract_spelling("quantize", variant->formula));
  } else if (variant->is_native) {
    g_strlcpy(answer->observed, "intermediate=native", sizeof answer->observed);
  } else {
    g_strlcpy(answer->observed, "subnormal operand flushed", sizeof answer->observed);
  }
}

/* Errors are counted in quanta, from what the exact quotient becomes to what was got, and the
 * permitted one to the farthest integer of the set. */
static void measure(const quotient_t *quotient, const quantum_set_t *set, int64_t quantum,
                    answer_t *answer) {
  int64_t exact;
  if (!quotient_exact(quotient, &exact)) return;
  int64_t error = ABS(quantum - exact), permitted = 0;
  const storage_t *storage = &quotient->storage;
  if (set->low <= set->high) permitted = MAX(ABS(set->low - exact), ABS(set->high - exact));
  if (set->smallest) permitted = MAX(permitted, exact - storage->smallest);
  if (set->largest) permitted = MAX(permitted, storage->largest - exact);
  answer->has_reference = true;
  answer->ulp_error = (double)error;
  answer->slack = permitted > 0 ? (double)error / (double)permitted
                  : error > 0   ? (double)INFINITY
                                : 0;
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  byteir_quantize_channels_t channels = byteir_quantize_channels(&call->instance->program);
  const quotient_t quotient = quotient_make(call, &channels, component);
  int64_t quantum = storage_load(&call->results[result], component);
  quotient_variant_t variants[QUOTIENT_VARIANTS_MAX];
  quantum_set_t sets[QUOTIENT_VARIANTS_MAX];
  size_t count = quotient_variants(&quotient, 0, PERMITTED(call->contract, quantize), variants);
  answer_t answer = {.is_quantum = true};
  size_t by = 0; /* The variant by which it conforms. */
  for (size_t i = 0; i < count; i++) {
    sets[i] = quotient_set(&quotient, &variants[i]);
    if (answer.conforms) continue;
    bool is_held = quantum_set_holds(&sets[i], &quotient.storage, quantum);
    answer.conforms = is_held || (sets[i].nan && quotient_nan_permits(&quotient, quantum));
    if (!answer.conforms) continue;
    answer.is_vacuous = !is_held && PERMITTED(call->contract, quantize_nan) == QUANTIZE_NAN_ANY;
    by = i;
    describe_variant(&variants[i], i, &answer);
  }
  quantum_sets_print(&quotient, sets, count, answer.expected, sizeof answer.expected);
  measure(&quotient, &sets[by], quantum, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

/* ---- Which formula --------------------------------------------------------------------------- */

static bool holds(const quotient_t *quotient, uint8_t formula, int64_t quantum) {
  quotient_variant_t variants[QUOTIENT_VARIANTS_MAX];
  size_t count = quotient_variants(quotient, formula, formula, variants);
  for (size_t i = 0; i < count; i++) {
    quantum_set_t set = quotient_set(quotient, &variants[i]);
    if (quantum_set_holds(&set, &quotient->storage, quantum)) return true;
    if (set.nan && quotient_nan_permits(quotient, quantum)) return true;
  }
  return false;
}

/* Most elements are told by division, without MPFR. */
static bool holds_all(const oracle_call_t *call, uint8_t formula) {
  const fast_case_t fast = fast_case_make(call->instance, call->contract);
  size_t count = type_element_count(&call->results[0].type);
  for (size_t i = 0; i < count; i++) {
    bool is_known;
    int64_t quantum = storage_load(&call->results[0], i);
    if (formula == 0 && quantize_fast(&fast, i, &is_known) == quantum && is_known) continue;
    arena_mark_t mark = arena_mark(call->arena);
    const quotient_t quotient = quotient_make(call, &fast.channels, i);
    bool is_held = holds(&quotient, formula, quantum);
    arena_rewind(call->arena, mark);
    if (!is_held) return false;
  }
  return true;
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  *out_found = false;
  uint8_t count = contract_value_count(call->instance->program.op->formulas);
  for (uint8_t formula = 0; formula < count && !*out_found; formula++) {
    *out_found = holds_all(call, formula);
    *out_formula = formula;
  }
  return STATUS_OK;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t quantize_oracle = {
    .op_name = "byteir.quantize",
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = quantize_simulate,
    .find_formula = find_formula,
};

static const oracle_t dequantize_oracle = {
    .op_name = "byteir.dequantize",
    .composite = &dequantize_composite,
    .accept = composite_accept,
    .decide = composite_decide,
    .audit = composite_audit,
    .simulate = dequantize_simulate,
    .find_formula = composite_find_formula,
};

extern const oracle_t *const byteir_quantize_oracles[];
const oracle_t *const byteir_quantize_oracles[] = {&quantize_oracle, &dequantize_oracle, NULL};
