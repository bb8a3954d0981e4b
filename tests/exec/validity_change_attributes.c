/* Random changes to the text of a program's attributes: ` key=value key=value`. */
#include <inttypes.h>

#include "harness/num/element.h"
#include "tests/exec/validity_draw.h"

/* A run of bytes of a text. */
typedef struct span {
  size_t begin;
  size_t end;
} span_t;

static GArray *new_spans(void) { return g_array_new(FALSE, FALSE, sizeof(span_t)); }

static span_t draw_span(rng_t *rng, const GArray *spans) {
  return g_array_index(spans, span_t, rng_below(rng, spans->len));
}

static void replace(GString *text, span_t span, const char *by) {
  g_string_erase(text, (gssize)span.begin, (gssize)(span.end - span.begin));
  g_string_insert(text, (gssize)span.begin, by);
}

static char *span_text(const char *text, span_t span) {
  return g_strndup(text + span.begin, span.end - span.begin);
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

static bool is_stop(char byte) { return byte == '\0' || strchr("[],= ", byte) != NULL; }

/* What stands between brackets, commas, blanks and '=', but keys: "-1", "true", "f32". */
static GArray *find_atoms(const char *text, bool are_integers) {
  GArray *atoms = new_spans();
  for (size_t begin = 0; text[begin] != '\0';) {
    size_t end = begin;
    while (!is_stop(text[end])) end++;
    bool is_integer = g_ascii_isdigit(text[begin]) || text[begin] == '-';
    bool is_value = end > begin && text[end] != '=' && text[begin] != '!';
    span_t atom = {.begin = begin, .end = end};
    if (is_value && is_integer == are_integers) g_array_append_val(atoms, atom);
    begin = MAX(end, begin + 1);
  }
  return atoms;
}

static bool change_integer(rng_t *rng, GString *text) {
  GArray *atoms = find_atoms(text->str, true);
  bool is_changed = atoms->len > 0;
  if (is_changed) {
    span_t atom = draw_span(rng, atoms), other = draw_span(rng, atoms);
    int64_t value = g_ascii_strtoll(text->str + atom.begin, NULL, 10);
    const int64_t values[] = {value - 1,
                              value + 1,
                              value * 2,
                              -1,
                              0,
                              1,
                              g_ascii_strtoll(text->str + other.begin, NULL, 10),
                              rng_one_in(rng, 8) ? (int64_t)1 << 40 : -value};
    g_autofree char *number =
        g_strdup_printf("%" PRId64, values[rng_below(rng, G_N_ELEMENTS(values))]);
    replace(text, atom, number);
  }
  g_array_unref(atoms);
  return is_changed;
}

static bool change_word(rng_t *rng, const char *donor, GString *text) {
  GArray *atoms = find_atoms(text->str, false), *others = find_atoms(donor, false);
  bool is_changed = atoms->len > 0;
  if (is_changed) {
    span_t atom = draw_span(rng, atoms);
    g_autofree char *word = others->len > 0 && rng_one_in(rng, 2)
                                ? span_text(donor, draw_span(rng, others))
                                : span_text(text->str, draw_span(rng, atoms));
    g_autofree char *old = span_text(text->str, atom);
    bool is_element = element_find(str_from(old)) != NULL;
    replace(text, atom, is_element ? element_table[rng_below(rng, element_count)].name : word);
  }
  g_array_unref(others);
  g_array_unref(atoms);
  return is_changed;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The entries of the list whose bracket opens at `open`. */
static GArray *find_entries(const char *text, size_t open) {
  GArray *entries = new_spans();
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

static void drop_entry(const GArray *entries, guint which, GString *text) {
  span_t entry = g_array_index(entries, span_t, which);
  bool is_last = which + 1 == entries->len;
  if (!is_last) entry.end++;
  if (is_last && which > 0) entry.begin--;
  replace(text, entry, "");
}

static void swap_entries(const GArray *entries, guint a, guint b, GString *text) {
  span_t first = g_array_index(entries, span_t, MIN(a, b));
  span_t second = g_array_index(entries, span_t, MAX(a, b));
  g_autofree char *first_text = span_text(text->str, first);
  g_autofree char *second_text = span_text(text->str, second);
  replace(text, second, first_text);
  replace(text, first, second_text);
}

static bool change_list(rng_t *rng, GString *text) {
  GArray *opens = new_spans();
  for (size_t i = 0; i < text->len; i++) {
    span_t open = {.begin = i, .end = i + 1};
    if (text->str[i] == '[') g_array_append_val(opens, open);
  }
  bool is_changed = opens->len > 0;
  if (is_changed) {
    size_t open = draw_span(rng, opens).begin;
    GArray *entries = find_entries(text->str, open);
    if (entries->len == 0) {
      g_string_insert(text, (gssize)open + 1, rng_one_in(rng, 2) ? "0" : "1");
    } else {
      guint a = (guint)rng_below(rng, entries->len), b = (guint)rng_below(rng, entries->len);
      span_t entry = g_array_index(entries, span_t, a);
      g_autofree char *copy = span_text(text->str, entry);
      g_autofree char *behind = g_strdup_printf("%s,", copy);
      uint64_t choice = rng_below(rng, 3);
      if (choice == 0) drop_entry(entries, a, text);
      if (choice == 1) g_string_insert(text, (gssize)entry.begin, behind);
      if (choice == 2) swap_entries(entries, a, b, text);
    }
    g_array_unref(entries);
  }
  g_array_unref(opens);
  return is_changed;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Its value from the donor, or it is left out, or comes in from there. */
static bool change_key(rng_t *rng, const char *donor, GString *text) {
  char **ours = g_strsplit(text->str, " ", -1), **theirs = g_strsplit(donor, " ", -1);
  uint32_t our_count = g_strv_length(ours), their_count = g_strv_length(theirs);
  bool is_changed = our_count > 1 && their_count > 1; /* The first is empty. */
  if (is_changed) {
    char *word = theirs[1 + rng_below(rng, their_count - 1)];
    g_autofree char *key = g_strndup(word, strcspn(word, "=") + 1);
    uint32_t place = 1;
    while (place < our_count && !g_str_has_prefix(ours[place], key)) place++;
    bool drops = rng_one_in(rng, 4);
    if (place == our_count) place = drops ? (uint32_t)(1 + rng_below(rng, our_count - 1)) : place;
    GString *changed = g_string_new(NULL);
    for (uint32_t i = 1; i < our_count; i++) {
      if (i == place && drops) continue;
      g_string_append_printf(changed, " %s", i == place ? word : ours[i]);
    }
    if (place == our_count) g_string_append_printf(changed, " %s", word);
    g_string_assign(text, changed->str);
    g_string_free(changed, TRUE);
  }
  g_strfreev(theirs);
  g_strfreev(ours);
  return is_changed;
}

bool validity_change_attributes(rng_t *rng, const char *donor, GString *inout_text) {
  switch (rng_below(rng, 6)) {
    case 0:
      return change_word(rng, donor, inout_text);
    case 1:
      return change_key(rng, donor, inout_text);
    case 2:
    case 3:
      return change_list(rng, inout_text);
    default:
      return change_integer(rng, inout_text);
  }
}
