/* SPDX-License-Identifier: Apache-2.0 */
/* SQL that follows from the columns of rows (columns.def).  Private to harness/store. */
#ifndef ASSAY_STORE_ROWS_ROW_SQL_H
#define ASSAY_STORE_ROWS_ROW_SQL_H

#include <glib.h>

#include "harness/store/rows/row.h"

/* Appends SQL in which "{row ROLE}" stands for the columns of that row with that role, with commas
 * between them, and "{row ROLE: text}" for the text with each of them in place of "$":
 *
 *   UPDATE run SET {run_times MAX: $ = :$}
 *
 * A row or role that columns.def does not have is a mistake in the program, and ends it. */
void row_append_sql(const char *sql, GString *out_sql);

/* Adds one row whose members are the parameters, or its counts to the row with the same key. */
void row_append_upsert(row_kind_t kind, GString *out_sql);

/* Offers the case of a finding as the reproducer in a role, with the parameters :divergence_id,
 * :role and :program_id; the better case is kept. */
void row_append_offer(GString *out_sql);

/* Adds what is counted in the database attached as `source`, and its reproducers, through the maps
 * that merge.sql makes. */
void row_append_merge(GString *out_sql);

/* Adds what parts counted to the runs in temp.part_map that started them. */
void row_append_absorb(GString *out_sql);

/* Takes away what the parts in temp.part_map counted. */
void row_append_drop_parts(GString *out_sql);

#endif
