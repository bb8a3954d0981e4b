/* SPDX-License-Identifier: Apache-2.0 */
/* Determines through the oracle which algorithms are consistent with a result, also under relaxed
 * rounding of operands, and drops an observation that does not explain all components. */
#include "harness/run/observed_algorithms.h"

#include <string.h>

static status_t find_by_oracle(const void *context, const oracle_call_t *call, GString *out_names) {
  return ((const oracle_t *)context)->consistent(call, out_names);
}

static consistent_finder_t finder_of(const oracle_t *oracle) {
  return (consistent_finder_t){find_by_oracle, oracle};
}

/* The consistent ones under a contract; false where the program has no algorithms. */
static status_t find_consistent(const consistent_finder_t *finder, const oracle_call_t *call,
                                GString *out_names, bool *out_has_algorithms) {
  failure_t failure = {0};
  arena_mark_t mark = arena_mark(call->arena);
  oracle_call_t own = *call;
  own.error = &failure;
  status_t status = finder->find(finder->context, &own, out_names);
  arena_rewind(call->arena, mark);
  *out_has_algorithms = status == STATUS_OK;
  if (status == STATUS_OK || status == STATUS_UNSUPPORTED) return STATUS_OK;
  *call->error = failure;
  return status;
}

static bool is_unexplained(const verdict_t *verdict) {
  return verdict->outcome == OUTCOME_diverges &&
         (verdict->class_ == CLASS_value || verdict->class_ == CLASS_nan ||
          verdict->class_ == CLASS_inf);
}

/* Whether the set "A|B|C" holds what the program asks for. */
static bool holds_asked(const GString *names, const program_t *program) {
  g_autoptr(GString) asked = g_string_new(NULL);
  program->op->print_algorithm(program, asked);
  g_auto(GStrv) each = g_strsplit(names->str, "|", -1);
  return g_strv_contains((const char *const *)each, asked->str);
}

/* Keeps what was observed of the worst component only if it explains all of them. */
static status_t check_observed(const oracle_t *oracle, const oracle_call_t *call,
                               const consistent_finder_t *finder, verdict_t *verdict) {
  contract_t relaxed = *call->contract;
  oracle->loosen_algorithms(&relaxed);
  g_autoptr(GString) names = g_string_new(NULL);
  bool has_algorithms;
  oracle_call_t relaxed_call = *call;
  relaxed_call.contract = &relaxed;
  STATUS_TRY(find_consistent(finder, &relaxed_call, names, &has_algorithms));
  if (!holds_asked(names, &call->instance->program)) verdict->observed[0] = '\0';
  return STATUS_OK;
}

/* Whether one of the set "A|B|C" says something of who names none: imprecise accumulation permits
 * nearly every result of a long sum, so that of operands of other types it is no explanation. */
static bool is_telling(const GString *names, const program_t *program) {
  static const char imprecise[] = "_FAST_ACCUM<";
  const char *lhs = program->operands[0].element->name, *rhs = program->operands[1].element->name;
  g_autofree char *own = g_strdup_printf("%s%s,%s>", imprecise, lhs, rhs);
  g_auto(GStrv) each = g_strsplit(names->str, "|", -1);
  for (char **name = each; *name != NULL; name++) {
    if (strstr(*name, imprecise) == NULL || g_str_has_suffix(*name, own)) return true;
  }
  return false;
}

status_t observe_algorithms_by(const oracle_t *oracle, const oracle_call_t *call,
                               const consistent_finder_t *finder, verdict_t *inout_verdict) {
  verdict_t *verdict = inout_verdict;
  if (oracle->consistent == NULL || verdict->outcome == OUTCOME_no_oracle) return STATUS_OK;
  bool is_named = oracle->names_algorithm(&call->instance->program);
  if (!is_named && !is_unexplained(verdict)) return STATUS_OK;
  g_autoptr(GString) names = g_string_new(NULL);
  bool has_algorithms;
  STATUS_TRY(find_consistent(finder, call, names, &has_algorithms));
  if (!has_algorithms) return STATUS_OK;
  bool is_partly_explained = is_named && verdict->outcome == OUTCOME_diverges &&
                             verdict->observed[0] != '\0' && names->len > 0;
  if (is_partly_explained) STATUS_TRY(check_observed(oracle, call, finder, verdict));
  if (!is_named && !is_telling(names, &call->instance->program)) {
    verdict_list_algorithms(verdict, names->str);
  } else {
    verdict_note_algorithms(verdict, names->str, is_named);
  }
  return STATUS_OK;
}

status_t observe_algorithms(const oracle_t *oracle, const oracle_call_t *call,
                            verdict_t *inout_verdict) {
  const consistent_finder_t finder = finder_of(oracle);
  return observe_algorithms_by(oracle, call, &finder, inout_verdict);
}

bool takes_precision(const oracle_t *oracle, const oracle_call_t *call, const verdict_t *verdict) {
  return oracle->takes_precision != NULL && verdict->outcome != OUTCOME_no_oracle &&
         oracle->takes_precision(&call->instance->program);
}

status_t observe_precision(const oracle_t *oracle, const oracle_call_t *call,
                           verdict_t *inout_verdict) {
  g_autoptr(GString) names = g_string_new(NULL);
  bool has_algorithms;
  const consistent_finder_t finder = finder_of(oracle);
  STATUS_TRY(find_consistent(&finder, call, names, &has_algorithms));
  if (has_algorithms) inout_verdict->precision = g_intern_string(names->str);
  return STATUS_OK;
}
