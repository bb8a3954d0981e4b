/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of `assay report`: what they hold, and that nothing in a database breaks them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/overview/report_overview.h"
#include "tests/reports/report_sample.h"

static char *report(store_fixture_t *fixture, const char *campaign, overview_format_t format) {
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  ASSERT_OK(fixture,
            report_write_overview(&(report_source_t){.path = fixture->path, .campaign = campaign},
                                  format, out, &fixture->error));
  g_assert_cmpint(fclose(out), ==, 0);
  g_assert_cmpuint(strlen(written), ==, size); /* No NUL in it. */
  g_assert_true(g_utf8_validate(written, -1, NULL));
  return written;
}

static void assert_holds(const char *text, const char *part) {
  if (strstr(text, part) == NULL) g_error("not in it: %s\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part) {
  if (strstr(text, part) != NULL) g_error("in it: %s\n%.3000s", part, strstr(text, part));
}

/* GLib's parser wants every element closed, attributes quoted and known entities. */
static void assert_is_xml(const char *text) {
  static const GMarkupParser nothing = {0};
  GMarkupParseContext *context = g_markup_parse_context_new(&nothing, 0, NULL, NULL);
  GError *failure = NULL;
  bool is_good = g_markup_parse_context_parse(context, text, -1, &failure) &&
                 g_markup_parse_context_end_parse(context, &failure);
  if (!is_good) g_error("%s", failure->message);
  g_markup_parse_context_free(context);
  for (const char *p = text; *p != '\0'; p++) { /* XML 1.0, 2.2. */
    g_assert_true((unsigned char)*p >= 0x20 || strchr("\n\t", *p) != NULL);
  }
  assert_lacks(text, "&#x");
  assert_lacks(text, "\xef\xbf\xbe");
  assert_lacks(text, "\xef\xbf\xbf");
}

static void assert_is_json(const char *text) {
  json_error_t error;
  json_t *document = json_loads(text, 0, &error);
  if (document == NULL) g_error("%s: %s", error.text, text);
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) {
    const char *name = overview_section_name((overview_section_t)i);
    g_assert_true(json_is_array(json_object_get(document, name)));
  }
  json_decref(document);
}

static void test_sample(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  char *text = report(fixture, NULL, OVERVIEW_TEXT);
  const char *first = strstr(text, "WHAT IS WRONG, the gravest first");
  const char *second = strstr(text, "NEW in campaign run 2: 1 findings");
  const char *third = strstr(text, "VACUOUS: NOTHING COULD HAVE FAILED HERE");
  g_assert_true(first != NULL && first < second && second < third);
  assert_holds(
      text,
      "run 2 found 1 new root cause: a wrong finite number for data that are rare "
      "(openblas (1.2), stablehlo.reduce).\n3 root causes are known from before, 3 of them "
      "not seen this time. Wrong: ");
  assert_holds(text, "           5    4.2 %  refused by the executor");
  assert_holds(text, "assay replay 'short' --executor 'openblas'");
  assert_holds(text, "wrong-value       onednn (1.2)    without the last term, 1 of 2");
  assert_holds(text, "2 of 3 put to the test");
  free(text);
  char *json = report(fixture, NULL, OVERVIEW_JSON);
  assert_is_json(json);
  free(json);
  char *tap = report(fixture, NULL, OVERVIEW_TAP);
  assert_holds(tap, "TAP version 13\n1..2\n");
  assert_holds(tap, "ok 1 - openblas stablehlo.dot_general default\n");
  assert_holds(tap, "not ok 2 - onednn stablehlo.reduce add\n");
  assert_holds(tap, "repro: \"assay replay 'stablehlo.reduce body=add dims=[0] f32[1] f32[]");
  free(tap);
  char *junit = report(fixture, NULL, OVERVIEW_JUNIT);
  assert_is_xml(junit);
  assert_holds(junit, "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"");
  assert_holds(junit, "<failure type=\"value\" message=\"value: 0x0p+0, expected 0x1.8p+0");
  assert_holds(junit, "cause: without the last term, 1 of 2; the last column");
  free(junit);
}

/* What nothing was judged in is no pass. */
static void test_skipped(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  static const struct {
    const char *outcome;
    const char *tap;
    const char *junit;
  } rows[] = {{"refused", "# SKIP refused\n", "<skipped message=\"refused\"/>"},
              {"no-oracle", "# SKIP no oracle\n", "<skipped message=\"no oracle\"/>"},
              {"weak", "# SKIP weak: nothing could have failed\n",
               "<skipped message=\"weak: nothing could have failed\"/>"}};
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor = add_executor(fixture, store, "x");
  store_counter_t counter = sample_counter(run_id, executor);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    counter.algorithm = rows[i].outcome;
    count(store, counter, rows[i].outcome, "", 1);
  }
  close_store(fixture, store);
  char *tap = report(fixture, NULL, OVERVIEW_TAP);
  char *junit = report(fixture, NULL, OVERVIEW_JUNIT);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    assert_holds(tap, rows[i].tap);
    assert_holds(junit, rows[i].junit);
  }
  assert_lacks(tap, "not ok");
  assert_holds(junit, "skipped=\"3\"");
  free(tap);
  free(junit);
}

/* A page has no reference to anything outside itself. */
static void assert_is_alone(const char *page) {
  static const char *const references[] = {" src=",  "url(",    "@import", "<link",
                                           "<img",   "<iframe", "<object", "http://",
                                           "fetch(", "XMLHttp", "import(", "<base"};
  for (size_t i = 0; i < G_N_ELEMENTS(references); i++) assert_lacks(page, references[i]);
  assert_holds(page,
               "content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "script-src 'unsafe-inline'; img-src data:\"");
}

/* The document that a page holds, as its script reads it; NULL if it cannot be read. */
static json_t *page_document(const char *page) {
  static const char begin[] = "<script type=\"application/json\" id=\"report\">";
  const char *from = strstr(page, begin);
  g_assert_nonnull(from);
  from += strlen(begin);
  const char *to = strstr(from, "</script>");
  return json_loadb(from, (size_t)(to - from), 0, NULL);
}

static const char *text_in(const json_t *document, const char *section, size_t row,
                           const char *column) {
  const json_t *rows = json_object_get(document, section);
  return json_string_value(json_object_get(json_array_get(rows, row), column));
}

static void test_page(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  char *page = report(fixture, NULL, OVERVIEW_HTML);
  assert_is_alone(page);
  g_assert_true(strstr(page, "<h2>What is wrong, the gravest first</h2>") <
                strstr(page, "<h2>What proved nothing</h2>"));
  assert_holds(page, "data-promised=\"causes=4\"");
  json_t *document = page_document(page);
  g_assert_cmpuint(json_array_size(json_object_get(document, "causes")), ==, 4);
  size_t known = strstr(text_in(document, "causes", 0, "diagnosis"), "last term") == NULL;
  g_assert_cmpstr(text_in(document, "causes", known, "diagnosis"), ==,
                  "without the last term, 1 of 2");
  g_assert_cmpstr(text_in(document, "causes", known, "pattern"), ==, "the last column");
  g_assert_cmpstr(text_in(document, "causes", known, "who"), ==, "onednn (1.2)");
  g_assert_cmpstr(text_in(document, "causes", known, "got"), ==, "0");
  g_assert_cmpstr(text_in(document, "causes", known, "permitted"), ==, "1.5 .. 1.5625");
  assert_holds(text_in(document, "causes", known, "module"), "\"stablehlo.reduce\"");
  g_assert_cmpstr(text_in(document, "constraints", 2, "accepted by"), ==, "onednn");
  json_decref(document);
  free(page);
}

static void test_empty(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  close_store(fixture, open_store(fixture));
  for (int format = 0; format < OVERVIEW_FORMAT_COUNT; format++) {
    char *text = report(fixture, NULL, (overview_format_t)format);
    if (format == OVERVIEW_JSON) assert_is_json(text);
    if (format == OVERVIEW_JUNIT) assert_is_xml(text);
    if (format == OVERVIEW_TAP) assert_holds(text, "1..0 # SKIP the database counts no cases");
    if (format == OVERVIEW_HTML) assert_holds(text, "\"headline\": \"Nothing has run.\"");
    free(text);
  }
}

#define ATTACK \
  "<script>document.title='owned'</script>\"'><b onmouseover=x>&amp;]]>\x1b[31m\xef\xbf\xbf"

/* Everything that a database can hold as text is an attack. */
static void fill_hostile(store_fixture_t *fixture) {
  fill_sample(fixture);
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor = add_executor(fixture, store, ATTACK);
  store_counter_t counter = sample_counter(run_id, executor);
  counter.op = counter.algorithm = counter.types = ATTACK;
  counter.implementation = ATTACK;
  count(store, counter, "diverges", ATTACK, 3);
  count(store, counter, "refused", "", 3);
  store_divergence_t finding = sample_divergence(run_id, executor, "evil");
  finding.op = finding.algorithm = finding.types = finding.class = finding.broken_constraint =
      ATTACK;
  finding.got = finding.expected = finding.reason = finding.observed = ATTACK;
  finding.cause = finding.cause_words = finding.pattern = finding.case_line = ATTACK;
  store_add_divergence(store, &finding);
  const store_constraint_text_t text = {ATTACK, ATTACK, ATTACK};
  ASSERT_OK(fixture, store_describe_constraints(store, &text, 1, &fixture->error));
  close_store(fixture, store);
  change_database(fixture,
                  "UPDATE run SET command = '<script>x</script>', host = '<i>',"
                  " campaign = '<u>\"&' WHERE run_id = 3;"
                  "UPDATE executor SET version = '</td><td>' || executor_id, hardware = '\"<'");
}

static void test_hostile(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_hostile(fixture);
  char *page = report(fixture, NULL, OVERVIEW_HTML);
  assert_lacks(page, "<script>document");
  assert_lacks(page, "<script>x");
  assert_lacks(page, "<b onmouseover");
  assert_lacks(page, "</td><td>1</td>");
  assert_lacks(page, "<i>");
  assert_lacks(page, "<u>");
  assert_lacks(page, "\x1b");
  assert_holds(page, "&lt;script&gt;document.title=&apos;owned&apos;&lt;/script&gt;&quot;");
  assert_holds(page, "\\x1b[31m");
  json_t *document = page_document(page);
  g_assert_nonnull(document);
  size_t place = 0;
  while (strstr(text_in(document, "causes", place, "op"), "owned") == NULL) place++;
  assert_holds(text_in(document, "causes", place, "op"), "<script>document.title='owned'</script>");
  json_decref(document);
  free(page);
  char *junit = report(fixture, NULL, OVERVIEW_JUNIT);
  assert_is_xml(junit);
  free(junit);
  char *json = report(fixture, NULL, OVERVIEW_JSON);
  assert_is_json(json);
  free(json);
  char *tap = report(fixture, NULL, OVERVIEW_TAP);
  assert_lacks(tap, "\x1b");
  free(tap);
  char *text = report(fixture, NULL, OVERVIEW_TEXT);
  assert_lacks(text, "\x1b");
  free(text);
}

/* The command names the contract of the run where it is another than the default; what is too long
 * to be pasted is drawn again. */
static void test_replay(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill_sample(fixture);
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  store_divergence_t finding = sample_divergence(run_id, add_executor(fixture, store, "it's"), "z");
  g_autofree char *bits = g_strnfill(3000, '0');
  g_autofree char *line = g_strdup_printf("stablehlo.erf f32[375] -> f32[375] : %s", bits);
  finding.case_line = line;
  finding.case_seed = 77;
  finding.class = "crash";
  store_add_divergence(store, &finding);
  close_store(fixture, store);
  change_database(fixture, "UPDATE contract SET permissions = 'init_count=1'");
  char *text = report(fixture, NULL, OVERVIEW_TEXT);
  assert_holds(text,
               "assay gen --program 'stablehlo.erf f32[375] -> f32[375]' --case-seed 77 | "
               "assay replay - --executor 'it'\\''s' --contract ");
  assert_holds(text, "init_count=1' --isolate\n");
  free(text);
  change_database(fixture, "UPDATE reproducer SET case_seed = '0'");
  text = report(fixture, NULL, OVERVIEW_TEXT);
  assert_holds(text,
               "sqlite3 'x.db' 'SELECT small_case_line FROM finding WHERE id = 5' | assay "
               "replay - --executor");
  free(text);
}

/* 10,000 findings in 200 ops: no root cause is left out. */
static void test_large(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  int64_t executor = add_executor(fixture, store, "x");
  for (int i = 0; i < 10000; i++) {
    g_autofree char *signature = g_strdup_printf("s%d", i);
    g_autofree char *op = g_strdup_printf("op.number%d", i % 200);
    g_autofree char *line = g_strdup_printf("%s f32[%d] : 00000000", op, i);
    store_divergence_t finding = sample_divergence(run_id, executor, signature);
    finding.op = op;
    finding.case_line = line;
    finding.slack = 1 + i;
    store_add_divergence(store, &finding);
    store_counter_t counter = sample_counter(run_id, executor);
    counter.op = op;
    count(store, counter, "diverges", "value", 1);
  }
  close_store(fixture, store);
  g_test_timer_start();
  char *page = report(fixture, NULL, OVERVIEW_HTML);
  g_test_message("10,000 findings: %zu bytes in %.2f s", strlen(page), g_test_timer_elapsed());
  g_assert_cmpuint(strlen(page), <, 3000000);
  json_t *document = page_document(page);
  g_assert_cmpuint(json_array_size(json_object_get(document, "causes")), ==, 200);
  g_assert_cmpuint(json_array_size(json_object_get(document, "findings")), ==,
                   200 * OVERVIEW_SHOWN_MAX);
  json_decref(document);
  free(page);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  STORE_TEST("/overview/sample", test_sample);
  STORE_TEST("/overview/skipped", test_skipped);
  STORE_TEST("/overview/page", test_page);
  STORE_TEST("/overview/empty", test_empty);
  STORE_TEST("/overview/hostile", test_hostile);
  STORE_TEST("/overview/replay", test_replay);
  STORE_TEST("/overview/large", test_large);
  return g_test_run();
}
