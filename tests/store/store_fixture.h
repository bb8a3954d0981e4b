/* SPDX-License-Identifier: Apache-2.0 */
/* A database in a directory of its own, sample rows, and answers as text. */
#ifndef ASSAY_TESTS_STORE_STORE_FIXTURE_H
#define ASSAY_TESTS_STORE_STORE_FIXTURE_H

#include <glib.h>
#include <glib/gstdio.h>

#include "harness/store/store.h"

typedef struct store_fixture {
  char *directory;
  char *path; /* Of a database that is not there yet. */
  failure_t error;
} store_fixture_t;

static inline void store_fixture_set_up(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fixture->directory = g_dir_make_tmp("assay-store-XXXXXX", NULL);
  g_assert_nonnull(fixture->directory);
  fixture->path = g_build_filename(fixture->directory, "x.db", NULL);
}

static inline void store_fixture_tear_down(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  GDir *directory = g_dir_open(fixture->directory, 0, NULL);
  for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_build_filename(fixture->directory, name, NULL);
    g_assert_cmpint(g_remove(path), ==, 0);
  }
  g_dir_close(directory);
  g_assert_cmpint(g_rmdir(fixture->directory), ==, 0);
  g_free(fixture->path);
  g_free(fixture->directory);
}

#define STORE_TEST(path, function) \
  g_test_add(path, store_fixture_t, NULL, store_fixture_set_up, function, store_fixture_tear_down)

/* The call succeeds, or its error is shown. */
#define ASSERT_OK(fixture, call)                                    \
  do {                                                              \
    status_t status_ = (call);                                      \
    if (status_ != STATUS_OK) g_error("%s", (fixture)->error.text); \
  } while (0)

/* The call fails in this way, and says so in words that hold `words`. */
#define ASSERT_FAILS(fixture, call, expected_status, words)            \
  do {                                                                 \
    (fixture)->error.text[0] = '\0';                                   \
    g_assert_cmpint((call), ==, (expected_status));                    \
    if (strstr((fixture)->error.text, (words)) == NULL) {              \
      g_error("not about \"%s\": %s", (words), (fixture)->error.text); \
    }                                                                  \
  } while (0)

static inline store_t *open_store(store_fixture_t *fixture) {
  store_t *store = NULL;
  ASSERT_OK(fixture, store_open(fixture->path, &store, &fixture->error));
  return store;
}

static inline void close_store(store_fixture_t *fixture, store_t *store) {
  ASSERT_OK(fixture, store_close(store, &fixture->error));
}

static inline int64_t begin_run(store_fixture_t *fixture, store_t *store) {
  store_run_t run = {.command = "assay run --seed 18446744073709551615",
                     .seed = UINT64_MAX,
                     .contract = "order=any",
                     .assay_version = "0.1.0"};
  int64_t run_id = -1;
  ASSERT_OK(fixture, store_begin_run(store, &run, &run_id, &fixture->error));
  return run_id;
}

static inline int64_t add_executor(store_fixture_t *fixture, store_t *store, const char *name) {
  store_executor_t executor = {.name = name, .version = "1.2", .hardware = "avx512"};
  int64_t executor_id = -1;
  ASSERT_OK(fixture, store_add_executor(store, &executor, &executor_id, &fixture->error));
  return executor_id;
}

static inline store_counter_t sample_counter(int64_t run_id, int64_t executor_id) {
  return (store_counter_t){.run_id = run_id,
                           .executor_id = executor_id,
                           .op = "stablehlo.reduce",
                           .algorithm = "add",
                           .types = "f32,f32->f32",
                           .outcome = "conforms",
                           .class = "",
                           .implementation = "jit:avx2",
                           .cases = 1,
                           .ulp_error_max = 0.5,
                           .slack_max = 0.25,
                           .backward_error_max = 1};
}

/* 100 cases, each count another. */
static inline store_pair_t sample_pair(int64_t run_id, int64_t first_id, int64_t second_id) {
  return (store_pair_t){.run_id = run_id,
                        .first_executor_id = first_id,
                        .second_executor_id = second_id,
                        .op = "stablehlo.reduce",
                        .algorithm = "add",
                        .types = "f32,f32->f32",
                        .cases = 100,
                        .alike_wrong = 6,
                        .different = 15,
                        .both_conform = 5,
                        .first_diverges = 4,
                        .second_diverges = 3,
                        .both_diverge = 2,
                        .undecided = 1};
}

static inline store_divergence_t sample_divergence(int64_t run_id, int64_t executor_id,
                                                   const char *signature) {
  return (store_divergence_t){
      .run_id = run_id,
      .executor_id = executor_id,
      .signature = signature,
      .op = "stablehlo.reduce",
      .algorithm = "add",
      .types = "f32,f32->f32",
      .outcome = "diverges",
      .class = "value",
      .broken_constraint = "",
      .regime = "cancellation",
      .implementation = "jit:avx2",
      .program_line = "stablehlo.reduce body=add f32[2] f32[] -> f32[]",
      .case_line = "stablehlo.reduce body=add f32[2] f32[] -> f32[] : 00 : 0",
      .case_seed = UINT64_MAX,
      .result = 0,
      .component = 3,
      .wrong_count = 2,
      .component_count = 4,
      .got_bits = "3f800000",
      .got = "0x1p+0",
      .expected = "0x1.8p+0 .. 0x1.9p+0",
      .observed = "",
      .reason = "",
      .ulp_error = 12,
      .slack = 1.5,
      .backward_error = 3};
}

static inline status_t append_row(void *context, int column_count, const char *const *names,
                                  const store_value_t *values, failure_t *error) {
  (void)names;
  (void)error;
  GString *text = context;
  if (values == NULL) return STATUS_OK;
  if (text->len > 0) g_string_append_c(text, '\n');
  for (int i = 0; i < column_count; i++) {
    if (i > 0) g_string_append_c(text, '|');
    g_string_append(text, values[i].text != NULL ? values[i].text : "NULL");
  }
  return STATUS_OK;
}

/* The rows of a query have this text: columns joined by "|", rows by newlines. */
static inline void assert_query(store_fixture_t *fixture, const char *sql, const char *expected) {
  GString *text = g_string_new(NULL);
  ASSERT_OK(fixture, store_query(fixture->path, sql, append_row, text, &fixture->error));
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

#endif
