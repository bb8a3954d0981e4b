/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, the pairs of ops and types that are found by drawing, and what a stream is let draw. */
#include <glib/gstdio.h>
#include <string.h>

#include "harness/run/capability/capability.h"
#include "harness/run/stream.h"
#include "tests/campaign/remove_tree.h"

static profile_t *read_text(const char *text, failure_t *error) {
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "assay-test.profile", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  profile_t *profile = NULL;
  status_t status = profile_read(path, &profile, error);
  g_assert_true((status == STATUS_OK) == (profile != NULL));
  g_remove(path);
  return profile;
}

static void test_profile(void) {
  static const struct {
    const char *pair;
    bool has;
  } rows[] = {
      {"stablehlo.add f32,f32->f32", true},
      {"stablehlo.add f32,f32->f64", false},
      {"stablehlo.add complex<f32>,complex<f32>->complex<f32>", true},
      {"stablehlo.add quant<i8:f32:axis>,quant<i8:f32>->quant<i8:f32>", false},
      {"stablehlo.multiply f32,f32->f32", true},
      {"stablehlo.dot_general i8,i8->i32", true},
      {"stablehlo.dot_general i8,i8->i8", false},
      {"stablehlo.convert f32->bf16", false}, /* Taken away again. */
      {"stablehlo.convert f32->f32", true},
      {"byteir.erf f32->f32", false},
  };
  profile_t *profile = read_text(
      "# Comments and blanks are nothing.\n\n"
      "stablehlo.*  f32 bf16 complex<*>  # floats\n"
      "stablehlo.dot_general \ti8,i8->i32\n"
      "- stablehlo.convert *->bf16\n",
      NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].pair);
    g_auto(GStrv) words = g_strsplit(rows[i].pair, " ", 2);
    g_assert_cmpint(profile_has(profile, words[0], words[1]), ==, rows[i].has);
    g_assert_cmpint(profile_names(profile, words[0]), ==, i + 1 < G_N_ELEMENTS(rows));
  }
  profile_free(profile);
}

static void test_bad_profile(void) {
  static const char *const texts[][2] = {{"\nstablehlo.add \n", ":2: write an op"},
                                         {"- stablehlo.add \n", ":1: write an op"},
                                         {"# nothing\n", "no op is in this profile"},
                                         {"stablehlo.add \xff\n", "text in UTF-8"}};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    failure_t error = {0};
    g_assert_null(read_text(texts[i][0], &error));
    g_assert_nonnull(strstr(error.text, texts[i][1]));
  }
  profile_t *profile = NULL;
  g_assert_cmpint(profile_read("/absent.profile", &profile, NULL), ==, STATUS_IO);
}

/* The op of a line that begins with it. */
static const op_t *const *find(const char *line, const op_t *out_ops[1]) {
  out_ops[0] = op_find((str_t){line, strcspn(line, " ")});
  g_assert_nonnull(out_ops[0]);
  return out_ops;
}

/* Each pair once; its programs are valid, of its types, and differ in their attributes. */
static void check_pairs(const pairs_t *pairs) {
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < pairs->items->len; i++) {
    const pair_t *pair = pairs_at(pairs, i);
    g_assert_cmpuint(pair->program_count, >=, 1);
    for (size_t k = 0; k < pair->program_count; k++) {
      g_autoptr(GString) text = g_string_new(NULL);
      program_print_types(pair->programs[k], text);
      g_assert_cmpstr(text->str, ==, pair->types);
      g_assert_null(program_broken(pair->programs[k]));
      g_string_prepend(text, pair->op->name);
      program_print_attributes(pair->programs[k], text);
      g_assert_true(g_hash_table_add(seen, g_strdup(text->str)));
    }
  }
}

/* The types of these are known from their documents. */
static void test_pairs(void) {
  static const struct {
    const char *line;
    guint count;
  } rows[] = {{"byteir.erf f32->f32", 4},
              {"byteir.softmax f32->f32", 6},
              {"stablehlo.shift_right_arithmetic i8,i8->i8", 12}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const op_t *ops[1];
    pairs_t pairs, again;
    pairs_find(find(rows[i].line, ops), 1, NULL, NULL, &pairs);
    g_assert_cmpuint(pairs.items->len, ==, rows[i].count);
    check_pairs(&pairs);
    pairs_find(ops, 1, NULL, NULL, &again);
    for (guint k = 0; k < pairs.items->len; k++) {
      g_assert_cmpstr(pairs_at(&pairs, k)->types, ==, pairs_at(&again, k)->types);
    }
    pairs_deinit(&pairs);
    pairs_deinit(&again);
  }
}

/* Nothing is left out: what a stream draws, of no more operands than an op must have, is a pair,
 * but for the rarest; and what a stream is let draw is in the profile. */
static void test_stream(void) {
  enum { PROGRAMS = 400 };
  const op_t *ops[1];
  find("stablehlo.convert f32->f32", ops);
  profile_t *profile = read_text("stablehlo.convert f32 bf16 i1\n", NULL);
  pairs_t pairs;
  pairs_find(ops, 1, profile, NULL, &pairs);
  check_pairs(&pairs);
  g_assert_cmpuint(pairs.items->len, ==, 9);
  capability_filter_t filter = {.profile = profile};
  stream_options_t options = {.ops = ops,
                              .op_count = 1,
                              .gen = gen_options_default(),
                              .seed = 5,
                              .admits = capability_admits,
                              .admits_context = &filter};
  options.gen.strata = strata_default();
  options.leaves_out_invalid = true;
  stream_t stream;
  stream_init(&stream, &options);
  for (int i = 0; i < PROGRAMS; i++) {
    stream_next(&stream);
    g_autoptr(GString) types = g_string_new(NULL);
    program_print_types(&stream.instance.program, types);
    g_assert_true(profile_has(profile, ops[0]->name, types->str));
  }
  stream_deinit(&stream);
  pairs_deinit(&pairs);
  profile_free(profile);
}

/* ---- Interruption ---------------------------------------------------------------------------- */

enum { STOPPED_AFTER = 3 };

typedef struct asking {
  volatile sig_atomic_t stop;
  size_t pairs; /* That were asked about. */
} asking_t;

static void count_asking(void *context, const char *executor, size_t index, size_t count) {
  (void)executor, (void)index, (void)count;
  asking_t *asking = (asking_t *)context;
  if (++asking->pairs == STOPPED_AFTER) asking->stop = 1;
}

/* Returns what capability_find() does; out->pairs are counted from 0. */
static status_t ask(const pairs_t *pairs, executor_t *executor, bool can_stop, asking_t *out) {
  static const executor_options_t options = {0};
  *out = (asking_t){0};
  const capability_request_t request = {.executor = executor_name(executor),
                                        .options = &options,
                                        .pairs = pairs,
                                        .stop = can_stop ? &out->stop : NULL,
                                        .on_ask = count_asking,
                                        .context = out};
  capability_t *capability = NULL;
  failure_t error = {0};
  status_t status = capability_find(&request, executor, &capability, &error);
  g_assert_true((status == STATUS_OK) == (capability != NULL));
  if (status != STATUS_OK) g_assert_nonnull(strstr(error.text, "interrupted"));
  capability_free(capability);
  return status;
}

/* What was answered before somebody stopped it is not asked again. */
static void test_interrupted(void) {
  const op_t *ops[1];
  pairs_t pairs;
  pairs_find(find("stablehlo.reduce body=add", ops), 1, NULL, NULL, &pairs);
  executor_t *executor = NULL;
  static const executor_options_t options = {0};
  const char *name = "dso:" ASSAY_BINARY_DIR "/tests/dso/good.so";
  g_assert_cmpint(executor_open(name, &options, &executor, NULL), ==, STATUS_OK);
  asking_t asking;
  g_assert_cmpint(ask(&pairs, executor, true, &asking), ==, STATUS_IO);
  g_assert_cmpuint(asking.pairs, ==, STOPPED_AFTER);
  g_assert_cmpint(ask(&pairs, executor, false, &asking), ==, STATUS_OK);
  g_assert_cmpuint(asking.pairs, ==, pairs.items->len - STOPPED_AFTER);
  g_assert_cmpint(ask(&pairs, executor, false, &asking), ==, STATUS_OK);
  g_assert_cmpuint(asking.pairs, ==, 0);
  executor_close(executor);
  pairs_deinit(&pairs);
}

int main(int argc, char **argv) {
  /* Answers are kept in a cache. G_TEST_OPTION_ISOLATE_DIRS would do, but GLib leaks its paths. */
  g_autofree char *cache = g_dir_make_tmp("assay-test-XXXXXX", NULL);
  g_assert_nonnull(cache);
  g_setenv("XDG_CACHE_HOME", cache, TRUE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/capability/profile", test_profile);
  g_test_add_func("/capability/bad_profile", test_bad_profile);
  g_test_add_func("/capability/pairs", test_pairs);
  g_test_add_func("/capability/stream", test_stream);
  g_test_add_func("/capability/interrupted", test_interrupted);
  int failures = g_test_run();
  remove_tree(cache);
  return failures;
}
