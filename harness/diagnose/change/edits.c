/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the edits: a number is one more or less, 0, 1, another one of its text, or shorter; a word
 * is another one of its attribute; of a list two entries change places, all become one of them, or
 * it runs backward; a permutation is inverted, or none; an attribute is left out. */
#include "harness/diagnose/change/edits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/types/scale.h"

enum { EDITS_MAX = 160 };

/* ---- Texts ----------------------------------------------------------------------------------- */

typedef struct span {
  size_t begin, end;
} span_t;

static void edit_free(gpointer data) {
  edit_t *edit = (edit_t *)data;
  g_free(edit->text);
  g_free(edit);
}

static void add(GPtrArray *edits, const char *text, span_t span, const char *by, const char *kind) {
  if (edits->len >= EDITS_MAX) return;
  g_autofree char *edited = g_strdup_printf("%.*s%s%s", (int)span.begin, text, by, text + span.end);
  if (strcmp(edited, text) == 0) return;
  for (guint i = 0; i < edits->len; i++) {
    edit_t *other = (edit_t *)g_ptr_array_index(edits, i);
    if (strcmp(other->text, edited) != 0) continue;
    if (other->other_kind == NULL && strcmp(other->kind, kind) != 0) other->other_kind = kind;
    return;
  }
  edit_t *edit = g_new(edit_t, 1);
  *edit = (edit_t){.text = g_steal_pointer(&edited), .kind = kind};
  g_ptr_array_add(edits, edit);
}

static bool is_stop(char byte) { return byte == '\0' || strchr("[],=:x ", byte) != NULL; }

/* The next atom behind `from`; false at the end.  Keys are none, and 'x' is none inside words. */
static bool next_atom(const char *text, size_t from, span_t *out_atom) {
  size_t begin = from;
  while (text[begin] != '\0') {
    size_t end = begin;
    bool is_hex = g_str_has_prefix(text + begin, "0x") || g_str_has_prefix(text + begin, "-0x");
    bool is_word = g_ascii_isalpha(text[begin]) && text[begin] != 'x';
    while (text[end] != '\0' && (!is_stop(text[end]) || ((is_hex || is_word) && text[end] == 'x')))
      end++;
    if (end > begin && text[end] != '=') {
      *out_atom = (span_t){begin, end};
      return true;
    }
    begin = MAX(end, begin + 1);
  }
  return false;
}

static bool is_integer(const char *text, span_t atom) {
  size_t i = atom.begin + (text[atom.begin] == '-' ? 1 : 0);
  if (i == atom.end) return false;
  for (; i < atom.end; i++) {
    if (!g_ascii_isdigit(text[i])) return false;
  }
  return true;
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

/* `last`: the number of the last dimension. */
static void edit_integer(const char *text, span_t atom, int64_t last, GPtrArray *edits) {
  int64_t value = g_ascii_strtoll(text + atom.begin, NULL, 10);
  const int64_t others[] = {last, value - 1, value + 1, 0, 1, 2 * value, -1};
  static const char *const kinds[] = {"last", "less", "more", "0", "1", "twice", "-1"};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    char digits[24];
    g_snprintf(digits, sizeof digits, "%" PRId64, others[i]);
    add(edits, text, atom, digits, kinds[i]);
  }
}

/* Rounded to bf16 and f16, its square, and next to nothing. */
static void edit_number(const char *text, span_t atom, GPtrArray *edits) {
  double value = g_ascii_strtod(text + atom.begin, NULL);
  const double others[] = {
      format_round_double(&format_table[FORMAT_bf16], value),
      format_round_double(&format_table[FORMAT_f16], value),
      value * value,
      sqrt(value),
      0,
  };
  static const char *const kinds[] = {"bf16", "f16", "square", "root", "0"};
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    if (!isfinite(others[i])) continue;
    g_autoptr(GString) number = g_string_new(NULL);
    if (others[i] == 0) {
      g_string_assign(number, "0x0p+0");
    } else {
      scale_print(others[i], number);
    }
    add(edits, text, atom, number->str, kinds[i]);
  }
}

/* The other words of the attribute that the atom is a value of. */
static void edit_word(const program_t *program, const char *text, span_t atom, GPtrArray *edits) {
  g_autofree char *word = g_strndup(text + atom.begin, atom.end - atom.begin);
  if (strcmp(word, "true") == 0) add(edits, text, atom, "false", "false");
  if (strcmp(word, "false") == 0) add(edits, text, atom, "true", "true");
  const attribute_row_t *row = program->op->attribute_rows;
  for (; row != NULL && row->key != NULL; row++) {
    if (row->words == NULL || row->codec != &attribute_word) continue;
    if (!g_strv_contains(row->words, word)) continue;
    for (const char *const *other = row->words; *other != NULL; other++) {
      add(edits, text, atom, *other, *other);
    }
  }
  static const char *const bodies[] = {"add", "multiply", "maximum", "minimum",
                                       "and", "or",       "xor",     NULL};
  static const char *const comparisons[] = {"EQ", "NE", "GE", "GT", "LE", "LT", NULL};
  static const char *const *const tables[] = {bodies, comparisons};
  for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
    if (!g_strv_contains(tables[i], word)) continue;
    for (const char *const *other = tables[i]; *other != NULL; other++)
      add(edits, text, atom, *other, *other);
  }
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The entries of the list whose bracket opens at `open`. */
static GArray *find_entries(const char *text, size_t open) {
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(span_t));
  int depth = 0;
  span_t entry = {.begin = open + 1};
  for (size_t i = open + 1; text[i] != '\0'; i++) {
    bool is_end = depth == 0 && (text[i] == ',' || text[i] == ']');
    if (is_end && i > entry.begin) {
      entry.end = i;
      g_array_append_val(entries, entry);
      entry.begin = i + 1;
    }
    if (depth == 0 && text[i] == ']') break;
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
  }
  return entries;
}

static void append_entry(GString *list, const char *text, span_t entry) {
  g_string_append_printf(list, "%s%.*s", list->len == 0 ? "" : ",", (int)(entry.end - entry.begin),
                         text + entry.begin);
}

/* All entries in an order: order[i] is the one at place i. */
static void add_order(const char *text, const GArray *entries, const guint *order, const char *kind,
                      GPtrArray *edits) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < entries->len; i++) {
    append_entry(list, text, g_array_index(entries, span_t, order[i]));
  }
  const span_t all = {g_array_index(entries, span_t, 0).begin,
                      g_array_index(entries, span_t, entries->len - 1).end};
  add(edits, text, all, list->str, kind);
}

enum { ENTRIES_MAX = 8 };

/* Of a permutation the inverse one, and none. */
static void edit_permutation(const char *text, const GArray *entries, GPtrArray *edits) {
  const guint count = entries->len;
  guint place_of[ENTRIES_MAX], order[ENTRIES_MAX];
  for (guint i = 0; i < count; i++) place_of[i] = count;
  for (guint i = 0; i < count; i++) {
    const span_t entry = g_array_index(entries, span_t, i);
    if (!is_integer(text, entry)) return;
    const int64_t value = g_ascii_strtoll(text + entry.begin, NULL, 10);
    if (value < 0 || value >= count || place_of[value] != count) return;
    place_of[value] = i;
  }
  for (guint i = 0; i < count; i++) order[i] = place_of[place_of[i]];
  add_order(text, entries, order, "inverse", edits);
  add_order(text, entries, place_of, "in order", edits);
}

static void edit_list(const char *text, size_t open, GPtrArray *edits) {
  g_autoptr(GArray) entries = find_entries(text, open);
  const guint count = entries->len;
  if (count < 2 || count > ENTRIES_MAX) return;
  guint order[ENTRIES_MAX];
  edit_permutation(text, entries, edits);
  for (guint i = 0; i < count; i++) order[i] = count - 1 - i;
  add_order(text, entries, order, "backward", edits);
  for (guint only = 0; only < count; only++) {
    for (guint i = 0; i < count; i++) order[i] = only;
    add_order(text, entries, order, only == 0 ? "first" : "one", edits);
  }
  for (guint a = 0; a < count; a++) {
    for (guint b = a + 1; b < count; b++) {
      for (guint i = 0; i < count; i++) order[i] = i == a ? b : i == b ? a : i;
      add_order(text, entries, order, "exchanged", edits);
    }
  }
}

/* A list of pairs, "[[0,1],[2,0]]" or "[0:1,2:0]", with the two of each pair exchanged. */
static void edit_pairs(const char *text, GPtrArray *edits) {
  g_autoptr(GRegex) nested = g_regex_new("\\[(-?[0-9]+),(-?[0-9]+)\\](?=[,\\]])", 0, 0, NULL);
  g_autoptr(GRegex) colons = g_regex_new("(-?[0-9]+):(-?[0-9]+)", 0, 0, NULL);
  g_autofree char *first = g_regex_replace(nested, text, -1, 0, "[\\2,\\1]", 0, NULL);
  g_autofree char *second = g_regex_replace(colons, text, -1, 0, "\\2:\\1", 0, NULL);
  const span_t all = {0, strlen(text)};
  if (first != NULL) add(edits, text, all, first, "pairs");
  if (second != NULL) add(edits, text, all, second, "pairs");
}

static gboolean step_number(const GMatchInfo *match, GString *out_text, gpointer step) {
  g_autofree char *digits = g_match_info_fetch(match, 0);
  g_string_append_printf(out_text, "%" G_GINT64_FORMAT,
                         g_ascii_strtoll(digits, NULL, 10) + *(const int *)step);
  return FALSE;
}

/* All numbers of a list the same, as if it were not there, or all of them one more or less. */
static void edit_whole_list(const char *text, size_t open, GPtrArray *edits) {
  static const char *const numbers[] = {"0", "1"};
  static const char *const kinds[] = {"all 0", "all 1"};
  size_t close = open;
  for (int depth = 0; text[close] != '\0'; close++) {
    depth += text[close] == '[' ? 1 : text[close] == ']' ? -1 : 0;
    if (depth == 0) break;
  }
  if (text[close] == '\0') return;
  const span_t all = {open, close + 1};
  g_autofree char *list = g_strndup(text + open, close + 1 - open);
  g_autoptr(GRegex) number = g_regex_new("-?[0-9]+", 0, 0, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autofree char *other = g_regex_replace(number, list, -1, 0, numbers[i], 0, NULL);
    if (other != NULL) add(edits, text, all, other, kinds[i]);
  }
  g_autoptr(GRegex) negative = g_regex_new("-[0-9]+", 0, 0, NULL);
  g_autofree char *none = g_regex_replace(negative, list, -1, 0, "0", 0, NULL);
  if (none != NULL) add(edits, text, all, none, "none negative");
  for (int step = -1; step <= 1; step += 2) {
    g_autofree char *other = g_regex_replace_eval(number, list, -1, 0, 0, step_number, &step, NULL);
    if (other != NULL) add(edits, text, all, other, step < 0 ? "all less" : "all more");
  }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void edit_keys(const char *text, GPtrArray *edits) {
  for (size_t begin = 0; text[begin] != '\0';) {
    size_t end = begin + 1;
    while (text[end] != '\0' && text[end] != ' ') end++;
    add(edits, text, (span_t){begin, end}, "", "left out");
    begin = end;
  }
}

/* The values of two attributes exchanged. */
static void edit_two_keys(const char *text, GPtrArray *edits) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  const guint count = g_strv_length(words);
  for (guint a = 0; a < count; a++) {
    for (guint b = a + 1; b < count; b++) {
      const char *first = strchr(words[a], '='), *second = strchr(words[b], '=');
      if (first == NULL || second == NULL) continue;
      g_autoptr(GString) edited = g_string_new(NULL);
      for (guint i = 0; i < count; i++) {
        const char *value = i == a ? second : i == b ? first : strchr(words[i], '=');
        if (i > 0) g_string_append_c(edited, ' ');
        if (value == NULL) continue;
        size_t key = (size_t)(strchr(words[i], '=') - words[i]);
        g_string_append_printf(edited, "%.*s%s", (int)key, words[i], value);
      }
      add(edits, text, (span_t){0, strlen(text)}, edited->str, "for another");
    }
  }
}

GPtrArray *edits_of_attributes(const program_t *program) {
  GPtrArray *edits = g_ptr_array_new_with_free_func(edit_free);
  g_autoptr(GString) printed = g_string_new(NULL);
  program_print_attributes(program, printed);
  const char *text = printed->str;
  edit_pairs(text, edits);
  edit_two_keys(text, edits);
  for (size_t i = 0; i < printed->len; i++) {
    if (text[i] != '[') continue;
    edit_whole_list(text, i, edits);
    edit_list(text, i, edits);
  }
  const type_t *type = program->operand_count > 0 ? &program->operands[0] : &program->results[0];
  const int64_t last = (int64_t)type->rank - 1;
  span_t atom = {0, 0};
  while (next_atom(text, atom.end, &atom)) {
    if (is_integer(text, atom)) {
      edit_integer(text, atom, last, edits);
    } else if (g_str_has_prefix(text + atom.begin, "0x")) {
      edit_number(text, atom, edits);
    } else {
      edit_word(program, text, atom, edits);
    }
  }
  edit_keys(text, edits);
  return edits;
}
