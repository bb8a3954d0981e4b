/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay power` tells: a table, or JSON. */
#ifndef ASSAY_REPORTS_POWER_POWER_REPORT_H
#define ASSAY_REPORTS_POWER_POWER_REPORT_H

#include <jansson.h>

#include "harness/power/measure.h"

/* "n = 4096" or "n = 513..4096": how many terms elements of the row have. */
void power_report_terms(const power_row_t *row, GString *out_text);

/* "3.1", "0.5", "1.2e+06", "any" for infinity. */
void power_report_number(double value, GString *out_text);

/* The rows of a table, as JSON has them. */
json_t *json_power(const contract_t *contract, const power_table_t *table);

void power_report_print(const power_options_t *options, const power_table_t *table);
void power_report_print_json(const power_options_t *options, const power_table_t *table);

#endif
