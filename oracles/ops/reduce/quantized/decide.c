/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a quantized reduce. */
#include <inttypes.h>
#include <stdio.h>

#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/quantized/parts.h"
#include "oracles/ops/reduce/quantized/product_reach.h"

enum { INTERVALS_MAX = 2 }; /* One for each arithmetic. */

/* The values of the accumulation that become the result that is asked about. */
typedef struct sources {
  size_t count;
  stored_interval_t intervals[INTERVALS_MAX];
} sources_t;

/* The least storage value of the accumulation whose conversion is at least `result`; one more than
 * the largest if there is none.  Conversions are monotone. */
static int64_t first_source(const reduce_quanta_t *quanta, size_t arithmetic, int64_t result) {
  int64_t from = quanta->accumulation.storage_min, to = quanta->accumulation.storage_max + 1;
  while (from < to) {
    int64_t middle = from + (to - from) / 2;
    if (reduce_convert_result(quanta, arithmetic, middle) >= result) {
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
  sources.count = quanta->arithmetic_count;
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

/* A stored input in all arithmetics; false if it has no value in one of them. */
static bool convert_leaf(const reduce_quanta_t *quanta, int64_t stored, stored_interval_t *out) {
  for (size_t i = 0; i < quanta->arithmetic_count; i++) {
    int64_t value;
    if (!reduce_convert_input(quanta, i, stored, &value)) return false;
    if (i == 0) *out = (stored_interval_t){.low = value, .high = value};
    out->low = MIN(out->low, value);
    out->high = MAX(out->high, value);
  }
  return true;
}

static bool gather_leaves(const case_t *instance, const reduce_slices_t *slices, size_t output,
                          arena_t *arena, reach_question_t *question) {
  stored_interval_t *terms = ARENA_NEW_ARRAY(arena, stored_interval_t, slices->term_count);
  question->count = slices->term_count;
  question->terms = terms;
  question->init = (stored_interval_t){0, 0};
  bool are_known =
      reduce_has_no_init(&instance->program) ||
      convert_leaf(question->quanta, quantum_load(&instance->operands[1], 0), &question->init);
  for (size_t term = 0; term < slices->term_count && are_known; term++) {
    size_t index = slices->output_base[output] + slices->term_offset[term];
    are_known =
        convert_leaf(question->quanta, quantum_load(&instance->operands[0], index), &terms[term]);
  }
  if (are_known) reach_prepare(question);
  return are_known;
}

/* ---- Maximum and minimum --------------------------------------------------------------------- */

/* By the formula a node quantizes what it has picked once more; false if that gives no storage
 * value. */
static bool requantize(const reduce_quanta_t *quanta, size_t arithmetic, int64_t stored,
                       int64_t *out_stored) {
  const format_t *format = quanta->arithmetics[arithmetic];
  double value = quantum_dequantize(&quanta->accumulation, format, stored);
  *out_stored = quantum_quantize(&quanta->accumulation, format, value);
  return quantum_is_decided(&quanta->accumulation, format, value);
}

/* Nodes are monotone, so what comes out is the extreme leaf, quantized any number of times; false
 * if that may give no value of the storage range. */
static bool close_picked(const reduce_quanta_t *quanta, stored_interval_t *inout_picked) {
  enum { ATTEMPTS = 1000 };
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored_interval_t picked = *inout_picked;
    stored_interval_t next = picked;
    bool is_decided = true;
    for (size_t i = 0; i < quanta->arithmetic_count; i++) {
      int64_t low, high;
      is_decided &= requantize(quanta, i, picked.low, &low);
      is_decided &= requantize(quanta, i, picked.high, &high);
      next.low = MIN(next.low, low);
      next.high = MAX(next.high, high);
    }
    if (!is_decided) return false;
    if (next.low == picked.low && next.high == picked.high) return true;
    *inout_picked = next;
  }
  *inout_picked = (stored_interval_t){.low = quanta->accumulation.storage_min,
                                      .high = quanta->accumulation.storage_max};
  return true;
}

bool reduce_quantized_pick(const reach_question_t *question, bool largest, bool with_init,
                           stored_interval_t *out_picked) {
  bool may_repeat = with_init && PERMITTED(question->contract, init_count) != INIT_COUNT_ONE;
  size_t leaves = question->count + (may_repeat ? 2 : with_init ? 1 : 0);
  stored_interval_t picked = with_init ? question->init : question->terms[0];
  for (size_t i = 0; i < question->count; i++) {
    stored_interval_t term = question->terms[i];
    picked.low = largest ? MAX(picked.low, term.low) : MIN(picked.low, term.low);
    picked.high = largest ? MAX(picked.high, term.high) : MIN(picked.high, term.high);
  }
  *out_picked = picked;
  return leaves < 2 || close_picked(question->quanta, out_picked);
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
  for (size_t i = 0; i < quanta->arithmetic_count && quanta->converts_results; i++) {
    for (int end = 0; end < 2; end++) {
      const format_t *format = quanta->arithmetics[i];
      double value = quantum_dequantize(&quanta->accumulation, format, ends[end]);
      is_decided &= quantum_is_decided(&quanta->result, format, value);
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

/* Whether what is picked, with the initial value or without it, ends in a source. */
static bool pick_conforms_with(const quantized_decide_t *decide, bool with_init,
                               stored_interval_t *out_picked, bool *out_is_known) {
  *out_is_known =
      reduce_quantized_pick(&decide->question, decide->body == FOLD_MAXIMUM, with_init, out_picked);
  if (!*out_is_known) return true;
  bool meets = sources_meet(&decide->sources, *out_picked);
  return conforms_or_unknown(decide, *out_picked, meets, out_is_known);
}

static bool pick_conforms(quantized_decide_t *decide) {
  decide->init_count = 1;
  if (decide->has_no_init) { /* theory.md, T210. */
    return pick_conforms_with(decide, false, &decide->expected, &decide->is_known);
  }
  if (pick_conforms_with(decide, true, &decide->expected, &decide->is_known)) return true;
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
  if (question->init.low != zero_point || question->init.high != zero_point) return false;
  stored_interval_t one, many;
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
  decide->init_count = 1;
  if (decide->has_no_init) { /* theory.md, T210. */
    return product_conforms_with(decide, 0, arena, &decide->expected, &decide->is_known);
  }
  if (product_conforms_with(decide, 1, arena, &decide->expected, &decide->is_known)) return true;
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
  bool is_known = true;
  decide->init_count = 1;
  uint32_t usual = decide->has_no_init ? 0 : 1; /* theory.md, T210. */
  bool conforms = sum_conforms_with(decide, usual, arena, &decide->is_known);
  if (decide->is_known) (void)reach_bound(question, usual, &decide->expected);
  if (decide->has_no_init) return conforms;
  if (conforms || PERMITTED(question->contract, init_count) == INIT_COUNT_ONE) return conforms;
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

static bool conforms(quantized_decide_t *decide, arena_t *arena) {
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
  stored_interval_t expected = {.low = reduce_convert_result(quanta, 0, decide->expected.low),
                                .high = reduce_convert_result(quanta, 0, decide->expected.high)};
  for (size_t i = 1; i < quanta->arithmetic_count; i++) {
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

status_t reduce_quantized_decide(const oracle_call_t *call, size_t component,
                                 const tensor_t *result, answer_t *out_answer) {
  const case_t *instance = call->instance;
  reduce_quanta_t quanta;
  STATUS_TRY(reduce_quanta_make(&instance->program, call->contract, &quanta, call->error));
  reduce_slices_t slices = reduce_slices_make(&instance->program, call->arena);
  int64_t got = quantum_load(result, component);
  quantized_decide_t decide = {.question = {.quanta = &quanta, .contract = call->contract},
                               .body = reduce_fold_body(&instance->program),
                               .sources = find_sources(&quanta, got),
                               .has_no_init = reduce_has_no_init(&instance->program)};
  decide.question.multiplies = decide.body == FOLD_MULTIPLY;
  answer_t answer = {.conforms = true};
  if (gather_leaves(instance, &slices, component, call->arena, &decide.question)) {
    answer.conforms = conforms(&decide, call->arena);
  }
  describe(&decide, &quanta, got, &answer);
  *out_answer = answer;
  return STATUS_OK;
}
