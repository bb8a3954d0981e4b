/* SPDX-License-Identifier: Apache-2.0 */
/* For which lengths of a sum a profile predicted the bits, and for which it did not. */
#ifndef ASSAY_PREDICT_SIZES_H
#define ASSAY_PREDICT_SIZES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* One length that was drawn. */
typedef struct prediction_size {
  uint64_t term_count;
  uint64_t cases;
  uint64_t changed; /* Cases of these with other bits. */
} prediction_size_t;

typedef struct prediction_sizes {
  GArray *sizes; /* Of prediction_size_t, by term_count. */
  uint64_t cases;
  uint64_t changed;
} prediction_sizes_t;

prediction_sizes_t prediction_sizes_make(void);
void prediction_sizes_free(prediction_sizes_t *sizes);
void prediction_sizes_add(prediction_sizes_t *sizes, uint64_t term_count, bool is_changed);

/* Where bits changed: from the first length to the last one at which they did. */
typedef struct prediction_change {
  uint64_t low;
  uint64_t high;
  uint64_t sizes_changed; /* Lengths within with changed bits ... */
  uint64_t sizes_drawn;   /* ... among those that were drawn. */
  bool has_before;        /* A smaller length was drawn; then the largest of these is ... */
  uint64_t before;
  bool has_after; /* Likewise the smallest larger one. */
  uint64_t after;
} prediction_change_t;

/* False if nothing changed. */
bool prediction_sizes_change(const prediction_sizes_t *sizes, prediction_change_t *out_change);

/* Appends "n = 17 .. 512 (all 230 lengths drawn there), as predicted up to 16"; something changed.
 */
void prediction_change_print(const prediction_change_t *change, GString *out_text);

#endif
