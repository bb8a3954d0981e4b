/* SPDX-License-Identifier: Apache-2.0 */
/* Merging shards: bench_merge [SHARDS [FINDINGS]].  Prints the time of merging all shards of a
 * campaign, as a ratio to the time in which one process writes the same findings, and by itself.
 * The first half of the findings of a shard are those of every other, the rest are its own. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/store/merge.h"

static void check(status_t status, const failure_t *error) {
  if (status == STATUS_OK) return;
  fprintf(stderr, "bench_merge: %s\n", error->text);
  exit(1);
}

static store_divergence_t make_divergence(int64_t run_id, int64_t executor_id,
                                          const char *signature, const char *case_line,
                                          double slack) {
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
      .program_line = "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[]",
      .case_line = case_line,
      .got_bits = "3f800000",
      .got = "0x1p+0",
      .expected = "0x1.8p+0 .. 0x1.9p+0",
      .observed = "",
      .reason = "",
      .wrong_count = 1,
      .component_count = 4,
      .ulp_error = 12 * slack,
      .slack = slack,
      .backward_error = 3};
}

/* Writes the findings of one shard to a database. */
static void write_shard(const char *path, int shard, int findings) {
  failure_t error = {0};
  store_t *store = NULL;
  int64_t run_id = 0;
  int64_t executor_id = 0;
  const store_run_t run = {
      .command = "bench", .seed = (uint64_t)shard, .contract = "x", .assay_version = "0"};
  const store_executor_t executor = {.name = "x", .version = "1", .hardware = ""};
  check(store_open(path, &store, &error), &error);
  check(store_begin_run(store, &run, &run_id, &error), &error);
  check(store_add_executor(store, &executor, &executor_id, &error), &error);
  for (int i = 0; i < findings; i++) {
    int owner = 2 * i < findings ? 0 : shard + 1;
    g_autofree char *signature = g_strdup_printf("%032x", owner * findings + i);
    g_autofree char *line = g_strdup_printf(
        "stablehlo.reduce body=add dims=[0] f32[64] f32[] -> f32[] : %0512x : %08x", i, shard);
    store_divergence_t divergence =
        make_divergence(run_id, executor_id, signature, line, 1 + (i + shard) % 100);
    store_add_divergence(store, &divergence);
    if (i % 1000 == 999) check(store_flush(store, &error), &error);
  }
  check(store_end_run(store, run_id, 1, &error), &error);
  check(store_close(store, &error), &error);
}

static double seconds_since(int64_t begin) {
  return (double)(g_get_monotonic_time() - begin) * 1e-6;
}

int main(int argc, char **argv) {
  int shards = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
  int findings = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10000;
  g_autofree char *folder = g_dir_make_tmp("assay-bench-merge-XXXXXX", NULL);
  int64_t begin = g_get_monotonic_time();
  for (int i = 0; i < shards; i++) {
    g_autofree char *path = g_strdup_printf("%s/shard-%d.db", folder, i);
    write_shard(path, i, findings);
  }
  double writing = seconds_since(begin);
  g_autofree char *target = g_build_filename(folder, "all.db", NULL);
  failure_t error = {0};
  store_t *store = NULL;
  check(store_open(target, &store, &error), &error);
  begin = g_get_monotonic_time();
  int64_t added = 0;
  for (int i = 0; i < shards; i++) {
    g_autofree char *path = g_strdup_printf("%s/shard-%d.db", folder, i);
    store_merge_report_t report;
    check(store_merge(store, path, &report, &error), &error);
    added += report.findings_new;
    g_remove(path);
  }
  double merging = seconds_since(begin);
  check(store_close(store, &error), &error);
  printf("%d shards of %d findings (%" G_GINT64_FORMAT
         " distinct): written in %.1f s, merged in "
         "%.1f s, ratio %.2f\n",
         shards, findings, added, writing, merging, merging / writing);
  g_remove(target);
  g_rmdir(folder);
  return 0;
}
