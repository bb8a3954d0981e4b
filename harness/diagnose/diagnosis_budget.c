/* SPDX-License-Identifier: Apache-2.0 */
/* Limits diagnosis to where it can find something new: the first cases of a kind of divergence and
 * one in many later ones, and undiagnosed kinds again once another cause is established for that
 * op. */
#include "harness/diagnose/diagnosis_budget.h"

#include <string.h>

#include "harness/diagnose/reading.h"

/* A backend has several faults in one op: what is counted together is of programs without
 * quantized types, or with, and of subnormals and zeros, of NaN, or of all else. */
enum { SUPPORT_GROUPS = 3, SUPPORTS = 2 * SUPPORT_GROUPS };

/* A longer line has more elements than changes are tried of. */
enum { AGAIN_LINE_MAX = 1 << 14 };

enum { GROUP_SMALL, GROUP_NAN, GROUP_REST };

static size_t group_of(divergence_class_t class_) {
  bool is_small = class_ == CLASS_flush || class_ == CLASS_zero_sign;
  return is_small ? GROUP_SMALL : class_ == CLASS_nan ? GROUP_NAN : GROUP_REST;
}

static size_t support_of(const char *types, size_t group) {
  return group + (strstr(types, "quant<") != NULL ? SUPPORT_GROUPS : 0);
}

/* What is known of an executor's op. */
typedef struct page {
  uint32_t established[CAUSE_COUNT]; /* Cases that each cause was sure in. */
  unsigned distinct;                 /* Causes that are established. */
  cause_support_t supports[SUPPORTS];
} page_t;

/* Of that, an algorithm, types and a class. */
typedef struct kind {
  uint64_t cases;
  char cause[VERDICT_CAUSE_BYTES]; /* Of the last case that was looked into, with its pattern. */
  char pattern[VERDICT_PATTERN_BYTES];
  bool is_cause_sure;
  hash_text_t signature;
  unsigned distinct; /* Of the page, when it was looked into. */
  cause_flushing_t flushing;
} kind_t;

struct diagnosis_budget {
  GHashTable *pages; /* Owned texts to owned page_t. */
  GHashTable *kinds; /* Owned texts to owned kind_t. */
  GString *key;      /* Scratch. */
  bool is_thorough;
};

static void free_page(gpointer data) {
  page_t *page = (page_t *)data;
  for (size_t i = 0; i < G_N_ELEMENTS(page->supports); i++) {
    cause_support_deinit(&page->supports[i]);
  }
  g_free(page);
}

diagnosis_budget_t *diagnosis_budget_new(bool is_thorough) {
  diagnosis_budget_t *book = g_new0(diagnosis_budget_t, 1);
  book->is_thorough = is_thorough;
  book->pages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_page);
  book->kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  book->key = g_string_new(NULL);
  return book;
}

void diagnosis_budget_free(diagnosis_budget_t *book) {
  g_hash_table_destroy(book->pages);
  g_hash_table_destroy(book->kinds);
  g_string_free(book->key, TRUE);
  g_free(book);
}

/* The entry under book->key, made if there is none. */
static void *find_entry(const diagnosis_budget_t *book, GHashTable *table, size_t bytes) {
  void *entry = g_hash_table_lookup(table, book->key->str);
  if (entry != NULL) return entry;
  entry = g_malloc0(bytes);
  g_hash_table_insert(table, g_strdup(book->key->str), entry);
  return entry;
}

static void establish(page_t *page, const char *cause) {
  for (size_t i = 0; i < CAUSE_COUNT; i++) {
    if (strcmp(cause_spelling((cause_id_t)i), cause) != 0) continue;
    page->distinct += page->established[i]++ == 0;
  }
}

/* Counts a case.  What was unknown may be explained by what was established since, and what is
 * flushed told more closely. */
static bool is_due(kind_t *kind, const page_t *page) {
  uint64_t number = kind->cases++;
  if (number < DIAGNOSIS_BUDGET_FIRST || number % DIAGNOSIS_BUDGET_ONE_IN == 0) return true;
  bool is_open = !kind->is_cause_sure || strcmp(kind->cause, cause_spelling(CAUSE_flushed)) == 0;
  return is_open && kind->distinct != page->distinct;
}

status_t diagnosis_budget_explain(diagnosis_budget_t *book, const diagnosis_question_t *question,
                                  arena_t *arena, verdict_t *inout_verdict,
                                  hash_text_t *out_signature, failure_t *error) {
  verdict_t *verdict = inout_verdict;
  const tally_label_t *label = question->label;
  const program_t *program = &question->cause->instance->program;
  if (!cause_is_sought(verdict)) {
    *out_signature = verdict_signature(verdict, program);
    return STATUS_OK;
  }
  g_string_printf(book->key, "%zu\n%s", question->executor, label->op);
  page_t *page = find_entry(book, book->pages, sizeof *page);
  for (size_t i = 0; i < G_N_ELEMENTS(page->supports); i++) {
    if (page->supports[i].keys == NULL) cause_support_init(&page->supports[i]);
  }
  g_string_append_printf(book->key, "\n%s\n%s\n%s", label->algorithm, label->types,
                         class_spelling(verdict->class_));
  kind_t *kind = find_entry(book, book->kinds, sizeof *kind);
  if (!is_due(kind, page) && !book->is_thorough) {
    g_strlcpy(verdict->cause, kind->cause, sizeof verdict->cause);
    g_strlcpy(verdict->pattern, kind->pattern, sizeof verdict->pattern);
    verdict->is_cause_sure = kind->is_cause_sure;
    *out_signature = kind->signature;
    return STATUS_OK;
  }
  cause_question_t informed = *question->cause;
  informed.established = page->established;
  const size_t group = group_of(verdict->class_);
  informed.support = &page->supports[support_of(label->types, group)];
  if (group != GROUP_REST) informed.kin = &page->supports[support_of(label->types, GROUP_REST)];
  informed.flushing = &kind->flushing;
  STATUS_TRY(cause_find(&informed, arena, verdict, error));
  if (!verdict->is_cause_sure) {
    STATUS_TRY(reading_seek(question->walk, question->expectation, arena, verdict, error));
  }
  if (verdict->is_cause_sure) establish(page, verdict->cause);
  *out_signature = verdict_signature(verdict, program);
  kind->signature = *out_signature;
  kind->distinct = page->distinct;
  kind->is_cause_sure = verdict->is_cause_sure;
  g_strlcpy(kind->cause, verdict->cause, sizeof kind->cause);
  g_strlcpy(kind->pattern, verdict->pattern, sizeof kind->pattern);
  return STATUS_OK;
}

/* ---- Again ----------------------------------------------------------------------------------- */

static const page_t *find_page(const diagnosis_budget_t *book, size_t executor, const char *op) {
  g_string_printf(book->key, "%zu\n%s", executor, op);
  return g_hash_table_lookup(book->pages, book->key->str);
}

/* What other cases of that class, and of most others, said. */
static void name_supports(const page_t *page, const char *types, divergence_class_t class_,
                          cause_question_t *inout_question) {
  const size_t group = group_of(class_);
  inout_question->known = &page->supports[support_of(types, group)];
  if (group != GROUP_REST) inout_question->kin = &page->supports[support_of(types, GROUP_REST)];
}

bool diagnosis_budget_may_explain(const diagnosis_budget_t *book, const finding_t *finding) {
  const verdict_t *verdict = &finding->verdict;
  const page_t *page = find_page(book, finding->executor, finding->label.op);
  if (page == NULL || verdict->is_cause_sure || !cause_is_sought(verdict)) return false;
  if (verdict->class_ == CLASS_unwritten) return false;
  cause_question_t question = {.oracle = NULL};
  name_supports(page, finding->label.types, verdict->class_, &question);
  return strlen(finding->case_line) <= AGAIN_LINE_MAX && cause_has_known_change(&question);
}

status_t diagnosis_budget_explain_again(const diagnosis_budget_t *book,
                                        const diagnosis_question_t *question, arena_t *arena,
                                        verdict_t *inout_verdict, failure_t *error) {
  const tally_label_t *label = question->label;
  const page_t *page = find_page(book, question->executor, label->op);
  cause_question_t informed = *question->cause;
  name_supports(page, label->types, inout_verdict->class_, &informed);
  return cause_find_known(&informed, arena, inout_verdict, error);
}
