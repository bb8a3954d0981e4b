/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of all op rows check alike: constraints, canonical text, drawing and breaking. */
#ifndef ASSAY_TESTS_OPS_OP_CHECKS_H
#define ASSAY_TESTS_OPS_OP_CHECKS_H

#include "harness/model/op.h"

/* A program line and the constraint that it breaks, or NULL. */
typedef struct violation_row {
  const char *line;
  const char *id;
} violation_row_t;

static inline const op_t *check_find_op(const char *name) {
  const op_t *op = op_find(str_from(name));
  g_assert_nonnull(op);
  return op;
}

/* Parses a program line that must be well formed. */
static inline program_t check_parse(const char *line, arena_t *arena, const char **out_violation) {
  program_t program;
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &program, out_violation, &error);
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  return program;
}

/* The id of what a program that is valid without a contract breaks under one, or NULL. */
static inline const char *check_broken_under(const program_t *program, const contract_t *contract) {
  const op_constraint_t *broken = program_broken_under(program, NULL, contract);
  if (broken == NULL) return NULL;
  g_assert_cmpstr(op_constraint_text(program->op, broken->id), !=, "");
  return broken->id;
}

/* Every row breaks what it says, and together they break every constraint but `unbreakable`. */
static inline void check_violations(const op_t *op, const violation_row_t *rows, size_t count,
                                    const char *unbreakable) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < count; i++) {
    const char *violation = "unset";
    check_parse(rows[i].line, &arena, &violation);
    if (g_strcmp0(violation, rows[i].id) != 0) {
      g_error("%s: breaks %s, expected %s", rows[i].line, violation, rows[i].id);
    }
    program_t program;
    status_t strict = program_parse(str_from(rows[i].line), &arena, &program, NULL, NULL);
    g_assert_cmpint(strict, ==, rows[i].id == NULL ? STATUS_OK : STATUS_INVALID);
  }
  for (const op_constraint_t *row = op->constraints; row->id != NULL; row++) {
    bool is_covered = g_strcmp0(row->id, unbreakable) == 0;
    for (size_t i = 0; i < count; i++)
      is_covered = is_covered || g_strcmp0(row->id, rows[i].id) == 0;
    if (!is_covered) g_error("no row breaks %s", row->id);
  }
  arena_deinit(&arena);
}

/* parse(print(program)) prints the same and breaks the same. */
static inline void check_round_trip(const program_t *program, const char *expected_violation,
                                    arena_t *arena) {
  GString *first = g_string_new(NULL);
  GString *second = g_string_new(NULL);
  program_print(program, first);
  const char *violation = "unset";
  program_t parsed = check_parse(first->str, arena, &violation);
  program_print(&parsed, second);
  g_assert_cmpstr(first->str, ==, second->str);
  if (g_strcmp0(violation, expected_violation) != 0) {
    g_error("%s: breaks %s, expected %s", first->str, violation, expected_violation);
  }
  g_string_free(first, TRUE);
  g_string_free(second, TRUE);
}

static inline void check_limits(const program_t *program, const draw_limits_t *limits) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_assert_cmpuint(program->operands[i].rank, <=, limits->rank_max);
    g_assert_cmpuint(type_element_count(&program->operands[i]), <=, (size_t)limits->elements_max);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_assert_cmpuint(type_element_count(&program->results[i]), <=, (size_t)limits->elements_max);
  }
}

/* Drawn programs are valid, within the limits, and survive printing; `visit` sees each of them. */
static inline void check_drawn(const op_t *op, const draw_limits_t *limits, size_t count,
                               void (*visit)(const program_t *program, arena_t *arena, void *state),
                               void *state) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x0b5);
  for (size_t i = 0; i < count; i++) {
    arena_reset(&arena);
    program_t program;
    op->draw(&rng, limits, &arena, &program);
    g_assert_true(program.op == op);
    g_assert_cmpstr(program_broken_id(&program), ==, NULL);
    check_limits(&program, limits);
    check_round_trip(&program, NULL, &arena);
    visit(&program, &arena, state);
  }
  arena_deinit(&arena);
}

/* The text that `print` gives for a program line. */
static inline char *check_text(const char *line,
                               void (*print)(const program_t *program, GString *out_text)) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(line, &arena, &violation);
  GString *text = g_string_new(NULL);
  print(&program, text);
  arena_deinit(&arena);
  return g_string_free(text, FALSE);
}

/* Lines with a few bytes changed: whatever still parses can be validated, printed and put in words,
 * and prints as it was read. */
static inline void check_hostile(const violation_row_t *rows, size_t count, size_t attempts) {
  static const char alphabet[] = "0123456789-,[]x= fiu.complex<>dimsbodyaddargmaxHIGH:";
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x4057);
  GString *text = g_string_new(NULL);
  size_t parsed = 0;
  for (size_t i = 0; i < attempts; i++) {
    arena_reset(&arena);
    g_autofree char *line = g_strdup(rows[rng_below(&rng, count)].line);
    for (size_t changes = 1 + rng_below(&rng, 3); changes > 0; changes--) {
      char *byte = &line[rng_below(&rng, strlen(line))];
      bool is_digit = g_ascii_isdigit(*byte);
      *byte = alphabet[rng_below(&rng, is_digit ? 10 : sizeof alphabet - 1)];
    }
    program_t program;
    const char *violation = NULL;
    status_t status = program_parse(str_from(line), &arena, &program, &violation, NULL);
    if (status != STATUS_OK) continue;
    parsed++;
    g_string_truncate(text, 0);
    program_print(&program, text);
    g_assert_cmpstr(text->str, ==, line);
    program.op->print_mlir(&program, text);
    program_print_words(&program, text);
    program.op->print_algorithm(&program, text);
  }
  g_test_message("%zu of %zu hostile lines parsed", parsed, attempts);
  g_assert_cmpuint(parsed, >, attempts / 40);
  g_string_free(text, TRUE);
  arena_deinit(&arena);
}

/* Row-major position `index` of a tensor of `type` as one index per dimension, the slow way. */
static inline void check_unravel(const type_t *type, size_t index, int64_t out[TYPE_RANK_MAX]) {
  for (uint32_t dim = type->rank; dim-- > 0;) {
    out[dim] = (int64_t)(index % (size_t)type->dims[dim]);
    index /= (size_t)type->dims[dim];
  }
}

static inline size_t check_ravel(const type_t *type, const int64_t indices[TYPE_RANK_MAX]) {
  size_t index = 0;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    index = index * (size_t)type->dims[dim] + (size_t)indices[dim];
  }
  return index;
}

#endif
