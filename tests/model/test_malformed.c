/* SPDX-License-Identifier: Apache-2.0 */
/* Malformed lines are refused with the message that their row has: program lines of each op, and
 * case lines. */
#include "harness/model/op.h"

typedef struct malformed_row {
  const char *line;
  const char *message; /* The whole; its column is where the line goes wrong. */
} malformed_row_t;

#define MALFORMED(line, message) {line, message},
static const malformed_row_t programs[] = {
#include "generated/all_malformed.def"
};
static const malformed_row_t cases[] = {
#include "tests/model/malformed.def"
};
#undef MALFORMED

typedef status_t parse_t(str_t line, arena_t *arena, failure_t *error);

/* Whatever constraints it breaks, the line has to be refused for how it is written. */
static status_t parse_program(str_t line, arena_t *arena, failure_t *error) {
  program_t program;
  const char *violation;
  return program_parse(line, arena, &program, &violation, error);
}

static status_t parse_case(str_t line, arena_t *arena, failure_t *error) {
  case_t instance;
  return case_parse(line, arena, &instance, NULL, error);
}

static bool is_refused(parse_t *parse, const malformed_row_t *row) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {.text = ""};
  status_t status = parse(str_from(row->line), &arena, &error);
  g_autofree char *column = g_strdup_printf("column %zu:", error.column);
  bool is_as_told = status == STATUS_INVALID && strcmp(error.text, row->message) == 0 &&
                    g_str_has_prefix(error.text, column);
  if (!is_as_told) g_test_message("%s: %s", row->line, error.text);
  arena_deinit(&arena);
  return is_as_told;
}

static void check_rows(parse_t *parse, const malformed_row_t *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!is_refused(parse, &rows[i])) g_test_fail();
  }
}

static void test_programs(void) { check_rows(parse_program, programs, G_N_ELEMENTS(programs)); }

static void test_cases(void) { check_rows(parse_case, cases, G_N_ELEMENTS(cases)); }

/* A line that is well formed, or is refused for something else, is seen. */
static void test_planted(void) {
  static const malformed_row_t taken[] = {
      {"stablehlo.convert f32[] -> f16[]", ""},
      {"stablehlo.convert f32[2] -> f16[]",
       "column 1: violates C1 of stablehlo.convert: operand "
       "and result have the same shape"},
      {"stablehlo.convert f32[ -> f16[]", "column 23: expected \"]\""},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(taken); i++) {
    g_assert_false(is_refused(parse_program, &taken[i]));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/malformed/programs", test_programs);
  g_test_add_func("/malformed/cases", test_cases);
  g_test_add_func("/malformed/planted", test_planted);
  return g_test_run();
}
