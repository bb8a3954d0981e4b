/* SPDX-License-Identifier: Apache-2.0 */
/* What a report tells, read from one state of a database; each format is a writer of it. */
#ifndef ASSAY_REPORTS_OVERVIEW_OVERVIEW_H
#define ASSAY_REPORTS_OVERVIEW_OVERVIEW_H

#include "harness/store/fail_on.h"
#include "reports/report.h"
#include "reports/report_grid.h"

/* Each section is the named query with the same spelling, or what overview/read_overview.c asks. */
typedef enum overview_section {
  OVERVIEW_TOTALS,
  OVERVIEW_UNJUDGED,
  OVERVIEW_NEW,
  OVERVIEW_CAUSES,
  OVERVIEW_KNOWN,
  OVERVIEW_ALGORITHMS,
  OVERVIEW_PERCENTILES,
  OVERVIEW_HISTOGRAM,
  OVERVIEW_SLACK_USED, /* Of conforming cases: executor, op, cases, p50, p90, p99, max; best first.
                        */
  OVERVIEW_TREND,
  OVERVIEW_CONSTRAINTS,
  OVERVIEW_TIME,
  OVERVIEW_VERSIONS,
  OVERVIEW_RUNS,
  OVERVIEW_POWER,    /* power_stored_sql. */
  OVERVIEW_FINDINGS, /* The gravest first, each with what overview_finding() reads. */
  OVERVIEW_SECTION_COUNT
} overview_section_t;

typedef struct overview {
  char *database; /* The name of its file. */
  char *campaign; /* NULL: all. */
  report_grid_t sections[OVERVIEW_SECTION_COUNT];
  fail_on_t fail_on;  /* Which findings count; all, unless the caller changes it. */
  GHashTable *states; /* Of findings, over all campaigns: see overview_finding_fails(). */
} overview_t;

/* Reads a database, or one campaign in it.  On success freed with overview_free(). */
status_t overview_read(const report_source_t *source, overview_t *out_overview, failure_t *error);
void overview_free(overview_t *overview);

/* "totals", "unjudged", ... */
const char *overview_section_name(overview_section_t section);

/* A cell by the name of its column, which must be there. */
const store_value_t *overview_cell(const report_grid_t *grid, size_t row, const char *column);
/* Its text, "" for NULL; its number, 0 for NULL. */
const char *overview_text(const report_grid_t *grid, size_t row, const char *column);
double overview_number(const report_grid_t *grid, size_t row, const char *column);

/* A number of the one row of OVERVIEW_TOTALS. */
double overview_total(const overview_t *overview, const char *column);

/* The executors that ran cases, by name: const char *, borrowed. */
GPtrArray *overview_executors(const overview_t *overview);

/* One finding for people. */
typedef struct overview_finding {
  int64_t id;
  const char *executor; /* Its label; the others as in view `finding`. */
  const char *op;
  const char *algorithm;
  const char *types;
  const char *class_;
  const char *severity;
  const char *hypothesis; /* What explains it, and for which family of ops: view `finding`. */
  const char *family;
  const char *known; /* What is known of it: "Eigen's minimum of int64; mended in 1.32", or "". */
  const char *outcome;
  const char *broken_constraint;
  const char *cause;
  const char *cause_words;
  const char *pattern;
  const char *got; /* Of the case to look at: the worst element, and how many are wrong. */
  const char *expected;
  const char *reason;
  const char *case_line; /* The case to look at: the shrunk one, or the shortest. */
  const char *first_seen;
  const char *last_seen;
  double severity_rank;
  double sightings;
  double wrong_count;
  double component_count;
  bool is_shrunk;
  bool is_new; /* The last campaign was the first to see it. */
} overview_finding_t;

/* Whether a finding counts; its state (view finding_state), borrowed. */
bool overview_finding_fails(const overview_t *overview, size_t index);
const char *overview_finding_state(const overview_t *overview, size_t index);

/* Whether a finding counts that diverged, and whether one does that failed. */
void overview_failures(const overview_t *overview, bool *out_diverged, bool *out_failed);

size_t overview_finding_count(const overview_t *overview);
overview_finding_t overview_finding(const overview_t *overview, size_t index);

/* The command that runs the case again under the contract of its run: "assay replay ...". */
void overview_print_replay(const overview_t *overview, size_t index, GString *out_text);

/* The program of the case to look at; freed with g_free(). */
char *overview_program_line(const overview_t *overview, size_t index);

/* One line: class, element, cause. */
void overview_print_finding(const overview_t *overview, size_t index, GString *out_text);

/* The first finding of an executor, op and algorithm, the gravest; overview_finding_count() if
 * there is none. */
size_t overview_find(const overview_t *overview, const char *executor, const char *op,
                     const char *algorithm);

/* Findings that have one root cause: those of an executor that one hypothesis explains in one
 * family of ops (view `root_cause`). */
typedef struct overview_group {
  size_t first; /* Its gravest finding, which gives it its place. */
  size_t
      example; /* The finding to look at: of the gravest the one with the shortest case line, ... */
  size_t example_new; /* ... and the same of those that are new, if there are any. */
  size_t count;
  size_t new_count;
  double sightings;
  GPtrArray *spread; /* What it was seen in, "OP ALGORITHM TYPES", each once, char *, owned. */
} overview_group_t;

/* All groups, the gravest first: overview_group_t, freed by the caller. */
GArray *overview_groups(const overview_t *overview);

#endif
