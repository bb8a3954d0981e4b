/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings and severity of outcomes and divergence classes, from their definition lists, and the
 * note of observed algorithms in a verdict. */
#include "harness/judge/verdict.h"

#include <glib.h>

const char *outcome_spelling(outcome_t outcome) {
  static const char *const spellings[OUTCOME_COUNT] = {
#define OUTCOME(name, spelling, summary) [OUTCOME_##name] = (spelling),
#include "harness/judge/outcomes.def"
#undef OUTCOME
  };
  return spellings[outcome];
}

void verdict_withdraw_blame(verdict_t *verdict) {
  const verdict_blame_t blame = verdict->blame;
  verdict->blame = (verdict_blame_t){.is_there = false};
  verdict->observed[0] = '\0';
  if (!blame.is_of_functions) return;
  verdict->class_ = blame.otherwise;
  g_strlcpy(verdict->observed, blame.otherwise_observed, sizeof verdict->observed);
}

bool outcome_is_judged(outcome_t outcome) {
  switch (outcome) {
    case OUTCOME_conforms:
    case OUTCOME_diverges:
    case OUTCOME_failed:
      return true;
    case OUTCOME_refused:
    case OUTCOME_weak:
    case OUTCOME_no_oracle:
    case OUTCOME_COUNT:
    default:
      return false;
  }
}

const char *class_spelling(divergence_class_t class_) {
  static const char *const spellings[CLASS_COUNT] = {
#define CLASS(name, spelling, summary) [CLASS_##name] = (spelling),
#include "harness/judge/classes.def"
#undef CLASS
  };
  return spellings[class_];
}

/* Whether another algorithm explains that better: not what concerns zeros' signs alone, nor what
 * went wrong beside the values. */
static bool is_of_value(divergence_class_t class_, bool is_named) {
  switch (class_) {
    case CLASS_value:
    case CLASS_nan:
    case CLASS_inf:
      return true;
    case CLASS_truncation:
    case CLASS_order:
    case CLASS_precision:
      return is_named;
    default:
      return false;
  }
}

void verdict_list_algorithms(verdict_t *verdict, const char *algorithms) {
  g_strlcpy(verdict->algorithms, algorithms, sizeof verdict->algorithms);
  verdict->has_algorithms = true;
}

void verdict_note_algorithms(verdict_t *verdict, const char *algorithms, bool is_named) {
  verdict_list_algorithms(verdict, algorithms);
  if (verdict->class_ == CLASS_unsupported_accepted) {
    g_strlcpy(verdict->observed, algorithms, sizeof verdict->observed);
    return;
  }
  bool explains = verdict->outcome == OUTCOME_diverges && algorithms[0] != '\0' &&
                  verdict->observed[0] == '\0' && is_of_value(verdict->class_, is_named);
  if (!explains) return;
  verdict->class_ = CLASS_algorithm;
  verdict->blame = (verdict_blame_t){.is_there = false};
  g_strlcpy(verdict->observed, algorithms, sizeof verdict->observed);
}
