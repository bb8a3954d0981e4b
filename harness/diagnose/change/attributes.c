/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel had other attributes, or was another op.  Where the attributes give other results, the
 * kernel stored what of these lies within the results that it should give. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/diagnose/change/edits.h"
#include "harness/diagnose/change/windows.h"

static bool parse(const char *text, arena_t *arena, program_t *inout_program) {
  scan_t scan = scan_make(str_from(text));
  failure_t ignored;
  return program_parse_attributes(&scan, arena, inout_program, &ignored) == STATUS_OK &&
         scan_at_end(&scan);
}

/* ---- Results of another size ----------------------------------------------------------------- */

/* Gives all results that size of a dimension; whether the program is valid then. */
static bool fits(program_t *inout_program, uint32_t dim, int64_t size) {
  for (uint32_t i = 0; i < inout_program->result_count; i++) {
    if (dim < inout_program->results[i].rank) inout_program->results[i].dims[dim] = size;
  }
  return program_broken(inout_program) == NULL;
}

/* Sizes of two dimensions, as of an attribute that is about several. */
static bool resize_two(program_t *inout_program, int64_t size_max) {
  const uint32_t rank = inout_program->results[0].rank;
  for (uint32_t first = 0; first < rank; first++) {
    for (uint32_t second = first + 1; second < rank; second++) {
      program_t resized = *inout_program;
      for (int64_t a = 1; a <= size_max; a++) {
        fits(&resized, first, a);
        for (int64_t b = 1; b <= size_max; b++) {
          if (!fits(&resized, second, b)) continue;
          *inout_program = resized;
          return true;
        }
      }
    }
  }
  return false;
}

/* A size of one dimension of all results that makes the program valid, or of two; false if there is
 * none. */
static bool resize_results(program_t *inout_program, int64_t size_max) {
  enum { TWO_SIZES_MAX = 20 };
  const type_t *first = &inout_program->results[0];
  for (uint32_t dim = 0; dim < first->rank; dim++) {
    program_t resized = *inout_program;
    for (int64_t size = 1; size <= size_max; size++) {
      if (size == first->dims[dim] || !fits(&resized, dim, size)) continue;
      *inout_program = resized;
      return true;
    }
  }
  return resize_two(inout_program, TWO_SIZES_MAX);
}

/* Another order of the sizes of the one result that makes the program valid: two of them exchanged
 * once, or twice. */
static bool reorder_result(program_t *inout_program, unsigned exchanges) {
  type_t *result = &inout_program->results[0];
  if (inout_program->result_count != 1) return false;
  for (uint32_t a = 0; a < result->rank; a++) {
    for (uint32_t b = a + 1; b < result->rank; b++) {
      if (result->dims[a] == result->dims[b]) continue;
      const int64_t kept[2] = {result->dims[a], result->dims[b]};
      result->dims[a] = kept[1];
      result->dims[b] = kept[0];
      if (program_broken(inout_program) == NULL) return true;
      if (exchanges > 1 && reorder_result(inout_program, exchanges - 1)) return true;
      result->dims[a] = kept[0];
      result->dims[b] = kept[1];
    }
  }
  return false;
}

/* Each element at its own place in memory. */
static const size_t *places_in_memory(const type_t *type, arena_t *arena) {
  const size_t count = type_element_count(type);
  size_t *places = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) places[i] = i;
  return places;
}

/* For each element of `type` the one of `other` with its indices, or CHANGE_ZERO if that has none.
 */
static const size_t *places_within(const type_t *type, const type_t *other, arena_t *arena) {
  const size_t count = type_element_count(type);
  size_t *places = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) {
    size_t rest = i, place = 0, stride = 1;
    bool is_within = true;
    for (uint32_t dim = type->rank; dim-- > 0;) {
      size_t index = rest % (size_t)type->dims[dim];
      rest /= (size_t)type->dims[dim];
      is_within &= index < (size_t)other->dims[dim];
      place += index * stride;
      stride *= (size_t)other->dims[dim];
    }
    places[i] = is_within ? place : CHANGE_ZERO;
  }
  return places;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static size_t first_difference(const char *before, const char *after) {
  size_t same = 0;
  while (before[same] != '\0' && before[same] == after[same]) same++;
  return same;
}

/* The key whose value an edit changed first. */
static void name_edit(const char *before, const char *after, char out_detail[CAUSE_DETAIL_BYTES]) {
  size_t same = first_difference(before, after);
  while (same > 0 && after[same] != ' ') same--;
  const char *word = after[same] == ' ' ? after + same + 1 : after + same;
  size_t length = strcspn(word, " ");
  g_snprintf(out_detail, CAUSE_DETAIL_BYTES, "%.*s", (int)MIN(length, CAUSE_DETAIL_BYTES - 1),
             word);
}

/* An edit that is tried. */
typedef struct trial {
  const char *before; /* The attributes that the program has, ... */
  const char *after;  /* ... and those that the kernel had. */
  char key[CAUSE_KEY_BYTES];
  char other_key[CAUSE_KEY_BYTES]; /* "" if there is none. */
  char detail[CAUSE_DETAIL_BYTES];
  size_t tried;
} trial_t;

static const char *other_key_of(const trial_t *trial) {
  return trial->other_key[0] != '\0' ? trial->other_key : NULL;
}

static void test_program(solver_t *solver, const trial_t *trial, const program_t *program,
                         const size_t *places, found_causes_t *found) {
  case_t changed = *solver->question->instance;
  changed.program = *program;
  const change_t change = {.cause = CAUSE_other_attribute,
                           .key = trial->key,
                           .other_key = other_key_of(trial),
                           .instance = &changed,
                           .places = places,
                           .tried = trial->tried};
  change_test(solver, &change, trial->detail, found);
}

/* Where a number stands in a text of attributes. */
typedef struct spot {
  size_t key; /* Where its attribute begins, */
  int entry;  /* and the entry of its list that it is, or is in; -1: of none. */
} spot_t;

static spot_t spot_of(const char *text, size_t at) {
  spot_t spot = {.entry = -1};
  int depth = 0;
  for (size_t i = 0; i <= at && text[i] != '\0'; i++) {
    if (text[i] == ' ') spot = (spot_t){.key = i, .entry = -1};
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    bool begins = text[i] == '[' && depth == 1 && spot.entry < 0;
    if (begins || (text[i] == ',' && depth == 1)) spot.entry++;
  }
  return spot;
}

/* Whether a number of another attribute may make up for a changed one: it is about the same
 * dimension. */
static bool may_repair(const char *text, spot_t edited, size_t at) {
  spot_t other = spot_of(text, at);
  bool is_alike = edited.entry < 0 || other.entry < 0 || other.entry == edited.entry;
  return other.key != edited.key && is_alike;
}

/* Tries values of the number in the text from `begin` to `end`, until one makes the program valid.
 */
static bool repair_number(solver_t *solver, const trial_t *trial, int begin, int end,
                          program_t *out_program) {
  enum { LESS = 3, MORE = 6 };
  const char *text = trial->after;
  gint64 present = g_ascii_strtoll(text + begin, NULL, 10);
  for (gint64 value = present - LESS; value <= present + MORE; value++) {
    char *edit = g_strdup_printf("%.*s%" G_GINT64_FORMAT "%s", begin, text, value, text + end);
    const char *kept = arena_copy_text(solver->arena, edit, strlen(edit));
    g_free(edit);
    *out_program = solver->question->instance->program;
    if (value == present || strcmp(kept, trial->before) == 0) continue;
    if (!parse(kept, solver->arena, out_program)) continue;
    if (program_broken(out_program) == NULL) return true;
  }
  return false;
}

/* One more number of the text may keep the sizes of the results: the window that became wider
 * reaches into more padding.  What undoes the edit is none. */
static void test_repaired(solver_t *solver, const trial_t *trial, found_causes_t *found) {
  enum { NUMBERS_MAX = 16, REPAIRS_MAX = 4 };
  int repairs = 0;
  const char *text = trial->after;
  const spot_t edited = spot_of(text, first_difference(trial->before, text));
  g_autoptr(GRegex) number = g_regex_new("(?<![0-9a-zA-Z.+-])-?[0-9]+(?![0-9a-zA-Z.])", 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  g_regex_match(number, text, 0, &match);
  for (int i = 0; i < NUMBERS_MAX && repairs < REPAIRS_MAX && g_match_info_matches(match); i++) {
    int begin = 0, end = 0;
    program_t repaired;
    g_match_info_fetch_pos(match, 0, &begin, &end);
    if (may_repair(text, edited, (size_t)begin) &&
        repair_number(solver, trial, begin, end, &repaired)) {
      test_program(solver, trial, &repaired, NULL, found);
      repairs++;
    }
    g_match_info_next(match, NULL);
  }
}

/* Windows that are fewer or more than results: who writes all results reads padding behind. */
static void test_closed(solver_t *solver, const trial_t *trial, const program_t *edited,
                        found_causes_t *found) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_t closed = *edited;
  if (!slides_close(edited, text)) return;
  const char *kept = arena_copy_text(solver->arena, text->str, text->len);
  if (strcmp(kept, trial->before) == 0 || !parse(kept, solver->arena, &closed)) return;
  if (program_broken(&closed) == NULL) test_program(solver, trial, &closed, NULL, found);
}

static void test_edit(solver_t *solver, const trial_t *trial, found_causes_t *found) {
  enum { SIZE_TRIED_MAX = 64 };
  const program_t *program = &solver->question->instance->program;
  const uint32_t result = solver->verdict->result;
  program_t edited = *program;
  if (!parse(trial->after, solver->arena, &edited)) return;
  if (program_broken(&edited) == NULL) {
    test_program(solver, trial, &edited, NULL, found);
    return;
  }
  test_closed(solver, trial, &edited, found);
  program_t reordered = edited;
  if (reorder_result(&reordered, 2)) {
    const type_t *type = &program->results[result];
    test_program(solver, trial, &reordered, places_in_memory(type, solver->arena), found);
  }
  if (resize_results(&edited, SIZE_TRIED_MAX)) {
    const size_t *places =
        places_within(&program->results[result], &edited.results[result], solver->arena);
    test_program(solver, trial, &edited, places, found);
  }
  test_repaired(solver, trial, found);
}

/* The attribute, and what was done to it. */
static void name_trial(const edit_t *edit, trial_t *inout_trial) {
  const char *detail = inout_trial->detail;
  int length = (int)strcspn(detail, "=");
  g_snprintf(inout_trial->key, CAUSE_KEY_BYTES, "%.*s %s", length, detail, edit->kind);
  if (edit->other_kind == NULL) return;
  g_snprintf(inout_trial->other_key, CAUSE_KEY_BYTES, "%.*s %s", length, detail, edit->other_kind);
}

/* What is no edit of one attribute: windows that end at the far edge. */
static void test_far_edge(solver_t *solver, const char *before, found_causes_t *found) {
  g_autoptr(GString) text = g_string_new(NULL);
  trial_t trial = {.before = before, .key = "padding far edge", .tried = 1};
  const change_t change = {.cause = CAUSE_other_attribute, .key = trial.key};
  if (!change_is_wanted(solver, &change)) return;
  if (!slides_align_end(&solver->question->instance->program, text)) return;
  arena_mark_t mark = arena_mark(solver->arena);
  trial.after = arena_copy_text(solver->arena, text->str, text->len);
  name_edit(before, trial.after, trial.detail);
  test_edit(solver, &trial, found);
  arena_rewind(solver->arena, mark);
}

void change_attributes(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  bool has_any = program->op->attribute_rows != NULL;
  if (!has_any || !solver_tests(solver, CAUSE_other_attribute)) return;
  g_autoptr(GString) before = g_string_new(NULL);
  program_print_attributes(program, before);
  g_autoptr(GPtrArray) edits = edits_of_attributes(program);
  for (guint i = 0; i < edits->len; i++) {
    const edit_t *edit = (const edit_t *)g_ptr_array_index(edits, i);
    arena_mark_t mark = arena_mark(solver->arena);
    trial_t trial = {.before = before->str, .tried = edits->len};
    trial.after = arena_copy_text(solver->arena, edit->text, strlen(edit->text));
    name_edit(before->str, trial.after, trial.detail);
    name_trial(edit, &trial);
    const change_t change = {
        .cause = CAUSE_other_attribute, .key = trial.key, .other_key = other_key_of(&trial)};
    if (change_is_wanted(solver, &change)) test_edit(solver, &trial, found);
    arena_rewind(solver->arena, mark);
  }
  test_far_edge(solver, before->str, found);
}

/* ---- Another op ------------------------------------------------------------------------------ */

void change_ops(solver_t *solver, found_causes_t *found) {
  const case_t *instance = solver->question->instance;
  const op_t *own = instance->program.op;
  if (!solver_tests(solver, CAUSE_other_op)) return;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    bool is_alike = (*op)->attribute_rows == own->attribute_rows &&
                    (*op)->attributes_bytes == own->attributes_bytes;
    if (*op == own || !is_alike || (*op)->is_compound || strstr((*op)->name, "rng") != NULL)
      continue;
    case_t changed = *instance;
    changed.program.op = *op;
    if (program_broken(&changed.program) != NULL) continue;
    solver_t other = *solver;
    cause_question_t question = *solver->question;
    question.oracle = oracle_find(*op);
    if (question.oracle == NULL) continue;
    other.question = &question;
    const change_t change = {
        .cause = CAUSE_other_op, .key = (*op)->name, .instance = &changed, .tried = 16};
    change_test(&other, &change, (*op)->name, found);
    solver->asks = other.asks;
    solver->status = other.status;
    solver->failure = other.failure;
  }
}
