/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a reduce exactly, by forwarding its terms to the exact decision for
 * sums, products, integers or selections, with the conversion to the result type. */
#include "oracles/ops/reduce/decide.h"

#include <math.h>
#include <stdio.h>

#include "oracles/exact/sum/totals.h"
#include "oracles/ops/reduce/integer_result.h"
#include "oracles/ops/reduce/minmax.h"
#include "oracles/ops/reduce/quantized/problem.h"
#include "oracles/ops/reduce/written/written.h"

/* ---- Remembering ----------------------------------------------------------------------------- */

static arena_t *memory_arena(const oracle_call_t *call) {
  return call->memo == NULL ? call->arena : &call->memo->arena;
}

reduce_memory_t *reduce_memory_of(const oracle_call_t *call) {
  if (call->memo != NULL && call->memo->entries != NULL) return call->memo->entries;
  reduce_memory_t *memory = ARENA_NEW_ARRAY(memory_arena(call), reduce_memory_t, 1);
  memory->has_slices = memory->has_core = false;
  memory->closures = NULL;
  if (call->memo != NULL) call->memo->entries = memory;
  return memory;
}

const reduce_slices_t *reduce_slices_of(const oracle_call_t *call, reduce_memory_t *inout_memory) {
  if (!inout_memory->has_slices) {
    inout_memory->slices = reduce_slices_make(&call->instance->program, memory_arena(call));
    inout_memory->has_slices = true;
  }
  return &inout_memory->slices;
}

/* Operands are converted for all components at once. */
status_t reduce_find_core(const oracle_call_t *call, reduce_memory_t *inout_memory) {
  if (inout_memory->has_core) return STATUS_OK;
  STATUS_TRY(
      reduce_core_make(call->instance, memory_arena(call), &inout_memory->core, call->error));
  inout_memory->has_core = true;
  return STATUS_OK;
}

/* The component that is asked about. */
typedef struct reduce_decide {
  const case_t *instance;
  reduce_core_t core;
  reduce_slices_t slices;
  const contract_t *contract;
  uint32_t result;
  size_t component;
  uint64_t bits;
  size_t sums_of_case;
  GString *why;
  bool is_brief;
  bool is_any_way;
  const element_t *accumulation;
  const element_t *converted; /* The type of the result. */
} reduce_decide_t;

sum_problem_t reduce_converted_sum_question(const case_t *instance, const reduce_core_t *core,
                                            const reduce_slices_t *slices, uint32_t result,
                                            size_t component, arena_t *arena) {
  sum_problem_t question = reduce_sum_question(&core->instance, slices, result, component, arena);
  const element_t *stored = instance->program.operands[result].element;
  const element_t *converted = instance->program.results[result].element;
  if (stored->format != question.left_format) question.left_storage = stored->format;
  if (converted->format != question.format) question.result = converted->format;
  return question;
}

static const format_t *stored_format(const case_t *instance) {
  return instance->program.operands[0].element->format;
}

/* Whether a factor was subnormal where it was stored, and may be taken for zero: the product is
 * that of a zero then. */
static bool flush_factor(const reduce_decide_t *decide, arena_t *arena, product_problem_t *inout) {
  uint8_t ftz = PERMITTED(decide->contract, ftz);
  const format_t *storage = stored_format(decide->instance);
  if (ftz != FTZ_INPUTS && ftz != FTZ_BOTH) return false;
  double *factors = ARENA_NEW_ARRAY(arena, double, inout->count);
  for (size_t i = 0; i < inout->count; i++) factors[i] = inout->factors[i];
  inout->factors = factors;
  for (size_t i = 0; i <= inout->count; i++) {
    double *factor = i < inout->count ? &factors[i] : &inout->init;
    if (!sum_may_flush_factor(*factor, inout->format, storage)) continue;
    *factor = copysign(0, *factor);
    return true;
  }
  return false;
}

static status_t decide_product(const reduce_decide_t *decide, product_problem_t *question,
                               arena_t *arena, answer_t *out_answer, failure_t *error) {
  STATUS_TRY(product_answer(question, decide->contract, decide->bits, arena, out_answer, error));
  if (out_answer->conforms || !flush_factor(decide, arena, question)) return STATUS_OK;
  answer_t flushed;
  STATUS_TRY(product_answer(question, decide->contract, decide->bits, arena, &flushed, error));
  if (flushed.conforms) *out_answer = flushed;
  return STATUS_OK;
}

/* Floats and complex numbers under add and multiply. */
static status_t decide_rounded(const reduce_decide_t *decide, arena_t *arena, answer_t *out_answer,
                               failure_t *error) {
  if (reduce_fold_body(&decide->instance->program) == FOLD_ADD) {
    sum_problem_t question = reduce_converted_sum_question(
        decide->instance, &decide->core, &decide->slices, decide->result, decide->component, arena);
    question.sums_of_case = decide->sums_of_case;
    question.why = decide->why;
    question.is_brief = decide->is_brief;
    question.is_any_way = decide->is_any_way;
    return sum_answer(&question, decide->contract, decide->bits, arena, out_answer, error);
  }
  product_problem_t question = reduce_product_question(&decide->core.instance, &decide->slices,
                                                       decide->result, decide->component, arena);
  if (decide->accumulation->components != 1) {
    return complex_product_answer(&question, decide->contract, (int)(decide->component % 2),
                                  decide->bits, out_answer, error);
  }
  if (decide->converted != decide->accumulation) question.result = decide->converted->format;
  return decide_product(decide, &question, arena, out_answer, error);
}

/* ---- Picks ----------------------------------------------------------------------------------- */

/* Asks about a pattern of the accumulation type in the place of the component. */
static answer_t decide_pick(const reduce_decide_t *decide, uint64_t bits, tensor_t *picked,
                            arena_t *arena) {
  answer_t answer;
  element_store(decide->accumulation, picked->data, decide->component, bits);
  arena_mark_t mark = arena_mark(arena);
  const oracle_call_t call = {.instance = &decide->core.instance,
                              .contract = decide->contract,
                              .results = picked,
                              .arena = arena};
  reduce_minmax_ask(&call, &decide->slices, decide->result, decide->component,
                    stored_format(decide->instance), &answer);
  arena_rewind(arena, mark);
  return answer;
}

/* Whether a picked pattern becomes the result; whatever it is, where the result's type has no such
 * value. */
static bool try_pick(const reduce_decide_t *decide, uint64_t bits, tensor_t *picked, arena_t *arena,
                     answer_t *out_answer) {
  uint64_t converted;
  bool is_known = reduce_convert_bits(decide->accumulation, bits, decide->converted, &converted);
  if (is_known && converted != decide->bits) return false;
  answer_t answer = decide_pick(decide, bits, picked, arena);
  if (!answer.conforms) return false;
  answer.is_vacuous = !is_known;
  answer.has_reference = false;
  *out_answer = answer;
  return true;
}

/* What is picked is a term, the initial value, or a zero in the place of a subnormal number. */
static void decide_converted_pick(const reduce_decide_t *decide, arena_t *arena,
                                  answer_t *out_answer) {
  type_t type = decide->instance->program.results[0];
  type.element = decide->accumulation;
  tensor_t picked = tensor_make(arena, &type);
  const format_t *format = decide->accumulation->format;
  const tensor_t *input = &decide->core.instance.operands[0];
  double init = reduce_load_float(&decide->core.instance.operands[1], 0);
  const double others[] = {init, 0.0, -0.0};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    uint64_t bits = format_from_double(format, others[i]);
    if (try_pick(decide, bits, &picked, arena, out_answer)) return;
  }
  uint64_t last = format_from_double(format, init);
  for (size_t term = 0; term < decide->slices.term_count; term++) {
    size_t index = decide->slices.output_base[decide->component] + decide->slices.term_offset[term];
    uint64_t bits = format_from_double(format, reduce_load_float(input, index));
    if (bits != last && try_pick(decide, bits, &picked, arena, out_answer)) return;
    last = bits;
  }
  double got = format_to_double(decide->converted->format, decide->bits);
  *out_answer = decide_pick(decide, format_from_double(format, got), &picked, arena);
  out_answer->conforms = false;
  out_answer->has_reference = false;
}

static bool picks(const reduce_decide_t *decide) {
  fold_body_t body = reduce_fold_body(&decide->instance->program);
  bool is_extreme = body == FOLD_MAXIMUM || body == FOLD_MINIMUM;
  return body == FOLD_ARGMAX || body == FOLD_ARGMIN ||
         (is_extreme && decide->accumulation->format != NULL);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* By each of the cores that the contract permits. */
static status_t decide_by_cores(reduce_decide_t *decide, arena_t *arena, answer_t *out_answer,
                                failure_t *error) {
  const reduce_core_t core = decide->core;
  size_t count = reduce_core_count(&core, decide->contract);
  for (size_t i = 0; i < count; i++) {
    decide->core = core;
    reduce_core_accumulate(&decide->core, decide->contract, i);
    decide->accumulation = decide->core.instance.program.results[decide->result].element;
    answer_t answer;
    STATUS_TRY(decide_rounded(decide, arena, &answer, error));
    if (i == 0 || answer.conforms) *out_answer = answer;
    if (answer.conforms) break;
  }
  return STATUS_OK;
}

static answer_t anything_conforms(void) {
  answer_t answer = {.conforms = true, .is_vacuous = true};
  snprintf(answer.expected, sizeof answer.expected,
           "anything: a term has no value in the accumulation type");
  return answer;
}

status_t reduce_decide_component(const oracle_call_t *call, uint32_t result, size_t component,
                                 answer_t *out_answer) {
  const case_t *instance = call->instance;
  if (reduce_has_written_body(&instance->program)) {
    return reduce_written_decide(call, result, component, out_answer);
  }
  if (reduce_is_quantized(&instance->program)) {
    return reduce_quantized_decide(call, component, &call->results[0], out_answer);
  }
  reduce_decide_t decide = {.instance = instance,
                            .contract = call->contract,
                            .result = result,
                            .component = component,
                            .sums_of_case = oracle_call_components(call),
                            .why = call->why,
                            .is_brief = call->is_brief,
                            .is_any_way = call->is_any_way,
                            .converted = call->results[result].type.element};
  reduce_memory_t *memory = reduce_memory_of(call);
  STATUS_TRY(reduce_find_core(call, memory));
  decide.core = memory->core;
  decide.slices = *reduce_slices_of(call, memory);
  decide.accumulation = decide.core.instance.program.results[result].element;
  decide.bits = element_load(decide.converted, call->results[result].data, component);
  size_t output = component / decide.accumulation->components;
  if (reduce_core_has_open_term(&decide.core, &decide.slices, result, output)) {
    *out_answer = anything_conforms();
    return STATUS_OK;
  }
  if (picks(&decide)) {
    if (decide.converted != decide.accumulation) {
      decide_converted_pick(&decide, call->arena, out_answer);
    } else {
      const oracle_call_t core_call = oracle_call_about(call, &decide.core.instance, call->results);
      reduce_minmax_ask(&core_call, &decide.slices, result, component, stored_format(instance),
                        out_answer);
    }
    return STATUS_OK;
  }
  if (decide.accumulation->format != NULL)
    return decide_by_cores(&decide, call->arena, out_answer, call->error);
  integer_problem_t question = reduce_integer_question(&decide.core.instance, &decide.slices,
                                                       result, component, call->arena);
  reduce_integer_answer(&question, call->contract, decide.converted, decide.bits, out_answer);
  return STATUS_OK;
}
