/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes each feature of a verdict into a set of those seen, and maps it to a counter mark that
 * libFuzzer can read. Measures are bucketed logarithmically. */
#include "harness/search/novelty.h"

#include <math.h>
#include <string.h>

struct novelty {
  GHashTable *seen; /* Owned uint64_t. */
  GString *text;    /* Scratch. */
  novelty_mark_t marks[NOVELTY_MARKS_MAX];
  size_t mark_count;
};

novelty_t *novelty_new(void) {
  novelty_t *novelty = g_new0(novelty_t, 1);
  novelty->seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  novelty->text = g_string_new(NULL);
  return novelty;
}

void novelty_free(novelty_t *novelty) {
  if (novelty == NULL) return;
  g_hash_table_destroy(novelty->seen);
  g_string_free(novelty->text, TRUE);
  g_free(novelty);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a;
  state = rng_splitmix(&state) ^ b;
  return rng_splitmix(&state);
}

static uint64_t hash_text(const GString *text) { return digest_of(text->str, text->len).low; }

static int order_of(uint64_t count) { return count == 0 ? 0 : 64 - __builtin_clzll(count); }

/* The terms that go into a result element, as far as an op tells: of a valid program. */
static uint64_t term_count(const program_t *program) {
  const type_t *type = &program->operands[0];
  const op_t *op = program->op;
  if (program->operand_count == 0 || program_broken(program) != NULL) return 0;
  uint32_t reduced = op->reduced_dimensions == NULL ? 0 : op->reduced_dimensions(program, 0);
  uint64_t count = 1;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if ((reduced >> dim & 1) != 0) count *= (uint64_t)type->dims[dim];
  }
  return count;
}

novelty_label_t novelty_label(novelty_t *novelty, const program_t *program) {
  GString *text = novelty->text;
  g_string_assign(text, program->op->name);
  g_string_append_c(text, '\n');
  program_print_types(program, text);
  g_string_append_c(text, '\n');
  program->op->print_algorithm(program, text);
  novelty_label_t label = {.label = hash_text(text), .order = order_of(term_count(program))};
  label.niche = mix(label.label, (uint64_t)label.order);
  g_string_assign(text, program->op->name);
  program_print_attributes(program, text);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_c(text, (char)('0' + program->operands[i].rank));
  }
  label.structure = hash_text(text);
  return label;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* A value out of each range that libFuzzer tells apart. */
static const uint8_t counter_values[] = {1, 2, 3, 4, 8, 16, 32, 128};

static size_t add_feature(novelty_t *novelty, uint64_t feature) {
  if (novelty->mark_count < NOVELTY_MARKS_MAX) {
    uint64_t ticket = feature >> 32;
    novelty->marks[novelty->mark_count++] =
        (novelty_mark_t){.slot = (uint16_t)(ticket % NOVELTY_SLOTS),
                         .value = counter_values[feature % G_N_ELEMENTS(counter_values)]};
  }
  if (g_hash_table_contains(novelty->seen, &feature)) return 0;
  g_hash_table_add(novelty->seen, g_memdup2(&feature, sizeof feature));
  return 1;
}

/* Steps of a binary order of magnitude, `per_order` of them in each, within `low` to `high` of
 * these orders: beyond, more is not more interesting, and less is nothing. */
static uint64_t level_of(double measure, double per_order, double low, double high) {
  if (!(measure > 0)) return 0;
  double order = fmin(fmax(log2(measure), low), high) - low;
  return (uint64_t)(1 + llround(floor(per_order * order)));
}

static uint64_t hash_word(const char *text) {
  return text == NULL || *text == '\0' ? 0 : digest_of(text, strlen(text)).low;
}

void novelty_begin(novelty_t *novelty) { novelty->mark_count = 0; }

size_t novelty_add(novelty_t *novelty, const novelty_label_t *label, const verdict_t *verdict) {
  const uint64_t outcome = (uint64_t)verdict->outcome * CLASS_COUNT + (uint64_t)verdict->class_;
  const uint64_t words[] = {outcome,
                            level_of(verdict->ulp_error_max, 1, -1, 32),
                            level_of(verdict->slack_max, 2, -6, 4),
                            hash_word(verdict->observed),
                            hash_word(verdict->formula),
                            hash_word(verdict->constraint)};
  size_t fresh = add_feature(novelty, label->niche);
  for (size_t kind = 0; kind < G_N_ELEMENTS(words); kind++) {
    if (words[kind] == 0) continue; /* Nothing to tell; outcome 0 is the niche itself. */
    fresh += add_feature(novelty, mix(mix(label->label, kind + 1), words[kind]));
  }
  return fresh;
}

const novelty_mark_t *novelty_marks(const novelty_t *novelty, size_t *out_count) {
  *out_count = novelty->mark_count;
  return novelty->marks;
}

size_t novelty_count(const novelty_t *novelty) { return g_hash_table_size(novelty->seen); }
