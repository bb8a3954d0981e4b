/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others: nothing in it reaches a terminal or a page but what shows itself. */
#include "harness/base/plain_text.h"

#include <stdint.h>
#include <string.h>

static const struct row {
  const char *text;
  const char *plain;
} rows[] = {
    {"", ""},
    {"tensor<4xf32> ~!", "tensor<4xf32> ~!"},
    {"Größe 3 µs ≤ 2⁶⁴, 円", "Größe 3 µs ≤ 2⁶⁴, 円"},
    {"a\nb\tc\r\nd", "a b c  d"},
    {"\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m"},
    {"\033]0;title\007", "\\x1b]0;title\\x07"},
    {"\177\001", "\\x7f\\x01"},
    {"\302\233"
     "31m",
     "\\u009b31m"}, /* The C1 introducer of control sequences ... */
    {"\233"
     "31m",
     "\\x9b31m"},                        /* ... and as terminals in Latin-1 read it. */
    {"\377\376", "\\xff\\xfe"},          /* No UTF-8. */
    {"x\303", "x\\xc3"},                 /* The first half of a character. */
    {"\300\257", "\\xc0\\xaf"},          /* A longer spelling of '/'. */
    {"\355\240\200", "\\xed\\xa0\\x80"}, /* Half of a surrogate pair. */
    {"safe\342\200\256fdp.exe", "safe\\u202efdp.exe"}, /* Right-to-left override, */
    {"\342\201\246a\342\201\251", "\\u2066a\\u2069"},  /* isolates, */
    {"\331\234\330\234", "\331\234\\u061c"},           /* the Arabic letter mark, */
    {"a\342\200\213b", "a\\u200bb"},                   /* zero width, */
    {"a\342\200\250b", "a\\u2028b"},                   /* a line separator, */
    {"\357\273\277a", "\\ufeffa"},                     /* a byte order mark, */
    {"\363\240\201\201", "\\U000e0041"},               /* a tag. */
};

static void test_rows(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *plain = plain_text(rows[i].text);
    g_assert_cmpstr(plain, ==, rows[i].plain);
    g_assert_cmpint(plain_text_is(rows[i].text), ==, strcmp(rows[i].text, rows[i].plain) == 0);
    g_autofree char *again = plain_text(plain);
    g_assert_cmpstr(again, ==, plain);
  }
}

/* Of every byte sequence of three: valid UTF-8, no control character. */
static void test_all_triples(void) {
  GString *out = g_string_new(NULL);
  for (uint32_t bytes = 0; bytes < 1 << 24; bytes += 7) {
    const char text[3] = {(char)bytes, (char)(bytes >> 8), (char)(bytes >> 16)};
    g_string_truncate(out, 0);
    plain_text_append(out, text, sizeof text);
    g_assert_true(g_utf8_validate(out->str, (gssize)out->len, NULL));
    for (size_t i = 0; i < out->len; i++) {
      unsigned char byte = (unsigned char)out->str[i];
      bool is_c1 = byte == 0xc2 && (unsigned char)out->str[i + 1] < 0xa0;
      if (byte < ' ' || byte == 0x7f || is_c1) g_error("%06x: byte %02x", bytes, byte);
    }
  }
  g_string_free(out, TRUE);
}

static void test_keeping(void) {
  g_autofree char *lines = plain_text_except("one\033\n\ntwo\tthree\n", "\n");
  g_assert_cmpstr(lines, ==, "one\\x1b\n\ntwo three\n");
  g_autofree char *cell = plain_text_except("\tone\033\n", "\n\t");
  g_assert_cmpstr(cell, ==, "\tone\\x1b\n");
}

/* What does not fit is cut behind a whole character or escape. */
static void test_cut(void) {
  char out[8];
  plain_text_copy(out, sizeof out, "abcdefghij", 10);
  g_assert_cmpstr(out, ==, "abcdefg");
  plain_text_copy(out, sizeof out, "abcde\033x", 7);
  g_assert_cmpstr(out, ==, "abcde");
  plain_text_copy(out, sizeof out, "abcdef\303\244", 8);
  g_assert_cmpstr(out, ==, "abcdef");
  plain_text_copy(out, sizeof out, "ab \n\n", 5);
  g_assert_cmpstr(out, ==, "ab");
  plain_text_copy(out, 1, "ab", 2);
  g_assert_cmpstr(out, ==, "");
}

/* A buffer that somebody has filled without an end. */
static void test_in_place(void) {
  char text[12];
  memset(text, 0xfe, sizeof text);
  plain_text_in_place(text, sizeof text);
  g_assert_cmpstr(text, ==, "\\xfe\\xfe");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plain_text/rows", test_rows);
  g_test_add_func("/plain_text/all_triples", test_all_triples);
  g_test_add_func("/plain_text/keeping", test_keeping);
  g_test_add_func("/plain_text/cut", test_cut);
  g_test_add_func("/plain_text/in_place", test_in_place);
  return g_test_run();
}
