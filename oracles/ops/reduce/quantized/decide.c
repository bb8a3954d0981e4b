/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a quantized reduce. */
#include <inttypes.h>
#include <stdio.h>

#include "oracles/ops/reduce/decide.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/quantized/parts.h"
#include "oracles/ops/reduce/quantized/product_reach.h"

/* The values of the accumulation that become the result that is asked about. */
typedef struct sources {
  size_t count;
  stored_interval_t intervals[QUANTUM_CHAINS_MAX];
} sources_t;

/* The least storage value of the accumulation whose conversion is at least `result`; one more than
 * the largest if there is none.  Conversions are monotone. */
static int64_t first_source(const reduce_quanta_t *quanta, size_t chain, int64_t result) {
  int64_t from = quanta->accumulation.storage_min, to = quanta->accumulation.storage_max + 1;
  while (from < to) {
    int64_t middle = from + (to - from) / 2;
    if (reduce_convert_result(quanta, chain, middle) >= result) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

static sources_t find_sources(const reduce_quanta_t *quanta, int64_t result) {
  sources_t sources = {.count = 1, .intervals = {{.low = result, .high = result}}};
  if (!quanta->converts_results) return sources;
  sources.count = quanta->chain_count;
  for (size_t i = 0; i < sources.count; i++) {
    sources.intervals[i] = (stored_interval_t){.low = first_source(quanta, i, result),
                                               .high = first_source(quanta, i, result + 1) - 1};
  }
  return sources;
}

static bool sources_meet(const sources_t *sources, stored_interval_t interval) {
  for (size_t i = 0; i < sources->count; i++) {
    if (stored_intervals_meet(sources->intervals[i], interval)) return true;
  }
  return false;
}

static bool sources_meet_set(const sources_t *sources, const reach_set_t *set) {
  for (size_t i = 0; i < set->count; i++) {
    if (sources_meet(sources, set->intervals[i])) return true;
  }
  return false;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* A stored input by all chains; false if it has no value by one of them. */
static bool convert_leaf(const reduce_quanta_t *quanta, int64_t stored, stored_interval_t *out,
                         leaf_values_t *out_values) {
  out_values->count = 0;
  *out = (stored_interval_t){.low = INT64_MAX, .high = INT64_MIN};
  for (size_t i = 0; i < quanta->chain_count; i++) {
    int64_t value;
    if (!reduce_convert_input(quanta, i, stored, &value)) return false;
    out->low = MIN(out->low, value);
    out->high = MAX(out->high, value);
    bool is_new = true;
    for (size_t k = 0; k < out_values->count; k++) is_new &= out_values->items[k] != value;
    if (is_new) out_values->items[out_values->count++] = value;
  }
  return true;
}

static bool gather_leaves(const case_t *instance, const reduce_slices_t *slices, size_t output,
                          arena_t *arena, reach_question_t *question) {
  stored_interval_t *terms = ARENA_NEW_ARRAY(arena, stored_interval_t, slices->term_count);
  question->count = slices->term_count;
  question->terms = terms;
  question->init = (stored_interval_t){0, 0};
  question->init_values = (leaf_values_t){.count = 1};
  size_t valued = slices->term_count <= LEAF_TERMS_MAX ? slices->term_count : 0;
  leaf_values_t unused, *values = ARENA_NEW_ARRAY(arena, leaf_values_t, valued);
  question->term_values = valued == slices->term_count ? values : NULL;
  bool are_known = reduce_has_no_init(&instance->program) ||
                   convert_leaf(question->quanta, quantum_load(&instance->operands[1], 0),
                                &question->init, &question->init_values);
  for (size_t term = 0; term < slices->term_count && are_known; term++) {
    size_t index = slices->output_base[output] + slices->term_offset[term];
    are_known = convert_leaf(question->quanta, quantum_load(&instance->operands[0], index),
                             &terms[term], term < valued ? &values[term] : &unused);
  }
  if (are_known) reach_prepare(question);
  return are_known;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* What is asked, and what has been found. */
typedef struct quantized_decide {
  reach_question_t question;
  fold_body_t body;
  sources_t sources;
  stored_interval_t expected; /* With one initial value. */
  bool is_known;              /* Else nobody knows what the formula gives. */
  uint32_t init_count;        /* With which it conforms. */
  bool has_no_init;           /* reduce_has_no_init() */
} quantized_decide_t;

/* Conversions are monotone, so the ends tell. */
bool reduce_result_is_decided(const reduce_quanta_t *quanta, stored_interval_t interval) {
  const int64_t ends[] = {interval.low, interval.high};
  bool is_decided = true;
  for (size_t i = 0; i < quanta->chain_count && quanta->converts_results; i++) {
    for (int end = 0; end < 2; end++) {
      const quantum_chain_t *chain = &quanta->chains[i];
      double value = quantum_chain_convert(chain, &quanta->accumulation, ends[end]);
      is_decided &= quantum_chain_is_decided(chain, &quanta->result, value);
    }
  }
  return is_decided;
}

/* Whether the result conforms that comes of the interval, or does not: if what does may be beyond
 * the range of the result, nobody knows. */
static bool conforms_or_unknown(const quantized_decide_t *decide, stored_interval_t interval,
                                bool meets, bool *out_is_known) {
  if (meets) return true;
  *out_is_known = reduce_result_is_decided(decide->question.quanta, interval);
  return !*out_is_known;
}

/* Whether one of the values in the interval that are picked ends in a source. */
static bool some_value_meets(const quantized_decide_t *decide, bool with_init,
                             stored_interval_t picked) {
  picked_values_t values;
  if (!reduce_quantized_pick_values(&decide->question, with_init, picked, &values)) return true;
  bool meets = false;
  for (size_t i = 0; i < values.count && !meets; i++) {
    meets = sources_meet(&decide->sources, (stored_interval_t){values.items[i], values.items[i]});
  }
  return meets;
}

/* Whether what is picked, with the initial value or without it, ends in a source. */
static bool pick_conforms_with(const quantized_decide_t *decide, bool with_init,
                               stored_interval_t *out_picked, bool *out_is_known) {
  *out_is_known =
      reduce_quantized_pick(&decide->question, decide->body == FOLD_MAXIMUM, with_init, out_picked);
  if (!*out_is_known) return true;
  bool meets = sources_meet(&decide->sources, *out_picked);
  if (meets && out_picked->low < out_picked->high) {
    meets = some_value_meets(decide, with_init, *out_picked);
  }
  return conforms_or_unknown(decide, *out_picked, meets, out_is_known);
}

/* Beyond one initial value. */
static bool pick_conforms(quantized_decide_t *decide) {
  bool may_skip = decide->question.count > 0 &&
                  PERMITTED(decide->question.contract, init_count) != INIT_COUNT_ONE;
  decide->init_count = 0;
  stored_interval_t picked;
  bool is_known;
  return may_skip && pick_conforms_with(decide, false, &picked, &is_known);
}

enum { SET_INITS_MAX = 4 };

/* Whether some schedule with so many initial values ends in a source. */
static bool sum_conforms_with(quantized_decide_t *decide, uint32_t init_count, arena_t *arena,
                              bool *out_is_known) {
  stored_interval_t bound = {0, 0};
  *out_is_known = reach_bound(&decide->question, init_count, &bound);
  if (!*out_is_known) return true;
  bool meets = sources_meet(&decide->sources, bound);
  if (meets && bound.low != bound.high && init_count <= SET_INITS_MAX) {
    arena_mark_t mark = arena_mark(arena);
    reach_set_t set;
    meets = !reach_set_make(&decide->question, init_count, arena, &set) ||
            sources_meet_set(&decide->sources, &set);
    arena_rewind(arena, mark);
  }
  return conforms_or_unknown(decide, bound, meets, out_is_known);
}

bool reduce_init_says_nothing(const reach_question_t *question) {
  int64_t zero_point = question->quanta->accumulation.zero_point;
  stored_interval_t one, many;
  if (question->init.low != zero_point || question->init.high != zero_point) return false;
  return reach_bound(question, 1, &one) && reach_bound(question, CONTRACT_INIT_COUNT_MAX, &many) &&
         one.low == many.low && one.high == many.high;
}

/* Whether some number of initial values ends in a source, and the least one that does.  False if
 * that cannot be told of all numbers at once. */
static bool find_closed_source(quantized_decide_t *decide, arena_t *arena, bool *out_conforms) {
  const quantum_t *quantum = &decide->question.quanta->accumulation;
  uint32_t least[CLOSURE_SHORT_VALUES], inits = CLOSURE_NEVER;
  if (!reach_closure(&decide->question, arena, least)) return false;
  for (int64_t value = quantum->storage_min; value <= quantum->storage_max; value++) {
    const stored_interval_t point = {.low = value, .high = value};
    uint32_t needed = least[value - quantum->storage_min];
    if (needed == CLOSURE_NEVER) continue;
    bool is_right = sources_meet(&decide->sources, point) ||
                    !reduce_result_is_decided(decide->question.quanta, point);
    if (is_right) inits = MIN(inits, needed);
  }
  *out_conforms = inits != CLOSURE_NEVER;
  if (*out_conforms) decide->init_count = inits;
  return true;
}

/* ---- Products -------------------------------------------------------------------------------- */

static stored_interval_t hull_of_set(const reach_set_t *set) {
  return (stored_interval_t){set->intervals[0].low, set->intervals[set->count - 1].high};
}

/* The same of products, of which the sets of few leaves come first: hulls are wide. */
static bool product_conforms_with(quantized_decide_t *decide, uint32_t init_count, arena_t *arena,
                                  stored_interval_t *out_hull, bool *out_is_known) {
  arena_mark_t mark = arena_mark(arena);
  stored_interval_t bound = {0, 0};
  bool has_bound = product_bound(&decide->question, init_count, &bound);
  reach_set_t set = {.count = 1, .intervals = {bound}};
  bool is_told = has_bound && bound.low == bound.high;
  *out_is_known = has_bound;
  if (!is_told && init_count <= SET_INITS_MAX) {
    *out_is_known |= reach_set_make(&decide->question, init_count, arena, &set);
  }
  arena_rewind(arena, mark);
  if (!*out_is_known) return true;
  *out_hull = hull_of_set(&set);
  for (size_t i = 0; i < set.count; i++) {
    bool meets = sources_meet(&decide->sources, set.intervals[i]);
    if (conforms_or_unknown(decide, set.intervals[i], meets, out_is_known)) return true;
  }
  return false;
}

static bool product_conforms(quantized_decide_t *decide, arena_t *arena) {
  const reach_question_t *question = &decide->question;
  stored_interval_t hull;
  bool is_known;
  if (PERMITTED(question->contract, init_count) == INIT_COUNT_ONE) return false;
  if (question->count > 0) {
    decide->init_count = 0;
    if (product_conforms_with(decide, 0, arena, &hull, &is_known)) return true;
  }
  if (product_init_is_neutral(question)) return false;
  bool conforms;
  if (find_closed_source(decide, arena, &conforms)) return conforms;
  uint32_t most = contract_init_count_max(question->contract, question->count);
  for (uint32_t count = 2; count <= MIN(most, (uint32_t)SET_INITS_MAX); count++) {
    decide->init_count = count;
    if (product_conforms_with(decide, count, arena, &hull, &is_known)) return true;
  }
  decide->init_count = SET_INITS_MAX + 1;
  if (most <= SET_INITS_MAX) return false;
  if (!product_bound_of_any_inits(question, &hull)) return true;
  return conforms_or_unknown(decide, hull, sources_meet(&decide->sources, hull), &is_known);
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool sum_conforms(quantized_decide_t *decide, arena_t *arena) {
  const reach_question_t *question = &decide->question;
  bool is_known = true, conforms;
  if (PERMITTED(question->contract, init_count) == INIT_COUNT_ONE) return false;
  if (question->count > 0) {
    decide->init_count = 0;
    if (sum_conforms_with(decide, 0, arena, &is_known)) return true;
  }
  if (reduce_init_says_nothing(question)) return false;
  uint32_t most = contract_init_count_max(question->contract, question->count);
  for (uint32_t count = 2; count <= most; count++) {
    decide->init_count = count;
    bool is_first_left = count == SET_INITS_MAX + 1;
    if (is_first_left && find_closed_source(decide, arena, &conforms)) return conforms;
    if (sum_conforms_with(decide, count, arena, &is_known)) return true;
  }
  return false;
}

/* With one initial value, or none where there is none (theory.md, T210). */
static bool conforms_as_usual(quantized_decide_t *decide, arena_t *arena) {
  const uint32_t usual = decide->has_no_init ? 0 : 1;
  stored_interval_t *expected = &decide->expected;
  decide->init_count = 1;
  if (decide->body == FOLD_ADD) {
    bool conforms = sum_conforms_with(decide, usual, arena, &decide->is_known);
    if (decide->is_known) (void)reach_bound(&decide->question, usual, expected);
    return conforms;
  }
  if (decide->body == FOLD_MULTIPLY) {
    return product_conforms_with(decide, usual, arena, expected, &decide->is_known);
  }
  return pick_conforms_with(decide, usual == 1, expected, &decide->is_known);
}

static bool conforms(quantized_decide_t *decide, arena_t *arena) {
  if (conforms_as_usual(decide, arena)) return true;
  if (decide->has_no_init) return false;
  if (decide->body == FOLD_ADD) return sum_conforms(decide, arena);
  if (decide->body == FOLD_MULTIPLY) return product_conforms(decide, arena);
  return pick_conforms(decide);
}

static int64_t distance_to(stored_interval_t interval, int64_t value) {
  return value < interval.low ? interval.low - value : MAX(value - interval.high, 0);
}

static void describe(const quantized_decide_t *decide, const reduce_quanta_t *quanta, int64_t got,
                     answer_t *answer) {
  answer->is_quantum = true;
  if (!decide->is_known) {
    answer->is_vacuous = true;
    snprintf(answer->expected, sizeof answer->expected,
             "anything: the formula leaves the storage range");
    return;
  }
  stored_interval_t expected = {.low = INT64_MAX, .high = INT64_MIN};
  for (size_t i = 0; i < quanta->chain_count; i++) {
    expected.low = MIN(expected.low, reduce_convert_result(quanta, i, decide->expected.low));
    expected.high = MAX(expected.high, reduce_convert_result(quanta, i, decide->expected.high));
  }
  if (expected.low == expected.high) {
    snprintf(answer->expected, sizeof answer->expected, "%" PRId64, expected.low);
  } else {
    snprintf(answer->expected, sizeof answer->expected, "%" PRId64 " .. %" PRId64, expected.low,
             expected.high);
  }
  answer->has_reference = true;
  answer->ulp_error = (double)distance_to(expected, got); /* In quanta. */
  if (!answer->conforms) return;
  answer->is_vacuous =
      expected.low <= quanta->result.storage_min && expected.high >= quanta->result.storage_max;
  if (decide->init_count != 1) {
    snprintf(answer->observed, sizeof answer->observed, "init_count=%u", decide->init_count);
  }
}

/* Asks about one component, by the chains of `quanta`, in some way or as usual; what the formula
 * leaves open conforms. */
static bool ask(const oracle_call_t *call, const reduce_quanta_t *quanta, size_t component,
                int64_t got, bool is_usual, quantized_decide_t *out) {
  const case_t *instance = call->instance;
  reduce_memory_t *memory = reduce_memory_of(call);
  const reduce_slices_t *slices = reduce_slices_of(call, memory);
  *out = (quantized_decide_t){.question = {.quanta = quanta, .contract = call->contract},
                              .body = reduce_fold_body(&instance->program),
                              .sources = find_sources(quanta, got),
                              .has_no_init = reduce_has_no_init(&instance->program)};
  if (call->memo != NULL) {
    out->question.closures = &memory->closures;
    out->question.closures_arena = &call->memo->arena;
  }
  out->question.multiplies = out->body == FOLD_MULTIPLY;
  if (!gather_leaves(instance, slices, component, call->arena, &out->question)) return true;
  return (is_usual ? conforms_as_usual : conforms)(out, call->arena);
}

status_t reduce_quantized_decide(const oracle_call_t *call, size_t component,
                                 const tensor_t *result, answer_t *out_answer) {
  reduce_quanta_t quanta;
  STATUS_TRY(reduce_quanta_make(&call->instance->program, call->contract, &quanta, call->error));
  int64_t got = quantum_load(result, component);
  quantized_decide_t decide;
  /* Who computes in one arithmetic conforms by fewer chains, which take less time. */
  const size_t all = quanta.chain_count;
  quanta.chain_count = quanta.pure_chain_count;
  bool is_plain = quanta.chain_count < all && ask(call, &quanta, component, got, true, &decide);
  answer_t answer = {.conforms = is_plain && decide.is_known};
  if (!answer.conforms) {
    quanta.chain_count = all;
    answer.conforms = ask(call, &quanta, component, got, false, &decide);
  }
  describe(&decide, &quanta, got, &answer);
  *out_answer = answer;
  return STATUS_OK;
}
