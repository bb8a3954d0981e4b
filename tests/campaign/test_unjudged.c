/* SPDX-License-Identifier: Apache-2.0 */
/* Of several results some are not judged: whatever their bits are, nobody is blamed for the others,
 * which a model computed; and what is wrong in the others is seen as before. */
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/gen/gen.h"
#include "harness/gen/strata.h"
#include "harness/run/case_runner.h"

enum { CASES = 15, DRAWS = 1500, ELEMENTS_MAX = 300, OPS_MAX = 200 };

/* A case with the results of a model. */
typedef struct specimen {
  arena_t arena;
  case_t instance;
  expectation_t expectation;
  tensor_t results[CASE_RESULTS_MAX];
} specimen_t;

/* What was seen of an op. */
typedef struct tally {
  uint64_t cases;
  uint64_t kept;  /* Verdicts on some of the results: conforming, or weak. */
  uint64_t found; /* Divergences that were seen of one result alone. */
  uint64_t joint; /* Without a verdict, since results are judged together. */
} tally_t;

static bool is_small(const program_t *program) {
  size_t count = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    count += type_element_count(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    count += type_element_count(&program->results[i]);
  }
  return count <= ELEMENTS_MAX;
}

/* A program of several results, with data. */
static bool draw(const op_t *op, rng_t *rng, specimen_t *specimen) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  const contract_t contract = contract_backend();
  options.contract = &contract;
  const strata_t strata = strata_default();
  const stratum_t stratum = strata_draw(&strata, rng);
  options.limits = stratum_limits(stratum, rng);
  program_t program;
  const char *broken = NULL;
  gen_program(rng, op, &options, &specimen->arena, &program, &broken);
  if (program.result_count < 2 || broken != NULL || !is_small(&program)) return false;
  specimen->instance = case_make(&specimen->arena, &program);
  gen_data_in_stratum(rng, stratum, &specimen->instance);
  return true;
}

static bool simulate(specimen_t *specimen) {
  const oracle_t *oracle = oracle_find(specimen->instance.program.op);
  implementation_model_t model;
  failure_t error = {0};
  if (builtin_parse("model:sequential", &specimen->arena, &model, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  for (uint32_t i = 0; i < specimen->instance.program.result_count; i++) {
    specimen->results[i] = tensor_make(&specimen->arena, &specimen->instance.program.results[i]);
    memset(specimen->results[i].data, 0, type_bytes(&specimen->results[i].type));
  }
  const oracle_call_t call = {
      .instance = &specimen->instance, .arena = &specimen->arena, .error = &error};
  return oracle->simulate(&call, &model, specimen->results) == STATUS_OK;
}

/* Other bits in some of the components, each a pattern of the type. */
static void spoil(tensor_t *tensor, rng_t *rng) {
  const element_t *element = tensor->type.element;
  size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    uint64_t other = element_load(element, tensor->data, rng_below(rng, count));
    if (rng_below(rng, 2) == 0) other = element_load(element, tensor->data, i) ^ 1;
    element_store(element, tensor->data, i, other);
  }
}

static verdict_t judge(specimen_t *specimen, const tensor_t *results, uint32_t unjudged) {
  const contract_t contract = contract_backend();
  case_runner_t walk;
  verdict_t verdict;
  failure_t error = {0};
  case_runner_init(&walk, &contract, 1);
  walk.audit_one_in = 0;
  walk.unjudged = unjudged;
  status_t status = case_runner_judge(&walk, &specimen->expectation, results, &verdict, &error);
  if (status != STATUS_OK) g_error("%s: %s", specimen->instance.program.op->name, error.text);
  return verdict;
}

static void complain(const specimen_t *specimen, const verdict_t *verdict, uint32_t kept) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&specimen->instance, line);
  g_test_message("%s: result %u alone diverges: got %s, expected %s", line->str, kept, verdict->got,
                 verdict->expected);
  g_test_fail();
}

/* One result is judged, the others are anything. */
static void hold_one(specimen_t *specimen, uint32_t kept, rng_t *rng, tally_t *tally) {
  const program_t *program = &specimen->instance.program;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(&specimen->arena, &program->results[i]);
    memcpy(results[i].data, specimen->results[i].data, type_bytes(&program->results[i]));
    if (i != kept) spoil(&results[i], rng);
  }
  const uint32_t others = ((1U << program->result_count) - 1) & ~(1U << kept);
  const verdict_t alone = judge(specimen, results, others);
  const bool is_joint = specimen->expectation.oracle->has_joint_results;
  if (is_joint) g_assert_cmpint(alone.outcome, ==, OUTCOME_no_oracle);
  if (alone.outcome == OUTCOME_diverges) complain(specimen, &alone, kept);
  tally->joint += is_joint;
  tally->kept += alone.outcome == OUTCOME_conforms || alone.outcome == OUTCOME_weak;
  if (is_joint) return;
  spoil(&results[kept], rng);
  tally->found += judge(specimen, results, others).outcome == OUTCOME_diverges;
}

static bool hold_case(specimen_t *specimen, rng_t *rng, tally_t *tally) {
  const contract_t contract = contract_backend();
  case_runner_t walk;
  failure_t error = {0};
  case_runner_init(&walk, &contract, 1);
  if (!simulate(specimen)) return false;
  if (case_runner_expect(&walk, &specimen->instance, NULL, &specimen->arena, &specimen->expectation,
                         &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  if (specimen->expectation.oracle_status != STATUS_OK) return false;
  if (judge(specimen, specimen->results, 0).outcome == OUTCOME_no_oracle) return false;
  for (uint32_t i = 0; i < specimen->instance.program.result_count; i++) {
    hold_one(specimen, i, rng, tally);
  }
  return true;
}

/* An op, and how many ops of several results there were so far. */
typedef struct op_test {
  const op_t *op;
  int *covered;
} op_test_t;

static void test_covered(gconstpointer data) { g_assert_cmpint(*(const int *)data, >=, 10); }

static void test_op(gconstpointer data) {
  const op_test_t *test = (const op_test_t *)data;
  const op_t *op = test->op;
  tally_t tally = {0};
  rng_t rng = rng_make(7);
  for (int i = 0; i < DRAWS && tally.cases < CASES; i++) {
    specimen_t specimen = {0};
    arena_init(&specimen.arena);
    if (draw(op, &rng, &specimen) && hold_case(&specimen, &rng, &tally)) tally.cases++;
    arena_deinit(&specimen.arena);
  }
  g_test_message("%" G_GUINT64_FORMAT " cases, %" G_GUINT64_FORMAT
                 " results kept, %" G_GUINT64_FORMAT " found wrong, %" G_GUINT64_FORMAT
                 " judged together alone",
                 tally.cases, tally.kept, tally.found, tally.joint);
  if (tally.cases == 0) return; /* It has one result. */
  (*test->covered)++;
  g_assert_cmpuint(tally.kept + tally.joint, >, 0);
  if (tally.joint == 0) g_assert_cmpuint(tally.found, >, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  int covered = 0;
  op_test_t tests[OPS_MAX];
  size_t count = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (oracle_find(*op) == NULL || (*op)->draw == NULL) continue;
    g_assert_cmpuint(count, <, OPS_MAX);
    tests[count] = (op_test_t){*op, &covered};
    g_autofree char *path = g_strdup_printf("/unjudged/%s", (*op)->name);
    g_test_add_data_func(path, &tests[count++], test_op);
  }
  g_test_add_data_func("/unjudged/covered", &covered, test_covered);
  return g_test_run();
}
