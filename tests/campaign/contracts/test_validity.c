/* SPDX-License-Identifier: Apache-2.0 */
/* Forbidden is not the same as unmodelled: every constraint says which of the two it is, and nobody
 * is blamed for what he makes of a program that breaks only one of the second kind. */
#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "tests/campaign/fake_executor.h"

typedef struct row {
  const char *line;
  const char *id;
} row_t;

/* UNMODELLED(program line, id): a program that breaks nothing but that constraint, which is not
 * modelled.  There is one at least for each such constraint of each op.  The data are drawn. */
static const row_t rows[] = {
#define UNMODELLED(line, id) {line, id},
#include "generated/all_unmodelled.def"
#undef UNMODELLED
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_listed(const op_t *op, const char *id) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    size_t length = strlen(op->name);
    bool is_of_op = strncmp(rows[i].line, op->name, length) == 0 && rows[i].line[length] == ' ';
    if (is_of_op && strcmp(rows[i].id, id) == 0) return true;
  }
  return false;
}

/* "C14" is the clause of that name; each clause is one of a document. */
static void check_forbidden(const op_t *op, const op_constraint_t *row) {
  g_autoptr(GString) clause = g_string_new(NULL);
  op_constraint_print_clause(op, row, clause);
  g_assert_true(g_str_has_suffix(clause->str, row->clause) && row->clause[0] != '\0');
  g_assert_cmpuint(clause->len, >, strlen(row->clause) + 2);
  bool is_numbered = row->id[0] == 'C' && g_ascii_isdigit(row->id[1]);
  if (is_numbered) g_assert_cmpstr(row->clause, ==, row->id);
}

static void test_rows(void) {
  size_t forbidden = 0, unmodelled = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    for (const op_constraint_t *row = (*op)->constraints; row->id != NULL; row++) {
      g_test_message("%s %s", (*op)->name, row->id);
      g_assert_true(op_constraint_is_forbidden(row) != op_constraint_is_unmodelled(row));
      g_assert_cmpuint(strlen(row->id), <, VERDICT_CONSTRAINT_BYTES);
      forbidden += op_constraint_is_forbidden(row);
      unmodelled += op_constraint_is_unmodelled(row);
      if (op_constraint_is_forbidden(row)) {
        check_forbidden(*op, row);
      } else {
        g_assert_true(is_listed(*op, row->id));
      }
    }
    const op_constraint_t *under = (*op)->contract_constraints;
    for (; under != NULL && under->id != NULL; under++) {
      g_assert_true(op_constraint_is_forbidden(under) != op_constraint_is_unmodelled(under));
      if (op_constraint_is_forbidden(under)) check_forbidden(*op, under);
    }
  }
  g_test_message("%zu forbidden, %zu unmodelled", forbidden, unmodelled);
  g_assert_cmpuint(forbidden, >, 150);
}

/* ---- One program ----------------------------------------------------------------------------- */

/* What drawing breaks on purpose is forbidden, so that none of these is ever drawn as invalid; what
 * search changes is valid. */
static void test_never_drawn(void) {
  /* Of each op; tests/nightly/lengths draws more. */
  const int programs = g_getenv("ASSAY_NIGHT_LENGTHS") == NULL ? 400 : 2000;
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xd7a);
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 1;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    for (int i = 0; i < programs; i++) {
      arena_reset(&arena);
      program_t program;
      const char *broken;
      gen_program(&rng, *op, &options, &arena, &program, &broken);
      g_assert_nonnull(broken);
      g_assert_true(op_constraint_is_forbidden(program_broken(&program)));
    }
  }
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    case_t instance;
    const char *violation;
    g_assert_cmpint(
        program_parse(str_from(rows[i].line), &arena, &instance.program, &violation, NULL), ==,
        STATUS_OK);
    instance = case_make(&arena, &instance.program);
    gen_data(&rng, &instance);
    gen_mutate(&rng, &options, &arena, &instance);
    g_assert_null(program_broken(&instance.program));
  }
  arena_deinit(&arena);
}

static void close_answer(executor_t *executor, arena_t *arena) {
  executor_close(executor);
  arena_deinit(arena);
}

/* However an executor answers, nothing is blamed on him. */
static void check_answer(const row_t *row, fake_t fake, outcome_t outcome) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation;
  g_assert_cmpint(program_parse(str_from(row->line), &arena, &instance.program, &violation, NULL),
                  ==, STATUS_OK);
  g_assert_cmpstr(violation, ==, row->id);
  instance = case_make(&arena, &instance.program);
  rng_t rng = rng_make(1);
  gen_data(&rng, &instance);
  const op_constraint_t *broken = program_broken(&instance.program);
  g_assert_true(op_constraint_is_unmodelled(broken));
  const contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  executor_t *executor = fake_executor_open(fake, false);
  expectation_t expectation;
  verdict_t verdict;
  failure_t error = {0};
  if (case_runner_expect(&walk, &instance, broken, &arena, &expectation, &error) != STATUS_OK ||
      case_runner_run(&walk, &expectation, executor, &verdict, &error) != STATUS_OK) {
    g_error("%s: %s", row->line, error.text);
  }
  g_test_message("%s, %s: %s %s", fake_names[fake], row->line, outcome_spelling(verdict.outcome),
                 verdict.reason);
  g_assert_cmpstr(outcome_spelling(verdict.outcome), ==, outcome_spelling(outcome));
  g_assert_cmpint(verdict.class_, ==, CLASS_none);
  g_assert_cmpstr(verdict.constraint, ==, "");
  g_assert_cmpstr(verdict.reason, !=, "");
  if (outcome != OUTCOME_no_oracle) return close_answer(executor, &arena);
  g_autofree char *named = g_strdup_printf("(%s)", row->id);
  g_assert_nonnull(strstr(verdict.reason, named));
  close_answer(executor, &arena);
}

static void test_answers(gconstpointer data) {
  const row_t *row = (const row_t *)data;
  check_answer(row, FAKE_accepts_everything, OUTCOME_no_oracle);
  check_answer(row, FAKE_rejects, OUTCOME_no_oracle);
  check_answer(row, FAKE_refuses, OUTCOME_refused);
  check_answer(row, FAKE_breaks_promise, OUTCOME_refused);
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Somebody who accepts everything is blamed for each forbidden program, and for no unmodelled one,
 * which a model refuses. */
static void test_session(void) {
  const executor_options_t builtin = {.find_builtin = builtin_find};
  executor_t *executors[2] = {fake_executor_open(FAKE_accepts_everything, false), NULL};
  failure_t error = {0};
  g_assert_cmpint(executor_open("model:sequential", &builtin, &executors[1], &error), ==,
                  STATUS_OK);
  const session_options_t options = {.executors = executors,
                                     .asks_invalid = true,
                                     .executor_count = 2,
                                     .contract = contract_backend(),
                                     .command = "test",
                                     .assay_version = "test"};
  session_t *session;
  g_assert_cmpint(session_open(&options, &session, &error), ==, STATUS_OK);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(3);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    program_t program;
    const char *violation;
    g_assert_cmpint(program_parse(str_from(rows[i].line), &arena, &program, &violation, NULL), ==,
                    STATUS_OK);
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    verdict_t verdicts[2];
    g_assert_cmpint(session_walk(session, &instance, program_broken(&program), verdicts, &error),
                    ==, STATUS_OK);
    g_assert_cmpint(verdicts[0].outcome, ==, OUTCOME_no_oracle);
    g_assert_cmpint(verdicts[1].outcome, ==, OUTCOME_refused);
  }
  g_assert_cmpuint(session_finding_count(session), ==, 0);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_no_oracle), ==, G_N_ELEMENTS(rows));
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_refused), ==, G_N_ELEMENTS(rows));
  static const char forbidden[] = "stablehlo.reduce body=and dims=[0] f32[2] f32[] -> f32[]";
  program_t program;
  const char *violation;
  g_assert_cmpint(program_parse(str_from(forbidden), &arena, &program, &violation, NULL), ==,
                  STATUS_OK);
  case_t instance = case_make(&arena, &program);
  gen_data(&rng, &instance);
  g_assert_cmpint(session_walk(session, &instance, program_broken(&program), NULL, &error), ==,
                  STATUS_OK);
  g_assert_cmpuint(session_finding_count(session), ==, 1);
  g_assert_cmpint(session_finding(session, 0)->verdict.class_, ==, CLASS_invalid_accepted);
  arena_deinit(&arena);
  g_assert_cmpint(session_close(session, 0, &error), ==, STATUS_OK);
  for (size_t i = 0; i < 2; i++) executor_close(executors[i]);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/validity/rows", test_rows);
  g_test_add_func("/validity/never_drawn", test_never_drawn);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/validity/answers/%zu/%s", i, rows[i].id);
    g_test_add_data_func(path, &rows[i], test_answers);
  }
  g_test_add_func("/validity/session", test_session);
  return g_test_run();
}
