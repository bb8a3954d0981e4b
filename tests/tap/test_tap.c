/* SPDX-License-Identifier: Apache-2.0 */
/* The TAP writer: its text, and what the parser behind prove reads from it. */
#include "harness/tap/tap.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>

typedef void (*write_stream_t)(tap_t *tap);

typedef struct stream {
  const char *name;
  write_stream_t write;
  const char *text;   /* All that is written. */
  bool is_passed;     /* What tap_end() says. */
  int prove_status;   /* Exit status of prove on that text. */
  const char *parsed; /* What TAP::Parser reads; see READER. */
} stream_t;

static void write_plan_first(tap_t *tap) {
  tap_plan(tap, 2);
  tap_point(tap, true, "adds");
  tap_point(tap, true, "multiplies");
}

static void write_failure(tap_t *tap) {
  tap_point(tap, true, "adds");
  tap_point(tap, false, "multiplies");
}

static void write_directives(tap_t *tap) {
  tap_point_skip(tap, "gpu", "no device");
  tap_point_todo(tap, false, "f8 sums", "issue 12");
  tap_point_todo(tap, true, "f4 sums", "issue 13");
}

static void write_nasty(tap_t *tap) {
  tap_point(tap, true, "f32 # SKIP not a directive");
  tap_point(tap, true, "two\nnot ok 7 - lines");
  tap_point(tap, true, "back\\slash");
}

static void write_details(tap_t *tap) {
  tap_point(tap, false, "dot");
  const tap_detail_t details[] = {{"max_ulp", "2.5"},
                                  {"repro", "assay replay 'a: \"b\" # {c} \\ - [d]'"},
                                  {"lines", "one\ntwo\tthree"},
                                  {"empty", ""},
                                  {"looks_like_end", "..."}};
  tap_details(tap, details, G_N_ELEMENTS(details));
  tap_point(tap, true, "reduce");
  tap_details(tap, NULL, 0);
}

static void write_skip_all(tap_t *tap) { tap_skip_all(tap, "backend not installed"); }

static void write_bail_out(tap_t *tap) {
  tap_point(tap, true, "adds");
  tap_bail_out(tap, "oracle\ndisagrees with itself");
}

static void write_comment(tap_t *tap) {
  tap_comment(tap, "seed 7\nnot ok 1 - no point");
  tap_point(tap, true, "adds");
}

static void write_too_few(tap_t *tap) {
  tap_plan(tap, 3);
  tap_point(tap, true, "adds");
}

static void write_nothing(tap_t *tap) { (void)tap; }

static const stream_t streams[] = {
    {"plan_first", write_plan_first, "1..2\nok 1 - adds\nok 2 - multiplies\n", true, 0,
     "ok|- adds||\nok|- multiplies||\n"},
    {"failure", write_failure, "ok 1 - adds\nnot ok 2 - multiplies\n1..2\n", false, 1,
     "ok|- adds||\nnot ok|- multiplies||\n"},
    {"directives", write_directives,
     "ok 1 - gpu # SKIP no device\nnot ok 2 - f8 sums # TODO issue 12\n"
     "ok 3 - f4 sums # TODO issue 13\n1..3\n",
     true, 0,
     "ok|- gpu|SKIP|no device\nnot ok|- f8 sums|TODO|issue 12\nok|- f4 sums|TODO|issue 13\n"},
    {"nasty", write_nasty,
     "ok 1 - f32 \\# SKIP not a directive\nok 2 - two not ok 7 - lines\nok 3 - "
     "back\\\\slash\n1..3\n",
     true, 0,
     "ok|- f32 \\# SKIP not a directive||\nok|- two not ok 7 - lines||\nok|- back\\\\slash||\n"},
    {"details", write_details,
     "not ok 1 - dot\n  ---\n  max_ulp: \"2.5\"\n"
     "  repro: \"assay replay 'a: \\\"b\\\" # {c} \\\\ - [d]'\"\n  lines: \"one\\ntwo\\tthree\"\n"
     "  empty: \"\"\n  looks_like_end: \"...\"\n  ...\nok 2 - reduce\n1..2\n",
     false, 1,
     "not ok|- dot||\nempty=\nlines=one\ntwo\tthree\nlooks_like_end=...\nmax_ulp=2.5\n"
     "repro=assay replay 'a: \"b\" # {c} \\ - [d]'\nok|- reduce||\n"},
    {"skip_all", write_skip_all, "1..0 # SKIP backend not installed\n", true, 0, ""},
    {"bail_out", write_bail_out, "ok 1 - adds\nBail out! oracle disagrees with itself\n", false,
     255, NULL},
    {"comment", write_comment, "# seed 7\n# not ok 1 - no point\nok 1 - adds\n1..1\n", true, 0,
     "ok|- adds||\n"},
    {"too_few", write_too_few, "1..3\nok 1 - adds\n", false, 1, NULL},
    {"nothing", write_nothing, "1..0\n", true, 0, ""},
};

static char *write_stream(const stream_t *stream, bool *out_is_passed) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  tap_t tap;
  tap_begin(&tap, out);
  stream->write(&tap);
  *out_is_passed = tap_end(&tap);
  fclose(out);
  return text;
}

static void test_text(gconstpointer data) {
  const stream_t *stream = data;
  bool is_passed;
  char *text = write_stream(stream, &is_passed);
  char *expected = g_strconcat("TAP version 13\n", stream->text, NULL);
  g_assert_cmpstr(text, ==, expected);
  g_assert_cmpint(is_passed, ==, stream->is_passed);
  g_free(expected);
  free(text);
}

/* Runs a command on the stream in a file, whose name is appended; returns its exit status. */
static int run_on_stream(const stream_t *stream, const char *const command[], char **out_output) {
  bool is_passed;
  char *text = write_stream(stream, &is_passed);
  char *path = NULL;
  int file = g_file_open_tmp("assay-tap-XXXXXX", &path, NULL);
  g_assert_cmpint(file, >=, 0);
  g_close(file, NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  GPtrArray *arguments = g_ptr_array_new();
  for (size_t i = 0; command[i] != NULL; i++) {
    g_ptr_array_add(arguments, g_strdup(command[i]));
  }
  g_ptr_array_add(arguments, path);
  g_ptr_array_add(arguments, NULL);
  int wait_status = 0;
  g_assert_true(g_spawn_sync(NULL, (char **)arguments->pdata, NULL,
                             G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                             out_output, NULL, &wait_status, NULL));
  g_unlink(path);
  g_ptr_array_set_free_func(arguments, g_free);
  g_ptr_array_unref(arguments);
  free(text);
  return WEXITSTATUS(wait_status);
}

static bool has_program(const char *name) {
  char *path = g_find_program_in_path(name);
  bool is_found = path != NULL;
  g_free(path);
  return is_found;
}

static void test_prove(gconstpointer data) {
  const stream_t *stream = data;
  if (!has_program("prove")) return g_test_skip("prove is not installed");
  const char *const command[] = {"prove", "-e", "cat", NULL};
  char *output = NULL;
  g_assert_cmpint(run_on_stream(stream, command, &output), ==, stream->prove_status);
  g_free(output);
}

/* Prints what the parser behind prove makes of a stream: one line a point, one a detail. */
#define READER                                                                              \
  "use TAP::Parser; open my $f, '<', $ARGV[0]; local $/; my $p = TAP::Parser->new({tap => " \
  "<$f>});"                                                                                 \
  "while (my $r = $p->next) {"                                                              \
  "  if ($r->is_test) { print join('|', $r->ok, $r->description, $r->directive,"            \
  "                                $r->explanation), \"\\n\"; }"                            \
  "  if ($r->is_yaml) { my $d = $r->data; print \"$_=$d->{$_}\\n\" for sort keys %$d; }"    \
  "} exit($p->parse_errors ? 9 : 0);"

static void test_parsed(gconstpointer data) {
  const stream_t *stream = data;
  if (stream->parsed == NULL) return; /* Only prove's status counts. */
  if (!has_program("perl")) return g_test_skip("perl is not installed");
  const char *const command[] = {"perl", "-e", READER, NULL};
  char *output = NULL;
  g_assert_cmpint(run_on_stream(stream, command, &output), ==, 0);
  g_assert_cmpstr(output, ==, stream->parsed);
  g_free(output);
}

static void add_tests(const char *prefix, GTestDataFunc test) {
  for (size_t i = 0; i < G_N_ELEMENTS(streams); i++) {
    char *path = g_strdup_printf("/tap/%s/%s", prefix, streams[i].name);
    g_test_add_data_func(path, &streams[i], test);
    g_free(path);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_tests("text", test_text);
  add_tests("prove", test_prove);
  add_tests("parsed", test_parsed);
  return g_test_run();
}
