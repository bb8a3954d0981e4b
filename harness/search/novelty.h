/* SPDX-License-Identifier: Apache-2.0 */
/* Which features of verdicts have been seen.
 *
 * A feature is one word about a case: its label (op, types, algorithm) with the outcome and class,
 * with the size of the error, with the slack, with what was observed, with the count of terms.  The
 * set is exact.  For a fuzzer each feature is also a mark, a byte that is set to a value in a small
 * array: libFuzzer tells eight ranges of a counter apart, so NOVELTY_SLOTS bytes hold eight times
 * as many features, and its cost is by the byte.  There features may share a mark. */
#ifndef ASSAY_SEARCH_NOVELTY_H
#define ASSAY_SEARCH_NOVELTY_H

#include "harness/judge/verdict.h"
#include "harness/model/op.h"

enum { NOVELTY_SLOTS = 1024, NOVELTY_MARKS_MAX = 64 };

typedef struct novelty_mark {
  uint16_t slot;
  uint8_t value;
} novelty_mark_t;

/* What a program is counted under, as hashes. */
typedef struct novelty_label {
  uint64_t label;     /* Op, types, algorithm. */
  uint64_t niche;     /* The label and the binary order of the count of terms. */
  int order;          /* That order. */
  uint64_t structure; /* Op, ranks and attributes. */
} novelty_label_t;

typedef struct novelty novelty_t;

novelty_t *novelty_new(void);
void novelty_free(novelty_t *novelty);

novelty_label_t novelty_label(novelty_t *novelty, const program_t *program);

/* Begins a case: forgets the marks of the one before. */
void novelty_begin(novelty_t *novelty);

/* Takes in a verdict of a case; returns how many of its features are new. */
size_t novelty_add(novelty_t *novelty, const novelty_label_t *label, const verdict_t *verdict);

const novelty_mark_t *novelty_marks(const novelty_t *novelty, size_t *out_count);
size_t novelty_count(const novelty_t *novelty);

#endif
