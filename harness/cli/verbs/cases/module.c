/* SPDX-License-Identifier: Apache-2.0 */
/* assay module: what a whole module of StableHLO consists of, how much of it has an oracle, and its
 * distinct programs in a file that `run`, `vet` and `campaign` take in place of drawn ones. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/cli/verbs/cases/module_ops.h"
#include "harness/cli/verbs/isolation/isolate.h"
#include "reports/verdict/describe.h"

typedef struct module_flags {
  mlir_input_flags_t input;
  char *harvest;
  gboolean isolates;
  isolate_flags_t isolate;
} module_flags_t;

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/* ---- The list -------------------------------------------------------------------------------- */

static uint64_t count_in_loops(const module_ops_t *ops) {
  uint64_t count = 0;
  for (size_t i = 0; i < ops->count; i++) count += ops->items[i].in_loops;
  return count;
}

static void print_summary(const module_ops_t *ops, const char *path) {
  uint64_t in_loops = count_in_loops(ops);
  printf("%s: %" PRIu64 " ops, %zu distinct\n", path, ops->total, ops->count);
  printf("with an oracle: %" PRIu64
         " ops (%.1f %%), which do %.2f %% of %.4g arithmetic operations\n",
         ops->with_oracle, percent((double)ops->with_oracle, (double)ops->total),
         percent(ops->work_with_oracle, ops->work), ops->work);
  if (in_loops > 0) {
    printf("in loops: %" PRIu64 " ops, counted as if each loop ran once\n", in_loops);
  }
}

static void print_op(const module_ops_t *ops, const module_op_t *op) {
  printf("%6" PRIu64 "  %6.2f  ", op->count, percent(op->work, ops->work));
  if (op->line != NULL) {
    printf("%s", op->line);
  } else {
    printf("%s %s%s%s%s", op->name, op->attributes[0] == '\0' ? "" : "{", op->attributes,
           op->attributes[0] == '\0' ? "" : "} ", op->types);
  }
  if (op->why != NULL) printf("\n                %s: %s", op->place, op->why);
  putchar('\n');
}

static void print_part(const module_ops_t *ops, bool has_oracle, const char *title) {
  bool is_empty = true;
  for (size_t i = 0; i < ops->count; i++) {
    if ((ops->items[i].why == NULL) != has_oracle) continue;
    if (is_empty) printf("\n   ops  work %%  %s\n", title);
    is_empty = false;
    print_op(ops, &ops->items[i]);
  }
}

static json_t *json_op(const module_op_t *op) {
  return json_pack("{s:s, s:s?, s:s, s:s, s:b, s:s?, s:s, s:I, s:I, s:f}", "op", op->name,
                   "program", op->line, "types", op->types, "attributes", op->attributes,
                   "has_oracle", op->why == NULL, "why", op->why, "place", op->place, "count",
                   (json_int_t)op->count, "in_loops", (json_int_t)op->in_loops, "work", op->work);
}

static void print_json(const module_ops_t *ops, const char *path) {
  json_t *listed = json_array();
  for (size_t i = 0; i < ops->count; i++) {
    json_array_append_new(listed, json_op(&ops->items[i]));
  }
  json_print(
      json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:o}", "file", path, "ops", (json_int_t)ops->total,
                "distinct", (json_int_t)ops->count, "with_oracle", (json_int_t)ops->with_oracle,
                "work", ops->work, "work_with_oracle", ops->work_with_oracle, "programs", listed),
      false);
}

/* ---- The harvest ----------------------------------------------------------------------------- */

/* In the order of the list: the programs that do most of the work first. */
static size_t write_programs(const module_ops_t *ops, FILE *file) {
  size_t count = 0;
  for (size_t i = 0; i < ops->count; i++) {
    const module_op_t *op = &ops->items[i];
    if (op->why != NULL) continue;
    fprintf(file, "# %" PRIu64 " times, first at %s\n%s\n", op->count, op->place, op->line);
    count++;
  }
  return count;
}

static status_t harvest(const module_ops_t *ops, const char *path, const char *out,
                        size_t *out_count, failure_t *error) {
  if (ops->with_oracle == 0) {
    return status_fail(error, STATUS_INVALID,
                       "%.200s: no op of it has an oracle, so there is nothing to harvest", path);
  }
  FILE *file = fopen(out, "w");
  if (file == NULL) {
    return status_fail(error, STATUS_IO, "cannot write \"%.200s\": %s", out, strerror(errno));
  }
  fprintf(file, "# Programs of %s, as `assay module --harvest` found them\n", path);
  *out_count = write_programs(ops, file);
  bool is_whole = ferror(file) == 0;
  if (fclose(file) == 0 && is_whole) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write \"%.200s\": %s", out, strerror(errno));
}

static int list_module(const module_flags_t *flags, const char *path) {
  arena_t arena;
  arena_init(&arena);
  module_ops_t ops;
  failure_t error = {0};
  size_t harvested = 0;
  g_autofree char *name = plain_text(path);
  status_t status = module_ops_read(&flags->input, path, &arena, &ops, &error);
  if (status == STATUS_OK && flags->harvest != NULL) {
    status = harvest(&ops, name, flags->harvest, &harvested, &error);
  }
  if (status == STATUS_OK && flags->isolate.json) {
    print_json(&ops, name);
  } else if (status == STATUS_OK) {
    print_summary(&ops, name);
    print_part(&ops, true, "with an oracle");
    print_part(&ops, false, "without");
    if (flags->harvest != NULL) {
      printf("\nharvested: %zu programs, for `assay run --programs %s`\n", harvested,
             flags->harvest);
    }
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

/* False after a complaint. */
static bool goes_together(const module_flags_t *flags) {
  const isolate_flags_t *isolate = &flags->isolate;
  bool has_other = isolate->inputs != NULL || isolate->seed != NULL || isolate->contract != NULL ||
                   isolate->executor.names != NULL || isolate->reference != NULL;
  if (flags->isolates && flags->harvest != NULL) {
    complain("--harvest runs nothing; leave out --harvest or --isolate-ops");
    return false;
  }
  if (flags->isolates || !has_other) return true;
  complain(
      "--executor, --reference, --input, --seed and --contract are for --isolate-ops; add that");
  return false;
}

int command_module(const command_t *command, int argc, char **argv) {
  module_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"harvest", 0, 0, G_OPTION_ARG_FILENAME, &flags.harvest,
       "Write its distinct programs that have an oracle, one a line, for --programs of `run`, "
       "`vet` "
       "and `campaign`",
       "OUT"},
      {"isolate-ops", 0, 0, G_OPTION_ARG_NONE, &flags.isolates,
       "Run it op by op on an executor, with operands that this produced, and judge each op", NULL},
      {"reference", 0, 0, G_OPTION_ARG_STRING, &flags.isolate.reference,
       "With --isolate-ops: run each op on this executor too, with the same operands, and tell "
       "where "
       "the two differ; ops that no oracle knows are held against it alone",
       "NAME"},
      {"input", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.isolate.inputs,
       "With --isolate-ops: a file of numpy for the next argument (default: data are drawn)",
       "FILE.npy"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.isolate.seed,
       "With --isolate-ops: of the data that are drawn (default 1)", "SEED"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.isolate.contract,
       "With --isolate-ops: spec, backend (default), wide, KEY=VALUE,... or @FILE", "CONTRACT"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.isolate.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.isolate.executor, &arguments);
  mlir_input_flags_add(&flags.input, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1) && goes_together(&flags)) {
    exit_code =
        flags.isolates ? isolate_module(&flags.isolate, argv[1]) : list_module(&flags, argv[1]);
  }
  mlir_input_flags_free(&flags.input);
  executor_flags_free(&flags.isolate.executor);
  g_strfreev(flags.isolate.inputs);
  g_free(flags.isolate.reference);
  g_free(flags.isolate.seed);
  g_free(flags.isolate.contract);
  g_free(flags.harvest);
  return exit_code;
}
