/* SPDX-License-Identifier: Apache-2.0 */
/* assay waive: waives a finding until a date, or withdraws a waiver.  Its owner, reason and end are
 * kept.
 */
#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/cli/options/arguments.h"
#include "harness/store/life.h"

typedef struct waive_flags {
  char *database;
  char *executor;
  char *reason;
  char *owner;
  char *expires;
  gboolean withdraw;
} waive_flags_t;

enum { SIGNATURE_LETTERS_MIN = 6 }; /* Of an abbreviated one. */

/* The findings that the argument could mean. */
typedef struct match {
  const char *text;
  const char *executor; /* NULL: any. */
  guint count;
  GString *list; /* One line each. */
  char *name;    /* Of the last one; owned. */
  char *signature;
} match_t;

static bool could_abbreviate(const char *text) { return strlen(text) >= SIGNATURE_LETTERS_MIN; }

static bool is_number(const char *text) { return strspn(text, "0123456789") == strlen(text); }

enum column { COLUMN_ID, COLUMN_EXECUTOR, COLUMN_SIGNATURE, COLUMN_WORDS };

static status_t match_row(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  match_t *match = context;
  if (values == NULL) return STATUS_OK;
  const char *name = values[COLUMN_EXECUTOR].text;
  const char *signature = values[COLUMN_SIGNATURE].text;
  bool is_it = strcmp(values[COLUMN_ID].text, match->text) == 0 ||
               (could_abbreviate(match->text) && g_str_has_prefix(signature, match->text));
  if (!is_it || (match->executor != NULL && strcmp(match->executor, name) != 0)) return STATUS_OK;
  /* A finding has a row, and an id, for each version that showed it. */
  bool is_same = match->count > 0 && strcmp(match->name, name) == 0 &&
                 strcmp(match->signature, signature) == 0;
  if (is_same) return STATUS_OK;
  match->count++;
  g_string_append_printf(match->list, "\n  %s  %s  %s", signature, name, values[COLUMN_WORDS].text);
  g_free(match->name);
  g_free(match->signature);
  match->name = g_strdup(name);
  match->signature = g_strdup(signature);
  return STATUS_OK;
}

static status_t check_match(const waive_flags_t *flags, const match_t *match, failure_t *error) {
  if (match->count == 0) {
    return status_fail(
        error, STATUS_INVALID, "no finding '%s'%s%s in %s; `assay query states --db %s` lists them",
        match->text, flags->executor == NULL ? "" : " of ",
        flags->executor == NULL ? "" : flags->executor, flags->database, flags->database);
  }
  if (match->count == 1) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "'%s' could be any of %u findings; add --executor NAME or more letters:%.300s",
                     match->text, match->count, match->list->str);
}

static status_t find_finding(const waive_flags_t *flags, match_t *match, failure_t *error) {
  static const char sql[] =
      "SELECT divergence_id, name, signature, op || ' ' || types || ' ' || outcome || ' ' || class "
      "FROM divergence JOIN executor USING (executor_id) ORDER BY name, signature";
  if (!is_number(match->text) && !could_abbreviate(match->text)) {
    return status_fail(error, STATUS_INVALID,
                       "'%s' is neither the id of a finding nor %d letters of its signature",
                       match->text, SIGNATURE_LETTERS_MIN);
  }
  STATUS_TRY(store_query(flags->database, sql, match_row, match, error));
  return check_match(flags, match, error);
}

static status_t write_waiver(const waive_flags_t *flags, const match_t *match, store_t *store,
                             failure_t *error) {
  if (flags->withdraw) {
    STATUS_TRY(store_withdraw_waiver(store, match->name, match->signature, error));
    printf("withdrawn:%s\n", match->list->str);
    return STATUS_OK;
  }
  g_autofree char *reason = plain_text(flags->reason);
  g_autofree char *owner = plain_text(flags->owner);
  const store_waiver_t waiver = {.executor = match->name,
                                 .signature = match->signature,
                                 .reason = reason,
                                 .owner = owner,
                                 .expires = flags->expires};
  STATUS_TRY(store_add_waiver(store, &waiver, error));
  printf("waived until %s by %s:%s\n", flags->expires, owner, match->list->str);
  return STATUS_OK;
}

static status_t check_flags(const waive_flags_t *flags, failure_t *error) {
  if (flags->database == NULL) {
    return status_fail(error, STATUS_INVALID, "no database given; add --db FILE");
  }
  if (flags->withdraw) return STATUS_OK;
  const struct {
    const char *value;
    const char *advice;
  } needed[] = {{flags->reason, "--reason TEXT"},
                {flags->owner, "--owner NAME"},
                {flags->expires, "--expires 2027-01-31"}};
  for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
    if (needed[i].value != NULL) continue;
    return status_fail(error, STATUS_INVALID,
                       "a waiver has a reason, an owner and a last day; add %s", needed[i].advice);
  }
  return STATUS_OK;
}

static status_t waive(const waive_flags_t *flags, const char *text, failure_t *error) {
  STATUS_TRY(check_flags(flags, error));
  STATUS_TRY(store_require(flags->database, error));
  store_t *store;
  STATUS_TRY(store_open(flags->database, &store, error)); /* Brings an older one forward. */
  match_t match = {.text = text, .executor = flags->executor, .list = g_string_new(NULL)};
  status_t status = find_finding(flags, &match, error);
  if (status == STATUS_OK) status = write_waiver(flags, &match, store, error);
  g_string_free(match.list, TRUE);
  g_free(match.name);
  g_free(match.signature);
  failure_t close_error = {0};
  status_t closed = store_close(store, &close_error);
  if (status != STATUS_OK || closed == STATUS_OK) return status;
  *error = close_error;
  return closed;
}

int command_waive(const command_t *command, int argc, char **argv) {
  waive_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database, "The database that has the finding",
       "FILE"},
      {"executor", 'e', 0, G_OPTION_ARG_STRING, &flags.executor,
       "Of which executor, where several have the signature", "NAME"},
      {"reason", 'r', 0, G_OPTION_ARG_STRING, &flags.reason, "Why it is waived", "TEXT"},
      {"owner", 'o', 0, G_OPTION_ARG_STRING, &flags.owner, "Who answers for it", "NAME"},
      {"expires", 'x', 0, G_OPTION_ARG_STRING, &flags.expires,
       "The last day (UTC) on which it holds", "YYYY-MM-DD"},
      {"withdraw", 0, 0, G_OPTION_ARG_NONE, &flags.withdraw, "Withdraw the waiver", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) {
    failure_t error = {0};
    status_t status = waive(&flags, argv[1], &error);
    exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  }
  g_free(flags.database);
  g_free(flags.executor);
  g_free(flags.reason);
  g_free(flags.owner);
  g_free(flags.expires);
  return exit_code;
}
