/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern while it is held against ops of a graph.  For bind.c and match.c alone. */
#ifndef ASSAY_QUANT_FUSE_MATCHER_H
#define ASSAY_QUANT_FUSE_MATCHER_H

#include "harness/quant/fuse/state.h"

enum { MATCH_OPS_MAX = 64, MATCH_CONSTANTS_MAX = 32 }; /* Inside of one region. */

typedef struct matcher {
  const fuser_t *fuser;
  const variant_t *variant;
  uint32_t swaps; /* Bit i: line i has its operands the other way round. */
  uint32_t root;
  int32_t line_ops[QUANT_PATTERN_LINES_MAX]; /* By line: the op, or QUANT_NONE. */
  int64_t ports[QUANT_PORTS_MAX];            /* By input of the kernel: the value, or -1. */
  uint32_t repeated_count;                   /* Values of the last one, if it is repeated. */
  uint32_t repeated[QUANT_PORTS_MAX];
  uint32_t widening_count; /* Ops that widen a number. */
  uint32_t widenings[MATCH_OPS_MAX];
  uint32_t constant_count;
  uint32_t constants[MATCH_CONSTANTS_MAX];
  uint32_t bound; /* Lines that are bound. */
  miss_t *miss;
} matcher_t;

/* Notes why the pattern does not fit, and how many ops were there; false. */
bool matcher_fail(const matcher_t *matcher, uint32_t progress, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define FAIL(matcher, ...) matcher_fail(matcher, (matcher)->bound, __VA_ARGS__)

/* Which operand argument `i` of a line is. */
static inline uint32_t operand_of(const matcher_t *matcher, uint32_t line, uint32_t i) {
  return matcher->swaps >> line & 1 ? 1 - i : i;
}

/* Holds a line, and what it takes, against an op and what that takes; false if they differ. */
bool matcher_bind(matcher_t *matcher, uint32_t line, uint32_t op);

#endif
