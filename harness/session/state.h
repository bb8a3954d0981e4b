/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a session know of one another: session/run.c draws cases, session.c walks them,
 * session/findings.c keeps what they find. */
#ifndef ASSAY_SESSION_STATE_H
#define ASSAY_SESSION_STATE_H

#include "harness/diagnose/diagnosis_budget.h"
#include "harness/power/measure.h"
#include "harness/record/accuracy_log.h"
#include "harness/record/power_log.h"
#include "harness/record/run_log.h"
#include "harness/session/session.h"

/* An executor and the present program. */
typedef struct contender {
  executor_t *executor;
  bool is_prepared;
  bool is_done;      /* Nothing more is to be learnt from it with the present program. */
  unsigned failures; /* With the present program. */
  unsigned observed; /* Cases that told algorithms apart, of a program outside the target. */
  preparation_t preparation;
  uint64_t compiling; /* Nanoseconds, not counted with a case yet. */
} contender_t;

/* How an executor stands over all programs. */
typedef struct standing {
  bool load_checked;
  bool has_enough; /* Judged cases: it gets no more. */
  uint64_t judged;
  uint64_t given_up; /* Programs. */
} standing_t;

/* How wrong judged results could have been, and what knowing that has cost. */
typedef struct session_power {
  power_table_t table;
  uint64_t conforming; /* Results that conformed, of some of which it was measured. */
  uint64_t nanoseconds;
  uint64_t cpu_nanoseconds; /* Of a processor. */
} session_power_t;

struct session {
  session_options_t options;
  double shrink_seconds; /* That findings were made small in. */
  stream_t stream;
  case_runner_t walk;
  arena_t arena; /* Of the present case. */
  contender_t
      *contenders; /* Of the present program, options.executor_count of them: a part of ... */
  contender_t *all_contenders; /* ... these, owned: as many for each given program. */
  standing_t *standings;       /* Owned; by executor. */
  result_digest_t *responses;  /* Likewise, to the present case; NULL if nobody asks. */
  verdict_t *latest;           /* Likewise, on the present case; NULL unless there are twins. */
  bool *follows;               /* Likewise, see session_follows(). */
  bool is_module;              /* The present program. */
  bool is_drawing;             /* In session_run(). */
  session_end_t end;
  tally_t *tally;
  pair_tally_t *pairs;
  observation_tally_t *observations;
  session_power_t power;
  accuracy_tally_t *accuracy;
  case_figures_t figures; /* Of the present case, ... */
  bool has_figures;       /* ... if they have been looked for. */
  uint64_t oracle_share;  /* Of the nanoseconds that its accept sets took, that of each executor. */
  tally_label_t label;    /* Of the present program. */
  const session_part_t *part; /* Of session_walk_part(), else NULL. */
  finding_set_t *findings;
  diagnosis_budget_t *causes;
  ledger_t ledger;
  GString *program_line; /* Scratch. */
  GString *case_line;    /* Scratch; the culprit after a bug in Assay. */
  bool found_itself_wrong;
  uint64_t cases;
  uint64_t begin; /* Nanoseconds on the monotonic clock. */
  uint64_t next_tick;
  uint64_t next_telling;
  size_t reported; /* Findings that have been. */
};

/* Assay was found wrong on this case: session_bug_case() names it. */
void session_note_bug(session_t *session, const case_t *instance);

/* Whether an executor is asked about a program that breaks `broken`, or NULL; and whether it gets
 * the present case, which it does not once it is done with the program or has had its cases. */
bool session_asks(const session_t *session, size_t executor, const op_constraint_t *broken);
bool session_takes_part(const session_t *session, size_t executor, const op_constraint_t *broken);

/* Forgets what executors said to the program before. */
void session_begin_program(session_t *session, const program_t *program);

/* Walks the case over whoever takes part. */
status_t session_walk_case(session_t *session, const case_t *instance,
                           const op_constraint_t *broken, const case_origin_t *origin,
                           verdict_t *out_verdicts, failure_t *error);

void session_power_init(session_power_t *power);
void session_power_deinit(session_power_t *power);

/* Measures the tolerance of some elements of some cases that conform, whose results are those of
 * the walk's evidence. */
status_t session_measure_power(session_t *session, const expectation_t *expectation,
                               const verdict_t *verdict, failure_t *error);

/* Counts a case on an executor: its verdict, the time that it took, and, if it is in the sample,
 * its figures. */
void session_count_case(session_t *session, size_t index, const expectation_t *expectation,
                        const case_origin_t *origin, const verdict_t *verdict,
                        const case_runner_times_t *times);

/* What the walk took since its times were `before`, with what is to be counted with the case: the
 * share of the accept sets, and what compiling took. */
case_runner_times_t session_take_times(session_t *session, size_t index,
                                       const case_runner_times_t *before);

/* The accept sets of a case that no walk has asked for, in the session's arena. */
expectation_t session_expect(session_t *session, const case_t *instance);

/* Finds out who follows. */
void session_find_followers(session_t *session);

/* Where the oracle does not tell, what the twin of an executor gives may change its verdict. */
void session_hold_against_twin(session_t *session, size_t index, const case_t *instance,
                               verdict_t *inout_verdict);

/* Keeps the bits of a case that twins gave unlike, where both conform, in the ledger of bits. */
void session_keep_changed_bits(session_t *session, const case_t *instance);

/* Counts an answer towards the limits of session_run(), if that is what runs. */
void session_note_answer(session_t *session, size_t executor, const verdict_t *verdict);

/* One time that an executor gave reason for a finding. */
typedef struct occurrence {
  size_t executor; /* Index among the session's executors. */
  const case_t *instance;
  const case_origin_t *origin;
  const verdict_t *verdict;
  const hash_text_t *signature;
  const expectation_t *expectation; /* NULL: there are no accept sets of it. */
  uint64_t nanoseconds;             /* In the executor. */
} occurrence_t;

/* Counts an occurrence of a finding and stores it; makes the first case of a new one small. */
status_t session_record_finding(session_t *session, const occurrence_t *occurrence,
                                failure_t *error);

/* The same of a failure that no walk shows; its case is not made small. */
void session_record_failure(session_t *session, size_t executor, const case_t *instance,
                            const verdict_t *verdict, const hash_text_t *signature);

/* Explains findings without a cause by the changes of cases that are established by now. */
status_t session_explain_again(session_t *session, failure_t *error);

/* Records what went wrong when executors were done with programs. */
status_t session_take_aftermaths(session_t *session, failure_t *error);

#endif
