#include <string.h>

#include "reports/report_grid.h"

/* RFC 4180, section 2, rules 5 to 7.  A field with blanks around it is quoted too: some readers
 * would strip them. */
static void append_field(GString *line, const char *text) {
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
    append_field(line, report_grid_name(grid, column));
  }
  write_line(line, out);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    for (int column = 0; column < grid->column_count; column++) {
      if (column > 0) g_string_append_c(line, ',');
      g_string_truncate(text, 0);
      report_print_exact(report_grid_cell(grid, row, column), text);
      append_field(line, text->str);
    }
    write_line(line, out);
  }
  g_string_free(text, TRUE);
  g_string_free(line, TRUE);
}
