/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a binary search in which some members cannot be tested. */
#include "harness/cli/verbs/bisect/bisection.h"

static bool is_decided(const trial_t *trial) {
  return trial->outcome == TRIAL_CONFORMS || trial->outcome == TRIAL_DIVERGES;
}

/* The nearest end that can be tested, or may be; false if none can. */
static bool find_end(const trial_t *trials, size_t count, bool is_last, size_t *out_index) {
  for (size_t i = 0; i < count; i++) {
    *out_index = is_last ? count - 1 - i : i;
    if (trials[*out_index].outcome != TRIAL_UNTESTABLE) return true;
  }
  return false;
}

bool bisection_find(const trial_t *trials, size_t count, size_t from,
                    bisection_change_t *out_change) {
  size_t before = count; /* The last that was decided. */
  for (size_t i = from; i < count; i++) {
    if (!is_decided(&trials[i])) continue;
    if (before < count && trials[before].outcome != trials[i].outcome) {
      *out_change = (bisection_change_t){.before = before, .after = i};
      return true;
    }
    before = i;
  }
  return false;
}

/* The middle of what was not tried inside a change; false if all was. */
static bool find_middle(const trial_t *trials, const bisection_change_t *change,
                        size_t *out_index) {
  size_t open = 0;
  for (size_t i = change->before + 1; i < change->after; i++) {
    open += trials[i].outcome == TRIAL_UNKNOWN;
  }
  size_t left = open / 2 + 1;
  for (size_t i = change->before + 1; i < change->after && open > 0; i++) {
    if (trials[i].outcome != TRIAL_UNKNOWN || --left > 0) continue;
    *out_index = i;
    return true;
  }
  return false;
}

bool bisection_next(const trial_t *trials, size_t count, size_t *out_index) {
  for (int is_last = 0; is_last < 2; is_last++) {
    if (!find_end(trials, count, is_last != 0, out_index)) return false;
    if (!is_decided(&trials[*out_index])) return true;
  }
  bisection_change_t change = {.before = 0};
  while (bisection_find(trials, count, change.before, &change)) {
    if (find_middle(trials, &change, out_index)) return true;
    change.before = change.after;
  }
  return false;
}
