/* What the oracle files of the elementwise ops share.  Private to the family. */
#ifndef ASSAY_OPS_ELEMENTWISE_PARTS_H
#define ASSAY_OPS_ELEMENTWISE_PARTS_H

#include <mpfr.h>

#include "oracles/exact/quantum.h"
#include "oracles/ops/elementwise/elementwise.h"
#include "oracles/oracle.h"

/* Whether anybody knows what the program means: STATUS_UNSUPPORTED for f8E8M0FNU, stored or
 * expressed, which has no zero. */
status_t elementwise_check(const program_t *program, failure_t *error);

/* ---- Exactly --------------------------------------------------------------------------------- */

/* inout_left becomes the exact result of a float function; NaN, infinities and the signs of zeros
 * as IEEE 754 has them.  `right` means nothing to negate.  The precision, the caller's, holds the
 * result: exact_sum_precision() of the operands' format. */
void elementwise_apply(elementwise_t function, mpfr_t inout_left, const mpfr_t right);

/* elementwise_apply() rounded to the format, once: to nearest, ties to even. */
double elementwise_rounded(elementwise_t function, const format_t *format, double left,
                           double right);

/* ---- Quantized ------------------------------------------------------------------------------- */

/* The spellings of contract->quantized, which are the formulas of quantized programs. */
enum { ELEMENTWISE_DEQUANTIZE, ELEMENTWISE_INTEGER };

/* Storage values low..high, and how an implementation gets there: "" is the usual way. */
typedef struct stored_range {
  int64_t low;
  int64_t high;
  const char *by;
} stored_range_t;

/* What is permitted of one element, held against one storage value as it is found. */
enum { STORED_RANGES_PRINTED = 4 };
typedef struct stored_judgement {
  int64_t got;
  bool holds;
  bool anything;      /* Permitted is what the specification leaves to the implementation. */
  const char *by;     /* Of the first range that holds `got`. */
  size_t range_count; /* Distinct ones, of which so many are kept for printing: */
  stored_range_t ranges[STORED_RANGES_PRINTED];
  int64_t low, high; /* The hull of all. */
} stored_judgement_t;

void stored_judgement_add(stored_judgement_t *judgement, int64_t low, int64_t high, const char *by);

/* `count` choices as quantum_choices() has them. */
void stored_judgement_add_choices(stored_judgement_t *judgement, size_t count,
                                  const int64_t choices[QUANTUM_CHOICES_MAX], const char *by);

/* What the formula of the specification gives in all arithmetics that the contract permits, and
 * what integer arithmetic gives (elementwise_integer.c). */
void elementwise_judge_formula(const case_t *instance, const contract_t *contract, size_t element,
                               stored_judgement_t *inout_judgement);
void elementwise_judge_integers(const case_t *instance, const contract_t *contract, size_t element,
                                stored_judgement_t *inout_judgement);

/* ---- Functions of the oracle rows ------------------------------------------------------------ */

status_t elementwise_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);
status_t elementwise_ask(const case_t *instance, const contract_t *contract, uint32_t result,
                         size_t component, const tensor_t *results, arena_t *arena,
                         answer_t *out_answer, failure_t *error);
status_t elementwise_find_formula(const case_t *instance, const contract_t *contract,
                                  const accept_t *accepts, const tensor_t *results, arena_t *arena,
                                  uint8_t *out_formula, bool *out_found, failure_t *error);
status_t elementwise_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                              tensor_t *inout_results, failure_t *error);

/* Those of them for quantized programs that elementwise_check() has passed. */
void elementwise_quantized_accept(const case_t *instance, arena_t *arena, accept_t *out_accept);
void elementwise_quantized_ask(const case_t *instance, const contract_t *contract, size_t element,
                               const tensor_t *result, answer_t *out_answer);
void elementwise_quantized_simulate(const case_t *instance, const schedule_t *schedule,
                                    tensor_t *inout_result);

#endif
