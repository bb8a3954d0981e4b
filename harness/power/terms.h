/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes by which power is told: how many terms go into one result element, in eight buckets that
 * are an octave of octaves each: 1, 2 to 8, 9 to 64, ..., more than 262144. */
#ifndef ASSAY_POWER_TERMS_H
#define ASSAY_POWER_TERMS_H

#include "harness/model/op.h"

enum { TERM_BUCKETS = 8 };

/* Terms of each result element of a valid program; 1 where nothing is combined, 0 if the terms are
 * none. */
size_t program_terms(const program_t *program);

/* The bucket that holds such a number of terms (0 is in the first), and its ends. */
size_t term_bucket(size_t terms);
size_t term_bucket_low(size_t bucket);
size_t term_bucket_high(size_t bucket); /* SIZE_MAX of the last. */

#endif
