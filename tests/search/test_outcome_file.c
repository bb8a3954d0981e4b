/* SPDX-License-Identifier: Apache-2.0 */
/* What cases gave comes back as it was, of its scope alone, and from a file that ends in the middle
 * of a line. */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/search/outcome_file.h"

static char *new_path(void) {
  g_autofree char *folder = g_dir_make_tmp("assay-outcomes-XXXXXX", NULL);
  g_assert_nonnull(folder);
  return g_build_filename(folder, "outcomes", NULL);
}

static void remove_path(char *path) {
  g_autofree char *folder = g_path_get_dirname(path);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
}

static outcome_file_t *open_file(const char *path, const char *scope) {
  outcome_file_t *file = NULL;
  failure_t error = {0};
  if (outcome_file_open(path, scope, &file, &error) != STATUS_OK) g_error("%s", error.text);
  return file;
}

static verdict_t sample(void) {
  verdict_t verdict = {.outcome = OUTCOME_diverges,
                       .class_ = CLASS_flush,
                       .ulp_error_max = 0x1.8p-3,
                       .slack_max = INFINITY,
                       .backward_error_max = 1e-7,
                       .formula = "shifted"};
  g_strlcpy(verdict.observed, "a\tb\n\"c\" | \xc3\xa9", sizeof verdict.observed);
  g_strlcpy(verdict.constraint, "C8", sizeof verdict.constraint);
  return verdict;
}

static void assert_known(const outcome_file_t *file, const char *line, uint64_t expected_cost) {
  const verdict_t expected = sample();
  verdict_t verdict;
  uint64_t cost = 0;
  g_assert_true(outcome_file_find(file, str_from(line), &verdict, &cost));
  g_assert_cmpint(verdict.outcome, ==, expected.outcome);
  g_assert_cmpint(verdict.class_, ==, expected.class_);
  g_assert_cmpfloat(verdict.ulp_error_max, ==, expected.ulp_error_max);
  g_assert_cmpfloat(verdict.slack_max, ==, expected.slack_max);
  g_assert_cmpfloat(verdict.backward_error_max, ==, expected.backward_error_max);
  g_assert_cmpstr(verdict.observed, ==, expected.observed);
  g_assert_cmpstr(verdict.formula, ==, expected.formula);
  g_assert_cmpstr(verdict.constraint, ==, expected.constraint);
  g_assert_cmpuint(cost, ==, expected_cost);
}

static void assert_unknown(const outcome_file_t *file, const char *line) {
  verdict_t verdict;
  uint64_t cost;
  g_assert_false(outcome_file_find(file, str_from(line), &verdict, &cost));
}

static void test_round_trip(void) {
  char *path = new_path();
  outcome_file_t *file = open_file(path, "xla 1");
  assert_unknown(file, "one");
  const verdict_t verdict = sample();
  outcome_file_add(file, str_from("one"), &verdict, 12);
  const verdict_t plain = {.outcome = OUTCOME_conforms, .slack_max = NAN};
  outcome_file_add(file, str_from("two"), &plain, UINT64_MAX);
  assert_known(file, "one", 12);
  outcome_file_close(file);

  file = open_file(path, "xla 1");
  assert_known(file, "one", 12);
  verdict_t found;
  uint64_t cost;
  g_assert_true(outcome_file_find(file, str_from("two"), &found, &cost));
  g_assert_cmpint(found.outcome, ==, OUTCOME_conforms);
  g_assert_cmpint(found.class_, ==, CLASS_none);
  g_assert_true(isnan(found.slack_max));
  g_assert_cmpstr(found.observed, ==, "");
  g_assert_cmpuint(cost, ==, UINT64_MAX);
  outcome_file_close(file);

  file = open_file(path, "xla 2"); /* Of another version they say nothing. */
  assert_unknown(file, "one");
  outcome_file_close(file);
  remove_path(path);
}

/* Of a process that died while it wrote; and two that write the same. */
static void test_torn_line(void) {
  char *path = new_path();
  const verdict_t verdict = sample();
  outcome_file_t *first = open_file(path, "");
  outcome_file_t *second = open_file(path, "");
  outcome_file_add(first, str_from("one"), &verdict, 1);
  outcome_file_add(second, str_from("one"), &verdict, 2);
  outcome_file_add(second, str_from("two"), &verdict, 2);
  outcome_file_close(first);
  outcome_file_close(second);
  g_autofree char *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(path, &text, &size, NULL));
  g_assert_true(g_file_set_contents(path, text, (gssize)size - 20, NULL));
  outcome_file_t *file = open_file(path, "");
  assert_known(file, "one", 2);
  assert_unknown(file, "two");
  outcome_file_add(file, str_from("two"), &verdict, 3);
  assert_known(file, "two", 3);
  outcome_file_close(file);
  file = open_file(path, "");
  assert_known(file, "one", 2);
  assert_known(file, "two", 3);
  outcome_file_close(file);
  remove_path(path);
}

/* Where a line can only be written in part nothing more is kept, and what was stays readable. */
static void test_full_disk(void) {
  char *path = new_path();
  const verdict_t verdict = sample();
  outcome_file_t *file = open_file(path, "");
  outcome_file_add(file, str_from("one"), &verdict, 1);
  GStatBuf info;
  g_assert_cmpint(g_stat(path, &info), ==, 0);
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  const struct rlimit tight = {(rlim_t)info.st_size + 10, before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &tight), ==, 0);
  outcome_file_add(file, str_from("two"), &verdict, 2);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  signal(SIGXFSZ, handler);
  outcome_file_add(file, str_from("three"), &verdict, 3);
  outcome_file_close(file);
  file = open_file(path, "");
  assert_known(file, "one", 1);
  assert_unknown(file, "two");
  assert_unknown(file, "three");
  outcome_file_add(file, str_from("three"), &verdict, 4);
  outcome_file_close(file);
  file = open_file(path, "");
  assert_known(file, "one", 1);
  assert_known(file, "three", 4);
  outcome_file_close(file);
  remove_path(path);
}

static void test_no_file(void) {
  outcome_file_t *file = NULL;
  failure_t error = {0};
  g_assert_cmpint(outcome_file_open("/nowhere/outcomes", "", &file, &error), ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "\"/nowhere/outcomes\""));
  g_assert_nonnull(strstr(error.text, "name a file that can be written"));
  g_assert_cmpint(outcome_file_open("/dev/zero", "", &file, &error), ==, STATUS_INVALID);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/outcome-file/round-trip", test_round_trip);
  g_test_add_func("/outcome-file/torn-line", test_torn_line);
  g_test_add_func("/outcome-file/full-disk", test_full_disk);
  g_test_add_func("/outcome-file/no-file", test_no_file);
  return g_test_run();
}
