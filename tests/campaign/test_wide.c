/* SPDX-License-Identifier: Apache-2.0 */
/* Contract `wide`: whoever computes 16-bit and 8-bit floats in f32 or wider and rounds once
 * conforms to it, op by op; who computes in their own type does not, though it conforms to
 * `backend`, and a run under that tells so. */
#include <inttypes.h>
#include <string.h>

#include "tests/campaign/contract_run.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 30 };
#else
enum { CASES = 120 };
#endif

/* Conforming by construction. */
static const char *const wide_models[] = {"model:sequential+acc=f32", "model:lanes8+fma+acc=f32",
                                          "model:pairwise+acc=f64+ulps=2"};

/* An op, and a model that conforms to `backend` alone: rows of permitted_models.def. */
typedef struct native {
  const char *op;
  const char *model;
  const char *with, *without;
} native_t;

static const native_t natives[] = {
#define PERMITTED_MODEL(model, op, algorithm, type, with, without, ...) {op, model, with, without},
#include "generated/all_permitted_models.def"
#undef PERMITTED_MODEL
};

static bool has_short_float(const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const format_t *format = types[i].element->format;
    if (format != NULL && format->bits <= 16) return true;
  }
  return false;
}

/* Of ops without floats, any. */
static void draw_program(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  const op_t *op = (const op_t *)context;
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits = (draw_limits_t){.rank_max = 3, .elements_max = 128, .terms_max = 64};
  const contract_t contract = contract_backend();
  bool is_meant = false;
  for (int tries = 0; tries < 200 && !is_meant; tries++) {
    const char *broken;
    gen_program(rng, op, &options, arena, out_program, &broken);
    is_meant = program_broken_under(out_program, NULL, &contract) == NULL &&
               (has_short_float(out_program->operands, out_program->operand_count) || tries > 100);
  }
}

/* What came of cases of an op. */
typedef struct seen {
  uint64_t conforming;
  uint64_t diverging;
  uint64_t wide, not_wide; /* Of those that were held against `wide` too. */
  char first[4 * VERDICT_TEXT_BYTES];
} seen_t;

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session, (void)error;
  seen_t *seen = (seen_t *)context;
  const verdict_t *verdict = answer->verdict;
  seen->conforming += verdict->outcome == OUTCOME_conforms;
  if (verdict->contract != NULL) {
    bool is_wide = strcmp(verdict->contract, VERDICT_WIDE) == 0;
    *(is_wide ? &seen->wide : &seen->not_wide) += 1;
  }
  if (verdict->outcome != OUTCOME_diverges || seen->diverging++ > 0) return STATUS_OK;
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(answer->instance, line);
  g_snprintf(seen->first, sizeof seen->first, "%s (%s): got %s, expected %s: %.300s",
             class_spelling(verdict->class_), verdict->observed, verdict->got, verdict->expected,
             line->str);
  return STATUS_OK;
}

static seen_t run(const op_t *op, const char *model, const char *contract, uint64_t cases) {
  seen_t seen = {0};
  const contract_run_t session = {.op = op,
                                  .executor = model,
                                  .contract = contract,
                                  .seed = 17,
                                  .draws_max = cases,
                                  .draw_program = draw_program,
                                  .draw_context = (void *)(uintptr_t)op,
                                  .on_answer = note_answer,
                                  .hook_context = &seen};
  uint64_t conforming;
  contract_run(&session, &conforming);
  return seen;
}

static void test_silent(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  for (size_t i = 0; i < G_N_ELEMENTS(wide_models); i++) {
    const seen_t seen = run(op, wide_models[i], "wide", CASES);
    if (seen.diverging > 0) g_test_message("%s: %s", wide_models[i], seen.first);
    g_assert_cmpuint(seen.diverging, ==, 0);
  }
}

/* Few sums in 16 bits are long enough to tell, and of these one in four is asked. */
#ifdef ASSAY_SANITIZE
enum { NATIVE_CASES = 480 };
#else
enum { NATIVE_CASES = 360 };
#endif

/* And under `backend` the run counts what would not have kept `wide`: one in four is asked. */
static void test_native(gconstpointer data) {
  const native_t *native = (const native_t *)data;
  const op_t *op = op_find(str_from(native->op));
  const seen_t wide = run(op, native->model, "wide", NATIVE_CASES);
  const seen_t backend = run(op, native->model, "backend", NATIVE_CASES);
  if (backend.diverging > 0) g_test_message("%s", backend.first);
  g_test_message("%s, %s: %" PRIu64 " of %d diverge from wide; of %" PRIu64
                 " that were held %" PRIu64 " do not keep it",
                 native->op, native->model, wide.diverging, NATIVE_CASES,
                 backend.wide + backend.not_wide, backend.not_wide);
  g_assert_cmpuint(backend.diverging, ==, 0);
  g_assert_cmpuint(wide.diverging, >, NATIVE_CASES / 50);
  g_assert_cmpuint(wide.wide + wide.not_wide, ==, 0); /* There is nothing tighter to ask about. */
  g_assert_cmpuint(4 * (backend.wide + backend.not_wide), >=, backend.conforming - 4);
  g_assert_cmpuint(4 * (backend.wide + backend.not_wide), <=, backend.conforming + 4);
  g_assert_cmpuint(backend.not_wide, >, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *path = g_strdup_printf("/wide/silent/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_silent);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(natives); i++) {
    if (strcmp(natives[i].with, "backend") != 0 || strcmp(natives[i].without, "wide") != 0)
      continue;
    g_autofree char *path = g_strdup_printf("/wide/native/%s", natives[i].op);
    g_test_add_data_func(path, &natives[i], test_native);
  }
  return g_test_run();
}
