/* SPDX-License-Identifier: Apache-2.0 */
/* How a backend adds: the tree in which the terms of one result component are summed, and the
 * arithmetic of its nodes.  Found by identify.h, printed and parsed as one line of text, and enough
 * to predict every bit.
 *
 * What a profile means.  Leaf ids 0 .. term_count-1 are the terms in the specification's order, or
 * products of two factors for dot_general; term_count is the initial value, which a tree may hold
 * several times or not at all; term_count + 1 + i is nodes[i].  A factor or term is first read
 * (flushes_inputs).  Then every node, children before parents:
 *   - a term or the initial value is its value;
 *   - a factor of a type wider than `left` (`right`) is first rounded to that, by left_rounding;
 *   - a product is left unrounded if the node is fused, else rounded to `product`, to nearest even;
 *   - a node is the value that was computed for it;
 * and the node's value is their exact sum, rounded once to its format.  A node with aligned_bits b
 * first cuts each addend toward zero to a multiple of 2^(e - b + 1), where e is the largest
 * exponent of an addend: of a number in [2^e, 2^(e+1)), and of a product the sum of the exponents
 * of its factors.  A node with one child is nothing but a rounding: of a product, where a chain of
 * fused multiply-adds begins, or of a node.
 *
 * The root (the last node; without a node the only leaf) is rounded to `result`, to nearest even.
 *
 * NaN is one value: its sign and payload are not predicted. */
#ifndef ASSAY_IDENTIFY_PROFILE_PROFILE_H
#define ASSAY_IDENTIFY_PROFILE_PROFILE_H

#include "harness/model/case.h"

typedef struct profile_node {
  const uint32_t *children; /* child_count ids, in ascending order of their first leaf, where the
                             * initial value comes last. */
  uint32_t child_count;     /* 2; more in a multiway adder, which rounds once; or 1. */
  const format_t *format;   /* What the node's sum is rounded to. */
  rounding_t rounding;      /* ROUNDING_NEAREST_EVEN or ROUNDING_TOWARD_ZERO. */
  bool overflows;           /* Truncates, and yet sums beyond the largest number become infinite. */
  bool fused;               /* Products among its children are added unrounded. */
  int aligned_bits; /* Multiway adders that align addends and keep this many bits; 0: exact. */
  bool by_field;    /* Where it aligns: a subnormal factor counts with the least normal exponent. */
  bool cuts_sum;    /* Where it aligns: the sum is cut to as many bits of its own. */
} profile_node_t;

/* All memory is in one arena. */
typedef struct profile {
  const char *op;           /* "stablehlo.reduce" or "stablehlo.dot_general". */
  const char *program_line; /* The program it was found with: shapes, types and layout. */
  size_t term_count;
  const format_t *left;  /* Format of the terms, or of the left factors, as they are multiplied. */
  const format_t *right; /* Of the right factors; NULL for reduce. */
  rounding_t left_rounding; /* Of factors from a wider type: to nearest even, away, or cut. */
  rounding_t right_rounding;
  const format_t *result; /* The root is rounded to it last. */
  bool has_init;          /* The initial value enters the tree. */
  bool starts_at_zero;    /* An accumulator starts at +0, so that terms of -0 alone give +0. */
  bool zero_is_first;   /* Where it starts so: the +0 joins the first product of a chain before that
                         * is rounded, and a result that underflows to -0 stays -0.  Else the value
                         * that is rounded to the result is never -0. */
  bool flushes_inputs;  /* Subnormal terms or factors are read as zero of their sign. */
  bool flushes_sums;    /* Subnormal products and sums are zero to the next addition. */
  bool flushes_outputs; /* A subnormal result is written as zero of its sign. */
  const format_t *product; /* Products that are not fused are rounded to it; NULL for reduce. */
  size_t node_count;
  const profile_node_t *nodes;
} profile_t;

enum {
  PROFILE_TERMS_MAX = 1 << 20,
  PROFILE_DEPTH_MAX = 2000, /* Of brackets in the text. */
};

/* The id of the root: of the last node or of the only leaf (the initial value where there is no
 * term; an empty dot product has neither, and is +0). */
uint32_t profile_root(const profile_t *profile);

/* Whether `id` is one of a leaf: a term or the initial value. */
static inline bool profile_is_leaf(const profile_t *profile, uint32_t id) {
  return id <= profile->term_count;
}
static inline bool profile_is_term(const profile_t *profile, uint32_t id) {
  return id < profile->term_count;
}
/* The node behind an id that is no leaf. */
static inline const profile_node_t *profile_node(const profile_t *profile, uint32_t id) {
  return &profile->nodes[id - profile->term_count - 1];
}

/* One line of text, canonical: equal profiles print alike.  The grammar:
 *
 *   "profile v1 terms=N left=READ [right=READ product=F] result=F start=none|zero|first
 *    flush=none|inputs,sums,outputs ARITHMETIC... tree=TREE : PROGRAM LINE"
 *
 *   READ        FORMAT, then "/trunc" or "/away" where wider factors are rounded to it so
 *   ARITHMETIC  a letter from a on, "=" FORMAT, then any of "/trunc" "/inf" (the truncating node
 *               overflows) "/fused" "/alignedN" "/field" (by_field) "/cut" (cuts_sum), one for each
 *               different arithmetic of nodes, in order of first use in TREE
 *   TREE        "0" without a tree; a CHILD
 *   CHILD       a term number, "i" for the initial value, or a NODE
 *   NODE        a letter (left out for a), then
 *               "(" ITEM " " ITEM... ")"         one node with these children, or
 *               "[" ITEM " " ITEM... "]"         a chain: binary nodes, each adding one more child:
 *                                                [x y z] is ((x y) z)
 *   ITEM        a CHILD, or FIRST..LAST or FIRST..LAST:STEP, a run of terms
 *
 * A chain of 4096 terms takes 9 bytes so, and 8 strided lanes 130. */
void profile_print(const profile_t *profile, GString *out_text);

/* The tree part of the text alone. */
void profile_print_tree(const profile_t *profile, GString *out_text);

/* Accepts only what profile_print() prints; checks that each term occurs exactly once. */
status_t profile_parse(str_t text, arena_t *arena, profile_t *out_profile, failure_t *error);

/* The bits that the profile predicts for one result component from the binary64 carriers of its
 * terms or factors; `right` is NULL for plain terms.  `scratch` holds profile_scratch_count()
 * doubles. */
uint64_t profile_predict(const profile_t *profile, const double *left, const double *right,
                         double init, double *scratch);
size_t profile_scratch_count(const profile_t *profile);

/* Gathers the terms of every component of the case and predicts all its results.
 * STATUS_UNSUPPORTED unless the case has the profile's program. */
status_t profile_predict_case(const profile_t *profile, const case_t *instance, arena_t *arena,
                              tensor_t *out_result, failure_t *error);

/* Whether the two patterns are the same result: equal, or both NaN. */
bool profile_same_bits(const format_t *format, uint64_t a, uint64_t b);

#endif
