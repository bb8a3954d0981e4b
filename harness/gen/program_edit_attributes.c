/* SPDX-License-Identifier: Apache-2.0 */
/* Random changes to the text of a program's attributes: ` key=value key=value`. */
#include <inttypes.h>
#include <math.h>

#include "harness/draw/draw.h"
#include "harness/gen/program_edit.h"
#include "harness/num/element.h"
#include "harness/types/scale.h"

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

typedef enum atom_kind { ATOM_INTEGER, ATOM_FLOAT, ATOM_WORD } atom_kind_t;

static atom_kind_t kind_of(const char *atom) {
  if (g_str_has_prefix(atom, "0x")) return ATOM_FLOAT;
  return g_ascii_isdigit(atom[0]) || atom[0] == '-' ? ATOM_INTEGER : ATOM_WORD;
}

/* What stands between brackets, commas, blanks and '=', but keys: "-1", "0x1p-3", "true", "f32". */
static GArray *find_atoms(const char *text, atom_kind_t kind) {
  GArray *atoms = new_spans();
  for (size_t begin = 0; text[begin] != '\0';) {
    size_t end = begin;
    while (!is_stop(text[end])) end++;
    bool is_value = end > begin && text[end] != '=' && text[begin] != '!';
    span_t atom = {.begin = begin, .end = end};
    if (is_value && kind_of(text + begin) == kind) g_array_append_val(atoms, atom);
    begin = MAX(end, begin + 1);
  }
  return atoms;
}

static bool change_integer(rng_t *rng, GString *text) {
  GArray *atoms = find_atoms(text->str, ATOM_INTEGER);
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

/* Another number as large or about as large, one of the smallest, or one of many digits. */
static bool change_float(rng_t *rng, GString *text) {
  g_autoptr(GArray) atoms = find_atoms(text->str, ATOM_FLOAT);
  if (atoms->len == 0) return false;
  span_t atom = draw_span(rng, atoms);
  double value = g_ascii_strtod(text->str + atom.begin, NULL);
  const double values[] = {value * 2, value / 2, nextafter(value, INFINITY), 1e-5, 0x1p-1074};
  double other = values[rng_below(rng, G_N_ELEMENTS(values))];
  if (!(other > 0) || !isfinite(other)) return false;
  g_autoptr(GString) number = g_string_new(NULL);
  scale_print(other, number);
  replace(text, atom, number->str);
  return true;
}

/* Any element type, or one of the kind that the program's operands have. */
static const char *draw_element_word(rng_t *rng, const program_t *program) {
  if (program->operand_count == 0 || rng_one_in(rng, 2)) {
    return element_table[rng_below(rng, element_count)].name;
  }
  const type_t *operand = &program->operands[rng_below(rng, program->operand_count)];
  return draw_same_kind(rng, operand->element)->name;
}

static bool change_word(rng_t *rng, const program_t *program, const char *donor, GString *text) {
  g_autoptr(GArray) atoms = find_atoms(text->str, ATOM_WORD);
  g_autoptr(GArray) others = find_atoms(donor, ATOM_WORD);
  if (atoms->len == 0) return false;
  span_t atom = draw_span(rng, atoms);
  g_autofree char *word = others->len > 0 && rng_one_in(rng, 2)
                              ? span_text(donor, draw_span(rng, others))
                              : span_text(text->str, draw_span(rng, atoms));
  g_autofree char *old = span_text(text->str, atom);
  bool is_element = element_find(str_from(old)) != NULL;
  replace(text, atom, is_element ? draw_element_word(rng, program) : word);
  return true;
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
      switch (rng_below(rng, 5)) {
        case 0:
          drop_entry(entries, a, text);
          break;
        case 1:
          g_string_insert(text, (gssize)entry.begin, behind);
          break;
        case 2: /* No dimension has this place, in lists of places. */
          g_string_insert(text, (gssize)entry.begin, "?,");
          break;
        case 3: /* This place and the next are one, in such lists. */
          if (text->str[entry.end] == ',') text->str[entry.end] = '+';
          break;
        default:
          swap_entries(entries, a, b, text);
      }
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

/* False if there is nothing to change.  What comes of it need not parse. */
static bool change_text(rng_t *rng, const program_t *program, const char *donor,
                        GString *inout_text) {
  switch (rng_below(rng, 6)) {
    case 0:
      return change_word(rng, program, donor, inout_text) || change_float(rng, inout_text);
    case 1:
      if (!change_key(rng, donor, inout_text)) return false;
      if (rng_one_in(rng, 2)) change_word(rng, program, donor, inout_text);
      return true;
    case 2:
    case 3:
      return change_list(rng, inout_text);
    default:
      return change_integer(rng, inout_text);
  }
}

/* ---- The program ----------------------------------------------------------------------------- */

static bool parse(const char *text, arena_t *arena, program_t *inout_program) {
  program_t changed = *inout_program;
  scan_t scan = scan_make(str_from(text));
  if (program_parse_attributes(&scan, arena, &changed, NULL) != STATUS_OK) return false;
  if (!scan_at_end(&scan)) return false;
  *inout_program = changed;
  return true;
}

bool program_edit_attributes(rng_t *rng, const program_t *donor, arena_t *arena,
                             program_t *inout_program) {
  enum { ATTEMPTS = 4 };
  g_autoptr(GString) before = g_string_new(NULL);
  g_autoptr(GString) other = g_string_new(NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_attributes(inout_program, before);
  program_print_attributes(donor, other);
  for (int i = 0; i < ATTEMPTS; i++) {
    g_string_assign(text, before->str);
    if (!change_text(rng, inout_program, other->str, text)) continue;
    if (g_string_equal(text, before)) continue;
    if (parse(arena_copy_text(arena, text->str, text->len), arena, inout_program)) return true;
  }
  return false;
}

/* ---- Element types everywhere ---------------------------------------------------------------- */

/* Complex numbers for floats, ui8 for i8, and the other way round. */
static const element_t *twin_of(const element_t *element) {
  if (element->format != NULL) {
    bool is_wide = element->bits > 32;
    if (element->components == 2) return element_named(is_wide ? "f64" : "f32");
    return element_named(is_wide ? "complex<f64>" : "complex<f32>");
  }
  if (!element_is_integer(element)) return element;
  const char *name = element->name;
  g_autofree char *twin =
      name[0] == 'u' ? g_strdup(name + 1) : g_strdup_printf("u%s", element->name);
  return element_named(twin);
}

static void turn_types(type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (types[i].quantization == NULL) types[i].element = twin_of(types[i].element);
  }
}

static void turn_words(GString *text) {
  g_autoptr(GArray) atoms = find_atoms(text->str, ATOM_WORD);
  for (guint i = atoms->len; i-- > 0;) {
    span_t atom = g_array_index(atoms, span_t, i);
    g_autofree char *word = span_text(text->str, atom);
    const element_t *element = element_find(str_from(word));
    if (element != NULL) replace(text, atom, twin_of(element)->name);
  }
}

void program_edit_kinds(arena_t *arena, program_t *inout_program) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_attributes(inout_program, text);
  turn_words(text);
  if (!parse(arena_copy_text(arena, text->str, text->len), arena, inout_program)) return;
  turn_types(inout_program->operands, inout_program->operand_count);
  turn_types(inout_program->results, inout_program->result_count);
}
