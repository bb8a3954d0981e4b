/* SPDX-License-Identifier: Apache-2.0 */
/* A description of our databases for Datasette (datasette FILE.db -m metadata.json): what tables,
 * views and columns mean, as the comments of the schema say, and the named queries. */
#ifndef ASSAY_REPORTS_DATASETTE_H
#define ASSAY_REPORTS_DATASETTE_H

#include <glib.h>
#include <stdio.h>

/* `path`: the database file, which need not be there, by whose name Datasette knows it; NULL:
 * campaign.db. */
void datasette_write(const char *path, FILE *out);

/* What the comments of SQL texts say: of a table or view under its name, of a column under
 * "table.column".  Both are char *, owned. */
GHashTable *schema_descriptions(const char *const *sql_texts, size_t count);

#endif
