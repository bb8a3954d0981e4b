/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up and runs one simulated reduction: chooses the combining operation, prepares the leaves
 * (initial values, faulty terms) and evaluates the tree of the implementation that is modelled.
 * Needs spare slots around the terms so that nothing is copied. */
#include "oracles/exact/fold/fold.h"

#include <math.h>

#include "harness/model/fault.h"
#include "oracles/exact/fold/parts.h"

static const format_t *node_format(const format_t *format, const implementation_model_t *schedule) {
  if (schedule->fault == FAULT_narrow_accumulator) return fold_narrower_format(format);
  if (schedule->fault == FAULT_truncate_result) return &format_table[FORMAT_f64];
  const format_t *wider = schedule->accumulator;
  return wider != NULL && arithmetic_format_holds(wider, format) ? wider : format;
}

static uint32_t effective_init_count(const implementation_model_t *schedule) {
  if (schedule->fault == FAULT_init_never) return 0;
  if (schedule->fault == FAULT_init_twice) return 2;
  return schedule->init_count;
}

status_t fold_make(fold_body_t body, const element_t *element, const element_t *index_element,
                   const implementation_model_t *schedule, fold_t *out_fold, failure_t *error) {
  if (body == FOLD_ADD && element->kind == ELEMENT_FLOAT &&
      element->format->specials == FORMAT_EXPONENT_ONLY) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "%s has no zero: the meaning of its sums is not defined", element->name);
  }
  fold_t fold = {
      .body = body,
      .element = element,
      .index_element = index_element,
      .schedule = schedule,
      .init_count = effective_init_count(schedule),
  };
  if (element->format != NULL) {
    fold.arithmetic = arithmetic_make(node_format(element->format, schedule));
    fold.arithmetic.truncate_additions = schedule->fault == FAULT_truncate_additions;
    fold.arithmetic.truncate_products = schedule->fault == FAULT_truncate_products;
  }
  bool rounds_products = fold.arithmetic.truncate_additions || fold.arithmetic.truncate_products ||
                         schedule->fault == FAULT_narrow_accumulator;
  fold.fused =
      schedule->fused && body == FOLD_ADD && element->kind == ELEMENT_FLOAT && !rounds_products;
  if (body == FOLD_ARGMAX || body == FOLD_ARGMIN) {
    fold.combine = fold_combine_indexed;
  } else if (element->kind == ELEMENT_FLOAT) {
    fold.combine = fold_combine_floats;
  } else if (element->kind == ELEMENT_COMPLEX) {
    fold.combine = fold_combine_complex;
  } else {
    fold.combine = fold_combine_integers;
  }
  *out_fold = fold;
  return STATUS_OK;
}

/* In front of the terms: an empty slice takes an init even if the schedule has none, and one fault
 * adds the old result.  Behind them: some faults repeat terms. */
static size_t slots_before(const fold_t *fold) { return (size_t)fold->init_count + 2; }
enum { SLOTS_BEHIND = FOLD_TERMS_ADDED_MAX };

fold_value_t *fold_make_terms(const fold_t *fold, size_t count, arena_t *arena) {
  size_t before = slots_before(fold);
  return ARENA_NEW_ARRAY(arena, fold_value_t, before + count + SLOTS_BEHIND) + before;
}

static bool is_nan_term(const fold_t *fold, fold_value_t term) {
  if (fold->element->format == NULL) return false;
  fold_value_t settled = fold_settle(fold, term);
  return isnan(settled.real) ||
         (fold->element->kind == ELEMENT_COMPLEX && isnan(settled.imaginary));
}

static size_t drop_nan_terms(const fold_t *fold, fold_value_t *terms, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_nan_term(fold, terms[i])) terms[kept++] = terms[i];
  }
  return kept;
}

static void narrow_terms(const fold_t *fold, fold_value_t *terms, size_t count) {
  if (fold->element->format == NULL) return;
  for (size_t i = 0; i < count; i++) {
    terms[i].real = arithmetic_round(&fold->arithmetic, terms[i].real);
    if (fold->element->kind == ELEMENT_COMPLEX) {
      terms[i].imaginary = arithmetic_round(&fold->arithmetic, terms[i].imaginary);
    }
  }
}

/* Applies the faults that change which terms there are; moves *inout_terms, returns the new count.
 */
static size_t spoil_terms(const fold_t *fold, fold_value_t **inout_terms, size_t count) {
  enum { VECTOR = 8 };
  fold_value_t *terms = *inout_terms;
  switch (fold->schedule->fault) {
    case FAULT_lost_update:
      if (fold->schedule->seed % 2 != 0) return count;
      return count == 0 ? 0 : count - 1;
    case FAULT_drop_last_term:
      return count > 0 ? count - 1 : 0;
    case FAULT_drop_first_term:
      if (count == 0) return 0;
      *inout_terms = terms + 1;
      return count - 1;
    case FAULT_drop_tail:
      return count > VECTOR ? count - count % VECTOR : count;
    case FAULT_repeat_last_term:
      if (count == 0) return 0;
      terms[count] = terms[count - 1];
      return count + 1;
    case FAULT_neighbour_term:
      if (count > 1) terms[0] = terms[1];
      return count;
    case FAULT_drop_nan:
      return drop_nan_terms(fold, terms, count);
    case FAULT_narrow_accumulator:
      narrow_terms(fold, terms, count);
      return count;
    default:
      return fold_spoil_blocks(fold, terms, count);
  }
}

fold_value_t fold_run(const fold_t *fold, fold_value_t init, fold_value_t *terms, size_t count,
                      size_t output) {
  fold_value_t *leaves = terms;
  if (fold->schedule->fault != FAULT_NONE) count = spoil_terms(fold, &leaves, count);
  size_t inits = fold->init_count;
  if (count + inits == 0) {
    if (fold->schedule->fault == FAULT_init_never) return fold_zero(fold);
    inits = 1;
  }
  for (size_t i = 0; i < inits; i++) *--leaves = init;
  fold_value_t sum = fold->schedule->fault == FAULT_NONE
                         ? fold_tree(fold, leaves, count + inits, output)
                         : fold_spoiled_sum(fold, leaves, count + inits, output);
  return fold_settle(fold, sum);
}

void fold_output(const fold_t *fold, fold_value_t init, fold_value_t *terms, size_t count,
                 size_t output, tensor_t *results) {
  if (fold->schedule->fault == FAULT_accumulate_into_result && fold->body == FOLD_ADD) {
    *--terms = fold_load(fold, fold->element, results[0].data, output);
    count++;
  }
  fold_store(fold, fold_run(fold, init, terms, count, output), output, results);
}
