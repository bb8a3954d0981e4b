/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of texts: what is printed is read back. */
#include "harness/quant/check/property.h"

/* Whether the graph prints and parses back; `which` says which graph it is. */
static quant_outcome_t check_graph(const quant_graph_t *graph, const char *which, arena_t *arena,
                                   failure_t *out_words) {
  GString *text = g_string_new(NULL), *again = g_string_new(NULL);
  quant_graph_print(graph, text);
  quant_graph_t parsed;
  failure_t error = {.text = ""};
  quant_outcome_t outcome = QUANT_HOLDS;
  if (quant_graph_parse((str_t){text->str, text->len}, arena, &parsed, &error) != STATUS_OK) {
    outcome = property_violated(out_words, "%s graph is not read back: %s", which, error.text);
  } else if (!quant_graph_equal(graph, &parsed)) {
    outcome = property_violated(out_words, "%s graph is another one when read back", which);
  } else {
    quant_graph_print(&parsed, again);
    if (!g_string_equal(text, again)) {
      outcome = property_violated(out_words, "%s graph prints otherwise when read back", which);
    }
  }
  g_string_free(text, TRUE);
  g_string_free(again, TRUE);
  return outcome;
}

quant_outcome_t quant_property_graph_text(const quant_trial_t *trial, arena_t *arena,
                                          failure_t *out_words) {
  quant_outcome_t outcome = check_graph(trial->graph, "the original", arena, out_words);
  if (outcome != QUANT_HOLDS) return outcome;
  return check_graph(&trial->materialized, "the materialized", arena, out_words);
}

/* What tables have but the lines of their rows; text that leaves something out prints alike twice.
 */
static bool same_port(const quant_signature_port_t *a, const quant_signature_port_t *b) {
  return g_strcmp0(a->name, b->name) == 0 && a->kind == b->kind && a->storage == b->storage &&
         a->storage_min == b->storage_min && a->storage_max == b->storage_max &&
         a->is_symmetric == b->is_symmetric && a->axis == b->axis &&
         a->is_constant == b->is_constant && a->is_optional == b->is_optional &&
         a->is_repeated == b->is_repeated && a->is_output == b->is_output;
}

static bool same_rule(const quant_rule_use_t *a, const quant_rule_use_t *b) {
  if (a->rule != b->rule || a->port_count != b->port_count) return false;
  if (a->zero_point != b->zero_point || a->scale < b->scale || a->scale > b->scale) return false;
  return memcmp(a->ports, b->ports, a->port_count * sizeof a->ports[0]) == 0;
}

static bool same_row(const quant_target_row_t *a, const quant_target_row_t *b) {
  if (!g_str_equal(a->kernel, b->kernel)) return false;
  if (a->port_count != b->port_count || a->rule_count != b->rule_count) return false;
  for (uint32_t i = 0; i < a->port_count; i++) {
    if (!same_port(&a->ports[i], &b->ports[i])) return false;
  }
  for (uint32_t i = 0; i < a->rule_count; i++) {
    if (!same_rule(&a->rules[i], &b->rules[i])) return false;
  }
  return true;
}

/* A line's text says all of it. */
static bool same_patterns(const quant_target_t *a, const quant_target_t *b) {
  if (a->pattern_count != b->pattern_count) return false;
  g_autoptr(GString) in_a = g_string_new(NULL);
  g_autoptr(GString) in_b = g_string_new(NULL);
  for (uint32_t i = 0; i < a->pattern_count; i++) {
    const quant_pattern_t *left = &a->patterns[i], *right = &b->patterns[i];
    if (!g_str_equal(left->kernel, right->kernel) || left->line_count != right->line_count) {
      return false;
    }
    for (uint32_t line = 0; line < left->line_count; line++) {
      quant_pattern_print_line(left, line, in_a);
      quant_pattern_print_line(right, line, in_b);
    }
  }
  return g_string_equal(in_a, in_b);
}

static bool same_table(const quant_target_t *a, const quant_target_t *b) {
  if (!g_str_equal(a->name, b->name) || a->row_count != b->row_count) return false;
  if (!same_port(&a->default_port, &b->default_port)) return false;
  for (uint32_t i = 0; i < a->row_count; i++) {
    if (!same_row(&a->rows[i], &b->rows[i])) return false;
  }
  return same_patterns(a, b);
}

quant_outcome_t quant_property_table_text(const quant_trial_t *trial, arena_t *arena,
                                          failure_t *out_words) {
  GString *text = g_string_new(NULL), *again = g_string_new(NULL);
  quant_target_print(trial->table, text);
  quant_target_t parsed;
  failure_t error = {.text = ""};
  quant_outcome_t outcome = QUANT_HOLDS;
  if (quant_target_parse((str_t){text->str, text->len}, arena, &parsed, &error) != STATUS_OK) {
    outcome = property_violated(out_words, "the table is not read back: %s", error.text);
  } else if (!same_table(trial->table, &parsed)) {
    outcome = property_violated(out_words, "the table is another one when read back");
  } else {
    quant_target_print(&parsed, again);
    if (!g_string_equal(text, again)) {
      outcome = property_violated(out_words, "the table prints otherwise when read back");
    }
  }
  g_string_free(text, TRUE);
  g_string_free(again, TRUE);
  return outcome;
}

static uint32_t count_of(const char *text, const char *word) {
  uint32_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) count++;
  return count;
}

static quant_outcome_t check_mlir(const quant_graph_t *graph, failure_t *out_words) {
  GString *text = g_string_new(NULL);
  quant_graph_print_mlir(graph, text);
  uint32_t regions = count_of(text->str, "\"quant.region\"");
  uint32_t returns = count_of(text->str, "\"quant.return\"");
  uint32_t opened = count_of(text->str, "{") + count_of(text->str, "(");
  uint32_t closed = count_of(text->str, "}") + count_of(text->str, ")");
  g_string_free(text, TRUE);
  uint32_t wanted = 0;
  for (uint32_t r = 0; r < graph->region_count; r++) wanted += !graph->regions[r].is_op;
  if (regions != wanted || returns != wanted) {
    return property_violated(out_words, "%u regions and %u returns are printed for %u regions",
                             regions, returns, wanted);
  }
  if (opened != closed) return property_violated(out_words, "brackets are not balanced");
  return QUANT_HOLDS;
}

quant_outcome_t quant_property_mlir(const quant_trial_t *trial, arena_t *arena,
                                    failure_t *out_words) {
  (void)arena;
  if (check_mlir(trial->graph, out_words) == QUANT_VIOLATED) return QUANT_VIOLATED;
  return check_mlir(&trial->materialized, out_words);
}
