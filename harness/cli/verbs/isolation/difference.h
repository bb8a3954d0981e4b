/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart the results of two executors are: no verdict on either of them. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_DIFFERENCE_H
#define ASSAY_CLI_VERBS_ISOLATION_DIFFERENCE_H

#include <glib.h>

#include "harness/model/case.h"

typedef struct difference {
  size_t component_count;
  size_t differing_count; /* Components of other bits; all NaNs are one. */
  size_t unlike_count;    /* Of these, NaN in one of the two alone. */
  double distance_max;    /* Of the others: how many numbers of the type one is from the other; of
                           * integers their difference. */
  bool is_of_integers;    /* The farthest ones are. */
} difference_t;

/* Of all results of a program; both have its types. */
difference_t difference_find(const program_t *program, const tensor_t *results,
                             const tensor_t *others);

/* "3 of 12 elements, by at most 2 ulp", "1 of 4 elements, NaN in one alone"; "equal to the bit". */
void difference_print(const difference_t *difference, GString *out_text);

#endif
