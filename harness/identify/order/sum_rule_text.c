/* SPDX-License-Identifier: Apache-2.0 */
/* A rule as text: its order of summation, where the initial value enters, the arithmetic of its
 * nodes, and what else the text of a profile says.  Parsing takes what printing gives and no more:
 * the text is what a stored rule is known by. */
#include <inttypes.h>
#include <string.h>

#include "harness/identify/order/sum_rule.h"

static const char *const INIT_WORDS[RULE_INIT_COUNT] = {"absent", "first", "term",
                                                        "last",   "each",  "zero"};

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_role(const char *role, const profile_node_t *node, GString *text) {
  g_string_append_printf(text, " %s=%s", role, node->format->name);
  if (node->rounding == ROUNDING_TOWARD_ZERO) g_string_append(text, "/trunc");
  if (node->fused) g_string_append(text, "/fused");
  if (node->aligned_bits != 0) g_string_append_printf(text, "/aligned%d", node->aligned_bits);
}

/* What the text of a profile says between its length and the arithmetic of its nodes, cut out of
 * that text, so that the two cannot differ. */
static void print_head(const profile_t *profile, GString *text) {
  g_autoptr(GString) whole = g_string_new(NULL);
  profile_print(profile, whole);
  const char *begin = strstr(whole->str, " left=");
  const char *end = strstr(whole->str, " flush=");
  g_assert(begin != NULL && end != NULL);
  end += strlen(" flush=");
  end += strcspn(end, " ");
  g_string_append_len(text, begin, end - begin);
}

/* What follows the order. */
static void print_rest(const sum_rule_t *rule, GString *text) {
  g_string_append_printf(text, " init=%s", INIT_WORDS[rule->init]);
  if (rule->first_is_rounded) g_string_append(text, " first=rounded");
  print_role("add", &rule->add, text);
  print_role("join", &rule->join, text);
  print_role("last", &rule->last, text);
  print_head(rule->like, text);
}

void sum_rule_print(const sum_rule_t *rule, GString *out_text) {
  sum_order_print(&rule->order, out_text);
  print_rest(rule, out_text);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static status_t parse_init(scan_t *scan, rule_init_t *out_init, failure_t *error) {
  STATUS_TRY(scan_expect(scan, " init=", error));
  str_t word = scan_until(scan, " ");
  for (int i = 0; i < RULE_INIT_COUNT; i++) {
    if (!str_equal_text(word, INIT_WORDS[i])) continue;
    *out_init = (rule_init_t)i;
    return STATUS_OK;
  }
  return scan_fail_expecting(scan, error, "absent, first, term, last, each or zero");
}

status_t sum_rule_parse(str_t text, const profile_t *like, arena_t *arena, sum_rule_t *out_rule,
                        failure_t *error) {
  sum_rule_t rule;
  if (!sum_rule_read_roles(like, &rule)) {
    return status_fail(error, STATUS_INVALID, "no rule goes with this profile");
  }
  scan_t scan = scan_make(text);
  STATUS_TRY(sum_order_parse(&scan, arena, &rule.order, error));
  str_t rest = {scan.cursor, (size_t)(scan.end - scan.cursor)};
  STATUS_TRY(parse_init(&scan, &rule.init, error));
  g_autoptr(GString) expected = g_string_new(NULL);
  print_rest(&rule, expected);
  if (!str_equal_text(rest, expected->str)) {
    return status_fail(error, STATUS_INVALID, "the rule is not one of this profile: \"%.*s\"",
                       (int)MIN(text.size, 200), text.data);
  }
  *out_rule = rule;
  return STATUS_OK;
}
