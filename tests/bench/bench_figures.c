/* SPDX-License-Identifier: Apache-2.0 */
/* What table `accuracy` costs a run: two sessions draw the same cases and write a database each,
 * one of them without it, in turns of some hundred cases; the ratio of the time of this thread that
 * the two take, by what is drawn.
 *
 *   bench_figures [DATABASES-FOLDER]     default: a folder in /tmp
 */
#include <glib/gstdio.h>
#include <stdio.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/bench/bench_timing.h"

enum { TURNS = 6, TURN_CASES = 2000 };

static void check(status_t status, const failure_t *error) {
  if (status == STATUS_OK) return;
  fprintf(stderr, "bench_figures: %s\n", error->text);
  exit(3);
}

/* Seconds of this thread for a turn of a session. */
static double run_turn(const op_t *const *ops, size_t op_count, uint64_t seed, bool leaves_out,
                       store_t *store, executor_t *executor) {
  failure_t error = {.text = ""};
  const session_options_t options = {
      .stream = {.seed = seed, .gen = gen_options_default(), .ops = ops, .op_count = op_count},
      .executors = &executor,
      .executor_count = 1,
      .contract = contract_backend(),
      .draws_max = TURN_CASES,
      .leaves_out_accuracy = leaves_out,
      .store = store,
      .command = "bench",
      .assay_version = "bench"};
  session_t *session = NULL;
  double begin = microseconds();
  check(session_open(&options, &session, &error), &error);
  check(session_run(session, &error), &error);
  check(session_close(session, 0, &error), &error);
  return (microseconds() - begin) * 1e-6;
}

static void measure(const char *name, const op_t *const *ops, size_t op_count, const char *folder) {
  failure_t error = {.text = ""};
  const executor_options_t opening = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  check(executor_open("model:pairwise", &opening, &executor, &error), &error);
  store_t *stores[2];
  double seconds[2] = {0};
  double ratios[TURNS];
  for (int i = 0; i < 2; i++) {
    g_autofree char *path = g_strdup_printf("%s/%s-%d.db", folder, name, i);
    check(store_open(path, &stores[i], &error), &error);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    double of_turn[2];
    for (int k = 0; k < 2; k++) {
      int which = (turn + k) % 2;
      of_turn[which] =
          run_turn(ops, op_count, 1 + (uint64_t)turn, which == 0, stores[which], executor);
      seconds[which] += of_turn[which];
    }
    ratios[turn] = of_turn[1] / of_turn[0];
  }
  for (int i = 0; i < 2; i++) check(store_close(stores[i], &error), &error);
  executor_close(executor);
  printf("%-24s %6.2f s without, %6.2f s with: ratio %.4f, median of turns %.4f\n", name,
         seconds[0], seconds[1], seconds[1] / seconds[0], median(ratios, TURNS));
  fflush(stdout);
}

int main(int argc, char **argv) {
  g_autofree char *own = argc > 1 ? NULL : g_dir_make_tmp("assay-bench-figures-XXXXXX", NULL);
  const char *folder = argc > 1 ? argv[1] : own;
  static const char *const names[] = {"stablehlo.reduce", "stablehlo.add", "stablehlo.convert",
                                      "byteir.softmax"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const op_t *op = op_find(str_from(names[i]));
    measure(names[i], &op, 1, folder);
  }
  size_t count = 0;
  while (op_all()[count] != NULL) count++;
  measure("all ops", op_all(), count, folder);
  return 0;
}
