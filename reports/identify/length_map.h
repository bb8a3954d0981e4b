/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay identify --n LOW..HIGH --db FILE` says: how the order of a sum depends on its length.
 */
#ifndef ASSAY_REPORTS_IDENTIFY_LENGTH_MAP_H
#define ASSAY_REPORTS_IDENTIFY_LENGTH_MAP_H

#include "harness/exec/executor.h"
#include "harness/identify/order/order_by_length.h"

/* `shape` is the program line with n for the length. */
void length_map_print(const executor_t *executor, const char *shape, const order_by_length_t *map);
void length_map_print_json(const executor_t *executor, const char *shape,
                           const order_by_length_t *map);

#endif
