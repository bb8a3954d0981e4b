/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of summation as text: the grammar, and English words. */
#include <inttypes.h>

#include "harness/order/sum_order.h"

enum { NESTING_MAX = 8 };

/* How an order is spelled: WORD, its width, SUFFIX, and then its parts in brackets. */
typedef struct spelling {
  const char *word;
  bool has_width;
  const char *suffix;
  int parts;         /* Of A, B and C: how many there are; tails have A, or A and C. */
  bool may_be_short; /* All parts may be left out. */
} spelling_t;

/* Where one word begins another, the longer one comes later. */
static const spelling_t SPELLINGS[SUM_ORDER_KINDS] = {
    [SUM_SEQUENTIAL] = {"sequential", false, "", 0, false},
    [SUM_REVERSE] = {"reverse", false, "", 0, false},
    [SUM_SWAPPED] = {"swapped", false, "", 0, false},
    [SUM_HALVES] = {"halves", false, "", 0, false},
    [SUM_POWER] = {"power", false, "", 0, false},
    [SUM_FOLDED] = {"folded", false, "", 0, false},
    [SUM_HALVES_LOW] = {"halves", false, "-low", 0, false},
    [SUM_INTERLEAVED] = {"interleaved", false, "", 0, false},
    [SUM_WAYS] = {"ways", true, "", 0, false},
    [SUM_LANES] = {"lanes", true, "", 2, true},
    [SUM_LANES_FIRST] = {"lanes", true, "-first", 2, false},
    [SUM_LANES_FRONT] = {"lanes", true, "-front", 2, false},
    [SUM_LANES_BESIDE] = {"lanes", true, "-beside", 3, false},
    [SUM_BLOCKS] = {"blocks", true, "", 2, false},
    [SUM_BLOCKS_FIRST] = {"blocks", true, "-first", 2, false},
    [SUM_PADDED] = {"padded", true, "", 2, false},
    [SUM_TAIL] = {"tail", true, "", 1, false},
    [SUM_RANDOM] = {"random", false, "", 0, false},
    [SUM_SHUFFLED] = {"shuffled", false, "", 0, false},
};

/* Other words for what has a spelling above. */
static const struct {
  sum_order_kind_t kind;
  spelling_t spelling;
} SYNONYMS[] = {
    {SUM_HALVES, {"pairwise", false, "", 0, false}},
    {SUM_BLOCKS, {"blocked", true, "", 0, false}},
};

/* ---- Printing -------------------------------------------------------------------------------- */

void sum_order_print(const sum_order_t *order, GString *out_text) {
  const spelling_t *spelling = &SPELLINGS[order->kind];
  g_string_append(out_text, spelling->word);
  if (spelling->has_width) g_string_append_printf(out_text, "%" PRIu32, order->width);
  g_string_append(out_text, spelling->suffix);
  if (spelling->parts == 0) return;
  g_string_append_c(out_text, '(');
  sum_order_print(sum_order_inner(order), out_text);
  const sum_order_t *others[2] = {spelling->parts >= 2 ? sum_order_join(order) : NULL,
                                  spelling->parts != 2 ? sum_order_rest(order) : NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    if (others[i] == NULL) continue;
    g_string_append_c(out_text, ',');
    sum_order_print(others[i], out_text);
  }
  g_string_append_c(out_text, ')');
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static status_t parse(scan_t *scan, arena_t *arena, int nesting, sum_order_t *out_order,
                      failure_t *error);

static status_t parse_part(scan_t *scan, arena_t *arena, int nesting, const char *before,
                           const sum_order_t **out_part, failure_t *error) {
  sum_order_t *part = ARENA_NEW_ARRAY(arena, sum_order_t, 1);
  STATUS_TRY(scan_expect(scan, before, error));
  STATUS_TRY(parse(scan, arena, nesting + 1, part, error));
  *out_part = part;
  return STATUS_OK;
}

static status_t parse_parts(scan_t *scan, arena_t *arena, int nesting, const spelling_t *spelling,
                            sum_order_t *order, failure_t *error) {
  if (spelling->parts == 0) return STATUS_OK;
  if (spelling->may_be_short && scan_peek(scan) != '(') return STATUS_OK;
  STATUS_TRY(parse_part(scan, arena, nesting, "(", &order->inner, error));
  if (spelling->parts >= 2) {
    STATUS_TRY(parse_part(scan, arena, nesting, ",", &order->join, error));
  }
  bool has_rest = spelling->parts == 3 || (order->kind == SUM_TAIL && scan_peek(scan) == ',');
  if (has_rest) STATUS_TRY(parse_part(scan, arena, nesting, ",", &order->rest, error));
  return scan_expect(scan, ")", error);
}

/* Takes the name of an order and its width; *out_is_it tells whether it is next. */
static status_t parse_name(scan_t *scan, const spelling_t *spelling, uint32_t *out_width,
                           bool *out_is_it, failure_t *error) {
  scan_t start = *scan;
  *out_is_it = scan_accept(scan, spelling->word);
  if (*out_is_it && spelling->has_width) {
    int64_t width;
    STATUS_TRY(scan_integer(scan, &width, error));
    if (width < 1 || width > SUM_ORDER_WIDTH_MAX) {
      return scan_fail(scan, error, "%" PRId64 " is not within 1..%d", width, SUM_ORDER_WIDTH_MAX);
    }
    *out_width = (uint32_t)width;
  }
  *out_is_it = *out_is_it && scan_accept(scan, spelling->suffix);
  if (!*out_is_it) *scan = start;
  return STATUS_OK;
}

static status_t parse(scan_t *scan, arena_t *arena, int nesting, sum_order_t *out_order,
                      failure_t *error) {
  bool is_it = false;
  for (size_t i = 0; i < G_N_ELEMENTS(SYNONYMS) && nesting < NESTING_MAX; i++) {
    *out_order = (sum_order_t){.kind = SYNONYMS[i].kind};
    STATUS_TRY(parse_name(scan, &SYNONYMS[i].spelling, &out_order->width, &is_it, error));
    if (is_it) return STATUS_OK;
  }
  for (int kind = SUM_ORDER_KINDS; kind-- > 0 && nesting < NESTING_MAX;) {
    *out_order = (sum_order_t){.kind = (sum_order_kind_t)kind};
    STATUS_TRY(parse_name(scan, &SPELLINGS[kind], &out_order->width, &is_it, error));
    if (is_it) return parse_parts(scan, arena, nesting, &SPELLINGS[kind], out_order, error);
  }
  return scan_fail_expecting(scan, error,
                             nesting == NESTING_MAX
                                 ? "orders within orders, but no more than 8"
                                 : "an order such as sequential, halves or lanes8(folded,halves)");
}

status_t sum_order_parse(scan_t *scan, arena_t *arena, sum_order_t *out_order, failure_t *error) {
  return parse(scan, arena, 0, out_order, error);
}

/* ---- Words ----------------------------------------------------------------------------------- */

const char *sum_order_join_words(sum_order_kind_t kind) {
  switch (kind) {
    case SUM_REVERSE:
      return "sequential from the last";
    case SUM_SWAPPED:
      return "sequential, the second of each pair first";
    case SUM_HALVES:
    case SUM_HALVES_LOW:
    case SUM_POWER:
      return "pairwise";
    case SUM_FOLDED:
    case SUM_INTERLEAVED:
      return "folded in halves";
    case SUM_RANDOM:
      return "in a random tree";
    case SUM_SHUFFLED:
      return "in a random tree and order";
    default:
      return "sequential";
  }
}

/* "8 lanes (folded in halves), pairwise at the end" */
static void append_groups(const sum_order_t *order, GString *text) {
  bool is_lanes = sum_order_is_lanes(order->kind);
  const sum_order_t *inner = sum_order_inner(order);
  const sum_order_t *join = sum_order_join(order);
  g_string_append_printf(text, is_lanes ? "%" PRIu32 " lanes" : "blocks of %" PRIu32, order->width);
  if (order->kind == SUM_PADDED) g_string_append(text, ", shorter at both ends");
  if (order->kind == SUM_BLOCKS_FIRST) g_string_append(text, ", the first one shorter");
  if (order->kind == SUM_LANES_FRONT) g_string_append(text, ", what is over first");
  if (order->kind == SUM_LANES_FIRST) g_string_append(text, ", what is over in the first one");
  if (order->kind == SUM_LANES_BESIDE) {
    g_string_append(text, ", the sum of what is over added to the first one");
  }
  bool inner_is_plain = inner->kind == SUM_SEQUENTIAL;
  if (!inner_is_plain) {
    g_string_append(text, " (");
    sum_order_words(inner, text);
    g_string_append_c(text, ')');
  }
  g_string_append(text, ", ");
  sum_order_words(join, text);
  bool is_all_sequential = inner_is_plain && join->kind == SUM_SEQUENTIAL;
  if (!is_all_sequential || is_lanes) g_string_append(text, " at the end");
}

void sum_order_words(const sum_order_t *order, GString *out_text) {
  if (sum_order_is_lanes(order->kind) || sum_order_is_blocks(order->kind)) {
    append_groups(order, out_text);
  } else if (order->kind == SUM_TAIL) {
    sum_order_words(sum_order_inner(order), out_text);
    g_string_append(out_text, order->rest == NULL ? ", then the last terms one by one"
                                                  : ", then the sum of the last terms");
  } else if (order->kind == SUM_WAYS) {
    g_string_append_printf(out_text, "%" PRIu32 " at a time, sequential", order->width);
  } else {
    g_string_append(out_text, sum_order_join_words(order->kind));
    if (order->kind == SUM_REVERSE) g_string_append(out_text, " term");
  }
}
