/* SPDX-License-Identifier: Apache-2.0 */
/* Window arithmetic along one spatial dimension: number of windows, and the input index under a
 * given place of a given window, or none for padding. In 128-bit integers, so that no attribute
 * overflows. */
#include "oracles/ops/convolution/convolution.h"

convolution_axis_t convolution_axis(const program_t *program, uint32_t dim) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const type_t *lhs = &program->operands[CONVOLUTION_LHS];
  const type_t *rhs = &program->operands[CONVOLUTION_RHS];
  return (convolution_axis_t){
      .input_size = lhs->dims[attributes->input.spatial.dims[dim]],
      .kernel_size = rhs->dims[attributes->kernel.spatial.dims[dim]],
      .stride = attributes->window_strides.dims[dim],
      .lhs_dilation = attributes->lhs_dilation.dims[dim],
      .rhs_dilation = attributes->rhs_dilation.dims[dim],
      .padding = {attributes->padding.low[dim], attributes->padding.high[dim]},
      .is_reversed = attributes->window_reversal[dim],
  };
}

static __int128 dilated_size(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (__int128)(size - 1) * dilation + 1;
}

__int128 convolution_window_count(const convolution_axis_t *axis) {
  __int128 input = dilated_size(axis->input_size, axis->lhs_dilation);
  __int128 padded = input + axis->padding.low + axis->padding.high;
  __int128 window = dilated_size(axis->kernel_size, axis->rhs_dilation);
  if (padded == 0 || window > padded) return 0;
  return (padded - window) / axis->stride + 1;
}

int64_t convolution_source(const convolution_axis_t *axis, int64_t window, int64_t place) {
  int64_t in_window = axis->is_reversed ? axis->kernel_size - 1 - place : place;
  __int128 padded = (__int128)window * axis->stride + (__int128)in_window * axis->rhs_dilation;
  __int128 dilated = padded - axis->padding.low;
  if (dilated < 0 || dilated >= dilated_size(axis->input_size, axis->lhs_dilation)) return -1;
  if (dilated % axis->lhs_dilation != 0) return -1;
  return (int64_t)(dilated / axis->lhs_dilation);
}
