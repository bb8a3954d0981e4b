/* SPDX-License-Identifier: Apache-2.0 */
/* How grave findings are, and that every report has them in that order. */
#include <math.h>

#include "harness/store/severity/severity.h"
#include "harness/store/severity/severity_order.h"
#include "reports/report.h"
#include "tests/store/store_fixture.h"

static const char *const CLASSES[] = {
#define CLASS(name, spelling, summary) spelling,
#include "harness/judge/classes.def"
#undef CLASS
};

/* ONNX Runtime's minimum of int64 among what else a night finds: the gravest first, and each line
 * with its severity.  The extents and errors were worked by hand. */
static const struct {
  const char *severity;
  const char *class_;
  const char *cause;
  const char *types;
  const char *case_line;
  const char *got;
  const char *expected;
  double extent;
  double error;
} RANKED[] = {
    {"wrong-value-ordinary", "value", "", "f32,f32->f32",
     "stablehlo.add f32[1] f32[1] -> f32[1] : 3f800000 : 40000000", "0x1p+1", "0x1.8p+1", 1,
     1.0 / 3},
    {"wrong-value-ordinary", "value", "", "i64,i64->i64",
     "stablehlo.minimum i64[2] i64[2] -> i64[2] : ffffffffffffffffffffffffffffffff : "
     "ffffffff00000001ffffffff00000001",
     "-1", "-4294967295", 16, 1 - 1.0 / 4294967295.0},
    {"wrong-value-ordinary", "value", "", "quant<i8:f32>->i64", "an.op quant -> i64[1] : 80",
     "9223372036854775806", "9223372036854775807", 16, 0x1p-63},
    {"wrong-value", "value", "", "f16->f16", "an.op f16[1] -> f16[1] : 0001", "0x1p+1", "0x0p+0",
     24, 1},
    {"wrong-value", "value", "", "f32->f32", "an.op f32[2] -> f32[2] : 3f80000058800000", "0x1p+1",
     "0x1.8p+1 .. 0x1.9p+1", 50, 1.0 / 3},
    {"wrong-index", "index", "", "f32->i64", "an.op f32[1] -> i64[1] : 3f800000", "3", "2", 0,
     1.0 / 3},
    {"broken-execution", "crash", "", "f32->f32", "an.op f32[1] -> f32[1] : 3f800000", "", "", 0,
     (double)NAN},
    {"nondeterminism", "nondeterministic", "", "f32->f32", "an.op f32[1] -> f32[1] : 3f800000", "1",
     "2", 0, 0.5},
    {"wrong-algorithm", "algorithm", "narrow-operands", "f32->f32",
     "an.op f32[1] -> f32[1] : 3f800000", "1", "2", 0, 0.5},
    {"nan-or-infinity", "value", "", "f32->f32", "an.op f32[1] -> f32[1] : 3f800000", "inf", "2", 0,
     (double)NAN},
    {"nan-or-infinity", "nan", "", "f32->f32", "an.op f32[1] -> f32[1] : 7fc00000", "1", "NaN",
     (double)INFINITY, (double)NAN},
    {"precision", "truncation", "", "f32->f32", "an.op f32[1] -> f32[1] : 3f800000", "1", "2", 0,
     0.5},
    {"flushing", "value", "flushed-operands", "f32->f32", "an.op f32[1] -> f32[1] : 00000001",
     "0x0p+0", "0x1p-149", 149, 1},
    {"zero-sign", "zero-sign", "", "f32->f32", "an.op f32[1] -> f32[1] : 80000000", "0x0p+0",
     "-0x0p+0", 0, 0},
    {"acceptance", "invalid-accepted", "", "f32->f32", "an.op f32[1] -> f32[1] : 3f800000", "", "",
     0, (double)NAN},
};

static severity_case_t ranked_case(size_t i) {
  return (severity_case_t){.class_ = RANKED[i].class_,
                           .cause = RANKED[i].cause,
                           .types = RANKED[i].types,
                           .case_line = RANKED[i].case_line,
                           .got = RANKED[i].got,
                           .expected = RANKED[i].expected};
}

static void assert_near(double value, double expected) {
  if (isnan(expected) || isinf(expected)) {
    g_assert_true(isnan(value) == isnan(expected) && isinf(value) == isinf(expected));
  } else {
    g_assert_cmpfloat_with_epsilon(value, expected, 1e-12);
  }
}

static void test_by_hand(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(RANKED); i++) {
    const severity_case_t instance = ranked_case(i);
    const severity_t severity = severity_of(&instance);
    g_test_message("%zu: %s", i, severity_spelling(severity.id));
    g_assert_cmpstr(severity_spelling(severity.id), ==, RANKED[i].severity);
    assert_near(severity.data_extent, RANKED[i].extent);
    assert_near(severity.relative_error, RANKED[i].error);
    g_assert_true(isfinite(severity.weight));
  }
}

/* A class that is new is about wrong values until somebody says otherwise; those that are not are
 * named here. */
static void test_every_class(void) {
  static const char *const values[] = {"value",   "init",   "padding", "overflow",
                                       "quantum", "shared", NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(CLASSES); i++) {
    severity_case_t instance = ranked_case(0);
    instance.class_ = CLASSES[i];
    bool is_value = severity_of(&instance).id == SEVERITY_wrong_value_ordinary;
    g_test_message("%s", CLASSES[i]);
    g_assert_true(is_value == g_strv_contains(values, CLASSES[i]));
  }
}

/* Data that cannot be read are not ordinary. */
static void test_unreadable(void) {
  static const char *const lines[] = {"short", "an.op : zz : 3f800000", "an.op : 3f8 : 3f800000",
                                      "an.op : 3f800000"};
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    severity_case_t instance = ranked_case(0);
    instance.case_line = lines[i];
    const severity_t severity = severity_of(&instance);
    g_assert_cmpint(severity.id, ==, SEVERITY_wrong_value);
    g_assert_true(isnan(severity.data_extent));
  }
}

static void add_ranked(store_t *store, int64_t run_id, int64_t executor, size_t i) {
  g_autofree char *signature = g_strdup_printf("s%zu", i);
  store_divergence_t finding = sample_divergence(run_id, executor, signature);
  finding.class = RANKED[i].class_;
  finding.cause = RANKED[i].cause;
  finding.types = RANKED[i].types;
  finding.case_line = RANKED[i].case_line;
  finding.got = RANKED[i].got;
  finding.expected = RANKED[i].expected;
  finding.slack = (double)i;
  store_add_divergence(store, &finding);
  for (size_t more = 0; more < i; more++) store_add_divergence(store, &finding);
}

static void fill(store_fixture_t *fixture) {
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor = add_executor(fixture, store, "onnxruntime");
  for (size_t i = G_N_ELEMENTS(RANKED); i-- > 0;) add_ranked(store, run_id, executor, i);
  close_store(fixture, store);
}

/* Found in the opposite order, the less grave the more often and by the larger slack: every report
 * has them as they stand above. */
static void test_order(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  GString *expected = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(RANKED); i++) {
    g_string_append_printf(expected, "%ss%zu|%s", i == 0 ? "" : "\n", i, RANKED[i].severity);
  }
  assert_query(fixture,
               "SELECT signature, severity FROM finding ORDER BY severity_rank, severity_weight "
               "DESC",
               expected->str);
  static const char *const queries[] = {"findings", "new", "worst"};
  for (size_t i = 0; i < G_N_ELEMENTS(queries); i++) {
    g_autofree char *sql = g_strdup_printf(
        "SELECT 's' || (%zu - id), severity FROM (%.*s)", G_N_ELEMENTS(RANKED),
        (int)(strlen(report_find_query(queries[i])) - 2), report_find_query(queries[i]));
    assert_query(fixture, sql, expected->str);
  }
  g_string_free(expected, TRUE);
}

static status_t add_severity(void *context, int column_count, const char *const *names,
                             const store_value_t *values, failure_t *error) {
  return append_row(context, column_count, names, values, error);
}

/* What a file names comes first, in its order; the others follow. */
static void test_order_file(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  g_autofree char *path = g_strconcat(fixture->path, ".order", NULL);
  g_assert_true(g_file_set_contents(path, "# mine\nzero-sign # first\n\nflushing\n", -1, NULL));
  const report_source_t source = {.path = fixture->path, .severity = path};
  store_reader_t *reader = NULL;
  ASSERT_OK(fixture, report_open(&source, &reader, &fixture->error));
  g_autoptr(GString) text = g_string_new(NULL);
  ASSERT_OK(fixture,
            store_reader_query(reader,
                               "SELECT DISTINCT severity FROM (SELECT severity, severity_rank FROM "
                               "finding ORDER BY severity_rank) LIMIT 4",
                               add_severity, text, &fixture->error));
  store_reader_close(reader);
  g_assert_cmpstr(text->str, ==, "zero-sign\nflushing\nwrong-value-ordinary\nwrong-value");
  severity_order_t order;
  g_assert_true(g_file_set_contents(path, "flushing\n\nbad\n", -1, NULL));
  ASSERT_FAILS(fixture, severity_order_read(path, &order, &fixture->error), STATUS_INVALID,
               ":3: no severity \"bad\"; write one of these on a line: wrong-value-ordinary, ");
  g_assert_true(g_file_set_contents(path, "flushing\nflushing\n", -1, NULL));
  ASSERT_FAILS(fixture, severity_order_read(path, &order, &fixture->error), STATUS_INVALID,
               ":2: \"flushing\" is named twice");
  remove(path);
  ASSERT_FAILS(fixture, severity_order_read(path, &order, &fixture->error), STATUS_INVALID,
               "cannot read the order of severities");
}

/* The view is severities.def. */
static void test_view(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  g_autoptr(GString) expected = g_string_new(NULL);
  for (int i = 0; i < SEVERITY_COUNT; i++) {
    g_string_append_printf(expected, "%s%s|%d", i == 0 ? "" : "\n",
                           severity_spelling((severity_id_t)i), i + 1);
    g_assert_cmpint(severity_find(severity_spelling((severity_id_t)i)), ==, i);
  }
  assert_query(fixture, "SELECT severity, rank FROM severity ORDER BY rank", expected->str);
}

/* The gravest of the cases of a finding is kept, whichever came first, and is what is shown unless
 * a shorter one is as grave. */
static void test_gravest_case(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_divergence_t finding = sample_divergence(run_id, add_executor(fixture, store, "x"), "s");
  static const char *const lines[] = {"a.long.op : 58800000 : 3f800000",
                                      "the.op.with.the.longest.name : 40000000 : 3f800000",
                                      "op : 58800000 : 58800000"};
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    finding.case_line = lines[i];
    finding.slack = i == 0 ? 100 : 2;
    store_add_divergence(store, &finding);
    ASSERT_OK(fixture, store_flush(store, &fixture->error));
  }
  close_store(fixture, store);
  assert_query(fixture,
               "SELECT case_line, shortest_case_line, small_case_line, severity FROM finding",
               "a.long.op : 58800000 : 3f800000|op : 58800000 : 58800000|"
               "the.op.with.the.longest.name : 40000000 : 3f800000|wrong-value-ordinary");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/severity/by_hand", test_by_hand);
  g_test_add_func("/severity/every_class", test_every_class);
  g_test_add_func("/severity/unreadable", test_unreadable);
  STORE_TEST("/severity/order", test_order);
  STORE_TEST("/severity/order_file", test_order_file);
  STORE_TEST("/severity/view", test_view);
  STORE_TEST("/severity/gravest_case", test_gravest_case);
  return g_test_run();
}
