/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized composite ops: builds the dequantized float case, collects the storage integers that
 * follow from the ends of the permitted floats, and simulates by dequantizing, running the float
 * model and quantizing. */
#include "oracles/composite/quantized.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generated/formula_faults.h"
#include "oracles/composite/parts.h"
#include "oracles/composite/stored_set.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/exact/quantum/quantize_mpfr.h"
#include "oracles/formula/enclosed.h"

/* ---- The case of floats ---------------------------------------------------------------------- */

static type_t expressed_type(const type_t *type) {
  return type_make(type->quantization->expressed, type->rank, type->dims);
}

/* Operands are left to be filled in. */
static case_t make_floats(const case_t *instance, arena_t *arena) {
  program_t program = instance->program;
  for (uint32_t i = 0; i < program.operand_count; i++) {
    program.operands[i] = expressed_type(&instance->program.operands[i]);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    program.results[i] = expressed_type(&instance->program.results[i]);
  }
  return case_make(arena, &program);
}

static void store_float(const tensor_t *tensor, size_t index, double value) {
  const element_t *element = tensor->type.element;
  element_store(element, tensor->data, index, format_from_double(element->format, value));
}

case_t composite_dequantized(const case_t *instance, arena_t *arena) {
  case_t floats = make_floats(instance, arena);
  for (uint32_t i = 0; i < floats.program.operand_count; i++) {
    const tensor_t *stored = &instance->operands[i];
    const format_t *format = floats.operands[i].type.element->format;
    for (size_t e = 0; e < type_element_count(&stored->type); e++) {
      quantum_t quantum = quantum_of(&stored->type, e);
      store_float(&floats.operands[i], e,
                  exact_dequantize(&quantum, format, quantum_load(stored, e)));
    }
  }
  return floats;
}

/* ---- All sets of a case ---------------------------------------------------------------------- */

/* The sets of all elements of all results, by variant; those of a variant are NULL until somebody
 * asks. */
typedef struct known_sets {
  struct known_sets *next;
  contract_t contract;
  case_t floats;
  size_t variant_count;
  variant_t variants[VARIANTS_MAX];
  stored_set_t *sets[VARIANTS_MAX][CASE_RESULTS_MAX];
} known_sets_t;

static problem_t make_problem(const oracle_call_t *call, const case_t *floats) {
  problem_t problem = problem_make(floats, call->contract, call->arena);
  problem.quantized = call->instance;
  return problem;
}

/* What the last step of a variant gave, in the format that it is computed in. */
static value_range_t finish(const problem_t *problem, const variant_t *variant, const row_t *row,
                            size_t place) {
  const enclosing_t settings = {.is_unbounded = problem->formulas[variant->formula].is_unbounded};
  const formula_t formula = {.evaluator = &enclosed_evaluator,
                             .settings = &settings,
                             .format = variant->format,
                             .contract = problem->contract,
                             .arena = problem->arena};
  value_range_t range;
  enclosed_finish(&formula, &row->enclosed[row->count == 1 ? 0 : place], variant->format, &range);
  return range;
}

static void evaluate_variant(const problem_t *problem, const variant_t *variant,
                             stored_set_t *const out_sets[CASE_RESULTS_MAX]) {
  const enclosing_t settings = {.is_unbounded = problem->formulas[variant->formula].is_unbounded};
  const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
  const program_t *program = &problem->quantized->program;
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t way_count = quantize_ways(problem->contract, ways);
  for (size_t group = 0; group < problem->layout.group_count; group++) {
    arena_mark_t mark = arena_mark(problem->arena);
    part_t part = problem_part(problem, group);
    row_t rows[CASE_RESULTS_MAX];
    problem_evaluate(problem, &part, variant, &enclosing, rows);
    for (uint32_t r = 0; r < program->result_count; r++) {
      for (size_t i = 0; i < part_result_count(problem, &part, r); i++) {
        value_range_t range = finish(problem, variant, &rows[r], i);
        size_t element = part_result_element(problem, &part, r, i);
        out_sets[r][element] = stored_set_of_range(&program->results[r], element, problem->contract,
                                                   ways, way_count, &range);
      }
    }
    arena_rewind(problem->arena, mark);
  }
}

static void make_sets(const oracle_call_t *call, const case_t *floats, const variant_t *variant,
                      stored_set_t *out_sets[CASE_RESULTS_MAX]) {
  for (uint32_t r = 0; r < call->instance->program.result_count; r++) {
    size_t count = type_element_count(&call->instance->program.results[r]);
    out_sets[r] = ARENA_NEW_ARRAY(call->arena, stored_set_t, count);
  }
  problem_t problem = make_problem(call, floats);
  evaluate_variant(&problem, variant, out_sets);
}

/* ---- Oracle ---------------------------------------------------------------------------------- */

/* Of the first variant, one storage integer in the middle. */
static accept_t accept_result(const type_t *type, const stored_set_t *sets, arena_t *arena) {
  size_t count = type_element_count(type);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    decide[i] = stored_set_is_everything(&sets[i], type) ? 1 : 0;
    int64_t middle = decide[i] ? 0 : sets[i].low + (sets[i].high - sets[i].low) / 2;
    bits[i] = (uint64_t)middle & element_mask(type->element);
  }
  return (accept_t){.count = count, .bits = bits, .decide = decide};
}

static known_sets_t *make_known(const oracle_call_t *call, arena_t *arena) {
  known_sets_t *known = arena_alloc_zeroed(arena, sizeof *known);
  known->contract = *call->contract;
  known->floats = composite_dequantized(call->instance, arena);
  oracle_call_t lasting = *call;
  lasting.arena = arena;
  problem_t problem = make_problem(&lasting, &known->floats);
  known->variant_count = problem_variants(&problem, known->variants);
  return known;
}

status_t composite_quantized_accept(const oracle_call_t *call,
                                    accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  known_sets_t *known = make_known(call, call->arena);
  make_sets(call, &known->floats, &known->variants[0], known->sets[0]);
  for (uint32_t r = 0; r < program->result_count; r++) {
    out_accepts[r] = accept_result(&program->results[r], known->sets[0][r], call->arena);
  }
  if (call->kept != NULL) *call->kept = known;
  return STATUS_OK;
}

/* What accept() knew, if that was under the same contract. */
static const known_sets_t *find_kept(const oracle_call_t *call) {
  const known_sets_t *kept = call->kept == NULL ? NULL : *call->kept;
  bool is_alike = kept != NULL && contract_equal(&kept->contract, call->contract);
  return is_alike ? kept : NULL;
}

/* What is known under the contract, made at first. */
static known_sets_t *recall(const oracle_call_t *call) {
  for (known_sets_t *known = call->memo->entries; known != NULL; known = known->next) {
    if (memcmp(&known->contract, call->contract, sizeof *call->contract) == 0) return known;
  }
  const known_sets_t *kept = find_kept(call);
  known_sets_t *known;
  if (kept == NULL) {
    known = make_known(call, &call->memo->arena);
  } else {
    known = arena_alloc(&call->memo->arena, sizeof *known);
    *known = *kept;
  }
  known->next = call->memo->entries;
  call->memo->entries = known;
  return known;
}

static const stored_set_t *recall_set(const oracle_call_t *call, known_sets_t *known,
                                      size_t variant, uint32_t result, size_t element) {
  if (known->sets[variant][result] == NULL) {
    oracle_call_t lasting = *call;
    lasting.arena = &call->memo->arena;
    make_sets(&lasting, &known->floats, &known->variants[variant], known->sets[variant]);
  }
  return &known->sets[variant][result][element];
}

static status_t decide_variants(const oracle_call_t *call, uint32_t result, size_t element,
                                answer_t *out_answer) {
  known_sets_t *known = recall(call);
  const char *formulas = call->instance->program.op->formulas;
  int64_t got = quantum_load(&call->results[result], element);
  answer_t answer = {.is_quantum = true};
  for (size_t i = 0; i < known->variant_count && !answer.conforms; i++) {
    const stored_set_t *set = recall_set(call, known, i, result, element);
    if (i == 0) stored_set_print(set, answer.expected, sizeof answer.expected);
    answer.conforms = stored_set_holds(set, got);
    if (!answer.conforms) continue;
    answer.is_vacuous = stored_set_is_everything(set, &call->results[result].type);
    uint8_t formula = known->variants[i].formula;
    if (formula == 0) continue;
    snprintf(answer.observed, sizeof answer.observed, "%s=%s", formulas,
             contract_spelling(formulas, formula));
  }
  *out_answer = answer;
  return STATUS_OK;
}

status_t composite_quantized_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                    answer_t *out_answer) {
  return oracle_decide_with_memo(decide_variants, call, result, component, out_answer);
}

/* The set of the fast side is one integer, which the exact side has to hold. */
status_t composite_quantized_audit(const oracle_call_t *call, const accept_t *accepts,
                                   uint32_t result, size_t component) {
  if (accepts[result].decide[component] != 0) return STATUS_OK;
  tensor_t results[CASE_RESULTS_MAX];
  results[result] = tensor_make(call->arena, &call->instance->program.results[result]);
  uint64_t bits = accepts[result].bits[component];
  element_store(results[result].type.element, results[result].data, component, bits);
  answer_t answer;
  oracle_call_t asked = oracle_call_about(call, call->instance, results);
  asked.memo = call->memo; /* Not what accept() kept: it is audited. */
  STATUS_TRY(composite_quantized_decide(&asked, result, component, &answer));
  if (answer.conforms) return STATUS_OK;
  return status_fail(call->error, STATUS_INVALID,
                     "bug in Assay: the fast oracle accepts 0x%" PRIx64
                     " for component %zu of result %u, the exact one expects %s",
                     bits, component, result, answer.expected);
}

/* ---- Which formula --------------------------------------------------------------------------- */

static bool holds_all(const oracle_call_t *call, const case_t *floats, uint8_t formula) {
  problem_t problem = make_problem(call, floats);
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants_of(&problem, formula, variants);
  stored_set_t *sets[VARIANTS_MAX][CASE_RESULTS_MAX];
  const known_sets_t *kept = find_kept(call);
  for (size_t i = 0; i < count; i++) {
    if (kept != NULL && variant_equal(&variants[i], &kept->variants[0])) {
      memcpy(sets[i], kept->sets[0], sizeof sets[i]);
    } else {
      make_sets(call, floats, &variants[i], sets[i]);
    }
  }
  for (uint32_t r = 0; r < call->instance->program.result_count; r++) {
    for (size_t e = 0; e < type_element_count(&call->results[r].type); e++) {
      bool holds = false;
      for (size_t i = 0; i < count && !holds; i++) {
        holds = stored_set_holds(&sets[i][r][e], quantum_load(&call->results[r], e));
      }
      if (!holds) return false;
    }
  }
  return true;
}

status_t composite_quantized_find_formula(const oracle_call_t *call, uint8_t *out_formula,
                                          bool *out_found) {
  case_t floats = composite_dequantized(call->instance, call->arena);
  uint8_t count = contract_value_count(call->instance->program.op->formulas);
  *out_found = false;
  for (uint8_t formula = 0; formula < count && !*out_found; formula++) {
    *out_formula = formula;
    *out_found = holds_all(call, &floats, formula);
  }
  return STATUS_OK;
}

/* ---- Models ---------------------------------------------------------------------------------- */

static void dequantize_by_model(const case_t *instance, const implementation_model_t *schedule,
                                const case_t *floats) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *stored = &instance->operands[i];
    const format_t *arithmetic = quantize_faulty_arithmetic(&stored->type, schedule);
    for (size_t e = 0; e < type_element_count(&stored->type); e++) {
      quantum_t quantum = quantize_faulty_of(&stored->type, schedule->fault, e);
      store_float(&floats->operands[i], e,
                  fault_dequantize(&stored->type, &quantum, arithmetic, schedule->fault,
                                   quantize_faulty_load(stored, schedule->fault, e)));
    }
  }
}

static void quantize_by_model(const tensor_t *floats, const type_t *operand,
                              const implementation_model_t *schedule, tensor_t *inout_result) {
  const type_t *type = &inout_result->type;
  bool takes_operand = schedule->fault == FAULT_quantized_like_operand;
  const format_t *arithmetic = quantize_faulty_arithmetic(type, schedule);
  for (size_t e = 0; e < type_element_count(type); e++) {
    if (fault_skips_store(schedule->fault, e, inout_result)) continue;
    quantum_t quantum = quantize_faulty_of(takes_operand ? operand : type, schedule->fault, e);
    const element_t *element = floats->type.element;
    double value = format_to_double(element->format, element_load(element, floats->data, e));
    int64_t stored = fault_quantize(type, &quantum, arithmetic, schedule, value);
    element_store(type->element, inout_result->data, e,
                  (uint64_t)stored & element_mask(type->element));
  }
}

status_t composite_quantized_simulate(const oracle_call_t *call,
                                      const implementation_model_t *schedule,
                                      oracle_simulate_t *simulate, tensor_t *inout_results) {
  const case_t *instance = call->instance;
  case_t floats = make_floats(instance, call->arena);
  dequantize_by_model(instance, schedule, &floats);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < floats.program.result_count; r++) {
    results[r] = tensor_make(call->arena, &floats.program.results[r]);
    memset(results[r].data, 0, type_bytes(&floats.program.results[r]));
  }
  const oracle_call_t float_call = oracle_call_about(call, &floats, NULL);
  STATUS_TRY(simulate(&float_call, schedule, results));
  for (uint32_t r = 0; r < floats.program.result_count; r++) {
    quantize_by_model(&results[r], &instance->program.operands[0], schedule, &inout_results[r]);
  }
  return STATUS_OK;
}
