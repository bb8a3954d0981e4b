/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions that the world needs, each with a model that conforms under it and not without it;
 * the divergence then names the permission. */
#include <inttypes.h>
#include <string.h>

#include "oracles/oracle.h"
#include "tests/campaign/contracts/contract_run.h"
#include "tests/campaign/contracts/short_types.h"
#include "tests/campaign/examples.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 200 };
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

/* PERMITTED_MODEL(...): the members in their order, the class without its CLASS_. */
static const permitted_t rows[] = {
#define PERMITTED_MODEL(model, op, algorithm, type, with, without, class_, observed) \
  {model, op, algorithm, type, with, without, CLASS_##class_, observed},
#include "generated/all_permitted_models.def"
#undef PERMITTED_MODEL
};

typedef struct drawing {
  const op_t *op;
  const permitted_t *row;
} drawing_t;

static bool is_text_or_any(const char *expected, const char *text) {
  return expected[0] == '\0' || strcmp(expected, text) == 0;
}

static bool is_of_type(const program_t *program, const char *type) {
  if (strcmp(type, SHORT_TYPES_QUANTIZED) == 0) return short_types_quantized(program);
  return is_text_or_any(type, program->results[0].element->name);
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
               is_of_type(out_program, drawing->row->type);
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
  if (seen->diverging++ == 0) contract_run_describe(answer, seen->first, sizeof seen->first);
  return STATUS_OK;
}

static seen_t run(const permitted_t *row, const char *contract) {
  seen_t seen = {.row = row};
  drawing_t drawing = {.op = op_find(str_from(row->op)), .row = row};
  const contract_run_t session = {.op = drawing.op,
                                  .executor = row->model,
                                  .contract = contract,
                                  .seed = 7,
                                  .cases_max = CASES,
                                  .draw_program = draw_program,
                                  .draw_context = &drawing,
                                  .on_answer = note_answer,
                                  .hook_context = &seen};
  uint64_t conforming, cases = contract_run(&session, &conforming);
  g_test_message("%s under %s: %" PRIu64 " of %" PRIu64 " cases diverge, %" PRIu64 " as %s (%s)",
                 row->model, contract, seen.diverging, cases, seen.named,
                 class_spelling(row->class_), row->observed);
  g_assert_cmpuint(conforming, >, 0);
  return seen;
}

static void test_row(gconstpointer data) {
  const permitted_t *row = (const permitted_t *)data;
  const seen_t with = run(row, row->with);
  if (with.diverging > 0) g_test_message("%s", with.first);
  g_assert_cmpuint(with.diverging, ==, 0);
  const seen_t without = run(row, row->without);
  g_assert_cmpuint(without.diverging, >, CASES / 100);
  if (2 * without.named < without.diverging) g_test_message("%s", without.first);
  g_assert_cmpuint(2 * without.named, >=, without.diverging);
}

/* Each run is judged by itself: what one of two does wrong is seen, whichever it is.  Wrong in some
 * runs, whatever the contract. */
static void test_racing_canary(void) {
  const permitted_t racing_canary = {.model = "canary:lost_update+shuffled+races",
                                     .op = example_op(EXAMPLE_SUM)->name,
                                     .algorithm = "",
                                     .type = "",
                                     .with = "repeat=any",
                                     .without = "repeat=any",
                                     .class_ = CLASS_value,
                                     .observed = ""};
  const seen_t seen = run(&racing_canary, racing_canary.with);
  g_assert_cmpuint(seen.diverging, >, CASES / 2);
  g_assert_cmpuint(seen.in_second, >, CASES / 20);
  g_assert_cmpuint(seen.in_second, <, seen.diverging);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/permissions/%s/%s/%s%s%s", rows[i].with, rows[i].op,
                                            rows[i].model, rows[i].algorithm, rows[i].type);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  g_test_add_func("/permissions/repeat=any/canary", test_racing_canary);
  return g_test_run();
}
