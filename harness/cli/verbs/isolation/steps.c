/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verbs/isolation/steps.h"

void isolated_step_free(isolated_step_t *step) {
  g_free(step->op);
  g_free(step->place);
  g_free(step->where);
  g_free(step->line);
  g_free(step->why);
  g_free(step->description);
  g_free(step->case_line);
  if (step->against != NULL) g_free(step->against->said);
  g_free(step->against);
  g_free(step);
}

bool isolated_step_diverges(const isolated_step_t *step) {
  return step->is_asked && step->verdict.outcome == OUTCOME_diverges;
}

void isolation_free(isolation_t *isolation) {
  if (isolation->steps != NULL) g_ptr_array_unref(isolation->steps);
  *isolation = (isolation_t){0};
}

const isolated_step_t *isolation_step(const isolation_t *isolation, size_t position) {
  return g_ptr_array_index(isolation->steps, position);
}

size_t isolation_count(const isolation_t *isolation, isolated_kind_t kind) {
  size_t count = 0;
  for (guint i = 0; i < isolation->steps->len; i++) {
    count += isolation_step(isolation, i)->kind == kind;
  }
  return count;
}

size_t isolation_count_outcome(const isolation_t *isolation, outcome_t outcome) {
  size_t count = 0;
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    count += step->is_asked && step->verdict.outcome == outcome;
  }
  return count;
}

size_t isolation_count_steps(const isolation_t *isolation, isolated_kind_t kind) {
  g_autoptr(GHashTable) found = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    if (step->kind == kind) g_hash_table_add(found, GSIZE_TO_POINTER(step->index));
  }
  return g_hash_table_size(found);
}
