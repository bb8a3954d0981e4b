/* SPDX-License-Identifier: Apache-2.0 */
/* Contract `wide`: whoever computes 16-bit and 8-bit floats in f32 or wider and rounds once
 * conforms to it, op by op; who computes in their own type does not, though it conforms to
 * `backend`, and a run under that tells so. */
#include <inttypes.h>
#include <string.h>

#include "tests/campaign/contracts/contract_run.h"
#include "tests/campaign/contracts/short_types.h"

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
  const char *type;
  const char *with, *without;
} native_t;

static const native_t natives[] = {
#define PERMITTED_MODEL(model, op, algorithm, type, with, without, ...) \
  {op, model, type, with, without},
#include "generated/all_permitted_models.def"
#undef PERMITTED_MODEL
};

/* What is drawn: programs of an op, with short floats, or quantized ones of such. */
typedef struct drawn {
  const op_t *op;
  bool are_quantized;
} drawn_t;

/* Of ops without floats, any. */
static void draw_program(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  const drawn_t *drawn = (const drawn_t *)context;
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits = (draw_limits_t){.rank_max = 3, .elements_max = 128, .terms_max = 64};
  const contract_t contract = contract_backend();
  bool is_meant = false;
  for (int tries = 0; !is_meant && (tries < 200 || drawn->are_quantized); tries++) {
    const char *broken;
    gen_program(rng, drawn->op, &options, arena, out_program, &broken);
    bool is_of_kind = drawn->are_quantized ? short_types_quantized(out_program)
                                           : short_types_any(out_program) || tries > 100;
    is_meant = is_of_kind && program_broken_under(out_program, NULL, &contract) == NULL;
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

static seen_t run(drawn_t drawn, const char *model, const char *contract, uint64_t cases) {
  seen_t seen = {0};
  const contract_run_t session = {.op = drawn.op,
                                  .executor = model,
                                  .contract = contract,
                                  .seed = 17,
                                  .draws_max = cases,
                                  .draw_program = draw_program,
                                  .draw_context = &drawn,
                                  .on_answer = note_answer,
                                  .hook_context = &seen};
  uint64_t conforming;
  contract_run(&session, &conforming);
  return seen;
}

static void test_silent(gconstpointer data) {
  const drawn_t drawn = {.op = (const op_t *)data};
  for (size_t i = 0; i < G_N_ELEMENTS(wide_models); i++) {
    const seen_t seen = run(drawn, wide_models[i], "wide", CASES);
    if (seen.diverging > 0) g_test_message("%s: %s", wide_models[i], seen.first);
    g_assert_cmpuint(seen.diverging, ==, 0);
  }
}

/* Whether programs of the op are drawn that are quantized and express short floats. */
static bool draws_quantized(const op_t *op) {
  enum { TRIES = 1000 };
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  bool is_drawn = false;
  for (int i = 0; i < TRIES && !is_drawn; i++) {
    const draw_limits_t limits = {.rank_max = 3, .elements_max = 16, .terms_max = 8};
    const arena_mark_t mark = arena_mark(&arena);
    program_t program = {0};
    op->draw(&rng, &limits, &arena, &program);
    is_drawn = short_types_quantized(&program);
    arena_rewind(&arena, mark);
  }
  arena_deinit(&arena);
  return is_drawn;
}

/* The other way: rounded between the steps, or not. */
static const char *const quantized_models[] = {"model:random+acc=f32", "model:lanes8+fma+acc=f64",
                                               "model:pairwise+acc=f32+other-way",
                                               "model:random+acc=f32+other-way+seed=3"};

/* Every step in f32: theory.md, T163. */
static void test_quantized_silent(gconstpointer data) {
  const drawn_t drawn = {.op = (const op_t *)data, .are_quantized = true};
  for (size_t i = 0; i < G_N_ELEMENTS(quantized_models); i++) {
    const seen_t seen = run(drawn, quantized_models[i], "wide", CASES);
    if (seen.diverging > 0) g_test_message("%s: %s", quantized_models[i], seen.first);
    g_assert_cmpuint(seen.diverging, ==, 0);
    g_assert_cmpuint(seen.conforming, >, CASES / 2);
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
  const drawn_t drawn = {.op = op_find(str_from(native->op)),
                         .are_quantized = strcmp(native->type, SHORT_TYPES_QUANTIZED) == 0};
  const seen_t wide = run(drawn, native->model, "wide", NATIVE_CASES);
  const seen_t backend = run(drawn, native->model, "backend", NATIVE_CASES);
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
    if (!draws_quantized(*op)) continue;
    g_autofree char *quantized = g_strdup_printf("/wide/silent-quantized/%s", (*op)->name);
    g_test_add_data_func(quantized, *op, test_quantized_silent);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(natives); i++) {
    if (strcmp(natives[i].with, "backend") != 0 || strcmp(natives[i].without, "wide") != 0)
      continue;
    g_autofree char *path = g_strdup_printf("/wide/native/%s/%s", natives[i].op, natives[i].type);
    g_test_add_data_func(path, &natives[i], test_native);
  }
  return g_test_run();
}
