/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a closure whose least number of initial values may still fall: what Dijkstra's
 * algorithm takes the least of, as a binary heap. */
#ifndef ASSAY_ORACLES_EXACT_CLOSURE_UNSETTLED_H
#define ASSAY_ORACLES_EXACT_CLOSURE_UNSETTLED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct unsettled {
  GArray *entries; /* Of uint64_t: the number above 16 bits of value; a heap. */
} unsettled_t;

unsettled_t unsettled_make(void);
void unsettled_free(unsettled_t *unsettled);
void unsettled_clear(unsettled_t *unsettled);

/* A value may be added again with a smaller number: the older entry stays. */
void unsettled_add(unsettled_t *unsettled, uint16_t value, uint32_t number);

/* Takes out an entry of the least number; false if none is left. */
bool unsettled_take_least(unsettled_t *unsettled, uint16_t *out_value, uint32_t *out_number);

#endif
