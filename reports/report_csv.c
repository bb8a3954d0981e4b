/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a grid as CSV by RFC 4180; text that a spreadsheet would execute as a formula gets an
 * apostrophe. */
#include <string.h>

#include "reports/report_grid.h"

/* A spreadsheet takes a text that begins so for a formula, which may do what it likes.  What we
 * print of numbers ("-0x1.8p+3 (c1400000)", "-inf") is none. */
static bool looks_like_formula(const char *text) {
  if (text[0] == '=' || text[0] == '@') return true;
  if (text[0] != '+' && text[0] != '-') return false;
  return text[strspn(text, "0123456789abcdefxpinty.+-() ")] != '\0';
}

/* RFC 4180, section 2, rules 5 to 7.  A field with blanks around it is quoted too: some readers
 * would strip them.  An apostrophe goes before what looks like a formula. */
static void append_field(GString *line, const char *field, bool is_text) {
  bool is_guarded = is_text && looks_like_formula(field);
  g_autofree char *guarded = is_guarded ? g_strconcat("'", field, NULL) : NULL;
  const char *text = guarded != NULL ? guarded : field;
  size_t size = strlen(text);
  bool quoted =
      strpbrk(text, ",\"\r\n") != NULL || (size > 0 && (text[0] == ' ' || text[size - 1] == ' '));
  if (!quoted) {
    g_string_append(line, text);
    return;
  }
  g_string_append_c(line, '"');
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"') g_string_append_c(line, '"');
    g_string_append_c(line, *p);
  }
  g_string_append_c(line, '"');
}

static void write_line(GString *line, FILE *out) {
  fwrite(line->str, 1, line->len, out);
  fputs("\r\n", out);
  g_string_truncate(line, 0);
}

void report_write_csv(const report_grid_t *grid, FILE *out) {
  GString *line = g_string_new(NULL);
  GString *text = g_string_new(NULL);
  for (int column = 0; column < grid->column_count; column++) {
    if (column > 0) g_string_append_c(line, ',');
    append_field(line, report_grid_name(grid, column), true);
  }
  write_line(line, out);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    for (int column = 0; column < grid->column_count; column++) {
      if (column > 0) g_string_append_c(line, ',');
      g_string_truncate(text, 0);
      const store_value_t *value = report_grid_cell(grid, row, column);
      report_print_exact(value, text);
      append_field(line, text->str, value->kind == STORE_TEXT);
    }
    write_line(line, out);
  }
  g_string_free(text, TRUE);
  g_string_free(line, TRUE);
}
