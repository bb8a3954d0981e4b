/* SPDX-License-Identifier: Apache-2.0 */
/* assay report: what a database holds, for reading in the morning and for other programs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/flags.h"
#include "harness/cli/verbs/evidence/standalone.h"
#include "harness/store/store.h"
#include "reports/overview/report_overview.h"

typedef struct report_flags {
  char *database;
  char *task;
  char *format;
  char *html;  /* Where the page goes; "-" is standard output. */
  char *sarif; /* Likewise. */
  char *fail_on;
  char *severity;
  char **known;
  gboolean json;
  int scripts; /* How many root causes get one, the gravest first. */
} report_flags_t;

static status_t fail_to_write(const char *path, failure_t *error) {
  return status_fail(error, STATUS_IO, "cannot write \"%s\": %s", path, strerror(errno));
}

static status_t write_file(const overview_t *overview, overview_format_t format, const char *path,
                           const char *page, failure_t *error) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return fail_to_write(page, error);
  status_t status = report_print_overview(overview, format, out, error);
  if (fclose(out) != 0 && status == STATUS_OK) status = fail_to_write(page, error);
  return status;
}

/* The page appears whole or not at all: a reader may have the old one open.  What is there and is
 * no plain file (a pipe, a device) is written into. */
static status_t write_page(const overview_t *overview, overview_format_t format, const char *path,
                           failure_t *error) {
  if (strcmp(path, "-") == 0) {
    return report_print_overview(overview, format, stdout, error);
  }
  bool is_special =
      g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR);
  if (is_special || g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    return write_file(overview, format, path, path, error);
  }
  g_autofree char *unfinished = g_strconcat(path, ".unfinished", NULL);
  status_t status = write_file(overview, format, unfinished, path, error);
  if (status == STATUS_OK && rename(unfinished, path) != 0) status = fail_to_write(path, error);
  if (status != STATUS_OK) remove(unfinished);
  return status;
}

/* Files that are asked for, or else standard output. */
static status_t write_report(const report_flags_t *flags, overview_format_t format,
                             const overview_t *overview, failure_t *error) {
  if (flags->sarif != NULL) {
    STATUS_TRY(write_page(overview, OVERVIEW_SARIF, flags->sarif, error));
  }
  if (flags->html != NULL) return write_page(overview, OVERVIEW_HTML, flags->html, error);
  if (flags->sarif != NULL && flags->format == NULL) return STATUS_OK;
  return report_print_overview(overview, format, stdout, error);
}

static status_t read_flags(report_flags_t *flags, overview_format_t *format, fail_on_t *fail_on,
                           failure_t *error) {
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  STATUS_TRY(arguments_settle_json(flags->json, &flags->format, error));
  if (flags->format != NULL) STATUS_TRY(overview_format_parse(flags->format, format, error));
  if (flags->html != NULL && flags->format != NULL && *format != OVERVIEW_HTML) {
    return status_fail(error, STATUS_INVALID,
                       "--html writes a page; leave out --format %s, or --html", flags->format);
  }
  const char *const written[] = {flags->html, flags->sarif};
  for (size_t i = 0; i < G_N_ELEMENTS(written); i++) {
    if (!store_is_same_file(written[i], flags->database)) continue;
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" is the database itself; name another file for the page", written[i]);
  }
  if (flags->scripts < 0) {
    return status_fail(error, STATUS_INVALID, "bad value %d (--scripts): write a number from 0 up",
                       flags->scripts);
  }
  return read_fail_on(flags->fail_on, flags->database, fail_on, error);
}

/* Without --fail-on a report is no test: it fails on nothing, and its test points on anything. */
static int exit_code_of(const report_flags_t *flags, const overview_t *overview) {
  if (flags->fail_on == NULL) return EXIT_CODE_CLEAN;
  bool diverged, failed;
  overview_failures(overview, &diverged, &failed);
  return diverged ? EXIT_CODE_DIVERGES : failed ? EXIT_CODE_FAILED : EXIT_CODE_CLEAN;
}

/* Findings that count are told by their states, of all of them. */
static overview_detail_t detail_of(const report_flags_t *flags, overview_format_t format) {
  if (flags->fail_on != NULL) return OVERVIEW_ALL;
  return overview_format_detail(flags->html != NULL ? OVERVIEW_HTML : format);
}

/* The script that shows a case on its executor without Assay, as its worker writes it and it was
 * seen to run; none where there is no worker, or it does not write one. */
static void add_script(overview_t *overview, size_t group) {
  size_t index =
      overview_group_example(overview, &g_array_index(overview->groups, overview_group_t, group));
  const report_grid_t *findings = &overview->sections[OVERVIEW_FINDINGS];
  const char *executor = overview_text(findings, index, "executor_name");
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation;
  failure_t error = {0};
  standalone_t standalone = {0};
  status_t status = case_parse(str_from(overview_finding(overview, index).case_line), &arena,
                               &instance, &violation, &error);
  if (status == STATUS_OK) status = standalone_make(executor, &instance, &standalone, &error);
  if (status != STATUS_OK) {
    complain("no script for finding %s: %s", overview_text(findings, index, "id"), error.text);
  } else if (standalone.results != NULL) {
    overview_set_script(overview, group, standalone.script);
  }
  standalone_free(&standalone);
  arena_deinit(&arena);
}

static int report(report_flags_t *flags) {
  failure_t error = {0};
  overview_format_t format = OVERVIEW_TEXT;
  fail_on_t fail_on = FAIL_ON_ANY;
  overview_t overview;
  status_t status = read_flags(flags, &format, &fail_on, &error);
  if (status == STATUS_OK) {
    const report_source_t source = {.path = flags->database,
                                    .campaign = flags->task,
                                    .known = (const char *const *)flags->known,
                                    .severity = flags->severity};
    status = overview_read(&source, detail_of(flags, format), &overview, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  overview.fail_on = fail_on;
  for (guint i = 0; i < MIN(overview.groups->len, (guint)MAX(flags->scripts, 0)); i++) {
    add_script(&overview, i);
  }
  status = write_report(flags, format, &overview, &error);
  int exit_code =
      status == STATUS_OK ? exit_code_of(flags, &overview) : complain_status(status, &error);
  overview_free(&overview);
  return exit_code;
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
      {"sarif", 0, 0, G_OPTION_ARG_FILENAME, &flags.sarif,
       "Write SARIF 2.1.0 for code scanning to this file; - is standard output", "FILE"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &flags.format,
       "Print text (default), markdown, json, tap, junit, sarif or html", "FORMAT"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "The same as --format json", NULL},
      {"scripts", 0, 0, G_OPTION_ARG_INT, &flags.scripts,
       "Have workers write a script for each of the N gravest root causes, for page and JSON", "N"},
      {"known", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.known,
       "Known causes beside those that come with Assay, see harness/docs/known-causes.md", "FILE"},
      {"severity", 0, 0, G_OPTION_ARG_FILENAME, &flags.severity,
       "Rank findings in the order of severities that this file has, one on a line", "FILE"},
      {"fail-on", 0, 0, G_OPTION_ARG_STRING, &flags.fail_on,
       FAIL_ON_HELP " (default: the exit code is 0; in TAP and JUnit any)", "WHICH"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    exit_code = report(&flags);
  }
  g_free(flags.database);
  g_free(flags.task);
  g_free(flags.format);
  g_free(flags.html);
  g_free(flags.sarif);
  g_free(flags.fail_on);
  g_free(flags.severity);
  g_strfreev(flags.known);
  return exit_code;
}
