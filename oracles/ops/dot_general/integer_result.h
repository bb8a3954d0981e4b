/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of floats that are converted to an integer type at last, as convert does it: toward zero
 * (theory.md, T132).  What becomes of a sum that the type has not, permission convert_truncation
 * says. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_INTEGER_RESULT_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_INTEGER_RESULT_H

#include "harness/model/accept.h"
#include "oracles/exact/value_range.h"

/* Whether some number of the range, in the format that was added in, becomes these bits. */
bool integer_result_holds(const value_range_t *range, const format_t *format,
                          const element_t *result, const contract_t *contract, uint64_t bits);

/* The bits that a number becomes; false if the type has none for it. */
bool integer_result_of(double value, const element_t *result, uint64_t *out_bits);

/* Fast sets of the sums as those of the integers: where a set is one number its bits, and elsewhere
 * the exact side is asked. */
accept_t integer_result_accept(const accept_t *sums, const element_t *result, arena_t *arena);

#endif
