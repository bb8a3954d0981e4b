/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of how the order depends on the length: boundaries, refusals, and what has no rule. */
#include "harness/identify/order/order_by_length.h"

#include "harness/base/rng.h"
#include "harness/num/format.h"

/* Adds the f32 terms of one length in a way of its own. */
typedef float (*adder_t)(const float *terms, size_t count);

typedef struct source {
  adder_t adder;
  size_t refused; /* A length that is refused, or 0. */
  size_t term_count;
  black_box_sum_t black_box;
  bool is_dear;
  bool has_element_apart; /* Another result element is summed in another way. */
} source_t;

static float add_in_order(const float *terms, size_t count) {
  float sum = terms[0];
  for (size_t i = 1; i < count; i++) sum += terms[i];
  return sum;
}

static float add_in_lanes(const float *terms, size_t count, size_t width) {
  float lanes[16] = {0};
  for (size_t i = 0; i < count; i++) {
    lanes[i % width] = i < width ? terms[i] : lanes[i % width] + terms[i];
  }
  for (; width > 1; width /= 2) {
    for (size_t i = 0; i < width / 2; i++) lanes[i] += lanes[i + width / 2];
  }
  return lanes[0];
}

/* In order below 32 terms, 8 lanes below 300, 16 lanes from there on. */
static float add_in_three_ways(const float *terms, size_t count) {
  if (count < 32) return add_in_order(terms, count);
  return add_in_lanes(terms, count, count < 300 ? 8 : 16);
}

/* In an order that is random, and another one for each length. */
static float add_shuffled(const float *terms, size_t count) {
  float shuffled[64] = {0};
  rng_t rng = rng_make(count);
  for (size_t i = 0; i < count; i++) {
    size_t place = rng_below(&rng, i + 1);
    shuffled[i] = shuffled[place];
    shuffled[place] = terms[i];
  }
  return add_in_order(shuffled, count);
}

static status_t sum(black_box_sum_t *black_box, const double *left, const double *right,
                    double init, uint64_t *out_bits, failure_t *error) {
  (void)right, (void)init, (void)error;
  const source_t *source = (const source_t *)black_box->context;
  g_autofree float *terms = g_new(float, black_box->term_count);
  for (size_t i = 0; i < black_box->term_count; i++) terms[i] = (float)left[i];
  float result = source->adder(terms, black_box->term_count);
  *out_bits = format_from_double(black_box->result, (double)result);
  return STATUS_OK;
}

static status_t open_length(void *context, size_t term_count, arena_t *arena,
                            black_box_sum_t **out_sum, failure_t *error) {
  (void)arena;
  source_t *source = (source_t *)context;
  if (term_count == source->refused) {
    return status_fail(error, STATUS_UNSUPPORTED, "not this length");
  }
  source->black_box = (black_box_sum_t){.term_count = term_count,
                                        .left = &format_table[FORMAT_f32],
                                        .result = &format_table[FORMAT_f32],
                                        .op = "stablehlo.reduce",
                                        .program_line = "a program",
                                        .sum = sum,
                                        .context = source,
                                        .calls_max = SIZE_MAX};
  *out_sum = &source->black_box;
  return STATUS_OK;
}

static status_t check_elements(void *context, const profile_t *profile, uint64_t seed,
                               arena_t *arena, bool *out_holds, failure_t *error) {
  (void)profile, (void)seed, (void)arena, (void)error;
  *out_holds = !((const source_t *)context)->has_element_apart;
  return STATUS_OK;
}

static order_by_length_t find_map(source_t *source, size_t low, size_t high) {
  const length_source_t lengths = {
      .open = open_length, .check = check_elements, .context = source, .is_dear = source->is_dear};
  order_by_length_t map;
  failure_t error = {0};
  if (order_by_length_find(&lengths, low, high, 1, &map, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  size_t next = low;
  for (guint i = 0; i < map.entries->len; i++) { /* Without gaps. */
    const length_entry_t *entry = g_ptr_array_index(map.entries, i);
    g_test_message("%zu .. %zu %s %s", entry->low, entry->high, entry->rule, entry->words);
    g_assert_cmpuint(entry->low, ==, next);
    g_assert_cmpuint(entry->high, >=, entry->low);
    next = entry->high + 1;
  }
  g_assert_cmpuint(next, ==, high + 1);
  return map;
}

static void assert_entry(const order_by_length_t *map, guint index, size_t low, size_t high,
                         const char *rule) {
  g_assert_cmpuint(index, <, map->entries->len);
  const length_entry_t *entry = g_ptr_array_index(map->entries, index);
  g_assert_cmpuint(entry->low, ==, low);
  g_assert_cmpuint(entry->high, ==, high);
  if (!g_str_has_prefix(entry->rule, rule)) g_error("%s is not %s", entry->rule, rule);
}

static void test_boundaries(void) {
  source_t source = {.adder = add_in_three_ways, .is_dear = true};
  order_by_length_t map = find_map(&source, 1, 2000);
  g_assert_cmpuint(map.entries->len, ==, 3);
  assert_entry(&map, 0, 1, 31, "sequential ");
  assert_entry(&map, 1, 32, 299, "lanes8(sequential,folded) ");
  assert_entry(&map, 2, 300, 2000, "lanes16(sequential,folded) ");
  g_assert_cmpuint(map.calls, <, 16000);
  order_by_length_free(&map);
}

/* In order, but backwards for 777 terms. */
static float add_with_exception(const float *terms, size_t count) {
  if (count != 777) return add_in_order(terms, count);
  float sum = terms[count - 1];
  for (size_t i = count - 1; i-- > 0;) sum += terms[i];
  return sum;
}

/* Where lengths are cheap, each one is looked at. */
static void test_exception(void) {
  source_t source = {.adder = add_with_exception};
  order_by_length_t map = find_map(&source, 1, 900);
  g_assert_cmpuint(map.entries->len, ==, 3);
  assert_entry(&map, 0, 1, 776, "sequential ");
  assert_entry(&map, 1, 777, 777, "reverse ");
  assert_entry(&map, 2, 778, 900, "sequential ");
  order_by_length_free(&map);
}

/* A refused length is an entry without a profile; the rule goes on behind it. */
static void test_refused(void) {
  source_t source = {.adder = add_in_order, .refused = 20};
  order_by_length_t map = find_map(&source, 1, 100);
  g_assert_cmpuint(map.entries->len, ==, 3);
  assert_entry(&map, 0, 1, 19, "sequential ");
  const length_entry_t *refused = g_ptr_array_index(map.entries, 1);
  g_assert_null(refused->text);
  g_assert_cmpstr(refused->words, ==, "refused: not this length");
  assert_entry(&map, 2, 21, 100, "sequential ");
  order_by_length_free(&map);
}

/* Without a rule each length is on its own, and after many of them the map ends. */
static void test_irregular(void) {
  source_t source = {.adder = add_shuffled};
  order_by_length_t map = find_map(&source, 8, 60);
  guint single = 0;
  for (guint i = 0; i < map.entries->len; i++) {
    const length_entry_t *entry = g_ptr_array_index(map.entries, i);
    single += entry->text != NULL && entry->low == entry->high;
    g_assert_true(entry->rule[0] == '\0');
  }
  const length_entry_t *last = g_ptr_array_index(map.entries, map.entries->len - 1);
  g_assert_cmpuint(single, ==, 32);
  g_assert_null(last->text);
  g_assert_nonnull(strstr(last->words, "not mapped"));
  order_by_length_free(&map);
}

/* What the first element shows does not hold for the others: no profile. */
static void test_elements(void) {
  source_t source = {.adder = add_in_order, .has_element_apart = true};
  order_by_length_t map = find_map(&source, 10, 12);
  for (guint i = 0; i < map.entries->len; i++) {
    const length_entry_t *entry = g_ptr_array_index(map.entries, i);
    g_assert_null(entry->text);
    g_assert_nonnull(strstr(entry->words, "result elements are summed in different ways"));
  }
  order_by_length_free(&map);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/order-by-length/boundaries", test_boundaries);
  g_test_add_func("/order-by-length/exception", test_exception);
  g_test_add_func("/order-by-length/refused", test_refused);
  g_test_add_func("/order-by-length/irregular", test_irregular);
  g_test_add_func("/order-by-length/elements", test_elements);
  return g_test_run();
}
