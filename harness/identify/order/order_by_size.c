/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies at selected sizes, bisects between neighbours of different kind, spot-checks gaps at
 * random, and joins points that one rule explains into ranges. */
#include "harness/identify/order/order_by_size.h"

#include <string.h>

#include "harness/base/rng.h"
#include "harness/identify/order/sum_rule.h"

enum { POINTS_MAX = 400, SMALL_TERMS = 2 };

/* A map under way. */
typedef struct mapping {
  const size_identifier_t *identifier;
  arena_t *arena;
  GArray *points;
  GPtrArray *orders; /* All that were found, each once. */
  size_t calls;
  failure_t *error;
} mapping_t;

static size_point_t *point_at(const mapping_t *mapping, size_t index) {
  return &g_array_index(mapping->points, size_point_t, index);
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *arithmetic_text(const profile_node_t *node) {
  GString *text = g_string_new(node->format->name);
  if (node->rounding == ROUNDING_TOWARD_ZERO) g_string_append(text, "/trunc");
  if (node->fused) g_string_append(text, "/fused");
  if (node->aligned_bits > 0) g_string_append_printf(text, "/aligned%d", node->aligned_bits);
  return g_string_free(text, FALSE);
}

/* The different arithmetics, sorted, ended by NULL.  Single roundings are no additions. */
static char **arithmetics_of(const profile_t *profile) {
  GPtrArray *texts = g_ptr_array_new();
  for (size_t i = 0; i < profile->node_count; i++) {
    if (profile->nodes[i].child_count < 2) continue;
    char *text = arithmetic_text(&profile->nodes[i]);
    bool is_known = false;
    for (guint k = 0; k < texts->len; k++) {
      is_known = is_known || strcmp(g_ptr_array_index(texts, k), text) == 0;
    }
    if (is_known) {
      g_free(text);
    } else {
      g_ptr_array_add(texts, text);
    }
  }
  qsort(texts->pdata, texts->len, sizeof(char *), compare_texts);
  g_ptr_array_add(texts, NULL);
  return (char **)g_ptr_array_free(texts, FALSE);
}

void profile_print_arithmetics(const profile_t *profile, GString *out_text) {
  char **texts = arithmetics_of(profile);
  char *joined = g_strjoinv(" ", texts);
  g_string_append(out_text, joined[0] == '\0' ? profile->result->name : joined);
  g_free(joined);
  g_strfreev(texts);
}

/* Whether every arithmetic of one is one of the other: a small tree need not show them all. */
static bool arithmetics_fit(const profile_t *a, const profile_t *b) {
  char **small = arithmetics_of(a);
  char **large = arithmetics_of(b);
  if (g_strv_length(small) > g_strv_length(large)) {
    char **swapped = small;
    small = large;
    large = swapped;
  }
  bool fit = true;
  for (char **text = small; *text != NULL; text++) {
    fit = fit && g_strv_contains((const char *const *)large, *text);
  }
  g_strfreev(small);
  g_strfreev(large);
  return fit;
}

static bool trees_equal(const profile_t *a, const profile_t *b) {
  GString *first = g_string_new(NULL);
  GString *second = g_string_new(NULL);
  profile_print_tree(a, first);
  profile_print_tree(b, second);
  bool same = g_string_equal(first, second);
  g_string_free(first, TRUE);
  g_string_free(second, TRUE);
  return same;
}

/* Whether two points may be of one kind, their orders aside. */
static bool points_fit(const size_point_t *a, const size_point_t *b) {
  if (a->is_refused || b->is_refused) return a->is_refused && b->is_refused;
  if (a->is_explained != b->is_explained) return false;
  if (!a->is_explained) return a->identity == b->identity;
  bool is_small = MIN(a->profile.term_count, b->profile.term_count) <= SMALL_TERMS;
  if (is_small) return true; /* Too few nodes to show how they add. */
  if (sum_rule_init_place(&a->profile) != sum_rule_init_place(&b->profile)) return false;
  return arithmetics_fit(&a->profile, &b->profile);
}

static bool explains(const sum_order_t *order, const size_point_t *point) {
  if (!point->is_explained) return true;
  return order != NULL && sum_order_explains(order, &point->profile);
}

/* The simplest order for all points of begin..end.  Points of which none has an order are of one
 * irregular kind. */
static bool find_common(const mapping_t *mapping, size_t begin, size_t end,
                        const sum_order_t **out_order) {
  *out_order = NULL;
  bool has_orders = false;
  for (size_t i = begin; i < end; i++)
    has_orders = has_orders || point_at(mapping, i)->order != NULL;
  if (!has_orders) return true;
  for (guint i = 0; i < mapping->orders->len; i++) {
    const sum_order_t *order = g_ptr_array_index(mapping->orders, i);
    if (*out_order != NULL && !sum_order_is_simpler(order, *out_order)) continue;
    bool explains_all = true;
    for (size_t k = end; k-- > begin && explains_all;) {
      explains_all = explains(order, point_at(mapping, k));
    }
    if (explains_all) *out_order = order;
  }
  return *out_order != NULL;
}

static bool are_alike(const mapping_t *mapping, size_t begin, size_t end,
                      const sum_order_t **out_order) {
  const size_point_t *first = point_at(mapping, begin);
  bool same_terms = first->has_profile;
  bool fit = true;
  bool equal = true;
  for (size_t i = begin + 1; i < end; i++) {
    const size_point_t *point = point_at(mapping, i);
    fit = fit && points_fit(point_at(mapping, i - 1), point) && points_fit(first, point);
    same_terms =
        same_terms && point->has_profile && point->profile.term_count == first->profile.term_count;
    equal = equal && same_terms && trees_equal(&first->profile, &point->profile);
  }
  *out_order = first->order;
  if (!fit) return false;
  if (same_terms && end - begin > 1) return equal; /* Another dimension varies. */
  return find_common(mapping, begin, end, out_order);
}

/* A guess from the nearest point that has an order. */
static bool guess(const mapping_t *mapping, int64_t size, profile_t *out_hint) {
  const size_point_t *nearest = NULL;
  for (guint i = 0; i < mapping->points->len; i++) {
    const size_point_t *point = point_at(mapping, i);
    bool is_useful = point->is_explained && point->profile.term_count > 8;
    if (!is_useful) continue;
    bool is_nearer = nearest == NULL || ABS(point->size - size) < ABS(nearest->size - size);
    if (is_nearer) nearest = point;
  }
  if (nearest == NULL) return false;
  bool is_over_terms = (int64_t)nearest->profile.term_count == nearest->size;
  if (!is_over_terms) {
    *out_hint = nearest->profile;
    return true;
  }
  if (nearest->order == NULL) return false;
  return sum_rule_guess(nearest->order, &nearest->profile, (size_t)size, mapping->arena, out_hint);
}

static void remember_order(mapping_t *mapping, const sum_order_t *order) {
  GString *text = g_string_new(NULL);
  GString *other = g_string_new(NULL);
  sum_order_print(order, text);
  bool is_known = false;
  for (guint i = 0; i < mapping->orders->len && !is_known; i++) {
    g_string_truncate(other, 0);
    sum_order_print(g_ptr_array_index(mapping->orders, i), other);
    is_known = g_string_equal(text, other);
  }
  if (!is_known) g_ptr_array_add(mapping->orders, (gpointer)(uintptr_t)order);
  g_string_free(text, TRUE);
  g_string_free(other, TRUE);
}

/* Identifies a size and puts it in its place. */
static status_t add_point(mapping_t *mapping, int64_t size) {
  guint index = 0;
  while (index < mapping->points->len && point_at(mapping, index)->size < size) index++;
  if (index < mapping->points->len && point_at(mapping, index)->size == size) return STATUS_OK;
  profile_t hint;
  bool has_hint = guess(mapping, size, &hint);
  size_point_t point = {.size = size};
  const size_identifier_t *identifier = mapping->identifier;
  STATUS_TRY(identifier->identify(identifier->context, size, has_hint ? &hint : NULL,
                                  mapping->arena, &point, mapping->error));
  point.size = size;
  if (point.is_explained) point.order = sum_order_find(&point.profile, mapping->arena);
  if (point.order != NULL) remember_order(mapping, point.order);
  mapping->calls += point.calls;
  g_array_insert_val(mapping->points, index, point);
  return STATUS_OK;
}

/* Ends and powers of two, with their neighbours. */
static status_t add_first_points(mapping_t *mapping, int64_t first, int64_t last) {
  STATUS_TRY(add_point(mapping, first));
  for (int64_t power = 1; power <= last + 1; power *= 2) {
    for (int64_t size = power - 1; size <= power + 1; size++) {
      if (size > first && size < last) STATUS_TRY(add_point(mapping, size));
    }
    int64_t between = power + power / 2 + 1; /* No multiple of a width. */
    if (between > first && between < last) STATUS_TRY(add_point(mapping, between));
  }
  return add_point(mapping, last);
}

/* Halves every gap between points of different kinds. */
static status_t bisect(mapping_t *mapping) {
  for (guint i = 0; i + 1 < mapping->points->len && mapping->points->len < POINTS_MAX;) {
    int64_t low = point_at(mapping, i)->size;
    int64_t high = point_at(mapping, i + 1)->size;
    const sum_order_t *order;
    if (high - low > 1 && !are_alike(mapping, i, i + 2, &order)) {
      STATUS_TRY(add_point(mapping, low + (high - low) / 2));
    } else {
      i++;
    }
  }
  return STATUS_OK;
}

/* Tries a few sizes, drawn at random, in every gap. */
static status_t spot_check(mapping_t *mapping, rng_t *rng) {
  enum { NARROW = 8 };
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint i = 0; i + 1 < mapping->points->len; i++) {
    int64_t low = point_at(mapping, i)->size;
    int64_t high = point_at(mapping, i + 1)->size;
    if (high - low < NARROW || mapping->points->len + sizes->len >= POINTS_MAX) continue;
    int64_t size = rng_between(rng, low + 1, high - 1);
    g_array_append_val(sizes, size);
  }
  status_t status = STATUS_OK;
  for (guint i = 0; i < sizes->len && status == STATUS_OK; i++) {
    status = add_point(mapping, g_array_index(sizes, int64_t, i));
  }
  g_array_unref(sizes);
  return status;
}

/* Joins neighbours as long as one order explains them all. */
static GArray *make_ranges(const mapping_t *mapping) {
  GArray *ranges = g_array_new(FALSE, FALSE, sizeof(size_range_t));
  size_t count = mapping->points->len;
  for (size_t begin = 0; begin < count;) {
    size_range_t range = {.begin = begin, .end = begin + 1};
    are_alike(mapping, begin, begin + 1, &range.order);
    const sum_order_t *order;
    while (range.end < count && are_alike(mapping, begin, range.end + 1, &order)) {
      range.end++;
      range.order = order;
    }
    range.first = point_at(mapping, begin)->size;
    range.last = range.end < count ? point_at(mapping, range.end)->size - 1
                                   : point_at(mapping, count - 1)->size;
    g_array_append_val(ranges, range);
    begin = range.end;
  }
  return ranges;
}

status_t order_by_size_find(const size_identifier_t *identifier, int64_t first, int64_t last,
                            arena_t *arena, order_by_size_t *out_map, failure_t *error) {
  mapping_t mapping = {.identifier = identifier,
                       .arena = arena,
                       .points = g_array_new(FALSE, FALSE, sizeof(size_point_t)),
                       .orders = g_ptr_array_new(),
                       .error = error};
  status_t status = add_first_points(&mapping, first, last);
  if (status == STATUS_OK) status = bisect(&mapping);
  rng_t rng = rng_make((uint64_t)last);
  if (status == STATUS_OK) status = spot_check(&mapping, &rng);
  if (status == STATUS_OK) status = bisect(&mapping);
  if (status == STATUS_OK) {
    *out_map = (order_by_size_t){
        .points = mapping.points, .ranges = make_ranges(&mapping), .calls = mapping.calls};
  } else {
    g_array_unref(mapping.points);
  }
  g_ptr_array_unref(mapping.orders);
  return status;
}

void order_by_size_free(order_by_size_t *map) {
  if (map->points != NULL) g_array_unref(map->points);
  if (map->ranges != NULL) g_array_unref(map->ranges);
}
