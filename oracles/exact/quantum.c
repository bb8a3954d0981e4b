#include "oracles/exact/quantum.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"

quantum_t quantum_of(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  size_t index = 0;
  if (quantization->axis != -1) {
    uint32_t axis = (uint32_t)quantization->axis;
    size_t stride = 1;
    for (uint32_t i = axis + 1; i < type->rank; i++) stride *= (size_t)type->dims[i];
    index = element / stride % quantization->count;
  }
  return (quantum_t){.scale = quantization->scales[index],
                     .zero_point = quantization->zero_points[index],
                     .storage_min = quantization->storage_min,
                     .storage_max = quantization->storage_max};
}

/* Storage values have at most 32 bits: they and their differences are numbers of binary64. */
double quantum_dequantize(const quantum_t *quantum, const format_t *arithmetic, int64_t stored) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double difference = arithmetic_round(&steps, (double)(stored - quantum->zero_point));
  return arithmetic_multiply(&steps, difference, quantum->scale);
}

/* The float that is rounded to an integer, or NaN. */
static double find_clamped(const quantum_t *quantum, const format_t *arithmetic, double value) {
  const arithmetic_t steps = arithmetic_make(arithmetic);
  double smallest = arithmetic_round(&steps, (double)quantum->storage_min);
  double largest = arithmetic_round(&steps, (double)quantum->storage_max);
  double zero_point = arithmetic_round(&steps, (double)quantum->zero_point);
  double quotient = arithmetic_divide(&steps, value, quantum->scale);
  double sum = arithmetic_add(&steps, quotient, zero_point);
  return arithmetic_minimum(arithmetic_maximum(smallest, sum), largest);
}

bool quantum_is_decided(const quantum_t *quantum, const format_t *arithmetic, double value) {
  return !isnan(find_clamped(quantum, arithmetic, value));
}

int64_t quantum_quantize(const quantum_t *quantum, const format_t *arithmetic, double value) {
  double clamped = find_clamped(quantum, arithmetic, value);
  if (isnan(clamped)) return quantum->zero_point;
  /* Ends may have been rounded outwards, up to infinity: comparing with the exact ones is exact. */
  if (clamped <= (double)quantum->storage_min) return quantum->storage_min;
  if (clamped >= (double)quantum->storage_max) return quantum->storage_max;
  return (int64_t)nearbyint(clamped);
}

size_t quantum_arithmetics(const type_t *type, const contract_t *contract,
                           const format_t *out_formats[2]) {
  const element_t *expressed = type->quantization->expressed;
  size_t count = 0;
  out_formats[count++] = expressed->format;
  bool may_be_wider = expressed->bits == 16 && contract->intermediate == INTERMEDIATE_WIDE;
  if (may_be_wider) out_formats[count++] = &format_table[FORMAT_f32];
  return count;
}
