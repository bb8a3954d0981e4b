/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of quantized dot_generals, by integers (by_integers.h) or by floats that are
 * quantized; and the search for the formula that explains a whole result. */
#include "oracles/ops/dot_general/quantized/accept.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/dot_general/quantized/by_algorithm.h"
#include "oracles/ops/dot_general/quantized/by_integers.h"
#include "oracles/ops/dot_general/quantized/decide.h"
#include "oracles/sequential.h"

/* ---- Floats ---------------------------------------------------------------------------------- */

/* `floats`: the call's case, dequantized. */
static status_t accept_floats(const oracle_call_t *call, const case_t *floats,
                              const dot_dequantized_t *variant, const dot_algorithm_t *algorithm,
                              accept_t *out_accept) {
  if (algorithm != NULL) return dot_by_algorithm_accept(call, floats, algorithm, out_accept);
  const program_t *program = &call->instance->program;
  const dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  const dot_plan_t plan = dot_dequantized_plan(variant);
  const oracle_call_t float_call = oracle_call_about(call, floats, NULL);
  *out_accept = dot_general_accept_plan(&float_call, &layout, &plan);
  return STATUS_OK;
}

/* By the first variant: its numbers between the steps are of the program's own type. */
status_t dot_hybrid_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(&instance->program, call->contract, variants);
  const case_t floats = dot_dequantized_case(instance, &variants[0], call->arena);
  dot_algorithm_t algorithm;
  const dot_algorithm_t *asked = dot_quantized_algorithm(&instance->program, &algorithm);
  STATUS_TRY(accept_floats(call, &floats, &variants[0], asked, out_accept));
  if (PERMITTED(call->contract, order) != ORDER_IN_ORDER) return STATUS_OK;
  const oracle_call_t float_call = oracle_call_about(call, &floats, NULL);
  return accept_sequential(&float_call, dot_general_simulate, variants[0].sum, out_accept);
}

/* What a float that surely conforms is quantized to, nearest to the exact sum: by any one variant.
 */
static status_t accept_quantized_floats(const oracle_call_t *call, const dot_dequantized_t *variant,
                                        const dot_algorithm_t *algorithm, accept_t *out_accept) {
  const case_t *instance = call->instance;
  if (!quantize_permits_letter(call->contract)) {
    *out_accept = accept_decide_all(type_element_count(&instance->program.results[0]), call->arena);
    return STATUS_OK;
  }
  const case_t dequantized = dot_dequantized_case(instance, variant, call->arena);
  accept_t floats;
  STATUS_TRY(accept_floats(call, &dequantized, variant, algorithm, &floats));
  const type_t *result = &instance->program.results[0];
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, floats.count);
  uint8_t *decide = arena_alloc_zeroed(call->arena, floats.count);
  quantum_t quantum = {.scale = 1};
  if (floats.count > 0) quantum = quantum_of(result, 0);
  for (size_t i = 0; i < floats.count; i++) {
    bits[i] = 0;
    decide[i] = 1;
    if (floats.low == NULL || (floats.decide != NULL && floats.decide[i] != 0)) continue;
    if (!(floats.low[i] <= floats.high[i])) continue;
    double exact = format_round_double(variant->rounded, floats.reference[i]);
    double value = isnan(exact) ? floats.low[i] : CLAMP(exact, floats.low[i], floats.high[i]);
    if (result->quantization->axis != -1) quantum = quantum_of(result, i);
    if (!quantum_is_decided(&quantum, variant->quantize, value)) continue;
    bits[i] = (uint64_t)quantum_quantize(&quantum, variant->quantize, value) &
              element_mask(result->element);
    decide[i] = 0;
  }
  *out_accept = (accept_t){.count = floats.count, .bits = bits, .decide = decide};
  return STATUS_OK;
}

static status_t accept_by(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                          accept_t *out_accept) {
  const program_t *program = &call->instance->program;
  if (PERMITTED(call->contract, order) == ORDER_IN_ORDER) {
    /* An interval tells nothing of schedules. */
    *out_accept = accept_decide_all(type_element_count(&program->results[0]), call->arena);
    return STATUS_OK;
  }
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(program, call->contract, variants);
  return accept_quantized_floats(call, &variants[0], algorithm, out_accept);
}

status_t dot_quantized_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_algorithm_t algorithm;
  const dot_algorithm_t *asked = dot_quantized_algorithm(&instance->program, &algorithm);
  if (asked == NULL && PERMITTED(call->contract, quantized) == DOT_FORMULA_INTEGER) {
    dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
    *out_accept = dot_by_integers_accept(instance, &layout, call->arena);
    return STATUS_OK;
  }
  return accept_by(call, asked, out_accept);
}

/* ---- Which algorithm ------------------------------------------------------------------------- */

/* What surely conforms by the algorithm. */
static status_t accept_explained(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 accept_t *out_accept) {
  const case_t *instance = call->instance;
  bool is_hybrid = dot_general_is_hybrid(&instance->program);
  if (!is_hybrid || PERMITTED(call->contract, order) == ORDER_IN_ORDER) {
    return accept_by(call, algorithm, out_accept);
  }
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(&instance->program, call->contract, variants);
  const case_t floats = dot_dequantized_case(instance, &variants[0], call->arena);
  return dot_by_algorithm_accept(call, &floats, algorithm, out_accept);
}

static status_t decide_explained(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  if (dot_general_is_hybrid(&call->instance->program)) {
    return dot_by_algorithm_decide(call, algorithm, component, bits, out_answer);
  }
  return dot_quantized_decide_by(call, algorithm, component, bits, out_answer);
}

status_t dot_quantized_explains(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                size_t asks, bool *out_explains) {
  STATUS_TRY(dot_dequantized_require(&call->instance->program, call->error));
  accept_t accept;
  STATUS_TRY(accept_explained(call, algorithm, &accept));
  const element_t *element = call->results[0].type.element;
  *out_explains = true;
  for (size_t i = 0; i < accept.count && *out_explains && asks > 0; i++) {
    uint64_t bits = element_load(element, call->results[0].data, i);
    if (accept_holds(&accept, element, i, bits)) continue;
    asks--;
    arena_mark_t mark = arena_mark(call->arena);
    answer_t answer = {0};
    status_t status = decide_explained(call, algorithm, i, bits, &answer);
    arena_rewind(call->arena, mark);
    if (status == STATUS_UNDECIDED) continue;
    STATUS_TRY(status);
    *out_explains = answer.conforms;
  }
  return STATUS_OK;
}

/* ---- Which semantics ------------------------------------------------------------------------- */

/* Node operations of schedules that it is worth to name a formula: some hundred hulls of 250 terms,
 * and eight of the longest ones.  A large case could ask for thousands. */
enum { FORMULA_WORK = 1 << 28 };

/* STATUS_UNDECIDED, without words, if that would take too long. */
static status_t holds_all(const oracle_call_t *call, bool *out_holds) {
  accept_t accept;
  STATUS_TRY(dot_quantized_accept(call, &accept));
  const element_t *element = call->results[0].type.element;
  uint64_t work = FORMULA_WORK;
  *out_holds = true;
  for (size_t i = 0; i < accept.count && *out_holds; i++) {
    uint64_t bits = element_load(element, call->results[0].data, i);
    if (accept_holds(&accept, element, i, bits)) continue;
    arena_mark_t mark = arena_mark(call->arena);
    answer_t answer;
    STATUS_TRY(dot_quantized_decide_within(call, i, bits, &work, &answer));
    arena_rewind(call->arena, mark);
    *out_holds = answer.conforms;
  }
  return STATUS_OK;
}

status_t dot_quantized_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                    uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  *out_found = false;
  if (!dot_general_is_quantized(&call->instance->program)) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "only quantized results have several formulas");
  }
  if (dot_general_attributes(&call->instance->program)->has_algorithm) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "an algorithm is one formula");
  }
  contract_t tried = *call->contract;
  oracle_call_t other = *call;
  other.contract = &tried;
  for (uint8_t formula = 0; formula < DOT_FORMULA_COUNT && !*out_found; formula++) {
    PERMITTED(&tried, quantized) = formula;
    status_t status = holds_all(&other, out_found);
    if (status == STATUS_UNDECIDED) { /* Then neither this one is named nor the next. */
      *out_found = false;
      return STATUS_OK;
    }
    STATUS_TRY(status);
    *out_formula = formula;
  }
  return STATUS_OK;
}
