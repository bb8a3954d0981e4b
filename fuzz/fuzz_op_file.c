/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: whatever text comes, declared_parse() does not crash, and says where what it refuses
 * is wrong.  Of an op that it takes, programs are drawn that are valid and have a module, and what
 * a model of them returns conforms. */
#include <stdlib.h>

#include "harness/gen/gen.h"
#include "oracles/ops/declared/declared.h"
#include "oracles/ops/declared/oracle.h"
#include "oracles/oracle.h"

enum {
  PROGRAMS = 3,
  COMPONENTS_MAX = 256, /* Of all results that are judged: more only takes longer. */
  STEPS_MAX = 60,       /* Likewise. */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const case_t *instance, const char *what) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  g_error("%s: %s", what, line->str);
}

/* Every component of what the model returns. */
static void judge(const case_t *instance, const tensor_t *results, arena_t *arena) {
  const contract_t contract = contract_backend();
  const oracle_t *oracle = oracle_find(instance->program.op);
  failure_t error = {.text = ""};
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = instance,
                              .contract = &contract,
                              .results = results,
                              .memo = &memo,
                              .arena = arena,
                              .error = &error};
  size_t asked = 0;
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    size_t count = type_component_count(&instance->program.results[r]);
    for (size_t i = 0; i < count && asked < COMPONENTS_MAX; i++, asked++) {
      answer_t answer;
      if (oracle->decide(&call, r, i, &answer) != STATUS_OK) fail(instance, error.text);
      if (!answer.conforms) fail(instance, "a model does not conform");
    }
  }
  decision_memo_deinit(&memo);
}

static void run_model(const case_t *instance, arena_t *arena) {
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    results[r] = tensor_make(arena, &instance->program.results[r]);
  }
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  const implementation_model_t model = schedule_plain();
  status_t status = oracle_find(instance->program.op)->simulate(&call, &model, results);
  if (status == STATUS_UNSUPPORTED) return; /* No type is wide enough for a formula. */
  if (status != STATUS_OK) fail(instance, error.text);
  judge(instance, results, arena);
}

static void draw_and_run(const declaration_t *declaration, uint64_t seed) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(seed);
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = 16;
  program_t program;
  const char *broken;
  gen_program(&rng, &declaration->op, &options, &arena, &program, &broken);
  if (program_broken(&program) == NULL) { /* Indices of fixed size may be too large for any. */
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    GString *module = g_string_new(NULL);
    program.op->print_mlir(&program, module);
    g_assert(module->len > 0);
    g_string_free(module, TRUE);
    run_model(&instance, &arena);
  }
  arena_deinit(&arena);
}

/* Products of indices of fixed size grow large in few words. */
static bool is_small(const declaration_t *declaration) {
  int64_t numbers = 1;
  for (uint32_t i = 0; i < declaration->index_count && numbers <= COMPONENTS_MAX; i++) {
    if (declaration->indices[i].fixed > 0) numbers *= declaration->indices[i].fixed;
  }
  bool is_short = true;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    is_short = is_short && declaration->formulas[f].step_count <= STEPS_MAX;
  }
  return is_short && numbers <= COMPONENTS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  str_t text = {.data = (const char *)data, .size = size};
  failure_t error = {.text = ""};
  declaration_t *declaration = NULL;
  if (declared_parse(text, "x.op", &declaration, &error) != STATUS_OK) {
    g_assert(g_str_has_prefix(error.text, "x.op:"));
    return 0;
  }
  declared_make_oracle(declaration);
  for (uint64_t i = 0; i < PROGRAMS && is_small(declaration); i++) draw_and_run(declaration, i);
  declared_free(declaration);
  return 0;
}
