/* SPDX-License-Identifier: Apache-2.0 */
/* Learns from refusals which features of programs an executor accepts: each refusal blames
 * features that no accepted program had. Turns go to the subject with the least weighted cost. */
#include "harness/run/acceptance/acceptance.h"

#include <glib.h>
#include <string.h>

#include "harness/kinds/module/module.h"
#include "harness/run/acceptance/evenness.h"

enum {
  EXPLORE_ONE_IN = 256,      /* Programs that are asked about against expectation. */
  REFUSED_BEFORE_COMMON = 4, /* Programs of a subject until common ones are looked for. */
  FEATURES_MAX = 4096,       /* Of a subject: attributes may be numbers of which each comes once. */
};

/* Programs of a subject that an executor may refuse before it costs more: as many if it takes
 * nothing else, and so many more if it takes everything else. */
static const double PATIENCE = 16;
static const double PATIENCE_MORE = 160;

/* Refusals that a feature alone accounts for until nothing is expected of it: two, since the first
 * may have been for what no feature tells, such as a size. */
static const double BLAME_TO_SUSPECT = 2;

/* Something that programs of a subject have in common: "body=add", "0:f32", "all:f32", "0:rank2".
 */
typedef struct feature {
  bool is_accepted; /* A program that has it was accepted. */
  double blame;     /* Shares in refusals. */
} feature_t;

typedef struct subject {
  double spent; /* Weighted cases: whoever has the least is next. */
  bool is_retired;
  uint64_t asked; /* Programs. */
  uint64_t accepted;
  uint64_t refused_since; /* The last one that was accepted. */
  uint64_t passed_over;   /* Programs in a row that nothing was expected of. */
  GHashTable *features;   /* Owned texts -> owned feature_t. */
  evenness_t *evenness;   /* Owned; NULL of the whole. */
} subject_t;

struct acceptance {
  size_t count;
  size_t accepted;     /* Subjects of which a program was. */
  subject_t *subjects; /* Owned. */
  subject_t whole;     /* All of them, by the element types of their programs. */
  GPtrArray *words;    /* Scratch: owned texts, the features of a program. */
};

static GHashTable *make_features(void) {
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

acceptance_t *acceptance_new(size_t subject_count) {
  acceptance_t *acceptance = g_new0(acceptance_t, 1);
  acceptance->count = subject_count;
  acceptance->subjects = g_new0(subject_t, subject_count);
  for (size_t i = 0; i < subject_count; i++) {
    acceptance->subjects[i].features = make_features();
    acceptance->subjects[i].evenness = evenness_new();
  }
  acceptance->whole.features = make_features();
  acceptance->words = g_ptr_array_new_with_free_func(g_free);
  return acceptance;
}

void acceptance_free(acceptance_t *acceptance) {
  if (acceptance == NULL) return;
  for (size_t i = 0; i < acceptance->count; i++) {
    g_hash_table_destroy(acceptance->subjects[i].features);
    evenness_free(acceptance->subjects[i].evenness);
  }
  g_hash_table_destroy(acceptance->whole.features);
  g_ptr_array_unref(acceptance->words);
  g_free(acceptance->subjects);
  g_free(acceptance);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* What a case of the subject costs.  One of which nothing was accepted costs the cube of what goes
 * beyond patience: of N cases that others get, it then gets the fourth root of 4 N.  One that is
 * accepted once in a while is measured by its own while. */
static double price(const acceptance_t *acceptance, const subject_t *subject) {
  double refused = (double)subject->refused_since;
  if (subject->accepted > 0) {
    double factor = 1 + refused * (double)subject->accepted / (double)subject->asked;
    return factor * factor;
  }
  double share = (double)acceptance->accepted / (double)acceptance->count;
  double beyond = refused - (PATIENCE + PATIENCE_MORE * share);
  return beyond <= 0 ? 1 : (1 + beyond) * (1 + beyond) * (1 + beyond);
}

size_t acceptance_choose(const acceptance_t *acceptance) {
  size_t best = acceptance->count;
  for (size_t i = 0; i < acceptance->count; i++) {
    const subject_t *subject = &acceptance->subjects[i];
    if (subject->is_retired) continue;
    if (best == acceptance->count || subject->spent < acceptance->subjects[best].spent) best = i;
  }
  g_assert(best < acceptance->count);
  return best;
}

void acceptance_retire(acceptance_t *acceptance, size_t subject) {
  acceptance->subjects[subject].is_retired = true;
}

uint64_t acceptance_accepted(const acceptance_t *acceptance, size_t subject) {
  return acceptance->subjects[subject].accepted;
}

uint64_t acceptance_refused_since(const acceptance_t *acceptance, size_t subject) {
  return acceptance->subjects[subject].refused_since;
}

double acceptance_excess(acceptance_t *acceptance, size_t subject, const program_t *program) {
  return evenness_excess(acceptance->subjects[subject].evenness, program);
}

/* ---- Features -------------------------------------------------------------------------------- */

static char *kind_of(const type_t *type) {
  return g_strconcat(type->quantization == NULL ? "" : "quant:", type->element->name, NULL);
}

/* Operands and then results. */
static const type_t *type_at(const program_t *program, uint32_t index) {
  return index < program->operand_count ? &program->operands[index]
                                        : &program->results[index - program->operand_count];
}

/* Whether all operands and results are of one kind. */
static bool is_of_one_kind(const program_t *program) {
  const type_t *first = type_at(program, 0);
  for (uint32_t i = 1; i < program->operand_count + program->result_count; i++) {
    const type_t *type = type_at(program, i);
    bool is_alike = (type->quantization == NULL) == (first->quantization == NULL);
    if (type->element != first->element || !is_alike) return false;
  }
  return true;
}

static void add_ranks(GPtrArray *words, const char *side, const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    g_ptr_array_add(words, g_strdup_printf("%s%u:rank%u", side, i, types[i].rank));
  }
}

static void add_kinds(GPtrArray *words, const char *side, const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    g_autofree char *kind = kind_of(&types[i]);
    g_ptr_array_add(words, g_strdup_printf("%s%u:%s", side, i, kind));
  }
}

static void add_places(const program_t *program, GPtrArray *words) {
  add_kinds(words, "", program->operands, program->operand_count);
  add_kinds(words, "->", program->results, program->result_count);
}

/* Types by their places; or, where all are of one kind, as that: who sums i64 into i64 may well
 * refuse i16 into i64, and nearly all programs that have i64 there are of unlike types. */
static void add_types(const program_t *program, GPtrArray *words) {
  if (!is_of_one_kind(program)) {
    add_places(program, words);
    return;
  }
  g_autofree char *kind = kind_of(type_at(program, 0));
  g_ptr_array_add(words, g_strconcat("all:", kind, NULL));
}

/* The steps of a module: each op, and with the types of what it takes and gives. */
static void add_step_features(GPtrArray *words, const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t *step = &module->steps[i].program;
    const type_t *from = step->operand_count > 0 ? &step->operands[0] : &step->results[0];
    g_autofree char *operand = kind_of(from), *result = kind_of(&step->results[0]);
    g_ptr_array_add(words, g_strdup(step->op->name));
    g_ptr_array_add(words, g_strdup_printf("%s:%s->%s", step->op->name, operand, result));
  }
}

/* Attributes as " key=value" words, or steps; element types and ranks. */
static void add_attribute_features(GPtrArray *words, const program_t *program) {
  if (program_is_module(program)) {
    add_step_features(words, program);
    return;
  }
  GString *attributes = g_string_new(NULL);
  program_print_attributes(program, attributes);
  char **keys = g_strsplit(attributes->str, " ", -1);
  for (char **key = keys; *key != NULL; key++) {
    if (**key != '\0') g_ptr_array_add(words, g_strdup(*key));
  }
  g_strfreev(keys);
  g_string_free(attributes, TRUE);
}

static void list_features(const program_t *program, GPtrArray *words) {
  g_ptr_array_set_size(words, 0);
  add_attribute_features(words, program);
  add_types(program, words);
  add_ranks(words, "", program->operands, program->operand_count);
  add_ranks(words, "->", program->results, program->result_count);
}

/* What programs of different ops may have in common. */
static void list_kinds(const program_t *program, GPtrArray *words) {
  g_ptr_array_set_size(words, 0);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_ptr_array_add(words, kind_of(&program->operands[i]));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_ptr_array_add(words, kind_of(&program->results[i]));
  }
}

/* NULL for a new one if there are too many. */
static feature_t *feature_of(subject_t *subject, const char *word) {
  feature_t *feature = (feature_t *)g_hash_table_lookup(subject->features, word);
  if (feature != NULL) return feature;
  if (g_hash_table_size(subject->features) >= FEATURES_MAX) return NULL;
  feature = g_new0(feature_t, 1);
  g_hash_table_insert(subject->features, g_strdup(word), feature);
  return feature;
}

static bool is_suspect(const feature_t *feature) {
  return !feature->is_accepted && feature->blame >= BLAME_TO_SUSPECT;
}

static bool has_suspect(const subject_t *subject, const GPtrArray *words) {
  for (guint i = 0; i < words->len; i++) {
    const char *word = (const char *)g_ptr_array_index(words, i);
    const feature_t *feature = (const feature_t *)g_hash_table_lookup(subject->features, word);
    if (feature != NULL && is_suspect(feature)) return true;
  }
  return false;
}

/* Of an executor of which nothing is known but refusals, every other program is of one element type
 * throughout, of those that most executors have. */
static bool is_common(const subject_t *subject, const GPtrArray *kinds) {
  static const char *const common[] = {"f32", "bf16", "f32", "f16", "f32",
                                       "f64", "f32",  "i32", "f32", "i8"};
  if (subject->refused_since < REFUSED_BEFORE_COMMON || subject->refused_since % 2 == 0)
    return true;
  const char *wanted = common[subject->refused_since / 2 % G_N_ELEMENTS(common)];
  for (guint i = 0; i < kinds->len; i++) {
    if (strcmp((const char *)g_ptr_array_index(kinds, i), wanted) != 0) return false;
  }
  return true;
}

bool acceptance_expects(acceptance_t *acceptance, size_t index, const program_t *program) {
  subject_t *subject = &acceptance->subjects[index];
  bool expects;
  if (subject->accepted > 0) {
    list_features(program, acceptance->words);
    expects = !has_suspect(subject, acceptance->words);
  } else {
    list_kinds(program, acceptance->words);
    expects = acceptance->accepted > 0 ? !has_suspect(&acceptance->whole, acceptance->words)
                                       : is_common(subject, acceptance->words);
  }
  if (!expects && ++subject->passed_over < EXPLORE_ONE_IN) return false;
  subject->passed_over = 0;
  return true;
}

static void note_accepted(subject_t *subject, const GPtrArray *words) {
  for (guint i = 0; i < words->len; i++) {
    feature_t *feature = feature_of(subject, (const char *)g_ptr_array_index(words, i));
    if (feature != NULL) feature->is_accepted = true;
  }
}

/* The blame is shared by what no accepted program had; a suspect takes all of it. */
static void note_refused(subject_t *subject, const GPtrArray *words) {
  guint strange = 0;
  for (guint i = 0; i < words->len; i++) {
    const feature_t *feature = feature_of(subject, (const char *)g_ptr_array_index(words, i));
    if (feature == NULL) continue;
    if (is_suspect(feature)) return;
    strange += !feature->is_accepted;
  }
  for (guint i = 0; i < words->len; i++) {
    feature_t *feature = feature_of(subject, (const char *)g_ptr_array_index(words, i));
    if (feature == NULL || feature->is_accepted) continue;
    feature->blame += 1.0 / (double)strange;
  }
}

/* Before anything was accepted everything is equally strange. */
static void learn_features(subject_t *subject, const GPtrArray *words, bool is_accepted) {
  subject->asked++;
  if (is_accepted) {
    subject->accepted++;
    note_accepted(subject, words);
  } else if (subject->accepted > 0) {
    note_refused(subject, words);
  }
}

void acceptance_charge(acceptance_t *acceptance, size_t subject, uint64_t cases,
                       const program_t *taken) {
  acceptance->subjects[subject].spent += (double)cases;
  if (taken == NULL) return;
  list_kinds(taken, acceptance->words);
  note_accepted(&acceptance->whole, acceptance->words);
  list_features(taken, acceptance->words);
  add_places(taken, acceptance->words);
  note_accepted(&acceptance->subjects[subject], acceptance->words);
  evenness_learn_taken(acceptance->subjects[subject].evenness, taken);
}

void acceptance_learn(acceptance_t *acceptance, size_t index, const program_t *program,
                      bool is_accepted, uint64_t cases) {
  subject_t *subject = &acceptance->subjects[index];
  list_kinds(program, acceptance->words);
  learn_features(&acceptance->whole, acceptance->words, is_accepted);
  list_features(program, acceptance->words);
  if (is_accepted) add_places(program, acceptance->words);
  learn_features(subject, acceptance->words, is_accepted);
  evenness_learn(subject->evenness, program, is_accepted);
  acceptance->accepted += is_accepted && subject->accepted == 1;
  subject->refused_since = is_accepted ? 0 : subject->refused_since + 1;
  subject->spent += (double)cases * price(acceptance, subject);
}
