/* SPDX-License-Identifier: Apache-2.0 */
/* Small changes of a text of attributes, one by one: each of its numbers, words and lists. */
#ifndef ASSAY_DIAGNOSE_CHANGE_EDITS_H
#define ASSAY_DIAGNOSE_CHANGE_EDITS_H

#include "harness/model/op.h"

/* Another text of attributes than the program's, " key=value key=value", that need not be valid,
 * and what was changed, in words that hold of other programs too. */
typedef struct edit {
  char *text;
  const char *kind;
  const char *other_kind; /* Another way to it: a number that becomes 0 in f16.  NULL: none. */
} edit_t;

/* Each text once.  The caller frees the array, which frees them. */
GPtrArray *edits_of_attributes(const program_t *program);

#endif
