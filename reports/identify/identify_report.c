/* SPDX-License-Identifier: Apache-2.0 */
/* Text and JSON of one identification: verdict, description, tree, arithmetics, rule, and the
 * first contradicting case. */
#include "reports/identify/identify_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/identify/order/sum_order_find.h"
#include "harness/identify/order/sum_rule.h"
#include "harness/identify/profile/words.h"

bool identified_is_explained(const identified_t *identified) {
  if (identified->identification.identity != IDENTITY_FOUND) return false;
  return !identified->has_elements ||
         identified->elements.predicted == identified->elements.checked;
}

static void print_words(const profile_t *profile) {
  GString *words = g_string_new(NULL);
  profile_words(profile, words);
  printf("  in words:   %s\n", words->str);
  g_string_free(words, TRUE);
}

static void print_tree(const profile_t *profile) {
  enum { TREE_COLUMNS_MAX = 4000 };
  GString *tree = g_string_new(NULL);
  profile_print_tree(profile, tree);
  if (tree->len > TREE_COLUMNS_MAX) {
    printf("  tree:       %.*s... (%zu bytes; --json has it whole)\n", 200, tree->str, tree->len);
  } else {
    printf("  tree:       %s\n", tree->str);
  }
  g_string_free(tree, TRUE);
}

/* "a: f32 to nearest, fused; b: ...", from the canonical text, which lists them. */
static void print_arithmetic(const profile_t *profile) {
  GString *text = g_string_new(NULL);
  profile_print(profile, text);
  char **words = g_strsplit(text->str, " ", -1);
  printf("  arithmetic:");
  for (char **word = words; *word != NULL && !g_str_has_prefix(*word, "tree="); word++) {
    bool is_row = (*word)[0] != '\0' && (*word)[1] == '=';
    bool is_said = is_row || g_str_has_prefix(*word, "product=") ||
                   g_str_has_prefix(*word, "start=") || g_str_has_prefix(*word, "flush=");
    if (is_said) printf(" %s", *word);
  }
  putchar('\n');
  g_strfreev(words);
  g_string_free(text, TRUE);
}

char *identified_rule(const profile_t *profile) {
  arena_t arena;
  arena_init(&arena);
  GString *text = g_string_new(NULL);
  sum_order_print_found(sum_order_find(profile, &arena), text);
  sum_rule_print_init_place(profile, ", ", text);
  arena_deinit(&arena);
  return g_string_free(text, FALSE);
}

static void print_contradiction(const identified_t *identified) {
  enum { LINE_COLUMNS_MAX = 4000 };
  const char *line = identified->contradiction;
  if (line == NULL) line = identified->elements.first_line;
  if (line == NULL) return;
  const identification_t *identification = &identified->identification;
  if (identified->contradiction != NULL) {
    printf("  predicted:  %" PRIx64 ", observed %" PRIx64 ", in the first case that contradicts\n",
           identification->expected_bits, identification->observed_bits);
  } else {
    printf("  predicted:  otherwise at result element %zu in the first case that contradicts\n",
           identified->elements.first_element);
  }
  printf("  case:       %.*s%s\n", LINE_COLUMNS_MAX, line,
         strlen(line) > LINE_COLUMNS_MAX ? "..." : "");
}

void identified_print(const identified_t *identified, const char *program_line) {
  const identification_t *identification = &identified->identification;
  printf("%s %s\n  %s", identified->executor, program_line,
         identity_name(identification->identity));
  if (identification->identity != IDENTITY_FOUND) printf(": %s", identification->reason);
  if (identification->has_profile) {
    printf("%s %zu of %zu random vectors are predicted to the bit",
           identification->identity == IDENTITY_FOUND ? ":" : ";", identification->predicted,
           identification->checked);
  }
  putchar('\n');
  if (identified->has_elements) {
    printf("  elements:   %zu of %zu result elements of random cases are predicted to the bit\n",
           identified->elements.predicted, identified->elements.checked);
  }
  if (identified->odd_element != 0) {
    printf("  elements:   result element %zu is summed in another way than element 0\n",
           identified->odd_element);
  }
  if (identification->has_profile) {
    print_words(&identification->profile);
    char *rule = identified_rule(&identification->profile);
    printf("  rule:       %s\n", rule);
    g_free(rule);
    print_tree(&identification->profile);
    print_arithmetic(&identification->profile);
  }
  printf("  calls:      %zu: %zu for the tree, %zu for its arithmetic, the rest for checks\n",
         identified->calls, identification->tree_calls, identification->arithmetic_calls);
  print_contradiction(identified);
}

json_t *identified_json(const identified_t *identified, const char *program_line) {
  const identification_t *identification = &identified->identification;
  json_t *document =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "executor", identified->executor,
                "version", identified->version, "program", program_line, "identity",
                identity_name(identification->identity), "reason", identification->reason, "calls",
                (json_int_t)identified->calls, "tree_calls", (json_int_t)identification->tree_calls,
                "arithmetic_calls", (json_int_t)identification->arithmetic_calls);
  json_object_set_new(document, "explained", json_boolean(identified_is_explained(identified)));
  if (identification->has_profile) {
    GString *text = g_string_new(NULL);
    profile_print(&identification->profile, text);
    json_object_set_new(document, "profile", json_string(text->str));
    g_string_truncate(text, 0);
    profile_words(&identification->profile, text);
    json_object_set_new(document, "words", json_string(text->str));
    g_string_free(text, TRUE);
    char *rule = identified_rule(&identification->profile);
    json_object_set_new(document, "rule", json_string(rule));
    g_free(rule);
    json_object_set_new(document, "vectors", json_integer((json_int_t)identification->checked));
    json_object_set_new(document, "vectors_predicted",
                        json_integer((json_int_t)identification->predicted));
  }
  if (identified->has_elements) {
    json_object_set_new(document, "elements",
                        json_integer((json_int_t)identified->elements.checked));
    json_object_set_new(document, "elements_predicted",
                        json_integer((json_int_t)identified->elements.predicted));
  }
  const char *line = identified->contradiction;
  if (line == NULL) line = identified->elements.first_line;
  if (line != NULL) json_object_set_new(document, "contradiction", json_string(line));
  return document;
}

void identified_free(identified_t *identified) {
  g_free(identified->contradiction);
  g_free(identified->elements.first_line);
}
