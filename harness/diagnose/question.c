/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked about causes, and of which verdicts. */
#include <math.h>

#include "harness/diagnose/cause.h"

cause_reference_t cause_reference_of(const accept_t *accept, size_t component) {
  cause_reference_t found = {.reference = (double)NAN};
  if (accept->reference == NULL) return found;
  found.reference = accept->reference[component];
  if (accept->reference_tail != NULL) found.tail = accept->reference_tail[component];
  found.has_magnitude = accept->magnitude != NULL && !isnan(accept->magnitude[component]);
  if (found.has_magnitude) found.magnitude = accept->magnitude[component];
  return found;
}

bool cause_is_sought(const verdict_t *verdict) {
  if (verdict->outcome != OUTCOME_diverges || verdict->wrong_count == 0) return false;
  switch (verdict->class_) {
    case CLASS_value:
    case CLASS_nan:
    case CLASS_inf:
    case CLASS_zero_sign:
    case CLASS_flush:
    case CLASS_truncation:
    case CLASS_algorithm:
    case CLASS_order:
    case CLASS_precision:
    case CLASS_init:
    case CLASS_overflow:
    case CLASS_index:
    case CLASS_quantum:
    case CLASS_formula:
    case CLASS_unwritten:
    case CLASS_padding:
      return true;
    default:
      return false;
  }
}

cause_question_t cause_decide(case_runner_t *walk, const case_t *instance,
                              const expectation_t *expectation) {
  return (cause_question_t){.oracle = expectation->oracle,
                            .contract = &walk->contract,
                            .instance = instance,
                            .accepts = expectation->accepts,
                            .evidence = &walk->evidence,
                            .nanoseconds = &walk->times.cause};
}
