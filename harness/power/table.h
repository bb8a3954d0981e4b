/* SPDX-License-Identifier: Apache-2.0 */
/* The power of a contract, gathered: tolerances of elements by op, types, terms and data. */
#ifndef ASSAY_POWER_TABLE_H
#define ASSAY_POWER_TABLE_H

#include "harness/power/terms.h"
#include "harness/power/widening.h"

/* Where the data of a case come from. */
typedef enum power_data {
  POWER_DATA_ORDINARY, /* Such as layers leave: those of the stratum `deployment`. */
  POWER_DATA_DRAWN,    /* As a run draws them, by its strata. */
  POWER_DATA_JUDGED,   /* Those of a run. */
  POWER_DATA_COUNT
} power_data_t;

/* "ordinary", "drawn", "judged". */
const char *power_data_name(power_data_t data);

/* An element of which the permissions were withdrawn. */
typedef struct power_examined {
  double ulps;
  GArray *narrowings; /* Of narrowing_t; owned. */
} power_examined_t;

typedef struct power_row {
  const op_t *op;
  const char *types; /* Interned. */
  size_t bucket;     /* Of terms. */
  power_data_t data;
  size_t terms_least, terms_most; /* That were seen. */
  uint64_t elements;              /* Whose tolerance was measured. */
  uint64_t vacuous, with_nan;     /* Of these. */
  uint64_t forms[ACCEPTED_FORM_COUNT];
  GArray *ulps;        /* Of double: of all these; owned. */
  GArray *relatives;   /* Of those whose exact value is not zero. */
  GPtrArray *examined; /* Of power_examined_t; owned. */
} power_row_t;

typedef struct power_table {
  GPtrArray *rows;         /* Of power_row_t; owned. */
  uint64_t cases;          /* Measured. */
  uint64_t without_oracle; /* Cases beside them. */
} power_table_t;

void power_table_init(power_table_t *table);
void power_table_deinit(power_table_t *table);

/* The row for a program with such data; a new one if there is none. */
power_row_t *power_table_row(power_table_t *table, const program_t *program, power_data_t data);

/* Sorts rows by op, types, data and terms. */
void power_table_sort(power_table_t *table);

void power_row_add(power_row_t *row, const tolerance_t *tolerance);

/* The smallest of the values (of double, in any order) that a share of them does not exceed; NaN
 * if there are none. */
double power_quantile(const GArray *values, double share);

/* What most elements accept. */
accepted_form_t power_row_form(const power_row_t *row);

/* The permission without which the median of the examined elements is the smallest, and both
 * medians; false if none makes it smaller by a twentieth. */
bool power_row_widest(const power_row_t *row, withdrawal_t *out_withdrawal, double *out_with,
                      double *out_without);

#endif
