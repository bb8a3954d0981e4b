/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor takes, of pairs of an op and element types: found out once for each of its
 * versions, before anything is drawn, by asking it to compile tiny programs of the pair.
 *
 * Answers are kept in a file for each executor, version and hardware, below
 * ${XDG_CACHE_HOME:-~/.cache}/assay/capabilities; of a shared object by its size and its time as
 * well, and of proc:COMMAND not at all: nobody knows what is behind a command.  The file is a
 * cache: the answers are the same with and without it, if the executor's are.  Processes that want
 * the same one wait for one another. */
#ifndef ASSAY_RUN_CAPABILITY_CAPABILITY_H
#define ASSAY_RUN_CAPABILITY_CAPABILITY_H

#include <signal.h>
#include "harness/exec/executor.h"
#include "harness/run/capability/capability_row.h"
#include "harness/run/capability/pairs.h"
#include "harness/run/stream.h"

typedef struct capability capability_t;

/* What answers are asked for with. */
typedef struct capability_request {
  const char *executor; /* As for executor_open(). */
  const executor_options_t *options;
  const pairs_t *pairs;
  bool only_known;                   /* Nothing is asked: what the file has not stays unknown. */
  const volatile sig_atomic_t *stop; /* If not NULL: nothing more is asked once nonzero. */
  /* Called, if not NULL, before each pair that is asked about. */
  void (*on_ask)(void *context, const char *executor, size_t index, size_t count);
  void *context;
} capability_request_t;

/* Finds the answers for all pairs, in the file or by asking the executor, which is opened for it in
 * a process of its own, and only if something is to be asked.  `present` is the same one, open: its
 * version is the key.  Builtin executors, which take everything, are not asked.  Errors are those
 * of executor_open(), and STATUS_IO if it was stopped; answers that were given are kept, so that
 * the next one goes on from there, also after a kill.  Without a file to write the answers are
 * found all the same. */
status_t capability_find(const capability_request_t *request, const executor_t *present,
                         capability_t **out_capability, failure_t *error);
void capability_free(capability_t *capability); /* NULL is ignored. */

capability_state_t capability_state(const capability_t *capability, const char *op,
                                    const char *types);

/* The rows of the pairs that were asked for, in their order; and the programs that were compiled
 * this time to find out. */
size_t capability_count(const capability_t *capability);
capability_row_t capability_at(const capability_t *capability, size_t index);
size_t capability_programs(const capability_t *capability);

/* What a stream of cases is drawn by: what the profile has, and the executors do not refuse. */
typedef struct capability_filter {
  const profile_t *profile;          /* Borrowed, or NULL: everything. */
  capability_t *const *capabilities; /* By executor; borrowed, or NULL: none is known. */
  uint32_t passed_over;              /* Refused programs since one was let through. */
} capability_filter_t;

/* Whether an executor is to be asked about a program; `filter` is a capability_filter_t.  Never of
 * what the profile has not; of what it refuses now and then all the same, since a program with
 * other attributes might be taken: then it insists, so that no more than some hundreds are drawn
 * for one. */
stream_admission_t capability_admits(void *filter, size_t executor, const program_t *program);

#endif
