/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of an adder that has no multiplier and never saturates: it shifts both operands to the
 * scale of its result.  So scales are powers of two, the result's is the least that holds every
 * sum, and all zero points are 0.  shifting_adder.table names them.
 *
 *   cc -shared -fPIC -I harness/quant/target -o shifting_adder.so
 * corpus/quant/functions/shifting_adder.c -lm */
#include <math.h>
#include <stdio.h>

#include "assay_quant_function.h"

static int is_shift(const assay_quant_port_t *port) {
  int exponent;
  return frexp(port->scales[0], &exponent) == 0.5 && port->zero_points[0] == 0;
}

static int32_t contradict(const assay_quant_request_t *request, const assay_quant_port_t *port,
                          const char *what) {
  snprintf(request->message, request->message_bytes, "%s has scale %g and zero point %lld, %s",
           port->name, port->scales[0], (long long)port->zero_points[0], what);
  return ASSAY_QUANT_FUNCTION_CONTRADICTS;
}

/* rule function holds_every_sum LEFT RIGHT OUTPUT, all per tensor: where both operands are known
 * the output's scale is the least power of two that is at least the sum of theirs; operands with
 * other scales than powers of two there are none of. */
int32_t holds_every_sum(const assay_quant_request_t *request) {
  assay_quant_port_t *left = &request->ports[0], *right = &request->ports[1];
  assay_quant_port_t *output = &request->ports[2];
  for (uint32_t i = 0; i < request->port_count; i++) {
    const assay_quant_port_t *port = &request->ports[i];
    if (port->is_known && !is_shift(port)) return contradict(request, port, "which is no shift");
  }
  if (!left->is_known || !right->is_known) {
    return output->is_known ? ASSAY_QUANT_FUNCTION_WAITS : ASSAY_QUANT_FUNCTION_HOLDS;
  }
  int exponent;
  double least = frexp(left->scales[0] + right->scales[0], &exponent) == 0.5
                     ? ldexp(1, exponent - 1)
                     : ldexp(1, exponent);
  if (output->is_known) {
    if (output->scales[0] == least) return ASSAY_QUANT_FUNCTION_HOLDS;
    return contradict(request, output, "and another scale holds every sum");
  }
  output->is_known = 1;
  output->axis = -1;
  output->count = 1;
  output->scales[0] = least;
  output->zero_points[0] = 0;
  return ASSAY_QUANT_FUNCTION_HOLDS;
}
