/* SPDX-License-Identifier: Apache-2.0 */
/* The order of summation in words.  Private to harness/identify. */
#ifndef ASSAY_IDENTIFY_ORDER_TREE_WORDS_H
#define ASSAY_IDENTIFY_ORDER_TREE_WORDS_H

#include "harness/identify/order/subtree_stats.h"

/* *out_init_is_first: the initial value is one more term, in front of the others. */
void tree_words(const profile_t *profile, const subtree_stats_t *stats, arena_t *arena,
                GString *out_text, bool *out_init_is_first);

#endif
