/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign of invariance checks: draws cases, holds every property against every executor, and
 * makes what breaks small.  The core of `assay invariance`; prints nothing and asks no oracle.
 *
 * The same seed and options give the same cases and, on an executor that gives the same bits again,
 * the same findings. */
#ifndef ASSAY_INVARIANCE_INVARIANCE_H
#define ASSAY_INVARIANCE_INVARIANCE_H

#include "harness/invariance/shrink.h"
#include "harness/record/tally.h"
#include "harness/store/store.h"

typedef struct invariance invariance_t;

typedef struct invariance_options {
  const op_t *const *ops; /* In turn; borrowed.  Those that tell no axes are passed over. */
  size_t op_count;
  executor_t *const *executors; /* Borrowed, open. */
  size_t executor_count;
  bool properties[INVARIANCE_COUNT]; /* Which to check. */
  /* "f32": the element type of the first operand and the first result; "bf16,bf16->f32": all; NULL:
   * any.  Borrowed, as all texts here. */
  const char *types;
  uint64_t seed;
  uint64_t cases_max;  /* Cases to draw; 0: no limit. */
  double seconds_max;  /* 0: no limit. */
  uint32_t executions; /* Of a program, for run-to-run; 2 at least. */
  uint32_t checks_max; /* To make one finding small. */
  store_t *store;      /* Borrowed, or NULL. */
  const char *command; /* For the store. */
  const char *assay_version;
  const volatile sig_atomic_t *stop;
  /* Called, if not NULL, about twice a second. */
  void (*on_tick)(void *context, const invariance_t *invariance);
  void *hook_context;
} invariance_options_t;

/* Types for which a property is broken, and the smallest instance that shows it. */
typedef struct invariance_finding {
  tally_label_t label;
  invariance_instance_t instance;
  invariance_difference_t difference;
  const invariance_step_t *steps; /* See invariance_sweep(). */
  size_t step_count;
  const char *base_line; /* Case lines; the other one is "" if there is one case only. */
  const char *other_line;
  case_t other;                 /* If there is one. */
  char base_implementation[64]; /* As the executor says, "" if it does not. */
  char other_implementation[64];
  uint32_t checks; /* That were made small for it. */
} invariance_finding_t;

/* What is known of one property, by executor, op and types. */
typedef struct invariance_count {
  size_t executor; /* Index among the executors. */
  invariance_property_t property;
  const char *op;
  const char *types;
  uint64_t cases[INVARIANCE_OUTCOME_COUNT];
  char reason[192];              /* What the executor said first when it refused or failed. */
  invariance_finding_t *finding; /* NULL: not broken. */
  uint64_t shrunk;               /* Cases that were made small. */
} invariance_count_t;

/* STATUS_INVALID if no op has programs of these types. */
status_t invariance_open(const invariance_options_t *options, invariance_t **out_invariance,
                         failure_t *error);
void invariance_run_all(invariance_t *invariance);
/* NULL is ignored. */
status_t invariance_close(invariance_t *invariance, int exit_code, failure_t *error);

uint64_t invariance_cases(const invariance_t *invariance); /* Drawn so far. */

/* Modules whose steps tell no axis of batches, rows or columns, so that they were run again and
 * compiled again alone. */
typedef struct invariance_untold {
  uint64_t modules; /* Drawn. */
  uint64_t untold;  /* Of these. */
  char why[192];    /* Of the first: "v1 (stablehlo.reshape) tells no axes". */
} invariance_untold_t;
const invariance_untold_t *invariance_untold(const invariance_t *invariance);
size_t invariance_count_rows(const invariance_t *invariance);
const invariance_count_t *invariance_row_at(const invariance_t *invariance, size_t index);

/* 1 if a property is broken, else 3 if an executor failed, else 0. */
int invariance_exit_code(const invariance_t *invariance);

/* Whether `a` is the better one to show: a number that differs before the sign of a zero, then the
 * smaller one. */
bool invariance_is_better(const invariance_finding_t *a, const invariance_finding_t *b);

/* "batch size 1 to 4: 0x3f800000; 5: 0x3f800001", or "" without steps. */
void invariance_print_steps(const invariance_finding_t *finding, GString *out_text);

/* "batch 1, rows 2, columns 1, terms 3": the sizes of the base case; roles without axes are left
 * out. */
void invariance_print_sizes(const invariance_finding_t *finding, GString *out_text);

#endif
