/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of reductions that select an operand (maximum, minimum, argmax, argmin), fast and
 * exact. An argmax pair is judged as a pair, with and without initial value, and with inputs
 * flushed if permitted. */
#include "oracles/ops/reduce/minmax.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/totals.h"
#include "oracles/ops/reduce/gather.h"

/* A value, of whatever type, with its index. */
typedef struct pair {
  uint64_t bits;  /* Pattern in the result type. */
  double real;    /* Float values, as they compare: 0 if flushed; 0 else. */
  double exact;   /* Float values as they are. */
  int64_t number; /* Signed, boolean and small unsigned values. */
  uint64_t index; /* Extended to 64 bits; 0 without indices. */
} pair_t;

typedef struct pick {
  const element_t *element;       /* Of the value. */
  const format_t *storage;        /* Of floats: what they were converted from, or NULL. */
  const element_t *index_element; /* NULL for maximum and minimum. */
  bool largest;                   /* maximum, argmax. */
  bool ieee_zeros;                /* maximum and minimum order -0 < +0; argmax and argmin do not. */
  size_t count;
  const pair_t *pairs;
  pair_t init;
} pick_t;

static bool has_index(const program_t *program) {
  reduce_body_t body = reduce_attributes(program)->reduction.body;
  return body == REDUCE_argmax || body == REDUCE_argmin;
}

/* Reads a value and, if there is one, its index, converted to the result types. */
static pair_t load_pair(const case_t *instance, uint32_t value_operand, size_t index) {
  const program_t *program = &instance->program;
  const tensor_t *values = &instance->operands[value_operand];
  const element_t *to = program->results[0].element;
  pair_t pair = {0};
  if (to->format != NULL) {
    pair.real = pair.exact = reduce_load_float(values, index);
    pair.bits = format_from_double(to->format, pair.exact);
  } else {
    pair.number = (int64_t)reduce_load_integer(values, index);
    pair.bits = (uint64_t)pair.number & element_mask(to);
  }
  if (has_index(program)) {
    pair.index = reduce_load_integer(&instance->operands[value_operand + 1], index);
  }
  return pair;
}

static pick_t pick_make(const case_t *instance, const reduce_slices_t *slices, size_t output,
                        arena_t *arena) {
  const program_t *program = &instance->program;
  pair_t *pairs = ARENA_NEW_ARRAY(arena, pair_t, slices->term_count);
  for (size_t term = 0; term < slices->term_count; term++) {
    pairs[term] = load_pair(instance, 0, slices->output_base[output] + slices->term_offset[term]);
  }
  reduce_body_t body = reduce_attributes(program)->reduction.body;
  return (pick_t){
      .element = program->results[0].element,
      .index_element = has_index(program) ? program->results[1].element : NULL,
      .largest = body == REDUCE_maximum || body == REDUCE_argmax,
      .ieee_zeros = body == REDUCE_maximum || body == REDUCE_minimum,
      .count = slices->term_count,
      .pairs = pairs,
      .init = load_pair(instance, reduce_init_operand(program, 0), 0),
  };
}

static bool is_nan(const pick_t *pick, const pair_t *pair) {
  return pick->element->format != NULL && isnan(pair->real);
}

/* -1, 0 or 1 as `a` is less than, equal to or greater than `b`; neither is NaN. */
static int compare(const pick_t *pick, const pair_t *a, const pair_t *b) {
  if (pick->element->format != NULL) {
    if (a->real == 0 && b->real == 0 && pick->ieee_zeros) {
      return (signbit(b->real) != 0) - (signbit(a->real) != 0);
    }
    return (a->real > b->real) - (a->real < b->real);
  }
  if (pick->element->kind == ELEMENT_SIGNED) {
    return (a->number > b->number) - (a->number < b->number);
  }
  return ((uint64_t)a->number > (uint64_t)b->number) - ((uint64_t)a->number < (uint64_t)b->number);
}

static bool index_is_less(const pick_t *pick, uint64_t a, uint64_t b) {
  return pick->index_element->kind == ELEMENT_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

/* What is admissible, once it is known whether the initial value enters. */
typedef struct admissible {
  bool has_nan;   /* Then the value is NaN and the index that of a NaN. */
  pair_t extreme; /* Else: a largest (smallest) value ... */
  uint64_t index; /* ... and the least index among those that compare equal to it. */
  bool has_last;  /* In order, the value is that of the last of the equal ones: */
  uint64_t last_bits;
  uint64_t first_nan_index; /* In order, the first NaN wins. */
} admissible_t;

static void take(const pick_t *pick, const pair_t *pair, bool is_first, admissible_t *state) {
  if (is_nan(pick, pair)) {
    if (!state->has_nan) state->first_nan_index = pair->index;
    state->has_nan = true;
    return;
  }
  if (state->has_nan) return;
  int order = is_first ? 1 : compare(pick, pair, &state->extreme);
  if (!is_first && !pick->largest) order = -order;
  if (order < 0) return;
  if (order > 0) {
    state->extreme = *pair;
    state->index = pair->index;
  } else if (pick->index_element != NULL && index_is_less(pick, pair->index, state->index)) {
    state->index = pair->index;
  }
  state->last_bits = pair->bits;
}

static admissible_t admissible_make(const pick_t *pick, bool with_init) {
  admissible_t state = {0};
  bool is_first = true;
  if (with_init) {
    take(pick, &pick->init, is_first, &state);
    is_first = state.has_nan;
  }
  for (size_t i = 0; i < pick->count; i++) {
    take(pick, &pick->pairs[i], is_first, &state);
    if (!is_nan(pick, &pick->pairs[i])) is_first = false;
  }
  return state;
}

void reduce_minmax_accept(const case_t *instance, const reduce_slices_t *slices, arena_t *arena,
                          accept_t out_accepts[CASE_RESULTS_MAX]) {
  size_t count = slices->output_count;
  uint64_t *values = ARENA_NEW_ARRAY(arena, uint64_t, count);
  uint64_t *indices = ARENA_NEW_ARRAY(arena, uint64_t, count);
  arena_mark_t mark = arena_mark(arena);
  for (size_t output = 0; output < count; output++) {
    pick_t pick = pick_make(instance, slices, output, arena);
    admissible_t state = admissible_make(&pick, true);
    values[output] =
        state.has_nan ? format_from_double(pick.element->format, NAN) : state.last_bits;
    uint64_t index = state.has_nan ? state.first_nan_index : state.index;
    indices[output] = pick.index_element == NULL ? 0 : index & element_mask(pick.index_element);
    arena_rewind(arena, mark);
  }
  out_accepts[0] = (accept_t){.count = count, .bits = values};
  if (has_index(&instance->program)) out_accepts[1] = (accept_t){.count = count, .bits = indices};
}

/* Whether `bits` equals the value of `pair` up to what the contract lets pass. */
static bool value_matches(const pick_t *pick, const contract_t *contract, const pair_t *pair,
                          uint64_t bits) {
  if (bits == pair->bits) return true;
  const format_t *format = pick->element->format;
  if (format == NULL || !format_is_zero(format, bits)) return false;
  if (pair->exact == 0) return PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY;
  bool is_subnormal = sum_may_flush_factor(pair->exact, format, pick->storage);
  bool same_sign = format_zero_has_sign(format, bits, signbit(pair->exact) != 0);
  return is_subnormal && PERMITTED(contract, ftz) != FTZ_NONE &&
         (same_sign || PERMITTED(contract, zero_sign) == ZERO_SIGN_ANY);
}

/* Whether the value alone is admissible.  In any order every one of the equal values may come out;
 * in order the last one of the slice, or the initial value, which may stand anywhere. */
static bool value_is_admissible(const pick_t *pick, const contract_t *contract, bool with_init,
                                uint64_t bits) {
  admissible_t state = admissible_make(pick, with_init);
  if (state.has_nan) return format_is_nan(pick->element->format, bits);
  bool init_ties = with_init && compare(pick, &pick->init, &state.extreme) == 0;
  if (init_ties && value_matches(pick, contract, &pick->init, bits)) return true;
  const pair_t *last = NULL;
  for (size_t i = 0; i < pick->count; i++) {
    const pair_t *pair = &pick->pairs[i];
    if (compare(pick, pair, &state.extreme) != 0) continue;
    if (PERMITTED(contract, order) == ORDER_ANY && value_matches(pick, contract, pair, bits))
      return true;
    last = pair;
  }
  return last != NULL && value_matches(pick, contract, last, bits);
}

static bool index_is_admissible(const pick_t *pick, const contract_t *contract, bool with_init,
                                uint64_t index) {
  admissible_t state = admissible_make(pick, with_init);
  if (!state.has_nan) return index == state.index;
  if (with_init && is_nan(pick, &pick->init) && index == pick->init.index) return true;
  for (size_t i = 0; i < pick->count; i++) {
    if (!is_nan(pick, &pick->pairs[i])) continue;
    if (index == pick->pairs[i].index) return true;
    if (PERMITTED(contract, order) == ORDER_IN_ORDER) return false; /* Only the first NaN wins. */
  }
  return false;
}

static void describe_value(const pick_t *pick, uint64_t bits, answer_t *answer) {
  admissible_t state = admissible_make(pick, true);
  const format_t *format = pick->element->format;
  answer->nan_expected = state.has_nan;
  if (format == NULL) {
    bool is_unsigned = pick->element->kind == ELEMENT_UNSIGNED;
    snprintf(answer->expected, sizeof answer->expected, is_unsigned ? "%" PRIu64 : "%" PRId64,
             state.extreme.number);
    return;
  }
  double want = state.has_nan ? NAN : state.extreme.real;
  answer->infinity_expected = isinf(want) != 0;
  snprintf(answer->expected, sizeof answer->expected, "%a", want);
  if (!isfinite(want)) return;
  answer->has_reference = true;
  double got = format_to_double(format, bits);
  int binade = want == 0 ? format->exponent_min : ilogb(want);
  answer->ulp_error =
      isfinite(got) ? fabs(ldexp(got - want, -format_ulp_exponent(format, binade))) : INFINITY;
}

static void describe_index(const pick_t *pick, answer_t *answer) {
  admissible_t state = admissible_make(pick, true);
  uint64_t index = state.has_nan ? state.first_nan_index : state.index;
  snprintf(answer->expected, sizeof answer->expected, "index %" PRId64 "%s", (int64_t)index,
           state.has_nan ? " or that of another NaN" : "");
}

static double flush(const pick_t *pick, double value) {
  bool is_subnormal = sum_may_flush_factor(value, pick->element->format, pick->storage);
  return is_subnormal ? copysign(0, value) : value;
}

/* Subnormal numbers compare as zeros of their sign. */
static pick_t flush_inputs(const pick_t *pick, arena_t *arena) {
  pick_t flushed = *pick;
  pair_t *pairs = ARENA_NEW_ARRAY(arena, pair_t, pick->count);
  for (size_t i = 0; i < pick->count; i++) {
    pairs[i] = pick->pairs[i];
    pairs[i].real = flush(pick, pairs[i].real);
  }
  flushed.pairs = pairs;
  flushed.init.real = flush(pick, flushed.init.real);
  return flushed;
}

/* Whether some schedule, which takes the initial value or does not, returns the component. */
static bool is_admissible(const pick_t *pick, const contract_t *contract, bool with_init,
                          uint32_t result, uint64_t value, uint64_t index) {
  bool value_fits = value_is_admissible(pick, contract, with_init, value);
  if (result == 0) return value_fits;
  /* Value and index must come from one and the same schedule. */
  return value_fits && index_is_admissible(pick, contract, with_init, index);
}

void reduce_minmax_ask(const oracle_call_t *call, const reduce_slices_t *slices, uint32_t result,
                       size_t component, const format_t *storage, answer_t *out_answer) {
  pick_t pick = pick_make(call->instance, slices, component, call->arena);
  pick.storage = storage;
  uint64_t value = element_load(pick.element, call->results[0].data, component);
  uint64_t index = result == 0 ? 0 : reduce_load_integer(&call->results[1], component);
  answer_t answer = {.is_index = result == 1};
  bool may_flush = PERMITTED(call->contract, ftz) != FTZ_NONE && pick.element->format != NULL;
  pick_t flushed = may_flush ? flush_inputs(&pick, call->arena) : pick;
  bool may_skip_init = pick.count != 0 && PERMITTED(call->contract, init_count) != INIT_COUNT_ONE;
  for (int skips = 0; skips <= (may_skip_init ? 1 : 0) && !answer.conforms; skips++) {
    bool with_init = skips == 0;
    answer.conforms = is_admissible(&pick, call->contract, with_init, result, value, index) ||
                      is_admissible(&flushed, call->contract, with_init, result, value, index);
    if (answer.conforms && skips == 1) {
      snprintf(answer.observed, sizeof answer.observed, "init_count=0");
    }
  }
  if (result == 0) {
    describe_value(&pick, value, &answer);
  } else {
    describe_index(&pick, &answer);
  }
  *out_answer = answer;
}
