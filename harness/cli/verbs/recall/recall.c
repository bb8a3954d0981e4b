/* SPDX-License-Identifier: Apache-2.0 */
/* assay recall: which of the bugs that public trackers tell of a campaign finds by itself. */
#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/task/interrupt.h"
#include "harness/cli/verbs/recall/public_bugs.h"
#include "harness/cli/verbs/recall/subject.h"
#include "harness/exec/registry/releases.h"
#include "harness/exec/registry/run_program.h"
#include "reports/verdict/describe.h"

typedef struct recall_flags {
  char *backend;
  char **releases;
  char **corpus;
  char *time;
  char *hint_time;
  char *seed;
  char *jobs;
  char *python;
  char *out;
  gboolean list;
  gboolean confirm;
  gboolean keep;
  gboolean json;
} recall_flags_t;

/* ---- The list -------------------------------------------------------------------------------- */

static const char *or_dash(const char *text) { return text == NULL ? "-" : text; }

static json_t *describe_bug(const known_entry_t *bug) {
  static const struct {
    const char *name;
    known_field_t field;
  } fields[] = {{"op", KNOWN_op},
                {"class", KNOWN_class},
                {"title", KNOWN_title},
                {"links", KNOWN_links},
                {"mended", KNOWN_mended}};
  g_autofree char *backend = public_bug_backend(bug);
  json_t *document = json_pack("{s:s, s:s}", "id", bug->id, "backend", backend);
  for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
    const char *text = bug->fields[fields[i].field];
    if (text != NULL) json_object_set_new(document, fields[i].name, json_string(text));
  }
  static const char *const names[] = {
#define FIELD(name, spelling, words) spelling,
#include "harness/cli/verbs/recall/public_fields.def"
#undef FIELD
  };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const char *text = public_bug_field(bug, (public_field_t)i);
    if (text != NULL) json_object_set_new(document, names[i], json_string(text));
  }
  return document;
}

static void list_bugs(const GPtrArray *bugs, bool as_json) {
  json_t *documents = json_array();
  size_t apart = 0;
  for (guint i = 0; i < bugs->len; i++) {
    const known_entry_t *bug = bugs->pdata[i];
    g_autofree char *backend = public_bug_backend(bug);
    g_autofree char *mended = public_bug_mended(bug);
    bool is_apart = public_bug_field(bug, PUBLIC_APART) != NULL;
    apart += is_apart;
    if (as_json) {
      json_array_append_new(documents, describe_bug(bug));
    } else {
      printf("%-32s %-12s %-8s %-8s %s%s\n", bug->id, backend,
             or_dash(public_bug_field(bug, PUBLIC_RELEASE)), or_dash(mended),
             is_apart ? "(apart) " : "", bug->fields[KNOWN_title]);
    }
  }
  if (as_json) {
    json_print(documents, false);
    return;
  }
  json_decref(documents);
  printf("%u entries, %zu of them apart\n", bugs->len, apart);
}

/* ---- What became of them --------------------------------------------------------------------- */

enum { DETAIL_SHOWN = 300 };

static void print_row(const recalled_t *row) {
  g_autofree char *after = row->outcome == RECALL_FOUND || row->outcome == RECALL_MISSED_TIME ||
                                   row->outcome == RECALL_MISSED_PROGRAM
                               ? g_strdup_printf("%.0f s", row->seconds)
                               : g_strdup("-");
  const char *detail = row->detail == NULL ? "" : row->detail;
  printf("  %-32s %-16s %6s  %.*s%s\n", row->bug->id, recall_outcome_spelling(row->outcome), after,
         DETAIL_SHOWN, detail, strlen(detail) > DETAIL_SHOWN ? "..." : "");
}

static void print_subject(const recall_subject_t *subject) {
  printf("%s", subject->name);
  if (subject->drawn > 0) {
    printf(": a campaign of %s, %" G_GINT64_FORMAT " cases", subject->request->time,
           subject->drawn);
  }
  putchar('\n');
  for (size_t i = 0; i < subject->row_count; i++) print_row(&subject->rows[i]);
  fflush(stdout);
}

static json_t *describe_subject(const recall_subject_t *subject) {
  json_t *rows = json_array();
  for (size_t i = 0; i < subject->row_count; i++) {
    const recalled_t *row = &subject->rows[i];
    json_array_append_new(
        rows, json_pack("{s:s, s:s, s:f, s:s}", "id", row->bug->id, "outcome",
                        recall_outcome_spelling(row->outcome), "seconds", row->seconds, "detail",
                        row->detail == NULL ? "" : row->detail));
  }
  return json_pack("{s:s, s:s, s:I, s:o}", "executor", subject->name, "release", subject->release,
                   "cases", (json_int_t)subject->drawn, "entries", rows);
}

/* How many came out in each way. */
typedef struct tally {
  size_t counts[RECALL_OUTCOME_COUNT];
  json_t *documents; /* NULL: print words. */
} tally_t;

static bool is_miss(recall_outcome_t outcome) {
  return outcome >= RECALL_MISSED_TIME && outcome <= RECALL_MISSED;
}

static void print_tally(const tally_t *tally) {
  for (int i = 0; i < RECALL_OUTCOME_COUNT; i++) {
    if (tally->counts[i] == 0) continue;
    printf("%4zu %-16s %s\n", tally->counts[i], recall_outcome_spelling((recall_outcome_t)i),
           recall_outcome_words((recall_outcome_t)i));
  }
}

static int exit_code_of(const tally_t *tally) {
  bool is_missing = false;
  for (int i = 0; i < RECALL_OUTCOME_COUNT; i++) {
    is_missing = is_missing || (is_miss((recall_outcome_t)i) && tally->counts[i] > 0);
  }
  bool is_sought = is_missing || tally->counts[RECALL_FOUND] > 0;
  if (is_missing) return EXIT_CODE_DIVERGES;
  return is_sought || tally->counts[RECALL_UNSOUGHT] > 0 ? EXIT_CODE_CLEAN : EXIT_CODE_FAILED;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Whether an entry is about that backend, whatever its options are. */
static bool is_of_backend(const known_entry_t *bug, const char *backend) {
  g_autofree char *own = public_bug_backend(bug);
  size_t size = strcspn(backend, "?");
  return strlen(own) == size && memcmp(own, backend, size) == 0;
}

/* The entries of a release; of all releases for NULL. */
static GPtrArray *select_bugs(const GPtrArray *bugs, const char *backend, const char *release) {
  GPtrArray *selected = g_ptr_array_new();
  for (guint i = 0; i < bugs->len; i++) {
    const char *own = or_dash(public_bug_field(bugs->pdata[i], PUBLIC_RELEASE));
    if (!is_of_backend(bugs->pdata[i], backend)) continue;
    if (release == NULL || strcmp(release, own) == 0) g_ptr_array_add(selected, bugs->pdata[i]);
  }
  return selected;
}

static gint compare_releases(gconstpointer a, gconstpointer b) {
  const char *left = *(const char *const *)a;
  const char *right = *(const char *const *)b;
  if (left[0] == '-' || right[0] == '-') return strcmp(left, right);
  return release_compare(left, right);
}

/* The releases that the entries name, in ascending order, each once; texts borrowed. */
static GPtrArray *list_releases(const GPtrArray *bugs) {
  GPtrArray *releases = g_ptr_array_new();
  for (guint i = 0; i < bugs->len; i++) {
    const char *release = or_dash(public_bug_field(bugs->pdata[i], PUBLIC_RELEASE));
    if (!g_ptr_array_find_with_equal_func(releases, release, g_str_equal, NULL)) {
      g_ptr_array_add(releases, (gpointer)(uintptr_t)release);
    }
  }
  g_ptr_array_sort(releases, compare_releases);
  return releases;
}

static status_t run_release(const recall_request_t *request, const char *release, bool is_asked,
                            const GPtrArray *bugs, tally_t *tally, failure_t *error) {
  g_autoptr(GPtrArray) own = select_bugs(bugs, request->backend, is_asked ? NULL : release);
  recall_subject_t subject;
  STATUS_TRY(recall_subject_run(request, release, is_asked, own, &subject, error));
  for (size_t i = 0; i < subject.row_count; i++) tally->counts[subject.rows[i].outcome]++;
  if (tally->documents != NULL) {
    json_array_append_new(tally->documents, describe_subject(&subject));
  } else {
    print_subject(&subject);
  }
  recall_subject_deinit(&subject);
  return STATUS_OK;
}

static status_t run_releases(const recall_flags_t *flags, const recall_request_t *request,
                             const GPtrArray *bugs, tally_t *tally, failure_t *error) {
  g_autoptr(GPtrArray) own = select_bugs(bugs, request->backend, NULL);
  if (own->len == 0) {
    return status_fail(error, STATUS_INVALID,
                       "there is no entry of %s; `assay recall --list` lists them",
                       request->backend);
  }
  for (char **release = flags->releases; release != NULL && *release != NULL; release++) {
    if (strcmp(*release, "-") != 0 && !release_is_well_formed(*release)) {
      return status_fail(error, STATUS_INVALID,
                         "bad release '%s' (--release); write one such as 1.24.1", *release);
    }
    STATUS_TRY(run_release(request, *release, true, bugs, tally, error));
  }
  if (flags->releases != NULL) return STATUS_OK;
  g_autoptr(GPtrArray) releases = list_releases(own);
  for (guint i = 0; i < releases->len; i++) {
    STATUS_TRY(run_release(request, releases->pdata[i], false, bugs, tally, error));
  }
  return STATUS_OK;
}

static status_t read_times(const recall_flags_t *flags, recall_request_t *request,
                           failure_t *error) {
  double seconds;
  request->time = flags->time == NULL ? "5m" : flags->time;
  STATUS_TRY(arguments_parse_seconds("--time", request->time, &seconds, error));
  request->hint_time = flags->hint_time == NULL ? "30s" : flags->hint_time;
  if (strcmp(request->hint_time, "0") == 0) {
    request->hint_time = NULL;
    return STATUS_OK;
  }
  return arguments_parse_seconds("--hint-time", request->hint_time, &seconds, error);
}

static void remove_folder(const char *folder) {
  const char *const words[] = {"rm", "-rf", "--", folder, NULL};
  program_run(words, RUN_SHOWN, NULL);
}

static int run_recall(const recall_flags_t *flags, const GPtrArray *bugs, failure_t *error) {
  g_autofree char *folder =
      flags->out == NULL ? g_dir_make_tmp("assay-recall-XXXXXX", NULL) : g_strdup(flags->out);
  if (folder == NULL || g_mkdir_with_parents(folder, 0777) != 0) {
    complain("cannot make the folder %s", folder == NULL ? "for searches" : folder);
    return EXIT_CODE_FAILED;
  }
  recall_request_t request = {.backend = flags->backend,
                              .python = flags->python,
                              .folder = folder,
                              .seed = flags->seed == NULL ? "1" : flags->seed,
                              .jobs = flags->jobs,
                              .keeps = flags->keep != 0,
                              .is_confirming_alone = flags->confirm != 0,
                              .stop = interrupt_catch()};
  tally_t tally = {.documents = flags->json ? json_array() : NULL};
  status_t status = read_times(flags, &request, error);
  if (status == STATUS_OK) status = run_releases(flags, &request, bugs, &tally, error);
  if (flags->out == NULL) remove_folder(folder);
  if (status != STATUS_OK) {
    json_decref(tally.documents);
    return complain_status(status, error);
  }
  if (tally.documents != NULL) {
    json_print(tally.documents, false);
  } else {
    print_tally(&tally);
  }
  return exit_code_of(&tally);
}

static int recall(const recall_flags_t *flags) {
  failure_t error = {0};
  GPtrArray *bugs = NULL;
  status_t status = public_bugs_read(flags->corpus, &bugs, &error);
  if (status == STATUS_OK && !flags->list && flags->backend == NULL) {
    status = status_fail(&error, STATUS_INVALID, "no backend given; add --backend NAME, or --list");
  }
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else if (flags->list) {
    list_bugs(bugs, flags->json != 0);
  } else {
    exit_code = run_recall(flags, bugs, &error);
  }
  if (bugs != NULL) g_ptr_array_unref(bugs);
  return exit_code;
}

static void free_flags(recall_flags_t *flags) {
  char *const texts[] = {flags->backend, flags->time,   flags->hint_time, flags->seed,
                         flags->jobs,    flags->python, flags->out};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
  g_strfreev(flags->releases);
  g_strfreev(flags->corpus);
}

int command_recall(const command_t *command, int argc, char **argv) {
  recall_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"backend", 'b', 0, G_OPTION_ARG_STRING, &flags.backend,
       "The backend, perhaps with ?options; the releases that its entries name are installed",
       "NAME"},
      {"release", 0, 0, G_OPTION_ARG_STRING_ARRAY, &flags.releases,
       "Search this release for all entries that it has; may be given several times", "V"},
      {"time", 't', 0, G_OPTION_ARG_STRING, &flags.time,
       "Of the campaign on each release (default 5m)", "TIME"},
      {"hint-time", 0, 0, G_OPTION_ARG_STRING, &flags.hint_time,
       "Of each search for what was missed: of its op alone, then of its program (default 30s; 0: "
       "do not ask why)",
       "TIME"},
      {"corpus", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.corpus,
       "Entries of a file, or of the files *.def of a folder, in place of corpus/public", "PATH"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &flags.list, "Check the entries and list them", NULL},
      {"confirm", 0, 0, G_OPTION_ARG_NONE, &flags.confirm,
       "Only run the entries' cases, where the bug is and where it is mended", NULL},
      {"keep", 0, 0, G_OPTION_ARG_NONE, &flags.keep,
       "Leave releases installed that were installed for this", NULL},
      {"out", 0, 0, G_OPTION_ARG_FILENAME, &flags.out,
       "Leave the campaigns and the other databases in this folder; the same command goes on there",
       "FOLDER"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.seed, "The seed of all drawing (default 1)",
       "SEED"},
      {"jobs", 'j', 0, G_OPTION_ARG_STRING, &flags.jobs,
       "Worker processes of a campaign (default: one per processor)", "N"},
      {"python", 0, 0, G_OPTION_ARG_STRING, &flags.python,
       "The version of Python that releases run with (3.13)", "X.Y"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) exit_code = recall(&flags);
  free_flags(&flags);
  return exit_code;
}
