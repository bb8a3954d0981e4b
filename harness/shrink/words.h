/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of any op as words of its line: what they cost a reader, and the same program with
 * one word changed. */
#ifndef ASSAY_SHRINK_WORDS_H
#define ASSAY_SHRINK_WORDS_H

#include "harness/model/op.h"

typedef enum shrink_word_kind {
  SHRINK_INTEGER, /* "-1" */
  SHRINK_NUMBER,  /* "0x1.8p-3" */
  SHRINK_PATTERN, /* "3f800000", of an attribute that is one. */
  SHRINK_NAME,    /* "true", "linear", "bf16" */
} shrink_word_kind_t;

typedef struct shrink_word {
  shrink_word_kind_t kind;
  size_t begin; /* Bytes of the text of the attributes. */
  size_t end;
  size_t key_begin; /* Where " key=value" begins and ends, of which it is part. */
  size_t key_end;
  bool is_in_list;
  int64_t integer; /* Of SHRINK_INTEGER. */
  /* Of SHRINK_NAME, if the op has a table of it: its spellings, ended by NULL, and which it is. */
  const char *const *spellings;
  size_t spelling;
} shrink_word_t;

typedef struct shrink_words {
  GString *text; /* program_print_attributes() */
  GArray *items; /* Of shrink_word_t, as they stand in the text. */
} shrink_words_t;

shrink_words_t shrink_words_make(const program_t *program);
void shrink_words_free(shrink_words_t *words);
size_t shrink_words_count(const shrink_words_t *words);
const shrink_word_t *shrink_words_at(const shrink_words_t *words, size_t index);

/* A sum of natural numbers: each attribute and each entry of a list, the size of each number, 1 for
 * "true", the place of a spelling in its table. */
uint64_t shrink_attributes_cost(const program_t *program);

/* A copy of the program with the attributes that `text` spells.  False if no attributes of the op
 * are spelt so. */
bool shrink_words_parse(const program_t *program, const GString *text, arena_t *arena,
                        program_t *out_program);

/* The text with bytes begin .. end replaced. */
GString *shrink_words_replace(const shrink_words_t *words, size_t begin, size_t end,
                              const char *replacement);

#endif
