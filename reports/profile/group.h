/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by a key, which become the rows of a table; for profile_grids.c. */
#ifndef ASSAY_REPORTS_PROFILE_GROUP_H
#define ASSAY_REPORTS_PROFILE_GROUP_H

#include <glib.h>

#include "reports/report_grid.h"

enum { GROUP_COUNTS_MAX = 10 };

/* Rows by their texts, "A\tB", each with counts and one text that is gathered. */
typedef struct group {
  GHashTable *rows; /* Owned texts -> owned group_row_t. */
} group_t;

typedef struct group_row {
  uint64_t counts[GROUP_COUNTS_MAX];
  char *note; /* Owned; "" at first. */
} group_row_t;

void group_init(group_t *group);
void group_deinit(group_t *group);

/* The row of these texts, ended by NULL; made if it is new. */
group_row_t *group_row(group_t *group, const char *const *texts);

/* Adds to the note what is not in it, after a comma; of more than a few it says that. */
void group_row_note(group_row_t *row, const char *text);

/* Writes the rows by their texts into an empty grid: as many columns of texts and of counts as have
 * names, and the note in the last one if `has_note`.  `names` ends with NULL. */
void group_write(const group_t *group, const char *const *names, int texts, bool has_note,
                 report_grid_t *grid);

#endif
