/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the elements under each window of reduce_window, as the rows of a derived reduce, with
 * padding kept or skipped as variants. Faults that misplace a window act here. */
#include "oracles/ops/windowed/gather.h"

#include "generated/windowed_faults.h"
#include "generated/windowed_permissions.h"
#include "oracles/derived/term_rows.h"

/* ---- Windows --------------------------------------------------------------------------------- */

/* What a faulty implementation takes the windows along a dimension for. */
static window_t spoil(window_t window, int64_t length, bool is_last, fault_t fault) {
  window_t spoilt = window;
  int64_t largest = MAX(MAX(window.size, window.window_dilation), MAX(window.low, window.high));
  if (largest > TYPE_ELEMENTS_MAX || window.low < -TYPE_ELEMENTS_MAX) return window;
  switch (fault) {
    case FAULT_window_dilation_off_by_one:
      spoilt.window_dilation++;
      break;
    case FAULT_window_ignores_base_dilation:
      spoilt.base_dilation = 1;
      break;
    case FAULT_window_ignores_stride:
      spoilt.stride = 1;
      break;
    case FAULT_window_swaps_padding:
      spoilt.low = window.high;
      break;
    case FAULT_window_one_beyond:
      if (is_last) spoilt.size++;
      break;
    case FAULT_window_ends_at_edge: {
      /* The rest that the strides leave is put in front. */
      window_t dense = window;
      dense.stride = 1;
      int64_t rest = (window_count(&dense, length) - 1) % window.stride;
      if (rest > 0) spoilt.low -= rest;
      break;
    }
    default:
      break;
  }
  return spoilt;
}

/* The elements along one dimension of each of its windows, times `step`; -1 as they are. */
typedef struct along {
  size_t size;
  size_t count;
  const int64_t *places; /* count * size of them. */
} along_t;

/* The element that a faulty implementation takes for one of a window, or -1. */
static int64_t move_source(const window_t *window, int64_t length, int64_t number, int64_t place,
                           int64_t source, fault_t fault) {
  bool is_plain = window->base_dilation == 1 && length > 0;
  int64_t first = number * window->stride - window->low;
  if (fault == FAULT_window_repeats_edge && is_plain && source < 0) {
    return CLAMP(first + place * window->window_dilation, 0, length - 1);
  }
  bool is_partial = first + (window->size - 1) * window->window_dilation >= length;
  return fault == FAULT_window_partial_dropped && is_plain && is_partial ? -1 : source;
}

static along_t along_make(const window_t *window, int64_t length, size_t count, int64_t step,
                          fault_t fault, arena_t *arena) {
  along_t along = {.size = (size_t)window->size, .count = count};
  int64_t *places = ARENA_NEW_ARRAY(arena, int64_t, along.size *count);
  for (size_t i = 0; i < along.size * count; i++) {
    int64_t number = (int64_t)(i / along.size);
    int64_t place = (int64_t)(i % along.size);
    int64_t source = window_source(window, length, number, place);
    if (fault != FAULT_NONE) source = move_source(window, length, number, place, source, fault);
    places[i] = source < 0 ? -1 : source * step;
  }
  along.places = places;
  return along;
}

/* Writes the elements of window `number` to `out`, which has room for them; dimension by dimension,
 * spreading what there is from the back. */
static void write_window(const along_t *along, uint32_t rank, size_t number, int64_t *out) {
  size_t index[TYPE_RANK_MAX];
  for (uint32_t dim = rank; dim-- > 0;) {
    index[dim] = number % along[dim].count;
    number /= along[dim].count;
  }
  out[0] = 0;
  size_t filled = 1;
  for (uint32_t dim = 0; dim < rank; dim++) {
    size_t size = along[dim].size;
    const int64_t *places = along[dim].places + index[dim] * size;
    for (size_t outer = filled; outer-- > 0;) {
      int64_t base = out[outer];
      for (size_t inner = size; inner-- > 0;) {
        bool is_element = base >= 0 && places[inner] >= 0;
        out[outer * size + inner] = is_element ? base + places[inner] : -1;
      }
    }
    filled *= size;
  }
}

/* Whether the windows' elements, and those along each dimension, are few enough. */
static bool sizes_are_bounded(const window_t *windows, const type_t *counts) {
  size_t total = 1;
  for (uint32_t dim = 0; dim < counts->rank; dim++) {
    if (windows[dim].size > TYPE_ELEMENTS_MAX) return false;
    size_t along = (size_t)windows[dim].size * (size_t)counts->dims[dim];
    if (along > TYPE_ELEMENTS_MAX || total * along > TYPE_ELEMENTS_MAX) return false;
    total *= along;
  }
  return true;
}

/* The windows along a dimension, with what a faulty implementation takes from the first one. */
static window_t read_along(const windowed_attributes_t *attributes, uint32_t dim, fault_t fault) {
  window_t window = windowed_along(attributes, dim), first = windowed_along(attributes, 0);
  if (fault == FAULT_window_stride_of_first) window.stride = first.stride;
  if (fault == FAULT_window_size_of_first) window.size = first.size;
  if (fault == FAULT_window_padding_of_first) window.low = first.low;
  return window;
}

status_t window_elements_make(const program_t *program, fault_t fault, arena_t *arena,
                              window_elements_t *out_elements, failure_t *error) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  const type_t *operand = &program->operands[0];
  type_t counts = windowed_counts(attributes, operand);
  *out_elements = (window_elements_t){.window_count = type_element_count(&counts)};
  if (out_elements->window_count == 0) return STATUS_OK;
  window_t windows[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    bool is_last = dim + 1 == operand->rank;
    windows[dim] = spoil(read_along(attributes, dim, fault), operand->dims[dim], is_last, fault);
  }
  if (!sizes_are_bounded(windows, &counts)) {
    return status_fail(error, STATUS_UNSUPPORTED, "the windows hold more than %d elements",
                       (int)TYPE_ELEMENTS_MAX);
  }
  along_t along[TYPE_RANK_MAX];
  int64_t step = 1;
  out_elements->size = 1;
  for (uint32_t dim = operand->rank; dim-- > 0;) {
    along[dim] =
        along_make(&windows[dim], operand->dims[dim], (size_t)counts.dims[dim], step, fault, arena);
    step *= operand->dims[dim];
    out_elements->size *= along[dim].size;
  }
  int64_t *elements =
      ARENA_NEW_ARRAY(arena, int64_t, out_elements->window_count * out_elements->size);
  for (size_t i = 0; i < out_elements->window_count; i++) {
    write_window(along, operand->rank, i, elements + i * out_elements->size);
  }
  out_elements->elements = elements;
  return STATUS_OK;
}

/* One of them along a single dimension makes one with whatever there is along the others. */
bool has_empty_window(const program_t *program) {
  const type_t *operand = &program->operands[0];
  type_t counts = windowed_counts(windowed_attributes(program), operand);
  if (type_element_count(&counts) == 0) return false;
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    window_t window = windowed_along(windowed_attributes(program), dim);
    for (int64_t number = 0; number < counts.dims[dim]; number++) {
      bool is_empty = true;
      for (int64_t position = 0; position < window.size && is_empty; position++) {
        is_empty = window_source(&window, operand->dims[dim], number, position) < 0;
      }
      if (is_empty) return true;
    }
  }
  return false;
}

/* ---- reduce_window --------------------------------------------------------------------------- */

enum { VARIANT_ELEMENTS, VARIANT_SKIPPED, VARIANT_COUNT };

/* The terms of a window: padding and holes are initial values (the specification: they are elements
 * of the window), or by the other variant none at all.  Returns how many there are. */
static size_t write_terms(const int64_t *elements, size_t size, uint32_t variant, fault_t fault,
                          int64_t *out_terms) {
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    bool is_padding = elements[i] < 0;
    if (is_padding && variant == VARIANT_SKIPPED) continue;
    int64_t padding = fault == FAULT_window_pads_zeros ? TERM_ZERO : TERM_INIT;
    out_terms[count++] = is_padding ? padding : elements[i];
    if (is_padding && fault == FAULT_window_pads_twice) out_terms[count++] = padding;
  }
  return count;
}

static status_t gather_windows(const case_t *instance, uint32_t variant, fault_t fault,
                               arena_t *arena, derived_parts_t *out_parts, failure_t *error) {
  const program_t *program = &instance->program;
  window_elements_t windows;
  STATUS_TRY(window_elements_make(program, fault, arena, &windows, error));
  size_t total = windows.window_count * windows.size;
  size_t *ends = ARENA_NEW_ARRAY(arena, size_t, windows.window_count);
  int64_t *terms = ARENA_NEW_ARRAY(arena, int64_t, 2 * total);
  size_t end = 0;
  bool lags = fault == FAULT_window_sum_lags && type_element_count(&program->operands[0]) > 4096;
  for (size_t i = 0; i < windows.window_count; i++) {
    end +=
        write_terms(windows.elements + i * windows.size, windows.size, variant, fault, terms + end);
    int64_t first = windows.elements[i * windows.size];
    if (lags && i > 0 && first > 0) terms[end++] = first - 1;
    ends[i] = end;
  }
  term_rows_t rows = {.row_count = windows.window_count, .ends = ends, .terms = terms};
  reduction_types_t types = windowed_types(program);
  term_source_t source = {.reduction = &windowed_attributes(program)->reduction,
                          .types = &types,
                          .inputs = instance->operands,
                          .inits = instance->operands + program->result_count};
  *out_parts = term_rows_gather(&rows, &source, arena);
  return STATUS_OK;
}

static uint32_t count_variants(const case_t *instance, const contract_t *contract) {
  (void)instance;
  return PERMITTED(contract, window_padding) == WINDOW_PADDING_EITHER ? VARIANT_COUNT : 1;
}

static const char *name_variant(uint32_t variant) {
  return variant == VARIANT_SKIPPED ? "window_padding=skipped" : "";
}

const gathering_t reduce_window_gathering = {
    .gather = gather_windows,
    .count_variants = count_variants,
    .name_variant = name_variant,
};
