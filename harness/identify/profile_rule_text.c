/* Rules as text. */
#include <inttypes.h>
#include <string.h>

#include "harness/identify/profile_rule.h"

enum { ORDER_NESTING_MAX = 8, ORDER_WIDTH_MAX = 1 << 20 };

/* How an order is spelled, and what it has. */
typedef struct order_word {
  const char *word;
  bool has_width;
  bool has_inner;
  bool has_join;
} order_word_t;

static const order_word_t ORDER_WORDS[ORDER_KIND_COUNT] = {
    [ORDER_SEQUENTIAL] = {"sequential", false, false, false},
    [ORDER_REVERSE] = {"reverse", false, false, false},
    [ORDER_SWAPPED] = {"swapped", false, false, false},
    [ORDER_HALVES] = {"halves", false, false, false},
    [ORDER_POWER] = {"power", false, false, false},
    [ORDER_FOLDED] = {"folded", false, false, false},
    [ORDER_WAYS] = {"ways", true, false, false},
    [ORDER_LANES] = {"lanes", true, true, true},
    [ORDER_BLOCKS] = {"blocks", true, true, true},
    [ORDER_PADDED] = {"padded", true, true, true},
    [ORDER_TAIL] = {"tail", true, true, false},
};

static const char *const INIT_WORDS[RULE_INIT_COUNT] = {"absent", "first", "term",
                                                        "last",   "each",  "zero"};

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_order(const order_t *order, GString *text) {
  const order_word_t *word = &ORDER_WORDS[order->kind];
  g_string_append(text, word->word);
  if (word->has_width) g_string_append_printf(text, "%" PRIu32, order->width);
  if (!word->has_inner) return;
  g_string_append_c(text, '(');
  print_order(order->inner, text);
  if (word->has_join) {
    g_string_append_c(text, ',');
    print_order(order->join, text);
  }
  g_string_append_c(text, ')');
}

static void print_role(const char *role, const profile_node_t *node, GString *text) {
  g_string_append_printf(text, " %s=%s", role, node->format->name);
  if (node->rounding == ROUNDING_TOWARD_ZERO) g_string_append(text, "/trunc");
  if (node->fused) g_string_append(text, "/fused");
  if (node->aligned_bits != 0) g_string_append_printf(text, "/aligned%d", node->aligned_bits);
}

/* What the text of a profile says between its length and the arithmetic of its nodes. */
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

void profile_rule_print(const profile_rule_t *rule, GString *out_text) {
  print_order(rule->order, out_text);
  g_string_append_printf(out_text, " init=%s", INIT_WORDS[rule->init]);
  if (rule->first_is_rounded) g_string_append(out_text, " first=rounded");
  print_role("add", &rule->add, out_text);
  print_role("join", &rule->join, out_text);
  print_role("last", &rule->last, out_text);
  print_head(rule->like, out_text);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static status_t parse_order(scan_t *scan, arena_t *arena, int nesting, const order_t **out_order,
                            failure_t *error) {
  order_t *order = ARENA_NEW_ARRAY(arena, order_t, 1);
  *order = (order_t){.kind = ORDER_SEQUENTIAL, .width = 1};
  while (order->kind < ORDER_KIND_COUNT && !scan_accept(scan, ORDER_WORDS[order->kind].word)) {
    order->kind++;
  }
  if (order->kind == ORDER_KIND_COUNT || nesting == ORDER_NESTING_MAX) {
    return scan_fail_expecting(scan, error, "an order such as sequential or lanes8(...)");
  }
  const order_word_t *word = &ORDER_WORDS[order->kind];
  if (word->has_width) {
    int64_t width;
    STATUS_TRY(scan_integer(scan, &width, error));
    if (width < 1 || width > ORDER_WIDTH_MAX) {
      return scan_fail(scan, error, "%" PRId64 " is no width", width);
    }
    order->width = (uint32_t)width;
  }
  *out_order = order;
  if (!word->has_inner) return STATUS_OK;
  STATUS_TRY(scan_expect(scan, "(", error));
  STATUS_TRY(parse_order(scan, arena, nesting + 1, &order->inner, error));
  if (word->has_join) {
    STATUS_TRY(scan_expect(scan, ",", error));
    STATUS_TRY(parse_order(scan, arena, nesting + 1, &order->join, error));
  }
  return scan_expect(scan, ")", error);
}

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

status_t profile_rule_parse(str_t text, const profile_t *like, arena_t *arena,
                            profile_rule_t *out_rule, failure_t *error) {
  profile_rule_t rule;
  if (!profile_rule_read_roles(like, &rule)) {
    return status_fail(error, STATUS_INVALID, "no rule goes with this profile");
  }
  scan_t scan = scan_make(text);
  STATUS_TRY(parse_order(&scan, arena, 0, &rule.order, error));
  STATUS_TRY(parse_init(&scan, &rule.init, error));
  g_autoptr(GString) printed = g_string_new(NULL);
  profile_rule_print(&rule, printed);
  if (!str_equal_text(text, printed->str)) {
    return status_fail(error, STATUS_INVALID, "the rule is not one of this profile: \"%.*s\"",
                       (int)MIN(text.size, 200), text.data);
  }
  *out_rule = rule;
  return STATUS_OK;
}
