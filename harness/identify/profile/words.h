/* SPDX-License-Identifier: Apache-2.0 */
/* A profile in words, for people and for the database. */
#ifndef ASSAY_IDENTIFY_PROFILE_WORDS_H
#define ASSAY_IDENTIFY_PROFILE_WORDS_H

#include "harness/identify/order/sum_rule.h"

/* Appends, for example:
 *   "sequential"                              ((t0 + t1) + t2) + ...
 *   "sequential from the last term"           t0 + (t1 + (t2 + ...))
 *   "pairwise"                                halves of halves
 *   "8 lanes, pairwise at the end, fused"     term t goes to sum t mod 8, then halves of halves
 *   "4 lanes, folded in halves at the end"    sum 0 + sum 2, sum 1 + sum 3, then these
 *   "blocks of 32, sequential"                sums of 32 neighbours, one after the other
 *   "5-way nodes, sequential"                 4 terms to the sum at a time, rounded once
 *   "irregular tree of depth 9"
 * and then, where it is worth a word, what the nodes do: "fused", "products rounded to bf16",
 * "accumulated in f64", "truncating", "from +0", "initial value last", "flushes subnormal inputs".
 * Roundings alone (nodes with one child) are no part of the order. */
void profile_words(const profile_t *profile, GString *out_text);

/* The same with the order as the rule has it; `profile` is what the rule gives for some length. */
void profile_words_by_rule(const sum_rule_t *rule, const profile_t *profile, GString *out_text);

#endif
