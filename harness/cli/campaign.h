/* From options to a session and back to an exit code: what `run`, `vet` and `fuzz` share. */
#ifndef ASSAY_CLI_CAMPAIGN_H
#define ASSAY_CLI_CAMPAIGN_H

#include "harness/cli/flags.h"
#include "harness/run/prediction.h"
#include "harness/run/session.h"

typedef struct campaign_flags {
  executor_flags_t executor;
  char **ops;
  gint64 cases;
  char *time;
  char *seed;
  char *contract;
  char *database;
  char *reference; /* The version that contract `identified` predicts with. */
  char *program;   /* Set by the verb that has such an option. */
  gboolean json;
} campaign_flags_t;

/* --time, --seed, --contract, --db, --reference and the executor options. */
void campaign_flags_add(campaign_flags_t *flags, arguments_t *arguments);

/* --op and --cases. */
void campaign_flags_add_drawing(campaign_flags_t *flags, arguments_t *arguments);

/* --json. */
void campaign_flags_add_json(campaign_flags_t *flags, arguments_t *arguments);
void campaign_flags_free(campaign_flags_t *flags);

typedef struct campaign {
  const campaign_flags_t *flags; /* Borrowed. */
  executor_list_t executors;
  const op_t *const *ops;
  store_t *store;
  prediction_t *prediction; /* NULL unless the contract is `identified`. */
  arena_t arena;            /* Of `program`. */
  program_t program;
  char *command_line;
  char *contract_text; /* As contract_print() gives it. */
  session_options_t options;
  session_t *session;
} campaign_t;

/* Opens everything and prepares campaign->options, which the caller may still change (limits,
 * hooks) before campaign_start().  Returns an exit code, after a complaint unless it is
 * EXIT_CODE_CLEAN. */
int campaign_open(const campaign_flags_t *flags, int argc, char *const *argv,
                  campaign_t *out_campaign);
int campaign_start(campaign_t *campaign);

/* Tells about a session that stopped with `status`; a bug in Assay gets its report. */
int campaign_complain(const campaign_t *campaign, status_t status, const failure_t *error);

/* Ends the session with `exit_code` and closes everything; returns the exit code, raised if closing
 * failed. */
int campaign_close(campaign_t *campaign, int exit_code);

#endif
