/* SPDX-License-Identifier: Apache-2.0 */
/* Names of causes: what planted faults are called.  Each hypothesis has a fault that is its own,
 * and no fault may surely get a name that causes.def does not list for it. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/diagnose/cause.h"
#include "harness/session/session.h"
#include "tests/campaign/canaries/canary_ops.h"

enum { OPS_MAX = 64, CASES = 4000, COMPOSITE_CASES = 200, DIVERGING = 150, NAMES_MAX = 64 };

typedef struct cause_row {
  const char *canary;
  const char *contract;
  const char *what;   /* The beginning of the names of ops, or a program. */
  const char *cause;  /* That most of its cases are named, or "". */
  const char *others; /* Names that some may get, separated by blanks. */
} cause_row_t;

static const cause_row_t rows[] = {
#define CAUSE_ROW(canary, contract, what, cause, others) \
  {"canary:" canary, contract, what, cause, others},
#include "generated/all_expected_causes.def"
#include "tests/campaign/diagnose/expected_causes.def"
#undef CAUSE_ROW
};

static executor_t *open_builtin(const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* Cases of a fault, by the name that they got.  A finding is called what its first case is: where
 * another hypothesis explained that one as well, all its cases count as unsure. */
typedef struct names {
  const char *items[NAMES_MAX];
  uint64_t cases[NAMES_MAX]; /* Sure or not. */
  uint64_t sure[NAMES_MAX];
  size_t count;
  uint64_t unknown;
  uint64_t unsure;
} names_t;

static void count_name(names_t *names, const verdict_t *verdict, uint64_t cases) {
  if (verdict->cause[0] == '\0') {
    names->unknown += cases;
    return;
  }
  size_t i = 0;
  while (i < names->count && strcmp(names->items[i], verdict->cause) != 0) i++;
  g_assert_cmpuint(i, <, NAMES_MAX);
  if (i == names->count) names->items[names->count++] = verdict->cause;
  names->cases[i] += cases;
  *(verdict->is_cause_sure ? &names->sure[i] : &names->unsure) += cases;
}

static bool is_listed(const cause_row_t *row, const char *name) {
  if (strcmp(row->cause, name) == 0) return true;
  g_auto(GStrv) others = g_strsplit(row->others, " ", -1);
  return g_strv_contains((const char *const *)others, name);
}

static void check_names(const cause_row_t *row, const names_t *names) {
  GString *text = g_string_new(NULL);
  uint64_t most = 0;
  const char *most_frequent = "";
  for (size_t i = 0; i < names->count; i++) {
    g_string_append_printf(text, " %s %" PRIu64, names->items[i], names->cases[i]);
    if (names->sure[i] > 0 && !is_listed(row, names->items[i])) {
      g_test_message("%s is surely named %s", row->canary, names->items[i]);
      g_test_fail();
    }
    if (names->cases[i] > most) most_frequent = names->items[i];
    most = MAX(most, names->cases[i]);
  }
  g_test_message("%s:%s; unsure %" PRIu64 ", unknown %" PRIu64, row->canary, text->str,
                 names->unsure, names->unknown);
  g_string_free(text, TRUE);
  if (row->cause[0] != '\0') g_assert_cmpstr(most_frequent, ==, row->cause);
}

/* Draws from the ops, or the program, of the row. */
static void set_stream(const cause_row_t *row, arena_t *arena, stream_program_t *given,
                       const op_t *ops[], session_options_t *options) {
  failure_t error = {0};
  options->draws_max = CASES;
  if (strchr(row->what, ' ') != NULL) {
    status_t status = stream_program_parse(str_from(row->what), arena, given, &error);
    if (status != STATUS_OK) g_error("%s", error.text);
    options->stream.programs = given;
    options->stream.program_count = 1;
    return;
  }
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    bool is_meant = canary_concerns(row->what, (*op)->name);
    if (is_meant) ops[options->stream.op_count++] = *op;
    if (is_meant && (*op)->is_composite) options->draws_max = COMPOSITE_CASES;
  }
  g_assert_cmpuint(options->stream.op_count, >, 0);
  options->stream.ops = ops;
}

/* Of most faults, DIVERGING cases tell enough. */
typedef struct enough {
  uint64_t diverging;
  volatile sig_atomic_t stop;
} enough_t;

static status_t count_diverging(void *context, const session_t *session,
                                const session_answer_t *answer, failure_t *error) {
  (void)session;
  (void)error;
  enough_t *enough = (enough_t *)context;
  enough->diverging += answer->verdict->outcome == OUTCOME_diverges;
  if (enough->diverging >= DIVERGING) enough->stop = 1;
  return STATUS_OK;
}

static void test_row(gconstpointer data) {
  const cause_row_t *row = (const cause_row_t *)data;
  arena_t arena;
  arena_init(&arena);
  executor_t *executor = open_builtin(row->canary);
  stream_program_t given;
  const op_t *ops[OPS_MAX];
  enough_t enough = {.stop = 0};
  session_options_t options = {.stream = {.gen = gen_options_default(), .seed = 1},
                               .stop = &enough.stop,
                               .on_answer = count_diverging,
                               .hook_context = &enough,
                               .executors = &executor,
                               .executor_count = 1,
                               .command = "test",
                               .assay_version = "test"};
  options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  set_stream(row, &arena, &given, ops, &options);
  failure_t error = {0};
  if (contract_parse(str_from(row->contract), &options.contract, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  session_t *session = NULL;
  if (session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", error.text, session == NULL ? "" : session_bug_case(session));
  }
  names_t names = {.count = 0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const finding_t *finding = session_finding(session, i);
    count_name(&names, &finding->verdict, finding->count);
    const verdict_t *verdict = &finding->verdict;
    bool is_named = verdict->cause[0] != '\0' && verdict->is_cause_sure;
    if (is_named && !is_listed(row, verdict->cause)) g_test_message("%s", finding->case_line);
  }
  check_names(row, &names);
  session_close(session, 0, NULL);
  executor_close(executor);
  arena_deinit(&arena);
}

/* What one case is named, alone, on an executor; the caller frees the words. */
static char *explain(const char *executor_name, const char *line, verdict_t *out_verdict) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  if (case_parse(str_from(line), &arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  contract_t contract = contract_backend();
  case_runner_t walk;
  case_runner_init(&walk, &contract, 1);
  expectation_t expectation;
  executor_t *executor = open_builtin(executor_name);
  status_t status = case_runner_expect(&walk, &instance, NULL, &arena, &expectation, &error);
  if (status == STATUS_OK) {
    status = case_runner_run(&walk, &expectation, executor, out_verdict, &error);
  }
  const cause_question_t question = cause_decide(&walk, &instance, &expectation);
  if (status == STATUS_OK) status = cause_find(&question, &arena, out_verdict, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  executor_close(executor);
  arena_deinit(&arena);
  return g_strdup(out_verdict->cause_words);
}

/* The words have the index; what explains as well is named after it. */
static void test_words(void) {
  static const struct {
    const char *executor;
    const char *line;
    const char *words;
    bool is_sure;
  } cases[] = {
      {"canary:drop_last_term",
       "stablehlo.reduce body=add dims=[0] f32[6] f32[] -> f32[] : "
       "3f9d70a43dcccccd40490fdb3eaaaaab3fb504f33fb8aa3b : 00000000",
       "without the last term, 5 (of 6)", true},
      {"canary:drop_tail",
       "stablehlo.reduce body=add dims=[0] f32[10] f32[] -> f32[] : "
       "3f9d70a43dcccccd40490fdb3eaaaaab3fb504f33f9d70a43dcccccd40490fdb3f3504f33fb8aa3b : "
       "00000000",
       "without the terms beyond the last whole block of 4 or 8", true},
      {"canary:drop_tail",
       "stablehlo.reduce body=add dims=[0] f32[9] f32[] -> f32[] : "
       "3f9d70a43dcccccd40490fdb3eaaaaab3fb504f33f9d70a43dcccccd40490fdb3f3504f3 : 00000000",
       "without the last term, 8 (of 9); or without-tail", false},
      {"canary:neighbour_term",
       "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,3] f32[3,1] -> f32[1,1] : "
       "3f9d70a43dcccccd40490fdb : 3eaaaaab3fb504f33f9d70a4",
       "with the second term in place of the first, 0 (of 3)", true},
      {"canary:drop_last_term",
       "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000", "",
       false},
      /* Small normal numbers tell one that flushes from one that truncates, which gives the same of
       * negative subnormal ones. */
      {"canary:flush_inputs", "stablehlo.floor f32[4] -> f32[4] : 80000001800000ff8040000040100000",
       "", false},
      {"canary:flush_inputs", "stablehlo.floor f32[4] -> f32[4] : 80400001807fffff80800000be000000",
       "subnormal operands are read as zero", true},
      /* Who loses small results too tells nothing of subnormal ones, until a small number is kept.
       */
      {"canary:flush_outputs",
       "stablehlo.multiply f32[3] f32[3] -> f32[3] : "
       "0080000000800000c08ccccd : 3f0000013e8000013fcccccd",
       "subnormal results are written as zero", false},
      {"canary:flush_outputs",
       "stablehlo.multiply f32[3] f32[3] -> f32[3] : "
       "008000000080000001000001 : 3f0000013e8000013fcccccd",
       "subnormal results are written as zero", true},
      /* A sum of one number: where nothing else is established, there is no telling. */
      {"canary:narrow_result",
       "stablehlo.reduce body=add dims=[1] f32[4,1] f32[] -> f32[4] : "
       "3f9d70a43dcccccd40490fdb3eaaaaab : 00000000",
       "the result is rounded to f16 or tf32 first; or narrow-operands, narrow-accumulator", false},
      {"canary:unwritten_tail", "stablehlo.not i8[2,3] -> i8[2,3] : 010203040506",
       "writes all but the last 1 of 6 elements", true},
      {"canary:unwritten_tail", "stablehlo.not i8[2] -> i8[2] : 0102", "", false},
      {"canary:unwritten_tail", "stablehlo.not i8[] -> i8[] : 01", "", false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    verdict_t verdict;
    g_autofree char *words = explain(cases[i].executor, cases[i].line, &verdict);
    g_assert_cmpstr(words, ==, cases[i].words);
    g_assert_cmpint(verdict.is_cause_sure, ==, cases[i].is_sure);
  }
}

/* What one value tells, or a start that is clamped, or a shift by a zero point, several faults
 * give: none of them is surely named. */
static void test_ambiguous(void) {
  static const struct {
    const char *executor;
    const char *line;
  } cases[] = {
      {"canary:exp_clamped", "stablehlo.exponential f32[] -> f32[] : c1bbfc1c"},
      {"canary:next_scale_for_channel",
       "stablehlo.add !quant.uniform<i32<108093945:333230025>:f32,0x1p-3:108093945>[2] "
       "!quant.uniform<i32<108093945:333230025>:f32:0,{0x1p+0:108093945,0x1p+0:108093945}>[2] -> "
       "!quant.uniform<i32<108093945:333230025>:f32:0,{0x1p-2:108093945,0x1p+2:108093945}>[2] : "
       "067161f906e0a5b2 : 067161f9067161f9"},
      {"canary:zero_point_twice+zero-point-last",
       "stablehlo.subtract !quant.uniform<i32<-2147483647:2147483647>:f32,0x1p+3:-179165337>[2] "
       "!quant.uniform<i32<-2147483647:2147483647>:f32,0x1p+3:-179165337>[2] -> "
       "!quant.uniform<i32<-2147483647:2147483647>:f32,0x1p+3:-179165337>[2] : 8fa4738b4ed1007a : "
       "ae10202a149b0482"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    verdict_t verdict;
    g_autofree char *words = explain(cases[i].executor, cases[i].line, &verdict);
    g_assert_cmpint(verdict.outcome, ==, OUTCOME_diverges);
    g_assert_false(verdict.is_cause_sure);
  }
}

/* What was never written, by its places alone: all of them must be as a name says. */
static void test_unwritten(void) {
  static const struct {
    const char *unwritten; /* Of the elements of i8[4,3]. */
    const char *words;
    bool is_sure;
  } cases[] = {
      {"000000000001", "writes all but the last 1 of 12 elements", true},
      {"000000001111", "writes all but the last 4 of 12 elements", true},
      {"000000000111", "writes all but the last 3 of 12 elements",
       true}, /* Of 4 rows; of 2 it is unsure. */
      {"001001001001", "writes all but the last 1 of 3 indices of dimension 1; or unwritten-lines",
       false},
      {"000111000111", "writes some of its rows along dimension 1 and not others", true},
      {"010010010010", "writes some of its rows along dimension 0 and not others", true},
      {"111000000000", "writes some of its rows along dimension 1 and not others", true},
      {"000111000110", "", false},
      {"001001001000", "", false},
      {"000000000010", "", false},
      {"100000000001", "", false},
      {"111111111111", "", false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    arena_t arena;
    arena_init(&arena);
    case_t instance;
    failure_t error = {0};
    const char *line = "stablehlo.not i8[4,3] -> i8[4,3] : 010203040506070809101112";
    status_t status = case_parse(str_from(line), &arena, &instance, NULL, &error);
    if (status != STATUS_OK) g_error("%s", error.text);
    uint8_t unwritten[12];
    for (size_t k = 0; k < sizeof unwritten; k++) unwritten[k] = cases[i].unwritten[k] == '1';
    const evidence_t evidence = {.is_judged = false, .unwritten = unwritten};
    const cause_question_t question = {.instance = &instance, .evidence = &evidence};
    verdict_t verdict = {.outcome = OUTCOME_diverges, .class_ = CLASS_unwritten, .wrong_count = 1};
    g_assert_true(cause_is_sought(&verdict));
    g_assert_cmpint(cause_find(&question, &arena, &verdict, &error), ==, STATUS_OK);
    g_assert_cmpstr(verdict.cause_words, ==, cases[i].words);
    g_assert_cmpint(verdict.is_cause_sure, ==, cases[i].is_sure);
    arena_deinit(&arena);
  }
}

/* What conforms has no cause. */
static void test_conforming(void) {
  verdict_t verdict;
  g_autofree char *words =
      explain("model:sequential",
              "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : "
              "00000000",
              &verdict);
  g_assert_cmpint(verdict.outcome, ==, OUTCOME_conforms);
  g_assert_cmpstr(words, ==, "");
  g_assert_cmpstr(verdict.pattern, ==, "");
  g_assert_false(cause_is_sought(&verdict));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/causes/words", test_words);
  g_test_add_func("/causes/ambiguous", test_ambiguous);
  g_test_add_func("/causes/unwritten", test_unwritten);
  g_test_add_func("/causes/conforming", test_conforming);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *path = g_strdup_printf("/causes/%.20s/%s", rows[i].what, rows[i].canary + 7);
    g_test_add_data_func(path, &rows[i], test_row);
    g_free(path);
  }
  return g_test_run();
}
