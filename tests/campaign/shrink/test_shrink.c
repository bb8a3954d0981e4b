/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinking what canaries do wrong: whatever the op and the fault, a few elements are left, they
 * still diverge alike, and nothing can be taken from them. */
#include "harness/builtin/builtin.h"
#include "harness/kinds/module/module.h"
#include "harness/run/stream.h"
#include "harness/shrink/divergence.h"
#include "tests/campaign/canaries/canary_ops.h"

enum {
  SAMPLES = 3,      /* Diverging cases of a canary and an op that are shrunk. */
  CASES_MAX = 4000, /* Cases drawn until there are so many. */
  CALLS = 3000,     /* Enough for all of them to be complete. */
  STEPS_MAX = 4,    /* Of a module: what a fault of fusing needs around it. */
  ELEMENTS_MAX = 8, /* Operand elements of the median, unless a row of sizes says more. */
};

typedef struct canary {
  const char *name;
  const char *contract;
  const char *ops; /* The beginning of the names of the ops that it is held against. */
  uint64_t within; /* Cases that show it. */
} canary_t;

static const canary_t canaries[] = {
#define CANARY(name, contract, ops, within, class_) {"canary:" name, contract, ops, within},
#define CANARY_EITHER(name, contract, ops, within, class_, other_class) \
  CANARY(name, contract, ops, within, class_)
#define SUM_OP(name)
#include "generated/all_canaries.def"
#include "tests/campaign/canaries/canaries.def"
#undef SUM_OP
#undef CANARY_EITHER
#undef CANARY
};

/* Reproducers that cannot be smaller: SHRUNK(canary, ops by their names, operand elements that the
 * median reproducer may have, why it has more than 8). */
typedef struct size_row {
  const char *canary;
  const char *ops;
  size_t elements;
} size_row_t;

static const size_row_t sizes[] = {
#define SHRUNK(canary, ops, elements, reason) {"canary:" canary, ops, elements},
#include "generated/all_shrunk_sizes.def"
#undef SHRUNK
};

static size_t expected_size(const canary_t *canary, const op_t *op) {
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
    bool is_row = strcmp(sizes[i].canary, canary->name) == 0;
    if (is_row && canary_concerns(sizes[i].ops, op->name)) return sizes[i].elements;
  }
  return ELEMENTS_MAX;
}

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

static contract_t find_contract(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static size_t count_operand_elements(const case_t *instance) {
  size_t count = 0;
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    count += type_element_count(&instance->operands[i].type);
  }
  return count;
}

static char *line_of(const case_t *instance) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  return g_string_free(line, FALSE);
}

/* Steps may be left out of a module. */
static char *label_of(const program_t *program) {
  GString *label = g_string_new(program->op->name);
  if (program_is_module(program)) return g_string_free(label, FALSE);
  program->op->print_algorithm(program, label);
  program_print_types(program, label);
  return g_string_free(label, FALSE);
}

static bool is_divergence(const verdict_t *verdict) {
  return verdict->outcome == OUTCOME_diverges || verdict->outcome == OUTCOME_failed;
}

static void run_case(case_runner_t *walk, const case_t *instance, executor_t *executor,
                     arena_t *arena, verdict_t *out_verdict) {
  const program_t *program = &instance->program;
  const op_constraint_t *broken =
      program_broken_under(program, program_broken(program), &walk->contract);
  expectation_t expectation;
  failure_t error = {0};
  if (case_runner_expect(walk, instance, broken, arena, &expectation, &error) != STATUS_OK ||
      case_runner_run(walk, &expectation, executor, out_verdict, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

/* ---- Canaries -------------------------------------------------------------------------------- */

static shrink_divergence_t shrink(case_runner_t *walk, executor_t *executor, const case_t *instance,
                                  const verdict_t *verdict, uint32_t calls, arena_t *arena) {
  const shrink_divergence_options_t options = {
      .walk = walk, .executor = executor, .calls_max = calls, .seed = 1};
  shrink_divergence_t shrunk;
  failure_t error = {0};
  if (shrink_divergence(&options, instance, verdict, arena, &shrunk, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return shrunk;
}

/* What holds of every reproducer.  Returns how many operand elements it has. */
static size_t check_shrunk(case_runner_t *walk, executor_t *executor, const case_t *instance,
                           const verdict_t *verdict, arena_t *arena) {
  shrink_divergence_t shrunk = shrink(walk, executor, instance, verdict, CALLS, arena);
  g_assert_true(shrunk.report.is_reproduced);
  const program_t *program = &shrunk.instance.program;
  g_assert_true(program_broken(program) == program_broken(&instance->program));
  g_autofree char *label = label_of(&instance->program);
  g_autofree char *label_after = label_of(program);
  g_assert_cmpstr(label_after, ==, label);
  if (program_is_module(program)) {
    g_assert_cmpuint(module_of(program)->step_count, <=, STEPS_MAX);
  }
  verdict_t again;
  run_case(walk, &shrunk.instance, executor, arena, &again);
  g_assert_cmpstr(outcome_spelling(again.outcome), ==, outcome_spelling(verdict->outcome));
  g_assert_cmpstr(class_spelling(again.class_), ==, class_spelling(verdict->class_));
  g_assert_cmpstr(again.constraint, ==, verdict->constraint);
  g_assert_cmpint(shrink_measure_compare(&shrunk.report.after, &shrunk.report.before), <=, 0);
  g_autofree char *line = line_of(&shrunk.instance);
  g_test_message("%zu -> %zu elements, %u calls, %u programs: %s", count_operand_elements(instance),
                 count_operand_elements(&shrunk.instance), shrunk.report.calls,
                 shrunk.report.program_changes, line);
  if (!shrunk.report.is_complete) g_test_message("incomplete");
  g_assert_true(shrunk.report.is_complete);
  shrink_divergence_t twice = shrink(walk, executor, &shrunk.instance, &again, CALLS, arena);
  g_autofree char *line_twice = line_of(&twice.instance);
  g_assert_cmpstr(line_twice, ==, line);
  g_assert_cmpuint(twice.report.accepted, ==, 0);
  return count_operand_elements(&shrunk.instance);
}

static int compare_sizes(const void *a, const void *b) {
  size_t first = *(const size_t *)a;
  size_t second = *(const size_t *)b;
  return (first > second) - (first < second);
}

/* These are right where all sizes are known, and are made small in tests/cli/modules/dynamic.t. */
static bool needs_unknown_sizes(const canary_t *canary) {
  return strcmp(canary->name, "canary:first_size_kept") == 0 ||
         strcmp(canary->name, "canary:former_size_padded") == 0;
}

/* Shrinks the first few cases of the op on which the canary diverges; returns how many. */
static size_t check_op(const canary_t *canary, executor_t *executor, const op_t *op) {
  const contract_t contract = find_contract(canary->contract);
  stream_options_t options = {.ops = &op, .op_count = 1, .gen = gen_options_default(), .seed = 3};
  options.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 256, .terms_max = 64};
  stream_t stream;
  stream_init(&stream, &options);
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  arena_t arena;
  arena_init(&arena);
  size_t found[SAMPLES];
  size_t count = 0;
  for (int i = 0; i < CASES_MAX && count < SAMPLES; i++) {
    stream_next(&stream);
    arena_reset(&arena);
    verdict_t verdict;
    run_case(&walk, &stream.instance, executor, &arena, &verdict);
    if (!is_divergence(&verdict)) continue;
    found[count++] = check_shrunk(&walk, executor, &stream.instance, &verdict, &arena);
    stream_skip_program(&stream);
  }
  if (count > 0) {
    qsort(found, count, sizeof *found, compare_sizes);
    g_test_message("%s %s: median %zu of %zu", canary->name, op->name, found[count / 2], count);
    g_assert_cmpuint(found[count / 2], <=, expected_size(canary, op));
  }
  arena_deinit(&arena);
  stream_deinit(&stream);
  return count;
}

static void test_canary(gconstpointer data) {
  const canary_t *canary = (const canary_t *)data;
  executor_t *executor = open_builtin(canary->name);
  size_t count = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (canary_concerns(canary->ops, (*op)->name)) count += check_op(canary, executor, *op);
  }
  const op_t *module = op_find(str_from(MODULE_OP)); /* Which op_all() leaves out. */
  if (canary_concerns(canary->ops, module->name)) count += check_op(canary, executor, module);
  bool may_be_right = canary->within > CASES_MAX / 4 || needs_unknown_sizes(canary);
  g_assert_true(count > 0 || may_be_right);
  executor_close(executor);
}

/* ---- What the caller says -------------------------------------------------------------------- */

static bool has_two_wrong(void *context, const case_t *candidate, const verdict_t *verdict) {
  uint32_t *calls = (uint32_t *)context;
  (*calls)++;
  g_assert_nonnull(candidate->operands[0].data);
  return verdict->wrong_count >= 2;
}

/* A session that shrinks audits what it would audit anyway, and knows where the time went. */
static void check_walk_after(const case_runner_t *before, const case_runner_t *walk) {
  g_assert_cmpuint(walk->audit_distance, ==, before->audit_distance);
  g_assert_true(memcmp(&walk->audit_rng, &before->audit_rng, sizeof walk->audit_rng) == 0);
  g_assert_cmpuint(walk->times.oracle, >, before->times.oracle);
  g_assert_cmpuint(walk->times.executor, >, before->times.executor);
}

static void test_keeps(void) {
  arena_t arena;
  arena_init(&arena);
  executor_t *executor = open_builtin("canary:drop_last_term");
  const contract_t contract = find_contract("backend");
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  case_t instance;
  const char *broken;
  const char *line =
      "stablehlo.reduce body=add dims=[0] f32[2,3] f32[] -> f32[3] : "
      "3f800000400000003f800000400000003f80000040000000 : 00000000";
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, &broken, NULL), ==, STATUS_OK);
  verdict_t verdict;
  run_case(&walk, &instance, executor, &arena, &verdict);
  const case_runner_t before = walk;
  uint32_t calls = 0;
  shrink_divergence_options_t options = {
      .walk = &walk, .executor = executor, .keeps = {.is_same = has_two_wrong, .context = &calls}};
  shrink_divergence_t shrunk;
  g_assert_cmpint(shrink_divergence(&options, &instance, &verdict, &arena, &shrunk, NULL), ==,
                  STATUS_OK);
  check_walk_after(&before, &walk);
  g_assert_true(shrunk.report.is_complete);
  g_assert_cmpuint(calls, >, 1);
  g_assert_cmpuint(shrunk.verdict.wrong_count, ==, 2);
  g_assert_cmpuint(count_operand_elements(&shrunk.instance), ==, 3);
  verdict.class_ = CLASS_nan; /* Which this case does not show. */
  g_assert_cmpint(shrink_divergence(&options, &instance, &verdict, &arena, &shrunk, NULL), ==,
                  STATUS_OK);
  g_assert_false(shrunk.report.is_reproduced);
  g_assert_cmpuint(shrunk.report.calls, ==, 1);
  g_assert_cmpint(shrunk.verdict.class_, ==, CLASS_nan);
  executor_close(executor);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    char *path =
        g_strdup_printf("/shrink/%s%s", canaries[i].ops, canaries[i].name + strlen("canary"));
    g_test_add_data_func(path, &canaries[i], test_canary);
    g_free(path);
  }
  g_test_add_func("/shrink/keeps", test_keeps);
  return g_test_run();
}
