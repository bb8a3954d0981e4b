/* SPDX-License-Identifier: Apache-2.0 */
/* Parses --fail-on and decides, from a finding's state and whether it is new, if it counts as a
 * failure. */
#include "harness/store/fail_on.h"

#include <stddef.h>
#include <string.h>

static const char *const spellings[FAIL_ON_COUNT] = {[FAIL_ON_ANY] = "any",
                                                     [FAIL_ON_UNWAIVED] = "unwaived",
                                                     [FAIL_ON_NEW] = "new",
                                                     [FAIL_ON_NEVER] = "never"};

const char *fail_on_spelling(fail_on_t fail_on) { return spellings[fail_on]; }

status_t fail_on_parse(const char *text, fail_on_t *out_fail_on, failure_t *error) {
  for (size_t i = 0; i < FAIL_ON_COUNT; i++) {
    if (strcmp(text, spellings[i]) != 0) continue;
    *out_fail_on = (fail_on_t)i;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "bad value '%.100s' (--fail-on); write new, any or never (or unwaived)", text);
}

bool fail_on_needs_states(fail_on_t fail_on) {
  return fail_on == FAIL_ON_UNWAIVED || fail_on == FAIL_ON_NEW;
}

static bool is_open(const char *state) {
  return strcmp(state, "fixed") != 0 && strcmp(state, "changed") != 0;
}

bool fail_on_counts(fail_on_t fail_on, const char *state, bool is_news) {
  switch (fail_on) {
    case FAIL_ON_UNWAIVED:
      return is_open(state) && strcmp(state, "waived") != 0;
    case FAIL_ON_NEW:
      return is_open(state) && is_news;
    case FAIL_ON_NEVER:
      return false;
    case FAIL_ON_ANY:
    case FAIL_ON_COUNT:
    default:
      return is_open(state);
  }
}
