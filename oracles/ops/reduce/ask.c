/* Decides one component of a reduce exactly, by forwarding its terms to the exact decision for
 * sums, products, integers or selections, with the conversion to the result type. */
#include "oracles/ops/reduce/ask.h"

#include <stdio.h>

#include "oracles/ops/reduce/integer_result.h"
#include "oracles/ops/reduce/minmax.h"
#include "oracles/ops/reduce/quantized/problem.h"

/* The component that is asked about. */
typedef struct reduce_ask {
  const case_t *instance;
  reduce_core_t core;
  reduce_slices_t slices;
  const contract_t *contract;
  uint32_t result;
  size_t component;
  uint64_t bits;
  const element_t *accumulation;
  const element_t *converted; /* The type of the result. */
} reduce_ask_t;

sum_question_t reduce_converted_sum_question(const case_t *instance, const reduce_core_t *core,
                                             const reduce_slices_t *slices, uint32_t result,
                                             size_t component, arena_t *arena) {
  sum_question_t question = reduce_sum_question(&core->instance, slices, result, component, arena);
  const element_t *stored = instance->program.operands[result].element;
  const element_t *converted = instance->program.results[result].element;
  if (stored->format != question.left_format) question.left_storage = stored->format;
  if (converted->format != question.format) question.result = converted->format;
  return question;
}

/* Floats and complex numbers under add and multiply. */
static status_t ask_rounded(const reduce_ask_t *ask, arena_t *arena, answer_t *out_answer,
                            failure_t *error) {
  if (reduce_fold_body(&ask->instance->program) == FOLD_ADD) {
    sum_question_t question = reduce_converted_sum_question(ask->instance, &ask->core, &ask->slices,
                                                            ask->result, ask->component, arena);
    return sum_answer(&question, ask->contract, ask->bits, arena, out_answer, error);
  }
  product_question_t question = reduce_product_question(&ask->core.instance, &ask->slices,
                                                        ask->result, ask->component, arena);
  if (ask->accumulation->components != 1) {
    return complex_product_answer(&question, ask->contract, (int)(ask->component % 2), ask->bits,
                                  out_answer, error);
  }
  if (ask->converted != ask->accumulation) question.result = ask->converted->format;
  return product_answer(&question, ask->contract, ask->bits, arena, out_answer, error);
}

/* ---- Picks ----------------------------------------------------------------------------------- */

/* Asks about a pattern of the accumulation type in the place of the component. */
static answer_t ask_pick(const reduce_ask_t *ask, uint64_t bits, tensor_t *picked, arena_t *arena) {
  answer_t answer;
  element_store(ask->accumulation, picked->data, ask->component, bits);
  arena_mark_t mark = arena_mark(arena);
  const oracle_call_t call = {.instance = &ask->core.instance,
                              .contract = ask->contract,
                              .results = picked,
                              .arena = arena};
  reduce_pick_ask(&call, &ask->slices, ask->result, ask->component, &answer);
  arena_rewind(arena, mark);
  return answer;
}

/* Whether a picked pattern becomes the result; whatever it is, where the result's type has no such
 * value. */
static bool try_pick(const reduce_ask_t *ask, uint64_t bits, tensor_t *picked, arena_t *arena,
                     answer_t *out_answer) {
  uint64_t converted;
  bool is_known = reduce_convert_bits(ask->accumulation, bits, ask->converted, &converted);
  if (is_known && converted != ask->bits) return false;
  answer_t answer = ask_pick(ask, bits, picked, arena);
  if (!answer.conforms) return false;
  answer.is_weak = !is_known;
  answer.has_reference = false;
  *out_answer = answer;
  return true;
}

/* What is picked is a term, the initial value, or a zero in the place of a subnormal number. */
static void ask_converted_pick(const reduce_ask_t *ask, arena_t *arena, answer_t *out_answer) {
  type_t type = ask->instance->program.results[0];
  type.element = ask->accumulation;
  tensor_t picked = tensor_make(arena, &type);
  const format_t *format = ask->accumulation->format;
  const tensor_t *input = &ask->core.instance.operands[0];
  double init = reduce_load_float(&ask->core.instance.operands[1], 0);
  const double others[] = {init, 0.0, -0.0};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    uint64_t bits = format_from_double(format, others[i]);
    if (try_pick(ask, bits, &picked, arena, out_answer)) return;
  }
  uint64_t last = format_from_double(format, init);
  for (size_t term = 0; term < ask->slices.term_count; term++) {
    size_t index = ask->slices.output_base[ask->component] + ask->slices.term_offset[term];
    uint64_t bits = format_from_double(format, reduce_load_float(input, index));
    if (bits != last && try_pick(ask, bits, &picked, arena, out_answer)) return;
    last = bits;
  }
  double got = format_to_double(ask->converted->format, ask->bits);
  *out_answer = ask_pick(ask, format_from_double(format, got), &picked, arena);
  out_answer->conforms = false;
  out_answer->has_reference = false;
}

static bool picks(const reduce_ask_t *ask) {
  fold_body_t body = reduce_fold_body(&ask->instance->program);
  bool is_extreme = body == FOLD_MAXIMUM || body == FOLD_MINIMUM;
  return body == FOLD_ARGMAX || body == FOLD_ARGMIN ||
         (is_extreme && ask->accumulation->format != NULL);
}

/* ---- All ------------------------------------------------------------------------------------- */

static answer_t anything_conforms(void) {
  answer_t answer = {.conforms = true, .is_weak = true};
  snprintf(answer.expected, sizeof answer.expected,
           "anything: a term has no value in the accumulation type");
  return answer;
}

status_t reduce_ask_component(const oracle_call_t *call, uint32_t result, size_t component,
                              answer_t *out_answer) {
  const case_t *instance = call->instance;
  if (reduce_is_quantized(&instance->program)) {
    return reduce_quantized_ask(call, component, &call->results[0], out_answer);
  }
  reduce_ask_t ask = {.instance = instance,
                      .contract = call->contract,
                      .result = result,
                      .component = component,
                      .converted = call->results[result].type.element};
  STATUS_TRY(reduce_core_make(instance, call->arena, &ask.core, call->error));
  ask.slices = reduce_slices_make(&instance->program, call->arena);
  ask.accumulation = ask.core.instance.program.results[result].element;
  ask.bits = element_load(ask.converted, call->results[result].data, component);
  size_t output = component / ask.accumulation->components;
  if (reduce_core_has_open_term(&ask.core, &ask.slices, result, output)) {
    *out_answer = anything_conforms();
    return STATUS_OK;
  }
  if (picks(&ask)) {
    if (ask.converted != ask.accumulation) {
      ask_converted_pick(&ask, call->arena, out_answer);
    } else {
      const oracle_call_t core_call = oracle_call_about(call, &ask.core.instance, call->results);
      reduce_pick_ask(&core_call, &ask.slices, result, component, out_answer);
    }
    return STATUS_OK;
  }
  if (ask.accumulation->format != NULL)
    return ask_rounded(&ask, call->arena, out_answer, call->error);
  integer_question_t question =
      reduce_integer_question(&ask.core.instance, &ask.slices, result, component, call->arena);
  reduce_integer_answer(&question, call->contract, ask.converted, ask.bits, out_answer);
  return STATUS_OK;
}
