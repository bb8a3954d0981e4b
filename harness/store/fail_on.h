/* SPDX-License-Identifier: Apache-2.0 */
/* --fail-on: which findings make a run, a campaign or a report fail, by the state of each (view
 * finding_state). */
#ifndef ASSAY_STORE_FAIL_ON_H
#define ASSAY_STORE_FAIL_ON_H

#include <stdbool.h>

#include "harness/base/status.h"

typedef enum fail_on {
  FAIL_ON_ANY,      /* All that are open, waived ones too. */
  FAIL_ON_UNWAIVED, /* Those without a waiver that holds. */
  FAIL_ON_NEW,      /* News: new ones, regressed ones, and those whose waiver has expired. */
  FAIL_ON_NEVER,    /* None. */
  FAIL_ON_COUNT
} fail_on_t;

const char *fail_on_spelling(fail_on_t fail_on);

/* STATUS_INVALID for a word that is none. */
status_t fail_on_parse(const char *text, fail_on_t *out_fail_on, failure_t *error);

/* Whether somebody has to know what was known before. */
bool fail_on_needs_states(fail_on_t fail_on);

/* Whether a finding in that state counts; `is_news` as in the view finding_state. */
bool fail_on_counts(fail_on_t fail_on, const char *state, bool is_news);

#endif
