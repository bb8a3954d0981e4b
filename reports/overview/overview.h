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
  OVERVIEW_CAUSES, /* Root causes, the gravest first: overview/triage_rows.c. */
  OVERVIEW_KNOWN,
  OVERVIEW_ALGORITHMS,
  OVERVIEW_PERCENTILES,
  OVERVIEW_HISTOGRAM,
  OVERVIEW_SLACK_USED, /* Of conforming cases: executor, op, cases, p50, p90, p99, max; best first.
                        */
  OVERVIEW_TREND,
  OVERVIEW_TWINS, /* How often one backend, asked in two ways, differs from itself. */
  OVERVIEW_CONSTRAINTS,
  OVERVIEW_TIME,
  OVERVIEW_VERSIONS,
  OVERVIEW_RUNS,
  OVERVIEW_POWER,    /* power_stored_sql. */
  OVERVIEW_FINDINGS, /* The gravest first, each with what overview_finding() reads. */
  OVERVIEW_SECTION_COUNT
} overview_section_t;

/* Which findings are read one by one; all details have percentiles too, by op and list of types. */
typedef enum overview_detail {
  OVERVIEW_EXAMPLES, /* The gravest of each root cause: a million findings are read in seconds. */
  OVERVIEW_ALL,
} overview_detail_t;

typedef struct overview {
  char *database; /* The name of its file. */
  char *campaign; /* NULL: all. */
  report_grid_t sections[OVERVIEW_SECTION_COUNT];
  fail_on_t fail_on;            /* Which findings count; all, unless the caller changes it. */
  GHashTable *states;           /* Of findings, over all campaigns: see overview_finding_fails(). */
  GArray *groups;               /* overview_group_t, the gravest first. */
  GStringChunk *names;          /* Texts of groups. */
  GHashTable *places;           /* int64_t id of a finding that was read -> its index, and 1. */
  GHashTable *contract_options; /* Of permissions of findings: " --contract wide", or "". */
  double finding_count;         /* Of the database, or the campaign. */
} overview_t;

/* Reads a database, or one campaign in it.  On success freed with overview_free(). */
status_t overview_read(const report_source_t *source, overview_detail_t detail,
                       overview_t *out_overview, failure_t *error);
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

/* Of those that were read. */
size_t overview_finding_count(const overview_t *overview);

/* The index of the one with this number; overview_finding_count() if it was not read. */
size_t overview_find_id(const overview_t *overview, int64_t id);

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

/* How many findings of a root cause are shown one by one. */
#define OVERVIEW_SHOWN_MAX 8

/* Findings that have one root cause: those of an executor that one hypothesis explains in one
 * family of ops (view `graded`). */
typedef struct overview_group {
  int64_t executor_id;
  const char *hypothesis; /* These texts live in overview_t.names. */
  const char *family;
  size_t count;
  size_t new_count;  /* The last campaign was the first to see them. */
  size_t seen_count; /* The last campaign saw them. */
  double sightings;
  int64_t shown[OVERVIEW_SHOWN_MAX]; /* Numbers of findings, the gravest first, ... */
  size_t shown_count;
  int64_t newest; /* ... and of the gravest one that is new, 0 if none is. */
  GPtrArray *ops; /* What it was seen in, each once, const char *: its spread. */
  GPtrArray *algorithms;
  GPtrArray *types;
} overview_group_t;

/* The finding to look at: of the gravest that are shown the one with the shortest case line. */
size_t overview_group_example(const overview_t *overview, const overview_group_t *group);

/* Who it was seen on, each word once: "onnxruntime 1.31.1", "mine (their 2.0)". */
char *overview_executor_words(const overview_t *overview, size_t index);

/* "new", "known, 3 new", "regressed", ...: the most urgent state of those that are shown. */
void overview_group_print_state(const overview_t *overview, const overview_group_t *group,
                                GString *out_text);

/* One line: what explains it. */
void overview_group_print_diagnosis(const overview_t *overview, const overview_group_t *group,
                                    GString *out_text);

/* A sentence: what is new, and how bad it is; and what the last campaign was like against the one
 * before it. */
void overview_print_headline(const overview_t *overview, GString *out_text);
void overview_print_summary(const overview_t *overview, GString *out_text);

/* Puts the script that shows the example of a root cause (its row in OVERVIEW_CAUSES) there. */
void overview_set_script(overview_t *overview, size_t group, const char *script);

#endif
