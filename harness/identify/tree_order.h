/* The order of summation in words.  Private to harness/identify. */
#ifndef ASSAY_IDENTIFY_TREE_ORDER_H
#define ASSAY_IDENTIFY_TREE_ORDER_H

#include "harness/identify/tree_facts.h"

/* *out_init_is_first: the initial value is one more term, in front of the others. */
void tree_order_words(const profile_t *profile, const tree_fact_t *facts, arena_t *arena,
                      GString *out_text, bool *out_init_is_first);

#endif
