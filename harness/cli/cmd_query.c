/* assay query: answers from a database alone. */
#include "harness/cli/arguments.h"
#include "reports/report.h"

typedef struct query_flags {
  char *sql;
  char *database;
  char *format;
  gboolean list;
} query_flags_t;

static status_t find_sql(const query_flags_t *flags, const char *name, const char **out_sql,
                         failure_t *error) {
  if ((name == NULL) == (flags->sql == NULL)) {
    return status_fail(error, STATUS_INVALID,
                       "give one question: a NAME (`assay query --list` lists them) or --sql TEXT");
  }
  *out_sql = name == NULL ? flags->sql : report_find_query(name);
  if (*out_sql != NULL) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "unknown query '%s'; `assay query --list` lists them",
                     name);
}

static status_t query(const query_flags_t *flags, const char *name, failure_t *error) {
  const char *sql;
  STATUS_TRY(find_sql(flags, name, &sql, error));
  report_format_t format = REPORT_TABLE;
  if (flags->format != NULL) STATUS_TRY(report_format_parse(flags->format, &format, error));
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  return report_query(flags->database, sql, format, stdout, error);
}

static int list(void) {
  GString *text = g_string_new(NULL);
  report_list_queries(text);
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
  return EXIT_CODE_CLEAN;
}

int command_query(const command_t *command, int argc, char **argv) {
  query_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"sql", 0, 0, G_OPTION_ARG_STRING, &flags.sql, "Ask in SQL; nothing can be changed", "TEXT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database to ask", "FILE"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &flags.format,
       "table (default), json, csv or markdown", "FORMAT"},
      {"list", 'l', 0, G_OPTION_ARG_NONE, &flags.list, "List the named queries", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 1)) {
    failure_t error = {0};
    status_t status = flags.list ? STATUS_OK : query(&flags, argc > 1 ? argv[1] : NULL, &error);
    if (flags.list) {
      exit_code = list();
    } else {
      exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
    }
  }
  g_free(flags.sql);
  g_free(flags.database);
  g_free(flags.format);
  return exit_code;
}
