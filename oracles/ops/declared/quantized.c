/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantizes operands, gives their scales and zero points as numbers, and quantizes results, for
 * every evaluator of formulas. */
#include "oracles/ops/declared/quantized.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/composite/parts.h"
#include "oracles/composite/stored_set.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/fast/fast_evaluator.h"

static bool is_model(const run_t *run) { return run->formula->schedule != NULL; }

/* ---- Operands -------------------------------------------------------------------------------- */

/* The elements of an operand that the problem has. */
static size_t *find_elements(const run_t *run, uint32_t operand, size_t *out_count) {
  const formula_t *formula = run->formula;
  size_t count = *out_count = problem_operand_count(formula->problem, formula->part, operand);
  size_t *elements = ARENA_NEW_ARRAY(formula->arena, size_t, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    elements[i] = problem_operand_element(formula->problem, formula->part, operand, i);
  }
  return elements;
}

/* Rounded in one arithmetic: of a model by its schedule, else the first that the contract has. */
static double dequantize_one(const run_t *run, const tensor_t *tensor, size_t element) {
  const implementation_model_t *schedule = run->formula->schedule;
  if (schedule == NULL) {
    const quantum_t quantum = quantum_of(&tensor->type, element);
    const format_t *arithmetic = quantum_first_arithmetic(&tensor->type, run->formula->contract);
    return quantum_dequantize(&quantum, arithmetic, quantum_load(tensor, element));
  }
  const quantum_t quantum = quantize_faulty_of(&tensor->type, schedule->fault, element);
  const format_t *arithmetic = quantize_faulty_arithmetic(&tensor->type, schedule);
  return fault_dequantize(&tensor->type, &quantum, arithmetic, schedule->fault,
                          quantize_faulty_load(tensor, schedule->fault, element));
}

row_t run_dequantize(const run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  const tensor_t *tensor = &formula->problem->instance->operands[step->a];
  const format_t *f64 = &format_table[FORMAT_f64];
  size_t count;
  const size_t *elements = find_elements(run, step->a, &count);
  if (is_model(run) || formula_is_fast(formula)) {
    uint64_t *bits = ARENA_NEW_ARRAY(formula->arena, uint64_t, MAX(count, 1));
    for (size_t i = 0; i < count; i++) {
      bits[i] = format_from_double(f64, dequantize_one(run, tensor, elements[i]));
    }
    return problem_load_numbers(formula, f64, bits, count);
  }
  row_t row = {.count = count, .enclosed = enclosed_new(formula->arena, MAX(count, 1))};
  problem_t quantized = *formula->problem;
  quantized.quantized = quantized.instance;
  problem_widen_operand(&quantized, step->a, elements, formula->settings, &row);
  return row;
}

integer_row_t run_storage(const run_t *run, const step_t *step) {
  const tensor_t *tensor = &run->formula->problem->instance->operands[step->a];
  size_t count;
  const size_t *elements = find_elements(run, step->a, &count);
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(count, 1));
  fault_t fault = is_model(run) ? run->formula->schedule->fault : FAULT_NONE;
  for (size_t i = 0; i < count; i++) {
    sets[i] = integer_set_of(quantize_faulty_load(tensor, fault, elements[i]));
  }
  return (integer_row_t){count, sets};
}

/* ---- Scales and zero points ------------------------------------------------------------------ */

/* Those along the index of a step: all of them if it is an inner one, else that of the problem. */
typedef struct channels {
  const type_t *type;
  size_t first;
  size_t count;
} channels_t;

static channels_t find_channels(const run_t *run, const step_t *step) {
  const type_t *type = declared_type(run->formula->program, step->a);
  channels_t channels = {type, 0, type->quantization->count};
  bool is_outer = step->mask != 0 && (step->mask & run->declaration->inner) == 0;
  if (is_outer) channels.first = run_outer_place(run, step->index);
  if (is_outer) channels.count = 1;
  return channels;
}

/* That of a place along the axis, as the model reads it, or as it is. */
static quantum_t channel_quantum(const run_t *run, const type_t *type, size_t channel) {
  const quantization_t *quantization = type->quantization;
  size_t stride = 1;
  for (uint32_t d = (uint32_t)(quantization->axis + 1); d < type->rank; d++) {
    stride *= (size_t)type->dims[d];
  }
  fault_t fault = is_model(run) ? run->formula->schedule->fault : FAULT_NONE;
  if (quantization->axis == -1 || stride > 0) {
    return quantize_faulty_of(type, fault, quantization->axis == -1 ? 0 : channel * stride);
  }
  return (quantum_t){.scale = quantization->scales[channel],
                     .zero_point = quantization->zero_points[channel]};
}

/* As constants are, but a tiny one may be read as zero. */
row_t run_scale(const run_t *run, const step_t *step) {
  const channels_t channels = find_channels(run, step);
  const format_t *format = quantum_expressed(channels.type);
  uint64_t *bits = ARENA_NEW_ARRAY(run->formula->arena, uint64_t, MAX(channels.count, 1));
  for (size_t i = 0; i < channels.count; i++) {
    const quantum_t quantum = channel_quantum(run, channels.type, channels.first + i);
    bits[i] = format_from_double(format, quantum.scale);
  }
  return problem_load_numbers(run->formula, format, bits, channels.count);
}

integer_row_t run_zero_point(const run_t *run, const step_t *step) {
  const channels_t channels = find_channels(run, step);
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(channels.count, 1));
  for (size_t i = 0; i < channels.count; i++) {
    sets[i] = integer_set_of(channel_quantum(run, channels.type, channels.first + i).zero_point);
  }
  return (integer_row_t){channels.count, sets};
}

/* ---- Results --------------------------------------------------------------------------------- */

/* By every way that the contract has, in every arithmetic: all that lies between the ends. */
static integer_set_t quantize_enclosed(const run_t *run, const type_t *type, size_t element,
                                       const enclosed_t *set) {
  const formula_t *formula = run->formula;
  value_range_t range;
  enclosed_finish(formula, set, formula->format, &range);
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  size_t count = quantize_ways(formula->contract, ways);
  const stored_set_t stored =
      stored_set_of_range(type, element, formula->contract, ways, count, &range);
  if (stored.anything) return integer_set_everything(type->element);
  return (integer_set_t){stored.low, stored.high};
}

/* What one number of the interval becomes in one arithmetic; nothing is known where that is left
 * open, or where all of the storage range is reached. */
static integer_set_t quantize_fast(const run_t *run, const type_t *type, size_t element, double low,
                                   double high) {
  const quantum_t quantum = quantum_of(type, element);
  const format_t *expressed = quantum_expressed(type);
  const format_t *arithmetic = quantum_first_arithmetic(type, run->formula->contract);
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  quantize_ways(run->formula->contract, ways);
  const double ends[] = {format_round_double(expressed, low), format_round_double(expressed, high)};
  int64_t stored[2];
  for (int i = 0; i < 2; i++) {
    int64_t choices[QUANTUM_CHOICES_MAX];
    bool is_known = isfinite(ends[i]) &&
                    quantum_choices_by(&quantum, arithmetic, ways[0], ends[i], choices) == 1;
    if (!is_known) return integer_set_everything(type->element);
    stored[i] = choices[0];
  }
  bool is_all = stored[0] <= quantum.storage_min && stored[1] >= quantum.storage_max;
  if (is_all) return integer_set_everything(type->element);
  return integer_set_of(stored[0] + (stored[1] - stored[0]) / 2);
}

static integer_set_t quantize_model(const run_t *run, const type_t *type, size_t element,
                                    double value) {
  const implementation_model_t *schedule = run->formula->schedule;
  const quantum_t quantum = quantize_faulty_of(type, schedule->fault, element);
  const format_t *arithmetic = quantize_faulty_arithmetic(type, schedule);
  const int64_t stored = fault_quantize(type, &quantum, arithmetic, schedule, value);
  return integer_set_of(
      integer_from_pattern(type->element, (uint64_t)stored & element_mask(type->element)));
}

/* Number `n` of a row as what is stored of an element. */
static integer_set_t quantize(const run_t *run, const type_t *type, size_t element, row_t floats,
                              size_t n) {
  if (is_model(run)) return quantize_model(run, type, element, floats.values[n]);
  if (formula_is_fast(run->formula)) {
    return quantize_fast(run, type, element, floats.fast->low[n], floats.fast->high[n]);
  }
  return quantize_enclosed(run, type, element, &floats.enclosed[n]);
}

integer_row_t run_quantize(const run_t *run, uint32_t result, row_t floats) {
  const formula_t *formula = run->formula;
  const type_t *type = &formula->program->results[result];
  size_t count = part_result_count(formula->problem, formula->part, result);
  integer_set_t *sets = ARENA_NEW_ARRAY(formula->arena, integer_set_t, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    size_t element = part_result_element(formula->problem, formula->part, result, i);
    sets[i] = quantize(run, type, element, floats, floats.count == 1 ? 0 : i);
  }
  return (integer_row_t){count, sets};
}

/* ---- In the middle --------------------------------------------------------------------------- */

/* What the floats of the steps express: of 16 bits only if no operand and no result is of f32. */
static const element_t *find_expressed(const program_t *program) {
  const element_t *f32 = element_named("f32"), *first = NULL;
  for (uint32_t i = 0; i < program->operand_count + program->result_count; i++) {
    const type_t *type = i < program->operand_count ? &program->operands[i]
                                                    : &program->results[i - program->operand_count];
    const element_t *element =
        type->quantization != NULL ? type->quantization->expressed : type->element;
    if (element->format == NULL) continue;
    if (first == NULL || element == f32) first = element;
  }
  return first == NULL ? f32 : first;
}

/* Numbers that are known, of what a scale may be. */
typedef struct scales {
  size_t count;
  const double *values;
} scales_t;

static scales_t find_scales(run_t *run, uint16_t number, const element_t *expressed) {
  const step_t *step = &run->meaning->steps[number];
  formula_t *formula = run->formula;
  size_t count = 1;
  const uint64_t *bits = NULL;
  channels_t channels = {.first = 0};
  if (step->kind == STEP_OPERAND) bits = composite_load_patterns(formula, step->a, &count);
  if (step->kind == STEP_SCALE) {
    channels = find_channels(run, step);
    count = channels.count;
  }
  double *values = ARENA_NEW_ARRAY(formula->arena, double, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    double value = 0;
    if (step->kind == STEP_OPERAND) {
      value = format_to_double(formula->program->operands[step->a].element->format, bits[i]);
    } else if (step->kind == STEP_SCALE) {
      value = channel_quantum(run, channels.type, channels.first + i).scale;
    } else if (step->kind == STEP_ATTRIBUTE) {
      value = declared_number(formula->program, step->a);
    } else { /* STEP_NUMBER */
      value = g_ascii_strtod(step->decimal, NULL);
    }
    values[i] = format_round_double(expressed->format, value);
  }
  return (scales_t){count, values};
}

/* The places of a step's numbers in a row along the indices of one that it is made of. */
static const size_t *find_places(const run_t *run, const step_t *step, uint16_t of, size_t count) {
  size_t unused;
  return run_places(run, count == 1 ? 0 : run_inner(run, of), step->mask & run->declaration->inner,
                    0, 0, &unused);
}

/* Nobody says what a scale that is no positive number does, nor a zero point that is not stored. */
static bool is_quantization(double scale, const integer_set_t *zero_point,
                            const element_t *storage) {
  return scale > 0 && isfinite(scale) && integer_set_is_point(zero_point) &&
         integer_is_of(storage, zero_point->low);
}

/* As a result that is quantized so would be. */
integer_row_t run_quantize_step(run_t *run, const step_t *step) {
  const element_t *storage = step->storage, *expressed = find_expressed(run->formula->program);
  const row_t floats = run_value(run, step->a);
  const integer_row_t zero_points = run_integers(run, step->c);
  const scales_t scales = find_scales(run, step->b, expressed);
  const size_t *of_float = find_places(run, step, step->a, floats.count);
  const size_t *of_scale = find_places(run, step, step->b, scales.count);
  const size_t *of_zero_point = find_places(run, step, step->c, zero_points.count);
  const uint32_t inner = step->mask & run->declaration->inner;
  const size_t count = declared_extent(run->declaration, &run->binding, inner);
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(count, 1));
  for (size_t i = 0; i < count; i++) {
    const integer_set_t *zero_point = &zero_points.sets[of_zero_point[i]];
    const double scale = scales.values[of_scale[i]];
    sets[i] = integer_set_everything(step->type);
    if (!is_quantization(scale, zero_point, storage)) continue;
    const int64_t zero = (int64_t)zero_point->low;
    const quantization_t quantization = {.expressed = expressed,
                                         .storage_min = element_integer_min(storage),
                                         .storage_max = (int64_t)element_integer_max(storage),
                                         .axis = -1,
                                         .count = 1,
                                         .scales = &scale,
                                         .zero_points = &zero};
    type_t type = type_make(storage, 0, NULL);
    type.quantization = &quantization;
    const integer_set_t stored = quantize(run, &type, 0, floats, of_float[i]);
    const integer_set_t all = integer_set_everything(storage);
    bool is_anything = stored.low == all.low && stored.high == all.high;
    sets[i] = is_anything && !is_model(run) ? integer_set_everything(step->type) : stored;
  }
  return (integer_row_t){count, sets};
}

integer_row_t run_store(const run_t *run, uint32_t result, integer_row_t integers) {
  const quantization_t *range = run->formula->program->results[result].quantization;
  integer_set_t *sets = ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(integers.count, 1));
  for (size_t i = 0; i < integers.count; i++) {
    const integer_set_t *set = &integers.sets[i];
    sets[i] = (integer_set_t){
        CLAMP(set->low, (integer_t)range->storage_min, (integer_t)range->storage_max),
        CLAMP(set->high, (integer_t)range->storage_min, (integer_t)range->storage_max)};
  }
  return (integer_row_t){integers.count, sets};
}
