/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses about which elements of a result are never written: the last ones, of all or along a
 * dimension, or whole rows along one.  Each says of every element whether it is written. */
#include <glib.h>
#include <math.h>

#include "harness/diagnose/tests.h"

/* The elements of a result that have a part which was never written. */
typedef struct gaps {
  const type_t *type;
  const uint8_t *components;
  size_t count;
  size_t unwritten;
} gaps_t;

static bool is_unwritten(const gaps_t *gaps, size_t element) {
  const size_t parts = gaps->type->element->components;
  return (gaps->components[element * parts] | gaps->components[element * parts + parts - 1]) != 0;
}

static size_t stride_of(const type_t *type, uint32_t dim) {
  size_t stride = 1;
  for (uint32_t i = dim + 1; i < type->rank; i++) stride *= (size_t)type->dims[i];
  return stride;
}

/* How many sets of so many elements there are, in bits. */
static double bits_of_sets(size_t all, size_t chosen) {
  const double n = (double)all, k = (double)chosen;
  return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2);
}

/* Whether just the elements at index `begin` and beyond are unwritten, of a dimension of that size
 * and stride, or of all elements in a row (stride 1). */
static bool is_end(const gaps_t *gaps, size_t stride, size_t size, size_t begin) {
  for (size_t i = 0; i < gaps->count; i++) {
    if (is_unwritten(gaps, i) != (i / stride % size >= begin)) return false;
  }
  return true;
}

static void note_end(const gaps_t *gaps, size_t tried, const char *detail, found_causes_t *found) {
  const double bits = bits_of_sets(gaps->count, gaps->unwritten);
  note_cause(found, CAUSE_unwritten_tail, bits, tried, detail);
}

/* The last elements of all, or the last indices of a dimension: of one description that is enough.
 */
static void test_ends(const gaps_t *gaps, found_causes_t *found) {
  char detail[CAUSE_DETAIL_BYTES];
  if (is_end(gaps, 1, gaps->count, gaps->count - gaps->unwritten)) {
    g_snprintf(detail, sizeof detail, "the last %zu of %zu elements", gaps->unwritten, gaps->count);
    note_end(gaps, 1, detail, found);
    return;
  }
  for (uint32_t dim = 0; dim < gaps->type->rank; dim++) {
    const size_t size = (size_t)gaps->type->dims[dim];
    const size_t last = gaps->unwritten * size / gaps->count; /* Indices, if they are whole. */
    if (last == 0 || !is_end(gaps, stride_of(gaps->type, dim), size, size - last)) continue;
    g_snprintf(detail, sizeof detail, "the last %zu of %zu indices of dimension %u", last, size,
               (unsigned)dim);
    note_end(gaps, 1 + gaps->type->rank, detail, found);
    return;
  }
}

/* Whether each row along the dimension is written, or is not. */
static bool is_of_lines(const gaps_t *gaps, uint32_t dim) {
  const size_t size = (size_t)gaps->type->dims[dim], stride = stride_of(gaps->type, dim);
  for (size_t i = 0; i < gaps->count; i++) {
    const size_t first = i - i / stride % size * stride;
    if (is_unwritten(gaps, i) != is_unwritten(gaps, first)) return false;
  }
  return true;
}

/* That the unwritten rows are the last ones tells, too: of enough of them that they are any. */
static void test_lines(const gaps_t *gaps, found_causes_t *found) {
  for (uint32_t dim = 0; dim < gaps->type->rank; dim++) {
    const size_t size = (size_t)gaps->type->dims[dim];
    if (size < 2 || !is_of_lines(gaps, dim)) continue;
    const double bits_of_rows = bits_of_sets(gaps->count / size, gaps->unwritten / size);
    const double bits = bits_of_sets(gaps->count, gaps->unwritten) - bits_of_rows;
    bool is_tail = found->items[CAUSE_unwritten_tail].is_found;
    if (is_tail && bits_of_rows >= (double)CAUSE_BITS_UNWRITTEN) continue;
    char detail[CAUSE_DETAIL_BYTES];
    g_snprintf(detail, sizeof detail, "%u", (unsigned)dim);
    note_cause(found, CAUSE_unwritten_lines, bits, gaps->type->rank, detail);
  }
}

/* Where nothing is written at all, there is no telling where it would have ended. */
void test_unwritten(const solver_t *solver, found_causes_t *found) {
  const cause_question_t *question = solver->question;
  const type_t *type = &question->instance->program.results[solver->verdict->result];
  gaps_t gaps = {
      .type = type, .components = question->evidence->unwritten, .count = type_element_count(type)};
  for (size_t i = 0; i < gaps.count; i++) gaps.unwritten += is_unwritten(&gaps, i) ? 1 : 0;
  if (gaps.unwritten == 0 || gaps.unwritten == gaps.count) return;
  test_ends(&gaps, found);
  test_lines(&gaps, found);
}
