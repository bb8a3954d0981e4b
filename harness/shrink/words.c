/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the text of an op's attributes into words and replaces one of them, so that attributes of
 * any op can be simplified and re-parsed without knowing the op. */
#include "harness/shrink/words.h"

#include <string.h>

enum { NEGATIVE_COST = 64, INTEGER_COST_MAX = 1 << 30 };

/* The row of the attribute called `key`, or NULL if the op has none. */
static const attribute_row_t *find_row(const op_t *op, str_t key) {
  if (op->attribute_rows == NULL) return NULL;
  for (const attribute_row_t *row = op->attribute_rows; row->key != NULL; row++) {
    if (str_equal_text(key, row->key)) return row;
  }
  return NULL;
}

static shrink_word_kind_t kind_of(str_t text, const attribute_row_t *row, int64_t *out_integer) {
  if (row != NULL && row->codec == &attribute_pattern) return SHRINK_PATTERN;
  scan_t scan = scan_make(text);
  bool is_integer = scan_integer(&scan, out_integer, NULL) == STATUS_OK && scan_at_end(&scan);
  if (is_integer) return SHRINK_INTEGER;
  bool is_number = str_starts_with(text, "0x") || str_starts_with(text, "-0x");
  return is_number ? SHRINK_NUMBER : SHRINK_NAME;
}

static void classify(str_t text, const attribute_row_t *row, shrink_word_t *word) {
  word->kind = kind_of(text, row, &word->integer);
  if (row == NULL || row->codec != &attribute_word) return;
  word->spellings = row->words;
  while (row->words[word->spelling] != NULL && !str_equal_text(text, row->words[word->spelling])) {
    word->spelling++;
  }
}

/* The words of one value, which spans from `begin` to `end`. */
static void split_value(const GString *text, size_t begin, const shrink_word_t *key,
                        const attribute_row_t *row, GArray *items) {
  bool is_in_list = false;
  size_t at = begin;
  while (at < key->key_end) {
    size_t size = strcspn(text->str + at, "[], ");
    if (size > 0) {
      shrink_word_t word = *key;
      word.begin = at;
      word.end = at + size;
      word.is_in_list = is_in_list;
      str_t spelt = {.data = text->str + at, .size = size};
      classify(spelt, row, &word);
      if (!str_equal_text(spelt, "x")) g_array_append_val(items, word);
      at += size;
    } else {
      if (text->str[at] == '[') is_in_list = true;
      if (text->str[at] == ']') is_in_list = false;
      at++;
    }
  }
}

shrink_words_t shrink_words_make(const program_t *program) {
  shrink_words_t words = {.text = g_string_new(NULL),
                          .items = g_array_new(FALSE, FALSE, sizeof(shrink_word_t))};
  program_print_attributes(program, words.text);
  const char *text = words.text->str;
  for (size_t at = 0; at < words.text->len;) {
    size_t end = at + 1 + strcspn(text + at + 1, " ");
    size_t value = at + strcspn(text + at, "=") + 1;
    str_t key = {.data = text + at + 1, .size = value < at + 2 ? 0 : value - at - 2};
    const shrink_word_t word = {.key_begin = at, .key_end = end};
    split_value(words.text, value, &word, find_row(program->op, key), words.items);
    at = end;
  }
  return words;
}

void shrink_words_free(shrink_words_t *words) {
  g_string_free(words->text, TRUE);
  g_array_free(words->items, TRUE);
}

size_t shrink_words_count(const shrink_words_t *words) { return words->items->len; }

const shrink_word_t *shrink_words_at(const shrink_words_t *words, size_t index) {
  return &g_array_index(words->items, shrink_word_t, (guint)index);
}

static uint64_t word_cost(const shrink_words_t *words, const shrink_word_t *word) {
  str_t text = {.data = words->text->str + word->begin, .size = word->end - word->begin};
  uint64_t cost = 0;
  switch (word->kind) {
    case SHRINK_INTEGER: {
      uint64_t magnitude = word->integer < 0 ? -(uint64_t)word->integer : (uint64_t)word->integer;
      return MIN(magnitude, INTEGER_COST_MAX) + (word->integer < 0 ? NEGATIVE_COST : 0);
    }
    case SHRINK_NUMBER: /* 0x0p+0 is free, 0x1p+0 costs 1, then every digit and the exponent. */
      if (str_equal_text(text, "0x0p+0")) return 0;
      return str_equal_text(text, "0x1p+0") ? 1 : text.size;
    case SHRINK_PATTERN:
      for (size_t i = 0; i < text.size; i++) cost += text.data[i] != '0';
      return cost;
    case SHRINK_NAME:
      return word->spellings != NULL ? word->spelling : str_equal_text(text, "true");
  }
  return 0;
}

uint64_t shrink_attributes_cost(const program_t *program) {
  shrink_words_t words = shrink_words_make(program);
  uint64_t cost = 0;
  size_t key_begin = SIZE_MAX;
  for (size_t i = 0; i < shrink_words_count(&words); i++) {
    const shrink_word_t *word = shrink_words_at(&words, i);
    cost += word_cost(&words, word) + word->is_in_list + (word->key_begin != key_begin);
    key_begin = word->key_begin;
  }
  shrink_words_free(&words);
  return cost;
}

bool shrink_words_parse(const program_t *program, const GString *text, arena_t *arena,
                        program_t *out_program) {
  scan_t scan = scan_make((str_t){.data = text->str, .size = text->len});
  *out_program = *program;
  failure_t error;
  status_t status = program_parse_attributes(&scan, arena, out_program, &error);
  return status == STATUS_OK && scan_at_end(&scan);
}

GString *shrink_words_replace(const shrink_words_t *words, size_t begin, size_t end,
                              const char *replacement) {
  GString *text = g_string_new_len(words->text->str, (gssize)begin);
  g_string_append(text, replacement);
  g_string_append_len(text, words->text->str + end, (gssize)(words->text->len - end));
  return text;
}
