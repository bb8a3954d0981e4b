/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of cases: those of operands against a naive count in every format, those of sums by hand,
 * which cases are in the sample, and where a session's time went. */
#include <math.h>

#include "harness/builtin/builtin.h"
#include "harness/record/accuracy_tally.h"
#include "harness/session/session.h"
#include "harness/store/severity/severity.h"

/* ---- Operands -------------------------------------------------------------------------------- */

static case_figures_t count_naively(const tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  case_figures_t figures = {.operand_elements = type_component_count(&tensor->type)};
  for (size_t i = 0; i < figures.operand_elements; i++) {
    uint64_t bits = element_load(element, tensor->data, i);
    figures.data_extent = fmax(figures.data_extent, severity_extent(element, bits));
    if (element->format == NULL) continue;
    double value = format_to_double(element->format, bits);
    figures.nan_elements += isnan(value) ? 1 : 0;
    figures.infinite_elements += isinf(value) != 0;
    figures.subnormal_elements +=
        value != 0 && isfinite(value) && fabs(value) < ldexp(1, element->format->exponent_min);
  }
  return figures;
}

/* Patterns at random, half of them special ones or their neighbours. */
static void fill(rng_t *rng, const tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  size_t count = type_component_count(&tensor->type);
  uint64_t mask = element_mask(element);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = rng_bits(rng) & mask;
    if (element->format != NULL && rng_one_in(rng, 2)) {
      const uint64_t least_normal = (uint64_t)1 << (element->format->precision - 1);
      const uint64_t bases[] = {0, least_normal, element->format->largest_bits, mask >> 1};
      bits = (bases[rng_below(rng, G_N_ELEMENTS(bases))] + rng_below(rng, 5) - 2) & mask;
      if (rng_one_in(rng, 2)) bits ^= (mask >> 1) + 1;
    }
    element_store(element, tensor->data, i, bits);
  }
}

/* Of whose programs nothing but the types is asked. */
static const op_t *find_op_without_attributes(void) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if ((*op)->attribute_rows == NULL && (*op)->attributes_bytes == 0) return *op;
  }
  g_error("each op has attributes");
}

static void test_operands(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(22);
  size_t checked = 0;
  for (size_t i = 0; i < element_count; i++) {
    if (!element_table[i].is_tensor_element) continue;
    for (int round = 0; round < 40; round++) {
      arena_reset(&arena);
      /* Longer than the blocks that are counted in narrow words. */
      const int64_t size = (int64_t)rng_below(&rng, rng_one_in(&rng, 4) ? 1000 : 3);
      program_t program = {
          .op = find_op_without_attributes(), .operand_count = 1, .result_count = 1};
      program.operands[0] = (type_t){.element = &element_table[i], .rank = 1, .dims = {size}};
      program.results[0] = program.operands[0];
      case_t instance = case_make(&arena, &program);
      fill(&rng, &instance.operands[0]);
      case_figures_t figures = {.data_extent = 0};
      figures = case_figures_of_operands(&instance, true);
      case_figures_t expected = count_naively(&instance.operands[0]);
      g_test_message("%s[%d]", element_table[i].name, (int)size);
      g_assert_cmpuint(figures.operand_elements, ==, expected.operand_elements);
      g_assert_cmpuint(figures.nan_elements, ==, expected.nan_elements);
      g_assert_cmpuint(figures.infinite_elements, ==, expected.infinite_elements);
      g_assert_cmpuint(figures.subnormal_elements, ==, expected.subnormal_elements);
      g_assert_cmpfloat(figures.data_extent, ==, expected.data_extent);
      checked++;
    }
  }
  g_assert_cmpuint(checked, >, 20 * 40);
  arena_deinit(&arena);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static case_figures_t figures_of(const char *line, arena_t *arena) {
  failure_t error = {.text = ""};
  case_t *instance = ARENA_NEW_ARRAY(arena, case_t, 1);
  if (case_parse(str_from(line), arena, instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  expectation_t expectation;
  g_assert_cmpint(case_runner_expect(&walk, instance, NULL, arena, &expectation, &error), ==,
                  STATUS_OK);
  case_figures_t figures = case_figures_of_operands(instance, true);
  case_figures_add_results(&expectation, &figures);
  return figures;
}

static void test_sums(void) {
  /* K, condition, sum of |terms|, |exact sum|; NaN where it is no sum, or is none. */
  static const struct {
    const char *line;
    uint64_t terms;
    double condition, term_magnitude, sum_magnitude;
  } rows[] = {
      /* 1 + 2 - 2.5, and 0 to begin with. */
      {"stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f80000040000000c0200000 : "
       "00000000",
       3, 11, 5.5, 0.5},
      /* 3 * 4 - 2 * 5 of bf16. */
      {"stablehlo.dot_general batch=[]x[] contract=[0]x[0] bf16[2] bf16[2] -> f32[] : "
       "4040c000 : 408040a0",
       2, 11, 22, 2},
      /* Two sums: 1 + 1, and 1 - 1. */
      {"stablehlo.reduce body=add dims=[1] f32[2,2] f32[] -> f32[2] : "
       "3f8000003f8000003f800000bf800000 : 00000000",
       2, (double)INFINITY, 2, 2},
      /* A formula has an error, and no terms. */
      {"byteir.softmax axis=0 f32[2] -> f32[2] : 3f80000040000000", 2, (double)NAN, (double)NAN,
       (double)NAN},
      {"stablehlo.reduce body=maximum dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : ff800000",
       2, (double)NAN, (double)NAN, (double)NAN},
      /* NaN is no sum. */
      {"stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f8000007fc00000 : 00000000", 2,
       (double)NAN, (double)NAN, (double)NAN},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    g_test_message("%s", rows[i].line);
    case_figures_t figures = figures_of(rows[i].line, &arena);
    g_assert_cmpuint(figures.terms, ==, rows[i].terms);
    if (isnan(rows[i].condition)) {
      g_assert_true(isnan(figures.condition) && isnan(figures.term_magnitude));
      continue;
    }
    /* A magnitude may be too large by a factor of 1 + 2^-10 (accept_t). */
    g_assert_true(figures.term_magnitude >= rows[i].term_magnitude &&
                  figures.term_magnitude <= rows[i].term_magnitude * (1 + 0x1p-10));
    g_assert_cmpfloat(figures.sum_magnitude, ==, rows[i].sum_magnitude);
    g_assert_true(figures.condition >= rows[i].condition &&
                  figures.condition <= rows[i].condition * (1 + 0x1p-10));
  }
  arena_deinit(&arena);
}

/* ---- The sample, and its rows ---------------------------------------------------------------- */

static void test_sample(void) {
  uint64_t sampled = 0;
  enum { CASES = 100000 };
  for (uint64_t i = 0; i < CASES; i++) {
    bool is_in = accuracy_is_sampled(7, i);
    if (i < ACCURACY_CASES_FIRST) g_assert_true(is_in);
    sampled += is_in;
  }
  g_assert_cmpuint(sampled, >, CASES / 5);
  g_assert_cmpuint(sampled, <, CASES / 3);
}

static void test_buckets(void) {
  static const struct {
    double condition;
    int bucket;
  } rows[] = {{1, 0},
              {7.9, 0},
              {8, 1},
              {64, 2},
              {0x1p62, 20},
              {0x1p63, 21},
              {1e300, 21},
              {(double)INFINITY, 21},
              {(double)NAN, CONDITION_UNKNOWN}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int bucket = condition_bucket(rows[i].condition);
    g_assert_cmpint(bucket, ==, rows[i].bucket);
    if (bucket == CONDITION_UNKNOWN) continue;
    g_assert_true(condition_bucket_low(bucket) <= rows[i].condition);
    g_assert_true(rows[i].condition < condition_bucket_high(bucket) || bucket == 21);
  }
}

/* Sums of errors leave out what is not finite or not measured; what is not judged is not counted.
 */
static void test_rows(void) {
  accuracy_tally_t *accuracy = accuracy_tally_new();
  const tally_label_t label = {.op = "op", .algorithm = "", .types = "t"};
  case_figures_t figures = {.terms = 20, .condition = 3, .has_reference = true, .has_sum = true};
  verdict_t verdict = {.outcome = OUTCOME_conforms,
                       .component_count = 4,
                       .ulp_error_max = 0.5,
                       .backward_error_max = 2};
  const accuracy_case_t one = {.label = &label,
                               .stratum = "corner",
                               .figures = &figures,
                               .verdict = &verdict,
                               .nanoseconds = 10};
  accuracy_tally_add(accuracy, &one);
  verdict.ulp_error_max = (double)INFINITY;
  figures.has_sum = false;
  accuracy_tally_add(accuracy, &one);
  verdict.outcome = OUTCOME_weak;
  accuracy_tally_add(accuracy, &one);
  g_assert_cmpuint(accuracy_tally_count(accuracy), ==, 1);
  accuracy_row_t *row = accuracy_tally_at(accuracy, 0);
  g_assert_cmpuint(row->cases, ==, 2);
  g_assert_cmpuint(row->elements, ==, 8);
  g_assert_cmpuint(row->nanoseconds, ==, 20);
  g_assert_cmpuint(row->ulp_error_cases, ==, 1);
  g_assert_cmpfloat(row->ulp_error_sum, ==, 0.5);
  g_assert_cmpuint(row->backward_error_cases, ==, 1);
  g_assert_true(isinf(row->ulp_error_max));
  verdict.outcome = OUTCOME_diverges; /* Each of these is another row. */
  accuracy_tally_add(accuracy, &one);
  figures.data_extent = 17;
  accuracy_tally_add(accuracy, &one);
  figures.nan_elements = 1;
  accuracy_tally_add(accuracy, &one);
  figures.condition = 100;
  accuracy_tally_add(accuracy, &one);
  figures.terms = 2000;
  accuracy_tally_add(accuracy, &one);
  g_assert_cmpuint(accuracy_tally_count(accuracy), ==, 6);
  accuracy_tally_free(accuracy);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* What the counts of a session's cases have is what its walk took, none of it twice: with two
 * executors, the accept sets too. */
static void test_times(void) {
  static const char *const names[] = {"model:pairwise", "model:sequential"};
  enum { OPS = 12 };
  const executor_options_t opening = {.find_builtin = builtin_find};
  executor_t *executors[2] = {NULL};
  failure_t error = {.text = ""};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_assert_cmpint(executor_open(names[i], &opening, &executors[i], &error), ==, STATUS_OK);
  }
  session_options_t options = {
      .stream = {.ops = op_all(), .op_count = OPS, .gen = gen_options_default(), .seed = 3},
      .executors = executors,
      .executor_count = 2,
      .contract = contract_backend(),
      .draws_max = 300,
      .command = "test",
      .assay_version = "test"};
  session_t *session = NULL;
  g_assert_cmpint(session_open(&options, &session, &error), ==, STATUS_OK);
  g_assert_cmpint(session_run(session, &error), ==, STATUS_OK);
  case_runner_times_t sum = {0}, all = session_times(session);
  for (size_t i = 0; i < tally_count(session_tally(session)); i++) {
    const tally_row_t *row = tally_at(session_tally(session), i);
    sum.oracle += row->times.oracle;
    sum.compile += row->times.compile;
    sum.executor += row->times.executor;
    sum.judge += row->times.judge;
  }
  g_assert_cmpuint(sum.executor, >, 0);
  g_assert_cmpuint(sum.executor, <=, all.executor);
  g_assert_cmpuint(sum.oracle, <=, all.oracle);
  g_assert_cmpuint(sum.oracle, >, all.oracle / 4 * 3);
  g_assert_cmpuint(sum.judge, <=, all.judge);
  g_assert_cmpuint(sum.compile, <=, all.compile);
  g_assert_cmpuint(sum.compile, >, all.compile / 2);
  session_close(session, 0, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) executor_close(executors[i]);
}

/* ---- Programs that break a constraint -------------------------------------------------------- */

static int32_t open_naive(const char *options, void **out_self, assay_reason_t *reason) {
  (void)options;
  (void)reason;
  *out_self = NULL;
  return ASSAY_EXECUTOR_OK;
}
static const char *tell_naive(void *self) {
  (void)self;
  return "naive";
}
static int32_t compile_naive(void *self, const assay_program_t *program, void **out_handle,
                             assay_reason_t *reason) {
  (void)self;
  (void)program;
  (void)reason;
  *out_handle = NULL;
  return ASSAY_EXECUTOR_OK;
}
static int32_t execute_naive(void *self, void *handle, const void *const *operands,
                             void *const *results, assay_reason_t *reason) {
  (void)self;
  (void)handle;
  (void)operands;
  (void)results;
  (void)reason;
  return ASSAY_EXECUTOR_FAILED;
}
static const char *tell_nothing(void *self, void *handle) {
  (void)self;
  (void)handle;
  return NULL;
}
static void release_naive(void *self, void *handle) {
  (void)self;
  (void)handle;
}
static void close_naive(void *self) { (void)self; }

/* Says that it checks programs, and takes all of them. */
static const assay_executor_t naive = {.abi = ASSAY_EXECUTOR_ABI,
                                       .struct_size = sizeof(assay_executor_t),
                                       .open = open_naive,
                                       .name = tell_naive,
                                       .version = tell_naive,
                                       .hardware = tell_naive,
                                       .compile = compile_naive,
                                       .execute = execute_naive,
                                       .implementation = tell_nothing,
                                       .release = release_naive,
                                       .close = close_naive,
                                       .validates = 1};

static const assay_executor_t *find_naive(const char *name) {
  return strcmp(name, "naive") == 0 ? &naive : NULL;
}

/* Dimensions that are not there are the terms of nothing: sanitizers see whoever counts them. */
static void test_broken(void) {
  static const char *const lines[] = {
      "stablehlo.dot_general batch=[]x[] contract=[9]x[9] f32[2] f32[2] -> f32[] : "
      "0000000000000000 : 0000000000000000",
      "stablehlo.reduce body=add dims=[7] f32[2] f32[] -> f32[2] : 0000000000000000 : 00000000"};
  const executor_options_t executor_options = {.find_builtin = find_naive};
  failure_t error = {.text = ""};
  executor_t *executor;
  g_assert_cmpint(executor_open("naive", &executor_options, &executor, &error), ==, STATUS_OK);
  const session_options_t options = {
      .executors = &executor, .executor_count = 1, .contract = contract_backend()};
  session_t *session;
  g_assert_cmpint(session_open(&options, &session, &error), ==, STATUS_OK);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    case_t instance;
    const char *id;
    g_assert_cmpint(case_parse(str_from(lines[i]), &arena, &instance, &id, &error), ==, STATUS_OK);
    const op_constraint_t *broken = op_constraint_find(instance.program.op, id);
    g_assert_nonnull(broken);
    g_assert_cmpint(session_walk(session, &instance, broken, NULL, &error), ==, STATUS_OK);
    g_assert_cmpuint(session_finding_count(session), ==, i + 1);
    g_assert_cmpuint(session_finding(session, i)->figures.terms, ==, 0);
  }
  arena_deinit(&arena);
  session_close(session, 0, NULL);
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/figures/operands", test_operands);
  g_test_add_func("/figures/sums", test_sums);
  g_test_add_func("/figures/sample", test_sample);
  g_test_add_func("/figures/buckets", test_buckets);
  g_test_add_func("/figures/rows", test_rows);
  g_test_add_func("/figures/times", test_times);
  g_test_add_func("/figures/broken", test_broken);
  return g_test_run();
}
