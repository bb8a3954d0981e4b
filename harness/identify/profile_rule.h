/* A rule gives the tree of a sum for any number of terms: "16 lanes, folded in halves".  It is
 * found from a profile, and predicts for the lengths for which it has been checked. */
#ifndef ASSAY_IDENTIFY_PROFILE_RULE_H
#define ASSAY_IDENTIFY_PROFILE_RULE_H

#include "harness/identify/profile.h"

/* In which order a list of items is added.  In text:
 *   sequential       ((x0 + x1) + x2) + ...
 *   reverse          x0 + (x1 + (x2 + ...))
 *   swapped          the second of each pair first: ((x1 + x0) + x3) + x2 ...
 *   halves           halves of halves, the first one larger or equal
 *   power            the same, the first part the largest power of two
 *   folded           x0 + xh, x1 + xh+1, ... with h = n / 2, and so on; n is a power of two
 *   waysW            nodes that add W items to the sum at a time
 *   lanesW(A,B)      item i goes to lane i mod W; lanes are added by A, their sums by B
 *   blocksW(A,B)     item i goes to block i / W; likewise
 *   paddedW(A,B)     the same, where the blocks at both ends are shorter, by half of what is
 * missing each; one block is not joined tailW(A)         the first floor(n / W) * W items by A,
 * then the others one by one */
typedef enum order_kind {
  ORDER_SEQUENTIAL,
  ORDER_REVERSE,
  ORDER_SWAPPED,
  ORDER_HALVES,
  ORDER_POWER,
  ORDER_FOLDED,
  ORDER_WAYS,
  ORDER_LANES,
  ORDER_BLOCKS,
  ORDER_PADDED,
  ORDER_TAIL,
  ORDER_KIND_COUNT
} order_kind_t;

typedef struct order {
  order_kind_t kind;
  uint32_t width; /* W; 1 at least. */
  const struct order *inner;
  const struct order *join;
} order_t;

/* Where the initial value goes. */
typedef enum rule_init {
  RULE_INIT_ABSENT,
  RULE_INIT_FIRST, /* One more item, in front of the terms. */
  RULE_INIT_TERM,  /* Added to term 0 before anything else. */
  RULE_INIT_LAST,  /* Added to the sum of the terms. */
  RULE_INIT_EACH,  /* One more item in front, in each group and where the groups are joined. */
  RULE_INIT_ZERO,  /* There is none, but a +0 takes a place in front of the terms. */
  RULE_INIT_COUNT
} rule_init_t;

typedef struct profile_rule {
  const order_t *order;
  rule_init_t init;
  bool first_is_rounded; /* The product that a chain begins with is rounded by a node of its own. */
  profile_node_t add;    /* The arithmetic of nodes that add a term, ... */
  profile_node_t join;   /* ... that add sums, ... */
  profile_node_t last;   /* ... and that add an initial value to a sum. */
  const profile_t *like; /* All else; borrowed. */
} profile_rule_t;

enum { PROFILE_RULES_MAX = 64 };

/* All rules that are known of and give `profile` exactly, the simplest first; the fewer terms it
 * has, the more they are.  `profile` must outlive them; they are in the arena.  Returns how many.
 */
size_t profile_rules_find(const profile_t *profile, arena_t *arena,
                          profile_rule_t out_rules[PROFILE_RULES_MAX]);

/* The profile by the rule for a program whose sums have `term_count` terms; the program line is
 * borrowed.  STATUS_UNSUPPORTED if the rule has no tree for that length. */
status_t profile_rule_apply(const profile_rule_t *rule, const char *program_line, size_t term_count,
                            arena_t *arena, profile_t *out_profile, failure_t *error);

/* One line: the order, the initial value and the arithmetic, but no length.  It is parsed beside
 * the profile that it was found from. */
void profile_rule_print(const profile_rule_t *rule, GString *out_text);
status_t profile_rule_parse(str_t text, const profile_t *like, arena_t *arena,
                            profile_rule_t *out_rule, failure_t *error);

/* Below: for the files of rules. */

/* The arithmetic by roles; false if two nodes of one role differ. */
bool profile_rule_read_roles(const profile_t *profile, profile_rule_t *out_rule);

#endif
