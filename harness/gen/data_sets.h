/* SPDX-License-Identifier: Apache-2.0 */
/* How many data sets a program gets: few, since most faults show in the first data of some program
 * or in none of it; more where compiling is dear. */
#ifndef ASSAY_GEN_DATA_SETS_H
#define ASSAY_GEN_DATA_SETS_H

#include <glib.h>
#include <stdbool.h>

#include "harness/base/rng.h"
#include "harness/base/status.h"
#include "harness/base/text.h"
#include "harness/model/case.h"

/* From `least` to `most`, each as likely; both 0 stand for the default. */
typedef struct data_sets {
  uint32_t least, most;
} data_sets_t;

/* 2 to 4; 32 to 64 where compiling is dear. */
data_sets_t data_sets_default(bool compiling_is_dear);

/* Reads "3" or "2-4", each from 1 to 1,000,000.  "default" and "" give {0, 0}.  Errors: anything
 * else. */
status_t data_sets_parse(str_t text, data_sets_t *out_sets, failure_t *error);

/* Appends what data_sets_parse() reads. */
void data_sets_print(data_sets_t sets, GString *out_text);

/* Not of {0, 0}. */
uint32_t data_sets_draw(data_sets_t sets, rng_t *rng);

/* How many small cases one of the program costs, by its elements: large programs get less data, and
 * their op the next turn later. */
uint64_t data_sets_weight(const program_t *program);

#endif
