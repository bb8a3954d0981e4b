/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay identify` prints of one identification, as text and as JSON. */
#ifndef ASSAY_REPORTS_IDENTIFY_IDENTIFY_REPORT_H
#define ASSAY_REPORTS_IDENTIFY_IDENTIFY_REPORT_H

#include <jansson.h>

#include "harness/identify/probe/executor_sum.h"

/* One identification, with the elements' check where it was made. */
typedef struct identified {
  const char *executor;
  const char *version;
  identification_t identification;
  size_t calls; /* Of the executor, all told. */
  bool has_elements;
  elements_check_t elements;
  size_t odd_element;  /* As executor_sum_odd_element(). */
  char *contradiction; /* The case line that is not predicted, owned; NULL if there is none. */
} identified_t;

/* Whether the profile predicts all that was tried. */
bool identified_is_explained(const identified_t *identified);

/* The rule of its tree, and where the initial value enters, to be freed. */
char *identified_rule(const profile_t *profile);

void identified_print(const identified_t *identified, const char *program_line);
json_t *identified_json(const identified_t *identified, const char *program_line);
void identified_free(identified_t *identified);

#endif
