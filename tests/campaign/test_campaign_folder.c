/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a campaign: its state survives anything, its corpora have names, one process runs.
 */
#include "harness/campaign/folder.h"

#include <glib/gstdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/campaign/clean.h"
#include "harness/campaign/state.h"
#include "tests/campaign/remove_tree.h"

typedef struct fixture {
  char *folder;
  failure_t error;
} fixture_t;

static void set_up(fixture_t *fixture, gconstpointer data) {
  (void)data;
  fixture->folder = g_dir_make_tmp("assay-campaign-XXXXXX", NULL);
  g_assert_nonnull(fixture->folder);
}

static void tear_down(fixture_t *fixture, gconstpointer data) {
  (void)data;
  remove_tree(fixture->folder);
  g_free(fixture->folder);
}

static campaign_state_t make_state(void) {
  campaign_state_t state = {.name = g_strdup("night \"1\"; 'x'\nä"),
                            .request = g_strdup("--executor 'proc:a b' --op x"),
                            .seed = UINT64_MAX,
                            .seconds_total = 28800,
                            .seconds_spent = 0.1,
                            .slices = 12345,
                            .started = g_strdup("2026-11-22T03:00:00Z"),
                            .items = g_new0(campaign_share_item_t, 2),
                            .isolated = g_new0(bool, 2),
                            .item_count = 2};
  state.items[1] = (campaign_share_item_t){.seconds = 1e6 / 3, .yield = 0.7};
  state.isolated[1] = true;
  return state;
}

static void test_state_round_trip(fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *path = campaign_folder_state(fixture->folder);
  campaign_state_t read;
  bool found = true;
  g_assert_cmpint(campaign_state_read(path, &read, &found, &fixture->error), ==, STATUS_OK);
  g_assert_false(found);
  campaign_state_t state = make_state();
  g_assert_cmpint(campaign_state_write(path, &state, &fixture->error), ==, STATUS_OK);
  g_assert_cmpint(campaign_state_read(path, &read, &found, &fixture->error), ==, STATUS_OK);
  g_assert_true(found);
  g_assert_cmpstr(read.name, ==, state.name);
  g_assert_cmpstr(read.request, ==, state.request);
  g_assert_cmpstr(read.started, ==, state.started);
  g_assert_true(read.seed == state.seed && read.slices == state.slices);
  g_assert_true(read.seconds_total == state.seconds_total);
  g_assert_true(read.seconds_spent == state.seconds_spent);
  g_assert_true(read.items[1].seconds == state.items[1].seconds);
  g_assert_true(read.items[1].yield == state.items[1].yield);
  g_assert_true(read.isolated[1] && !read.isolated[0] && !read.is_finished);
  campaign_state_deinit(&read);
  campaign_state_deinit(&state);
}

/* Whatever is in the file: the state of before, or an error that says what to do. */
static void test_damaged_state(fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *path = campaign_folder_state(fixture->folder);
  campaign_state_t state = make_state();
  g_assert_cmpint(campaign_state_write(path, &state, &fixture->error), ==, STATUS_OK);
  campaign_state_deinit(&state);
  g_autofree char *text = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(path, &text, &size, NULL));
  rng_t rng = rng_make(1);
  unsigned refused = 0;
  for (int i = 0; i < 500; i++) {
    g_autofree char *changed = g_strndup(text, i % 2 == 0 ? rng_below(&rng, size) : size);
    size_t length = strlen(changed);
    if (length > 0) changed[rng_below(&rng, length)] = (char)rng_below(&rng, 256);
    g_assert_true(g_file_set_contents(path, changed, (gssize)length, NULL));
    bool found;
    status_t status = campaign_state_read(path, &state, &found, &fixture->error);
    if (status == STATUS_OK) {
      g_assert_true(found);
      campaign_state_deinit(&state);
      continue;
    }
    g_assert_cmpint(status, ==, STATUS_INVALID);
    g_assert_nonnull(strstr(fixture->error.text, "is damaged"));
    refused++;
  }
  g_assert_cmpuint(refused, >, 100);
}

static void test_slice_seeds_differ(fixture_t *fixture, gconstpointer data) {
  (void)fixture;
  (void)data;
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (uint64_t seed = 0; seed < 8; seed++) {
    const campaign_state_t state = {.seed = seed};
    for (uint64_t slice = 0; slice < 1000; slice++) {
      uint64_t *key = g_new(uint64_t, 1);
      *key = campaign_state_slice_seed(&state, slice);
      g_assert_true(g_hash_table_add(seen, key));
    }
  }
}

static void test_corpora_have_names(fixture_t *fixture, gconstpointer data) {
  (void)fixture;
  (void)data;
  static const char *const names[] = {
      "onednn", "onednn?isa=AVX2",   "onednn?isa/AVX2", "proc:../../x", "..", ".",
      "",       "proc:python3 a.py", "model:random"};
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    char *path = campaign_folder_corpus("F", names[i]);
    g_assert_true(g_str_has_prefix(path, "F/corpus/"));
    const char *name = path + strlen("F/corpus/");
    g_assert_null(strchr(name, '/'));
    g_assert_cmpstr(name, !=, "..");
    g_assert_cmpstr(name, !=, ".");
    g_assert_true(g_hash_table_add(seen, path));
  }
  g_autofree char *plain = campaign_folder_corpus("F", "onednn");
  g_assert_cmpstr(plain, ==, "F/corpus/onednn");
}

static void write_case(const char *folder, const char *executor, const char *name) {
  g_autofree char *corpus = campaign_folder_corpus(folder, executor);
  g_autofree char *path = g_build_filename(corpus, name, NULL);
  g_assert_cmpint(g_mkdir_with_parents(corpus, 0777), ==, 0);
  g_assert_true(g_file_set_contents(path, name, -1, NULL));
}

static void test_corpora_merge(fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *a = g_build_filename(fixture->folder, "a", NULL);
  g_autofree char *b = g_build_filename(fixture->folder, "b", NULL);
  uint64_t added;
  write_case(b, "x", "1");
  write_case(b, "x", "2");
  write_case(b, "y", "1");
  write_case(a, "x", "2");
  g_assert_cmpint(campaign_folder_merge_corpora(a, b, &added, &fixture->error), ==, STATUS_OK);
  g_assert_cmpuint(added, ==, 2);
  g_assert_cmpint(campaign_folder_merge_corpora(a, b, &added, &fixture->error), ==, STATUS_OK);
  g_assert_cmpuint(added, ==, 0);
  g_autofree char *copy = g_build_filename(a, "corpus", "y", "1", NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(copy, &text, NULL, NULL));
  g_assert_cmpstr(text, ==, "1");
}

/* Whether a path below the folder is there. */
static bool is_there(const fixture_t *fixture, const char *path) {
  g_autofree char *full = g_build_filename(fixture->folder, path, NULL);
  return g_file_test(full, G_FILE_TEST_EXISTS);
}

static void plant(const fixture_t *fixture, const char *path, const char *text) {
  g_autofree char *full = g_build_filename(fixture->folder, path, NULL);
  g_autofree char *folder = g_path_get_dirname(full);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
  g_assert_true(g_file_set_contents(full, text, -1, NULL));
}

/* What kills leave half done goes; what people and whole processes made stays. */
static void test_leftovers_are_cleaned(fixture_t *fixture, gconstpointer data) {
  (void)data;
  g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA1, "a case", -1);
  g_autofree char *whole = g_strdup_printf("corpus/x/%s", sum);
  g_autofree char *half = g_strdup_printf("corpus/x/%s.Ab3dEf", sum);
  sum[0] = sum[0] == '0' ? '1' : '0';
  g_autofree char *cut = g_strdup_printf("corpus/x/%s", sum);
  const struct {
    const char *path;
    bool stays;
  } rows[] = {
      {"status.json", true},
      {"status.json.Xy12Zz", false},
      {"campaign.ini", true},
      {"campaign.ini.000000", false},
      {"campaign.ini.backup", true},
      {"campaign.db", true},
      {"notes.abcdef", true},
      {"workers/worker-0-slice-3.db", true},
      {"corpus/x.minimised-4711/1", false},
      {"corpus/x.minimised-4711", false},
      {"corpus/x.minimised-by-hand/1", true},
      {whole, true},
      {half, false},
      {cut, false},
      {"corpus/x/mine.abcdef", true},
      {"crashes/x/crash-1", true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (!g_str_has_suffix(rows[i].path, "4711")) plant(fixture, rows[i].path, "a case");
  }
  campaign_clean(fixture->folder);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (is_there(fixture, rows[i].path) != rows[i].stays) g_error("%s", rows[i].path);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
#define TEST(path, function) g_test_add(path, fixture_t, NULL, set_up, function, tear_down)
  TEST("/campaign-folder/state", test_state_round_trip);
  TEST("/campaign-folder/damaged-state", test_damaged_state);
  TEST("/campaign-folder/slice-seeds", test_slice_seeds_differ);
  TEST("/campaign-folder/corpora-have-names", test_corpora_have_names);
  TEST("/campaign-folder/corpora-merge", test_corpora_merge);
  TEST("/campaign-folder/leftovers", test_leftovers_are_cleaned);
  return g_test_run();
}
