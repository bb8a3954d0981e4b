/* The functions of the oracle rows of uniform_quantize and uniform_dequantize.  The quick sets are
 * what the formulas give in the expressed type, which every contract permits. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/ops/element_conversion/element_conversion_parts.h"

/* ---- Quickly --------------------------------------------------------------------------------- */

/* The quantizations of a type one after the other, as its elements meet them: `count` of them, each
 * for `stride` elements in a row. */
typedef struct channels {
  size_t count;
  size_t stride;
} channels_t;

static channels_t channels_of(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  channels_t channels = {.count = 1, .stride = type_element_count(type)};
  if (quantization->axis == -1) return channels;
  channels.stride = 1;
  for (uint32_t i = (uint32_t)quantization->axis + 1; i < type->rank; i++) {
    channels.stride *= (size_t)type->dims[i];
  }
  channels.count = quantization->count;
  return channels;
}

/* All elements of a run have one quantization in both types. */
static size_t run_length(const type_t *a, const type_t *b) {
  size_t of_a = a->quantization == NULL ? SIZE_MAX : channels_of(a).stride;
  size_t of_b = b->quantization == NULL ? SIZE_MAX : channels_of(b).stride;
  return MAX(MIN(of_a, of_b), 1);
}

/* One quantization with all that does not change from element to element. */
typedef struct quantizer {
  arithmetic_t steps;
  double scale, zero_point, smallest, largest; /* Rounded to the arithmetic. */
  double storage_min, storage_max;
  uint64_t mask;
} quantizer_t;

static quantizer_t quantizer_make(const type_t *type, size_t element) {
  quantum_t quantum = quantum_of(type, element);
  const arithmetic_t steps = arithmetic_make(type->quantization->expressed->format);
  return (quantizer_t){.steps = steps,
                       .scale = quantum.scale,
                       .zero_point = arithmetic_round(&steps, (double)quantum.zero_point),
                       .smallest = arithmetic_round(&steps, (double)quantum.storage_min),
                       .largest = arithmetic_round(&steps, (double)quantum.storage_max),
                       .storage_min = (double)quantum.storage_min,
                       .storage_max = (double)quantum.storage_max,
                       .mask = element_mask(type->element)};
}

/* The integer nearest to a number of at most 32 bits, ties to even: adding 1.5 * 2^52 leaves no
 * place for a fraction. */
static inline double nearest_integer(double value) { return value + 0x1.8p52 - 0x1.8p52; }

/* True if the formula gives a storage value.  (A clamp by an end beyond the storage range, then by
 * the range, is one by the range; and one by an end within it by that.) */
static inline bool quantize_quickly(const quantizer_t *quantizer, double value,
                                    uint64_t *out_bits) {
  double sum = arithmetic_add(&quantizer->steps,
                              arithmetic_divide(&quantizer->steps, value, quantizer->scale),
                              quantizer->zero_point);
  double low =
      quantizer->smallest > quantizer->storage_min ? quantizer->smallest : quantizer->storage_min;
  double high =
      quantizer->largest < quantizer->storage_max ? quantizer->largest : quantizer->storage_max;
  double clamped = sum < low ? low : sum > high ? high : sum;
  bool is_decided = sum == sum;
  int64_t stored = is_decided ? (int64_t)nearest_integer(clamped) : 0;
  *out_bits = (uint64_t)stored & quantizer->mask;
  return is_decided;
}

static bool has_ends(const quantizer_t *quantizer) {
  return quantizer->smallest <= quantizer->largest; /* False if one of them is NaN. */
}

typedef struct quick {
  const case_t *instance;
  uint64_t *bits;
  uint8_t *ask;
} quick_t;

static void quantize_run(const quick_t *quick, size_t begin, size_t end) {
  const tensor_t *operand = &quick->instance->operands[0];
  const element_t *from = operand->type.element;
  const quantizer_t quantizer = quantizer_make(&quick->instance->program.results[0], begin);
  bool is_known = has_ends(&quantizer);
  bool is_float = operand->type.quantization == NULL;
  quantum_t quantum = {.scale = 1};
  if (!is_float) quantum = quantum_of(&operand->type, begin);
  for (size_t i = begin; i < end; i++) {
    double value;
    uint64_t bits = element_load(from, operand->data, i);
    if (is_float) {
      value = format_to_double(from->format, bits);
    } else {
      int64_t difference = element_signed_value(from, bits) - quantum.zero_point;
      value = arithmetic_multiply(
          &quantizer.steps, arithmetic_round(&quantizer.steps, (double)difference), quantum.scale);
    }
    bool is_decided = quantize_quickly(&quantizer, value, &quick->bits[i]);
    quick->ask[i] = !(is_decided && is_known);
  }
}

static void dequantize_run(const quick_t *quick, size_t begin, size_t end) {
  const tensor_t *operand = &quick->instance->operands[0];
  const element_t *from = operand->type.element;
  const format_t *format = quick->instance->program.results[0].element->format;
  const quantum_t quantum = quantum_of(&operand->type, begin);
  const arithmetic_t steps = arithmetic_make(format);
  for (size_t i = begin; i < end; i++) {
    uint64_t bits = element_load(from, operand->data, i);
    int64_t difference = element_signed_value(from, bits) - quantum.zero_point;
    double value =
        arithmetic_multiply(&steps, arithmetic_round(&steps, (double)difference), quantum.scale);
    quick->bits[i] = format_from_double(format, value);
    quick->ask[i] = value != value;
  }
}

typedef void run_t(const quick_t *quick, size_t begin, size_t end);

static status_t accept_runs(const case_t *instance, run_t *run, arena_t *arena,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  STATUS_TRY(quantization_check(&instance->program, error));
  const type_t *result = &instance->program.results[0];
  size_t count = type_element_count(result);
  size_t length = run_length(&instance->program.operands[0], result);
  const quick_t quick = {.instance = instance,
                         .bits = ARENA_NEW_ARRAY(arena, uint64_t, count),
                         .ask = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  for (size_t begin = 0; begin < count; begin += length) {
    run(&quick, begin, MIN(count - begin, length) + begin);
  }
  out_accepts[0] = (accept_t){.count = count, .bits = quick.bits, .ask = quick.ask};
  return STATUS_OK;
}

status_t uniform_quantize_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                                 accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  (void)contract;
  return accept_runs(instance, quantize_run, arena, out_accepts, error);
}

status_t uniform_dequantize_accept(const case_t *instance, const contract_t *contract,
                                   arena_t *arena, accept_t out_accepts[CASE_RESULTS_MAX],
                                   failure_t *error) {
  (void)contract;
  return accept_runs(instance, dequantize_run, arena, out_accepts, error);
}

/* ---- Carefully ------------------------------------------------------------------------------- */

/* The error as a share of the farthest that is permitted. */
static double slack_of(double error, double permitted) {
  if (permitted > 0) return error / permitted;
  return error > 0 ? (double)INFINITY : 0;
}

/* Errors are counted in quanta, from what the expressed type's arithmetic gives. */
static void measure_quanta(const conversion_set_t *set, const element_t *storage, uint64_t bits,
                           answer_t *answer) {
  if (set->any || set->count == 0) return;
  int64_t exact = element_signed_value(storage, set->choices[0].bits), permitted = 0;
  for (size_t i = 1; i < set->count; i++) {
    int64_t other = element_signed_value(storage, set->choices[i].bits);
    permitted = MAX(permitted, ABS(other - exact));
  }
  int64_t error = ABS(element_signed_value(storage, bits) - exact);
  answer->has_reference = true;
  answer->ulp_error = (double)error;
  answer->slack = slack_of((double)error, (double)permitted);
}

status_t uniform_quantize_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                              size_t component, const tensor_t *results, arena_t *arena,
                              answer_t *out_answer, failure_t *error) {
  (void)arena;
  STATUS_TRY(quantization_check(&instance->program, error));
  const element_t *storage = results[result].type.element;
  uint64_t bits = element_load(storage, results[result].data, component);
  const conversion_set_t set = uniform_quantize_set(instance, contract, REQUANTIZE_TWO_STEPS,
                                                    contract->requantize, component);
  answer_t answer = {.is_quantum = true};
  conversion_set_judge(&set, storage, bits, &answer);
  const quantization_t *range = results[result].type.quantization;
  int64_t stored = element_signed_value(storage, bits);
  if (set.any && (stored < range->storage_min || stored > range->storage_max)) {
    g_strlcpy(answer.observed, "outside of the storage range", sizeof answer.observed);
  }
  measure_quanta(&set, storage, bits, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

/* The distance from (stored - zero point) * scale, in units in the last place.  The difference is a
 * number of binary64, and fma() gives what the product lost. */
static double ulps_from_exact(const format_t *format, const quantum_t *quantum, int64_t stored,
                              double got) {
  double difference = (double)(stored - quantum->zero_point);
  double product = difference * quantum->scale;
  int exponent;
  (void)frexp(product, &exponent);
  int unit = product == 0 ? format->exponent_min - format->precision + 1
                          : format_ulp_exponent(format, exponent - 1);
  double lost = fma(difference, quantum->scale, -product);
  return fabs(ldexp(got - product - lost, -unit));
}

static void measure_floats(const case_t *instance, const conversion_set_t *set,
                           const format_t *format, size_t element, uint64_t bits,
                           answer_t *answer) {
  const tensor_t *operand = &instance->operands[0];
  quantum_t quantum = quantum_of(&operand->type, element);
  int64_t stored = quantum_load(operand, element);
  double permitted = 0;
  for (size_t i = 0; i < set->count; i++) {
    double value = format_to_double(format, set->choices[i].bits);
    if (!isfinite(value)) return;
    permitted = fmax(permitted, ulps_from_exact(format, &quantum, stored, value));
  }
  if (set->nan) return;
  double error = ulps_from_exact(format, &quantum, stored, format_to_double(format, bits));
  answer->has_reference = true;
  answer->ulp_error = isfinite(error) ? error : (double)INFINITY;
  answer->slack = slack_of(answer->ulp_error, permitted);
}

status_t uniform_dequantize_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                                size_t component, const tensor_t *results, arena_t *arena,
                                answer_t *out_answer, failure_t *error) {
  (void)arena;
  STATUS_TRY(quantization_check(&instance->program, error));
  const element_t *element = results[result].type.element;
  uint64_t bits = element_load(element, results[result].data, component);
  const conversion_set_t set = uniform_dequantize_set(instance, contract, component);
  answer_t answer = {.conforms = false};
  conversion_set_judge(&set, element, bits, &answer);
  measure_floats(instance, &set, element->format, component, bits, &answer);
  *out_answer = answer;
  return STATUS_OK;
}

/* ---- Which formula --------------------------------------------------------------------------- */

/* Most elements are told by the quick sets, which two steps gave. */
static bool is_by_formula(const case_t *instance, const contract_t *contract, uint8_t formula,
                          const accept_t *accepts, const tensor_t *results) {
  const element_t *storage = results[0].type.element;
  for (size_t i = 0; i < type_element_count(&results[0].type); i++) {
    uint64_t bits = element_load(storage, results[0].data, i);
    bool is_told = formula == REQUANTIZE_TWO_STEPS && accepts != NULL;
    if (is_told && accept_holds(&accepts[0], storage, i, bits)) continue;
    const conversion_set_t set = uniform_quantize_set(instance, contract, formula, formula, i);
    answer_t answer = {.conforms = false};
    conversion_set_judge(&set, storage, bits, &answer);
    if (!answer.conforms) return false;
  }
  return true;
}

status_t uniform_quantize_find_formula(const case_t *instance, const contract_t *contract,
                                       const accept_t *accepts, const tensor_t *results,
                                       arena_t *arena, uint8_t *out_formula, bool *out_found,
                                       failure_t *error) {
  (void)arena;
  if (instance->operands[0].type.quantization == NULL) {
    return status_fail(error, STATUS_UNSUPPORTED, "the operand is not quantized");
  }
  STATUS_TRY(quantization_check(&instance->program, error));
  *out_found = false;
  for (uint8_t formula = REQUANTIZE_TWO_STEPS; formula <= REQUANTIZE_MERGED; formula++) {
    *out_formula = formula;
    *out_found = is_by_formula(instance, contract, formula, accepts, results);
    if (*out_found) break;
  }
  return STATUS_OK;
}
