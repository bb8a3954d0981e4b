/* SPDX-License-Identifier: Apache-2.0 */
/* The two formats that people read: aligned columns, with or without Markdown's bars. */
#include <string.h>

#include "harness/base/plain_text.h"
#include "reports/report_grid.h"

enum { TEXT_WIDTH_MIN = 8, GAP = 2 };

/* What differs between the two: how a character looks that would do harm. */
typedef void (*append_character_t)(GString *text, gunichar character);

/* Cells are plain text, but for lines and tabs, which become visible. */
static bool append_control(GString *text, gunichar character) {
  if (character == '\n') {
    g_string_append(text, "\\n");
  } else if (character == '\t') {
    g_string_append(text, "\\t");
  } else {
    return false;
  }
  return true;
}

static void append_plain(GString *text, gunichar character) {
  if (!append_control(text, character)) g_string_append_unichar(text, character);
}

void report_print_line(const char *text, FILE *out) {
  g_autofree char *plain = plain_text_except(text, "\n");
  fprintf(out, "%s\n", plain);
}

static void append_markdown(GString *text, gunichar character) {
  if (character == '\n') {
    g_string_append(text, "<br>");
    return;
  }
  if (append_control(text, character)) return;
  /* Else `complex<f32>` would be a tag, and `|` the end of the cell. */
  if (character < 128 && strchr("\\|<*`", (int)character) != NULL) g_string_append_c(text, '\\');
  g_string_append_unichar(text, character);
}

/* g_utf8_next_char() casts const away. */
static const char *next_character(const char *text) {
  return text + g_utf8_skip[(unsigned char)*text];
}

/* Columns that a character takes on a terminal. */
static int character_width(gunichar character) {
  if (g_unichar_iszerowidth(character)) return 0;
  return g_unichar_iswide(character) ? 2 : 1;
}

static int text_width(const char *text) {
  int width = 0;
  for (const char *p = text; *p != '\0'; p = next_character(p)) {
    width += character_width(g_utf8_get_char(p));
  }
  return width;
}

/* The shown texts of a grid: row 0 is the header. */
typedef struct layout {
  const report_grid_t *grid;
  GPtrArray *texts; /* char *, owned, row by row. */
  int *widths;      /* Of each column. */
  bool *numeric;
} layout_t;

static char *show(const store_value_t *value, append_character_t append) {
  if (value->kind == STORE_NULL) return g_strdup("-");
  if (value->kind == STORE_REAL) return g_strdup_printf("%.4g", value->real);
  GString *text = g_string_new(NULL);
  for (const char *p = value->text; *p != '\0'; p = next_character(p)) {
    append(text, g_utf8_get_char(p));
  }
  return g_string_free(text, FALSE);
}

static const char *layout_text(const layout_t *layout, size_t row, int column) {
  return g_ptr_array_index(layout->texts,
                           row * (size_t)layout->grid->column_count + (size_t)column);
}

static layout_t make_layout(const report_grid_t *grid, append_character_t append) {
  layout_t layout = {.grid = grid,
                     .texts = g_ptr_array_new_with_free_func(g_free),
                     .widths = g_new0(int, grid->column_count),
                     .numeric = g_new0(bool, grid->column_count)};
  for (int column = 0; column < grid->column_count; column++) {
    store_value_t name = {.kind = STORE_TEXT, .text = report_grid_name(grid, column)};
    g_ptr_array_add(layout.texts, show(&name, append));
    layout.numeric[column] = report_grid_is_numeric(grid, column);
  }
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    for (int column = 0; column < grid->column_count; column++) {
      g_ptr_array_add(layout.texts, show(report_grid_cell(grid, row, column), append));
    }
  }
  for (size_t row = 0; row <= report_grid_row_count(grid); row++) {
    for (int column = 0; column < grid->column_count; column++) {
      int width = text_width(layout_text(&layout, row, column));
      layout.widths[column] = MAX(layout.widths[column], width);
    }
  }
  return layout;
}

static void free_layout(layout_t *layout) {
  g_ptr_array_unref(layout->texts);
  g_free(layout->widths);
  g_free(layout->numeric);
}

/* Narrows the widest text columns until a line fits, or none can give more. */
static void narrow(layout_t *layout, int terminal_width) {
  int total = -GAP;
  for (int i = 0; i < layout->grid->column_count; i++) total += layout->widths[i] + GAP;
  for (; total > terminal_width; total--) {
    int widest = -1;
    for (int i = 0; i < layout->grid->column_count; i++) {
      if (layout->numeric[i] || layout->widths[i] <= TEXT_WIDTH_MIN) continue;
      if (widest < 0 || layout->widths[i] > layout->widths[widest]) widest = i;
    }
    if (widest < 0) return;
    layout->widths[widest]--;
  }
}

/* Appends `text` padded to `width`, or cut to it, which an ellipsis shows. */
static void append_cell(GString *line, const char *text, int width, bool right) {
  int padding = width - text_width(text);
  if (padding >= 0) {
    if (right) g_string_append_printf(line, "%*s", padding, "");
    g_string_append(line, text);
    if (!right) g_string_append_printf(line, "%*s", padding, "");
    return;
  }
  int used = 0;
  for (const char *p = text; *p != '\0'; p = next_character(p)) {
    int next = character_width(g_utf8_get_char(p));
    if (used + next > width - 1) break;
    g_string_append_unichar(line, g_utf8_get_char(p));
    used += next;
  }
  g_string_append(line, "…");
  g_string_append_printf(line, "%*s", width - 1 - used, "");
}

static void append_row(GString *line, const layout_t *layout, size_t row, const char *between) {
  for (int column = 0; column < layout->grid->column_count; column++) {
    if (column > 0) g_string_append(line, between);
    append_cell(line, layout_text(layout, row, column), layout->widths[column],
                layout->numeric[column]);
  }
}

static void append_rule(GString *line, int width) {
  for (int i = 0; i < width; i++) g_string_append_c(line, '-');
}

static void write_line(GString *line, FILE *out) {
  while (line->len > 0 && line->str[line->len - 1] == ' ') g_string_truncate(line, line->len - 1);
  fprintf(out, "%s\n", line->str);
  g_string_truncate(line, 0);
}

void report_write_table(const report_grid_t *grid, int terminal_width, FILE *out) {
  layout_t layout = make_layout(grid, append_plain);
  if (terminal_width > 0) narrow(&layout, terminal_width);
  GString *line = g_string_new(NULL);
  append_row(line, &layout, 0, "  ");
  write_line(line, out);
  for (int column = 0; column < grid->column_count; column++) {
    if (column > 0) g_string_append(line, "  ");
    append_rule(line, layout.widths[column]);
  }
  write_line(line, out);
  for (size_t row = 1; row <= report_grid_row_count(grid); row++) {
    append_row(line, &layout, row, "  ");
    write_line(line, out);
  }
  if (report_grid_row_count(grid) == 0) fputs("(no rows)\n", out);
  g_string_free(line, TRUE);
  free_layout(&layout);
}

static void write_markdown_row(GString *line, const layout_t *layout, size_t row, FILE *out) {
  g_string_append(line, "| ");
  append_row(line, layout, row, " | ");
  g_string_append(line, " |");
  write_line(line, out);
}

void report_write_markdown(const report_grid_t *grid, FILE *out) {
  layout_t layout = make_layout(grid, append_markdown);
  GString *line = g_string_new(NULL);
  write_markdown_row(line, &layout, 0, out);
  for (int column = 0; column < grid->column_count; column++) {
    g_string_append(line, "|-");
    append_rule(line, layout.widths[column]);
    g_string_append(line, layout.numeric[column] ? ":" : "-");
  }
  g_string_append(line, "|");
  write_line(line, out);
  for (size_t row = 1; row <= report_grid_row_count(grid); row++) {
    write_markdown_row(line, &layout, row, out);
  }
  g_string_free(line, TRUE);
  free_layout(&layout);
}
