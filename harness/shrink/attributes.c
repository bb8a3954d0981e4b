/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of which one word of the attributes is what it is by default, or smaller; and those
 * that leave a word or a whole attribute out. */
#include <string.h>

#include "harness/shrink/state.h"
#include "harness/shrink/words.h"

/* The best case with other attributes. */
static bool try_text(shrink_t *shrink, GString *text) {
  arena_reset(&shrink->scratch);
  case_t candidate = shrink->best;
  bool is_taken = false;
  if (shrink_words_parse(&shrink->best.program, text, &shrink->scratch, &candidate.program)) {
    is_taken = shrink_try(shrink, &candidate);
  }
  g_string_free(text, TRUE);
  return is_taken;
}

static bool try_replacement(shrink_t *shrink, const shrink_words_t *words,
                            const shrink_word_t *word, const char *replacement) {
  return try_text(shrink, shrink_words_replace(words, word->begin, word->end, replacement));
}

static bool try_integer(shrink_t *shrink, const shrink_words_t *words, const shrink_word_t *word,
                        int64_t value) {
  char text[24];
  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, value);
  return value != word->integer && try_replacement(shrink, words, word, text);
}

/* Dimensions counted from the end are counted from the start; then what is nearer to 0. */
static bool try_integers(shrink_t *shrink, const shrink_words_t *words, const shrink_word_t *word) {
  const program_t *program = &shrink->best.program;
  int64_t value = word->integer;
  for (uint32_t i = 0; value < 0 && i < program->operand_count; i++) {
    if (try_integer(shrink, words, word, value + program->operands[i].rank)) return true;
  }
  if (value < 0 && value > INT64_MIN && try_integer(shrink, words, word, -value)) return true;
  const int64_t smaller[] = {0, 1, value / 2, value < 0 ? value + 1 : value - 1};
  for (size_t i = 0; i < G_N_ELEMENTS(smaller); i++) {
    if (try_integer(shrink, words, word, smaller[i])) return true;
  }
  return false;
}

static bool try_number(shrink_t *shrink, const shrink_words_t *words, const shrink_word_t *word) {
  if (try_replacement(shrink, words, word, "0x0p+0")) return true;
  if (try_replacement(shrink, words, word, "0x1p+0")) return true;
  g_autofree char *text = g_strndup(words->text->str + word->begin, word->end - word->begin);
  const char *exponent = strchr(text, 'p');
  if (exponent == NULL) return false;
  g_autofree char *power = g_strdup_printf("0x1%s", exponent);
  return try_replacement(shrink, words, word, power);
}

static bool try_pattern(shrink_t *shrink, const shrink_words_t *words, const shrink_word_t *word) {
  g_autofree char *zeros = g_strnfill(word->end - word->begin, '0');
  return try_replacement(shrink, words, word, zeros);
}

static bool try_name(shrink_t *shrink, const shrink_words_t *words, const shrink_word_t *word) {
  if (word->spellings == NULL) return try_replacement(shrink, words, word, "false");
  for (size_t i = 0; i < word->spelling; i++) {
    if (try_replacement(shrink, words, word, word->spellings[i])) return true;
  }
  return false;
}

static bool try_without_entry(shrink_t *shrink, const shrink_words_t *words,
                              const shrink_word_t *word) {
  if (!word->is_in_list) return false;
  size_t begin = word->begin;
  size_t end = word->end;
  if (words->text->str[end] == ',') {
    end++;
  } else if (words->text->str[begin - 1] == ',') {
    begin--;
  }
  return try_text(shrink, shrink_words_replace(words, begin, end, ""));
}

static bool try_word(shrink_t *shrink, const shrink_words_t *words, size_t index) {
  const shrink_word_t *word = shrink_words_at(words, index);
  bool is_first = index == 0 || shrink_words_at(words, index - 1)->key_begin != word->key_begin;
  if (is_first &&
      try_text(shrink, shrink_words_replace(words, word->key_begin, word->key_end, ""))) {
    return true;
  }
  if (try_without_entry(shrink, words, word)) return true;
  switch (word->kind) {
    case SHRINK_INTEGER:
      return try_integers(shrink, words, word);
    case SHRINK_NUMBER:
      return try_number(shrink, words, word);
    case SHRINK_PATTERN:
      return try_pattern(shrink, words, word);
    case SHRINK_NAME:
      return try_name(shrink, words, word);
  }
  return false;
}

bool shrink_attributes(shrink_t *shrink) {
  bool is_changed = false;
  for (size_t index = 0; !shrink_is_over(shrink);) {
    shrink_words_t words = shrink_words_make(&shrink->best.program);
    bool is_over = index >= shrink_words_count(&words);
    bool is_taken = !is_over && try_word(shrink, &words, index);
    shrink_words_free(&words);
    if (is_over) break;
    is_changed |= is_taken;
    if (!is_taken) index++;
  }
  return is_changed;
}
