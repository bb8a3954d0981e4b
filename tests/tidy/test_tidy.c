/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the house hold in the whole tree; and each rule is seen to fail on a planted fault.
 */
#include <glib/gstdio.h>

#include "tests/tidy/op_names.h"
#include "tests/tidy/source_tree.h"
#include "tests/tidy/theory_rules.h"

typedef void (*rule_check_t)(const source_t *source, GPtrArray *complaints);

static const struct rule {
  const char *name;
  rule_check_t check;
} RULES[] = {
    {"homes-of-foreign-headers", check_homes},
    {"lines", check_lines},
    {"headings", check_headings},
    {"licence", check_licence},
    {"file-length", check_file_length},
    {"function-length", check_functions},
    {"parameters", check_parameters},
    {"banned-calls", check_banned_calls},
    {"markers", check_markers},
    {"mutable-statics", check_mutable_statics},
    {"citations", check_citations},
    {"bounds", check_bounds},
    {"op-names", check_op_names},
};

#define LINES_10 "  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n  x++;\n"
#define LINES_60 LINES_10 LINES_10 LINES_10 LINES_10 LINES_10 LINES_10
#define LINES_300 LINES_60 LINES_60 LINES_60 LINES_60 LINES_60
#define BLANKS_20 "                    "

/* One file, a rule, and its complaint; NULL where there must be none. */
static const struct plant {
  rule_check_t check;
  const char *path;
  const char *text;
  const char *complaint;
} PLANTS[] = {

    {check_homes, "oracles/exact/a.c", "#include <mpfr.h>\n", NULL},
    {check_homes, "harness/judge/a.c", "#include <mpfr.h>\n", "a.c:1: <mpfr.h> has another home"},
    {check_homes, "harness/run/a.c", "#include <sqlite3.h>\n", "<sqlite3.h> has another home"},
    {check_homes, "harness/store/a.c", "#include <sqlite3.h>\n", NULL},
    {check_homes, "harness/run/a.c", "#include \"sqlite3.h\"\n", "<sqlite3.h> has another home"},
    {check_homes, "harness/exec/a.c", "#include <dlfcn.h>\n", "<dlfcn.h> has another home"},
    {check_homes, "harness/run/a.c", "#include <poll.h>\n#include <sys/wait.h>\n", "a.c:2: <sys/"},
    {check_homes, "harness/run/a.c", "#include <math.h>\n", NULL},

    {check_lines, "a.c", BLANKS_20 BLANKS_20 BLANKS_20 BLANKS_20 BLANKS_20 "x\n", "101 columns"},
    {check_lines, "a.c", BLANKS_20 BLANKS_20 BLANKS_20 BLANKS_20 BLANKS_20 "\n", "trailing blank"},
    {check_lines, "a.c", "x\n\ty\n", "a.c:2: a tab"},
    {check_lines, "a.c", BLANKS_20 BLANKS_20 BLANKS_20 BLANKS_20 "                   \xc3\xa9\n",
     NULL},

    {check_headings, "a.c", "/* ---- Sums ------ */\nint x;\n */\n", NULL},
    {check_headings, "a.c", "/* ---- Sums.  What they\n * are. */\n", NULL},
    {check_headings, "a.c", "int x;\n/* ---- Sums ------\n */\n", "a.c:2: a heading of more"},
    {check_headings, "a.c", "/* ---- Sums\n * -----\n */\n", "a.c:1: a heading of more"},

    {check_licence, "a.c", "/* SPDX-License-Identifier: Apache-2.0 */\nint x;\n", NULL},
    {check_licence, "a.c", "/* What it is for. */\nint x;\n", "a.c:1: the licence"},
    {check_licence, "a.c", "/* SPDX-License-Identifier: MIT */\n", "a.c:1: the licence"},

    {check_file_length, "harness/a.c", LINES_300 LINES_60 LINES_10 LINES_10 LINES_10 LINES_10,
     NULL},
    {check_file_length, "harness/a.c", LINES_300 LINES_60 LINES_60, "420 lines"},
    {check_file_length, "harness/a.def", LINES_300 LINES_300, NULL},
    {check_file_length, "tests/a.c", LINES_300 LINES_60 LINES_60, NULL},
    {check_file_length, "tests/a.c", LINES_300 LINES_300, "600 lines"},

    {check_functions, "a.c", "void f(int x) {\n" LINES_60 "}\n", NULL},
    {check_functions, "a.c", "int y;\nvoid f(int x) {\n" LINES_60 LINES_10 "}\n",
     "a.c:2: the function has 72 lines"},
    {check_functions, "a.c", "void f(int x,\n int y)\n{\n if (x) {\n" LINES_60 LINES_10 " }\n}\n",
     "a.c:1: the function has 76 lines"},
    {check_functions, "a.c", "static const int t[] = {\n" LINES_60 LINES_60 "};\n", NULL},
    {check_functions, "a.c", "struct s {\n" LINES_60 LINES_60 "};\n", NULL},
    {check_functions, "a.c", "#ifdef X\nextern \"C\" {\n#endif\nint f(void);\n" LINES_60 LINES_60,
     NULL},
    {check_functions, "a.c", "#define M(x) \\\n if (x) { \\\n\nvoid f(void) {\n" LINES_60 "}\n",
     NULL},
    {check_functions, "a.c", "void f(void) {\n  puts(\"}\"); // }\n" LINES_60 LINES_10 "}\n",
     "the function has 73 lines"},
    {check_functions, "a.c", "int t = M(1);\nvoid f(void) {\n" LINES_60 LINES_10 "}\n",
     "a.c:2: the function has 72 lines"},

    {check_parameters, "a.c", "int f(int a, int b, int c, int d, int e, int f) {\n}\n", NULL},
    {check_parameters, "a.c",
     "int x;\nint f(int a, int b, int c,\n  int d, int e, int f, int g) {\n}\n",
     "a.c:2: the function has 7 parameters"},
    {check_parameters, "a.c", "int f(int (*a)(int, int, int, int), int b, int c, int d) {\n}\n",
     NULL},
    {check_parameters, "a.c", "int f(void) {\n  g(1, 2, 3, 4, 5, 6, 7);\n}\n", NULL},
    {check_parameters, "tests/a.c", "int f(int a, int b, int c, int d, int e, int f, int g) {\n}\n",
     NULL},

    {check_banned_calls, "a.c", "int x = atoi(s);\n", "a.c:1: atoi() is banned"},
    {check_banned_calls, "a.c", "strcpy (a, b);\n", "strcpy() is banned"},
    {check_banned_calls, "a.c", "snprintf(a, 3, b); g_strcat(c); // strcpy(\n", NULL},
    {check_banned_calls, "a.c", "puts(\"sprintf(\"); int rand = 4;\n", NULL},

    {check_markers, "a.c",
     "x\n// TO"
     "DO: more\n",
     "a.c:2: TO"
     "DO"},
    {check_markers, "a.c",
     "/* HA"
     "CK */\n",
     "HA"
     "CK"},
    {check_markers, "harness/tap/a.c",
     "// TO"
     "DO\n",
     NULL},
    {check_markers, "harness/tap/a.c",
     "// FIX"
     "ME\n",
     "FIX"
     "ME"},
    {check_markers, "a.c", "mkdtemp(\"XXXXXX\"); // HACKNEYED\n", NULL},

    {check_mutable_statics, "harness/base/a.c", "static int count;\n", "a.c:1: static data"},
    {check_mutable_statics, "harness/base/a.c", "static int count = 0;\n", "static data"},
    {check_mutable_statics, "harness/base/a.c", "static const char *names[] = {0};\n",
     "static data"},
    {check_mutable_statics, "harness/base/a.c", "static const char *const names[] = {0};\n", NULL},
    {check_mutable_statics, "harness/base/a.c", "static const int table[] = {1};\n", NULL},
    {check_mutable_statics, "harness/base/a.c", "int f(void) {\n  static int n;\n",
     "a.c:2: static"},
    {check_mutable_statics, "harness/base/a.c", "static int f(void) {\n", NULL},
    {check_mutable_statics, "harness/base/a.c", "static const struct {\n  int x;\n} T[] = {", NULL},
    {check_mutable_statics, "harness/base/a.c", "static struct {\n  int x;\n} t;\n", "static data"},
    {check_mutable_statics, "harness/base/a.c", "static int (*hook)(void);\n", "static data"},
    {check_mutable_statics, "harness/base/a.c", "static const very_long_type_t\n    T = {1};\n",
     NULL},
    {check_mutable_statics, "harness/base/a.c", "static inline int f(int x) { return x; }\n", NULL},
    {check_mutable_statics, "harness/a.c", "int f(void) {\n  static GOnce o = G_ONCE_INIT;\n",
     NULL},
    {check_mutable_statics, "harness/cli/a.c", "static int count;\n", NULL},

    {check_citations, "harness/a.c", "/* oracles/theory.md, T10 and A1. */\n", NULL},
    {check_citations, "harness/a.c", "int x; /* theory.md,\n        * T10 to T999. */\n",
     "no T999"},
    {check_citations, "harness/a.c", "/* As theory.md tells. */\n", "but which statement?"},
    {check_citations, "harness/a.c", "/* D999 of something else. */\n", NULL},
    {check_citations, "harness/a.c", "puts(\"theory.md, T999\");\n", NULL},
    {check_citations, "harness/a.c",
     "/* VERDICTS"
     ".md, section 3 */\n",
     "not in the repository"},

    {check_bounds, "oracles/a.c", "double f(double x) {\n  return x * (1 + 0x1p-9);\n}\n",
     "a.c:2: a bound without"},
    {check_bounds, "oracles/a.c",
     "/* theory.md, T8. */\ndouble f(double x) {\n  return x * 0x1p-9;\n}\n", NULL},
    {check_bounds, "oracles/a.c",
     "double f(double x) {\n  return x * 0x1p-9; /* theory.md, T8. */\n}\n", NULL},
    {check_bounds, "oracles/a.c", "/* theory.md, T8. */\nint x;\ndouble y = 1 - 0x1p-9;\n",
     "a.c:3: a bound without"},
    {check_bounds, "oracles/a.c",
     "/* theory.md, T8. */\n#include <math.h>\n#define LESS (1 - 0x1p-9)\n",
     "a.c:3: a bound without"},
    {check_bounds, "oracles/a.inc", "/* theory.md, T8. */\n\n#define LESS (1 - 0x1p-9)\n", NULL},
    {check_bounds, "oracles/a.c",
     "/* theory.md, T8. */\nint f(void) {\n  return 1;\n}\nint g(void) {\n  return "
     "upper_of(1);\n}\n",
     "a.c:6: a bound without"},
    {check_bounds, "oracles/a.c",
     "int f(void) {\n  if (x) {\n    return 1;\n  }\n  return error_bound_sum(x);\n}\n",
     "a.c:5: a bound without"},
    {check_bounds, "oracles/a.c", "double x = FORMULA_LIBRARY_ERROR;\n", "a bound without"},
    {check_bounds, "oracles/a_simulate.c", "double x = 1 + 0x1p-9;\n", NULL},
    {check_bounds, "harness/a.c", "double x = 1 + 0x1p-9;\n", NULL},

    {check_op_names, "harness/judge/a.c", "x(\"stablehlo.reduce\");\n",
     "names the op stablehlo.red"},
    {check_op_names, "harness/gen/a.c", "\n x(\"byteir.gelu f32[]\");\n", "a.c:2: names the op"},
    {check_op_names, "harness/run/a.c", "// stablehlo.reduce\n/* softmax=online */\n", NULL},
    {check_op_names, "harness/run/a.c", "x(\"stablehlo.reduced\");\n", NULL},
    {check_op_names, "harness/store/a.c", "x(\"stablehlo.reduce\");\n", NULL},
    {check_op_names, "tests/campaign/a.c", "x(\"stablehlo.reduce body=add\");\n", NULL},
    {check_op_names, "tests/campaign/a.c", "x(\"stablehlo.reduce\");\n", "names the op"},
    {check_op_names, "harness/judge/a.c", "PERMIT(x, PERMISSION_softmax);\n",
     "names softmax, a perm"},
    {check_op_names, "harness/judge/a.c", "if (PERMITTED(c, gelu) == 1) {\n", "names gelu"},
    {check_op_names, "harness/model/a.def", "BLAME(1, WITH(replicas, \"any\"))\n",
     "names replicas"},
    {check_op_names, "tests/campaign/a.c", "set(\"spec,softmax=online\");\n", "names softmax"},
    {check_op_names, "harness/run/a.c", "set(c, \"softmax\", 1);\n", "names softmax"},
    {check_op_names, "harness/run/a.c", "int selection = order; x(\"of softmax\");\n", NULL},
    {check_op_names, "harness/run/a.c", "f = FAULT_softmax_unnormalized;\n", "a fault of an op"},
    {check_op_names, "tests/campaign/a.def", "QUANT_CANARY(window_pads_twice, 3)\n", "a fault of"},
    {check_op_names, "harness/run/a.def", "CAUSE(batch_offset, \"batch-offset\")\n", NULL},
    {check_op_names, "harness/judge/a.def", "CLASS(replicas, \"replicas\", \"\")\n", NULL},
    {check_op_names, "tests/campaign/a.c", "x(\"op z = stablehlo.maximum(x, y)\");\n", NULL},
    {check_op_names, "tests/campaign/a.def", "CANARY(\"window_pads_twice\", 3)\n", "a fault of an"},
};

static void test_planted_faults(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(PLANTS); i++) {
    GPtrArray *complaints = g_ptr_array_new_with_free_func(g_free);
    source_t source = source_make(PLANTS[i].path, PLANTS[i].text);
    PLANTS[i].check(&source, complaints);
    g_ptr_array_add(complaints, NULL);
    g_autofree char *all = g_strjoinv("\n", (char **)complaints->pdata);
    bool as_expected =
        PLANTS[i].complaint == NULL ? all[0] == '\0' : strstr(all, PLANTS[i].complaint) != NULL;
    if (!as_expected) {
      g_error("plant %zu, %s:\n%.200s\ngave \"%s\"", i, PLANTS[i].path, PLANTS[i].text, all);
    }
    source_free(&source);
    g_ptr_array_unref(complaints);
  }
}

/* Every rule has a plant that it complains about, and one that it passes. */
static void test_every_rule_is_tested(void) {
  for (size_t rule = 0; rule < G_N_ELEMENTS(RULES); rule++) {
    bool complains = false;
    bool passes = false;
    for (size_t i = 0; i < G_N_ELEMENTS(PLANTS); i++) {
      if (PLANTS[i].check != RULES[rule].check) continue;
      if (PLANTS[i].complaint == NULL) passes = true;
      if (PLANTS[i].complaint != NULL) complains = true;
    }
    g_assert_true(complains && passes);
  }
}

static void test_rule_in_tree(gconstpointer data) {
  const struct rule *rule = data;
  GPtrArray *complaints = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *paths = list_all_sources();
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *text = read_text(g_ptr_array_index(paths, i));
    source_t source = source_make(g_ptr_array_index(paths, i), text);
    rule->check(&source, complaints);
    source_free(&source);
  }
  g_ptr_array_unref(paths);
  report(complaints);
}

/* Complains of each C file that neither the build runs a command for (`commands`), nor its scripts
 * name singly, because it is built on some machines only or by a compiler of its own. */
static GPtrArray *check_built(const GPtrArray *paths, const char *commands, const char *scripts) {
  GPtrArray *complaints = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    /* Plugins are built where their library is, fuzz targets on demand, fixtures by their test. */
    if (!g_str_has_suffix(path, ".c") || g_str_has_prefix(path, "fuzz/") ||
        g_str_has_prefix(path, "tests/fixtures/") ||
        g_str_has_prefix(path, "harness/exec/plugins/")) {
      continue;
    }
    g_autofree char *command = g_strdup_printf("%s/%s\"", ASSAY_SOURCE_DIR, path);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *stem = g_strndup(name, strlen(name) - 2);
    g_autofree char *expression = g_strdup_printf("%s\\\\.c", stem);
    bool is_built = strstr(commands, command) != NULL || find_word(scripts, name) != NULL ||
                    find_word(scripts, expression) != NULL;
    if (!is_built) g_ptr_array_add(complaints, g_strdup_printf("%s is not built", path));
  }
  return complaints;
}

static char *read_build_scripts(void) {
  static const char *const endings[] = {".cmake", NULL};
  GString *text = g_string_new(NULL);
  GPtrArray *scripts = list_all(endings);
  for (guint i = 0; i < scripts->len; i++) {
    g_autofree char *script = read_text(g_ptr_array_index(scripts, i));
    g_string_append(text, script);
  }
  g_ptr_array_unref(scripts);
  return g_string_free(text, FALSE);
}

static void test_all_is_built(void) {
  g_autofree char *scripts = read_build_scripts();
  g_autofree char *commands = NULL;
  g_assert_true(
      g_file_get_contents(ASSAY_BINARY_DIR "/compile_commands.json", &commands, NULL, NULL));
  GPtrArray *paths = list_all_sources();
  report(check_built(paths, commands, scripts));
  guint before = paths->len;
  g_ptr_array_add(paths, g_strdup("harness/base/forgotten.c")); /* Planted. */
  g_ptr_array_remove_range(paths, 0, before);
  GPtrArray *complaints = check_built(paths, commands, scripts);
  g_assert_cmpuint(complaints->len, ==, 1);
  g_ptr_array_unref(complaints);
  g_ptr_array_unref(paths);
}

/* Every statement of the page is cited, by code or by another statement, and each number is given
 * once. */
static void test_all_is_cited(void) {
  g_autofree char *theory = read_theory();
  GPtrArray *complaints = g_ptr_array_new_with_free_func(g_free);
  GHashTable *statements = read_statements(theory, complaints);
  g_assert_cmpuint(g_hash_table_size(statements), >, 50);
  g_hash_table_add(statements, g_strdup("T999")); /* Planted. */
  strike_cited_in_text(theory, statements);
  GPtrArray *paths = list_all_sources();
  for (guint i = 0; i < paths->len; i++) {
    if (g_str_has_prefix(g_ptr_array_index(paths, i), "tests/tidy/")) continue;
    g_autofree char *text = read_text(g_ptr_array_index(paths, i));
    source_t source = source_make(g_ptr_array_index(paths, i), text);
    strike_cited(&source, statements);
    source_free(&source);
  }
  g_assert_true(g_hash_table_remove(statements, "T999"));
  GHashTableIter left;
  g_hash_table_iter_init(&left, statements);
  for (gpointer number; g_hash_table_iter_next(&left, &number, NULL);) {
    g_ptr_array_add(complaints, g_strdup_printf("nobody cites %s", (char *)number));
  }
  g_ptr_array_unref(paths);
  g_hash_table_destroy(statements);
  report(complaints);
  GPtrArray *twice = g_ptr_array_new_with_free_func(g_free);
  g_hash_table_destroy(read_statements("**T1 (x).**\n**T2 (y).** See T1.\n**T1 (z).**\n", twice));
  g_assert_cmpuint(twice->len, ==, 1);
  g_ptr_array_unref(twice);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tidy/planted-faults", test_planted_faults);
  g_test_add_func("/tidy/every-rule-is-tested", test_every_rule_is_tested);
  for (size_t i = 0; i < G_N_ELEMENTS(RULES); i++) {
    g_autofree char *name = g_strdup_printf("/tidy/tree/%s", RULES[i].name);
    g_test_add_data_func(name, &RULES[i], test_rule_in_tree);
  }
  g_test_add_func("/tidy/tree/all-is-built", test_all_is_built);
  g_test_add_func("/tidy/tree/theory-is-cited", test_all_is_cited);
  return g_test_run();
}
