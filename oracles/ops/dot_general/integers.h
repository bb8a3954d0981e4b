/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of dot algorithms: those that are added, and those that sums of floats become.
 *
 * Where integers are added (theory.md, T133) operands are rounded to integers of the precision
 * types, their products are added in the accumulation type, wrapping or saturating as permission
 * integer_overflow says, and the sum is converted to the type of the result.  Sums of floats become
 * integers as convert makes them, toward zero (T132); what becomes of a sum that the type has not,
 * permission convert_truncation says. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_INTEGERS_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_INTEGERS_H

#include "oracles/exact/value_range.h"
#include "oracles/ops/dot_general/gather.h"
#include "oracles/oracle_call.h"

/* Fast sets, and the last word on one component, by a plan that adds integers. */
accept_t dot_integers_accept(const oracle_call_t *call, const dot_general_layout_t *layout,
                             const dot_plan_t *plan);
void dot_integers_decide(const oracle_call_t *call, const dot_plan_t *plan, size_t component,
                         uint64_t bits, answer_t *out_answer);

/* What a float result of operands that are split so may be: false if it may be anything. */
bool dot_integers_range(const oracle_call_t *call, const dot_plan_t *plan, split_t split,
                        const dot_general_layout_t *layout, dot_general_place_t place,
                        value_range_t *out_range);

/* A pattern extended to 64 bits by the signedness of its type. */
uint64_t dot_integers_extend(const element_t *element, uint64_t bits);

/* What a sum, extended to 64 bits, becomes in the type of the result; false if that has no such
 * number, of which these are the low bits. */
bool dot_integers_convert(const element_t *sum, uint64_t value, const element_t *result,
                          uint64_t *out_bits);

/* Whether some number of the range, in the format that was added in, becomes these bits. */
bool integer_result_holds(const value_range_t *range, const format_t *format,
                          const element_t *result, const contract_t *contract, uint64_t bits);

/* The bits that a number becomes; false if the type has none for it. */
bool integer_result_of(double value, const element_t *result, uint64_t *out_bits);

/* Fast sets of the sums as those of the integers: where a set is one number its bits, and elsewhere
 * the exact side is asked. */
accept_t integer_result_accept(const accept_t *sums, const element_t *result, arena_t *arena);

#endif
