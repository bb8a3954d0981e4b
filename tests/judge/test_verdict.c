/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings, and which verdicts are one finding. */
#include "harness/judge/judge.h"
#include "harness/model/op.h"

static void test_spellings(void) {
  GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    g_assert_true(g_hash_table_add(seen, (char *)(uintptr_t)outcome_spelling((outcome_t)i)));
  }
  g_hash_table_remove_all(seen);
  for (int i = 0; i < CLASS_COUNT; i++) {
    const char *spelling = class_spelling((divergence_class_t)i);
    g_assert_true(g_hash_table_add(seen, (char *)(uintptr_t)spelling));
  }
  g_hash_table_unref(seen);
  g_assert_cmpstr(outcome_spelling(OUTCOME_no_oracle), ==, "no-oracle");
  g_assert_cmpstr(class_spelling(CLASS_none), ==, "");
  g_assert_cmpstr(class_spelling(CLASS_zero_sign), ==, "zero-sign");
}

/* Ops whose label is their attribute. */
static void print_label(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->attributes);
}

static const op_t sum_op = {.name = "test.sum", .print_algorithm = print_label};
static const op_t product_op = {.name = "test.product", .print_algorithm = print_label};

static program_t make_program(const op_t *op, const char *label, const char *element,
                              int64_t size) {
  program_t program = {.op = op, .attributes = label, .operand_count = 1, .result_count = 1};
  program.operands[0] = type_make(element_named(element), 1, &size);
  program.results[0] = type_make(element_named(element), 0, NULL);
  return program;
}

static verdict_t make_verdict(divergence_class_t class_, size_t wrong, size_t all) {
  return (verdict_t){
      .outcome = OUTCOME_diverges, .class_ = class_, .wrong_count = wrong, .component_count = all};
}

static void set_cause(verdict_t *verdict, const char *cause, bool is_sure) {
  g_strlcpy(verdict->cause, cause, sizeof verdict->cause);
  verdict->is_cause_sure = is_sure;
}

static bool same_finding(const verdict_t *a, const program_t *p, const verdict_t *b,
                         const program_t *q) {
  hash_text_t first = verdict_signature(a, p);
  hash_text_t second = verdict_signature(b, q);
  return g_str_equal(first.text, second.text);
}

/* Sizes, places, shares, values and errors do not count. */
static void test_same(void) {
  program_t small = make_program(&sum_op, "add", "f32", 4);
  program_t large = make_program(&sum_op, "add", "f32", 4000);
  verdict_t a = make_verdict(CLASS_value, 3, 10);
  verdict_t b = make_verdict(CLASS_value, 1000, 1000);
  b.component = 17;
  b.got_bits = 5;
  b.ulp_error_max = 9;
  b.slack_max = 8;
  b.backward_error_max = 7;
  g_strlcpy(b.expected, "something", sizeof b.expected);
  g_strlcpy(b.got, "else", sizeof b.got);
  g_strlcpy(b.observed, "init_count=2", sizeof b.observed);
  g_strlcpy(b.reason, "because", sizeof b.reason);
  g_assert_true(same_finding(&a, &small, &b, &large));
}

/* Op, label, type, outcome, class and constraint do. */
static void test_different(void) {
  program_t program = make_program(&sum_op, "add", "f32", 4);
  verdict_t verdict = make_verdict(CLASS_value, 3, 10);
  program_t programs[] = {make_program(&product_op, "add", "f32", 4),
                          make_program(&sum_op, "multiply", "f32", 4),
                          make_program(&sum_op, "add", "f16", 4)};
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    g_assert_false(same_finding(&verdict, &program, &verdict, &programs[i]));
  }
  verdict_t verdicts[] = {verdict, make_verdict(CLASS_order, 3, 10), verdict, verdict};
  verdicts[0].outcome = OUTCOME_failed;
  g_strlcpy(verdicts[2].constraint, "C14", sizeof verdict.constraint);
  set_cause(&verdicts[3], "without-last-term", true);
  for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++) {
    g_assert_false(same_finding(&verdict, &program, &verdicts[i], &program));
    for (size_t j = 0; j < i; j++) {
      g_assert_false(same_finding(&verdicts[i], &program, &verdicts[j], &program));
    }
  }
}

/* One cause is one finding, whatever kinds of values it makes wrong; one in doubt is none. */
static void test_causes(void) {
  program_t program = make_program(&sum_op, "add", "f32", 4);
  verdict_t value = make_verdict(CLASS_value, 3, 10);
  verdict_t nan = make_verdict(CLASS_nan, 10, 10);
  set_cause(&value, "without-last-term", true);
  set_cause(&nan, "without-last-term", true);
  g_assert_true(same_finding(&value, &program, &nan, &program));
  g_strlcpy(nan.cause_words, "without the last term, 16 (of 17)", sizeof nan.cause_words);
  g_strlcpy(nan.pattern, "last", sizeof nan.pattern);
  g_assert_true(same_finding(&value, &program, &nan, &program));
  set_cause(&nan, "without-first-term", true);
  g_assert_false(same_finding(&value, &program, &nan, &program));
  set_cause(&value, "without-last-term", false);
  verdict_t unknown = make_verdict(CLASS_value, 3, 10);
  g_assert_true(same_finding(&value, &program, &unknown, &program));
}

/* Stored in databases: the same for ever. */
static void test_pinned(void) {
  program_t program = make_program(&sum_op, "add", "f32", 4);
  verdict_t verdict = make_verdict(CLASS_value, 3, 10);
  static const char words[] = "signature 2\ntest.sum\nadd\nf32->f32\ndiverges\n\nclass value\n";
  hash_text_t expected = hash_of(words, sizeof words - 1);
  hash_text_t signature = verdict_signature(&verdict, &program);
  g_assert_cmpstr(signature.text, ==, expected.text);
  set_cause(&verdict, "without-init", true);
  static const char known[] =
      "signature 2\ntest.sum\nadd\nf32->f32\ndiverges\n\ncause without-init\n";
  expected = hash_of(known, sizeof known - 1);
  signature = verdict_signature(&verdict, &program);
  g_assert_cmpstr(signature.text, ==, expected.text);
}

/* Which classes another algorithm explains better, and that what was observed already stands. */
static void test_algorithms(void) {
  static const struct {
    divergence_class_t class_;
    const char *observed;
    const char *algorithms;
    bool is_named;
    divergence_class_t expected;
  } rows[] = {
      {CLASS_value, "", "A|B", true, CLASS_algorithm},
      {CLASS_value, "", "A|B", false, CLASS_algorithm},
      {CLASS_inf, "", "A", true, CLASS_algorithm},
      {CLASS_nan, "low_nan=keep", "A", true, CLASS_nan},
      {CLASS_truncation, "", "A", true, CLASS_algorithm},
      {CLASS_truncation, "operand_rounding=rz", "A", true, CLASS_truncation},
      {CLASS_truncation, "", "A", false, CLASS_truncation},
      {CLASS_precision, "", "A", false, CLASS_precision},
      {CLASS_flush, "", "A", true, CLASS_flush}, /* Narrow types lose small numbers too. */
      {CLASS_zero_sign, "", "A", true, CLASS_zero_sign},
      {CLASS_nondeterministic, "", "A", true, CLASS_nondeterministic},
      {CLASS_value, "", "", true, CLASS_value}, /* No algorithm gives such bits. */
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    verdict_t verdict = make_verdict(rows[i].class_, 3, 10);
    g_strlcpy(verdict.observed, rows[i].observed, sizeof verdict.observed);
    verdict_note_algorithms(&verdict, rows[i].algorithms, rows[i].is_named);
    g_assert_cmpstr(class_spelling(verdict.class_), ==, class_spelling(rows[i].expected));
    g_assert_cmpstr(verdict.algorithms, ==, rows[i].algorithms);
    bool explains = rows[i].expected == CLASS_algorithm;
    g_assert_cmpstr(verdict.observed, ==, explains ? rows[i].algorithms : rows[i].observed);
  }
  verdict_t conforming = {.outcome = OUTCOME_conforms};
  verdict_note_algorithms(&conforming, "A|B", true);
  g_assert_cmpint(conforming.outcome, ==, OUTCOME_conforms);
  g_assert_cmpstr(conforming.observed, ==, "");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/verdict/spellings", test_spellings);
  g_test_add_func("/verdict/same", test_same);
  g_test_add_func("/verdict/different", test_different);
  g_test_add_func("/verdict/causes", test_causes);
  g_test_add_func("/verdict/pinned", test_pinned);
  g_test_add_func("/verdict/algorithms", test_algorithms);
  return g_test_run();
}
