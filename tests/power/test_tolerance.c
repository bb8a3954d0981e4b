/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances of elements, against all patterns of small types asked one by one, and against sets
 * that are known by hand; the permissions that widen them; terms of programs. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/power/measure.h"

/* A case, and what its tolerances are asked with. */
typedef struct subject {
  arena_t arena;
  decision_memo_t memo;
  contract_t contract;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  tolerance_question_t question;
} subject_t;

static void simulate(subject_t *subject) {
  const program_t *program = &subject->instance.program;
  failure_t error = {0};
  const oracle_call_t call = {
      .instance = &subject->instance, .arena = &subject->arena, .error = &error};
  implementation_model_t plain = schedule_plain();
  for (uint32_t i = 0; i < program->result_count; i++) {
    subject->results[i] = tensor_make(&subject->arena, &program->results[i]);
    memset(subject->results[i].data, 0, type_bytes(&program->results[i]));
  }
  subject->question = (tolerance_question_t){.oracle = oracle_find(program->op),
                                             .instance = &subject->instance,
                                             .contract = &subject->contract,
                                             .results = subject->results,
                                             .memo = &subject->memo,
                                             .arena = &subject->arena};
  if (subject->question.oracle->simulate(&call, &plain, subject->results) != STATUS_OK) {
    g_error("%s: %s", program->op->name, error.text);
  }
}

static void subject_init(subject_t *subject, const char *contract) {
  failure_t error = {0};
  *subject = (subject_t){0};
  arena_init(&subject->arena);
  decision_memo_init(&subject->memo);
  if (contract_parse(str_from(contract), &subject->contract, &error) != STATUS_OK) {
    g_error("%s: %s", contract, error.text);
  }
}

static void subject_deinit(subject_t *subject) {
  decision_memo_deinit(&subject->memo);
  arena_deinit(&subject->arena);
}

static tolerance_t tolerance_of_line(const char *contract, const char *line, uint32_t result,
                                     size_t component, GArray *narrowings) {
  subject_t subject;
  subject_init(&subject, contract);
  failure_t error = {0};
  if (case_parse(str_from(line), &subject.arena, &subject.instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  simulate(&subject);
  tolerance_t tolerance;
  status_t status = tolerance_find(&subject.question, result, component, &tolerance, &error);
  if (status == STATUS_OK && narrowings != NULL) {
    status = widening_find(&subject.question, result, component, &tolerance, narrowings, &error);
  }
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  subject_deinit(&subject);
  return tolerance;
}

/* ---- By hand --------------------------------------------------------------------------------- */

static void test_one_value(void) {
  tolerance_t exact = tolerance_of_line(
      "backend", "stablehlo.add f32[] f32[] -> f32[] : 3f800000 : 3f800000", 0, 0, NULL);
  g_assert_true(exact.is_measured && !exact.is_vacuous && !exact.holds_nan);
  g_assert_cmpint(exact.form, ==, ACCEPTED_ONE_VALUE);
  g_assert_cmpfloat(exact.ulps, ==, 0);
  g_assert_cmpfloat(exact.relative, ==, 0);
  /* 1 + 2^-24, a tie: it goes to 1, half a unit below. */
  tolerance_t tie = tolerance_of_line(
      "backend", "stablehlo.add f32[] f32[] -> f32[] : 3f800000 : 33800000", 0, 0, NULL);
  g_assert_cmpint(tie.form, ==, ACCEPTED_ONE_VALUE);
  g_assert_cmpfloat(tie.ulps, ==, 0.5);
  g_assert_cmpfloat(tie.relative, ==, 0x1p-24 / (1 + 0x1p-24));
}

/* 1 + 2^-24 + 2^-24 in any order: 1, or the number above it. */
static void test_two_orders(void) {
  static const char line[] =
      "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f8000003380000033800000 : "
      "00000000";
  tolerance_t tolerance = tolerance_of_line("spec", line, 0, 0, NULL);
  g_assert_cmpint(tolerance.form, ==, ACCEPTED_RANGE);
  g_assert_cmpfloat(tolerance.ulps, ==, 1);
  g_assert_cmpuint(tolerance.farthest, ==, 0x3f800000);
}

/* A generator of any uniform numbers, by its contract: without that permission, one value. */
static void test_widest_permission(void) {
  static const char line[] =
      "byteir.rng_uniform f32[] f32[] i64[] i64[] -> f32[3] : 00000000 : 3f800000 : "
      "0000000000000001 : 0000000000000002";
  g_autoptr(GArray) narrowings = g_array_new(FALSE, FALSE, sizeof(narrowing_t));
  tolerance_t tolerance = tolerance_of_line("backend,rng_uniform=any", line, 0, 1, narrowings);
  g_assert_cmpfloat(tolerance.ulps, >, 1e6);
  bool is_named = false;
  for (guint i = 0; i < narrowings->len; i++) {
    const narrowing_t *narrowing = &g_array_index(narrowings, narrowing_t, i);
    g_test_message("%s: %g instead of %g", narrowing->withdrawal.permission, narrowing->ulps,
                   tolerance.ulps);
    bool is_it = strcmp(narrowing->withdrawal.permission, "rng_uniform") == 0;
    is_named |= is_it;
    if (is_it) g_assert_cmpfloat(narrowing->ulps, <, 4);
  }
  g_assert_true(is_named);
}

/* Integers that may wrap and may saturate: two values, 255 apart. */
static void test_integers(void) {
  static const char line[] = "stablehlo.add i8[] i8[] -> i8[] : 7f : 01";
  tolerance_t tolerance = tolerance_of_line("backend", line, 0, 0, NULL);
  g_assert_cmpint(tolerance.form, ==, ACCEPTED_PARTS);
  g_assert_cmpfloat(tolerance.ulps, ==, 255);
  tolerance = tolerance_of_line("backend,integer_overflow=wrap", line, 0, 0, NULL);
  g_assert_cmpfloat(tolerance.ulps, ==, 0);
}

static void test_wrong_value_to_begin_with(void) {
  subject_t subject;
  subject_init(&subject, "backend");
  failure_t error = {0};
  status_t status = case_parse(str_from("stablehlo.add f32[] f32[] -> f32[] : 3f800000 : 3f800000"),
                               &subject.arena, &subject.instance, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  simulate(&subject);
  element_store(subject.results[0].type.element, subject.results[0].data, 0, 0x3f800000);
  tolerance_t tolerance;
  g_assert_cmpint(tolerance_find(&subject.question, 0, 0, &tolerance, &error), ==,
                  STATUS_UNDECIDED);
  subject_deinit(&subject);
}

/* ---- All patterns ---------------------------------------------------------------------------- */

/* What asking about every pattern of a component tells. */
typedef struct brute {
  int64_t low, high; /* By format_ordinal(), or the integers. */
  bool has_any, has_gap;
} brute_t;

static int64_t place_of(const element_t *element, uint64_t bits) {
  return element->format != NULL ? format_ordinal(element->format, bits)
                                 : element_signed_value(element, bits);
}

static brute_t ask_all(const subject_t *subject, uint32_t result, size_t component) {
  const element_t *element = subject->results[result].type.element;
  brute_t brute = {0};
  int64_t count = 0;
  failure_t error = {0};
  for (uint64_t bits = 0; bits <= element_mask(element); bits++) {
    if (element->format != NULL && format_is_nan(element->format, bits)) continue;
    answer_t answer;
    if (tolerance_ask(&subject->question, result, component, bits, &answer, &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
    if (!answer.conforms) continue;
    int64_t place = place_of(element, bits);
    brute.low = brute.has_any ? MIN(brute.low, place) : place;
    brute.high = brute.has_any ? MAX(brute.high, place) : place;
    brute.has_any = true;
    count++;
  }
  brute.has_gap = brute.has_any && brute.high - brute.low + 1 != count;
  return brute;
}

typedef struct tally {
  unsigned components, wide, in_parts, missed;
} tally_t;

/* The end that is found is an end of the set, and no value lies beyond it where there are no gaps.
 */
static void compare(const subject_t *subject, uint32_t result, size_t component, tally_t *tally) {
  failure_t error = {0};
  tolerance_t tolerance;
  status_t status = tolerance_find(&subject->question, result, component, &tolerance, &error);
  if (status != STATUS_OK || !tolerance.is_measured) return;
  brute_t brute = ask_all(subject, result, component);
  int64_t farthest = place_of(subject->results[result].type.element, tolerance.farthest);
  bool is_end = farthest == brute.low || farthest == brute.high;
  tally->components++;
  tally->wide += brute.low < brute.high;
  tally->in_parts += brute.has_gap;
  tally->missed += !is_end;
  if (!brute.has_gap) g_assert_true(is_end);
  g_assert_true(farthest >= brute.low && farthest <= brute.high);
  if (tolerance.form == ACCEPTED_ONE_VALUE && !brute.has_gap) {
    g_assert_cmpint(brute.low, ==, brute.high);
  }
  if (tolerance.form == ACCEPTED_RANGE) g_assert_cmpint(brute.low, <, brute.high);
}

static bool has_small_results(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (program->results[i].element->bits > 8 || program->results[i].quantization != NULL) {
      return false;
    }
  }
  return true;
}

static void compare_case(subject_t *subject, rng_t *rng, tally_t *tally) {
  const program_t *program = &subject->instance.program;
  simulate(subject);
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_component_count(&program->results[i]);
    for (size_t k = 0; k < MIN(count, 3); k++) {
      compare(subject, i, rng_below(rng, count), tally);
    }
  }
}

static void test_all_patterns(void) {
  enum { DRAWS = 400 };
  tally_t tally = {0};
  rng_t rng = rng_make(20261123);
  gen_options_t options = gen_options_default();
  options.limits = (draw_limits_t){.rank_max = 2, .elements_max = 32, .terms_max = 12};
  options.invalid_one_in = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (oracle_find(*op) == NULL) continue;
    for (int i = 0; i < DRAWS; i++) {
      subject_t subject;
      subject_init(&subject, "backend");
      options.contract = &subject.contract;
      program_t program;
      const char *broken;
      gen_program(&rng, *op, &options, &subject.arena, &program, &broken);
      if (has_small_results(&program)) {
        subject.instance = case_make(&subject.arena, &program);
        gen_data(&rng, &subject.instance);
        failure_t error = {0};
        accept_t accepts[CASE_RESULTS_MAX];
        const oracle_call_t call = {.instance = &subject.instance,
                                    .contract = &subject.contract,
                                    .arena = &subject.arena,
                                    .error = &error};
        if (oracle_find(*op)->accept(&call, accepts) == STATUS_OK) {
          compare_case(&subject, &rng, &tally);
        }
      }
      subject_deinit(&subject);
    }
  }
  g_test_message("%u components: %u with several values, %u in parts, of %u the end was missed",
                 tally.components, tally.wide, tally.in_parts, tally.missed);
  g_assert_cmpuint(tally.components, >, 1000);
  g_assert_cmpuint(tally.wide, >, 100);
  g_assert_cmpuint(20 * tally.missed, <=, tally.in_parts);
}

/* ---- Terms ----------------------------------------------------------------------------------- */

static size_t terms_of(const char *line) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), &arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  size_t terms = program_terms(&program);
  arena_deinit(&arena);
  return terms;
}

static void test_terms(void) {
  g_assert_cmpuint(terms_of("stablehlo.add f32[9] f32[9] -> f32[9]"), ==, 1);
  g_assert_cmpuint(terms_of("stablehlo.reduce body=add dims=[0,2] f32[3,5,7] f32[] -> f32[5]"), ==,
                   21);
  g_assert_cmpuint(terms_of("byteir.softmax axis=1 f32[4,768] -> f32[4,768]"), ==, 768);
  g_assert_cmpuint(terms_of("byteir.layer_norm epsilon=0x1p-17 axis=[1] f32[2,96] f32[96] f32[96] "
                            "-> f32[2,96]"),
                   ==, 96);
}

static void test_buckets(void) {
  for (size_t terms = 0; terms < 300000; terms++) {
    size_t bucket = term_bucket(terms);
    g_assert_cmpuint(terms, >=, term_bucket_low(bucket));
    g_assert_cmpuint(terms, <=, term_bucket_high(bucket));
  }
  g_assert_cmpuint(term_bucket(1), ==, 0);
  g_assert_cmpuint(term_bucket(2), ==, 1);
  g_assert_cmpuint(term_bucket(4096), ==, 4);
  g_assert_cmpuint(term_bucket(SIZE_MAX), ==, TERM_BUCKETS - 1);
  for (size_t bucket = 1; bucket < TERM_BUCKETS; bucket++) {
    g_assert_cmpuint(term_bucket_low(bucket), ==, term_bucket_high(bucket - 1) + 1);
  }
}

static void test_quantiles(void) {
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  g_assert_true(isnan(power_quantile(values, 0.5)));
  const double some[] = {3, (double)INFINITY, 1, 2};
  g_array_append_vals(values, some, G_N_ELEMENTS(some));
  g_assert_cmpfloat(power_quantile(values, 0.5), ==, 2);
  g_assert_cmpfloat(power_quantile(values, 0.75), ==, 3);
  g_assert_true(isinf(power_quantile(values, 0.9)));
  g_assert_true(isinf(power_quantile(values, 1)));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/tolerance/one_value", test_one_value);
  g_test_add_func("/tolerance/two_orders", test_two_orders);
  g_test_add_func("/tolerance/widest_permission", test_widest_permission);
  g_test_add_func("/tolerance/integers", test_integers);
  g_test_add_func("/tolerance/wrong_value_to_begin_with", test_wrong_value_to_begin_with);
  g_test_add_func("/tolerance/all_patterns", test_all_patterns);
  g_test_add_func("/power/terms", test_terms);
  g_test_add_func("/power/buckets", test_buckets);
  g_test_add_func("/power/quantiles", test_quantiles);
  return g_test_run();
}
