/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation with tests/exec/workers/verifier.py: what jaxlib's MLIR says of StableHLO modules.
 */
#ifndef ASSAY_TESTS_EXEC_VERIFIER_H
#define ASSAY_TESTS_EXEC_VERIFIER_H

#include <glib.h>

#include "harness/base/status.h"

typedef enum verifier_word {
  VERIFIER_ACCEPTED,
  VERIFIER_REJECTED, /* An op is not as its dialect wants it. */
  VERIFIER_UNREAD,   /* The text, or a type or an attribute in it, cannot be read. */
  VERIFIER_DIED,     /* The module ended the process. */
} verifier_word_t;

typedef struct verifier_opinion {
  verifier_word_t word;
  char *message; /* Owned by the caller, one line; "" if accepted; the last words if it died. */
} verifier_opinion_t;

typedef struct verifier verifier_t;

/* Starts the process, in the environment of executor xla; `source` is the folder of our sources.
 * STATUS_IO, with what to do, if that is not installed or does not start. */
status_t verifier_open(const char *source, verifier_t **out_verifier, failure_t *error);
void verifier_close(verifier_t *verifier);

/* "jaxlib 0.10.2, StableHLO 1.17.0". */
const char *verifier_version(const verifier_t *verifier);

/* Asks about `count` modules in one round trip, and after a death one by one.  A process that
 * cannot be started again ends the test program. */
void verifier_ask(verifier_t *verifier, const char *const *modules, size_t count,
                  verifier_opinion_t *out_opinions);

#endif
