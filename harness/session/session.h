/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign: draws cases, walks each over one or several executors, counts verdicts, gathers
 * findings and keeps them in the store.  The core of `assay run`, `vet` and `fuzz`; prints nothing.
 *
 * The same seed, options and executors give the same cases and the same findings: what is drawn
 * follows what the executors accept (stream.h), and nothing else. */
#ifndef ASSAY_SESSION_SESSION_H
#define ASSAY_SESSION_SESSION_H

#include <signal.h>

#include "harness/power/table.h"
#include "harness/record/observation_tally.h"
#include "harness/record/pair_tally.h"
#include "harness/record/tally.h"
#include "harness/run/case_runner.h"
#include "harness/run/stream.h"
#include "harness/session/finding_shrink.h"
#include "harness/store/store.h"

typedef struct session session_t;

/* What came of a case on one executor; borrowed for the call. */
typedef struct session_answer {
  size_t executor; /* Index among the session's executors. */
  const case_t *instance;
  const tally_label_t *label;
  const verdict_t *verdict;
  const hash_text_t *signature; /* Of the finding, NULL if it is none. */
  const result_digest_t *response;
} session_answer_t;

typedef struct session_options {
  stream_options_t stream;
  executor_t *const *executors; /* Borrowed, open. */
  size_t executor_count;
  /* By executor, which other one is its twin (harness/invariance/twins.h), or itself; NULL: none
   * has one.  One that runs modules step by step comes behind what it is the twin of, and is asked
   * about modules alone: with all else it is the same.  Borrowed. */
  const size_t *twins;
  contract_t contract;
  case_runner_predictor_t predictor; /* For contracts with bits=identified, see prediction.h. */
  bool is_thorough;                  /* Looks for the cause of every divergence, not of some. */
  /* Limits of session_run(); 0: none.  An executor that has had its cases judged
   * (outcome_is_judged()) gets no more. */
  uint64_t cases_max; /* Judged cases of each executor. */
  uint64_t draws_max; /* Cases drawn, whatever comes of them. */
  double seconds_max;
  uint64_t cases_min; /* With seconds_max: so many drawn all the same, ... */
  double seconds_end; /* ... but until then at most. */
  bool asks_invalid; /* Programs that break a constraint go to all executors, not only to those that
                      * declare that they validate. */
  bool leaves_out_accuracy; /* Table `accuracy` gets nothing: bench_figures tells what it costs. */
  bool measures_power; /* Measures how wrong some results could have been, see session_power(). */
  store_t *store;      /* Borrowed, or NULL. */
  const char *command; /* For the store; borrowed. */
  const char *assay_version;         /* Likewise. */
  const char *campaign;              /* What the run belongs to, or NULL; likewise. */
  const char *part_of;               /* The uuid of the run that started it, or NULL. */
  finding_shrinker_t shrinker;       /* Off unless filled in. */
  const volatile sig_atomic_t *stop; /* If not NULL: ends session_run() once nonzero. */
  /* Called, if not NULL, for every new finding (soon, see session_tell()) and about twice a second.
   */
  void (*on_finding)(void *context, const session_t *session, const finding_t *finding);
  void (*on_tick)(void *context, const session_t *session);
  /* Called, if not NULL, for every case on every executor. */
  status_t (*on_answer)(void *context, const session_t *session, const session_answer_t *answer,
                        failure_t *error);
  void *hook_context;
} session_options_t;

/* Copies the options.  What they borrow must outlive the session. */
status_t session_open(const session_options_t *options, session_t **out_session, failure_t *error);

/* Why session_run() ended. */
typedef enum session_end {
  SESSION_END_NONE,     /* It did not. */
  SESSION_END_JUDGED,   /* Every executor has had its cases. */
  SESSION_END_DRAWS,    /* As many cases were drawn as may be ... */
  SESSION_END_TIME,     /* ... or time is up ... */
  SESSION_END_STOPPED,  /* ... or somebody wanted it to stop ... */
  SESSION_END_PROGRAMS, /* ... or nobody takes any of the given programs any more. */
} session_end_t;

/* An executor that fails so many cases of one program gets no more of it: one that hangs costs its
 * time limit each time. */
enum { SESSION_FAILURES_PER_PROGRAM_MAX = 3 };

/* Draws and walks cases until a limit is met or nobody takes the given programs any more.
 * STATUS_INVALID means that Assay found itself wrong: see session_bug_case(). */
status_t session_run(session_t *session, failure_t *error);

/* Walks one case that the caller made; `broken` is the constraint that its program breaks, or NULL.
 * `out_verdicts`, if not NULL, has room for one verdict per executor; one that is not asked, since
 * it does not validate, has refused. */
status_t session_walk(session_t *session, const case_t *instance, const op_constraint_t *broken,
                      verdict_t *out_verdicts, failure_t *error);

/* A case that is a part of something larger: a step of a quantized kernel. */
typedef struct session_part {
  size_t executor; /* The only one that it is walked on. */
  const char *op;  /* What it is counted and stored as: "quant.conv_2d", ... */
  const char
      *algorithm;    /* ... "onednn/fixed"; its findings are others than those of its program. */
  arena_t *arena;    /* Where the results are copied to. */
  tensor_t *results; /* Room for one for each of the program, or NULL: what the executor
                      * returned; data is NULL where it returned nothing that was judged. */
} session_part_t;

/* Walks one valid case as a part of something larger. */
status_t session_walk_part(session_t *session, const case_t *instance, const session_part_t *part,
                           verdict_t *out_verdict, failure_t *error);

/* A failure of an executor that no walk of a case shows: it happened in another process, or when
 * the case was over. */
typedef struct session_failure {
  size_t executor;
  executor_outcome_t outcome;
  const char *reason; /* Borrowed. */
  const char *when; /* What it is known by, whatever the program; NULL: by that, like any other. */
} session_failure_t;

/* Those of `when`; they are parts of keys in databases: never change them. */
#define SESSION_WHEN_RELEASED "when a program is released"
#define SESSION_WHEN_CLOSED "when the executor is closed"

/* Counts a pair of an op and types that an executor was found to refuse before anything was drawn,
 * as one refused case; not among session_cases(). */
void session_add_refused(session_t *session, size_t executor, const char *op, const char *types,
                         const char *reason);

/* Records it with a case that shows it, or the one that was in hand. */
void session_note_failure(session_t *session, const session_failure_t *failure,
                          const case_t *instance);

/* Shuts the executors, of which only the names are needed from here on, and records what goes wrong
 * then. */
status_t session_shut_executors(session_t *session, failure_t *error);

/* Calls on_finding for the findings that it has not been called for.  They are stored before, on
 * the disk: a finding that somebody has read of survives whatever comes next.  The session does so
 * by itself several times a second and at the end of session_run(), not at the end of
 * session_walk(). */
status_t session_tell(session_t *session, failure_t *error);

/* Ends the run in the store and frees the session; NULL is ignored. */
status_t session_close(session_t *session, int exit_code, failure_t *error);

/* The case line on which Assay found itself wrong, or "". */
const char *session_bug_case(const session_t *session);

/* The run and an executor in the store; 0 without a store. */
int64_t session_run_id(const session_t *session);
int64_t session_executor_id(const session_t *session, size_t executor);

const session_options_t *session_options(const session_t *session);
tally_t *session_tally(const session_t *session);
pair_tally_t *session_pairs(const session_t *session); /* Empty with a single executor. */
observation_tally_t *session_observations(const session_t *session);
/* Tolerances of some elements of the cases that conformed.  Of what is dear in a short session
 * there may be none; measuring takes 3 % of its time, or 60 ms if that is more. */
const power_table_t *session_power(const session_t *session);
double session_power_seconds(const session_t *session); /* That it took. */
size_t session_finding_count(const session_t *session);
const finding_t *session_finding(const session_t *session, size_t index);
uint64_t session_cases(const session_t *session); /* Drawn or walked so far. */
/* Of these, those on which an executor was judged; and the programs that it was given no more cases
 * of after SESSION_FAILURES_PER_PROGRAM_MAX failures. */
uint64_t session_judged(const session_t *session, size_t executor);
uint64_t session_given_up(const session_t *session, size_t executor);
/* Whether the executor is the twin of another one that is asked about modules alone, so that no
 * limit of cases holds for it. */
bool session_follows(const session_t *session, size_t executor);

session_end_t session_end(const session_t *session);
double session_seconds(const session_t *session);   /* Since session_open(). */
uint64_t session_audited(const session_t *session); /* Components recomputed with MPFR. */
/* Sums of few terms that were judged by their bounds: their trees would have taken too long. */
uint64_t session_treeless(const session_t *session);
/* Rows whose elements were judged one by one alone, under `shared=once`, for what more would take.
 */
uint64_t session_rows_left(const session_t *session);
case_runner_times_t session_times(const session_t *session);

/* 1 if an executor diverged, else 3 if one failed, else 0. */
int session_exit_code(const session_t *session);

#endif
