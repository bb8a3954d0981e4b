/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verbs/isolation/report.h"

#include <stdio.h>

/* ---- Lines ----------------------------------------------------------------------------------- */

static void print_step(const char *title, const isolated_step_t *step) {
  printf("%-9s %s", title, step->place);
  if (step->where != NULL) printf(", %s", step->where);
  printf(": %s\n", step->line == NULL ? step->op : step->line);
}

static void print_diverging(const char *title, const isolated_step_t *step,
                            const executor_t *executor) {
  print_step(title, step);
  printf("          %s\n", step->description);
  if (step->case_line == NULL) return;
  g_autofree char *line = g_shell_quote(step->case_line);
  g_autofree char *name = g_shell_quote(executor_name(executor));
  printf("          assay replay %s --executor %s\n", line, name);
}

/* "stablehlo.divide 5, stablehlo.tanh 2" */
static void print_names(const isolation_t *isolation, isolated_kind_t kind) {
  g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    if (step->kind != kind) continue;
    gpointer before = g_hash_table_lookup(counts, step->op);
    if (before == NULL) g_ptr_array_add(names, step->op);
    g_hash_table_insert(counts, step->op, GUINT_TO_POINTER(GPOINTER_TO_UINT(before) + 1));
  }
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index(names, i);
    printf("%s%s %u", i == 0 ? "" : ", ", name,
           GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)));
  }
  putchar('\n');
}

/* ---- Of one executor ------------------------------------------------------------------------- */

static void print_counts(const isolation_t *isolation, const executor_t *executor) {
  size_t runs = isolation_count(isolation, ISOLATED_JUDGED);
  size_t judged = isolation_count_steps(isolation, ISOLATED_JUDGED);
  printf("%s: %zu ops, %zu judged", executor_name(executor), isolation->op_count, judged);
  if (runs != judged) printf(" in %zu runs", runs);
  printf(": %zu conform, %zu diverge, %zu weak; %zu without results\n",
         isolation_count_outcome(isolation, OUTCOME_conforms),
         isolation_count_outcome(isolation, OUTCOME_diverges),
         isolation_count_outcome(isolation, OUTCOME_weak),
         isolation_count(isolation, ISOLATED_UNJUDGED));
  if (isolation_count(isolation, ISOLATED_NO_ORACLE) > 0) {
    printf("without an oracle, by StableHLO's interpreter: ");
    print_names(isolation, ISOLATED_NO_ORACLE);
  }
  if (isolation_count(isolation, ISOLATED_HELD) > 0) {
    printf("without an oracle, by the executor: ");
    print_names(isolation, ISOLATED_HELD);
  }
  if (isolation->unreached_count > 0) {
    printf("in bodies that did not run: %zu ops\n", isolation->unreached_count);
  }
}

static void print_others(const isolation_t *isolation) {
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    bool is_told = step == isolation->first || step == isolation->worst;
    bool has_no_result = step->is_asked && step->kind != ISOLATED_JUDGED;
    if (!is_told && (isolated_step_diverges(step) || has_no_result)) {
      print_step(isolated_step_diverges(step) ? "diverges:" : "no result:", step);
      printf("          %s\n", step->description);
    }
    if (step->kind == ISOLATED_NOT_RUN || step->kind == ISOLATED_BODIES) {
      print_step(step->kind == ISOLATED_NOT_RUN ? "not run:" : "bodies:", step);
      printf("          %s\n", step->why);
    }
  }
}

/* ---- Of two ---------------------------------------------------------------------------------- */

typedef struct agreement {
  size_t equal, different, absent;
} agreement_t;

static agreement_t count_agreement(const isolation_t *isolation, isolated_kind_t kind) {
  agreement_t found = {0};
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    if (step->kind != kind || step->against == NULL) continue;
    if (!step->against->has_results) {
      found.absent++;
    } else if (step->against->difference.differing_count > 0) {
      found.different++;
    } else {
      found.equal++;
    }
  }
  return found;
}

static void print_agreement(const char *title, const agreement_t *found,
                            const executor_t *reference) {
  printf("%s: %zu equal to the bit, %zu different, %zu without results of %s\n", title,
         found->equal, found->different, found->absent, executor_name(reference));
}

/* Which of two that differ the oracle finds outside. */
static char *who_is_outside(const isolated_step_t *step, const executor_t *executor,
                            const executor_t *reference) {
  const isolated_against_t *against = step->against;
  if (!against->is_judged) return g_strdup("no oracle tells who is right");
  bool is_one = isolated_step_diverges(step);
  bool is_other = against->verdict.outcome == OUTCOME_diverges;
  if (is_one && is_other) return g_strdup("both are outside");
  if (is_one) return g_strdup_printf("%s is outside", executor_name(executor));
  if (is_other) return g_strdup_printf("%s is outside", executor_name(reference));
  bool conform =
      step->verdict.outcome == OUTCOME_conforms && against->verdict.outcome == OUTCOME_conforms;
  return g_strdup(conform ? "both conform" : "neither is shown to be outside");
}

static void print_against(const isolated_step_t *step, const executor_t *executor,
                          const executor_t *reference) {
  const isolated_against_t *against = step->against;
  if (!against->has_results) {
    print_step("unheld:", step);
    printf("          %s gave no results: %s\n", executor_name(reference), against->said);
    return;
  }
  if (against->difference.differing_count == 0) return;
  g_autoptr(GString) words = g_string_new(NULL);
  difference_print(&against->difference, words);
  g_autofree char *who = who_is_outside(step, executor, reference);
  print_step("unlike:", step);
  printf("          %s; %s\n", words->str, who);
  if (against->said != NULL) printf("          %s %s\n", executor_name(reference), against->said);
}

static void print_reference(const isolation_t *isolation, const executor_t *executor,
                            const executor_t *reference) {
  const agreement_t held = count_agreement(isolation, ISOLATED_HELD);
  const agreement_t judged = count_agreement(isolation, ISOLATED_JUDGED);
  printf("held against %s, on the same operands:\n", executor_name(reference));
  print_agreement("  with an oracle, which judges both", &judged, reference);
  print_agreement("  without an oracle, and no verdict: two that agree may both be wrong", &held,
                  reference);
  for (guint i = 0; i < isolation->steps->len; i++) {
    const isolated_step_t *step = isolation_step(isolation, i);
    if (step->against != NULL) print_against(step, executor, reference);
  }
}

void isolation_print(const isolation_t *isolation, const executor_t *executor,
                     const executor_t *reference) {
  print_counts(isolation, executor);
  if (isolation->first != NULL) {
    print_diverging("first:", isolation->first, executor);
    print_diverging("worst:", isolation->worst, executor);
  }
  print_others(isolation);
  if (reference != NULL) print_reference(isolation, executor, reference);
}
