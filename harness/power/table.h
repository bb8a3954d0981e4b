/* SPDX-License-Identifier: Apache-2.0 */
/* The power of a contract, gathered: tolerances of elements by op, algorithm, types, terms and
 * data. */
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
  const char *algorithm; /* As op_t.print_algorithm() has it; interned, as are the types. */
  const char *types;
  size_t bucket; /* Of terms. */
  power_data_t data;
  size_t terms_least, terms_most; /* That were seen. */
  GArray *elements;               /* Of tolerance_t: those that were measured; owned. */
  guint stored;                   /* Of these, how many the store knows of. */
  GPtrArray *examined;            /* Of power_examined_t; owned. */
} power_row_t;

/* Two numbers of a tolerance. */
typedef enum power_measure { POWER_ULPS, POWER_RELATIVE } power_measure_t;

typedef struct power_table {
  GPtrArray *rows;         /* Of power_row_t; owned. */
  uint64_t cases;          /* Measured. */
  uint64_t without_oracle; /* Cases beside them. */
} power_table_t;

void power_table_init(power_table_t *table);
void power_table_deinit(power_table_t *table);

/* The row for a program with such data; a new one if there is none. */
power_row_t *power_table_row(power_table_t *table, const program_t *program, power_data_t data);

/* Sorts rows by op, algorithm, types, data and terms. */
void power_table_sort(power_table_t *table);

/* The smallest number that a share of the elements does not exceed; NaN if there are none, or none
 * for which the number is known. */
double power_row_quantile(const power_row_t *row, power_measure_t measure, double share);

/* How many elements are vacuous, and accept NaN beside numbers. */
guint power_row_vacuous(const power_row_t *row);
guint power_row_with_nan(const power_row_t *row);

/* The same of values (of double, in any order). */
double power_quantile(const GArray *values, double share);

/* How many elements accept sets of that form; the form that most have. */
guint power_row_of_form(const power_row_t *row, accepted_form_t form);
accepted_form_t power_row_form(const power_row_t *row);

/* The permission without which the median of the examined elements is the smallest, and both
 * medians; false if none makes it smaller by a twentieth. */
bool power_row_widest(const power_row_t *row, withdrawal_t *out_withdrawal, double *out_with,
                      double *out_without);

#endif
