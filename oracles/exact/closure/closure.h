/* SPDX-License-Identifier: Apache-2.0 */
/* All results of a reduction with any number of initial values, where numbers are so few that each
 * can have its own mark: floats of at most 16 bits, quantized values of at most 8 bits (theory.md,
 * T120 and T126). */
#ifndef ASSAY_ORACLES_EXACT_CLOSURE_CLOSURE_H
#define ASSAY_ORACLES_EXACT_CLOSURE_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"

enum { CLOSURE_VALUES_MAX = 1 << 16, CLOSURE_SHORT_VALUES = 256, CLOSURE_TERMS_MAX = 64 };
#define CLOSURE_NEVER UINT32_MAX

/* Sets out[i] to what a node makes of `a` and others[i], in one of the ways in which it may
 * compute; neither the order of the two values nor anything else matters. */
typedef void closure_combine_t(const void *context, size_t way, uint16_t a, const uint16_t *others,
                               size_t count, uint16_t *out);

typedef struct closure_node {
  size_t
      value_count; /* Values are numbered from 0; of up to CLOSURE_SHORT_VALUES a table is made. */
  size_t way_count;
  closure_combine_t *combine;
  const void *context;
} closure_node_t;

/* What a value gives with others, all ways together: `first` by the other value, and what else is
 * given with some others. */
typedef struct closure_row {
  const uint16_t *first;
  size_t more_count;
  const uint16_t *more_others;
  const uint16_t *more_results;
} closure_row_t;

/* Rows of short values, made when they are asked for: the same for all questions about one node,
 * and so kept by who asks several.  All zero at first but for the arena. */
typedef struct closure_rows {
  const closure_row_t *rows[CLOSURE_SHORT_VALUES];
  arena_t *arena;
} closure_rows_t;

/* A leaf has one of two values, or one: then both are the same. */
typedef struct closure_leaf {
  uint16_t values[2];
} closure_leaf_t;

typedef struct closure_question {
  closure_node_t node;
  size_t count; /* At most CLOSURE_TERMS_MAX. */
  const closure_leaf_t *terms;
  closure_leaf_t init;
  uint32_t init_most; /* The initial value enters so often at the most. */
  bool is_in_order;   /* Trees keep the order of the terms; else they need not. */
  size_t work;        /* Pairs of values, in each way, that may be combined: about a nanosecond. */
  closure_rows_t *rows; /* Of short values: NULL, or those that the asker keeps. */
} closure_question_t;

/* What short values may take: all questions of CLOSURE_TERMS_MAX terms in order, and more. */
enum { CLOSURE_WORK = 1 << 24 };

/* For each of node.value_count values the least number of initial values with which some tree gives
 * it, CLOSURE_NEVER if none does.  False if that takes too much work. */
bool closure_make(const closure_question_t *question, arena_t *arena, uint32_t *out_least);

/* The same with each way by itself, and nothing kept: tests hold one against the other. */
bool closure_make_plain(const closure_question_t *question, arena_t *arena, uint32_t *out_least);

#endif
