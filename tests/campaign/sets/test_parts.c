/* SPDX-License-Identifier: Apache-2.0 */
/* Cases judged in parts against the same cases judged at once, over every op that can be cut: the
 * same elements are wrong, for the same measures and by the same formula, whatever the parts are
 * and however many threads judge them (theory.md, T211). */
#include <math.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "harness/model/op.h"
#include "harness/run/parts/parts.h"
#include "oracles/derived/derived.h"
#include "tests/ops/declared/declared_file.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 25 };
#else
enum { PROGRAMS = 200 };
#endif

static const char *const contracts[] = {"backend", "spec", "backend,ftz=both,zero_sign=any",
                                        "wide,shared=each", "spec,order=any"};

/* A case, what came of it, and the verdict on all of it at once. */
typedef struct subject {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  contract_t contract;
  cut_t cut;
  verdict_t verdict;
  evidence_t evidence;
} subject_t;

/* Some elements become other bits, in every second case. */
static void spoil(rng_t *rng, subject_t *subject) {
  for (uint32_t r = 0; r < subject->instance.program.result_count; r++) {
    const tensor_t *result = &subject->results[r];
    const size_t count = type_component_count(&result->type);
    for (size_t n = rng_below(rng, 4); count > 0 && n > 0; n--) {
      const size_t component = rng_below(rng, count);
      const uint64_t bits = element_load(result->type.element, result->data, component);
      const uint64_t flipped = UINT64_C(1) << rng_below(rng, result->type.element->bits);
      element_store(result->type.element, result->data, component, bits ^ flipped);
    }
  }
}

static bool simulate(rng_t *rng, subject_t *subject) {
  const program_t *program = &subject->instance.program;
  const oracle_t *oracle = oracle_find(program->op);
  for (uint32_t i = 0; i < program->result_count; i++) {
    subject->results[i] = tensor_make(&subject->arena, &program->results[i]);
    memset(subject->results[i].data, 0, type_bytes(&program->results[i]));
  }
  const implementation_model_t schedule = schedule_plain();
  failure_t failure;
  const oracle_call_t call = {
      .instance = &subject->instance, .arena = &subject->arena, .error = &failure};
  if (oracle->simulate(&call, &schedule, subject->results) != STATUS_OK) return false;
  if (rng_one_in(rng, 2)) spoil(rng, subject);
  return true;
}

static void judge_at_once(subject_t *subject) {
  case_runner_t walk;
  case_runner_init(&walk, &subject->contract, 1);
  walk.judges_all = true;
  walk.decide_wrong_max = 0;
  expectation_t expectation;
  failure_t error;
  g_assert_cmpint(
      case_runner_expect(&walk, &subject->instance, NULL, &subject->arena, &expectation, &error),
      ==, STATUS_OK);
  g_assert_cmpint(
      case_runner_judge(&walk, &expectation, subject->results, &subject->verdict, &error), ==,
      STATUS_OK);
  subject->evidence = walk.evidence;
}

/* False if the program is none that can be cut. */
static bool draw(rng_t *rng, const op_t *op, const char *contract, subject_t *subject) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = 256;
  options.limits.terms_max = 32;
  arena_reset(&subject->arena);
  g_assert_cmpint(contract_parse(str_from(contract), &subject->contract, NULL), ==, STATUS_OK);
  program_t program;
  const char *broken;
  gen_program(rng, op, &options, &subject->arena, &program, &broken);
  if (program_broken_under(&program, NULL, &subject->contract) != NULL) return false;
  if (!cut_init(&program, &subject->cut) || subject->cut.unit_count < 2) return false;
  subject->instance = case_make(&subject->arena, &program);
  gen_data(rng, &subject->instance);
  if (!simulate(rng, subject)) return false;
  judge_at_once(subject);
  return true;
}

static void describe(const subject_t *subject) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&subject->instance, line);
  g_string_append(line, ", contract ");
  contract_print_short(&subject->contract, line);
  g_test_message("%s", line->str);
}

/* Magnitudes of sums are up to 1 + 2^-10 too large, by shapes that differ (accept.h). */
static bool is_near(double a, double b) { return a == b || fabs(a - b) <= 0x1p-9 * fabs(b); }

static void compare_wrong(const subject_t *subject, const parts_finding_t *finding) {
  for (uint32_t r = 0; r < subject->instance.program.result_count; r++) {
    const uint8_t *expected = subject->evidence.is_judged ? subject->evidence.wrong[r] : NULL;
    const size_t count = type_component_count(&subject->instance.program.results[r]);
    g_assert_true((expected == NULL) == (finding->wrong[r] == NULL));
    if (expected != NULL) g_assert_true(memcmp(expected, finding->wrong[r], count) == 0);
  }
}

static void compare(const subject_t *subject, const parts_finding_t *finding) {
  const verdict_t *expected = &subject->verdict;
  const judge_tally_t *tally = &finding->tally;
  const judge_t judge = {.contract = subject->contract, .skips_class = true};
  case_runner_t walk;
  case_runner_init(&walk, &subject->contract, 1);
  verdict_t verdict;
  failure_t error;
  status_t status =
      tally->has_wrong
          ? judge_conclude(&judge, &subject->instance, subject->results, tally, &verdict, &error)
          : judge_parts_conclude_right(&walk, &subject->instance, subject->results, tally, &verdict,
                                       &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  g_assert_cmpint(verdict.outcome, ==, expected->outcome);
  compare_wrong(subject, finding);
  g_assert_cmpuint(verdict.wrong_count, ==, expected->wrong_count);
  if (tally->has_wrong) {
    g_assert_cmpuint(tally->worst.result, ==, expected->result);
    g_assert_cmpuint(tally->worst.component, ==, expected->component);
    g_assert_cmpstr(tally->worst.answer.expected, ==, expected->expected);
  }
  if (verdict.outcome == OUTCOME_no_oracle) return;
  g_assert_cmpuint(verdict.component_count, ==, expected->component_count);
  g_assert_cmpuint(verdict.untested_count, ==, expected->untested_count);
  g_assert_cmpuint(verdict.treeless_count, ==, expected->treeless_count);
  g_assert_true(verdict.ulp_error_max == expected->ulp_error_max);
  /* How much of a bound is used up depends on whether the fast side knows the component. */
  g_assert_true((verdict.slack_max > 1) == (expected->slack_max > 1));
  g_assert_true(is_near(verdict.backward_error_max, expected->backward_error_max));
  g_assert_cmpstr(verdict.reason, ==, expected->reason);
  if (expected->formula == NULL || expected->outcome != OUTCOME_conforms) return;
  const char *permission = subject->instance.program.op->formulas;
  const char *formula = finding->has_formula ? contract_spelling(permission, finding->formula) : "";
  g_assert_true(finding->asks_formula);
  if (finding->has_formula && finding->is_formula_open) return;
  g_assert_cmpstr(formula, ==, expected->formula);
}

static void choose_chunks(rng_t *rng, cut_t *cut) {
  for (uint32_t i = 0; i < cut->free_count; i++) {
    const int64_t size = cut->axes.items[cut->free[i]].size;
    cut->chunk[cut->free[i]] = cut_fit_chunk(cut, cut->free[i], rng_between(rng, 1, size));
  }
  cut_count_blocks(cut);
}

/* Judges by parts, all blocks or all units, and holds that against the whole; false if it cannot be
 * cut so. */
static bool judge_parts(subject_t *subject, const size_t *units, size_t part_units,
                        uint32_t threads) {
  const parts_question_t question = {.subject = {&subject->instance, subject->results},
                                     .cut = &subject->cut,
                                     .contract = &subject->contract,
                                     .units = units,
                                     .unit_count = subject->cut.unit_count,
                                     .part_units = part_units,
                                     .threads = threads,
                                     .judges_all = true,
                                     .decides_all = true};
  parts_finding_t finding;
  failure_t error = {0};
  status_t status = parts_judge(&question, &finding, &error);
  g_test_message("%zu parts, %u threads: %s", parts_count(&question), threads, error.text);
  g_assert_cmpint(status, ==, STATUS_OK);
  if (finding.is_cut) compare(subject, &finding);
  bool is_cut = finding.is_cut;
  parts_finding_clear(&finding);
  return is_cut;
}

typedef struct counts {
  size_t drawn, blocks, units, wrong;
} counts_t;

static void test_op(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  rng_t rng = rng_make(211);
  subject_t subject;
  arena_init(&subject.arena);
  counts_t counts = {0};
  for (size_t i = 0; i < PROGRAMS; i++) {
    if (!draw(&rng, op, contracts[i % G_N_ELEMENTS(contracts)], &subject)) continue;
    describe(&subject);
    counts.drawn++;
    counts.wrong += subject.verdict.wrong_count > 0;
    choose_chunks(&rng, &subject.cut);
    counts.blocks += judge_parts(&subject, NULL, 0, (uint32_t)(i % 3) + 1);
    const size_t count = subject.cut.unit_count;
    size_t *units = ARENA_NEW_ARRAY(&subject.arena, size_t, count);
    for (size_t k = 0; k < count; k++) units[k] = k;
    counts.units += judge_parts(&subject, units, 1 + rng_below(&rng, count), (uint32_t)(i % 2) + 1);
  }
  arena_deinit(&subject.arena);
  g_test_message("of %zu cases %zu by blocks, %zu by units; %zu with wrong elements", counts.drawn,
                 counts.blocks, counts.units, counts.wrong);
  if (counts.drawn == 0) {
    g_test_skip("no case of it can be cut");
    return;
  }
  g_assert_cmpuint(counts.blocks, >, counts.drawn / 2);
  g_assert_cmpuint(counts.wrong, >, 0);
}

/* Ops from files: rows, elements, places that are known, tables, scales by channel. */
static void declare_files(void) {
  static const char *const files[] = {
      "rms_norm",   "silu",      "softmax_with_statistics", "causal_attention", "attention",
      "fake_quant", "embedding", "quantized_add_relu"};
  static const op_t *rows[G_N_ELEMENTS(files) + 1];
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *text = read_op_file(files[i]);
    rows[i] = &declare(text)->op;
  }
  op_declare(rows);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  declare_files();
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    bool is_cut = (*op)->axes != NULL || (*op)->part_axes != NULL;
    if (!is_cut || oracle_find(*op) == NULL) continue;
    const gathering_t *gathering = oracle_find(*op)->gathering;
    if (gathering != NULL && gathering->leaders != NULL) continue;
    g_autofree char *name = g_strdup_printf("/parts/%s", (*op)->name);
    g_test_add_data_func(name, *op, test_op);
  }
  return g_test_run();
}
