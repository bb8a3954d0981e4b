/* SPDX-License-Identifier: Apache-2.0 */
/* Counts programs by kinds of types, and by the bodies of each kind, and compares each count with
 * the mean of those that were taken. */
#include "harness/run/acceptance/evenness.h"

#include <glib.h>
#include <string.h>

/* Of a kind or a body. */
typedef struct count {
  uint64_t asked; /* Programs. */
  bool is_taken;  /* One of them was accepted. */
} count_t;

struct evenness {
  GHashTable *kinds;  /* Owned texts -> owned count_t. */
  GHashTable *bodies; /* Kinds, owned texts -> owned tables of the same form. */
  GString *text;      /* Scratch. */
};

static GHashTable *make_counts(void) {
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void free_counts(gpointer counts) { g_hash_table_destroy((GHashTable *)counts); }

evenness_t *evenness_new(void) {
  evenness_t *evenness = g_new(evenness_t, 1);
  evenness->kinds = make_counts();
  evenness->bodies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_counts);
  evenness->text = g_string_new(NULL);
  return evenness;
}

void evenness_free(evenness_t *evenness) {
  if (evenness == NULL) return;
  g_hash_table_destroy(evenness->kinds);
  g_hash_table_destroy(evenness->bodies);
  g_string_free(evenness->text, TRUE);
  g_free(evenness);
}

/* ---- Kinds and bodies ------------------------------------------------------------------------ */

static const char *kind_of_type(const type_t *type) {
  static const char *const names[] = {[ELEMENT_BOOLEAN] = "boolean",
                                      [ELEMENT_SIGNED] = "signed",
                                      [ELEMENT_UNSIGNED] = "unsigned",
                                      [ELEMENT_COMPLEX] = "complex"};
  const element_t *element = type->element;
  if (element->kind != ELEMENT_FLOAT) return names[element->kind];
  return element->bits <= 8 ? "small float" : element->name;
}

bool evenness_covers(const program_t *program) {
  if (program->op->is_compound) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].quantization != NULL) return false;
  }
  return true;
}

static const char *kind_of(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    if (type->element->kind != ELEMENT_BOOLEAN) return kind_of_type(type);
  }
  return kind_of_type(program->operand_count > 0 ? &program->operands[0] : &program->results[0]);
}

/* "add", "{" of a written one, or "" if there is none; until the next call. */
static const char *body_of(evenness_t *evenness, const program_t *program) {
  static const char key[] = "body=";
  g_string_truncate(evenness->text, 0);
  program_print_attributes(program, evenness->text);
  char *body = strstr(evenness->text->str, key);
  bool is_word = body != NULL && (body == evenness->text->str || body[-1] == ' ');
  if (!is_word) return "";
  body += sizeof key - 1;
  body[*body == '{' ? 1 : strcspn(body, " ")] = '\0';
  return body;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* What those like `name` had more than is due, in shares that are due; all that was only refused
 * counts as one of them. */
static double excess_of(GHashTable *counts, const char *name) {
  const count_t *own = (const count_t *)g_hash_table_lookup(counts, name);
  if (own == NULL) return 0;
  uint64_t taken = 0, refused = 0, alive = 0;
  GHashTableIter iterator;
  gpointer value;
  g_hash_table_iter_init(&iterator, counts);
  while (g_hash_table_iter_next(&iterator, NULL, &value)) {
    const count_t *count = (const count_t *)value;
    *(count->is_taken ? &taken : &refused) += count->asked;
    alive += count->is_taken;
  }
  if (alive == 0) return 0;
  double due = (double)taken / (double)alive;
  double had = (double)(own->is_taken ? own->asked : refused);
  return had <= due ? 0 : had / due - 1;
}

/* The counts of the bodies of a kind of types; NULL if there are none. */
static GHashTable *bodies_of(const evenness_t *evenness, const char *kind) {
  return (GHashTable *)g_hash_table_lookup(evenness->bodies, kind);
}

double evenness_excess(evenness_t *evenness, const program_t *program) {
  const char *kind = kind_of(program);
  GHashTable *bodies = bodies_of(evenness, kind);
  double excess = excess_of(evenness->kinds, kind);
  return bodies == NULL ? excess : excess + excess_of(bodies, body_of(evenness, program));
}

static void note(GHashTable *counts, const char *name, bool is_accepted) {
  count_t *count = (count_t *)g_hash_table_lookup(counts, name);
  if (count == NULL) {
    count = g_new0(count_t, 1);
    g_hash_table_insert(counts, g_strdup(name), count);
  }
  count->asked++;
  count->is_taken |= is_accepted;
}

static void note_taken(GHashTable *counts, const char *name) {
  count_t *count = counts == NULL ? NULL : (count_t *)g_hash_table_lookup(counts, name);
  if (count != NULL) count->is_taken = true;
}

void evenness_learn_taken(evenness_t *evenness, const program_t *program) {
  if (!evenness_covers(program)) return;
  const char *kind = kind_of(program);
  note_taken(evenness->kinds, kind);
  note_taken(bodies_of(evenness, kind), body_of(evenness, program));
}

void evenness_learn(evenness_t *evenness, const program_t *program, bool is_accepted) {
  if (!evenness_covers(program)) return;
  const char *kind = kind_of(program);
  GHashTable *bodies = bodies_of(evenness, kind);
  if (bodies == NULL) {
    bodies = make_counts();
    g_hash_table_insert(evenness->bodies, g_strdup(kind), bodies);
  }
  note(evenness->kinds, kind, is_accepted);
  note(bodies, body_of(evenness, program), is_accepted);
}
