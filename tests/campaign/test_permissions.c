/* Permissions that the world needs, each with a model that conforms under it and not without it;
 * the divergence then names the permission. */
#include <inttypes.h>
#include <string.h>

#include "harness/run/builtin.h"
#include "harness/run/session.h"
#include "oracles/oracle.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 100 };
#else
enum { CASES = 600 };
#endif

typedef struct permitted {
  const char *model;
  const char *op;
  const char *algorithm;     /* The label of the programs that are drawn, and ... */
  const char *type;          /* ... the element type of their first results; "": any. */
  const char *with;          /* A contract under which the model conforms, ... */
  const char *without;       /* ... and one under which it does not, ... */
  divergence_class_t class_; /* ... with this class and what would explain it, mostly. */
  const char *observed;
} permitted_t;

#define DOT "stablehlo.dot_general"

static const permitted_t rows[] = {
    {"model:sequential+split=nearest-away", DOT, "TF32_TF32_F32", "", "backend",
     "operand_rounding=rn", CLASS_precision, "operand_rounding=tf32"},
    {"model:lanes8+fma+split=truncate-all", DOT, "TF32_TF32_F32", "", "spec,order=any,fma=yes",
     "operand_rounding=rn", CLASS_precision, "operand_rounding=tf32"},
    {"model:pairwise+split=truncate-away", DOT, "TF32_TF32_F32_X3", "", "backend",
     "operand_rounding=rn", CLASS_precision, "operand_rounding=tf32"},
    {"model:sequential+split=nearest-away", DOT, "BF16_BF16_F32", "", "operand_rounding=rna",
     "backend", CLASS_precision, "operand_rounding=rna"},
    {"model:sequential+split=truncate-all", DOT, "BF16_BF16_F32", "", "operand_rounding=rz",
     "backend", CLASS_truncation, "operand_rounding=rz"},
    {"model:shuffled+races", "stablehlo.reduce", "", "", "repeat=any", "backend",
     CLASS_nondeterministic, "repeat=any"},
    {"model:random+races", "byteir.softmax", "", "", "repeat=any", "backend",
     CLASS_nondeterministic, "repeat=any"},
    {"model:sequential+exp-by-exp2", "byteir.softmax", "", "f32", "softmax=shifted,exp_by_exp2=yes",
     "softmax=shifted", CLASS_precision, "exp_by_exp2=yes"},
    {"model:pairwise+exp-by-exp2+ulps=2", "byteir.softmax", "", "f32",
     "softmax=shifted,exp_by_exp2=yes", "softmax=shifted", CLASS_precision, "exp_by_exp2=yes"},
    {"model:random+formula=online+exp-by-exp2", "byteir.softmax", "", "f32",
     "softmax=online,exp_by_exp2=yes", "softmax=shifted", CLASS_precision, "exp_by_exp2=yes"},
    {"model:sequential+formula=exponential", "byteir.gelu", "tanh", "f32",
     "spec,fma=yes,accum_wider=yes,gelu=exponential", "spec,fma=yes,accum_wider=yes", CLASS_formula,
     "gelu=exponential"},
    {"model:sequential+native+formula=exponential", "byteir.gelu", "tanh", "bf16",
     "gelu=exponential", "gelu=exponential,intermediate=wide", CLASS_precision,
     "intermediate=native"},
    {"model:sequential+saturating-casts", "stablehlo.convert", "", "f8E5M2",
     "convert_infinity=saturate", "backend", CLASS_inf, "convert_infinity=saturate"},
    {"model:sequential+saturating-casts", "stablehlo.convert", "", "f8E4M3",
     "spec,convert_rounding=rn,convert_overflow=format,convert_infinity=saturate", "backend",
     CLASS_inf, "convert_infinity=saturate"},
};

/* Wrong in some runs, whatever the contract. */
static const permitted_t racing_canary = {"canary:lost_update+shuffled+races",
                                          "stablehlo.reduce",
                                          "",
                                          "",
                                          "repeat=any",
                                          "repeat=any",
                                          CLASS_value,
                                          ""};

typedef struct drawing {
  const op_t *op;
  const permitted_t *row;
} drawing_t;

static bool is_text_or_any(const char *expected, const char *text) {
  return expected[0] == '\0' || strcmp(expected, text) == 0;
}

/* A valid program of the op that the row is about. */
static void draw_program(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  const drawing_t *drawing = (const drawing_t *)context;
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits = (draw_limits_t){.rank_max = 3, .elements_max = 64, .terms_max = 24};
  const contract_t contract = contract_backend();
  g_autoptr(GString) label = g_string_new(NULL);
  bool is_meant;
  do {
    const char *broken;
    gen_program(rng, drawing->op, &options, arena, out_program, &broken);
    g_string_truncate(label, 0);
    drawing->op->print_algorithm(out_program, label);
    is_meant = program_broken_under(out_program, NULL, &contract) == NULL &&
               is_text_or_any(drawing->row->algorithm, label->str) &&
               is_text_or_any(drawing->row->type, out_program->results[0].element->name);
  } while (!is_meant);
}

/* Divergences, and how many are what is expected. */
typedef struct seen {
  const permitted_t *row;
  uint64_t diverging;
  uint64_t named;
  uint64_t in_second; /* Of the two runs, and not in the first. */
  char first[4 * VERDICT_TEXT_BYTES];
} seen_t;

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session;
  (void)error;
  seen_t *seen = (seen_t *)context;
  const verdict_t *verdict = answer->verdict;
  if (verdict->outcome != OUTCOME_diverges) return STATUS_OK;
  seen->named +=
      verdict->class_ == seen->row->class_ && strcmp(verdict->observed, seen->row->observed) == 0;
  seen->in_second += strcmp(verdict->reason, "in the second of two runs") == 0;
  if (seen->diverging++ > 0) return STATUS_OK;
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(answer->instance, line);
  g_snprintf(seen->first, sizeof seen->first, "%s (%s): got %s, expected %s: %.300s",
             class_spelling(verdict->class_), verdict->observed, verdict->got, verdict->expected,
             line->str);
  return STATUS_OK;
}

static seen_t run(const permitted_t *row, const char *contract) {
  seen_t seen = {.row = row};
  drawing_t drawing = {.op = op_find(str_from(row->op)), .row = row};
  const executor_options_t opening = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {.text = ""};
  if (executor_open(row->model, &opening, &executor, &error) != STATUS_OK)
    g_error("%s", error.text);
  session_options_t options = {.stream = {.ops = &drawing.op,
                                          .op_count = 1,
                                          .draw_program = draw_program,
                                          .draw_context = &drawing,
                                          .gen = gen_options_default(),
                                          .seed = 7},
                               .executors = &executor,
                               .executor_count = 1,
                               .cases_max = CASES,
                               .command = "test",
                               .assay_version = "test",
                               .on_answer = note_answer,
                               .hook_context = &seen};
  g_assert_cmpint(contract_parse(str_from(contract), &options.contract, NULL), ==, STATUS_OK);
  session_t *session = NULL;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  g_test_message("%s under %s: %" PRIu64 " of %" PRIu64 " cases diverge, %" PRIu64 " as %s (%s)",
                 row->model, contract, seen.diverging, session_cases(session), seen.named,
                 class_spelling(row->class_), row->observed);
  g_assert_cmpuint(tally_cases(session_tally(session), OUTCOME_conforms), >, 0);
  session_close(session, 0, NULL);
  executor_close(executor);
  return seen;
}

static void test_row(gconstpointer data) {
  const permitted_t *row = (const permitted_t *)data;
  const seen_t with = run(row, row->with);
  if (with.diverging > 0) g_test_message("%s", with.first);
  g_assert_cmpuint(with.diverging, ==, 0);
  const seen_t without = run(row, row->without);
  g_assert_cmpuint(without.diverging, >, CASES / 100);
  if (2 * without.named <= without.diverging) g_test_message("%s", without.first);
  g_assert_cmpuint(2 * without.named, >, without.diverging);
}

/* Each run is judged by itself: what one of two does wrong is seen, whichever it is. */
static void test_racing_canary(void) {
  const seen_t seen = run(&racing_canary, racing_canary.with);
  g_assert_cmpuint(seen.diverging, >, CASES / 2);
  g_assert_cmpuint(seen.in_second, >, CASES / 20);
  g_assert_cmpuint(seen.in_second, <, seen.diverging);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/permissions/%s/%s%s%s", rows[i].with, rows[i].model,
                                            rows[i].algorithm, rows[i].type);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  g_test_add_func("/permissions/repeat=any/canary", test_racing_canary);
  return g_test_run();
}
