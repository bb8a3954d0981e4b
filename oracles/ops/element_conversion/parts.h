/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of the conversions share.  Private to the family. */
#ifndef ASSAY_ORACLES_OPS_ELEMENT_CONVERSION_PARTS_H
#define ASSAY_ORACLES_OPS_ELEMENT_CONVERSION_PARTS_H

#include "oracles/exact/quantum/fixed_point.h"
#include "oracles/exact/quantum/quantum.h"
#include "oracles/exact/sum/choice_set.h"
#include "oracles/ops/element_conversion/element_conversion.h"
#include "oracles/oracle.h"

/* ---- convert --------------------------------------------------------------------------------- */

/* Which operand component a result component is made of; false if of none: the imaginary part of
 * what was no complex number. */
bool convert_find_source(const program_t *program, size_t component, size_t *out_index);

/* What one component may become. */
choice_set_t convert_set(const case_t *instance, const contract_t *contract, size_t component);

/* The functions of its oracle row. */
status_t convert_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t convert_decide(const oracle_call_t *call, uint32_t result, size_t component,
                        answer_t *out_answer);
status_t convert_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                          tensor_t *inout_results);
status_t convert_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]);

/* ---- uniform_quantize and uniform_dequantize ------------------------------------------------- */

/* Whether anybody knows what the program means: STATUS_UNSUPPORTED for expressed types that have no
 * zero. */
status_t quantization_check(const program_t *program, failure_t *error);

/* What one element may become under formulas `first` to `last` of permission requantize, whether
 * the contract permits these or not; with MPFR. */
choice_set_t uniform_quantize_set(const case_t *instance, const contract_t *contract, uint8_t first,
                                  uint8_t last, size_t element);
choice_set_t uniform_dequantize_set(const case_t *instance, const contract_t *contract,
                                    size_t element);

/* The functions of their oracle rows. */
status_t uniform_quantize_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t uniform_dequantize_accept(const oracle_call_t *call,
                                   accept_t out_accepts[CASE_RESULTS_MAX]);
status_t uniform_quantize_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                 answer_t *out_answer);
status_t uniform_dequantize_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer);
status_t uniform_quantize_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                       uint8_t *out_formula, bool *out_found);
status_t uniform_quantize_simulate(const oracle_call_t *call,
                                   const implementation_model_t *schedule, tensor_t *inout_results);
status_t uniform_dequantize_simulate(const oracle_call_t *call,
                                     const implementation_model_t *schedule,
                                     tensor_t *inout_results);

status_t uniform_quantize_enclose(const enclosure_call_t *call,
                                  box_t *const out_results[CASE_RESULTS_MAX]);
status_t uniform_dequantize_enclose(const enclosure_call_t *call,
                                    box_t *const out_results[CASE_RESULTS_MAX]);

/* One multiplication by the quotient of the scales, as lowerings of quantized programs do it: the
 * quotient is rounded to f64, then to `arithmetic`; so is what the zero points add, which is left
 * out where it is 0. */
typedef struct merged_scale {
  double factor;
  double addend;
} merged_scale_t;
merged_scale_t merged_scale_of(const quantum_t *from, const quantum_t *to,
                               const format_t *arithmetic);

/* The float that is clamped and rounded to storage. */
double merged_sum(const merged_scale_t *merged, const format_t *arithmetic, bool is_fused,
                  int64_t stored);

/* The two ways of fixed point: by a multiplier of 31 bits, and by one that is a multiple of 1/256,
 * the quotient rounded to f32 and then to that, with one rounding of the product, halves up. */
int64_t fixed_requantize(const quantum_t *from, const quantum_t *to, fixed_multiplier_t multiplier,
                         fixed_way_t way, int64_t stored);
int64_t fixed_8_requantize(const quantum_t *from, const quantum_t *to, int64_t stored);

/* Clamped as integers are; what is quantized alike stays as it is. */
int64_t merged_requantize(const merged_scale_t *merged, const quantum_t *from, const quantum_t *to,
                          const format_t *arithmetic, bool is_fused, int64_t stored);

#endif
