/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the terms of a result element by the axes that an op declares, or by the dimensions that
 * it reduces. */
#include "harness/power/terms.h"

#include <stdint.h>

/* Of the operand that has the most of them. */
static size_t reduced_terms(const program_t *program) {
  size_t most = 1;
  if (program->op->reduced_dimensions == NULL) return 1;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    uint32_t dimensions = program->op->reduced_dimensions(program, i);
    size_t terms = 1;
    for (uint32_t d = 0; d < program->operands[i].rank; d++) {
      if (dimensions >> d & 1) terms *= (size_t)program->operands[i].dims[d];
    }
    if (terms > most || terms == 0) most = terms;
  }
  return most;
}

size_t program_terms(const program_t *program) {
  axes_t axes;
  if (!axes_of(program, &axes)) return reduced_terms(program);
  size_t terms = 1;
  for (uint32_t i = 0; i < axes.count; i++) {
    if (axes.items[i].role == AXIS_TERM) terms *= (size_t)axes.items[i].size;
  }
  return terms;
}

size_t term_bucket_low(size_t bucket) {
  return bucket == 0 ? 0 : ((size_t)1 << (3 * (bucket - 1))) + 1;
}

size_t term_bucket_high(size_t bucket) {
  return bucket + 1 == TERM_BUCKETS ? SIZE_MAX : (size_t)1 << (3 * bucket);
}

size_t term_bucket(size_t terms) {
  size_t bucket = 0;
  while (terms > term_bucket_high(bucket)) bucket++;
  return bucket;
}
