/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what happens to findings after they were found, and the ledger of bits. */
#include "harness/store/life.h"

#include <stdio.h>
#include <string.h>

#include "harness/store/internal.h"

static bool is_blank(const char *text) {
  return text == NULL || text[strspn(text, " \t\n")] == '\0';
}

/* A day of the calendar as "2027-01-31" that has not passed. */
static status_t check_day(const char *day, failure_t *error) {
  int year = 0;
  int month = 0;
  int day_of_month = 0;
  int used = 0;
  bool is_day = day != NULL && strlen(day) == 10 &&
                sscanf(day, "%4d-%2d-%2d%n", &year, &month, &day_of_month, &used) == 3 &&
                used == 10 && year > 0 && month > 0 && day_of_month > 0 &&
                g_date_valid_dmy((GDateDay)day_of_month, (GDateMonth)month, (GDateYear)year);
  if (!is_day) {
    return status_fail(error, STATUS_INVALID,
                       "'%s' is no day on which a waiver could expire; write for example "
                       "2027-01-31",
                       day == NULL ? "" : day);
  }
  /* By the clock: so do waivers expire. */
  g_autofree char *time = connection_print_time(g_get_real_time() / G_USEC_PER_SEC);
  if (strncmp(day, time, 10) >= 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "a waiver until %s has expired already (today is %.10s)", day, time);
}

status_t store_add_waiver(store_t *store, const store_waiver_t *waiver, failure_t *error) {
  if (is_blank(waiver->reason)) {
    return status_fail(error, STATUS_INVALID, "a waiver needs a reason that others understand");
  }
  if (is_blank(waiver->owner)) {
    return status_fail(error, STATUS_INVALID, "a waiver needs an owner");
  }
  STATUS_TRY(check_day(waiver->expires, error));
  return writer_write(store_writer(store), STATEMENT_WAIVER, ROW_waiver, waiver, NULL, error);
}

status_t store_withdraw_waiver(store_t *store, const char *executor, const char *signature,
                               failure_t *error) {
  const store_waiver_t waiver = {.executor = executor, .signature = signature};
  writer_t *writer = store_writer(store);
  STATUS_TRY(writer_write(writer, STATEMENT_WITHDRAW, ROW_waiver, &waiver, NULL, error));
  if (sqlite3_changes(writer->connection->database) > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "finding %s of %s has no waiver to withdraw", signature,
                     executor);
}

void store_add_retest(store_t *store, const store_retest_t *retest) {
  store_add_row(store, ROW_retest, retest);
}

void store_add_bits(store_t *store, const store_bits_t *bits) {
  store_add_row(store, ROW_bits, bits);
}
