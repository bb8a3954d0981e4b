/* SPDX-License-Identifier: Apache-2.0 */
/* The life of findings in the database: waivers, retests and the ledger of bits; the tables of
 * migrations/0006_lives.sql. */
#ifndef ASSAY_STORE_LIFE_H
#define ASSAY_STORE_LIFE_H

#include "harness/store/store.h"

/* Puts up with a finding for a time; an older waiver of it is kept as history.  Written at once.
 * STATUS_INVALID if something is missing, or the day is none or has passed. */
status_t store_add_waiver(store_t *store, const store_waiver_t *waiver, failure_t *error);

/* Written at once.  STATUS_INVALID if the finding has no waiver. */
status_t store_withdraw_waiver(store_t *store, const char *executor, const char *signature,
                               failure_t *error);

/* What came of a finding when its cases ran again.  Written with the next commit; a later one of
 * the same run replaces it. */
void store_add_retest(store_t *store, const store_retest_t *retest);

/* What an executor returned for a case of the ledger of bits.  Written with the next commit. */
void store_add_bits(store_t *store, const store_bits_t *bits);

#endif
