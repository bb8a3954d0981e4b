/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementation of rng_uniform: the published generator or another good one, planted
 * faults of seed, counter and sequence, and the scaling by the formula model. */
#include "oracles/ops/byteir_rng/simulate.h"

#include <math.h>
#include <stdlib.h>

#include "generated/byteir_rng_faults.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/model.h"
#include "oracles/ops/byteir_rng/element.h"
#include "oracles/ops/byteir_rng/published.h"

enum { FAULTY_ROUNDS = 7, FAULTY_PERIOD = 16, LONG_PERIOD = 256, BLOCK = 4, WORDS_MAX = 2 };

/* ---- Generators ------------------------------------------------------------------------------ */

/* What a generator is made of. */
typedef struct stream {
  const type_t *result;
  uint64_t seed;
  uint64_t offset;
  const implementation_model_t *schedule;
} stream_t;

static stream_t stream_make(const case_t *instance, const implementation_model_t *schedule,
                            const tensor_t *result) {
  stream_t stream = {.result = &instance->program.results[0],
                     .seed = byteir_rng_operand(instance, BYTEIR_RNG_SEED),
                     .offset = byteir_rng_operand(instance, BYTEIR_RNG_OFFSET),
                     .schedule = schedule};
  if (schedule->fault == FAULT_offset_ignored) stream.offset = 0;
  if (schedule->fault == FAULT_seed_ignored) stream.seed = 0;
  bool has_memory = type_element_count(&result->type) > 0;
  if (schedule->fault == FAULT_uniform_state_kept && has_memory) stream.seed ^= result->data[0];
  return stream;
}

/* Numbers k * 2^-32 of the published generator, or of one with a fault of its own. */
static void fill_published(const stream_t *stream, size_t taken, size_t count,
                           double *const out_uniform[]) {
  fault_t fault = stream->schedule->fault;
  uint32_t key[PHILOX_KEYS] = {(uint32_t)stream->seed, (uint32_t)stream->offset};
  byteir_rng_counters_t counters = byteir_rng_counters_make(stream->result, key[0], key[1]);
  uint32_t rounds = fault == FAULT_philox_of_7_rounds ? FAULTY_ROUNDS : PHILOX_ROUNDS;
  size_t first = fault == FAULT_philox_second_word ? 1 : 0;
  if (fault == FAULT_counters_from_one) byteir_rng_counters_next(&counters);
  for (size_t i = 0; i < count; i++) {
    uint32_t counter[PHILOX_WORDS] = {byteir_rng_counters_next(&counters)};
    if (fault == FAULT_seed_of_64_bits) counter[1] = (uint32_t)(stream->seed >> 32);
    uint32_t words[PHILOX_WORDS] = {counter[0]};
    if (fault != FAULT_index_unenciphered) philox(rounds, counter, key, words);
    for (size_t k = 0; k < taken; k++) out_uniform[k][i] = words[first ^ k] * 0x1p-32;
  }
}

/* Another good generator.  Shuffled schedules take 53 bits of it, others as many as the fraction of
 * a number in [1, 2) has. */
static void fill_unknown(const stream_t *stream, size_t word, size_t count, double *out_uniform) {
  uint64_t state = stream->seed;
  state = rng_splitmix(&state) ^ stream->offset;
  state = rng_splitmix(&state) ^ stream->schedule->seed;
  if (word != 0) state = ~rng_splitmix(&state);
  rng_t rng = rng_make(rng_splitmix(&state));
  bool is_fine = stream->schedule->order.kind == SUM_SHUFFLED;
  int bits = is_fine ? 53 : stream->result->element->format->precision - 1;
  for (size_t i = 0; i < count; i++) {
    out_uniform[i] = ldexp((double)(rng_bits(&rng) >> (64 - bits)), -bits);
  }
}

/* A generator that is asked for by its name, or another one in random schedules. */
bool byteir_rng_is_unknown(const implementation_model_t *schedule) {
  const char *formula = schedule->formula == NULL ? "" : schedule->formula;
  bool is_random = schedule->order.kind == SUM_RANDOM || schedule->order.kind == SUM_SHUFFLED;
  return strcmp(formula, "any") == 0 || (is_random && strcmp(formula, "philox") != 0);
}

/* ---- Faults of the sequence ------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double set_third_bit(double uniform) {
  double eighths = floor(uniform * 8);
  return fmod(eighths, 2) < 1 ? uniform + 0.125 : uniform;
}

/* The number that stands for number i, whose predecessors are spoilt already. */
static double spoil_number(fault_t fault, const type_t *result, size_t i, const double *uniform) {
  bool has_rows = result->rank > 1;
  size_t count = type_element_count(result);
  switch (fault) {
    case FAULT_uniform_squared:
      return uniform[i] * uniform[i];
    case FAULT_uniform_of_8_bits:
      return floor(uniform[i] * 0x1p8) * 0x1p-8;
    case FAULT_uniform_bit_stuck:
      return set_third_bit(uniform[i]);
    case FAULT_uniform_period_16:
      return uniform[i % FAULTY_PERIOD];
    case FAULT_uniform_period_256:
      return uniform[i % LONG_PERIOD];
    case FAULT_uniform_of_pairs:
      return i + 1 < count ? (uniform[i] + uniform[i + 1]) / 2 : uniform[i];
    case FAULT_uniform_tail_constant:
      return uniform[i < count / BLOCK * BLOCK ? i : count / BLOCK * BLOCK];
    case FAULT_uniform_lower_half:
      return uniform[i] / 2;
    case FAULT_uniform_complemented:
      return 1 - uniform[i];
    case FAULT_uniform_rows_repeat:
      return has_rows ? uniform[i % (count / (size_t)result->dims[0])] : uniform[i];
    case FAULT_uniform_pairs_equal:
      return i % 2 == 1 ? uniform[i - 1] : uniform[i];
    case FAULT_uniform_pairs_mirrored:
      return i % 2 == 1 ? 1 - uniform[i - 1] : uniform[i];
    default:
      return uniform[i];
  }
}

static void spoil_sequence(fault_t fault, const type_t *result, size_t count, double *uniform) {
  for (size_t i = 0; i < count; i++) uniform[i] = spoil_number(fault, result, i, uniform);
  if (fault == FAULT_uniform_sorted) qsort(uniform, count, sizeof *uniform, compare_doubles);
}

/* ---- Results --------------------------------------------------------------------------------- */

const format_t *byteir_rng_simulated_format(const format_t *format,
                                            const implementation_model_t *schedule) {
  bool is_native = schedule->native || schedule->order.kind == SUM_SEQUENTIAL;
  if (format->bits == 16 && !is_native) format = &format_table[FORMAT_f32];
  const format_t *wider = schedule->accumulator;
  return wider != NULL && arithmetic_format_holds(wider, format) ? wider : format;
}

static row_t load_bound(formula_t *formula, const case_t *instance, uint32_t operand) {
  const format_t *format = instance->program.results[0].element->format;
  uint64_t bits = byteir_rng_operand(instance, operand);
  bool goes_beyond = formula_has_fault(formula, FAULT_uniform_beyond_high);
  if (operand == BYTEIR_RNG_HIGH && goes_beyond && !format_is_nan(format, bits)) {
    bits = format_next_up(format, bits);
  }
  return model_load(formula, format, &bits, 1);
}

static row_t scale(formula_t *formula, const case_t *instance, row_t uniform) {
  row_t low = load_bound(formula, instance, BYTEIR_RNG_LOW);
  row_t high = load_bound(formula, instance, BYTEIR_RNG_HIGH);
  if (formula_has_fault(formula, FAULT_uniform_unscaled)) return uniform;
  if (formula_has_fault(formula, FAULT_uniform_low_ignored)) {
    return formula_multiply(formula, uniform, high);
  }
  if (formula_has_fault(formula, FAULT_uniform_width_1)) {
    return formula_add(formula, uniform, low);
  }
  return byteir_rng_affine(formula, low, high, uniform);
}

void byteir_rng_simulate_uniform(const formula_t *formula, const case_t *instance,
                                 const tensor_t *result, size_t words, row_t out_uniform[]) {
  const implementation_model_t *schedule = formula->schedule;
  size_t count = type_element_count(&result->type);
  const stream_t stream = stream_make(instance, schedule, result);
  double *uniform[WORDS_MAX];
  for (size_t k = 0; k < words; k++) uniform[k] = ARENA_NEW_ARRAY(formula->arena, double, count);
  if (!byteir_rng_is_unknown(schedule)) fill_published(&stream, words, count, uniform);
  const format_t *format = schedule->other_way ? formula->format : stream.result->element->format;
  for (size_t k = 0; k < words; k++) {
    if (byteir_rng_is_unknown(schedule)) fill_unknown(&stream, k, count, uniform[k]);
    spoil_sequence(schedule->fault, stream.result, count, uniform[k]);
    for (size_t i = 0; i < count; i++) uniform[k][i] = format_round_double(format, uniform[k][i]);
    out_uniform[k] = (row_t){.count = count, .values = uniform[k]};
  }
}

void byteir_rng_simulate_store(fault_t fault, row_t row, tensor_t *inout_result) {
  const element_t *element = inout_result->type.element;
  for (size_t i = 0; i < type_element_count(&inout_result->type); i++) {
    if (fault_skips_store(fault, i, inout_result)) continue;
    double value = row.values[row.count == 1 ? 0 : i];
    uint64_t bits = format_from_double(element->format, isnan(value) ? (double)NAN : value);
    if (fault != FAULT_NONE) bits = fault_spoil_bits(fault, element->format, bits, i);
    element_store(element, inout_result->data, i, bits);
  }
}

status_t byteir_rng_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                             tensor_t *inout_results) {
  const case_t *instance = call->instance;
  const contract_t contract = contract_backend();
  tensor_t *result = &inout_results[0];
  formula_t formula = {
      .evaluator = &model_evaluator,
      .program = &instance->program,
      .format = byteir_rng_simulated_format(result->type.element->format, schedule),
      .contract = &contract,
      .schedule = schedule,
      .arena = call->arena};
  row_t uniform;
  byteir_rng_simulate_uniform(&formula, instance, result, 1, &uniform);
  byteir_rng_simulate_store(schedule->fault, scale(&formula, instance, uniform), result);
  return STATUS_OK;
}
