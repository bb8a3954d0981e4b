/* SPDX-License-Identifier: Apache-2.0 */
/* Matches programs to stored summation profiles, extends a profile to other lengths by its rule,
 * and compares the predicted bits with the executor's. Also draws programs that a profile covers.
 */
#include "harness/predict/prediction.h"

#include <stdio.h>

#include "harness/identify/profile/program_shape.h"

/* What is known of one executor. */
typedef struct predicted_executor {
  const executor_t *executor;
  uint64_t uncovered;
  /* Of the present program. */
  bool has_program;
  digest_t program;      /* Of its line. */
  prediction_row_t *row; /* NULL: no profile covers it. */
  size_t term_count;
  arena_t arena; /* Of `profile`. */
  profile_t profile;
} predicted_executor_t;

struct prediction {
  GPtrArray *profiles; /* Of stored_profile_t. */
  char *reference;     /* Or NULL. */
  size_t executor_count;
  predicted_executor_t *executors;
  GPtrArray *rows; /* Of prediction_row_t. */
  GString *text;   /* Scratch. */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void row_free(gpointer data) {
  prediction_row_t *row = data;
  prediction_sizes_free(&row->sizes);
  g_free(row);
}

/* Whether a profile may be the reference for an executor of its name. */
static bool may_refer(const prediction_t *prediction, const stored_profile_t *stored,
                      const executor_t *executor) {
  if (!g_str_equal(stored->name, executor_name(executor))) return false;
  if (prediction->reference == NULL) return true;
  if (g_str_equal(prediction->reference, "own")) return stored_profile_is_own(stored, executor);
  return g_str_equal(stored->version, prediction->reference);
}

/* Drops the profiles that are a reference for no executor. */
static void drop_others(prediction_t *prediction) {
  for (guint i = prediction->profiles->len; i-- > 0;) {
    bool is_wanted = false;
    for (size_t j = 0; j < prediction->executor_count; j++) {
      is_wanted |= may_refer(prediction, g_ptr_array_index(prediction->profiles, i),
                             prediction->executors[j].executor);
    }
    if (!is_wanted) g_ptr_array_remove_index(prediction->profiles, i);
  }
}

/* Whether the program lines are those of programs: a database may come from anywhere. */
static status_t check_programs(const GPtrArray *profiles, const char *database, failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  for (guint i = 0; i < profiles->len && status == STATUS_OK; i++) {
    const stored_profile_t *stored = g_ptr_array_index(profiles, i);
    program_t program;
    failure_t reason;
    if (program_parse(str_from(stored->program_line), &arena, &program, NULL, &reason) !=
        STATUS_OK) {
      status = status_fail(error, STATUS_INVALID, "\"%s\" has a profile without a program: %.300s",
                           database, reason.text);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  return status;
}

static prediction_t *prediction_new(const prediction_options_t *options, GPtrArray *profiles) {
  prediction_t *prediction = g_new0(prediction_t, 1);
  prediction->profiles = profiles;
  prediction->reference = g_strdup(options->reference);
  prediction->executor_count = options->executor_count;
  prediction->executors = g_new0(predicted_executor_t, options->executor_count);
  for (size_t i = 0; i < options->executor_count; i++) {
    prediction->executors[i].executor = options->executors[i];
    arena_init(&prediction->executors[i].arena);
  }
  prediction->rows = g_ptr_array_new_with_free_func(row_free);
  prediction->text = g_string_new(NULL);
  return prediction;
}

static status_t complain_of_none(const prediction_options_t *options, bool has_others,
                                 failure_t *error) {
  const char *name = executor_name(options->executors[0]);
  if (has_others) {
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" has profiles of %s, but none of version \"%s\" (--reference); "
                       "`assay query profiles` lists them",
                       options->database, name, options->reference);
  }
  return status_fail(
      error, STATUS_INVALID,
      "\"%s\" has no profile of %s; store one first: `assay identify --executor '%s' "
      "--db '%s'`",
      options->database, name, name, options->database);
}

status_t prediction_open(const prediction_options_t *options, prediction_t **out_prediction,
                         failure_t *error) {
  GPtrArray *profiles = NULL;
  STATUS_TRY(stored_profiles_read(options->database, options->executors, options->executor_count,
                                  &profiles, error));
  prediction_t *prediction = prediction_new(options, profiles);
  bool has_others = profiles->len > 0;
  drop_others(prediction);
  status_t status = profiles->len == 0 ? complain_of_none(options, has_others, error)
                                       : check_programs(profiles, options->database, error);
  if (status != STATUS_OK) {
    prediction_close(prediction);
    return status;
  }
  *out_prediction = prediction;
  return STATUS_OK;
}

void prediction_close(prediction_t *prediction) {
  if (prediction == NULL) return;
  for (size_t i = 0; i < prediction->executor_count; i++) {
    arena_deinit(&prediction->executors[i].arena);
  }
  g_ptr_array_unref(prediction->rows);
  g_ptr_array_unref(prediction->profiles);
  g_string_free(prediction->text, TRUE);
  g_free(prediction->executors);
  g_free(prediction->reference);
  g_free(prediction);
}

/* ---- Finding the profile of a program -------------------------------------------------------- */

static prediction_row_t *find_row(prediction_t *prediction, size_t executor,
                                  const stored_profile_t *stored) {
  for (guint i = 0; i < prediction->rows->len; i++) {
    prediction_row_t *row = g_ptr_array_index(prediction->rows, i);
    if (row->executor == executor && row->stored == stored) return row;
  }
  prediction_row_t *row = g_new0(prediction_row_t, 1);
  row->executor = executor;
  row->stored = stored;
  row->is_own = stored_profile_is_own(stored, prediction->executors[executor].executor);
  row->sizes = prediction_sizes_make();
  g_ptr_array_add(prediction->rows, row);
  return row;
}

/* Profiles are in order, the one seen last first: the first of another version is the reference, or
 * else the first of all. */
static const stored_profile_t *find_reference(const prediction_t *prediction,
                                              const executor_t *executor, const char *shape,
                                              size_t term_count) {
  const stored_profile_t *own = NULL;
  for (guint i = 0; i < prediction->profiles->len; i++) {
    const stored_profile_t *stored = g_ptr_array_index(prediction->profiles, i);
    bool covers = term_count >= stored->terms_low && term_count <= stored->terms_high &&
                  g_str_equal(stored->shape, shape);
    if (!covers || !may_refer(prediction, stored, executor)) continue;
    if (!stored_profile_is_own(stored, executor)) return stored;
    if (own == NULL) own = stored;
  }
  return own;
}

static status_t begin_program(prediction_t *prediction, size_t index, const program_t *program,
                              failure_t *error) {
  predicted_executor_t *executor = &prediction->executors[index];
  g_string_truncate(prediction->text, 0);
  program_shape_print(program, prediction->text, &executor->term_count);
  const stored_profile_t *stored =
      find_reference(prediction, executor->executor, prediction->text->str, executor->term_count);
  executor->row = NULL;
  if (stored == NULL) return STATUS_OK;
  arena_reset(&executor->arena);
  STATUS_TRY(stored_profile_make(stored, program, executor->term_count, &executor->arena,
                                 &executor->profile, error));
  executor->row = find_row(prediction, index, stored);
  return STATUS_OK;
}

/* Makes `program` the present one. */
static status_t enter_program(prediction_t *prediction, size_t index, const program_t *program,
                              failure_t *error) {
  predicted_executor_t *executor = &prediction->executors[index];
  g_string_truncate(prediction->text, 0);
  program_print(program, prediction->text);
  digest_t digest = digest_of(prediction->text->str, prediction->text->len);
  bool is_same = executor->has_program && executor->program.high == digest.high &&
                 executor->program.low == digest.low;
  if (is_same) return STATUS_OK;
  executor->has_program = false;
  STATUS_TRY(begin_program(prediction, index, program, error));
  executor->has_program = true;
  executor->program = digest;
  return STATUS_OK;
}

/* ---- Holding results against it -------------------------------------------------------------- */

/* Components with other bits than predicted, and the first of them. */
static size_t count_changed(const tensor_t *result, const tensor_t *predicted, size_t *out_first) {
  const element_t *element = result->type.element;
  size_t count = type_component_count(&result->type);
  size_t changed = 0;
  for (size_t i = count; i-- > 0;) {
    uint64_t got = element_load(element, result->data, i);
    uint64_t expected = element_load(element, predicted->data, i);
    if (profile_same_bits(element->format, got, expected)) continue;
    changed++;
    *out_first = i;
  }
  return changed;
}

static void set_verdict(const predicted_executor_t *executor, const tensor_t *result,
                        const tensor_t *predicted, size_t changed, size_t first,
                        verdict_t *verdict) {
  const stored_profile_t *stored = executor->row->stored;
  const element_t *element = result->type.element;
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_order;
  verdict->result = 0;
  verdict->component = first;
  verdict->wrong_count = changed;
  verdict->got_bits = element_load(element, result->data, first);
  judge_print_component(element, verdict->got_bits, verdict->got, sizeof verdict->got);
  judge_print_component(element, element_load(element, predicted->data, first), verdict->expected,
                        sizeof verdict->expected);
  snprintf(verdict->observed, sizeof verdict->observed, "not as version %.40s", stored->version);
  snprintf(verdict->reason, sizeof verdict->reason,
           "within the accept set, but not the bits that the profile of version %.24s predicts "
           "(%.64s); n = %zu",
           stored->version, stored->words, executor->term_count);
}

static size_t find_executor(const prediction_t *prediction, const executor_t *executor) {
  size_t index = 0;
  while (prediction->executors[index].executor != executor) index++;
  return index;
}

static status_t check_case(void *context, const executor_t *executor,
                           const expectation_t *expectation, const tensor_t *results,
                           verdict_t *inout_verdict, failure_t *error) {
  const case_t *instance = expectation->instance;
  arena_t *arena = expectation->arena;
  prediction_t *prediction = (prediction_t *)context;
  size_t index = find_executor(prediction, executor);
  predicted_executor_t *present = &prediction->executors[index];
  STATUS_TRY(enter_program(prediction, index, &instance->program, error));
  if (present->row == NULL) {
    present->uncovered++;
    return STATUS_OK;
  }
  arena_mark_t mark = arena_mark(arena);
  tensor_t predicted;
  status_t status = profile_predict_case(&present->profile, instance, arena, &predicted, error);
  if (status == STATUS_OK) {
    size_t first = 0;
    size_t changed = count_changed(&results[0], &predicted, &first);
    prediction_sizes_add(&present->row->sizes, present->term_count, changed > 0);
    bool is_fine =
        inout_verdict->outcome == OUTCOME_conforms || inout_verdict->outcome == OUTCOME_weak;
    if (changed > 0 && is_fine) {
      set_verdict(present, &results[0], &predicted, changed, first, inout_verdict);
    }
  }
  arena_rewind(arena, mark);
  return status;
}

case_runner_predictor_t prediction_predictor(prediction_t *prediction) {
  return (case_runner_predictor_t){.check = check_case, .context = prediction};
}

/* ---- Drawing --------------------------------------------------------------------------------- */

enum { DRAWN_TERMS_MAX = 1 << 14 }; /* Longer sums tell nothing that is not told by these. */

/* Of three: any length, one of any magnitude, one beside a multiple of a power of two, where blocks
 * and lanes begin and end. */
static uint64_t draw_term_count(rng_t *rng, uint64_t low, uint64_t high) {
  high = MAX(low, MIN(high, DRAWN_TERMS_MAX));
  uint64_t span = high - low + 1;
  uint64_t choice = rng_below(rng, 3);
  uint64_t term_count = low + rng_below(rng, span);
  if (choice == 1) {
    uint64_t bits = 1 + rng_below(rng, (uint64_t)g_bit_storage(span));
    term_count = low + rng_below(rng, UINT64_C(1) << bits) % span;
  } else if (choice == 2) {
    uint64_t power = UINT64_C(1) << rng_below(rng, 9);
    term_count = term_count / power * power + rng_below(rng, 3);
  }
  return CLAMP(term_count, low, high);
}

/* How often a profile is drawn from: the more, the more lengths it covers, but not in proportion.
 */
static uint64_t draw_weight(const stored_profile_t *stored) {
  return 1 + (uint64_t)g_bit_storage(stored->terms_high - stored->terms_low);
}

static const stored_profile_t *draw_profile(const GPtrArray *profiles, rng_t *rng) {
  uint64_t sum = 0;
  for (guint i = 0; i < profiles->len; i++) {
    sum += draw_weight(g_ptr_array_index(profiles, i));
  }
  uint64_t place = rng_below(rng, sum);
  guint i = 0;
  for (;; i++) {
    uint64_t weight = draw_weight(g_ptr_array_index(profiles, i));
    if (place < weight) return g_ptr_array_index(profiles, i);
    place -= weight;
  }
}

void prediction_draw_program(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  const prediction_t *prediction = (const prediction_t *)context;
  const stored_profile_t *stored = draw_profile(prediction->profiles, rng);
  uint64_t term_count = draw_term_count(rng, stored->terms_low, stored->terms_high);
  program_t found_with; /* It parses: prediction_open() has tried. */
  status_t status = program_parse(str_from(stored->program_line), arena, &found_with, NULL, NULL);
  g_assert(status == STATUS_OK);
  while (term_count > stored->terms_low &&
         program_shape_resize(&found_with, term_count, out_program, NULL) != STATUS_OK) {
    term_count = MAX(stored->terms_low, term_count / 2); /* The operands were too large. */
  }
  if (program_shape_resize(&found_with, term_count, out_program, NULL) != STATUS_OK) {
    *out_program = found_with;
  }
}

/* ---- Telling --------------------------------------------------------------------------------- */

size_t prediction_row_count(const prediction_t *prediction) { return prediction->rows->len; }

const prediction_row_t *prediction_row(const prediction_t *prediction, size_t index) {
  return g_ptr_array_index(prediction->rows, index);
}

uint64_t prediction_uncovered(const prediction_t *prediction, size_t executor) {
  return prediction->executors[executor].uncovered;
}
