/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: one case through everything, as in `assay run`: line, oracle, executor, judge.  A
 * model conforms by construction, so that a verdict against it is a bug in Assay, and a crash here.
 *
 * Any bytes are an input.  Those that begin like a case line are one, or are rejected; of others
 * the first eight are the seed of a program and the rest are its operands' data, so that engines
 * which know nothing of case lines reach all ops.
 *
 *   ASSAY_FUZZ_EXECUTOR=canary:swap_low ...  another builtin executor in place of the models: its
 *                                            divergences crash too, which -minimize_crash needs */
#include <stdio.h>
#include <stdlib.h>

#include "harness/builtin/builtin.h"
#include "harness/gen/gen.h"
#include "harness/run/case_runner.h"

enum {
  COMPONENTS_MAX = 1024, /* Of a tensor: larger ones only take longer. */
  AUDIT_ONE_IN = 16,
  SEED_BYTES = 8,
};

/* Trees and arithmetics that differ much; `assay executors` lists more.  An input runs on one. */
static const char *const models[] = {"model:sequential", "model:pairwise+fma",
                                     "model:lanes8+acc=f64", "model:random+fma+ulps=2",
                                     "model:sequential+formula=scaled"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *choose_executor(const uint8_t *data, size_t size) {
  const char *chosen = getenv("ASSAY_FUZZ_EXECUTOR");
  if (chosen != NULL) return chosen;
  uint64_t hash = size;
  for (size_t i = 0; i < size; i++) hash = rng_splitmix(&hash) ^ data[i];
  return models[rng_splitmix(&hash) % G_N_ELEMENTS(models)];
}

/* The bytes, over and over, as operands. */
static void fill_operands(const uint8_t *data, size_t size, case_t *inout_case) {
  size_t next = 0;
  for (uint32_t i = 0; i < inout_case->program.operand_count; i++) {
    const element_t *element = inout_case->program.operands[i].element;
    size_t count = type_component_count(&inout_case->program.operands[i]);
    size_t bytes = ((size_t)element->bits + 7) / 8;
    for (size_t c = 0; c < count; c++) {
      uint64_t bits = 0;
      for (size_t b = 0; b < bytes; b++) bits = bits << 8 | (size == 0 ? 0 : data[next++ % size]);
      element_store(element, inout_case->operands[i].data, c, bits & element_mask(element));
    }
  }
}

static void draw_case(const uint8_t *data, size_t size, arena_t *arena, case_t *out_case,
                      const op_constraint_t **out_broken) {
  uint64_t seed = 0;
  for (size_t i = 0; i < SEED_BYTES && i < size; i++) seed = seed << 8 | data[i];
  rng_t rng = rng_make(seed);
  gen_options_t options = gen_options_default();
  options.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 32};
  size_t op_count = 0;
  while (op_all()[op_count] != NULL) op_count++;
  program_t program;
  const char *broken;
  gen_program(&rng, op_all()[rng_below(&rng, op_count)], &options, arena, &program, &broken);
  *out_broken = op_constraint_find(program.op, broken);
  *out_case = case_make(arena, &program);
  size_t used = size < SEED_BYTES ? size : SEED_BYTES;
  fill_operands(data + used, size - used, out_case);
  gen_settle(&rng, out_case);
}

static bool is_line(str_t text) {
  return str_starts_with(text, "stablehlo.") || str_starts_with(text, "byteir.");
}

/* False if the bytes are rejected. */
static bool read_case(const uint8_t *data, size_t size, arena_t *arena, case_t *out_case,
                      const op_constraint_t **out_broken) {
  str_t text = {.data = (const char *)data, .size = size};
  const char *violation;
  if (!is_line(text)) {
    draw_case(data, size, arena, out_case, out_broken);
  } else if (case_parse(text, arena, out_case, &violation, NULL) != STATUS_OK) {
    return false;
  } else {
    *out_broken = op_constraint_find(out_case->program.op, violation);
  }
  const program_t *program = &out_case->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (type_component_count(&program->operands[i]) > COMPONENTS_MAX) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (type_component_count(&program->results[i]) > COMPONENTS_MAX) return false;
  }
  return true;
}

static void crash(const case_t *instance, const char *executor, const char *what) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  bool is_model = g_str_has_prefix(executor, "model:");
  fprintf(stderr, "%s%s: %s\n  assay replay '%s' --executor %s\n", is_model ? "BUG IN ASSAY: " : "",
          executor, what, line->str, executor);
  g_string_free(line, TRUE);
  abort();
}

static void walk_case(const case_t *instance, const op_constraint_t *broken, const char *name,
                      arena_t *arena) {
  const executor_options_t options = {.find_builtin = builtin_find};
  const contract_t contract = contract_backend();
  failure_t error = {0};
  executor_t *executor;
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) {
    crash(instance, name, error.text);
  }
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  walk.audit_one_in = AUDIT_ONE_IN;
  walk.audit_distance = 0;
  broken = program_broken_under(&instance->program, broken, &contract);
  expectation_t expectation;
  verdict_t verdict;
  status_t status = case_runner_expect(&walk, instance, broken, arena, &expectation, &error);
  if (status == STATUS_OK) {
    status = case_runner_run(&walk, &expectation, executor, &verdict, &error);
  }
  if (status == STATUS_INVALID) crash(instance, name, error.text);
  bool is_wrong = status == STATUS_OK &&
                  (verdict.outcome == OUTCOME_diverges || verdict.outcome == OUTCOME_failed);
  if (is_wrong) {
    char what[256];
    snprintf(what, sizeof what, "%s (%s) %s", outcome_spelling(verdict.outcome),
             class_spelling(verdict.class_), verdict.reason);
    crash(instance, name, what);
  }
  executor_close(executor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const op_constraint_t *broken;
  if (read_case(data, size, &arena, &instance, &broken)) {
    walk_case(&instance, broken, choose_executor(data, size), &arena);
  }
  arena_deinit(&arena);
  return 0;
}
