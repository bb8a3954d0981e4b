/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a file may call and that are several steps.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_OP_MADE_STEPS_H
#define ASSAY_ORACLES_OPS_DECLARED_OP_MADE_STEPS_H

#include "oracles/ops/declared/op/reader.h"

/* One step that combines step `a` over the indices of `over`. */
status_t reader_add_fold(reader_t *reader, step_kind_t kind, uint16_t a, uint32_t over,
                         uint16_t *out_step);

status_t reader_add_logistic(reader_t *reader, uint16_t x, uint16_t *out_step);
status_t reader_add_minimum(reader_t *reader, uint16_t a, uint16_t b, uint16_t *out_step);
status_t reader_add_smallest(reader_t *reader, uint16_t a, uint32_t over, uint16_t *out_step);
status_t reader_add_counts(reader_t *reader, uint32_t over, uint16_t *out_step);
/* Of what is stored, a scale and a zero point, in this order; `at` is where that is written. */
status_t reader_add_dequantize(reader_t *reader, const char *at, uint16_t steps[3],
                               uint16_t *out_step);
status_t reader_add_mean(reader_t *reader, uint16_t a, uint32_t over, uint16_t *out_step);

#endif
