/* SPDX-License-Identifier: Apache-2.0 */
/* What all subcommands share: exit codes, complaints and the table of commands. */
#ifndef ASSAY_CLI_CLI_H
#define ASSAY_CLI_CLI_H

#include <stddef.h>

#include "harness/base/exit_code.h"
#include "harness/base/status.h"

/* One verb: `assay NAME ...`. */
typedef struct command {
  const char *name;
  const char *usage;   /* "LINE|FILE --executor NAME": what follows the name. */
  const char *summary; /* One line. */
  int (*run)(const struct command *command, int argc, char **argv); /* Returns an exit code. */
} command_t;

/* The table in main.c, ended by a row whose name is NULL. */
extern const command_t command_table[];

#define COMMAND(name) int command_##name(const command_t *command, int argc, char **argv)
COMMAND(run);
COMMAND(fuzz);
COMMAND(campaign);
COMMAND(vet);
COMMAND(invariance);
COMMAND(contract);
COMMAND(replay);
COMMAND(retest);
COMMAND(waive);
COMMAND(ledger);
COMMAND(compare);
COMMAND(quant);
COMMAND(shrink);
COMMAND(prove);
COMMAND(issue);
COMMAND(bisect);
COMMAND(recall);
COMMAND(show);
COMMAND(module);
COMMAND(gen);
COMMAND(power);
COMMAND(subject);
COMMAND(judge);
COMMAND(merge);
COMMAND(query);
COMMAND(corpus);
COMMAND(report);
COMMAND(ops);
COMMAND(executors);
COMMAND(identify);
COMMAND(thresholds);
COMMAND(doctor);
COMMAND(completion);

/* For help: how executors are named, and what exit codes mean. */
extern const char cli_executors_text[];
extern const char cli_environment_text[];
extern const char cli_exit_codes_text[];

/* Prints "assay: ...", made plain text (but for newlines), and a newline to stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes out what standard output still holds.  Returns `exit_code`, made EXIT_CODE_FAILED after a
 * complaint if it is clean and some of it could not be written: a disk is full. */
int settle_output(int exit_code);

/* Prints the error and returns the exit code that fits the status. */
int complain_status(status_t status, const failure_t *error);

#endif
