/* The kind of a summation: a short rule that generates its tree for any number of terms, read off
 * one tree.  Two sizes are summed in the same kind if one rule generates both trees.
 *
 * As text, which is canonical and for programs:
 *
 *   seq, rev        in order (a single term too); from the last to the first
 *   pairwise        halves, the left one larger or equal; pairwise-low: the right one
 *   interleaved     the even and the odd ones, again and again: i is first added to i + n/2
 *   blocksB(X;Y)    blocks of B neighbours, each by rule X, their sums by Y; the last block may be
 *                   shorter, or with blocksB-first the first, or with blocksB-both both
 *   lanesW(X;Y)     lane i takes terms i, i + W, ... by rule X, the lanes are added by Y; a rest
 *                   beyond the last whole W goes into the lanes, or with lanesW-after one by one
 *                   onto the sum, or with lanesW-first one by one into the first lane; with
 *                   lanesW-front the rest are the first terms, which begin the first lane
 *   lanesW-apart(X;Y;Z), lanesW-beside(X;Y;Z)
 *                   the rest is summed by Z, and added to the sum, or to the first lane
 *   irregular       none of these
 */
#ifndef ASSAY_IDENTIFY_TREE_RULE_H
#define ASSAY_IDENTIFY_TREE_RULE_H

#include "harness/identify/profile.h"

typedef enum rule_kind {
  RULE_SEQUENTIAL,
  RULE_REVERSE,
  RULE_PAIRWISE,
  RULE_PAIRWISE_LOW,
  RULE_INTERLEAVED,
  RULE_BLOCKS,
  RULE_LANES,
} rule_kind_t;

/* Where the terms go that fill no whole block or row of lanes. */
typedef enum rule_rest {
  REST_LAST,   /* The last block; or into the lanes. */
  REST_FIRST,  /* The first block; or into the first lane. */
  REST_BOTH,   /* The first and the last block: half of what is missing at either end. */
  REST_AFTER,  /* Onto the sum of the lanes, one by one. */
  REST_APART,  /* Summed apart, and added last. */
  REST_FRONT,  /* The rest are the first terms; they begin the first lane. */
  REST_BESIDE, /* Summed apart, and added to the first lane. */
} rule_rest_t;

typedef struct tree_rule tree_rule_t;
struct tree_rule {
  rule_kind_t kind;
  uint32_t width; /* Of RULE_BLOCKS and RULE_LANES; likewise below. */
  rule_rest_t rest;
  const tree_rule_t *inner; /* Within a block or lane. */
  const tree_rule_t *outer; /* Over the blocks or lanes. */
  const tree_rule_t *apart; /* Of REST_APART and REST_BESIDE: over the rest. */
};

/* Where the initial value enters. */
typedef enum init_place {
  INIT_NOWHERE,
  INIT_FIRST,  /* It is added to the first term. */
  INIT_LAST,   /* It is added to the sum of all terms. */
  INIT_INSIDE, /* Elsewhere, or more than once. */
} init_place_t;
init_place_t profile_init_place(const profile_t *profile);

/* The rule of the profile's tree without its initial values, in the arena; NULL if it is irregular.
 */
const tree_rule_t *tree_rule_find(const profile_t *profile, arena_t *arena);

/* Whether the rule generates the tree of the profile, initial values left aside. */
bool tree_rule_explains(const tree_rule_t *rule, const profile_t *profile);

/* A profile of `terms` terms like `like`, whose tree the rule generates and whose nodes have the
 * arithmetic of the root: a guess for identify().  Initial values are as in `like`; false if they
 * are INIT_INSIDE. */
bool tree_rule_guess(const tree_rule_t *rule, const profile_t *like, size_t terms, arena_t *arena,
                     profile_t *out_profile);

/* The rule's text; "irregular" for NULL. */
void tree_rule_print(const tree_rule_t *rule, GString *out_text);

/* Below: for the files of rules. */

struct profile_builder;

/* Adds the tree of the rule over `items`, at least one; returns its root. */
uint32_t tree_rule_build(const tree_rule_t *rule, struct profile_builder *builder,
                         const uint32_t *items, size_t count);

#endif
