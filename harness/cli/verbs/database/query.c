/* SPDX-License-Identifier: Apache-2.0 */
/* assay query: answers from a database alone. */
#include <string.h>

#include "harness/cli/options/arguments.h"
#include "harness/cli/options/suggest.h"
#include "harness/cli/task/interrupt.h"
#include "reports/datasette.h"
#include "reports/query_table.h"
#include "reports/report.h"

typedef struct query_flags {
  char *sql;
  char *database;
  char *task;
  char *format;
  char *timeout;
  char *severity;
  char **known;
  gboolean json;
  gboolean list;
  gboolean datasette;
} query_flags_t;

/* `--sql -`: all of standard input. */
static status_t read_sql(char **inout_sql, failure_t *error) {
  if (*inout_sql == NULL || strcmp(*inout_sql, "-") != 0) return STATUS_OK;
  GString *text = g_string_new(NULL);
  char block[4096];
  size_t size;
  while ((size = fread(block, 1, sizeof block, stdin)) > 0) {
    g_string_append_len(text, block, (gssize)size);
  }
  g_free(*inout_sql);
  *inout_sql = g_string_free(text, FALSE);
  if (ferror(stdin)) return status_fail(error, STATUS_IO, "cannot read standard input");
  return STATUS_OK;
}

static status_t find_sql(query_flags_t *flags, const char *name, const char **out_sql,
                         failure_t *error) {
  if ((name == NULL) == (flags->sql == NULL)) {
    return status_fail(error, STATUS_INVALID,
                       "give one question: a NAME (`assay query --list` lists them) or --sql TEXT");
  }
  STATUS_TRY(read_sql(&flags->sql, error));
  *out_sql = name == NULL ? flags->sql : report_find_query(name);
  if (*out_sql != NULL) return STATUS_OK;
  suggestion_t suggestion = suggestion_make(name);
  for (const named_query_t *named = query_table(); named->name != NULL; named++) {
    suggestion_offer(&suggestion, named->name);
  }
  char advice[SUGGESTION_BYTES];
  return status_fail(error, STATUS_INVALID, "unknown query '%s'; %s", name,
                     suggestion_print(&suggestion, "`assay query --list` lists them", advice));
}

static status_t query(query_flags_t *flags, const char *name, failure_t *error) {
  const char *sql;
  STATUS_TRY(find_sql(flags, name, &sql, error));
  report_format_t format = REPORT_TABLE;
  STATUS_TRY(arguments_settle_json(flags->json, &flags->format, error));
  if (flags->format != NULL) STATUS_TRY(report_format_parse(flags->format, &format, error));
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  store_limit_t limit = {.stop = interrupt_catch()};
  STATUS_TRY(arguments_parse_seconds("--timeout", flags->timeout == NULL ? "1m" : flags->timeout,
                                     &limit.seconds, error));
  const report_source_t source = {.path = flags->database,
                                  .campaign = flags->task,
                                  .known = (const char *const *)flags->known,
                                  .severity = flags->severity};
  return report_query(&source, sql, format, &limit, stdout, error);
}

static status_t list(void) {
  GString *text = g_string_new(NULL);
  report_list_queries(text);
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
  return STATUS_OK;
}

static status_t answer(query_flags_t *flags, const char *name, failure_t *error) {
  if (flags->list) return list();
  if (flags->datasette) {
    datasette_write(flags->database, stdout);
    return STATUS_OK;
  }
  return query(flags, name, error);
}

int command_query(const command_t *command, int argc, char **argv) {
  query_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"sql", 0, 0, G_OPTION_ARG_STRING, &flags.sql,
       "Run this SQL, - reads it from standard input; nothing can be changed", "TEXT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "The database to ask, or the folder of a campaign", "FILE"},
      {"campaign", 'c', 0, G_OPTION_ARG_STRING, &flags.task,
       "Ask of one campaign alone, as query campaigns names it", "NAME"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &flags.format,
       "table (default), json, csv or markdown", "FORMAT"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "The same as --format json", NULL},
      {"timeout", 0, 0, G_OPTION_ARG_STRING, &flags.timeout,
       "Give up after this time (default 1m; 0 never does)", "TIME"},
      {"known", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.known,
       "Known causes beside those that come with Assay, see harness/docs/known-causes.md", "FILE"},
      {"severity", 0, 0, G_OPTION_ARG_FILENAME, &flags.severity,
       "Rank findings in the order of severities that this file has, one on a line", "FILE"},
      {"list", 'l', 0, G_OPTION_ARG_NONE, &flags.list, "List the named queries", NULL},
      {"datasette", 0, 0, G_OPTION_ARG_NONE, &flags.datasette,
       "Print metadata.json for Datasette: what tables and columns mean, and the named queries",
       NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 1)) {
    failure_t error = {0};
    status_t status = answer(&flags, argc > 1 ? argv[1] : NULL, &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  }
  g_free(flags.sql);
  g_free(flags.database);
  g_free(flags.task);
  g_free(flags.format);
  g_free(flags.timeout);
  g_free(flags.severity);
  g_strfreev(flags.known);
  return exit_code;
}
