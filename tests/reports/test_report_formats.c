/* SPDX-License-Identifier: Apache-2.0 */
/* The writers on fixed rows, odd characters included. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report_grid.h"

static const char *const NAMES[] = {"name", "count", "max ulp"};

#define TEXT(value) {.kind = STORE_TEXT, .text = (value)}
#define INTEGER(value, spelled) {.kind = STORE_INTEGER, .text = (spelled), .integer = (value)}
#define REAL(value, spelled) {.kind = STORE_REAL, .text = (spelled), .real = (value)}
#define NONE {.kind = STORE_NULL}

/* One row per thing that could go wrong. */
static const store_value_t ROWS[][3] = {
    {TEXT("plain"), INTEGER(7, "7"), REAL(0.1, "0.1")},
    {TEXT(""), INTEGER(-12345678901, "-12345678901"), REAL(INFINITY, "Inf")},
    {TEXT("a|b, \"c\""), NONE, REAL(-INFINITY, "-Inf")},
    {TEXT("two\nlines\ttab"), INTEGER(0, "0"), NONE},
    {TEXT("\xe6\x97\xa5\xc3\xa9"), INTEGER(1, "1"), REAL(123456.789, "123456.789")},
    {TEXT("complex<f32> `x*` \\"), INTEGER(2, "2"), REAL(5e-324, "4.94065645841247e-324")},
    {TEXT("\x1b[31m\xff"), INTEGER(3, "3"), REAL(4, "4.0")},
    {TEXT("a\xe2\x80\xae"
          "b"),
     INTEGER(4, "4"), NONE},
    {TEXT("=1+cmd()"), INTEGER(5, "5"), NONE},
    {TEXT("-2+3+cmd!A0"), INTEGER(6, "6"), NONE},
    {TEXT("-0x1.8p+3 (c1)"), INTEGER(7, "7"), NONE},
};

static const char EXPECTED_TABLE[] =
    "name                        count     max ulp\n"
    "-------------------  ------------  ----------\n"
    "plain                           7         0.1\n"
    "                     -12345678901         inf\n"
    "a|b, \"c\"                        -        -inf\n"
    "two\\nlines\\ttab                 0           -\n"
    "\xe6\x97\xa5\xc3\xa9                             1   1.235e+05\n"
    "complex<f32> `x*` \\             2  4.941e-324\n"
    "\\x1b[31m\\xff                    3           4\n"
    "a\\u202eb                        4           -\n"
    "=1+cmd()                        5           -\n"
    "-2+3+cmd!A0                     6           -\n"
    "-0x1.8p+3 (c1)                  7           -\n";

static const char EXPECTED_MARKDOWN[] =
    "| name                     |        count |    max ulp |\n"
    "|--------------------------|-------------:|-----------:|\n"
    "| plain                    |            7 |        0.1 |\n"
    "|                          | -12345678901 |        inf |\n"
    "| a\\|b, \"c\"                |            - |       -inf |\n"
    "| two<br>lines\\ttab        |            0 |          - |\n"
    "| \xe6\x97\xa5\xc3\xa9                      |            1 |  1.235e+05 |\n"
    "| complex\\<f32> \\`x\\*\\` \\\\ |            2 | 4.941e-324 |\n"
    "| \\\\x1b[31m\\\\xff           |            3 |          4 |\n"
    "| a\\\\u202eb                |            4 |          - |\n"
    "| =1+cmd()                 |            5 |          - |\n"
    "| -2+3+cmd!A0              |            6 |          - |\n"
    "| -0x1.8p+3 (c1)           |            7 |          - |\n";

static const char EXPECTED_CSV[] =
    "name,count,max ulp\r\n"
    "plain,7,0.10000000000000001\r\n"
    ",-12345678901,Infinity\r\n"
    "\"a|b, \"\"c\"\"\",,-Infinity\r\n"
    "\"two\nlines\ttab\",0,\r\n"
    "\xe6\x97\xa5\xc3\xa9,1,123456.789\r\n"
    "complex<f32> `x*` \\,2,4.9406564584124654e-324\r\n"
    "\\x1b[31m\\xff,3,4\r\n"
    "a\\u202eb,4,\r\n"
    "'=1+cmd(),5,\r\n"
    "'-2+3+cmd!A0,6,\r\n"
    "-0x1.8p+3 (c1),7,\r\n";

static const char EXPECTED_JSON[] =
    "[\n"
    "{\"name\": \"plain\", \"count\": 7, \"max ulp\": 0.10000000000000001},\n"
    "{\"name\": \"\", \"count\": -12345678901, \"max ulp\": \"Infinity\"},\n"
    "{\"name\": \"a|b, \\\"c\\\"\", \"count\": null, \"max ulp\": \"-Infinity\"},\n"
    "{\"name\": \"two\\nlines\\ttab\", \"count\": 0, \"max ulp\": null},\n"
    "{\"name\": \"\xe6\x97\xa5\xc3\xa9\", \"count\": 1, \"max ulp\": 123456.789},\n"
    "{\"name\": \"complex<f32> `x*` \\\\\", \"count\": 2, \"max ulp\": 4.9406564584124654e-324},\n"
    "{\"name\": \"\\\\x1b[31m\\\\xff\", \"count\": 3, \"max ulp\": 4.0},\n"
    "{\"name\": \"a\\\\u202eb\", \"count\": 4, \"max ulp\": null},\n"
    "{\"name\": \"=1+cmd()\", \"count\": 5, \"max ulp\": null},\n"
    "{\"name\": \"-2+3+cmd!A0\", \"count\": 6, \"max ulp\": null},\n"
    "{\"name\": \"-0x1.8p+3 (c1)\", \"count\": 7, \"max ulp\": null}\n"
    "]\n";

static void fill(report_grid_t *grid, size_t row_count) {
  report_grid_init(grid);
  report_grid_add(grid, 3, NAMES, NULL, NULL);
  for (size_t i = 0; i < row_count; i++) report_grid_add(grid, 3, NAMES, ROWS[i], NULL);
}

static void write_table_uncut(const report_grid_t *grid, FILE *out) {
  report_write_table(grid, 0, out);
}

typedef struct format_case {
  const char *name;
  void (*write)(const report_grid_t *grid, FILE *out);
  const char *expected;
  const char *expected_empty;
} format_case_t;

static const format_case_t FORMATS[] = {
    {"table", write_table_uncut, EXPECTED_TABLE,
     "name  count  max ulp\n----  -----  -------\n(no rows)\n"},
    {"markdown", report_write_markdown, EXPECTED_MARKDOWN,
     "| name | count | max ulp |\n|------|-------|---------|\n"},
    {"csv", report_write_csv, EXPECTED_CSV, "name,count,max ulp\r\n"},
    {"json", report_write_json, EXPECTED_JSON, "[]\n"},
};

static void assert_writes(const format_case_t *format, size_t row_count, const char *expected) {
  report_grid_t grid;
  fill(&grid, row_count);
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  format->write(&grid, out);
  g_assert_cmpint(fclose(out), ==, 0);
  g_assert_cmpstr(written, ==, expected);
  free(written);
  report_grid_deinit(&grid);
}

static void test_rows(gconstpointer data) {
  const format_case_t *format = data;
  assert_writes(format, G_N_ELEMENTS(ROWS), format->expected);
}

static void test_no_rows(gconstpointer data) {
  const format_case_t *format = data;
  assert_writes(format, 0, format->expected_empty);
}

static void write_narrow_table(const report_grid_t *grid, FILE *out) {
  report_write_table(grid, 20, out);
}

/* Texts are cut, down to 8 columns; numbers never, even if then the line is too long. */
static void test_cut_to_terminal(void) {
  static const format_case_t narrow = {.write = write_narrow_table};
  assert_writes(&narrow, G_N_ELEMENTS(ROWS),
                "name             count     max ulp\n"
                "--------  ------------  ----------\n"
                "plain                7         0.1\n"
                "          -12345678901         inf\n"
                "a|b, \"c\"             -        -inf\n"
                "two\\nli\xe2\x80\xa6             0           -\n"
                "\xe6\x97\xa5\xc3\xa9                  1   1.235e+05\n"
                "complex\xe2\x80\xa6             2  4.941e-324\n"
                "\\x1b[31\xe2\x80\xa6             3           4\n"
                "a\\u202eb             4           -\n"
                "=1+cmd()             5           -\n"
                "-2+3+cm\xe2\x80\xa6             6           -\n"
                "-0x1.8p\xe2\x80\xa6             7           -\n");
}

/* A wide character that does not fit whole leaves a blank. */
static void write_very_narrow_table(const report_grid_t *grid, FILE *out) {
  report_write_table(grid, 1, out);
}

static void test_cut_wide_character(void) {
  static const char *const names[] = {"n"};
  static const store_value_t row =
      TEXT("\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
  report_grid_t grid;
  report_grid_init(&grid);
  report_grid_add(&grid, 1, names, NULL, NULL);
  report_grid_add(&grid, 1, names, &row, NULL);
  char *written = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&written, &size);
  write_very_narrow_table(&grid, out); /* At least 8 columns of text are left. */
  g_assert_cmpint(fclose(out), ==, 0);
  g_assert_cmpstr(written, ==, "n\n--------\n\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe2\x80\xa6\n");
  free(written);
  report_grid_deinit(&grid);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(FORMATS); i++) {
    g_autofree char *rows = g_strdup_printf("/report/%s/rows", FORMATS[i].name);
    g_autofree char *no_rows = g_strdup_printf("/report/%s/no-rows", FORMATS[i].name);
    g_test_add_data_func(rows, &FORMATS[i], test_rows);
    g_test_add_data_func(no_rows, &FORMATS[i], test_no_rows);
  }
  g_test_add_func("/report/table/cut-to-terminal", test_cut_to_terminal);
  g_test_add_func("/report/table/cut-wide-character", test_cut_wide_character);
  return g_test_run();
}
