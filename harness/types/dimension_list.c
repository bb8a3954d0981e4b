/* SPDX-License-Identifier: Apache-2.0 */
/* Parses, prints and checks lists of dimensions, and computes the element offsets of all index
 * combinations along them. */
#include "harness/types/dimension_list.h"

#include <inttypes.h>

static status_t parse_entry(scan_t *scan, uint32_t index, void *list, failure_t *error) {
  return scan_integer(scan, &((dimension_list_t *)list)->dims[index], error);
}

status_t dimension_list_parse(scan_t *scan, dimension_list_t *out_list, failure_t *error) {
  static const scan_list_t kind = {"a list holds", "dimensions", TYPE_RANK_MAX, parse_entry};
  dimension_list_t list = {.count = 0};
  STATUS_TRY(scan_list(scan, &kind, &list, &list.count, error));
  *out_list = list;
  return STATUS_OK;
}

void dimension_list_print_entries(const dimension_list_t *list, const char *between,
                                  GString *out_text) {
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? "" : between, list->dims[i]);
  }
}

void dimension_list_print(const dimension_list_t *list, GString *out_text) {
  g_string_append_c(out_text, '[');
  dimension_list_print_entries(list, ",", out_text);
  g_string_append_c(out_text, ']');
}

bool dimension_list_in_range(const dimension_list_t *list, uint32_t rank) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] < 0 || list->dims[i] >= (int64_t)rank) return false;
  }
  return true;
}

bool dimension_list_is_unique(const dimension_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (list->dims[i] == list->dims[j]) return false;
    }
  }
  return true;
}

bool dimension_list_contains(const dimension_list_t *list, int64_t dim) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] == dim) return true;
  }
  return false;
}

void dimension_list_append(dimension_list_t *list, int64_t dim) {
  g_assert(list->count < TYPE_RANK_MAX);
  list->dims[list->count++] = dim;
}

dimension_list_t dimension_list_rest(uint32_t rank, const dimension_list_t *list,
                                     const dimension_list_t *other) {
  dimension_list_t rest = {.count = 0};
  for (uint32_t dim = 0; dim < rank; dim++) {
    if (dimension_list_contains(list, dim)) continue;
    if (other != NULL && dimension_list_contains(other, dim)) continue;
    dimension_list_append(&rest, dim);
  }
  return rest;
}

uint32_t dimension_list_mask(const dimension_list_t *list) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < list->count; i++) mask |= 1u << list->dims[i];
  return mask;
}

size_t dimension_list_extent(const dimension_list_t *list, const type_t *type) {
  size_t extent = 1;
  for (uint32_t i = 0; i < list->count; i++) {
    extent *= (size_t)type->dims[list->dims[i]];
  }
  return extent;
}

/* Elements between neighbours along `dim`. */
static size_t stride_of(const type_t *type, int64_t dim) {
  size_t stride = 1;
  for (int64_t inner = dim + 1; inner < (int64_t)type->rank; inner++) {
    stride *= (size_t)type->dims[inner];
  }
  return stride;
}

const size_t *dimension_list_offsets(const dimension_list_t *list, const type_t *type,
                                     arena_t *arena) {
  size_t extent = dimension_list_extent(list, type);
  size_t *offsets = ARENA_NEW_ARRAY(arena, size_t, extent);
  if (extent == 0) return offsets;
  /* offsets[0..filled-1] are those of the entries so far, the slowest running first; spreading them
   * from the back makes room for the next entry in place. */
  offsets[0] = 0;
  size_t filled = 1;
  for (uint32_t i = 0; i < list->count; i++) {
    size_t size = (size_t)type->dims[list->dims[i]];
    size_t stride = stride_of(type, list->dims[i]);
    for (size_t outer = filled; outer-- > 0;) {
      size_t at = offsets[outer];
      for (size_t inner = 0; inner < size; inner++, at += stride)
        offsets[outer * size + inner] = at;
    }
    filled *= size;
  }
  return offsets;
}
