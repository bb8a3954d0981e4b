/* assay report: what a database holds, for reading in the morning and for other programs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/arguments.h"
#include "harness/store/store.h"
#include "reports/report_overview.h"

typedef struct report_flags {
  char *database;
  char *task;
  char *format;
  char *html; /* Where the page goes; "-" is standard output. */
} report_flags_t;

static status_t fail_to_write(const char *path, failure_t *error) {
  return status_fail(error, STATUS_IO, "cannot write \"%s\": %s", path, strerror(errno));
}

static status_t write_file(const report_flags_t *flags, const char *path, failure_t *error) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return fail_to_write(flags->html, error);
  status_t status = report_write_overview(flags->database, flags->task, OVERVIEW_HTML, out, error);
  if (fclose(out) != 0 && status == STATUS_OK) status = fail_to_write(flags->html, error);
  return status;
}

/* The page appears whole or not at all: a reader may have the old one open.  What is there and is
 * no plain file (a pipe, a device) is written into. */
static status_t write_page(const report_flags_t *flags, failure_t *error) {
  const char *path = flags->html;
  if (strcmp(path, "-") == 0) {
    return report_write_overview(flags->database, flags->task, OVERVIEW_HTML, stdout, error);
  }
  bool is_special =
      g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR);
  if (is_special || g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    return write_file(flags, path, error);
  }
  g_autofree char *unfinished = g_strconcat(path, ".unfinished", NULL);
  status_t status = write_file(flags, unfinished, error);
  if (status == STATUS_OK && rename(unfinished, path) != 0) status = fail_to_write(path, error);
  if (status != STATUS_OK) remove(unfinished);
  return status;
}

static status_t report(const report_flags_t *flags, failure_t *error) {
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  overview_format_t format = OVERVIEW_TEXT;
  if (flags->format != NULL) STATUS_TRY(overview_format_parse(flags->format, &format, error));
  if (flags->html == NULL) {
    return report_write_overview(flags->database, flags->task, format, stdout, error);
  }
  if (flags->format != NULL && format != OVERVIEW_HTML) {
    return status_fail(error, STATUS_INVALID,
                       "--html writes a page; leave out --format %s, or --html", flags->format);
  }
  if (store_is_same_file(flags->html, flags->database)) {
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" is the database itself; name another file for the page",
                       flags->html);
  }
  return write_page(flags, error);
}

int command_report(const command_t *command, int argc, char **argv) {
  report_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "The database to report on, or the folder of a campaign", "FILE"},
      {"campaign", 'c', 0, G_OPTION_ARG_STRING, &flags.task,
       "Report on one campaign alone, as `assay query campaigns` names it", "NAME"},
      {"html", 0, 0, G_OPTION_ARG_FILENAME, &flags.html,
       "Write a page that needs no network to this file; - is standard output", "FILE"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &flags.format,
       "Print text (default), json, tap, junit or html", "FORMAT"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    failure_t error = {0};
    status_t status = report(&flags, &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  }
  g_free(flags.database);
  g_free(flags.task);
  g_free(flags.format);
  g_free(flags.html);
  return exit_code;
}
