/* SPDX-License-Identifier: Apache-2.0 */
/* Views of text and the scanner. */
#include "harness/base/text.h"

#include <glib.h>

static void test_str(void) {
  str_t empty = {0};
  str_t word = {.data = "wordy", .size = 4};
  g_assert_true(str_equal(empty, str_from("")));
  g_assert_true(str_equal(word, str_from("word")));
  g_assert_false(str_equal(word, str_from("wordy")));
  g_assert_true(str_equal_text(word, "word"));
  g_assert_false(str_equal_text(word, "worm"));
  g_assert_true(str_starts_with(word, "wo"));
  g_assert_true(str_starts_with(word, "word"));
  g_assert_true(str_starts_with(word, ""));
  g_assert_false(str_starts_with(word, "wordy")); /* Beyond the view. */
}

static void test_scan(void) {
  scan_t scan = scan_make(str_from("add dims=[0,2] f32"));
  failure_t error = {0};
  g_assert_cmpuint(scan_column(&scan), ==, 1);
  g_assert_cmpint(scan_peek(&scan), ==, 'a');
  g_assert_false(scan_accept(&scan, "adds"));
  g_assert_cmpuint(scan_column(&scan), ==, 1);
  g_assert_true(str_equal_text(scan_until(&scan, " ="), "add"));
  g_assert_true(str_equal_text(scan_until(&scan, " ="), ""));
  g_assert_true(scan_accept(&scan, " dims=["));
  g_assert_cmpuint(scan_column(&scan), ==, 11);
  g_assert_cmpint(scan_expect(&scan, "0,2", &error), ==, STATUS_OK);
  g_assert_cmpint(scan_expect(&scan, "]", &error), ==, STATUS_OK);
  g_assert_true(str_equal_text(scan_until(&scan, "x"), " f32")); /* No stop: up to the end. */
  g_assert_true(scan_at_end(&scan));
  g_assert_cmpint(scan_peek(&scan), ==, '\0');
}

/* Failures name the column and what stands there. */
static void test_failures(void) {
  scan_t scan = scan_make(str_from("ab\tcd"));
  failure_t error = {0};
  g_assert_true(scan_accept(&scan, "a"));
  g_assert_cmpint(scan_expect(&scan, "x", &error), ==, STATUS_INVALID);
  g_assert_cmpuint(error.column, ==, 2);
  g_assert_cmpstr(error.text, ==, "column 2: expected \"x\", found \"b?cd\"");
  g_assert_cmpint(scan_fail_expecting(&scan, &error, "a type"), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==, "column 2: expected a type, found \"b?cd\"");
  g_assert_true(scan_accept(&scan, "b\tcd"));
  g_assert_cmpint(scan_expect(&scan, "]", &error), ==, STATUS_INVALID);
  g_assert_cmpuint(error.column, ==, 6);
  g_assert_cmpstr(error.text, ==, "column 6: expected \"]\", found the end of the line");
  g_assert_cmpint(scan_fail(&scan, &error, "%d is odd", 3), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==, "column 6: 3 is odd");
  g_assert_cmpint(scan_fail(&scan, NULL, "nobody listens"), ==, STATUS_INVALID);
}

/* A message longer than the buffer is cut, and stays one terminated line. */
static void test_long_message(void) {
  char *long_text = g_strnfill(5000, 'x');
  failure_t error = {0};
  g_assert_cmpint(status_fail(&error, STATUS_IO, "%s", long_text), ==, STATUS_IO);
  g_assert_cmpuint(strlen(error.text), ==, ERROR_TEXT_BYTES - 1);
  g_assert_cmpuint(error.column, ==, 0);
  scan_t scan = scan_make(str_from("x"));
  g_assert_cmpint(scan_fail(&scan, &error, "%s", long_text), ==, STATUS_INVALID);
  g_assert_true(g_str_has_prefix(error.text, "column 1: xxx"));
  g_free(long_text);
}

typedef struct integer_row {
  const char *text;
  int64_t value;
  const char *rest; /* What stands after the integer; NULL if it must be refused. */
} integer_row_t;

static const integer_row_t integer_rows[] = {
    {"0", 0, ""},
    {"7,", 7, ","},
    {"-1", -1, ""},
    {"10x", 10, "x"},
    {"1-2", 1, "-2"},
    {"9223372036854775807", INT64_MAX, ""},
    {"-9223372036854775808", INT64_MIN, ""},
    {"9223372036854775808", 0, NULL},
    {"-9223372036854775809", 0, NULL},
    {"92233720368547758070", 0, NULL},
    {"99999999999999999999999999", 0, NULL},
    {"", 0, NULL},
    {"-", 0, NULL},
    {"--1", 0, NULL},
    {"+1", 0, NULL},
    {" 1", 0, NULL},
    {"00", 0, NULL},
    {"01", 0, NULL},
    {"-0", 0, NULL},
    {"-01", 0, NULL},
    {"x", 0, NULL},
};

static void test_integer(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(integer_rows); i++) {
    const integer_row_t *row = &integer_rows[i];
    scan_t scan = scan_make(str_from(row->text));
    failure_t error = {0};
    int64_t value = 4711;
    status_t status = scan_integer(&scan, &value, &error);
    if (row->rest == NULL) {
      g_assert_cmpint(status, ==, STATUS_INVALID);
      g_assert_cmpuint(error.column, ==, 1);
      g_assert_cmpint(value, ==, 4711); /* Written on STATUS_OK only. */
    } else {
      g_assert_cmpint(status, ==, STATUS_OK);
      g_assert_cmpint(value, ==, row->value);
      g_assert_cmpstr(scan.cursor, ==, row->rest);
    }
  }
}

/* The view ends where it says, not at a NUL. */
static void test_bounded(void) {
  const char digits[] = {'1', '2', '3', '4'};
  scan_t scan = scan_make((str_t){.data = digits, .size = 2});
  int64_t value = 0;
  g_assert_cmpint(scan_integer(&scan, &value, NULL), ==, STATUS_OK);
  g_assert_cmpint(value, ==, 12);
  g_assert_true(scan_at_end(&scan));
  g_assert_false(scan_accept(&scan, "3"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text/str", test_str);
  g_test_add_func("/text/scan", test_scan);
  g_test_add_func("/text/failures", test_failures);
  g_test_add_func("/text/long_message", test_long_message);
  g_test_add_func("/text/integer", test_integer);
  g_test_add_func("/text/bounded", test_bounded);
  return g_test_run();
}
