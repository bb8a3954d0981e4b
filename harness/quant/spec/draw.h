/* SPDX-License-Identifier: Apache-2.0 */
/* Random model constraints, as text. */
#ifndef ASSAY_QUANT_SPEC_DRAW_H
#define ASSAY_QUANT_SPEC_DRAW_H

#include "harness/base/rng.h"
#include "harness/types/type.h"

/* Appends a random spec that fits the high-precision type: any kind, calibrations most likely.
 * Scales come from few numbers, most of them powers of two, so that parameters are often equal and
 * products of scales sometimes are what a bias has. */
void quant_draw_spec_text(rng_t *rng, const type_t *type, GString *out_text);

/* Appends an observed range: "!quant.calibrated<f32<-0.5:1.5>>". */
void quant_draw_calibration_text(rng_t *rng, const element_t *expressed, GString *out_text);

/* Draws a storage type that targets have, i8 mostly, and a range within it. */
typedef struct quant_draw_storage {
  const char *name;
  int64_t type_min; /* Of the type. */
  int64_t type_max;
  int64_t minimum; /* minimum < maximum, and both are within the type. */
  int64_t maximum;
} quant_draw_storage_t;
quant_draw_storage_t quant_draw_storage(rng_t *rng);

/* Appends "i8", or "i8<-127:127>" where the range is not that of the type. */
void quant_draw_storage_text(const quant_draw_storage_t *storage, GString *out_text);

#endif
