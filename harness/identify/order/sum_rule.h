/* SPDX-License-Identifier: Apache-2.0 */
/* A rule gives the profile of a sum of any number of terms: an order of summation, the place of the
 * initial value, and the arithmetic of the nodes.  It is found from a profile, and predicts for the
 * lengths for which it has been checked. */
#ifndef ASSAY_IDENTIFY_ORDER_SUM_RULE_H
#define ASSAY_IDENTIFY_ORDER_SUM_RULE_H

#include "harness/identify/profile/profile.h"
#include "harness/order/sum_order.h"

/* Where the initial value goes. */
typedef enum rule_init {
  RULE_INIT_ABSENT,
  RULE_INIT_FIRST, /* One more item, in front of the terms. */
  RULE_INIT_TERM,  /* Added to term 0 before anything else. */
  RULE_INIT_LAST,  /* Added to the sum of the terms. */
  RULE_INIT_EACH,  /* One more item in front, in each group and where the groups are joined. */
  RULE_INIT_ZERO,  /* There is none, but a +0 takes a place in front of the terms. */
  RULE_INIT_COUNT,
  RULE_INIT_ELSEWHERE = RULE_INIT_COUNT /* In a profile: none of these, or one not looked for. */
} rule_init_t;

typedef struct sum_rule {
  sum_order_t order; /* Its parts are in the arena. */
  rule_init_t init;
  bool first_is_rounded; /* The product that a chain begins with is rounded by a node of its own. */
  profile_node_t add;    /* The arithmetic of nodes that add a term, ... */
  profile_node_t join;   /* ... that add sums, ... */
  profile_node_t last;   /* ... and that add an initial value to a sum. */
  const profile_t *like; /* All else; borrowed. */
} sum_rule_t;

enum { SUM_RULES_MAX = 64 };

/* All rules that are known of and give `profile` exactly, the simplest first; the fewer terms it
 * has, the more they are.  `profile` must outlive them; they are in the arena.  Returns how many.
 */
size_t sum_rules_find(const profile_t *profile, arena_t *arena,
                      sum_rule_t out_rules[SUM_RULES_MAX]);

/* The profile by the rule for a program whose sums have `term_count` terms; the program line is
 * borrowed.  STATUS_UNSUPPORTED if the rule has no tree for that length. */
status_t sum_rule_apply(const sum_rule_t *rule, const char *program_line, size_t term_count,
                        arena_t *arena, profile_t *out_profile, failure_t *error);

/* One line: the order as sum_order_print() writes it, the initial value and the arithmetic, but no
 * length.  It is parsed beside the profile that it was found from. */
void sum_rule_print(const sum_rule_t *rule, GString *out_text);
status_t sum_rule_parse(str_t text, const profile_t *like, arena_t *arena, sum_rule_t *out_rule,
                        failure_t *error);

/* Where the initial value of a profile enters: RULE_INIT_ABSENT, _TERM, _LAST or _ELSEWHERE. */
rule_init_t sum_rule_init_place(const profile_t *profile);

/* Appends `before` and "initial value first", "last" or "inside"; nothing if there is none. */
void sum_rule_print_init_place(const profile_t *profile, const char *before, GString *out_text);

/* A profile of `terms` terms like `like`, whose terms are added in that order and whose nodes have
 * the arithmetic of the root: a guess for identify().  Initial values are as in `like`; false if
 * they are RULE_INIT_ELSEWHERE. */
bool sum_rule_guess(const sum_order_t *order, const profile_t *like, size_t terms, arena_t *arena,
                    profile_t *out_profile);

/* Below: for the files of rules. */

/* The arithmetic by roles; false if two nodes of one role differ. */
bool sum_rule_read_roles(const profile_t *profile, sum_rule_t *out_rule);

#endif
