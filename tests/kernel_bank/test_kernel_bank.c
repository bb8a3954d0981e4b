/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the bank, in C and in NumPy, as a user would vet them: default draws, default
 * contract.  A faulty one is found within FOUND_WITHIN judged cases if harness/docs/kernel-bank.md
 * says so, and a right one is never blamed.
 *
 * With ASSAY_KERNEL_SEEDS and ASSAY_KERNEL_CASES set there are more seeds, and cases for each right
 * kernel; ASSAY_KERNEL_TABLE names a file for the tables of that page (tests/nightly/kernels). */
#include <inttypes.h>
#include <stdio.h>

#include "harness/builtin/builtin.h"
#include "harness/session/session.h"
#include "oracles/ops/declared/load.h"
#include "tests/exec/worker_python.h"

enum {
  FOUND_WITHIN = 1000,
  SEEDS_MAX = 100,
  DRAWS_MIN = 20000, /* As `assay run` has it, */
  DRAWS_PER_CASE = 10,
#ifdef ASSAY_SANITIZE
  RIGHT_CASES = 20,
#else
  RIGHT_CASES = 60,
#endif
};

static const char PAGE[] = ASSAY_SOURCE_DIR "/harness/docs/kernel-bank.md";

typedef struct kernel {
  const char *name;
  const char *op;
  const char *fault; /* NULL: it is right. */
} kernel_t;

#define ROW(name, op, types, keys, takes, fault, ...) {#name, op, fault},
#define RIGHT(...) ROW(__VA_ARGS__, NULL, )
#define FAULTY(...) ROW(__VA_ARGS__, )
static const kernel_t kernels[] = {
#include "tests/kernel_bank/kernels.def"
};
#undef FAULTY
#undef RIGHT
#undef ROW

typedef enum language { LANGUAGE_C, LANGUAGE_NUMPY, LANGUAGE_COUNT } language_t;

static const char *const LANGUAGES[LANGUAGE_COUNT] = {"c", "numpy"};

/* What is known of a kernel in a language. */
typedef struct record {
  bool was_run;
  uint64_t seeds;
  uint64_t found[SEEDS_MAX]; /* For each seed in which judged case it first diverged; FOUND_WITHIN +
                              * 1: in none.  Sorted by print_tables(). */
  uint64_t judged;           /* Over all seeds, */
  uint64_t alarms;           /* and the cases among them that were blamed, or that failed. */
} record_t;

static record_t records[G_N_ELEMENTS(kernels)][LANGUAGE_COUNT];
static char *python;   /* As worker_python() has it. */
static uint64_t seeds; /* 1 .. seeds */
static uint64_t right_cases;
static char *page; /* The text of PAGE. */

static uint64_t number_from(const char *variable, uint64_t otherwise, uint64_t most) {
  const char *text = g_getenv(variable);
  if (text == NULL) return otherwise;
  guint64 number = 0;
  if (!g_ascii_string_to_unsigned(text, 10, 1, most, &number, NULL)) {
    g_error("%s is '%s', not a number from 1 to %" PRIu64, variable, text, most);
  }
  return number;
}

/* ---- One kernel, one seed -------------------------------------------------------------------- */

typedef struct trial {
  const kernel_t *kernel;
  uint64_t judged;
  uint64_t found; /* 0: not yet. */
  uint64_t alarms;
  const char *explanation; /* What findings are to say, or NULL. */
  size_t explained;        /* Findings that say so, */
  size_t unexplained;      /* and others. */
  volatile sig_atomic_t stop;
} trial_t;

/* A fault shows by a wrong value.  That a kernel fails, or does something else that no kernel may,
 * is an alarm. */
static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session;
  (void)error;
  trial_t *trial = context;
  outcome_t outcome = answer->verdict->outcome;
  trial->judged += outcome_is_judged(outcome) ? 1 : 0;
  if (outcome == OUTCOME_diverges && trial->found == 0) {
    trial->found = trial->judged;
    trial->stop = trial->kernel->fault != NULL;
  }
  if (answer->signature == NULL) return STATUS_OK;
  trial->alarms++;
  if (trial->kernel->fault != NULL || trial->explanation != NULL) return STATUS_OK;
  g_autofree char *line = NULL;
  GString *text = g_string_new(NULL);
  case_print(answer->instance, text);
  line = g_string_free(text, FALSE);
  g_test_message("%s: %s (%s): %s, expected %s: %s", trial->kernel->name, outcome_spelling(outcome),
                 answer->verdict->reason, answer->verdict->got, answer->verdict->expected, line);
  return STATUS_OK;
}

static executor_t *open_kernel(const kernel_t *kernel, language_t language) {
  g_autofree char *name =
      language == LANGUAGE_C
          ? g_strdup_printf("dso:%s/tests/dso/kernel_bank.so?%s", ASSAY_BINARY_DIR, kernel->name)
          : g_strdup_printf("proc:%s %s/tests/kernel_bank/numpy_kernels.py kernel=%s", python,
                            ASSAY_SOURCE_DIR, kernel->name);
  const executor_options_t options = {.find_builtin = builtin_find, .isolate = true};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  return executor;
}

/* Counts findings that are explained by the words of `explained`, and whether there are others. */
static void note_readings(const session_t *session, trial_t *inout_trial) {
  for (size_t i = 0; i < session_finding_count(session); i++) {
    const verdict_t *verdict = &session_finding(session, i)->verdict;
    const char *const said[] = {verdict->reading, verdict->cause_words, verdict->observed};
    bool is_explained = false;
    for (size_t k = 0; k < G_N_ELEMENTS(said); k++) {
      is_explained |= strstr(said[k], inout_trial->explanation) != NULL;
    }
    inout_trial->explained += is_explained;
    inout_trial->unexplained += !is_explained;
  }
}

static trial_t run_trial(const kernel_t *kernel, language_t language, uint64_t seed,
                         const char *contract, const char *explanation) {
  trial_t trial = {.kernel = kernel, .explanation = explanation};
  executor_t *executor = open_kernel(kernel, language);
  const op_t *op = op_find(str_from(kernel->op));
  uint64_t cases = kernel->fault != NULL ? FOUND_WITHIN : right_cases;
  session_options_t options = {
      .stream = {.ops = &op,
                 .op_count = 1,
                 .gen = gen_options_default(),
                 .seed = seed,
                 .compiling_is_dear = executor_compiling_is_dear(executor)},
      .executors = &executor,
      .executor_count = 1,
      .cases_max = cases,
      .draws_max = MAX(DRAWS_PER_CASE * cases, DRAWS_MIN),
      .stop = &trial.stop,
      .on_answer = note_answer,
      .hook_context = &trial};
  session_t *session = NULL;
  failure_t error = {0};
  if (contract_parse(str_from(contract), &options.contract, &error) != STATUS_OK ||
      session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", error.text, session == NULL ? "" : session_bug_case(session));
  }
  if (explanation != NULL) note_readings(session, &trial);
  session_close(session, 0, NULL);
  executor_close(executor);
  return trial;
}

/* ---- Against the page ------------------------------------------------------------------------ */

/* Some bits of a row of the page, between its bars; NULL if there are not so many.  Freed with
 * g_strfreev(). */
static char **read_row(const kernel_t *kernel) {
  g_autofree char *begin = g_strdup_printf("\n| `%s` |", kernel->name);
  const char *found = strstr(page, begin);
  if (found == NULL) return NULL;
  g_autofree char *line = g_strndup(found + 1, strcspn(found + 1, "\n"));
  return g_strsplit(line, "|", -1);
}

/* Columns: "", name, op, fault, then median and worst of each language, ""; or "", name, op, then
 * cases and alarms of each, "". */
enum { COLUMN_OP = 2, COLUMN_FAULT = 3, COLUMN_FIRST_MEDIAN = 4, COLUMNS = 9 };
enum { COLUMN_FIRST_ALARMS = 4, RIGHT_COLUMNS = 8 };

/* What the page says: the worst of ten seeds, or FOUND_WITHIN + 1 if one did not find it; 0 if it
 * says nothing, which test_page() complains of. */
static uint64_t worst_on_page(const kernel_t *kernel, language_t language) {
  char **row = read_row(kernel);
  if (row == NULL || g_strv_length(row) != COLUMNS) {
    g_strfreev(row);
    return 0;
  }
  const char *text = g_strstrip(row[COLUMN_FIRST_MEDIAN + 2 * language + 1]);
  guint64 worst = FOUND_WITHIN + 1;
  g_ascii_string_to_unsigned(text, 10, 1, FOUND_WITHIN, &worst, NULL);
  g_strfreev(row);
  return worst;
}

/* Whether a row is about this kernel; a right one never gave an alarm. */
static bool is_row_of(char **row, const kernel_t *kernel) {
  if (row == NULL) return false;
  for (char **cell = row; *cell != NULL; cell++) g_strstrip(*cell);
  bool is_faulty = kernel->fault != NULL;
  if (g_strv_length(row) != (is_faulty ? COLUMNS : RIGHT_COLUMNS)) return false;
  if (strcmp(row[COLUMN_OP], kernel->op) != 0) return false;
  if (is_faulty) return strcmp(row[COLUMN_FAULT], kernel->fault) == 0;
  return strcmp(row[COLUMN_FIRST_ALARMS], "0") == 0 &&
         strcmp(row[COLUMN_FIRST_ALARMS + 2], "0") == 0;
}

/* All kernels of the bank are on the page, as what they are. */
static void test_page(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    char **row = read_row(&kernels[i]);
    bool is_right = is_row_of(row, &kernels[i]);
    if (!is_right) g_test_message("%s has no row of its own in %s", kernels[i].name, PAGE);
    g_assert_true(is_right);
    g_strfreev(row);
  }
}

/* ---- The tests ------------------------------------------------------------------------------- */

static void test_kernel(gconstpointer data) {
  const record_t *which = data;
  size_t place = (size_t)(which - &records[0][0]);
  const kernel_t *kernel = &kernels[place / LANGUAGE_COUNT];
  language_t language = (language_t)(place % LANGUAGE_COUNT);
  record_t *record = &records[place / LANGUAGE_COUNT][language];
  if (language == LANGUAGE_NUMPY && python == NULL) {
    g_test_skip("no Python here has numpy and ml_dtypes");
    return;
  }
  uint64_t latest = 0;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    trial_t trial = run_trial(kernel, language, seed, "backend", NULL);
    uint64_t found = trial.found == 0 ? FOUND_WITHIN + 1 : trial.found;
    latest = MAX(latest, found);
    record->found[record->seeds++] = found;
    record->judged += trial.judged;
    record->alarms += trial.alarms;
    if (kernel->fault == NULL) g_assert_cmpuint(trial.judged, ==, right_cases);
  }
  record->was_run = true;
  if (kernel->fault == NULL) {
    g_test_message("%" PRIu64 " cases judged", record->judged);
    g_assert_cmpuint(record->alarms, ==, 0);
    return;
  }
  g_test_message("found in case %" PRIu64 " (%d: not)", latest, FOUND_WITHIN + 1);
  /* With ten seeds this is what the page is about; one of them may find what others do not. */
  bool is_found = worst_on_page(kernel, language) <= FOUND_WITHIN;
  if (is_found) g_assert_cmpuint(latest, <=, FOUND_WITHIN);
  if (!is_found && seeds >= 10) g_assert_cmpuint(latest, >, FOUND_WITHIN);
}

/* What is rounded before the weight is permitted by name alone where nothing in between may be of
 * 16 bits; and what it is, is said. */
static void test_rounded(gconstpointer data) {
  const language_t language = *(const language_t *)data;
  const kernel_t *kernel = kernels;
  while (strcmp(kernel->name, "rms_norm_rounded") != 0) kernel++;
  if (language == LANGUAGE_NUMPY && python == NULL) {
    g_test_skip("no Python here has numpy and ml_dtypes");
    return;
  }
  const char *words = "normalized=rounded";
  trial_t permitted = run_trial(kernel, language, 1, "intermediate=wide,normalized=rounded", NULL);
  g_assert_cmpuint(permitted.alarms, ==, 0);
  g_assert_cmpuint(permitted.judged, ==, right_cases);
  trial_t wide = run_trial(kernel, language, 1, "intermediate=wide", words);
  g_test_message("%zu findings say %s, %zu do not", wide.explained, words, wide.unexplained);
  g_assert_cmpuint(wide.explained, >, 0);
  g_assert_cmpuint(wide.unexplained, ==, 0);
}

/* ---- The tables of the page ------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b) {
  const uint64_t *x = a;
  const uint64_t *y = b;
  return (*x > *y) - (*x < *y);
}

static void print_found(FILE *file, record_t *record) {
  if (!record->was_run) {
    fprintf(file, " not run | not run |");
    return;
  }
  qsort(record->found, record->seeds, sizeof *record->found, compare_numbers);
  uint64_t missed = 0;
  for (uint64_t i = 0; i < record->seeds; i++) missed += record->found[i] > FOUND_WITHIN ? 1 : 0;
  uint64_t median = record->found[record->seeds / 2]; /* Of two in the middle the later one. */
  if (median > FOUND_WITHIN) {
    fprintf(file, " not found |");
  } else {
    fprintf(file, " %" PRIu64 " |", median);
  }
  if (missed != 0) {
    fprintf(file, " not found with %" PRIu64 " of %" PRIu64 " seeds |", missed, record->seeds);
  } else {
    fprintf(file, " %" PRIu64 " |", record->found[record->seeds - 1]);
  }
}

static void print_tables(FILE *file) {
  fprintf(file,
          "\n| faulty kernel | op | fault | C: median | worst | NumPy: median | worst |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    if (kernels[i].fault == NULL) continue;
    fprintf(file, "| `%s` | %s | %s |", kernels[i].name, kernels[i].op, kernels[i].fault);
    for (int j = 0; j < LANGUAGE_COUNT; j++) print_found(file, &records[i][j]);
    fprintf(file, "\n");
  }
  fprintf(file,
          "\n| right kernel | op | C: cases judged | alarms | NumPy: cases judged | alarms |\n"
          "| --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    if (kernels[i].fault != NULL) continue;
    fprintf(file, "| `%s` | %s |", kernels[i].name, kernels[i].op);
    for (int j = 0; j < LANGUAGE_COUNT; j++) {
      fprintf(file, " %" PRIu64 " | %" PRIu64 " |", records[i][j].judged, records[i][j].alarms);
    }
    fprintf(file, "\n");
  }
  fprintf(file, "\n");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions(); /* The table is about all kernels. */
  seeds = number_from("ASSAY_KERNEL_SEEDS", 1, SEEDS_MAX);
  right_cases = number_from("ASSAY_KERNEL_CASES", RIGHT_CASES, UINT32_MAX);
  failure_t error = {0};
  if (declared_load(ASSAY_SOURCE_DIR "/corpus/ops/rms_norm.op", &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  python = worker_python();
  if (!g_file_get_contents(PAGE, &page, NULL, NULL)) g_error("cannot read %s", PAGE);
  g_test_add_func("/kernel_bank/page", test_page);
  for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
    for (int j = 0; j < LANGUAGE_COUNT; j++) {
      g_autofree char *path = g_strdup_printf("/kernel_bank/%s/%s", LANGUAGES[j], kernels[i].name);
      g_test_add_data_func(path, &records[i][j], test_kernel);
    }
  }
  static const language_t languages[] = {LANGUAGE_C, LANGUAGE_NUMPY};
  for (int j = 0; j < LANGUAGE_COUNT; j++) {
    g_autofree char *path = g_strdup_printf("/kernel_bank/%s/rounded_normals", LANGUAGES[j]);
    g_test_add_data_func(path, &languages[j], test_rounded);
  }
  int status = g_test_run();
  const char *table = g_getenv("ASSAY_KERNEL_TABLE");
  if (table != NULL) {
    FILE *file = fopen(table, "w");
    if (file == NULL) g_error("cannot write %s", table);
    print_tables(file);
    if (fclose(file) != 0) g_error("cannot write %s", table);
  }
  g_free(page);
  g_free(python);
  return status;
}
