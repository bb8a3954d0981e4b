/* The quick sets of uniform_quantize and uniform_dequantize: what the formulas give in the
 * expressed type, which every contract permits.  Expressed types are mostly f32, whose arithmetic
 * is the host's: loops without branches, which compilers make vector code of. */
#include <glib.h>
#include <string.h>

#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/ops/element_conversion/element_conversion_parts.h"

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
  double scale, zero_point; /* Rounded to the arithmetic. */
  double low, high;         /* What storage values are clamped to: integers. */
  bool has_ends;            /* False if an end of the range is NaN in the expressed type. */
  uint64_t mask;
} quantizer_t;

/* A clamp by an end beyond the storage range, then by the range, is one by the range; and one by an
 * end within it by that. */
static quantizer_t quantizer_make(const type_t *type, size_t element) {
  quantum_t quantum = quantum_of(type, element);
  const arithmetic_t steps = arithmetic_make(type->quantization->expressed->format);
  double smallest = (double)quantum.storage_min, largest = (double)quantum.storage_max;
  double low = arithmetic_round(&steps, smallest), high = arithmetic_round(&steps, largest);
  return (quantizer_t){.steps = steps,
                       .scale = quantum.scale,
                       .zero_point = arithmetic_round(&steps, (double)quantum.zero_point),
                       .low = low > smallest ? low : smallest,
                       .high = high < largest ? high : largest,
                       .has_ends = low <= high,
                       .mask = element_mask(type->element)};
}

/* Added to a number of at most 32 bits, 1.5 * 2^52 leaves no place for a fraction: the sum is
 * rounded to the nearest integer, ties to even, whose low bits are its own in two's complement. */
static inline uint64_t clamp_and_round(const quantizer_t *quantizer, double value) {
  double clamped = value < quantizer->low ? quantizer->low : value;
  clamped = clamped > quantizer->high ? quantizer->high : clamped;
  return binary64_bits(clamped + 0x1.8p52) & quantizer->mask;
}

typedef struct quick {
  const case_t *instance;
  uint64_t *bits;
  uint8_t *ask;
} quick_t;

/* ---- In f32 ---------------------------------------------------------------------------------- */

enum { BLOCK = 256 }; /* Elements that are looked at together. */

/* Differences from the zero point, of at most 33 bits. */
static void load_differences(const tensor_t *tensor, size_t begin, size_t count,
                             float out_values[BLOCK]) {
  const element_t *storage = tensor->type.element;
  int64_t zero_point = quantum_of(&tensor->type, begin).zero_point;
  const uint8_t *data = tensor->data;
  if (storage->bits == 8) { /* So many bits that vectors convert them. */
    int32_t flip = storage->kind == ELEMENT_SIGNED ? 0x80 : 0;
    int32_t offset = flip + (int32_t)zero_point;
    for (size_t i = 0; i < count; i++) {
      out_values[i] = (float)((int32_t)(data[begin + i] ^ flip) - offset);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(storage, data, begin + i);
    out_values[i] = (float)(element_signed_value(storage, bits) - zero_point);
  }
}

static void dequantize_floats(const tensor_t *tensor, size_t begin, size_t count,
                              float out_values[BLOCK]) {
  load_differences(tensor, begin, count, out_values);
  float scale = (float)quantum_of(&tensor->type, begin).scale;
  for (size_t i = 0; i < count; i++) out_values[i] *= scale;
}

static void quantize_floats(const quick_t *quick, size_t begin, size_t count) {
  const tensor_t *operand = &quick->instance->operands[0];
  const quantizer_t quantizer = quantizer_make(&quick->instance->program.results[0], begin);
  float values[BLOCK];
  if (operand->type.quantization == NULL) {
    memcpy(values, operand->data + begin * sizeof values[0], count * sizeof values[0]);
  } else {
    dequantize_floats(operand, begin, count, values);
  }
  float scale = (float)quantizer.scale, zero_point = (float)quantizer.zero_point;
  for (size_t i = 0; i < count; i++) values[i] = values[i] / scale + zero_point;
  uint64_t *bits = quick->bits + begin;
  for (size_t i = 0; i < count; i++) bits[i] = clamp_and_round(&quantizer, (double)values[i]);
  uint8_t *ask = quick->ask + begin;
  for (size_t i = 0; i < count; i++) ask[i] = values[i] != values[i];
}

static void dequantize_to_floats(const quick_t *quick, size_t begin, size_t count) {
  float values[BLOCK];
  uint32_t patterns[BLOCK];
  dequantize_floats(&quick->instance->operands[0], begin, count, values);
  memcpy(patterns, values, count * sizeof values[0]);
  for (size_t i = 0; i < count; i++) quick->bits[begin + i] = patterns[i];
  memset(quick->ask + begin, 0, count);
}

/* ---- In any format --------------------------------------------------------------------------- */

static double dequantize_element(const arithmetic_t *steps, const tensor_t *operand,
                                 const quantum_t *quantum, size_t element) {
  double difference = (double)(quantum_load(operand, element) - quantum->zero_point);
  return arithmetic_multiply(steps, arithmetic_round(steps, difference), quantum->scale);
}

static void quantize_any(const quick_t *quick, size_t begin, size_t count) {
  const tensor_t *operand = &quick->instance->operands[0];
  const element_t *from = operand->type.element;
  const quantizer_t quantizer = quantizer_make(&quick->instance->program.results[0], begin);
  bool is_float = operand->type.quantization == NULL;
  quantum_t quantum = {.scale = 1};
  if (!is_float) quantum = quantum_of(&operand->type, begin);
  for (size_t i = begin; i < begin + count; i++) {
    double value = is_float ? format_to_double(from->format, element_load(from, operand->data, i))
                            : dequantize_element(&quantizer.steps, operand, &quantum, i);
    double quotient = arithmetic_divide(&quantizer.steps, value, quantizer.scale);
    double sum = arithmetic_add(&quantizer.steps, quotient, quantizer.zero_point);
    quick->bits[i] = clamp_and_round(&quantizer, sum);
    quick->ask[i] = sum != sum || !quantizer.has_ends;
  }
}

static void dequantize_any(const quick_t *quick, size_t begin, size_t count) {
  const tensor_t *operand = &quick->instance->operands[0];
  const format_t *format = quick->instance->program.results[0].element->format;
  const quantum_t quantum = quantum_of(&operand->type, begin);
  const arithmetic_t steps = arithmetic_make(format);
  for (size_t i = begin; i < begin + count; i++) {
    double value = dequantize_element(&steps, operand, &quantum, i);
    quick->bits[i] = format_from_double(format, value);
    quick->ask[i] = value != value;
  }
}

/* ---- All elements ---------------------------------------------------------------------------- */

typedef void run_t(const quick_t *quick, size_t begin, size_t count);

/* Calls `run` with up to BLOCK elements that have one quantization. */
static status_t accept_runs(const case_t *instance, run_t *run, arena_t *arena,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  STATUS_TRY(quantization_check(&instance->program, error));
  const type_t *result = &instance->program.results[0];
  size_t count = type_element_count(result);
  size_t length = run_length(&instance->program.operands[0], result);
  const quick_t quick = {.instance = instance,
                         .bits = ARENA_NEW_ARRAY(arena, uint64_t, count),
                         .ask = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  for (size_t begin = 0; begin < count;) {
    size_t left_of_run = length - begin % length;
    size_t block = MIN(MIN(left_of_run, count - begin), (size_t)BLOCK);
    run(&quick, begin, block);
    begin += block;
  }
  out_accepts[0] = (accept_t){.count = count, .bits = quick.bits, .ask = quick.ask};
  return STATUS_OK;
}

static bool is_f32(const type_t *type) {
  return type->quantization->expressed->format == &format_table[FORMAT_f32];
}

status_t uniform_quantize_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                                 accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  (void)contract;
  run_t *run = is_f32(&instance->program.results[0]) ? quantize_floats : quantize_any;
  return accept_runs(instance, run, arena, out_accepts, error);
}

status_t uniform_dequantize_accept(const case_t *instance, const contract_t *contract,
                                   arena_t *arena, accept_t out_accepts[CASE_RESULTS_MAX],
                                   failure_t *error) {
  (void)contract;
  run_t *run = is_f32(&instance->program.operands[0]) ? dequantize_to_floats : dequantize_any;
  return accept_runs(instance, run, arena, out_accepts, error);
}
