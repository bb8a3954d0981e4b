/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of cases and verdicts in decimal, for readers. */
#ifndef ASSAY_REPORTS_VERDICT_DECIMAL_H
#define ASSAY_REPORTS_VERDICT_DECIMAL_H

#include <glib.h>
#include <stdbool.h>

#include "harness/model/case.h"

/* The text with its hex floats in decimal, behind "0x1.8p+0 = " if `keeps`.  g_free() frees it. */
char *decimal_words(const char *text, bool keeps);

/* The same in decimal alone: without the bits that stand behind a number, "-128 (80)". */
char *decimal_plain(const char *text);

/* The operands, "[1, 2, 3] [0.5]", at most `elements_max` elements of each; appended. */
void decimal_operands(const case_t *instance, size_t elements_max, GString *out_text);

/* How far an integer result is from what is permitted ("7", "3 .. 5"): "4294967294"; NULL if one of
 * the two is no integer, or nothing is wrong.  g_free() frees it. */
char *decimal_distance(const char *got, const char *permitted);

#endif
