/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the windows and kernels of one convolution group into two dense matrices, with runs of
 * neighbouring elements copied at once, and maps matrix entries back to result elements. */
#include "oracles/ops/convolution/gather.h"

#include "generated/convolution_faults.h"

#include <glib.h>
#include <string.h>

enum {
  KEPT_FEATURES = 2, /* By a fault. */
  LONG_RUN = 16,     /* So many elements are worth a call. */
};

/* ---- Copying --------------------------------------------------------------------------------- */

/* `count` elements of `bytes` bytes, from every `stride`-th place. */
static void copy_strided(uint8_t *out, const uint8_t *in, size_t count, size_t stride,
                         size_t bytes) {
  if (stride == 1 && count >= LONG_RUN) {
    memcpy(out, in, count * bytes);
    return;
  }
  switch (bytes) { /* Constant sizes become single moves. */
    case 1:
      for (size_t i = 0; i < count; i++) out[i] = in[i * stride];
      break;
    case 2:
      for (size_t i = 0; i < count; i++) memcpy(out + i * 2, in + i * stride * 2, 2);
      break;
    case 4:
      for (size_t i = 0; i < count; i++) memcpy(out + i * 4, in + i * stride * 4, 4);
      break;
    case 8:
      for (size_t i = 0; i < count; i++) memcpy(out + i * 8, in + i * stride * 8, 8);
      break;
    default:
      for (size_t i = 0; i < count; i++) {
        memcpy(out + i * bytes, in + i * stride * bytes, bytes);
      }
  }
}

/* Only quantized padding has a pattern other than 0, and then elements have one component. */
static void fill_padding(const convolution_geometry_t *geometry, uint8_t *out, size_t count) {
  const element_t *element = geometry->instance->operands[CONVOLUTION_LHS].type.element;
  if (geometry->padding == 0) {
    memset(out, 0, count * element_bytes(element));
    return;
  }
  for (size_t i = 0; i < count; i++) element_store(element, out, i, geometry->padding);
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Whether the features of a place lie in a row, all of which are read. */
static bool is_in_rows(const convolution_geometry_t *geometry) {
  return geometry->lhs.feature == 1 && geometry->fault != FAULT_convolution_features_dropped;
}

/* The terms along the last spatial dimension, of lhs elements in rows: neighbours at once. */
static uint8_t *gather_runs(const convolution_geometry_t *geometry, const int64_t *sources,
                            size_t place_count, size_t base, uint8_t *out) {
  const tensor_t *lhs = &geometry->instance->operands[CONVOLUTION_LHS];
  size_t bytes = element_bytes(lhs->type.element), features = geometry->features;
  for (size_t place = 0; place < place_count;) {
    size_t run = 1;
    if (sources[place] < 0) {
      while (place + run < place_count && sources[place + run] < 0) run++;
      fill_padding(geometry, out, run * features);
    } else {
      int64_t next = sources[place] + (int64_t)features;
      for (; place + run < place_count && sources[place + run] == next; run++) {
        next += (int64_t)features;
      }
      const uint8_t *from = lhs->data + (base + (size_t)sources[place]) * bytes;
      copy_strided(out, from, run * features, 1, bytes);
    }
    out += run * features * bytes;
    place += run;
  }
  return out;
}

/* One element of `bytes` bytes, which is a constant where it matters, for each place. */
static inline void copy_places(const int64_t *sources, size_t place_count, const uint8_t *from,
                               uint64_t padding, size_t bytes, uint8_t *out) {
  for (size_t place = 0; place < place_count; place++, out += bytes) {
    if (sources[place] >= 0) {
      memcpy(out, from + (size_t)sources[place] * bytes, bytes);
    } else {
      memcpy(out, &padding, bytes);
    }
  }
}

/* The same of one feature, whose elements have up to 8 bytes. */
static uint8_t *gather_places_of_one(const convolution_geometry_t *geometry, const int64_t *sources,
                                     size_t place_count, size_t base, uint8_t *out) {
  const tensor_t *lhs = &geometry->instance->operands[CONVOLUTION_LHS];
  size_t bytes = element_bytes(lhs->type.element);
  const uint8_t *from = lhs->data + base * bytes;
  switch (bytes) {
    case 1:
      copy_places(sources, place_count, from, geometry->padding, 1, out);
      break;
    case 4:
      copy_places(sources, place_count, from, geometry->padding, 4, out);
      break;
    default:
      copy_places(sources, place_count, from, geometry->padding, bytes, out);
  }
  return out + place_count * bytes;
}

/* The terms of one window along spatial dimension `dim` and later, whose lhs elements start at
 * `base`; returns the end of what it wrote. */
static uint8_t *gather_window(const convolution_geometry_t *geometry,
                              const convolution_part_t *part, uint32_t dim, const size_t *window,
                              size_t base, uint8_t *out) {
  const tensor_t *lhs = &geometry->instance->operands[CONVOLUTION_LHS];
  size_t bytes = element_bytes(lhs->type.element);
  if (dim == geometry->spatial_count) {
    size_t kept = geometry->features;
    if (geometry->fault == FAULT_convolution_features_dropped) kept = MIN(kept, KEPT_FEATURES);
    copy_strided(out, lhs->data + base * bytes, kept, geometry->lhs.feature, bytes);
    fill_padding(geometry, out + kept * bytes, geometry->features - kept);
    return out + geometry->features * bytes;
  }
  const window_block_t *block = part->blocks[dim];
  const int64_t *sources = block->sources + window[dim] * block->place_count;
  if (dim + 1 == geometry->spatial_count && geometry->features == 1 && bytes <= 8) {
    return gather_places_of_one(geometry, sources, block->place_count, base, out);
  }
  if (dim + 1 == geometry->spatial_count && is_in_rows(geometry)) {
    return gather_runs(geometry, sources, block->place_count, base, out);
  }
  size_t rest = part->tail_places[dim + 1] * geometry->features;
  for (size_t place = 0; place < block->place_count; place++) {
    if (sources[place] >= 0) {
      out = gather_window(geometry, part, dim + 1, window, base + (size_t)sources[place], out);
      continue;
    }
    fill_padding(geometry, out, rest);
    out += rest * bytes;
  }
  return out;
}

/* The next window in lexicographic order. */
static void step_window(const convolution_geometry_t *geometry, const convolution_part_t *part,
                        size_t *window) {
  for (uint32_t dim = geometry->spatial_count; dim-- > 0;) {
    if (++window[dim] < part->blocks[dim]->window_count) return;
    window[dim] = 0;
  }
}

void convolution_gather_lhs(const convolution_geometry_t *geometry, const convolution_part_t *part,
                            uint8_t *out) {
  for (size_t entry = 0; entry < geometry->batch; entry++) {
    size_t base = part->lhs_base + entry * geometry->lhs.batch;
    size_t window[TYPE_RANK_MAX] = {0};
    for (size_t i = 0; i < part->window_count; i++) {
      out = gather_window(geometry, part, 0, window, base, out);
      step_window(geometry, part, window);
    }
  }
}

/* Rows of channels, one per place and feature along spatial dimension `dim` and later. */
static uint8_t *gather_kernel(const convolution_geometry_t *geometry,
                              const convolution_part_t *part, uint32_t dim, size_t base,
                              uint8_t *out) {
  const tensor_t *rhs = &geometry->instance->operands[CONVOLUTION_RHS];
  size_t bytes = element_bytes(rhs->type.element);
  if (dim < geometry->spatial_count) {
    const window_block_t *block = part->blocks[dim];
    for (size_t place = 0; place < block->place_count; place++) {
      size_t next = base + block->places[place] * geometry->rhs.spatial[dim];
      out = gather_kernel(geometry, part, dim + 1, next, out);
    }
    return out;
  }
  for (size_t feature = 0; feature < geometry->features; feature++) {
    const uint8_t *from = rhs->data + (base + feature * geometry->rhs.feature) * bytes;
    copy_strided(out, from, geometry->channels, geometry->rhs.batch, bytes);
    out += geometry->channels * bytes;
  }
  return out;
}

void convolution_gather_rhs(const convolution_geometry_t *geometry, const convolution_part_t *part,
                            uint8_t *out) {
  gather_kernel(geometry, part, 0, part->rhs_base, out);
}

void convolution_map_elements(const convolution_geometry_t *geometry,
                              const convolution_part_t *part, size_t *out) {
  for (size_t entry = 0; entry < geometry->batch; entry++) {
    size_t window[TYPE_RANK_MAX] = {0};
    for (size_t i = 0; i < part->window_count; i++) {
      size_t base = part->result_base + entry * geometry->result.batch;
      for (uint32_t dim = 0; dim < geometry->spatial_count; dim++) {
        base += part->blocks[dim]->windows[window[dim]] * geometry->result.spatial[dim];
      }
      for (size_t channel = 0; channel < geometry->channels; channel++) {
        *out++ = base + channel * geometry->result.feature;
      }
      step_window(geometry, part, window);
    }
  }
}
