/* SPDX-License-Identifier: Apache-2.0 */
/* The table of op rows, and what every row must hold. */
#include "harness/model/op.h"

static void test_find(void) {
  g_assert_nonnull(op_find(str_from("stablehlo.reduce")));
  g_assert_nonnull(op_find(str_from("stablehlo.dot_general")));
  g_assert_null(op_find(str_from("stablehlo.reduc")));
  g_assert_null(op_find(str_from("stablehlo.reduce ")));
  g_assert_null(op_find(str_from("")));
}

static void test_rows(void) {
  const op_t *const *rows = op_all();
  g_assert_true(rows == op_all());
  size_t count = 0;
  for (; rows[count] != NULL; count++) {
    const op_t *op = rows[count];
    g_test_message("%s", op->name);
    g_assert_true(op_find(str_from(op->name)) == op);
    g_assert_null(strchr(op->name, ' '));
    g_assert_true(op->spec[0] != '\0' && op->summary[0] != '\0');
    for (const op_constraint_t *a = op->constraints; a->id != NULL; a++) {
      g_assert_true(a->text[0] != '\0');
      g_assert_null(a->holds_under);
      for (const op_constraint_t *b = op->constraints; b != a; b++) {
        g_assert_cmpstr(a->id, !=, b->id);
      }
    }
    const op_constraint_t *under = op->contract_constraints;
    for (; under != NULL && under->id != NULL; under++) {
      g_assert_true(under->holds == NULL && under->holds_under != NULL);
    }
  }
  g_assert_cmpuint(count, >=, 2);
}

static void test_attributes(void) {
  static const struct {
    const char *line;
    const char *words; /* Of key=value, as op_attributes() splits them. */
  } rows[] = {
      {"stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[]", "body=add dims=[0] "},
      {"stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[2] f32[2] -> f32[]",
       "batch=[]x[] contract=[0]x[0] "},
      {"stablehlo.dot_general batch=[0]x[0] contract=[]x[] precision=[HIGH,DEFAULT] f32[2] f32[2] "
       "-> f32[2]",
       "batch=[0]x[0] contract=[]x[] precision=[HIGH,DEFAULT] "},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    program_t program;
    g_assert_cmpint(program_parse(str_from(rows[i].line), &arena, &program, NULL, NULL), ==,
                    STATUS_OK);
    op_attribute_t attributes[OP_ATTRIBUTES_MAX];
    size_t count = op_attributes(&program, &arena, attributes);
    g_autoptr(GString) words = g_string_new(NULL);
    for (size_t a = 0; a < count; a++) {
      g_string_append_printf(words, "%s=%s ", attributes[a].key, attributes[a].value);
    }
    g_assert_cmpstr(words->str, ==, rows[i].words);
  }
  arena_deinit(&arena);
}

/* Without the word of `key`, the text parses if that may be left out, and the error names it if
 * not.
 */
static void check_without(const program_t *program, const attribute_row_t *row, const char *text,
                          arena_t *arena) {
  g_autofree char *opening = g_strconcat(" ", row->key, "=", NULL);
  const char *begin = strstr(text, opening), *end = begin + 1 + strcspn(begin + 1, " ");
  g_autofree char *shorter = g_strdup_printf("%.*s%s", (int)(begin - text), text, end);
  g_autofree char *line = g_strconcat(program->op->name, shorter, " f32[] -> f32[]", NULL);
  program_t parsed;
  const char *violation;
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &parsed, &violation, &error);
  g_test_message("%s", line);
  if (row->codec->is_absent == NULL) {
    g_assert_cmpint(status, ==, STATUS_INVALID);
    g_assert_nonnull(strstr(error.text, opening + 1));
  } else {
    g_autoptr(GString) again = g_string_new(NULL);
    g_assert_cmpint(status, ==, STATUS_OK);
    program_print_attributes(&parsed, again);
    g_assert_cmpstr(again->str, ==, shorter);
  }
}

/* Each attribute is drawn, and left out at times if it may be. */
static void check_attribute_rows(const op_t *op, rng_t *rng) {
  enum { DRAWS = 300 };
  static const draw_limits_t limits = {.rank_max = 3, .elements_max = 32, .terms_max = 8};
  for (const attribute_row_t *row = op->attribute_rows; row != NULL && row->key != NULL; row++) {
    size_t present = 0;
    for (int i = 0; i < DRAWS; i++) {
      arena_t arena;
      arena_init(&arena);
      program_t program;
      op->draw(rng, &limits, &arena, &program);
      g_autoptr(GString) text = g_string_new(NULL);
      program_print_attributes(&program, text);
      g_autofree char *opening = g_strconcat(" ", row->key, "=", NULL);
      bool is_present = strstr(text->str, opening) != NULL;
      if (is_present && present++ == 0) check_without(&program, row, text->str, &arena);
      arena_deinit(&arena);
    }
    g_assert_cmpuint(present, >, 0);
    g_assert_true((present < DRAWS) == (row->codec->is_absent != NULL));
  }
}

static void test_attribute_rows(void) {
  rng_t rng = rng_make(5);
  for (const op_t *const *op = op_all(); *op != NULL; op++) check_attribute_rows(*op, &rng);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/op/find", test_find);
  g_test_add_func("/op/rows", test_rows);
  g_test_add_func("/op/attributes", test_attributes);
  g_test_add_func("/op/attribute_rows", test_attribute_rows);
  return g_test_run();
}
