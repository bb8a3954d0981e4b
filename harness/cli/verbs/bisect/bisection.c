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

/* Between two that were decided otherwise: the first that is as the last one, and what was decided
 * before it.  A fault that came twice is found once. */
static bisection_change_t narrow(const trial_t *trials, size_t first, size_t last) {
  bisection_change_t change = {.before = first, .after = last};
  for (size_t i = first + 1; i < change.after; i++) {
    if (!is_decided(&trials[i])) continue;
    if (trials[i].outcome == trials[last].outcome) {
      change.after = i;
    } else {
      change.before = i;
    }
  }
  return change;
}

bool bisection_next(const trial_t *trials, size_t count, size_t *out_index) {
  size_t first = 0;
  size_t last = 0;
  if (!find_end(trials, count, false, &first) || !find_end(trials, count, true, &last)) {
    return false;
  }
  *out_index = is_decided(&trials[first]) ? last : first;
  if (!is_decided(&trials[*out_index])) return true;
  if (trials[first].outcome == trials[last].outcome) return false;
  bisection_change_t change = narrow(trials, first, last);
  size_t open = 0;
  for (size_t i = change.before + 1; i < change.after; i++) {
    open += trials[i].outcome == TRIAL_UNKNOWN;
  }
  if (open == 0) return false;
  size_t skipped = open / 2;
  for (size_t i = change.before + 1; i < change.after; i++) {
    if (trials[i].outcome != TRIAL_UNKNOWN) continue;
    *out_index = i;
    if (skipped == 0) break;
    skipped--;
  }
  return true;
}

bool bisection_find(const trial_t *trials, size_t count, bisection_change_t *out_change) {
  size_t first = 0;
  size_t last = 0;
  if (!find_end(trials, count, false, &first) || !find_end(trials, count, true, &last) ||
      !is_decided(&trials[first]) || !is_decided(&trials[last]) ||
      trials[first].outcome == trials[last].outcome) {
    return false;
  }
  *out_change = narrow(trials, first, last);
  return true;
}
