#include "harness/judge/judge.h"
#include "harness/model/op.h"

/* How much of the results is wrong, in words that do not depend on sizes. */
static const char *wrong_share(const verdict_t *verdict) {
  size_t wrong = verdict->wrong_count;
  size_t all = verdict->component_count;
  if (wrong == 0) return "none";
  if (wrong == all) return "all";
  if (wrong == 1) return "one";
  return wrong > all / 2 ? "most" : "some";
}

/* These words are keys in databases: never change what goes in.  No size, shape or value does, so
 * that one fault met with other data is the same finding. */
hash_text_t verdict_signature(const verdict_t *verdict, const program_t *program) {
  GString *words = g_string_new(program->op->name);
  g_string_append_c(words, '\n');
  program->op->print_algorithm(program, words);
  g_string_append_c(words, '\n');
  program_print_types(program, words);
  g_string_append_printf(words, "\n%s\n%s\n%s\n%s\n", outcome_spelling(verdict->outcome),
                         class_spelling(verdict->class_), verdict->constraint,
                         wrong_share(verdict));
  hash_text_t signature = hash_of(words->str, words->len);
  g_string_free(words, TRUE);
  return signature;
}
