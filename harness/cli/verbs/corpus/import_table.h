/* SPDX-License-Identifier: Apache-2.0 */
/* What became of imported tests, counted by op, and printed. */
#ifndef ASSAY_CLI_VERBS_CORPUS_IMPORT_TABLE_H
#define ASSAY_CLI_VERBS_CORPUS_IMPORT_TABLE_H

#include <stdio.h>

#include "harness/judge/verdict.h"
#include "harness/model/case.h"
#include "reports/profile/group.h"

typedef struct import_table {
  group_t ops;     /* By op: see NAMES in import_table.c. */
  group_t reasons; /* Why tests were not taken. */
  GString *wrong;  /* Lines on what diverged or failed. */
  FILE *out;       /* For taken cases; NULL: none. */
  uint64_t taken;
  uint64_t judged;
} import_table_t;

/* `out` is a path or NULL.  STATUS_IO if it cannot be written. */
status_t import_table_open(const char *out, import_table_t *out_table, failure_t *error);

/* A test that is no case, and why; one that is; and what was found of it.  `line` is what the file
 * of cases gets; an op's name is whoever's the test is. */
void import_table_leave(import_table_t *table, const char *op, const char *reason);
void import_table_take(import_table_t *table, const char *op, const char *name, const char *line);
void import_table_judge(import_table_t *table, const char *op, const char *name,
                        const program_t *program, const verdict_t *verdict);

/* Prints the tables, and closes.  Returns an exit code. */
int import_table_close(import_table_t *table);

#endif
