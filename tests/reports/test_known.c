/* SPDX-License-Identifier: Apache-2.0 */
/* Known causes: what is built in explains cases that were worked by hand, findings are joined to
 * it, and a file that is none is refused with its line. */
#include "harness/judge/verdict.h"
#include "harness/model/case.h"
#include "harness/model/op.h"
#include "reports/known/known.h"
#include "reports/report.h"
#include "tests/store/store_fixture.h"

/* ---- The cases of corpus/found --------------------------------------------------------------- */

/* A case with what its comment says of its class: "class index (nan where ...); ..." */
typedef struct found_case {
  char *op;
  char *algorithm;
  char *types;
  GString *classes; /* " index nan ". */
} found_case_t;

static void free_case(gpointer data) {
  found_case_t *found = data;
  g_free(found->op);
  g_free(found->algorithm);
  g_free(found->types);
  g_string_free(found->classes, TRUE);
  g_free(found);
}

/* Adds the classes that a comment names before its first ";". */
static void read_classes(const char *comment, GString *classes) {
  if (!g_str_has_prefix(comment, "# class ")) return;
  g_string_assign(classes, " ");
  g_autofree char *head = g_strndup(comment, strcspn(comment, ";"));
  g_strdelimit(head, "(),", ' ');
  g_auto(GStrv) words = g_strsplit(head, " ", -1);
  for (char **word = words; *word != NULL; word++) {
    for (int i = 1; i < CLASS_COUNT; i++) {
      if (strcmp(*word, class_spelling((divergence_class_t)i)) != 0) continue;
      g_string_append_printf(classes, "%s ", *word);
    }
  }
}

/* Cases without a result stand in the comments. */
static void read_case(const char *line, const GString *classes, GPtrArray *cases) {
  if (g_str_has_prefix(line, "# ")) line += strlen("# ");
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error;
  const char *violation;
  if (case_parse(str_from(line), &arena, &instance, &violation, &error) == STATUS_OK) {
    GString *algorithm = g_string_new(NULL);
    GString *types = g_string_new(NULL);
    instance.program.op->print_algorithm(&instance.program, algorithm);
    program_print_types(&instance.program, types);
    found_case_t *found = g_new(found_case_t, 1);
    *found = (found_case_t){.op = g_strdup(instance.program.op->name),
                            .algorithm = g_string_free(algorithm, FALSE),
                            .types = g_string_free(types, FALSE),
                            .classes = g_string_new(classes->str)};
    g_ptr_array_add(cases, found);
  }
  arena_deinit(&arena);
}

static GPtrArray *read_found(const char *file) {
  g_autofree char *path = g_build_filename(ASSAY_SOURCE_DIR, file, NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GString) classes = g_string_new(NULL);
  GPtrArray *cases = g_ptr_array_new_with_free_func(free_case);
  for (char **line = lines; *line != NULL; line++) {
    read_classes(*line, classes);
    read_case(*line, classes, cases);
  }
  return cases;
}

static bool matches(const char *patterns, const char *text) {
  if (patterns == NULL) return true;
  g_auto(GStrv) each = g_strsplit(patterns, " ", -1);
  for (char **pattern = each; *pattern != NULL; pattern++) {
    if (g_pattern_match_simple(*pattern, text)) return true;
  }
  return false;
}

/* What failed has no class, and no results that a case could be recorded with: its file is enough.
 */
static bool has_class(const char *patterns, const char *classes) {
  if (strcmp(patterns, "-") == 0) return true;
  g_auto(GStrv) each = g_strsplit(classes, " ", -1);
  for (char **class_ = each; *class_ != NULL; class_++) {
    if (**class_ != '\0' && matches(patterns, *class_)) return true;
  }
  return false;
}

static bool explains(const known_entry_t *entry, const found_case_t *found) {
  return matches(entry->fields[KNOWN_op], found->op) &&
         matches(entry->fields[KNOWN_algorithm], found->algorithm) &&
         matches(entry->fields[KNOWN_types], found->types) &&
         has_class(entry->fields[KNOWN_class], found->classes->str);
}

static GPtrArray *read_builtin(void) {
  GPtrArray *known = known_new();
  failure_t error = {.text = ""};
  status_t status = known_add_builtin(known, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  return known;
}

/* Each entry that is built in names a file of corpus/found, and matches a case there. */
static void test_entries_are_found(void) {
  g_autoptr(GPtrArray) known = read_builtin();
  g_assert_cmpuint(known->len, >=, 70);
  size_t lost = 0;
  for (guint i = 0; i < known->len; i++) {
    const known_entry_t *entry = g_ptr_array_index(known, i);
    if (entry->fields[KNOWN_found] == NULL) g_error("%s: no file of corpus/found", entry->id);
    g_autoptr(GPtrArray) cases = read_found(entry->fields[KNOWN_found]);
    bool is_found = false;
    for (guint c = 0; c < cases->len && !is_found; c++) {
      is_found = explains(entry, g_ptr_array_index(cases, c));
    }
    if (is_found) continue;
    g_test_message("%s: no case of its class in %s", entry->id, entry->fields[KNOWN_found]);
    lost++;
  }
  g_assert_cmpuint(lost, ==, 0);
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* The last of these is the one; in the others something is not as it should be. */
static const struct {
  const char *executor;
  const char *op;
  const char *types;
  const char *class_;
  const char *known;
} FINDINGS[] = {
    {"onnxruntime", "stablehlo.minimum", "f32,f32->f32", "value", ""},
    {"onnxruntime", "stablehlo.add", "i64,i64->i64", "value", ""},
    {"onnxruntime", "stablehlo.minimum", "i64,i64->i64", "crash", ""},
    {"torch", "stablehlo.minimum", "i64,i64->i64", "value", ""},
    {"onnxruntime2", "stablehlo.minimum", "i64,i64->i64", "value", ""},
    {"onnxruntime", "stablehlo.minimum", "i64,i64->i64", "value", "onnxruntime-max-i64"},
    {"onnxruntime?optimize=none", "stablehlo.minimum", "i64,i64->i64", "value",
     "onnxruntime-max-i64"},
    {"onnxruntime@1.30.0", "stablehlo.maximum", "i64,i64->i64", "value", "onnxruntime-max-i64"},
};

static void fill(store_fixture_t *fixture) {
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store);
  for (size_t i = 0; i < G_N_ELEMENTS(FINDINGS); i++) {
    int64_t executor = add_executor(fixture, store, FINDINGS[i].executor);
    g_autofree char *signature = g_strdup_printf("s%zu", i);
    store_divergence_t finding = sample_divergence(run_id, executor, signature);
    finding.op = FINDINGS[i].op;
    finding.algorithm = "minimum";
    finding.types = FINDINGS[i].types;
    finding.class = FINDINGS[i].class_;
    store_add_divergence(store, &finding);
  }
  close_store(fixture, store);
}

static char *ask(store_fixture_t *fixture, const char *const *files, const char *sql) {
  const report_source_t source = {.path = fixture->path, .known = files};
  store_reader_t *reader = NULL;
  ASSERT_OK(fixture, report_open(&source, &reader, &fixture->error));
  GString *text = g_string_new(NULL);
  ASSERT_OK(fixture, store_reader_query(reader, sql, append_row, text, &fixture->error));
  store_reader_close(reader);
  return g_string_free(text, FALSE);
}

static void test_findings_are_joined(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  g_autoptr(GString) expected = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(FINDINGS); i++) {
    g_string_append_printf(expected, "%s[%s]", i == 0 ? "" : "\n", FINDINGS[i].known);
  }
  g_autofree char *known =
      ask(fixture, NULL, "SELECT printf('[%s]', known) FROM finding ORDER BY id");
  g_assert_cmpstr(known, ==, expected->str);
  g_autofree char *words =
      ask(fixture, NULL, "SELECT known_words FROM root_cause WHERE known <> '' LIMIT 1");
  g_assert_cmpstr(
      words, ==,
      "Max, Min and Sign of int64: Eigen's packet comparison takes the low halves for signed "
      "numbers; mended in 1.32.0 (Eigen merge request 2831); regressed in 1.21.0");
  /* Without a reader of ours there is nothing to know. */
  assert_query(fixture, "SELECT count(*) FROM known", "0");
}

/* A file of one's own is preferred, may match versions and what came, and may say how grave it is.
 */
static void test_own_file(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  fill(fixture);
  g_autofree char *path = g_strconcat(fixture->path, ".def", NULL);
  static const char text[] =
      "# mine\n"
      "known mine\n"
      "executor onnxruntime\n"
      "version 1.2*\n"
      "op stablehlo.minimum\n"
      "class value\n"
      "types i64,*\n"
      "got 0x1p+0\n"
      "cause -\n"
      "severity acceptance\n"
      "title it is\n"
      "  by design\n"
      "\n"
      "known never\n"
      "executor *\nop *\nclass value\ntitle x\ncause without-term\n";
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  const char *const files[] = {path, NULL};
  g_autofree char *found = ask(fixture, files,
                               "SELECT executor, severity, known_words FROM finding WHERE known = "
                               "'mine' OR known = 'never' ORDER BY id");
  g_assert_cmpstr(found, ==,
                  "onnxruntime|acceptance|it is by design\n"
                  "onnxruntime?optimize=none|acceptance|it is by design");
  remove(path);
}

/* What operands hold tells a fault of NaN from others of the op and class. */
static void test_data(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  store_t *store = open_store(fixture);
  int64_t run_id = begin_run(fixture, store),
          executor = add_executor(fixture, store, "onnxruntime");
  static const char *const types[] = {"f16->f16,i32", "f32->f32,i32", "f64->f64,i32"};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    store_divergence_t finding = sample_divergence(run_id, executor, types[i]);
    finding.op = "byteir.top_k";
    finding.types = types[i];
    finding.class = "value";
    finding.nan_elements = i == 1 ? 2 : 0;
    finding.infinite_elements = i == 2 ? 1 : 0;
    store_add_divergence(store, &finding);
  }
  close_store(fixture, store);
  g_autofree char *known =
      ask(fixture, NULL, "SELECT types FROM finding WHERE known = 'onnxruntime-topk-beside-nan'");
  g_assert_cmpstr(known, ==, "f32->f32,i32");
}

static const struct {
  const char *text;
  const char *message;
} BAD[] = {
    {"known a\nexecuter x\n", "f:2: no word \"executer\"; a line begins with known, or one of "},
    {"op x\n", "f:1: \"op\" belongs to no entry; begin one with a line \"known NAME\""},
    {"known\n", "f:1: name the entry in one word"},
    {"known a b\n", "f:1: name the entry in one word"},
    {"  more\n", "f:1: there is no text to go on with"},
    {"known a\nop x\nop y\n", "f:3: a: \"op\" is said twice"},
    {"known a\nop\n", "f:2: a: \"op\" says nothing"},
    {"known a\nexecutor x\nop x\nclass value\n", "f:1: a says no title; add a line \"title ...\""},
    {"\nknown a\nknown b\n", "f:2: a says no executor"},
    {"known a\nexecutor x\nop x\nclass valu\ntitle t\n",
     "f:1: a: no class \"valu\"; harness/judge/classes.def lists them"},
    {"known a\nexecutor x\nop x\nclass value\ncause lost\ntitle t\n", "f:1: a: no cause \"lost\""},
    {"known a\nexecutor x\nop x\nclass value\nseverity bad\ntitle t\n",
     "f:1: a: no severity \"bad\""},
    {"known a\nexecutor x\nop x\nclass value\ntitle t\nknown a\n",
     "f:6: \"a\" is known already, at f:1"},
};

static void test_bad_files(store_fixture_t *fixture, gconstpointer data) {
  (void)data;
  for (size_t i = 0; i < G_N_ELEMENTS(BAD); i++) {
    g_autoptr(GPtrArray) known = known_new();
    ASSERT_FAILS(fixture, known_add_text(known, "f", BAD[i].text, &fixture->error), STATUS_INVALID,
                 BAD[i].message);
  }
  g_autoptr(GPtrArray) known = known_new();
  ASSERT_FAILS(fixture, known_add_file(known, "/nowhere", &fixture->error), STATUS_INVALID,
               "cannot read what is known: ");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/known/entries_are_found", test_entries_are_found);
  STORE_TEST("/known/findings_are_joined", test_findings_are_joined);
  STORE_TEST("/known/own_file", test_own_file);
  STORE_TEST("/known/data", test_data);
  STORE_TEST("/known/bad_files", test_bad_files);
  return g_test_run();
}
