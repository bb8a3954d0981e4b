/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a self-contained piece of C: the bits of operands and results as arrays, to paste into
 * a test of the implementation.  Any C99 compiler takes it. */
#ifndef ASSAY_REPORTS_VERDICT_C_ARRAY_H
#define ASSAY_REPORTS_VERDICT_C_ARRAY_H

#include <glib.h>

#include "harness/model/case.h"

/* What is known of a result besides the program's own type of it. */
typedef struct c_result {
  const tensor_t *got;
  char **expected; /* By component, in words; NULL where the one that was got conforms. */
} c_result_t;

/* `notes` are lines for the comment at the top; `results` has one entry per result, or is NULL. */
void c_array_print(const case_t *instance, const char *notes, const c_result_t *results,
                   GString *out_text);

#endif
