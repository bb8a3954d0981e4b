/* SPDX-License-Identifier: Apache-2.0 */
/* How soon planted faults are found: every canary searched in cases of every stratum, with several
 * seeds, until it is found or a limit is met.
 *
 *   bench_canaries [--results FILE] [--strata NAME,...] [--seeds N] [--cases N] [--seconds S]
 *                  [-j N] [--small] [--all] [NAME...]
 *
 * A search is of one canary, on the ops of its row, in one stratum and with one seed.  It ends at
 * the first case that diverges, after so many judged cases (default 1000), or after so many seconds
 * of a processor (default 2).  What came of each is a line of FILE (default canaries.tsv), which is
 * read first: searches that it has are not made again, so that one may stop it and go on, and add
 * seeds, strata or, of those that were not found, cases and seconds.  At the end come two tables as
 * Markdown, of all lines of the file that were asked for: by stratum and terms, and of the canaries
 * that are found last.  Seeds go from 1; all canaries are searched with one before the next one.
 *
 * Exit status: 0 if all searches were made, 1 if a process ended before, 2 for bad usage.
 *
 * NAME: only canaries whose name contains one of these.  --small: at most 64 elements and 24 terms,
 * in the corner.  A canary that only another stratum's programs show (LARGE_CANARY) is left out of
 * --small, and of the corner unless that is its own; --all takes it there too. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/campaign/canaries/canary_search.h"

typedef struct bench {
  char *results; /* Path. */
  char *strata;  /* Names, or NULL: all. */
  gint seeds, cases, processes;
  gdouble seconds;
  gboolean is_small, takes_all;
  char **names;         /* Parts of names, or NULL. */
  GHashTable *searches; /* Owned keys -> owned line_t: what the file says. */
} bench_t;

/* What came of a search. */
typedef struct line {
  uint64_t cases; /* Judged. */
  bool is_found;
  size_t terms;         /* Bucket of the case in which it was found. */
  double seconds;       /* Of a processor. */
  uint64_t cases_asked; /* The limits, if it was not found. */
  double seconds_asked;
} line_t;

/* ---- The file -------------------------------------------------------------------------------- */

static const char *size_word(const bench_t *bench) { return bench->is_small ? "small" : "full"; }

/* What a line is found by. */
static char *key_of(const bench_t *bench, const canary_t *canary, stratum_t stratum,
                    uint64_t seed) {
  return g_strdup_printf("%s\t%s\t%s\t%s\t%s\t%" PRIu64, canary->name, canary->contract,
                         canary->ops, stratum_name(stratum), size_word(bench), seed);
}

enum { KEY_FIELDS = 6, FIELDS = 12 };

static void read_line(bench_t *bench, const char *text) {
  g_auto(GStrv) fields = g_strsplit(text, "\t", -1);
  if (g_strv_length(fields) != FIELDS) return; /* The process was killed while it wrote. */
  line_t line = {.cases = g_ascii_strtoull(fields[KEY_FIELDS], NULL, 10),
                 .is_found = strcmp(fields[KEY_FIELDS + 1], "found") == 0,
                 .terms = g_ascii_strtoull(fields[KEY_FIELDS + 2], NULL, 10),
                 .seconds = g_ascii_strtod(fields[KEY_FIELDS + 3], NULL),
                 .cases_asked = g_ascii_strtoull(fields[KEY_FIELDS + 4], NULL, 10),
                 .seconds_asked = g_ascii_strtod(fields[KEY_FIELDS + 5], NULL)};
  g_free(fields[KEY_FIELDS]);
  fields[KEY_FIELDS] = NULL; /* g_strjoinv() ends there; what comes after is freed here. */
  for (size_t i = KEY_FIELDS + 1; i < FIELDS; i++) g_free(fields[i]);
  g_hash_table_insert(bench->searches, g_strjoinv("\t", fields), g_memdup2(&line, sizeof line));
}

static void read_results(bench_t *bench) {
  g_autofree char *text = NULL;
  GError *error = NULL;
  g_hash_table_remove_all(bench->searches);
  if (!g_file_get_contents(bench->results, &text, NULL, &error)) {
    if (!g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) g_error("%s", error->message);
    g_error_free(error);
    return;
  }
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) read_line(bench, *line);
}

/* One write, so that lines of several processes stay whole. */
static void append_line(const bench_t *bench, int file, const char *key,
                        const canary_search_t *search) {
  g_autofree char *line =
      g_strdup_printf("%s\t%" PRIu64 "\t%s\t%zu\t%.3f\t%d\t%.3f\n", key, search->cases,
                      search->is_found ? "found" : "-", search->is_found ? search->terms : 0,
                      canary_seconds() - search->begun, bench->cases, bench->seconds);
  size_t size = strlen(line);
  if (write(file, line, size) != (ssize_t)size) g_error("%s: %s", bench->results, strerror(errno));
}

/* ---- Searching ------------------------------------------------------------------------------- */

static bool is_asked_for(const bench_t *bench, const canary_t *canary, stratum_t stratum) {
  if (bench->strata != NULL) {
    g_auto(GStrv) words = g_strsplit(bench->strata, ",", -1);
    if (!g_strv_contains((const char *const *)words, stratum_name(stratum))) return false;
  }
  if (bench->is_small && (stratum != STRATUM_corner || canary->is_large)) return false;
  bool is_elsewhere = canary->is_large && canary->stratum != stratum;
  if (is_elsewhere && stratum == STRATUM_corner && !bench->takes_all) return false;
  bool is_named = bench->names == NULL;
  for (char **name = bench->names; !is_named && *name != NULL; name++) {
    is_named = strstr(canary->name, *name) != NULL;
  }
  return is_named;
}

/* Whether it was found, or searched as long as is asked for. */
static bool is_done(const bench_t *bench, const char *key) {
  const line_t *line = (const line_t *)g_hash_table_lookup(bench->searches, key);
  if (line == NULL) return false;
  if (line->is_found || line->cases >= (uint64_t)bench->cases) return true;
  return line->cases_asked >= (uint64_t)bench->cases && line->seconds_asked >= bench->seconds;
}

/* Of the searches that are left, in their order, every `processes`th. */
static void search_share(const bench_t *bench, int process) {
  int file = open(bench->results, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) g_error("%s: %s", bench->results, strerror(errno));
  const canary_limits_t limits = {
      .cases = (uint64_t)bench->cases, .seconds = bench->seconds, .small_sizes = bench->is_small};
  int number = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)bench->seeds; seed++) {
    for (size_t i = 0; i < G_N_ELEMENTS(canaries) * STRATUM_COUNT; i++) {
      const canary_t *canary = &canaries[i % G_N_ELEMENTS(canaries)];
      stratum_t stratum = (stratum_t)(i / G_N_ELEMENTS(canaries));
      if (!is_asked_for(bench, canary, stratum)) continue;
      g_autofree char *key = key_of(bench, canary, stratum, seed);
      if (is_done(bench, key) || number++ % bench->processes != process) continue;
      const canary_search_t search = canary_search(canary, stratum, seed, &limits);
      append_line(bench, file, key, &search);
    }
  }
  close(file);
}

/* Whether all processes finished. */
static bool search_all(const bench_t *bench) {
  for (int i = 0; i < bench->processes; i++) {
    pid_t child = fork();
    if (child < 0) g_error("fork: %s", strerror(errno));
    if (child > 0) continue;
    search_share(bench, i);
    _exit(EXIT_SUCCESS);
  }
  int status;
  bool is_whole = true;
  while (wait(&status) > 0) is_whole &= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  if (!is_whole) g_printerr("bench_canaries: a process did not finish its searches\n");
  return is_whole;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Searches: after how many cases each found its canary, not found being later than any. */
typedef struct score {
  GArray *cases; /* Of double; owned. */
  uint64_t found, out_of_time;
} score_t;

static score_t score_make(void) {
  return (score_t){.cases = g_array_new(FALSE, FALSE, sizeof(double))};
}

static void score_add(score_t *score, const line_t *line) {
  double cases = line->is_found ? (double)line->cases : INFINITY;
  g_array_append_val(score->cases, cases);
  score->found += line->is_found;
  score->out_of_time += !line->is_found && line->cases < line->cases_asked;
}

static void print_quantile(const score_t *score, double share) {
  double cases = power_quantile(score->cases, share);
  if (isfinite(cases)) {
    printf(" %.0f |", cases);
  } else {
    printf(" - |");
  }
}

static void print_score(const char *name, const char *terms, uint64_t searches,
                        const score_t *score) {
  if (score->cases->len == 0) return;
  double total = (double)searches;
  printf("| %s | %s | %" PRIu64 " | %.1f %% | %.1f %% |", name, terms, searches,
         100 * (double)score->found / total, 100 * (double)score->out_of_time / total);
  print_quantile(score, 0.5);
  print_quantile(score, 0.9);
  printf("\n");
}

static const line_t *line_of(const bench_t *bench, const canary_t *canary, stratum_t stratum,
                             uint64_t seed) {
  if (!is_asked_for(bench, canary, stratum)) return NULL;
  g_autofree char *key = key_of(bench, canary, stratum, seed);
  return (const line_t *)g_hash_table_lookup(bench->searches, key);
}

static void print_stratum(const bench_t *bench, stratum_t stratum) {
  score_t any = score_make();
  score_t by_terms[TERM_BUCKETS];
  for (size_t i = 0; i < TERM_BUCKETS; i++) by_terms[i] = score_make();
  for (size_t c = 0; c < G_N_ELEMENTS(canaries); c++) {
    for (uint64_t seed = 1; seed <= (uint64_t)bench->seeds; seed++) {
      const line_t *line = line_of(bench, &canaries[c], stratum, seed);
      if (line == NULL) continue;
      score_add(&any, line);
      if (line->is_found) score_add(&by_terms[line->terms], line);
    }
  }
  print_score(stratum_name(stratum), "any", any.cases->len, &any);
  for (size_t i = 0; i < TERM_BUCKETS; i++) {
    g_autofree char *terms =
        i == 0 ? g_strdup("1") : g_strdup_printf("from %zu", term_bucket_low(i));
    print_score(stratum_name(stratum), terms, any.cases->len, &by_terms[i]);
    g_array_unref(by_terms[i].cases);
  }
  g_array_unref(any.cases);
}

/* A canary by itself, in the stratum where most seeds find it, and there soonest. */
typedef struct best {
  const canary_t *canary;
  stratum_t stratum;
  uint64_t searches, found;
  double median;
} best_t;

static best_t best_of(const bench_t *bench, const canary_t *canary) {
  best_t best = {.canary = canary};
  for (int s = 0; s < STRATUM_COUNT; s++) {
    score_t score = score_make();
    for (uint64_t seed = 1; seed <= (uint64_t)bench->seeds; seed++) {
      const line_t *line = line_of(bench, canary, (stratum_t)s, seed);
      if (line != NULL) score_add(&score, line);
    }
    if (score.cases->len > 0) {
      double median = power_quantile(score.cases, 0.5);
      double more = (double)score.found * (double)best.searches -
                    (double)best.found * (double)score.cases->len;
      if (best.searches == 0 || more > 0 || (more == 0 && median < best.median)) {
        best = (best_t){canary, (stratum_t)s, score.cases->len, score.found, median};
      }
    }
    g_array_unref(score.cases);
  }
  return best;
}

/* Those that some seed misses wherever it looks. */
static void print_missed(const bench_t *bench) {
  uint64_t searched = 0, always = 0, never = 0;
  printf(
      "\n| canary | ops | best stratum | found | median cases |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (size_t c = 0; c < G_N_ELEMENTS(canaries); c++) {
    best_t best = best_of(bench, &canaries[c]);
    if (best.searches == 0) continue;
    searched++;
    always += best.found == best.searches;
    never += best.found == 0;
    if (best.found == best.searches) continue;
    printf("| `%s` | %s | %s | %" PRIu64 " of %" PRIu64 " |", canaries[c].name + strlen("canary:"),
           canaries[c].ops, stratum_name(best.stratum), best.found, best.searches);
    printf(isfinite(best.median) ? " %.0f |\n" : " - |\n", best.median);
  }
  printf("\n%" PRIu64 " canaries: %" PRIu64 " found with every seed in some stratum, %" PRIu64
         " with none in any.\n",
         searched, always, never);
}

static void print_tables(const bench_t *bench) {
  printf(
      "| stratum | terms | searches | found | out of time | median cases | 90 %% |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int s = 0; s < STRATUM_COUNT; s++) print_stratum(bench, (stratum_t)s);
  print_missed(bench);
}

/* ---- The program ----------------------------------------------------------------------------- */

static bool has_known_strata(const bench_t *bench) {
  if (bench->strata == NULL) return true;
  g_auto(GStrv) words = g_strsplit(bench->strata, ",", -1);
  for (char **word = words; *word != NULL; word++) {
    bool is_known = false;
    for (int s = 0; s < STRATUM_COUNT; s++) {
      is_known |= strcmp(*word, stratum_name((stratum_t)s)) == 0;
    }
    if (!is_known) g_printerr("bench_canaries: no stratum \"%s\"\n", *word);
    if (!is_known) return false;
  }
  return true;
}

static bool read_arguments(int argc, char **argv, bench_t *bench) {
  const GOptionEntry entries[] = {
      {"results", 0, 0, G_OPTION_ARG_FILENAME, &bench->results, NULL, "FILE"},
      {"strata", 0, 0, G_OPTION_ARG_STRING, &bench->strata, NULL, "NAME,..."},
      {"seeds", 0, 0, G_OPTION_ARG_INT, &bench->seeds, NULL, "N"},
      {"cases", 0, 0, G_OPTION_ARG_INT, &bench->cases, NULL, "N"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &bench->seconds, NULL, "S"},
      {"jobs", 'j', 0, G_OPTION_ARG_INT, &bench->processes, NULL, "N"},
      {"small", 0, 0, G_OPTION_ARG_NONE, &bench->is_small, NULL, NULL},
      {"all", 0, 0, G_OPTION_ARG_NONE, &bench->takes_all, NULL, NULL},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &bench->names, NULL, "NAME..."},
      G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_add_main_entries(context, entries, NULL);
  GError *error = NULL;
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("bench_canaries: %s\n", error->message);
    return false;
  }
  if (bench->seeds < 1 || bench->cases < 1 || bench->processes < 1 || !(bench->seconds >= 0)) {
    g_printerr(
        "bench_canaries: --seeds, --cases and -j are at least 1, --seconds is not negative\n");
    return false;
  }
  return has_known_strata(bench);
}

int main(int argc, char **argv) {
  bench_t bench = {.results = g_strdup("canaries.tsv"),
                   .seeds = 10,
                   .cases = 1000,
                   .processes = 1,
                   .seconds = 2};
  if (!read_arguments(argc, argv, &bench)) return 2;
  bench.searches = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  read_results(&bench);
  bool is_whole = search_all(&bench);
  read_results(&bench);
  print_tables(&bench);
  g_hash_table_destroy(bench.searches);
  g_strfreev(bench.names);
  g_free(bench.strata);
  g_free(bench.results);
  return is_whole ? EXIT_SUCCESS : EXIT_FAILURE;
}
