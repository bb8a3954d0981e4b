/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the finding of a broken property: shrinks the instance, sweeps its parameter, describes
 * the difference and writes the row for the store. */
#include "harness/invariance/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *print_line(const case_t *instance, arena_t *arena) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  const char *copy = arena_copy_text(arena, line->str, line->len);
  g_string_free(line, TRUE);
  return copy;
}

static void find_implementation(executor_t *executor, const program_t *program, char out_text[64]) {
  executor_program_t *compiled = NULL;
  char reason[192];
  out_text[0] = '\0';
  if (executor_compile(executor, program, &compiled, reason, sizeof reason) == EXECUTOR_OK) {
    snprintf(out_text, 64, "%s", executor_implementation(executor, compiled));
  }
}

invariance_finding_t *invariance_finding_make(const invariance_shrink_options_t *options,
                                              const invariance_instance_t *instance,
                                              const invariance_check_t *check,
                                              const tally_label_t *label, arena_t *arena) {
  invariance_finding_t *finding = ARENA_NEW_ARRAY(arena, invariance_finding_t, 1);
  *finding = (invariance_finding_t){.label = *label, .other_line = ""};
  invariance_check_t small;
  invariance_shrink(options, instance, check, arena, &finding->instance, &small);
  finding->difference = small.difference;
  invariance_step_t *steps = NULL;
  finding->step_count =
      invariance_sweep(options->executor, &finding->instance, &small.difference, arena, &steps);
  finding->steps = steps;
  finding->base_line = print_line(&finding->instance.base, arena);
  find_implementation(options->executor, &finding->instance.base.program,
                      finding->base_implementation);
  if (invariance_has_two_cases(finding->instance.property)) {
    invariance_other_t other;
    bool is_made = invariance_make_other(&finding->instance, arena, &other);
    g_assert(is_made);
    finding->other = other.instance;
    finding->other_line = print_line(&other.instance, arena);
    find_implementation(options->executor, &other.instance.program, finding->other_implementation);
  }
  return finding;
}

/* ---- In words -------------------------------------------------------------------------------- */

static int hex_digits(const invariance_finding_t *finding) {
  const type_t *type = &finding->instance.base.program.results[finding->difference.result];
  return (type->element->bits + 3) / 4;
}

void invariance_print_steps(const invariance_finding_t *finding, GString *out_text) {
  const type_t *type = &finding->instance.base.program.results[finding->difference.result];
  const invariance_step_t *steps = finding->steps;
  for (size_t i = 0; i < finding->step_count;) {
    size_t end = i + 1;
    while (end < finding->step_count &&
           invariance_same_bits(type->element, steps[end].bits, steps[i].bits)) {
      end++;
    }
    if (i == 0) {
      g_string_append(out_text, invariance_table[finding->instance.property].noun);
    } else {
      g_string_append_c(out_text, ';');
    }
    g_string_append_printf(out_text, " %" PRId64, steps[i].value);
    if (end - i > 1) g_string_append_printf(out_text, " to %" PRId64, steps[end - 1].value);
    g_string_append_printf(out_text, ": 0x%0*" PRIx64, hex_digits(finding), steps[i].bits);
    i = end;
  }
}

void invariance_print_sizes(const invariance_finding_t *finding, GString *out_text) {
  static const char *const names[AXIS_ROLE_COUNT] = {[AXIS_BATCH] = "batch",
                                                     [AXIS_ROW] = "rows",
                                                     [AXIS_COLUMN] = "columns",
                                                     [AXIS_TERM] = "terms"};
  const axes_t *axes = &finding->instance.axes;
  const char *separator = "";
  for (int role = 0; role < AXIS_ROLE_COUNT; role++) {
    int64_t size = 1;
    bool is_there = false;
    for (uint32_t axis = 0; axis < axes->count; axis++) {
      if ((int)axes->items[axis].role != role) continue;
      size *= axes->items[axis].size;
      is_there = true;
    }
    if (!is_there) continue;
    g_string_append_printf(out_text, "%s%s %" PRId64, separator, names[role], size);
    separator = ", ";
  }
}

/* ---- The store ------------------------------------------------------------------------------- */

static hash_text_t sign(const invariance_count_t *row) {
  char *text = g_strdup_printf("invariance %s %s %s", invariance_table[row->property].spelling,
                               row->op, row->types);
  hash_text_t signature = hash_of(text, strlen(text));
  g_free(text);
  return signature;
}

/* What is kept with the base case: the property and where it begins to break, and the other case.
 */
static void describe(const invariance_finding_t *finding, GString *observed, GString *reason) {
  g_string_append(observed, invariance_table[finding->instance.property].spelling);
  if (finding->step_count > 0) {
    g_string_append(observed, ": ");
    invariance_print_steps(finding, observed);
  }
  if (finding->other_line[0] != '\0') {
    g_string_append_printf(reason, "the other case is %s", finding->other_line);
  }
}

void invariance_finding_store(const invariance_count_t *row, const ledger_t *ledger) {
  const invariance_finding_t *finding = row->finding;
  if (ledger->store == NULL || finding == NULL) return;
  const invariance_difference_t *difference = &finding->difference;
  bool is_run_to_run = row->property == INVARIANCE_run_to_run;
  hash_text_t signature = sign(row);
  GString *observed = g_string_new(NULL);
  GString *reason = g_string_new(NULL);
  describe(finding, observed, reason);
  GString *program = g_string_new(NULL);
  program_print(&finding->instance.base.program, program);
  char got[64];
  char expected[64];
  char got_bits[32];
  int digits = hex_digits(finding);
  snprintf(got, sizeof got, "0x%0*" PRIx64, digits, difference->base_bits);
  snprintf(got_bits, sizeof got_bits, "%" PRIx64, difference->base_bits);
  bool is_replica = invariance_table[row->property].kind == INVARIANCE_KIND_REPLICAS;
  const char *whose = invariance_has_two_cases(row->property) ? "case" : "run";
  snprintf(expected, sizeof expected, "0x%0*" PRIx64 ", as in the other %s", digits,
           difference->other_bits, is_replica ? "replica" : whose);
  store_divergence_t divergence = {
      .run_id = ledger->run_id,
      .executor_id = ledger->executor_ids[row->executor],
      .signature = signature.text,
      .op = row->op,
      .algorithm = finding->label.algorithm,
      .types = row->types,
      .outcome = outcome_spelling(OUTCOME_diverges),
      .class = class_spelling(is_run_to_run ? CLASS_nondeterministic : CLASS_invariance),
      .implementation = finding->base_implementation,
      .program_line = program->str,
      .case_line = finding->base_line,
      .result = difference->result,
      .component = difference->base_component,
      .wrong_count = difference->count,
      .component_count = difference->compared,
      .got_bits = got_bits,
      .got = got,
      .expected = expected,
      .observed = observed->str,
      .reason = reason->str,
      .seconds = (double)NAN};
  const case_figures_t figures = case_figures_of_operands(&finding->instance.base, true);
  case_figures_store(&figures, &divergence);
  store_add_divergence(ledger->store, &divergence);
  g_string_free(program, TRUE);
  g_string_free(observed, TRUE);
  g_string_free(reason, TRUE);
}
