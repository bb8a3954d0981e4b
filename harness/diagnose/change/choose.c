/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the changes that explain a case is its cause.  Small cases are explained by many: what
 * tells them apart is which explains the other cases of this executor and op too. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/model/case.h"

/* What is known of one change, of the cases that were looked into since all were tried. */
typedef struct standing {
  uint32_t cases;   /* That it explains, of several of one program in a row one, ... */
  uint32_t neutral; /* ... and the others, and those where nothing speaks for it or against. */
  uint32_t strong;  /* Of `cases` those that tell CAUSE_BITS_STRONG each. */
  guint program;    /* Of the last one. */
  double bits;
} standing_t;

void cause_support_init(cause_support_t *out_support) {
  *out_support =
      (cause_support_t){.keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
}

void cause_support_deinit(cause_support_t *support) { g_hash_table_destroy(support->keys); }

const cause_support_t *change_support(const cause_question_t *question) {
  return question->support != NULL ? question->support : question->known;
}

static uint32_t misses_of(const cause_support_t *support, const standing_t *standing) {
  return support->looked - standing->cases - standing->neutral;
}

static bool may_be_named(const cause_support_t *support, const standing_t *standing) {
  return misses_of(support, standing) <= 1 + standing->cases / CAUSE_CASES_FOR_MISS;
}

bool change_is_candidate(const cause_support_t *support, const char *key) {
  const standing_t *standing = g_hash_table_lookup(support->keys, key);
  return standing != NULL && may_be_named(support, standing);
}

/* Forgets what too many cases refute (theory.md, T257); false if nothing is left. */
static bool keep_candidates(cause_support_t *support) {
  GHashTableIter each;
  gpointer standing = NULL;
  g_hash_table_iter_init(&each, support->keys);
  while (g_hash_table_iter_next(&each, NULL, &standing)) {
    if (!may_be_named(support, standing)) g_hash_table_iter_remove(&each);
  }
  return g_hash_table_size(support->keys) > 0;
}

change_scope_t change_scope_next(cause_support_t *support, bool is_of_zeros) {
  if (is_of_zeros) return keep_candidates(support) ? CHANGES_CANDIDATES : CHANGES_NONE;
  uint32_t number = support->asked++;
  if (support->looked < CAUSE_CHANGES_FIRST) return CHANGES_ALL;
  if (keep_candidates(support)) return CHANGES_CANDIDATES;
  bool is_power = (number & (number - 1)) == 0;
  if (number < CAUSE_CHANGES_AGAIN || !is_power) return CHANGES_NONE;
  support->looked = 0;
  support->starts++;
  return CHANGES_ALL;
}

static guint hash_program(const program_t *program) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(program, text);
  return g_str_hash(text->str);
}

/* What two cases of one program say may be the same (theory.md, T258): another fault gives what the
 * change gives where windows, or a depth, are 1. */
static void count_one(standing_t *standing, double bits, guint program) {
  if (bits <= 0 || (standing->cases > 0 && standing->program == program)) {
    standing->neutral++;
    return;
  }
  standing->cases++;
  standing->strong += bits >= (double)CAUSE_BITS_STRONG;
  standing->program = program;
  standing->bits += CLAMP(bits, 0, (double)CAUSE_BITS_MIN);
}

void change_count(cause_support_t *support, const program_t *program, const found_causes_t *found) {
  const guint hash = hash_program(program);
  if (found->change_count == FOUND_CHANGES_MAX) return; /* What had no room is not refuted. */
  for (size_t i = 0; i < found->change_count; i++) {
    const found_change_t *change = &found->changes[i];
    standing_t *standing = g_hash_table_lookup(support->keys, change->key);
    if (standing == NULL) {
      standing = g_new0(standing_t, 1);
      g_hash_table_insert(support->keys, g_strdup(change->key), standing);
    }
    count_one(standing, change->bits, hash);
  }
  support->looked++;
}

/* Where the case stands alone, by its own evidence. */
static standing_t standing_of(const cause_support_t *support, const found_change_t *change) {
  if (support == NULL) return (standing_t){.cases = 1, .bits = change->bits};
  const standing_t *standing = g_hash_table_lookup(support->keys, change->key);
  return standing != NULL ? *standing : (standing_t){.cases = 0};
}

static bool is_enough(const cause_support_t *support, const standing_t *standing) {
  if (support == NULL) return standing->bits >= (double)CAUSE_BITS_MIN;
  const bool is_refuted = misses_of(support, standing) > 0 || support->starts > 0;
  if (standing->strong >= CAUSE_CASES_STRONG && !is_refuted) return true;
  if (standing->bits < (double)CAUSE_BITS_TOGETHER) return false;
  bool is_telling = standing->bits >= (double)CAUSE_BITS_TELLING;
  uint32_t needed = is_telling ? CAUSE_CASES_TELLING : CAUSE_CASES_TOGETHER;
  needed += CAUSE_CASES_FOR_MISS * misses_of(support, standing);
  return standing->cases >= needed;
}

/* Whether one change is to be preferred: it explains more cases, or stands first in the table. */
static bool is_preferred(const standing_t *a, cause_id_t cause_a, const standing_t *b,
                         cause_id_t cause_b) {
  return a->cases != b->cases ? a->cases > b->cases : cause_a < cause_b;
}

/* A permission says that results conform where it is given, and not what else gives them: it is no
 * rival, and named where nothing else is. */
static bool is_permission(const found_change_t *change) {
  return change->cause == CAUSE_other_permission;
}

/* Changes that explain the same cases, CASES_ALIKE of them, are two descriptions of one fault: a -
 * b with its operands exchanged is a - b negated.  The first stands for both. */
static const found_change_t *choose(const cause_support_t *support, const found_causes_t *found,
                                    bool of_permissions, bool *out_is_sure) {
  enum { CASES_ALIKE = 8 };
  const found_change_t *best = NULL;
  standing_t of_best = {.cases = 0};
  for (size_t i = 0; i < found->change_count; i++) {
    const found_change_t *change = &found->changes[i];
    if (is_permission(change) != of_permissions) continue;
    standing_t standing = standing_of(support, change);
    if (best != NULL && !is_preferred(&standing, change->cause, &of_best, best->cause)) continue;
    best = change;
    of_best = standing;
  }
  if (best == NULL || !is_enough(support, &of_best)) return NULL;
  *out_is_sure = true;
  for (size_t i = 0; i < found->change_count; i++) {
    const found_change_t *other = &found->changes[i];
    standing_t standing = standing_of(support, other);
    if (is_permission(other)) continue;
    *out_is_sure &= other->cause == best->cause || standing.cases < of_best.cases ||
                    of_best.cases >= CASES_ALIKE;
  }
  return best;
}

static bool is_established(const cause_support_t *support, const char *key) {
  if (support == NULL || support->keys == NULL) return false;
  const standing_t *standing = g_hash_table_lookup(support->keys, key);
  return standing != NULL && is_enough(support, standing);
}

bool change_is_known(const cause_question_t *question, const char *key) {
  return is_established(question->kin, key);
}

static bool has_established(const cause_support_t *support) {
  if (support == NULL || support->keys == NULL) return false;
  GHashTableIter each;
  gpointer key = NULL;
  g_hash_table_iter_init(&each, support->keys);
  while (g_hash_table_iter_next(&each, &key, NULL)) {
    if (is_established(support, key)) return true;
  }
  return false;
}

bool change_has_known(const cause_question_t *question) {
  return has_established(question->kin) || has_established(question->known);
}

const found_change_t *change_choose(const cause_question_t *question, const found_causes_t *found,
                                    bool *out_is_sure) {
  const cause_support_t *support = change_support(question);
  const found_change_t *best = choose(support, found, false, out_is_sure);
  for (size_t i = 0; i < found->change_count && best == NULL; i++) {
    *out_is_sure = change_is_known(question, found->changes[i].key);
    if (*out_is_sure) best = &found->changes[i];
  }
  return best != NULL ? best : choose(support, found, true, out_is_sure);
}

bool change_explains_all(solver_t *solver, const found_change_t *change) {
  if (solver_has_all(solver)) return true;
  arena_mark_t mark = arena_mark(solver->arena);
  solver_t all;
  found_causes_t found = {.change_count = 0};
  bool is_known = solver_init_whole(&all, solver, true);
  all.only = change->cause;
  all.only_key = change->key;
  all.changes = CHANGES_ALL;
  if (is_known) test_changes(&all, &found);
  bool is_found = false;
  for (size_t i = 0; i < found.change_count; i++) {
    is_found |= strcmp(found.changes[i].key, change->key) == 0;
  }
  if (is_known && all.status != STATUS_OK) {
    solver->status = all.status;
    solver->failure = all.failure;
    is_found = false;
  }
  arena_rewind(solver->arena, mark);
  return is_found;
}

void change_list_rivals(const found_causes_t *found, const found_change_t *chosen,
                        GString *out_text) {
  size_t others = 0;
  for (size_t i = 0; i < found->change_count; i++) {
    const found_change_t *other = &found->changes[i];
    if (other->cause == chosen->cause) continue;
    bool is_new = true;
    for (size_t k = 0; k < i; k++) is_new &= found->changes[k].cause != other->cause;
    if (!is_new) continue;
    g_string_append_printf(out_text, "%s%s", others++ == 0 ? "; or " : ", ",
                           cause_spelling(other->cause));
  }
}
