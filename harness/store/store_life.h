/* The life of findings in the database: waivers, retests and the ledger of bits; the tables of
 * migrations/0006_lives.sql. */
#ifndef ASSAY_STORE_STORE_LIFE_H
#define ASSAY_STORE_STORE_LIFE_H

#include "harness/store/store.h"

/* Puts up with a finding for a time; an older waiver of it is kept as history. */
typedef struct store_waiver {
  const char *executor; /* Its name: all versions. */
  const char *signature;
  const char *reason;
  const char *owner;
  const char *expires; /* "2027-01-31", the last day on which it holds. */
} store_waiver_t;

/* Written at once.  STATUS_INVALID if something is missing, or the day is none or has passed. */
status_t store_add_waiver(store_t *store, const store_waiver_t *waiver, failure_t *error);

/* Written at once.  STATUS_INVALID if the finding has no waiver. */
status_t store_withdraw_waiver(store_t *store, const char *executor, const char *signature,
                               failure_t *error);

/* What came of a finding when its cases ran again.  Written with the next commit; a later one of
 * the same run replaces it. */
typedef struct store_retest {
  int64_t run_id;
  int64_t executor_id;   /* The version that was asked. */
  const char *signature; /* Of the finding. */
  const char *result;    /* "still", "changed", "gone", "not-run" */
  uint64_t cases;
  uint64_t executions;
  const char *outcome;
  const char *class_;
  const char *seen_signature;
  const char *reason;
} store_retest_t;
status_t store_add_retest(store_t *store, const store_retest_t *retest, failure_t *error);

/* What an executor returned for a case of the ledger of bits.  Written with the next commit. */
typedef struct store_bits {
  int64_t run_id;
  int64_t executor_id;
  const char *op;
  const char *algorithm;
  const char *types;
  const char *case_line;
  const char *bits; /* Hash of the results, 32 hex digits; "" if there are none. */
  const char *outcome;
  const char *class_;
  double ulp_error;
  double slack;
} store_bits_t;
status_t store_add_bits(store_t *store, const store_bits_t *bits, failure_t *error);

#endif
