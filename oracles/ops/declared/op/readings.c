/* SPDX-License-Identifier: Apache-2.0 */
/* Sections "reading NAME" of a declaration: the lines of such a section stand in the place of those
 * that give the same names above, and what comes of that is read as a declaration of its own. */
#include <string.h>

#include "oracles/ops/declared/op/reader.h"

typedef struct line {
  str_t text;
  size_t number; /* In the file, from 1. */
} line_t;

typedef struct section {
  str_t name;
  const line_t *lines; /* Behind the one that names it. */
  size_t count;
  size_t number;
} section_t;

/* The first word of a line, and what follows it. */
static str_t first_word(str_t line, str_t *out_rest) {
  size_t at = 0;
  while (at < line.size && line.data[at] == ' ') at++;
  size_t end = at;
  while (end < line.size && (g_ascii_isalnum(line.data[end]) || line.data[end] == '_')) end++;
  const str_t word = {line.data + at, end - at};
  while (end < line.size && line.data[end] == ' ') end++;
  *out_rest = (str_t){line.data + end, line.size - end};
  return word;
}

/* The name that the line gives to a step; empty if it gives none. */
static str_t name_of_step(const line_t *line) {
  str_t rest;
  const str_t word = first_word(line->text, &rest);
  const bool gives = rest.size > 0 && rest.data[0] == '=';
  return gives && reader_is_name(word) ? word : (str_t){word.data, 0};
}

static bool is_section(const line_t *line) {
  str_t rest;
  return str_equal_text(first_word(line->text, &rest), "reading") &&
         (rest.size == 0 || rest.data[0] != '=');
}

static bool is_blank(const line_t *line) {
  str_t rest;
  const str_t word = first_word(line->text, &rest);
  return word.size == 0 && (rest.size == 0 || rest.data[0] == '#');
}

static GArray *split(str_t text) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(line_t));
  for (size_t at = 0; at < text.size;) {
    const char *newline = memchr(text.data + at, '\n', text.size - at);
    const size_t end = newline == NULL ? text.size : (size_t)(newline - text.data);
    const line_t line = {{text.data + at, end - at}, lines->len + 1};
    g_array_append_val(lines, line);
    at = end + 1;
  }
  return lines;
}

static status_t fail(const reader_t *reader, size_t number, const char *text) {
  return reader_fail_in_line(reader, number, "%s", text);
}

/* Reads the name of a section: of letters, digits, "_" and "-". */
static status_t read_name(const reader_t *reader, const line_t *line, str_t *out_name) {
  str_t rest;
  first_word(line->text, &rest);
  size_t size = 0;
  while (size < rest.size &&
         (g_ascii_isalnum(rest.data[size]) || rest.data[size] == '_' || rest.data[size] == '-')) {
    size++;
  }
  *out_name = (str_t){rest.data, size};
  while (size < rest.size && rest.data[size] == ' ') size++;
  const bool ends = size == rest.size || rest.data[size] == '#';
  if (out_name->size > 0 && out_name->size <= DECLARED_READING_BYTES_MAX && ends) return STATUS_OK;
  return fail(reader, line->number,
              "expected \"reading NAME\": at most 40 letters, digits, \"_\" and \"-\"");
}

/* The line of a section that gives that name; NULL if none does. */
static const line_t *find_step(const section_t *section, str_t name) {
  for (size_t i = 0; i < section->count && name.size > 0; i++) {
    const str_t other = name_of_step(&section->lines[i]);
    if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0) {
      return &section->lines[i];
    }
  }
  return NULL;
}

static bool is_given(const line_t *lines, size_t count, str_t name) {
  const section_t above = {.lines = lines, .count = count};
  return find_step(&above, name) != NULL;
}

static status_t check_lines(const reader_t *reader, const line_t *above, size_t count,
                            const section_t *section) {
  bool is_empty = true;
  for (size_t i = 0; i < section->count; i++) {
    const line_t *line = &section->lines[i];
    if (is_blank(line)) continue;
    is_empty = false;
    const str_t name = name_of_step(line);
    if (name.size == 0) {
      return fail(reader, line->number,
                  "expected \"NAME = ...\", of a name above that is read otherwise, or \"reading "
                  "NAME\"");
    }
    if (!is_given(above, count, name)) {
      return reader_fail_in_line(
          reader, line->number,
          "no line \"%.*s = ...\" above: a reading has the steps above, some "
          "of them otherwise",
          STR_FORMAT(name));
    }
    if (find_step(section, name) != line) {
      return reader_fail_in_line(reader, line->number, "%.*s is there already in this reading",
                                 STR_FORMAT(name));
    }
  }
  return is_empty ? fail(reader, section->number,
                         "a reading without a line \"NAME = ...\", of a name above")
                  : STATUS_OK;
}

static status_t parse(const reader_t *reader, const line_t *above, size_t count,
                      const section_t *section, declaration_t **out_declaration) {
  STATUS_TRY(check_lines(reader, above, count, section));
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree size_t *numbers = g_new(size_t, count);
  for (size_t i = 0; i < count; i++) {
    const line_t *other = find_step(section, name_of_step(&above[i]));
    const line_t *line = other != NULL ? other : &above[i];
    g_string_append_len(text, line->text.data, (gssize)line->text.size);
    g_string_append_c(text, '\n');
    numbers[i] = line->number;
  }
  return declaration_read((str_t){text->str, text->len}, numbers, reader->path, out_declaration,
                          reader->error);
}

static status_t add(const reader_t *reader, const section_t *section, const line_t *above,
                    size_t count) {
  declaration_t *declaration = reader->declaration;
  for (uint32_t i = 0; i < declaration->reading_count; i++) {
    if (str_equal_text(section->name, declaration->meanings[i].name)) {
      return fail(reader, section->number, "a reading of that name is there already");
    }
  }
  if (declaration->reading_count == DECLARED_READINGS_MAX) {
    return fail(reader, section->number, "a file has at most 8 readings");
  }
  declaration_t *read = NULL;
  STATUS_TRY(parse(reader, above, count, section, &read));
  declared_make_row(read);
  declaration->readings[declaration->reading_count] = read;
  declaration->meanings[declaration->reading_count++] =
      (op_meaning_t){reader_keep(reader, section->name), &read->op};
  return STATUS_OK;
}

static size_t find_section(const GArray *lines, size_t from) {
  while (from < lines->len && !is_section(&g_array_index(lines, line_t, from))) from++;
  return from;
}

size_t declaration_find_readings(str_t text) {
  g_autoptr(GArray) lines = split(text);
  const size_t first = find_section(lines, 0);
  if (first == lines->len) return text.size;
  return (size_t)(g_array_index(lines, line_t, first).text.data - text.data);
}

status_t declaration_read_readings(const reader_t *reader, str_t text) {
  g_autoptr(GArray) lines = split(text);
  const line_t *all = (const line_t *)(const void *)lines->data;
  const size_t above = find_section(lines, 0);
  for (size_t at = above; at < lines->len;) {
    const size_t end = find_section(lines, at + 1);
    section_t section = {.lines = &all[at + 1], .count = end - at - 1, .number = all[at].number};
    STATUS_TRY(read_name(reader, &all[at], &section.name));
    STATUS_TRY(add(reader, &section, all, above));
    at = end;
  }
  return STATUS_OK;
}
