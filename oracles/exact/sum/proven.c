/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for a tree: as the sets of few terms and loops have them, and with nodes that are truncated
 * or flushed. */
#include "oracles/exact/sum/proven.h"

#include <math.h>

#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/tree_search/choices.h"
#include "oracles/exact/tree_search/find_tree.h"

/* Terms of which one factor, or which themselves, may be read as zero. */
static const bool *find_flushable(const sum_problem_t *question, arena_t *arena) {
  bool *flushable = ARENA_NEW_ARRAY(arena, bool, MAX(question->count, 1));
  for (size_t i = 0; i < question->count; i++) {
    flushable[i] =
        sum_may_flush_factor(question->left[i], question->left_format, question->left_storage);
    if (question->right == NULL) continue;
    flushable[i] |=
        sum_may_flush_factor(question->right[i], question->right_format, question->right_storage);
  }
  return flushable;
}

/* Not of sums with a low-order part, nor of more leaves than are searched. */
static bool is_asked(const sum_bounds_t *sum, const sum_problem_t *question, double value) {
  bool is_one_sum =
      !sum_is_split(question) && question->imprecise_bits == 0 && !question->factors_exceed;
  return is_one_sum && !question->is_complex_part && isfinite(value) &&
         question->count <= TREE_TERMS_MAX && sum->init_count <= IN_ORDER_INIT_COUNT_MAX;
}

bool sum_is_proven(const sum_bounds_t *sum, const sum_problem_t *question,
                   const contract_t *contract, const few_terms_t *terms, double value,
                   arena_t *arena) {
  if (!is_asked(sum, question, value)) return true;
  if (sum->result_range.low == sum->result_range.high) return true; /* What every tree gives. */
  const uint8_t ftz = PERMITTED(contract, ftz);
  const tree_choices_t choices = {
      .may_truncate = PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ,
      .may_flush_results = ftz == FTZ_OUTPUTS || ftz == FTZ_BOTH,
      .may_flush_terms = ftz == FTZ_INPUTS || ftz == FTZ_BOTH,
      .flushable = find_flushable(question, arena),
      .is_in_order = sum_has_schedules(question, sum->terms, contract)};
  few_terms_tree_t tree;
  bool has_tree = !choices.is_in_order && few_terms_find_tree(terms, value, arena, &tree);
  return has_tree || few_terms_choices_give(terms, &choices, value);
}
