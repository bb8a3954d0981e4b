/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the text whose hash identifies a finding. Its words are keys in existing databases, so
 * any change needs a new version number. */
#include "harness/judge/judge.h"
#include "harness/model/op.h"

/* What tells apart divergences of whose cause nothing is known. */
static void append_unknown(const verdict_t *verdict, GString *words) {
  g_string_append_printf(words, "class %s\n", class_spelling(verdict->class_));
  if (verdict->class_ == CLASS_looser) g_string_append_printf(words, "%s\n", verdict->observed);
}

/* These words are keys in databases: never change what goes in.  Another choice of words begins
 * with another number, so that keys of two versions never meet; version 1 had none and began with
 * the op's name.
 *
 * No size, shape or value goes in, so that one fault met with other data is the same finding. Where
 * the cause is known, neither does the class: a term left out makes numbers, infinities and NaNs
 * wrong. */
hash_text_t verdict_signature(const verdict_t *verdict, const program_t *program) {
  GString *words = g_string_new("signature 2\n");
  g_string_append_printf(words, "%s\n", program->op->name);
  program->op->print_algorithm(program, words);
  g_string_append_c(words, '\n');
  program_print_types(program, words);
  g_string_append_printf(words, "\n%s\n%s\n", outcome_spelling(verdict->outcome),
                         verdict->constraint);
  if (verdict->is_cause_sure) {
    g_string_append_printf(words, "cause %s\n", verdict->cause);
  } else {
    append_unknown(verdict, words);
  }
  hash_text_t signature = hash_of(words->str, words->len);
  g_string_free(words, TRUE);
  return signature;
}
