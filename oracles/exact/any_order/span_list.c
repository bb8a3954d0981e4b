/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a sorted list of disjoint intervals by binary search; too many of them are merged across
 * the smallest gaps, which only adds numbers between others. */
#include "oracles/exact/any_order/span_list.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

span_list_t span_list_make(size_t limit, bool merges, arena_t *arena) {
  span_list_t list = {.limit = limit, .room = limit == 1 ? 1 : 2 * limit, .merges = merges};
  list.spans = ARENA_NEW_ARRAY(arena, span_t, list.room + 1);
  return list;
}

void span_list_clear(span_list_t *list) {
  list->count = 0;
  list->is_full = false;
  list->overflows = 0;
}

/* The first interval that does not end below the number. */
static size_t find(const span_t *spans, size_t count, real_t value) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (real_is_less(spans[middle].to, value)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool span_list_has(const span_t *spans, size_t count, real_t value) {
  size_t i = find(spans, count, value);
  return i < count && !real_is_less(value, spans[i].from);
}

static void extend(span_t *span, span_t other) {
  span->from = real_min(span->from, other.from);
  span->to = real_max(span->to, other.to);
}

static int compare_gaps(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* To binary64, which is enough to tell which gaps are small. */
static double gap_after(const span_list_t *list, size_t i) {
  return list->spans[i + 1].from.high - list->spans[i].to.high +
         (list->spans[i + 1].from.low - list->spans[i].to.low);
}

static void merge_closest(span_list_t *list) {
  size_t excess = list->count - list->limit;
  double *gaps = g_new(double, list->count - 1);
  for (size_t i = 0; i + 1 < list->count; i++) gaps[i] = gap_after(list, i);
  qsort(gaps, list->count - 1, sizeof *gaps, compare_gaps);
  double widest = gaps[excess - 1];
  g_free(gaps);
  size_t last = 0;
  for (size_t i = 1; i < list->count; i++) {
    span_t next = list->spans[i];
    double gap =
        next.from.high - list->spans[last].to.high + (next.from.low - list->spans[last].to.low);
    if (gap <= widest) {
      extend(&list->spans[last], next);
    } else {
      list->spans[++last] = next;
    }
  }
  list->count = last + 1;
}

void span_list_settle(span_list_t *list) {
  if (list->count <= list->limit) return;
  if (list->merges) {
    merge_closest(list);
  } else {
    list->is_full = true;
    list->count = list->limit;
  }
}

void span_list_add(span_list_t *list, span_t span) {
  if (list->limit == 1 && list->merges && list->count == 1) {
    extend(&list->spans[0], span);
    return;
  }
  size_t begin = find(list->spans, list->count, span.from);
  size_t end = begin;
  while (end < list->count && !real_is_less(span.to, list->spans[end].from)) end++;
  if (begin == end) {
    memmove(&list->spans[begin + 1], &list->spans[begin],
            (list->count - begin) * sizeof *list->spans);
    list->spans[begin] = span;
    list->count++;
    if (list->count > list->room) span_list_settle(list);
    return;
  }
  extend(&list->spans[begin], span);
  extend(&list->spans[begin], list->spans[end - 1]);
  memmove(&list->spans[begin + 1], &list->spans[end], (list->count - end) * sizeof *list->spans);
  list->count -= end - begin - 1;
}
