/* SPDX-License-Identifier: Apache-2.0 */
/* Names the pattern of wrong elements by trying descriptions from specific to general: one
 * element, an end or block of one dimension, a single index, a period, an edge. */
#include "harness/diagnose/wrong_pattern.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD_MIN = 3, PERIOD_MAX = 64, PERIODS_SEEN_MIN = 3 };

typedef struct mask {
  const type_t *type;
  const uint8_t *wrong;
  size_t count;
  size_t wrong_count;
  size_t first; /* The first and the last wrong element. */
  size_t last;
  const char *roles[TYPE_RANK_MAX];
} mask_t;

/* A set of indices of one dimension. */
typedef enum place {
  PLACE_LAST,
  PLACE_FIRST,
  PLACE_TAIL,     /* index >= floor(size / parameter) * parameter */
  PLACE_MULTIPLE, /* index % parameter == 0 */
  PLACE_INDEX,    /* index == parameter */
} place_t;

static bool is_at(place_t place, size_t parameter, size_t index, size_t size) {
  switch (place) {
    case PLACE_LAST:
      return index + 1 == size;
    case PLACE_FIRST:
      return index == 0;
    case PLACE_TAIL:
      return index >= size / parameter * parameter;
    case PLACE_MULTIPLE:
      return index % parameter == 0;
    case PLACE_INDEX:
    default:
      return index == parameter;
  }
}

static size_t stride_of(const mask_t *mask, uint32_t dim) {
  size_t stride = 1;
  for (uint32_t i = dim + 1; i < mask->type->rank; i++) stride *= (size_t)mask->type->dims[i];
  return stride;
}

/* Whether the wrong elements are those places of a dimension, as the header says. */
static bool fills(const mask_t *mask, uint32_t dim, place_t place, size_t parameter) {
  size_t size = (size_t)mask->type->dims[dim];
  size_t stride = stride_of(mask, dim);
  size_t inside = 0;
  for (size_t index = 0; index < size; index++) inside += is_at(place, parameter, index, size);
  size_t places = mask->count / size * inside;
  if (places * 2 > mask->count || mask->wrong_count * 2 < places) return false;
  for (size_t i = mask->first; i <= mask->last; i++) {
    if (mask->wrong[i] != 0 && !is_at(place, parameter, i / stride % size, size)) return false;
  }
  return true;
}

static bool find_end(const mask_t *mask, char *out) {
  for (int end = 0; end < 2; end++) {
    for (uint32_t dim = 0; dim < mask->type->rank; dim++) {
      if (!fills(mask, dim, end == 0 ? PLACE_LAST : PLACE_FIRST, 0)) continue;
      snprintf(out, VERDICT_PATTERN_BYTES, "%s-%s", end == 0 ? "last" : "first", mask->roles[dim]);
      return true;
    }
  }
  return false;
}

static bool find_block(const mask_t *mask, place_t place, char *out) {
  static const size_t blocks[] = {64, 32, 16, 8};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    for (uint32_t dim = 0; dim < mask->type->rank; dim++) {
      size_t size = (size_t)mask->type->dims[dim];
      if (size <= blocks[i] || (place == PLACE_TAIL && size % blocks[i] == 0)) continue;
      if (!fills(mask, dim, place, blocks[i])) continue;
      const char *word = place == PLACE_TAIL ? "tail" : "multiple";
      snprintf(out, VERDICT_PATTERN_BYTES, "%s-of-%zu", word, blocks[i]);
      return true;
    }
  }
  return false;
}

static bool find_index(const mask_t *mask, char *out) {
  for (uint32_t dim = 0; dim < mask->type->rank; dim++) {
    size_t index = mask->first / stride_of(mask, dim) % (size_t)mask->type->dims[dim];
    if (!fills(mask, dim, PLACE_INDEX, index)) continue;
    snprintf(out, VERDICT_PATTERN_BYTES, "one-%s", mask->roles[dim]);
    return true;
  }
  return false;
}

static bool has_period(const mask_t *mask, size_t period) {
  size_t phase = mask->first % period;
  if ((mask->count - phase + period - 1) / period < PERIODS_SEEN_MIN) return false;
  for (size_t i = 0; i < mask->count; i++) {
    if ((mask->wrong[i] != 0) != (i % period == phase)) return false;
  }
  return true;
}

static bool find_period(const mask_t *mask, char *out) {
  for (size_t period = PERIOD_MIN; period <= PERIOD_MAX; period++) {
    if (!has_period(mask, period)) continue;
    const char *suffix = period % 10 == 3 && period != 13 ? "rd" : "th";
    if (period % 10 == 1 && period != 11) suffix = "st";
    if (period % 10 == 2 && period != 12) suffix = "nd";
    snprintf(out, VERDICT_PATTERN_BYTES, "every-%zu%s", period, suffix);
    return true;
  }
  return false;
}

static bool is_on_edge(const mask_t *mask, size_t element) {
  size_t stride = 1;
  for (uint32_t dim = mask->type->rank; dim-- > 0;) {
    size_t size = (size_t)mask->type->dims[dim];
    size_t index = element / stride % size;
    if (size > 1 && (index == 0 || index + 1 == size)) return true;
    stride *= size;
  }
  return false;
}

static bool is_edge(const mask_t *mask) {
  size_t places = 0;
  for (size_t i = 0; i < mask->count; i++) {
    bool on_edge = is_on_edge(mask, i);
    if (mask->wrong[i] != 0 && !on_edge) return false;
    places += on_edge;
  }
  return places < mask->count && mask->wrong_count * 2 >= places;
}

static void find_roles(const program_t *program, uint32_t result, mask_t *mask) {
  static const char *const words[AXIS_ROLE_COUNT] = {"batch", "row", "column", "term"};
  uint32_t rank = mask->type->rank;
  axes_t axes;
  bool has_axes = axes_of(program, &axes) && axes.results[result].count == rank;
  for (uint32_t dim = 0; dim < rank; dim++) {
    axis_role_t role = AXIS_BATCH;
    if (has_axes) {
      role = axes.items[axes.results[result].axes[dim]].role;
    } else if (dim + 2 >= rank) {
      role = dim + 1 == rank ? AXIS_COLUMN : AXIS_ROW;
    }
    mask->roles[dim] = words[role];
  }
}

static const char *find_single(const mask_t *mask) {
  if (mask->first + 1 == mask->count) return "last";
  return mask->first == 0 ? "first" : "one";
}

void wrong_pattern(const program_t *program, uint32_t result, const uint8_t *wrong,
                   char out_pattern[VERDICT_PATTERN_BYTES]) {
  const type_t *type = &program->results[result];
  mask_t mask = {.type = type, .wrong = wrong, .count = type_element_count(type)};
  for (size_t i = 0; i < mask.count; i++) {
    if (wrong[i] == 0) continue;
    if (mask.wrong_count++ == 0) mask.first = i;
    mask.last = i;
  }
  const char *word = NULL;
  if (mask.wrong_count == mask.count) {
    word = "all";
  } else if (mask.wrong_count == 1) {
    word = find_single(&mask);
  } else {
    find_roles(program, result, &mask);
    bool found = find_end(&mask, out_pattern) || find_block(&mask, PLACE_TAIL, out_pattern) ||
                 find_block(&mask, PLACE_MULTIPLE, out_pattern) || find_index(&mask, out_pattern) ||
                 find_period(&mask, out_pattern);
    if (found) return;
    word = mask.wrong_count * 2 > mask.count ? "most" : "scattered";
    if (is_edge(&mask)) word = "edge";
  }
  snprintf(out_pattern, VERDICT_PATTERN_BYTES, "%s", word);
}
