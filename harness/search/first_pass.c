/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what was tried of each op as words: "type f32", "algorithm add", "empty". */
#include "harness/search/first_pass.h"

#include <glib.h>

typedef struct account {
  uint64_t turns;
  unsigned misses;   /* In a row. */
  GHashTable *tries; /* Owned words -> how many programs had it; FIRST_PASS_TRIES once answered. */
} account_t;

struct first_pass {
  size_t count;
  account_t *accounts; /* Owned. */
  GPtrArray *words;    /* Scratch: owned, of a program. */
};

first_pass_t *first_pass_new(size_t op_count) {
  first_pass_t *pass = g_new0(first_pass_t, 1);
  pass->count = op_count;
  pass->accounts = g_new0(account_t, op_count);
  for (size_t i = 0; i < op_count; i++) {
    pass->accounts[i].tries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  }
  pass->words = g_ptr_array_new_with_free_func(g_free);
  return pass;
}

void first_pass_free(first_pass_t *pass) {
  if (pass == NULL) return;
  for (size_t i = 0; i < pass->count; i++) g_hash_table_destroy(pass->accounts[i].tries);
  g_ptr_array_unref(pass->words);
  g_free(pass->accounts);
  g_free(pass);
}

size_t first_pass_choose(const first_pass_t *pass) {
  size_t best = pass->count;
  for (size_t i = 0; i < pass->count; i++) {
    const account_t *account = &pass->accounts[i];
    if (account->misses >= FIRST_PASS_MISSES) continue;
    if (best == pass->count || account->turns < pass->accounts[best].turns) best = i;
  }
  return best;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *kind_of(const element_t *element) {
  switch (element->kind) {
    case ELEMENT_BOOLEAN:
      return "boolean";
    case ELEMENT_SIGNED:
      return "signed";
    case ELEMENT_UNSIGNED:
      return "unsigned";
    case ELEMENT_COMPLEX:
      return "complex";
    case ELEMENT_FLOAT:
    default:
      return element->bits <= 8 ? "small float" : element->name;
  }
}

/* Once each. */
static void add(GPtrArray *words, const char *prefix, const char *word) {
  g_autofree char *text = g_strconcat(prefix, word, NULL);
  if (g_ptr_array_find_with_equal_func(words, text, g_str_equal, NULL)) return;
  g_ptr_array_add(words, g_steal_pointer(&text));
}

static void add_kind(GPtrArray *words, const program_t *program) {
  const type_t *type = program->operand_count > 0 ? &program->operands[0] : &program->results[0];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (program->operands[i].element->kind == ELEMENT_BOOLEAN) continue;
    type = &program->operands[i];
    break;
  }
  const quantization_t *quantization = type->quantization;
  add(words, quantization == NULL ? "type " : "quantized ",
      kind_of(quantization == NULL ? type->element : quantization->expressed));
}

static void add_edges(GPtrArray *words, const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *type = &program->operands[i];
    size_t count = type_element_count(type);
    if (count == 0) add(words, "empty", "");
    if (count == 1 && type->rank > 0) add(words, "one element", "");
    if (type->rank >= 5) add(words, "high rank", "");
    if (type->rank == 0) g_ptr_array_add(words, g_strdup_printf("scalar %u", i));
    if (type->quantization != NULL) {
      add(words, "scales by ", type->quantization->axis < 0 ? "tensor" : "channel");
    }
  }
}

/* Programs of several steps have as many algorithms as there are programs. */
static void list_words(GPtrArray *words, const program_t *program) {
  g_ptr_array_set_size(words, 0);
  add_kind(words, program);
  add_edges(words, program);
  if (program->op->is_compound) return;
  g_autoptr(GString) algorithm = g_string_new(NULL);
  program->op->print_algorithm(program, algorithm);
  add(words, "algorithm ", algorithm->str);
}

/* ---- What was tried -------------------------------------------------------------------------- */

static unsigned count_tries(const account_t *account, const char *word) {
  return GPOINTER_TO_UINT(g_hash_table_lookup(account->tries, word));
}

static void set_tries(const account_t *account, const char *word, unsigned tries) {
  g_hash_table_replace(account->tries, g_strdup(word), GUINT_TO_POINTER(tries));
}

size_t first_pass_count_new(first_pass_t *pass, size_t op, const program_t *program) {
  size_t count = 0;
  list_words(pass->words, program);
  for (guint i = 0; i < pass->words->len; i++) {
    count += count_tries(&pass->accounts[op], pass->words->pdata[i]) < FIRST_PASS_TRIES;
  }
  return count;
}

void first_pass_try(first_pass_t *pass, size_t op, const program_t *program) {
  account_t *account = &pass->accounts[op];
  list_words(pass->words, program);
  for (guint i = 0; i < pass->words->len; i++) {
    const char *word = pass->words->pdata[i];
    set_tries(account, word, MIN(count_tries(account, word) + 1, FIRST_PASS_TRIES));
  }
  account->turns++;
  account->misses = 0;
}

void first_pass_note_answer(first_pass_t *pass, size_t op, const program_t *program) {
  list_words(pass->words, program);
  for (guint i = 0; i < pass->words->len; i++) {
    set_tries(&pass->accounts[op], pass->words->pdata[i], FIRST_PASS_TRIES);
  }
}

void first_pass_miss(first_pass_t *pass, size_t op) {
  pass->accounts[op].turns++;
  pass->accounts[op].misses++;
}
