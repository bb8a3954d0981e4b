/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of target constraints: their text, and which row of them a region is. */
#include "harness/base/rng.h"
#include "harness/quant/target/target.h"

#ifdef ASSAY_SANITIZE
enum { MUTATIONS = 2000 };
#else
enum { MUTATIONS = 20000 };
#endif

static char *reprint(const char *text, size_t size) {
  arena_t arena;
  arena_init(&arena);
  quant_target_t table;
  failure_t error;
  status_t status = quant_target_parse((str_t){.data = text, .size = size}, &arena, &table, &error);
  GString *printed = NULL;
  if (status == STATUS_OK) {
    printed = g_string_new(NULL);
    quant_target_print(&table, printed);
  }
  arena_deinit(&arena);
  return printed == NULL ? NULL : g_string_free(printed, FALSE);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char CANONICAL[] =
    "table t.1-a_b\n"
    "default i4\n"
    "\n"
    "kernel conv\n"
    "  in input i8\n"
    "  in weights i8<-127:127> symmetric axis=3 constant\n"
    "  in bias i32 symmetric axis=0 constant optional\n"
    "  in more * axis=7 optional\n"
    "  out output ui8<1:255>\n"
    "  out other float\n"
    "  rule multiplier_accumulator_scale bias = input * weights\n"
    "  rule fixed_scale output 0x1.8p-8:128\n"
    "end\n"
    "\n"
    "kernel concat\n"
    "  in input * repeated\n"
    "  out output *\n"
    "  rule same_scale input output\n"
    "end\n"
    "\n"
    "kernel product\n"
    "  in a i8\n"
    "  in b float constant\n"
    "  in c ui2\n"
    "  out d i32\n"
    "  rule multiplier_scale d = a * c\n"
    "end\n"
    "\n"
    "kernel concat\n"
    "  out output i2\n"
    "end\n";

static void test_canonical(void) {
  g_autofree char *again = reprint(CANONICAL, strlen(CANONICAL));
  g_assert_cmpstr(again, ==, CANONICAL);
}

static void test_free_spelling(void) {
  static const char loose[] =
      "# A table.\n\n\ttable  t # its name\n default i8<-128:127>\n"
      "kernel a b\n"
      "in\tx i8 constant axis=1 symmetric#word\n"
      "  out  y ui8<0:255>\n"
      "rule   multiplier_scale y=x*z";
  g_assert_null(reprint(loose, strlen(loose))); /* There is no z, and no end. */
  static const char right[] =
      "# A table.\n\n\ttable  t # its name\n default i8<-128:127>\n"
      "kernel a b\n"
      "in\tx i8 constant axis=1 symmetric#word\n"
      "in z i8\n"
      "  out  y ui8<0:255>\n"
      "rule   multiplier_scale y=x*z\n"
      "rule fixed_scale z .5:0 # decimal\n"
      "end";
  static const char row[] =
      "\n  in x i8 symmetric axis=1 constant\n"
      "  in z i8\n"
      "  out y ui8\n"
      "  rule multiplier_scale y = x * z\n"
      "  rule fixed_scale z 0x1p-1:0\n"
      "end\n";
  g_autofree char *expected =
      g_strconcat("table t\ndefault i8\n\nkernel a", row, "\nkernel b", row, NULL);
  g_autofree char *printed = reprint(right, strlen(right));
  g_assert_cmpstr(printed, ==, expected);
}

/* Lines of a row, in a table that is otherwise right, or a whole text if it begins with '!'. */
static const struct {
  const char *lines, *message;
} REFUSALS[] = {
    {"!", "line 1, column 1: expected the line table NAME first"},
    {"!default i8\n", "line 1, column 8: expected the line table NAME first"},
    {"!table\n", "line 1, column 6: expected the name of the table"},
    {"!table t\n", "expected the line default TYPE second"},
    {"!table t\nkernel k\n", "line 2, column 7: expected the line default TYPE second"},
    {"!table t\ndefault f32\n", "line 2, column 9: expected an integer type of 2 to 32 bits"},
    {"!table t\ndefault i64\n", "expected an integer type of 2 to 32 bits"},
    {"!table t\ndefault i8 i8\n", "column 12: expected the end of the line, found \"i8\""},
    {"!table t\ndefault i8\ntable t\n", "line 3, column 6: expected kernel NAME"},
    {"!table t\ndefault i8\nkernel\n", "expected the name of a kernel, found the end"},
    {"!table t\ndefault i8\nkernel rescale\n", "rescale is what Assay inserts"},
    {"!table t\ndefault i8\nkernel k\n out y i8\n", "kernel k of line 3 has no end"},
    {"", "kernel k has no output"},
    {"in x i8\n", "kernel k has no output"},
    {"xx y\n", "line 4, column 3: expected in, out, rule or end"},
    {"in i8\n", "expected an integer type"},
    {"in ? i8\n", "column 4: expected the name of the port, found \"? i8\""},
    {"in x i8\nin x i8\n", "line 5, column 5: a port of this row is called x already"},
    {"in x i9\n", "expected an integer type"},
    {"in x i1\n", "expected an integer type"},
    {"in x i8<1:0>\n", "storage range 1:0 is empty or exceeds i8"},
    {"in x i8<0:128>\n", "storage range 0:128 is empty or exceeds i8"},
    {"in x i8<5:5>\n", "is empty"},
    {"in x i8<0>\n", "expected \":\""},
    {"in x i8 bold\n", "expected symmetric, axis=N, constant, optional, repeated or the end"},
    {"in x i8 symmetric symmetric\n", "column 19: a word may be given only once"},
    {"in x i8 axis=1 axis=1\n", "a word may be given only once"},
    {"in x i8 axis=8\n", "an axis is in 0..7"},
    {"in x i8 axis=-1\n", "an axis is in 0..7"},
    {"in x float symmetric\n", "a float port has neither"},
    {"in x float axis=0\n", "a float port has neither"},
    {"in x ui8<1:255> symmetric\n", "a symmetric port has 0 in its storage range"},
    {"out y i8 constant\n", "an output is not constant"},
    {"out y i8\nin x i8\n", "inputs precede outputs"},
    {"in x i8 repeated\nin y i8\n", "a repeated input is the last"},
    {"in x i8 optional\nin y i8 repeated\n", "beside a repeated input none is optional"},
    {"in x i8 optional repeated\n", "beside a repeated input none is optional"},
    {"in x i8 optional\nin y i8\n", "optional inputs are the last"},
    {"out y i8\nrule bold y\n", "column 6: expected a rule of target.md"},
    {"out y i8\nrule same_scale\n", "expected the name of a port, found the end"},
    {"out y i8\nrule same_scale z\n", "kernel k has no port called z"},
    {"out y i8\nrule same_scale y y\n", "a rule names port y once"},
    {"out y float\nrule same_scale y\n", "port y is float"},
    {"out y i8\nrule same_scale y\nout z i8\n", "ports precede rules"},
    {"in x i8 repeated\nout y i8\nrule fixed_scale x 1:0\n", "x is repeated"},
    {"out y i8\nrule fixed_scale y 0:0\n", "expected a positive finite scale"},
    {"out y i8\nrule fixed_scale y -1:0\n", "expected a positive finite scale"},
    {"out y i8\nrule fixed_scale y 1e999:0\n", "expected a positive finite scale"},
    {"out y i8\nrule fixed_scale y nan:0\n", "expected a positive finite scale"},
    {"out y i8\nrule fixed_scale y 1x:0\n", "expected a positive finite scale"},
    {"out y i8\nrule fixed_scale y 1\n", "expected \":\""},
    {"out y i8\nrule fixed_scale y 1:128\n", "port y does not admit zero point 128"},
    {"out y i8 symmetric\nrule fixed_scale y 1:1\n", "port y does not admit zero point 1"},
    {"in a i8\nin b i8\nout y i8\nrule multiplier_scale y a b\n", "expected \"=\""},
    {"in a i8\nin b i8\nout y i8\nrule multiplier_scale y = a b\n", "expected \"*\""},
    {"in a i8\nin b i8\nout y i8\nrule multiplier_scale y = a * b c\n", "expected the end"},
    {"in a i8\nin b i8\nout y i8\nrule multiplier_scale y = a * b\nrule same_scale a y\n",
     "by the rules of kernel k port a follows from itself"},
    {"in a i8\nin b i8\nin c i8\nout y i8\nrule multiplier_scale y = a * b\n"
     "rule same_scale y c\nrule multiplier_scale a = c * b\n",
     "follows from itself"},
};

static void expect_refusal(const char *text, const char *message) {
  arena_t arena;
  arena_init(&arena);
  quant_target_t table;
  failure_t error = {0};
  g_test_message("%s", text);
  g_assert_cmpint(quant_target_parse(str_from(text), &arena, &table, &error), ==, STATUS_INVALID);
  if (strstr(error.text, message) == NULL) g_error("\"%s\" lacks \"%s\"", error.text, message);
  g_assert_cmpuint(error.column, >, 0);
  g_assert_cmpint(quant_target_parse(str_from(text), &arena, &table, NULL), ==, STATUS_INVALID);
  arena_deinit(&arena);
}

static void test_refusals(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(REFUSALS); i++) {
    const char *lines = REFUSALS[i].lines;
    g_autofree char *text =
        lines[0] == '!' ? g_strdup(lines + 1)
                        : g_strconcat("table t\ndefault i8\nkernel k\n", lines, "end\n", NULL);
    expect_refusal(text, REFUSALS[i].message);
  }
}

static void test_limits(void) {
  GString *text = g_string_new("table t\ndefault i8\nkernel k\n");
  for (int i = 0; i < QUANT_PORTS_MAX + 1; i++) g_string_append_printf(text, "in p%d i8\n", i);
  expect_refusal(text->str, "line 20, column 3: a row has at most 16 ports");
  g_string_assign(text, "table t\ndefault i8\nkernel k\nout y i8\n");
  for (int i = 0; i < QUANT_RULES_MAX + 1; i++) g_string_append(text, "rule same_scale y\n");
  expect_refusal(text->str, "a row has at most 16 rules");
  g_string_assign(text, "table t\ndefault i8\nkernel");
  for (int i = 0; i < 33; i++) g_string_append(text, " k");
  expect_refusal(text->str, "a row is of at most 32 kernels");
  g_string_assign(text, "table ");
  for (int i = 0; i < QUANT_NAME_BYTES_MAX + 1; i++) g_string_append_c(text, 'n');
  expect_refusal(text->str, "a name has at most 256 bytes");
  g_string_free(text, TRUE);
}

/* Cut anywhere and changed anywhere, a text is refused, or is a table whose text comes back. */
static void check_hostile(const char *text, size_t size) {
  g_autofree char *once = reprint(text, size);
  if (once == NULL) return;
  g_autofree char *twice = reprint(once, strlen(once));
  g_assert_cmpstr(twice, ==, once);
}

static void test_hostile(void) {
  size_t size = strlen(CANONICAL);
  for (size_t cut = 0; cut <= size; cut++) {
    g_autofree char *copy = g_memdup2(CANONICAL, cut); /* So that a read beyond it is seen. */
    check_hostile(copy == NULL ? "" : copy, cut);
  }
  static const char bytes[] = " \n\t#<>:=*-0179abx.\0\xff";
  rng_t rng = rng_make(8);
  for (int round = 0; round < MUTATIONS; round++) {
    g_autofree char *copy = g_memdup2(CANONICAL, size);
    for (uint64_t edits = 1 + rng_below(&rng, 3); edits > 0; edits--) {
      copy[rng_below(&rng, size)] = bytes[rng_below(&rng, sizeof bytes - 1)];
    }
    check_hostile(copy, size);
  }
}

/* ---- The tables that come with Assay --------------------------------------------------------- */

static void test_built_in(void) {
  static const char *const kernels[] = {
      "conv_2d", "depthwise_conv_2d", "fully_connected", "add",      "mul",
      "relu",    "max_pool_2d",       "average_pool_2d", "mean",     "reshape",
      "softmax", "transpose",         "concatenation",   "logistic", "gelu"};
  uint32_t count = 0;
  for (const char *const *name = quant_target_names(); *name != NULL; name++, count++) {
    const char *text = quant_target_text(str_from(*name));
    arena_t arena;
    arena_init(&arena);
    quant_target_t table;
    failure_t error;
    status_t status = quant_target_parse(str_from(text), &arena, &table, &error);
    if (status != STATUS_OK) g_error("%s: %s", *name, error.text);
    g_assert_cmpstr(table.name, ==, *name);
    g_autofree char *once = reprint(text, strlen(text));
    g_autofree char *twice = reprint(once, strlen(once));
    g_assert_cmpstr(once, ==, twice);
    for (size_t k = 0; k < G_N_ELEMENTS(kernels); k++) {
      bool is_there = false;
      for (uint32_t r = 0; r < table.row_count; r++) {
        is_there = is_there || strcmp(table.rows[r].kernel, kernels[k]) == 0;
      }
      if (!is_there) g_error("%s has no kernel %s", *name, kernels[k]);
    }
    arena_deinit(&arena);
  }
  g_assert_cmpuint(count, ==, 3);
  g_assert_null(quant_target_text(str_from("tflite")));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tables/canonical", test_canonical);
  g_test_add_func("/tables/free_spelling", test_free_spelling);
  g_test_add_func("/tables/refusals", test_refusals);
  g_test_add_func("/tables/limits", test_limits);
  g_test_add_func("/tables/hostile", test_hostile);
  g_test_add_func("/tables/built_in", test_built_in);
  return g_test_run();
}
