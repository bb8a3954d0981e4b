/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of reduce: lays the terms out as a dense matrix whose columns are summed
 * exactly by the vector kernels. Products, selections, quantized and converted results go to their
 * own functions. */
#include "oracles/ops/reduce/accept.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/matmul/lowest_bits.h"
#include "oracles/exact/matmul/matmul.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/reduce/core.h"
#include "oracles/ops/reduce/gather.h"
#include "oracles/ops/reduce/minmax.h"
#include "oracles/ops/reduce/product_accept.h"
#include "oracles/ops/reduce/quantized/problem.h"
#include "oracles/ops/reduce/simulate.h"
#include "oracles/ops/reduce/written/written.h"
#include "oracles/sequential.h"

/* The terms of one result as a dense matrix [terms][components], so that each column is a sum.  A
 * nonzero initial value is one more row: one use of it is always permitted. */
static double *gather_terms(const case_t *instance, const reduce_slices_t *slices, uint32_t result,
                            bool with_init, arena_t *arena) {
  const tensor_t *input = &instance->operands[result];
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, result)];
  size_t parts = input->type.element->components;
  size_t width = slices->output_count * parts;
  size_t height = slices->term_count + (with_init ? 1 : 0);
  double *terms = ARENA_NEW_ARRAY(arena, double, height *width);
  double *out = terms;
  for (size_t term = 0; term < slices->term_count; term++) {
    if (parts == 1 && input->type.element->format == &format_table[FORMAT_f32]) {
      const float *from = (const float *)(const void *)input->data + slices->term_offset[term];
      for (size_t i = 0; i < width; i++) *out++ = (double)from[slices->output_base[i]];
      continue;
    }
    for (size_t output = 0; output < slices->output_count; output++) {
      size_t index = slices->output_base[output] + slices->term_offset[term];
      for (size_t part = 0; part < parts; part++) {
        *out++ = reduce_load_float(input, index * parts + part);
      }
    }
  }
  for (size_t i = 0; with_init && i < width; i++) *out++ = reduce_load_float(init, i % parts);
  return terms;
}

static float *narrow_terms(const double *terms, size_t count, arena_t *arena) {
  float *narrow = ARENA_NEW_ARRAY(arena, float, count);
  for (size_t i = 0; i < count; i++) narrow[i] = (float)terms[i];
  return narrow;
}

/* How the initial value shows: it adds something, to every part of the sum, or it is -0. */
typedef struct init_effect {
  bool adds;
  bool adds_to_all_parts;
  bool is_minus_zero;
  bool is_finite; /* Else, since it may also stay away, what is required depends on it. */
} init_effect_t;

static init_effect_t inspect_init(const case_t *instance, uint32_t result) {
  const tensor_t *init = &instance->operands[reduce_init_operand(&instance->program, result)];
  init_effect_t effect = {.adds_to_all_parts = true, .is_finite = true};
  for (size_t part = 0; part < init->type.element->components; part++) {
    double value = reduce_load_float(init, part);
    effect.adds |= value != 0;
    effect.adds_to_all_parts &= value != 0;
    effect.is_minus_zero |= value == 0 && signbit(value);
    effect.is_finite &= isfinite(value) != 0;
  }
  return effect;
}

/* Looks at the terms of components that may be something else than finite; NULL if there are none.
 */
static uint8_t *find_specials(const exact_matmul_t *sums, const double *terms,
                              const format_t *format, const contract_t *contract,
                              uint8_t *special) {
  bool has_special = false;
  const special_limits_t limits = special_limits_make(format, contract, false);
  for (size_t i = 0; i < sums->n; i++) {
    special[i] = 0;
    if (!special_sum_is_needed(format, sums->uncertified[i], sums->magnitude[i])) continue;
    special_sum_t sum = {0};
    for (size_t term = 0; term < sums->k; term++) {
      special_sum_take(&sum, terms[term * sums->n + i], 1);
    }
    special[i] = special_sum_flags(&limits, &sum);
    has_special = true;
  }
  return has_special ? special : NULL;
}

/* Whether some sum may be exact for all that the first of its terms that is a number but 0 says. */
static bool may_be_exact(const exact_matmul_t *sums, const double *terms, const format_t *format) {
  for (size_t i = 0; i < sums->n; i++) {
    int bit = BINARY64_NO_BIT;
    for (size_t term = 0; term < sums->k && bit == BINARY64_NO_BIT; term++) {
      double value = terms[term * sums->n + i];
      if (value != 0 && isfinite(value)) bit = binary64_lowest_bit(value);
    }
    if (fast_sums_may_be_exact(format, sums->magnitude[i], bit)) return true;
  }
  return false;
}

/* The least exponent of a lowest set bit in each column; NULL if no sum can be exact. */
static int *find_lowest_bits(const exact_matmul_t *sums, const double *terms,
                             const format_t *format, arena_t *arena, int *lowest_bit) {
  if (!may_be_exact(sums, terms, format)) return NULL;
  double *power = ARENA_NEW_ARRAY(arena, double, sums->n);
  lowest_bits_of_columns_f64(terms, sums->k, sums->n, power);
  for (size_t i = 0; i < sums->n; i++) {
    lowest_bit[i] = isfinite(power[i]) ? binary64_lowest_bit(power[i]) : BINARY64_NO_BIT;
  }
  return lowest_bit;
}

/* Marks the sums of which at most two terms are not 0; NULL if there are none. */
static uint8_t *find_few_terms(const exact_matmul_t *sums, const double *terms, arena_t *arena,
                               uint8_t *few) {
  uint32_t *nonzero = arena_alloc_zeroed(arena, sums->n * sizeof *nonzero);
  for (size_t term = 0; term < sums->k; term++) {
    const double *row = terms + term * sums->n;
    for (size_t i = 0; i < sums->n; i++) nonzero[i] += row[i] != 0;
  }
  bool any = false;
  for (size_t i = 0; i < sums->n; i++) {
    few[i] = nonzero[i] <= 2;
    any |= few[i] != 0;
  }
  return any ? few : NULL;
}

/* Of each column.  A nonzero initial value, the last row, comes first. */
static void find_likely(const oracle_call_t *call, const exact_matmul_t *sums, const double *terms,
                        const format_t *format, bool with_init, likely_sums_t *likely) {
  size_t count = sums->k - (with_init ? 1 : 0);
  likely_terms_t one = {.count = count,
                        .divisor = tree_share_divisor(oracle_call_components(call), count)};
  for (size_t i = 0; i < sums->n; i++) {
    one.init = with_init ? terms[count * sums->n + i] : 0;
    for (size_t t = 0; t < count; t++) one.left[t] = terms[t * sums->n + i];
    likely[i] = likely_sums_of(&one, format, call->contract);
  }
}

static accept_t accept_float_sums(const oracle_call_t *call, const reduce_slices_t *slices,
                                  uint32_t result, bool has_schedules) {
  const case_t *instance = call->instance;
  const element_t *element = instance->program.results[result].element;
  size_t count = slices->output_count * element->components;
  bool is_f64 = element->format->bits == 64;
  init_effect_t init = inspect_init(instance, result);
  double *reference = ARENA_NEW_ARRAY(call->arena, double, count);
  double *tail = is_f64 ? ARENA_NEW_ARRAY(call->arena, double, count) : NULL;
  double *magnitude = ARENA_NEW_ARRAY(call->arena, double, count);
  uint8_t *decide = arena_alloc(call->arena, count), *special = arena_alloc(call->arena, count);
  uint8_t *few_terms = arena_alloc(call->arena, count);
  int *lowest_bit = ARENA_NEW_ARRAY(call->arena, int, count);
  bool has_likely = few_terms_decide(slices->term_count, call->contract);
  likely_sums_t *likely = ARENA_NEW_ARRAY(call->arena, likely_sums_t, has_likely ? count : 0);
  arena_mark_t mark = arena_mark(call->arena);
  double *terms = gather_terms(instance, slices, result, init.adds, call->arena);
  exact_matmul_t sums = {.m = 1,
                         .n = count,
                         .k = slices->term_count + (init.adds ? 1 : 0),
                         .reference = reference,
                         .reference_tail = tail,
                         .magnitude = magnitude,
                         .uncertified = decide};
  if (instance->program.operands[result].element->format->bits == 64) {
    exact_sums_f64(&sums, terms, call->arena);
  } else {
    exact_sums_f32(&sums, narrow_terms(terms, sums.k * count, call->arena), call->arena);
  }
  special = find_specials(&sums, terms, element->format, call->contract, special);
  lowest_bit = find_lowest_bits(&sums, terms, element->format, call->arena, lowest_bit);
  bool may_be_wider = PERMITTED(call->contract, accum_wider) == ACCUM_WIDER_YES;
  few_terms = may_be_wider ? find_few_terms(&sums, terms, call->arena, few_terms) : NULL;
  if (has_likely) find_likely(call, &sums, terms, element->format, init.adds, likely);
  arena_rewind(call->arena, mark);
  for (size_t i = 0; init.is_minus_zero && i < count; i++) decide[i] |= reference[i] == 0;
  size_t terms_of_part = slices->term_count + (init.adds_to_all_parts ? 1 : 0);
  fast_sums_t fast = {.accept = {.count = count,
                                 .reference = reference,
                                 .reference_tail = tail,
                                 .magnitude = magnitude},
                      .decide = decide,
                      .special = init.is_finite ? special : NULL,
                      .lowest_bit = lowest_bit,
                      .few_terms = few_terms,
                      .likely = has_likely ? likely : NULL,
                      .shape = {.terms = terms_of_part, .leaves = terms_of_part},
                      .has_schedules = has_schedules};
  return fast_sums_finish(&fast, element->format, call->contract, call->arena);
}

static accept_t accept_integers(const oracle_call_t *call, const reduce_slices_t *slices,
                                uint32_t result) {
  fold_body_t body = reduce_fold_body(&call->instance->program);
  bool may_overflow = body == FOLD_ADD || body == FOLD_MULTIPLY;
  if (may_overflow && PERMITTED(call->contract, integer_overflow) == INTEGER_OVERFLOW_SATURATE) {
    return accept_decide_all(slices->output_count, call->arena);
  }
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, slices->output_count);
  arena_mark_t mark = arena_mark(call->arena);
  for (size_t i = 0; i < slices->output_count; i++) {
    integer_problem_t question =
        reduce_integer_question(call->instance, slices, result, i, call->arena);
    bits[i] = integer_result(&question, 1);
    arena_rewind(call->arena, mark);
  }
  return (accept_t){.count = slices->output_count, .bits = bits};
}

/* Of the core of a case, whose result is converted to the type `converted` at last. */
static accept_t accept_one(const oracle_call_t *call, const reduce_slices_t *slices,
                           uint32_t result, const element_t *converted) {
  const element_t *element = call->instance->program.results[result].element;
  if (element->format == NULL) {
    return accept_integers(call, slices, result);
  }
  if (reduce_fold_body(&call->instance->program) == FOLD_ADD) {
    bool has_schedules = converted == element || format_has_nan(converted->format);
    return accept_float_sums(call, slices, result, has_schedules);
  }
  if (element->components == 1) return reduce_product_accept(call, slices);
  return accept_decide_all(slices->output_count * element->components, call->arena);
}

/* f8E8M0FNU has neither zero nor sign. */
static status_t require_signs(const program_t *program, const program_t *core, failure_t *error) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *elements[] = {core->results[i].element, program->results[i].element};
    for (size_t k = 0; k < G_N_ELEMENTS(elements); k++) {
      const format_t *format = elements[k]->format;
      if (format == NULL || format->specials != FORMAT_EXPONENT_ONLY) continue;
      return status_fail(error, STATUS_UNSUPPORTED,
                         "no oracle for reductions of %s, which has neither zero nor sign",
                         elements[k]->name);
    }
  }
  return STATUS_OK;
}

/* Bodies that pick. */
static bool picks(const program_t *program) {
  fold_body_t body = reduce_fold_body(program);
  bool picks_float =
      (body == FOLD_MAXIMUM || body == FOLD_MINIMUM) && program->results[0].element->format != NULL;
  return body == FOLD_ARGMAX || body == FOLD_ARGMIN || picks_float;
}

status_t reduce_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  if (reduce_has_written_body(program)) return reduce_written_accept(call, out_accepts);
  if (reduce_is_quantized(program)) {
    return reduce_quantized_accept(call, &out_accepts[0]);
  }
  reduce_core_t core;
  STATUS_TRY(reduce_core_make(instance, call->arena, &core, call->error));
  STATUS_TRY(require_signs(program, &core.instance.program, call->error));
  bool is_wide = reduce_core_accumulate(&core, call->contract, 0);
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  bool is_pick = picks(&core.instance.program);
  if (is_pick) reduce_minmax_accept(&core.instance, &slices, call->arena, out_accepts);
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *result = program->results[i].element;
    const oracle_call_t core_call = oracle_call_about(call, &core.instance, NULL);
    if (!is_pick) out_accepts[i] = accept_one(&core_call, &slices, i, result);
    reduce_core_convert_accept(&core, &slices, i, result, call->arena, &out_accepts[i]);
  }
  bool is_rounded = !is_pick && program->results[0].element->format != NULL;
  if (PERMITTED(call->contract, order) == ORDER_IN_ORDER && is_rounded) {
    const format_t *accumulator = is_wide ? &format_table[FORMAT_f32] : NULL;
    return accept_sequential(call, reduce_simulate, accumulator, out_accepts);
  }
  return STATUS_OK;
}
