/* The statements behind store_life.h.  Private to harness/store. */
#ifndef ASSAY_STORE_STORE_LIFE_WRITE_H
#define ASSAY_STORE_STORE_LIFE_WRITE_H

#include "harness/store/store_connection.h"
#include "harness/store/store_life.h"

/* Retests and bits that are not written yet, in order. */
typedef struct life_pending {
  GArray *retests;     /* store_retest_t; texts are in `texts`. */
  GArray *bits;        /* store_bits_t; likewise. */
  GStringChunk *texts; /* Owned. */
} life_pending_t;

void life_pending_init(life_pending_t *pending);
void life_pending_deinit(life_pending_t *pending);
void life_pending_add_retest(life_pending_t *pending, const store_retest_t *retest);
void life_pending_add_bits(life_pending_t *pending, const store_bits_t *bits);

/* Writes everything that is pending in one transaction, and forgets it. */
status_t life_pending_write(life_pending_t *pending, const connection_t *connection, int64_t now,
                            failure_t *error);

/* Each in one statement, at once. */
status_t life_add_waiver(const connection_t *connection, const store_waiver_t *waiver, int64_t now,
                         failure_t *error);
status_t life_withdraw_waiver(const connection_t *connection, const char *executor,
                              const char *signature, int64_t now, failure_t *error);

#endif
