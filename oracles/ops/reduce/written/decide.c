/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of reduces whose body is written out.  In this order: a result that is a known body
 * of its own arguments is asked about alone (theory.md, T136), argmax and argmin as such;
 * selections leave out what is beaten (T137); few terms are enumerated (T138); pairs that stand for
 * exponentials have a bound (T141); else a hull is looked for (T140).  What none of these tells is
 * anything, and said to be. */
#include "oracles/ops/reduce/written/written.h"

#include <stdio.h>
#include <string.h>

#include "oracles/exact/sum/simd.h"
#include "oracles/ops/reduce/accept.h"
#include "oracles/ops/reduce/decide.h"
#include "oracles/ops/reduce/simulate.h"
#include "oracles/ops/reduce/written/trees.h"
#include "oracles/sequential.h"

/* ---- Bodies that have a name ----------------------------------------------------------------- */

/* The bodies of argmax and argmin, as MLIR has them. */
#define PICK(better)                                                                     \
  "{v0=compare_" better                                                                  \
  "(a0,b0);v1=compare_NE(a0,a0);v2=or(v0,v1);v3=compare_EQ(a0,b0);v4=compare_LT(a1,b1);" \
  "v5=and(v3,v4);v6=or(v2,v5);v7=select(v2,a0,b0);v8=select(v6,a1,b1);return(v7,v8)}"

static reduce_body_t name_of(const body_t *body) {
  static const struct {
    const char *text;
    reduce_body_t name;
  } rows[] = {{PICK("GT"), REDUCE_argmax}, {PICK("LT"), REDUCE_argmin}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const body_t known = body_from(rows[i].text);
    if (body_equal(body, &known)) return rows[i].name;
  }
  return REDUCE_WRITTEN;
}

static reduce_body_t name_of_op(body_op_t op) {
  switch (op) {
    case BODY_add:
      return REDUCE_add;
    case BODY_multiply:
      return REDUCE_multiply;
    case BODY_maximum:
      return REDUCE_maximum;
    case BODY_minimum:
      return REDUCE_minimum;
    case BODY_and:
      return REDUCE_and;
    case BODY_or:
      return REDUCE_or;
    case BODY_xor:
      return REDUCE_xor;
    default:
      return REDUCE_WRITTEN;
  }
}

/* The case of which a result is one by itself, by a body that has a name. */
typedef struct named_case {
  case_t instance;
  reduce_attributes_t attributes;
  uint32_t first; /* The first of its results here. */
} named_case_t;

/* False if there is none. */
static bool find_named_case(const case_t *instance, uint32_t result, named_case_t *out) {
  const program_t *program = &instance->program;
  const body_t *body = &reduce_attributes(program)->reduction.written;
  /* Where there is no initial value, that of the case changes nothing in such a body. */
  out->attributes = (reduce_attributes_t){.dimensions = reduce_attributes(program)->dimensions};
  out->instance = *instance;
  out->instance.program.attributes = &out->attributes;
  out->first = 0;
  reduction_types_t types = reduce_types(program);
  reduce_body_t name = name_of(body);
  if (name != REDUCE_WRITTEN && reduction_body_allows(name, &types)) {
    out->attributes.reduction.body = name;
    return true;
  }
  name = name_of_op(body_independent_op(body, result));
  if (name == REDUCE_WRITTEN) return false;
  out->attributes.reduction.body = name;
  program_t *part = &out->instance.program;
  uint32_t init = reduce_init_operand(program, result);
  part->operand_count = 2;
  part->result_count = 1;
  part->operands[0] = program->operands[result];
  part->operands[1] = program->operands[init];
  part->results[0] = program->results[result];
  out->instance.operands[0] = instance->operands[result];
  out->instance.operands[1] = instance->operands[init];
  out->first = result;
  return true;
}

/* ---- Fast ------------------------------------------------------------------------------------ */

/* What the plain order gives conforms, but where integers must not wrap: in f32 where floats of 16
 * bits are to be computed in that.
 */
static const format_t *plain_accumulator(const contract_t *contract) {
  const format_t *formats[ACCUMULATIONS_MAX];
  contract_accumulations(contract, &format_table[FORMAT_bf16], formats);
  return formats[0];
}

status_t reduce_written_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    named_case_t *named = ARENA_NEW_ARRAY(call->arena, named_case_t, 1);
    if (find_named_case(instance, i, named)) {
      accept_t accepts[CASE_RESULTS_MAX];
      oracle_call_t part = oracle_call_about(call, &named->instance, NULL);
      STATUS_TRY(reduce_accept(&part, accepts));
      out_accepts[i] = accepts[i - named->first];
      out_accepts[i].twin = NULL;
    } else {
      out_accepts[i] = accept_decide_all(type_component_count(&program->results[i]), call->arena);
    }
  }
  if (PERMITTED(call->contract, integer_overflow) == INTEGER_OVERFLOW_SATURATE) return STATUS_OK;
  return accept_sequential(call, reduce_simulate, plain_accumulator(call->contract), out_accepts);
}

/* ---- Exact ----------------------------------------------------------------------------------- */

typedef struct question {
  const oracle_call_t *call;
  written_problem_t problem;
  reduce_slices_t slices;
  uint32_t result;
  size_t output;
  uint64_t bits[CASE_RESULTS_MAX]; /* Of all results of the element. */
  written_leaves_t leaves;
} question_t;

/* What is known of the results. */
typedef struct finding {
  written_set_t set;
  bool holds;
  bool is_bounded; /* By another set too. */
} finding_t;

static written_tuple_t load_tuple(const question_t *question, bool is_init, size_t index) {
  const case_t *instance = question->call->instance;
  written_tuple_t tuple;
  for (uint32_t i = 0; i < question->problem.inputs; i++) {
    uint32_t operand = is_init ? reduce_init_operand(&instance->program, i) : i;
    const tensor_t *tensor = &instance->operands[operand];
    uint64_t bits = element_load(tensor->type.element, tensor->data, index);
    tuple.values[i] = written_value_load(&question->problem, tensor->type.element, bits);
  }
  return tuple;
}

static void load_leaves(question_t *question) {
  const reduce_slices_t *slices = &question->slices;
  arena_t *arena = question->call->arena;
  written_tuple_t *terms = ARENA_NEW_ARRAY(arena, written_tuple_t, slices->term_count);
  for (size_t i = 0; i < slices->term_count; i++) {
    terms[i] =
        load_tuple(question, false, slices->output_base[question->output] + slices->term_offset[i]);
  }
  const contract_t *contract = question->call->contract;
  bool is_once = PERMITTED(contract, init_count) == INIT_COUNT_ONE;
  bool are_few = PERMITTED(contract, init_count) == INIT_COUNT_FEW;
  bool is_absent = reduce_has_no_init(&question->call->instance->program);
  uint32_t most = are_few ? contract_init_count_max(contract, slices->term_count) : 0;
  question->leaves = (written_leaves_t){.terms = terms,
                                        .count = slices->term_count,
                                        .init = load_tuple(question, true, 0),
                                        .is_init_once = is_once && !is_absent,
                                        .init_most = most,
                                        .is_init_absent = is_absent};
}

/* Adds a tuple to what is told in words, and asks whether it is what came. */
static void take(question_t *question, const written_tuple_t *tuple, finding_t *inout) {
  inout->holds |= written_tuple_holds(&question->problem, tuple, question->result, question->bits);
  written_set_add(&question->problem, &inout->set, tuple);
}

static void take_all(question_t *question, const written_set_t *set, finding_t *inout) {
  for (size_t i = 0; i < set->count; i++) take(question, &set->items[i], inout);
}

/* Any of the terms, or the initial value: of selections of which nothing else is told. */
static void take_leaves(question_t *question, const size_t *places, size_t count, bool with_init,
                        finding_t *inout) {
  for (size_t i = 0; i < count; i++) {
    size_t place = places == NULL ? i : places[i];
    take(question, &question->leaves.terms[place], inout);
  }
  if (with_init) take(question, &question->leaves.init, inout);
}

static void find_selected(question_t *question, finding_t *out) {
  written_problem_t *problem = &question->problem;
  const written_leaves_t *leaves = &question->leaves;
  size_t places[WRITTEN_UNBEATEN_MAX];
  bool init_stays = false;
  size_t count = written_find_unbeaten(problem, leaves, places, &init_stays);
  if (count > WRITTEN_UNBEATEN_MAX) {
    take_leaves(question, NULL, leaves->count, !leaves->is_init_absent, out);
    return;
  }
  if (count > written_terms_max(problem)) {
    take_leaves(question, places, count, init_stays, out);
    return;
  }
  written_tuple_t *kept = ARENA_NEW_ARRAY(problem->arena, written_tuple_t, count);
  for (size_t i = 0; i < count; i++) kept[i] = leaves->terms[places[i]];
  const written_leaves_t rest = {.terms = kept,
                                 .count = count,
                                 .init = leaves->init,
                                 .is_init_once = leaves->is_init_once && init_stays,
                                 .init_most = leaves->init_most,
                                 .is_init_absent = !init_stays};
  written_set_t set;
  (void)written_enumerate(problem, &rest, &set);
  take_all(question, &set, out);
}

/* What is in a hull of any number of initial values need not be in that of few (theory.md, T167).
 */
static void hold_to_few(question_t *question, finding_t *inout) {
  const written_leaves_t *leaves = &question->leaves;
  written_tuple_t hull;
  if (leaves->count == 0 || leaves->is_init_once) return;
  if (!written_hull_of_few(&question->problem, leaves, &hull)) return;
  if (written_value_is_anything(&hull.values[question->result])) return;
  *inout = (finding_t){.holds = false};
  take(question, &hull, inout);
}

static void find(question_t *question, finding_t *out) {
  written_problem_t *problem = &question->problem;
  const written_leaves_t *leaves = &question->leaves;
  written_tuple_t hull;
  bool has_bound =
      body_adds_exponentials(problem->body) && written_enclose_exponentials(problem, leaves, &hull);
  *out = (finding_t){.holds = false};
  if (has_bound) take(question, &hull, out);
  if (leaves->count <= written_terms_max(problem)) {
    if (has_bound && !out->holds) return; /* What is right is in both sets. */
    *out = (finding_t){.holds = false};
    written_set_t set;
    bool is_told = written_enumerate(problem, leaves, &set);
    take_all(question, &set, out);
    if (!is_told && out->holds) hold_to_few(question, out);
    if (has_bound && out->holds) out->is_bounded = true;
  } else if (!has_bound && body_is_selection(problem->body)) {
    find_selected(question, out);
  } else if (!has_bound) {
    hull = written_hull(problem, leaves);
    take(question, &hull, out);
  }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void describe(question_t *question, const finding_t *finding, answer_t *out) {
  written_set_t set = finding->set;
  GString *words = g_string_new(NULL);
  for (size_t i = 0; i < set.count && i < 4; i++) {
    if (i > 0) g_string_append(words, ", or ");
    written_value_print(&question->problem, question->result,
                        &set.items[i].values[question->result], words);
  }
  if (set.count > 4) g_string_append(words, ", ...");
  g_strlcpy(out->expected, words->str, sizeof out->expected);
  g_string_free(words, TRUE);
}

static bool may_be_anything(const question_t *question, const finding_t *finding) {
  for (size_t i = 0; i < finding->set.count; i++) {
    if (written_value_is_anything(&finding->set.items[i].values[question->result])) return true;
  }
  return false;
}

static void answer(question_t *question, answer_t *out_answer) {
  finding_t finding;
  load_leaves(question);
  find(question, &finding);
  *out_answer = (answer_t){.conforms = finding.holds};
  if (finding.holds && !finding.is_bounded && may_be_anything(question, &finding)) {
    out_answer->is_vacuous = true;
    snprintf(out_answer->expected, sizeof out_answer->expected,
             "undecided: no set is known of so many terms by this body");
    return;
  }
  describe(question, &finding, out_answer);
}

static bool has_short_floats(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = program->results[i].element;
    if (element->format != NULL && element->bits == 16) return true;
  }
  return false;
}

/* In the floats' own types, or all of 16 bits in f32, as the contract has it. */
static void answer_by_formats(question_t *question, answer_t *out_answer) {
  const contract_t *contract = question->call->contract;
  const program_t *program = &question->call->instance->program;
  const format_t *formats[ACCUMULATIONS_MAX];
  size_t count = contract_accumulations(contract, &format_table[FORMAT_bf16], formats);
  if (!has_short_floats(program)) count = 1;
  for (size_t i = 0; i < count; i++) {
    bool in_f32 = formats[i] == &format_table[FORMAT_f32];
    question->problem = written_problem_make(program, contract, in_f32, question->call->arena);
    answer_t one;
    answer(question, &one);
    if (i == 0 || (one.conforms && !out_answer->conforms)) *out_answer = one;
    if (out_answer->conforms && !out_answer->is_vacuous) return;
  }
}

status_t reduce_written_decide(const oracle_call_t *call, uint32_t result, size_t component,
                               answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  named_case_t named;
  if (find_named_case(call->instance, result, &named)) {
    const oracle_call_t part =
        oracle_call_about(call, &named.instance, call->results + named.first);
    return reduce_decide_component(&part, result - named.first, component, out_answer);
  }
  question_t question = {.call = call,
                         .slices = *reduce_slices_of(call, reduce_memory_of(call)),
                         .result = result,
                         .output = component};
  for (uint32_t i = 0; i < program->result_count; i++) {
    const tensor_t *tensor = &call->results[i];
    question.bits[i] = element_load(tensor->type.element, tensor->data, component);
  }
  answer_by_formats(&question, out_answer);
  return STATUS_OK;
}
