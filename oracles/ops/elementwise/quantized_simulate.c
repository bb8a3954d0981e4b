/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of quantized elementwise ops returns: by the formula, or in
 * integers where the schedule says so. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "generated/elementwise_faults.h"
#include "generated/exact_faults.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/exact/quantum/quantize_faulty.h"
#include "oracles/ops/elementwise/parts.h"

/* An operand's element as the implementation sees it. */
typedef struct seen {
  quantum_t quantum;
  int64_t stored;
} seen_t;

typedef struct model {
  const case_t *instance;
  const implementation_model_t *schedule;
  elementwise_t function;
  const format_t *arithmetic;
} model_t;

static seen_t look(const model_t *model, uint32_t operand, size_t element) {
  fault_t fault = model->schedule->fault;
  const tensor_t *operands = model->instance->operands;
  bool is_unary = model->instance->program.operand_count == 1;
  if (is_unary) operand = 0;
  if (fault == FAULT_subtract_reversed && model->function == ELEMENTWISE_SUBTRACT) {
    operand = 1 - operand;
  }
  seen_t seen = {.quantum = quantize_faulty_of(&operands[operand].type, fault, element),
                 .stored = quantize_faulty_load(&operands[operand], fault, element)};
  bool forgets = operand == 0 ? fault == FAULT_lhs_zero_point_forgotten
                              : fault == FAULT_rhs_zero_point_forgotten;
  if (forgets) seen.quantum.zero_point = 0;
  if (operand == 0 && !is_unary && fault == FAULT_scale_of_other_operand) {
    seen.quantum.scale = quantize_faulty_of(&operands[1].type, fault, element).scale;
  }
  return seen;
}

static double operate(const model_t *model, const arithmetic_t *steps, double a, double b) {
  switch (model->function) {
    case ELEMENTWISE_ADD:
      return arithmetic_add(steps, a, b);
    case ELEMENTWISE_SUBTRACT:
      return arithmetic_add(steps, a, -b);
    case ELEMENTWISE_MULTIPLY:
      return arithmetic_multiply(steps, a, b);
    case ELEMENTWISE_MAXIMUM:
      return arithmetic_maximum(a, b);
    case ELEMENTWISE_MINIMUM:
      return arithmetic_minimum(a, b);
    default:
      return -a;
  }
}

static bool is_sum(const model_t *model) {
  return model->function == ELEMENTWISE_ADD || model->function == ELEMENTWISE_SUBTRACT;
}

/* ---- By the formula -------------------------------------------------------------------------- */

/* A value between two steps: the other way is to round it to the expressed type. */
static double between(const model_t *model, const type_t *type, double value) {
  if (!model->schedule->other_way) return value;
  return format_round_double(type->quantization->expressed->format, value);
}

static int64_t compute(const model_t *model, const type_t *result, const quantum_t *to,
                       const seen_t operands[2]) {
  const arithmetic_t steps = arithmetic_make(model->arithmetic);
  fault_t fault = model->schedule->fault;
  double values[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t operand = MIN(i, model->instance->program.operand_count - 1);
    const type_t *type = &model->instance->operands[operand].type;
    double value =
        fault_dequantize(type, &operands[i].quantum, model->arithmetic, fault, operands[i].stored);
    values[i] = between(model, result, value);
  }
  double value = operate(model, &steps, values[0], values[1]);
  if (is_sum(model) && model->schedule->fused && fault == FAULT_NONE) {
    const quantum_t *left = &operands[0].quantum;
    double difference = arithmetic_round(&steps, (double)(operands[0].stored - left->zero_point));
    double addend = model->function == ELEMENTWISE_SUBTRACT ? -values[1] : values[1];
    value = arithmetic_fused(&steps, difference, left->scale, addend);
  }
  return fault_quantize(result, to, model->arithmetic, model->schedule,
                        between(model, result, value));
}

/* ---- In integers ----------------------------------------------------------------------------- */

/* a b / divisor, of which no step overflows or underflows, rounded. */
static double quotient_of_scales(const arithmetic_t *steps, double a, double b, double divisor) {
  int of_a, of_b, of_divisor;
  double quotient = frexp(a, &of_a) * frexp(b, &of_b) / frexp(divisor, &of_divisor);
  return arithmetic_round(steps, ldexp(quotient, of_a + of_b - of_divisor));
}

/* False where the multipliers leave the range of normal numbers: then it computes by the formula.
 */
static bool compute_integers(const model_t *model, const quantum_t *to, const seen_t operands[2],
                             int64_t *out_stored) {
  bool is_f64 = model->arithmetic == &format_table[FORMAT_f64];
  const format_t *format = &format_table[is_f64 ? FORMAT_f64 : FORMAT_f32];
  const arithmetic_t steps = arithmetic_make(format);
  double multipliers[2], values[2];
  bool is_product = model->function == ELEMENTWISE_MULTIPLY;
  double least = ldexp(1, format->exponent_min), most = ldexp(1, format->exponent_max - 70);
  for (int i = 0; i < 2; i++) {
    const quantum_t *quantum = &operands[i].quantum;
    values[i] = arithmetic_round(&steps, (double)(operands[i].stored - quantum->zero_point));
    double other = is_product ? operands[1 - i].quantum.scale : 1;
    multipliers[i] = quotient_of_scales(&steps, quantum->scale, other, to->scale);
    if (!(multipliers[i] >= least && multipliers[i] <= most)) return false;
    if (!is_product) values[i] = arithmetic_multiply(&steps, values[i], multipliers[i]);
  }
  double value = operate(model, &steps, values[0], values[1]);
  if (is_product) value = arithmetic_multiply(&steps, value, multipliers[0]);
  double zero_point = (double)to->zero_point;
  double sum = model->schedule->other_way
                   ? nearbyint(value) + zero_point
                   : nearbyint(arithmetic_add(&steps, value, arithmetic_round(&steps, zero_point)));
  *out_stored = (int64_t)CLAMP(sum, (double)to->storage_min, (double)to->storage_max);
  return true;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* The integer nearest to a value, NaN being 0, such that two of them can be added. */
static int64_t whole(double value) {
  const double far = 0x1p40;
  return isnan(value) ? 0 : (int64_t)CLAMP(nearbyint(value), -far, far);
}

/* Each operand as an integer of the result's scale. */
static int64_t compute_requantized(const model_t *model, const quantum_t *to,
                                   const seen_t operands[2]) {
  const arithmetic_t steps = arithmetic_make(model->arithmetic);
  int64_t integers[2];
  for (int i = 0; i < 2; i++) {
    double value = quantum_dequantize(&operands[i].quantum, model->arithmetic, operands[i].stored);
    integers[i] = whole(arithmetic_divide(&steps, value, to->scale));
  }
  bool subtracts = model->function == ELEMENTWISE_SUBTRACT;
  int64_t sum = integers[0] + (subtracts ? -integers[1] : integers[1]) + to->zero_point;
  return CLAMP(sum, to->storage_min, to->storage_max);
}

/* ---- All ------------------------------------------------------------------------------------- */

static int64_t simulate_element(const model_t *model, const type_t *result, size_t element) {
  const implementation_model_t *schedule = model->schedule;
  quantum_t to = quantize_faulty_of(result, schedule->fault, element);
  const seen_t operands[] = {look(model, 0, element), look(model, 1, element)};
  bool in_integers = schedule->formula != NULL && strcmp(schedule->formula, "integer") == 0;
  int64_t stored;
  size_t choices = elementwise_fixed_choices(model->function);
  if (schedule->fixed_point != 0 && choices > 0) {
    elementwise_fixed_t fixed = elementwise_fixed_of(&model->instance->program, element);
    return elementwise_fixed(&fixed, (schedule->fixed_point - 1 + schedule->seed) % choices,
                             operands[0].stored - operands[0].quantum.zero_point,
                             operands[1].stored - operands[1].quantum.zero_point);
  }
  if (in_integers && compute_integers(model, &to, operands, &stored)) return stored;
  if (is_sum(model) && schedule->fault == FAULT_operands_requantized) {
    return compute_requantized(model, &to, operands);
  }
  if (schedule->fault == FAULT_result_scale_forgotten) to.scale = 1;
  if (schedule->fault == FAULT_result_zero_point_forgotten) to.zero_point = 0;
  return compute(model, result, &to, operands);
}

void elementwise_quantized_simulate(const case_t *instance, const implementation_model_t *schedule,
                                    tensor_t *inout_result) {
  const type_t *type = &inout_result->type;
  const model_t model = {.instance = instance,
                         .schedule = schedule,
                         .function = elementwise_of(&instance->program),
                         .arithmetic = quantize_faulty_arithmetic(type, schedule)};
  for (size_t i = 0; i < type_element_count(type); i++) {
    if (fault_skips_store(schedule->fault, i, inout_result)) continue;
    uint64_t bits = (uint64_t)simulate_element(&model, type, i) & element_mask(type->element);
    element_store(type->element, inout_result->data, i, bits);
  }
}
