/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of dimension numbers, as op attributes hold them: "[0,2]". */
#ifndef ASSAY_TYPES_DIMENSION_LIST_H
#define ASSAY_TYPES_DIMENSION_LIST_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/base/text.h"
#include "harness/types/type.h"

/* Entries come from a text: they may be anything until dimension_list_in_range() was asked. */
typedef struct dimension_list {
  uint32_t count;
  int64_t dims[TYPE_RANK_MAX];
} dimension_list_t;

/* "[]", "[0,2]".  More than TYPE_RANK_MAX entries are refused: no valid program has them. */
status_t dimension_list_parse(scan_t *scan, dimension_list_t *out_list, failure_t *error);
void dimension_list_print(const dimension_list_t *list, GString *out_text);

/* "0, 2": the entries alone, with what stands between them. */
void dimension_list_print_entries(const dimension_list_t *list, const char *between,
                                  GString *out_text);

/* Whether every entry is in 0..rank-1. */
bool dimension_list_in_range(const dimension_list_t *list, uint32_t rank);

bool dimension_list_is_unique(const dimension_list_t *list);
bool dimension_list_contains(const dimension_list_t *list, int64_t dim);

/* Appends an entry.  There must be room. */
void dimension_list_append(dimension_list_t *list, int64_t dim);

/* The dimensions 0..rank-1 that are in neither list, ascending.  `other` may be NULL. */
dimension_list_t dimension_list_rest(uint32_t rank, const dimension_list_t *list,
                                     const dimension_list_t *other);

/* The entries as a bit mask.  All are in range. */
uint32_t dimension_list_mask(const dimension_list_t *list);

/* The product of the sizes of those dimensions of `type`; 1 for an empty list. */
size_t dimension_list_extent(const dimension_list_t *list, const type_t *type);

/* What an index along those dimensions adds to the row-major element index of a tensor of `type`:
 * one entry for each of the dimension_list_extent() index tuples, in lexicographic order of the
 * list (its last entry runs fastest). */
const size_t *dimension_list_offsets(const dimension_list_t *list, const type_t *type,
                                     arena_t *arena);

#endif
