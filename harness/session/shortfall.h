/* SPDX-License-Identifier: Apache-2.0 */
/* What a session judged too little of to be evidence: fewer cases than were asked for, or an op of
 * which most cases were refused, weak or without an oracle. */
#ifndef ASSAY_SESSION_SHORTFALL_H
#define ASSAY_SESSION_SHORTFALL_H

#include "harness/session/session.h"

/* Cases of an executor by outcome, of one op or of all. */
typedef struct shortfall {
  size_t executor;
  const char *op; /* NULL: of all ops, where fewer were judged than asked for. */
  uint64_t judged;
  uint64_t of; /* So many were asked for, or are there of the op. */
  uint64_t outcomes[OUTCOME_COUNT];
  uint64_t given_up;  /* Programs, after too many failures; of all ops. */
  session_end_t end;  /* Of the session; likewise. */
  const char *reason; /* Why most of the refused ones were; borrowed, "" if none was. */
  const char *hint;   /* An op of which more may be judged if it is asked for alone, or NULL. */
} shortfall_t;

/* An array of shortfall_t, by executor, all ops first; freed with g_array_unref().  It borrows from
 * the session.  An op that an executor refuses altogether counts if `ops_are_named`: somebody asked
 * for it; so does one of which there are few cases.  An op that is run alone does not, once as many
 * of its cases were judged as were asked for. */
GArray *shortfall_find(const session_t *session, bool ops_are_named);

/* "judged 160 of 20000: EXECUTOR refused 19840 (only f32), try --op stablehlo.reduce". */
void shortfall_print(const session_t *session, const shortfall_t *shortfall, GString *out_text);

#endif
