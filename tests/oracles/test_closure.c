/* SPDX-License-Identifier: Apache-2.0 */
/* Closures of short values, by rows in which all ways are together, against those that compute each
 * way by itself: of every node over three values exhaustively, of random and of saturating nodes,
 * with work limits that bite, and with rows that are kept from one question to the next. */
#include <glib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/closure/closure.h"

enum { WAYS_MAX = 6 };

/* Results by way and both values. */
typedef struct node_table {
  size_t value_count;
  uint16_t results[WAYS_MAX][CLOSURE_SHORT_VALUES][CLOSURE_SHORT_VALUES];
} node_table_t;

static void combine(const void *context, size_t way, uint16_t a, const uint16_t *others,
                    size_t count, uint16_t *out) {
  const node_table_t *table = context;
  for (size_t i = 0; i < count; i++) out[i] = table->results[way][a][others[i]];
}

static void set_result(node_table_t *table, size_t way, size_t a, size_t b, size_t result) {
  table->results[way][a][b] = table->results[way][b][a] = (uint16_t)result;
}

/* Both ways to make a closure; returns how many values have a number. */
static size_t compare(closure_question_t question, closure_rows_t *rows, arena_t *arena) {
  uint32_t quick[CLOSURE_SHORT_VALUES], plain[CLOSURE_SHORT_VALUES];
  bool is_plain_made = closure_make_plain(&question, arena, plain);
  question.rows = rows;
  bool is_made = closure_make(&question, arena, quick);
  g_assert_cmpint(is_made, ==, is_plain_made);
  size_t count = 0;
  for (size_t i = 0; i < question.node.value_count && is_made; i++) {
    g_assert_cmpuint(quick[i], ==, plain[i]);
    count += plain[i] != CLOSURE_NEVER;
  }
  return count;
}

/* ---- All of few values ----------------------------------------------------------------------- */

enum { FEW = 3, FEW_TERMS = 3 };

static void compare_few(const node_table_t *table, arena_t *arena) {
  for (size_t number = 0; number < FEW * FEW * FEW * FEW; number++) {
    closure_leaf_t terms[FEW_TERMS];
    size_t rest = number;
    for (size_t i = 0; i < FEW_TERMS; i++, rest /= FEW) {
      terms[i].values[0] = terms[i].values[1] = (uint16_t)(rest % FEW);
    }
    for (size_t count = 0; count <= FEW_TERMS; count++) {
      const closure_question_t question = {
          .node = {FEW, 1, combine, table},
          .count = count,
          .terms = terms,
          .init = {{(uint16_t)rest, (uint16_t)rest}},
          .init_most = 4,
          .work = CLOSURE_WORK,
          .is_in_order = number % 2 == 0,
      };
      compare(question, NULL, arena);
    }
  }
}

static void test_few_values(void) {
  arena_t arena;
  arena_init(&arena);
  node_table_t *table = g_new0(node_table_t, 1);
  for (size_t node = 0; node < 729; node++) { /* 3^6 commutative nodes. */
    size_t rest = node;
    for (size_t a = 0; a < FEW; a++) {
      for (size_t b = a; b < FEW; b++, rest /= FEW) set_result(table, 0, a, b, rest % FEW);
    }
    compare_few(table, &arena);
    arena_reset(&arena);
  }
  g_free(table);
  arena_deinit(&arena);
}

/* ---- Drawn nodes ----------------------------------------------------------------------------- */

/* Sums or products that round and saturate, each way by an error of its own; or any results. */
static void draw_node(rng_t *rng, size_t ways, node_table_t *table) {
  const int64_t values = (int64_t)rng_between(rng, 2, CLOSURE_SHORT_VALUES);
  const int64_t zero = rng_between(rng, 0, values - 1), divisor = rng_between(rng, 1, 40);
  const size_t kind = rng_below(rng, 3);
  table->value_count = (size_t)values;
  for (size_t way = 0; way < ways; way++) {
    for (int64_t a = 0; a < values; a++) {
      for (int64_t b = a; b < values; b++) {
        int64_t exact = kind == 0   ? a + b - zero
                        : kind == 1 ? (a - zero) * (b - zero) / divisor + zero
                                    : (int64_t)rng_below(rng, (uint64_t)values);
        int64_t error = rng_one_in(rng, 8) ? rng_between(rng, -1, 1) : 0;
        set_result(table, way, (size_t)a, (size_t)b, (size_t)CLAMP(exact + error, 0, values - 1));
      }
    }
  }
}

static closure_question_t draw_question(rng_t *rng, const node_table_t *table, size_t ways,
                                        closure_leaf_t terms[CLOSURE_TERMS_MAX]) {
  static const uint32_t numbers[] = {0, 1, 2, 7, 64, 65536};
  closure_question_t question = {.node = {table->value_count, ways, combine, table},
                                 .count = rng_below(rng, 8),
                                 .terms = terms,
                                 .init_most = numbers[rng_below(rng, G_N_ELEMENTS(numbers))],
                                 .work = (size_t)1 << rng_between(rng, 4, 22),
                                 .is_in_order = rng_one_in(rng, 2)};
  for (size_t i = 0; i <= question.count; i++) {
    closure_leaf_t *leaf = i < question.count ? &terms[i] : &question.init;
    leaf->values[0] = (uint16_t)rng_below(rng, table->value_count);
    leaf->values[1] =
        rng_one_in(rng, 2) ? leaf->values[0] : (uint16_t)rng_below(rng, table->value_count);
  }
  return question;
}

static void test_drawn(void) {
  enum { NODES = 300, QUESTIONS = 3 };
  rng_t rng = rng_make(291);
  arena_t arena, kept;
  arena_init(&arena);
  arena_init(&kept);
  node_table_t *table = g_new0(node_table_t, 1);
  size_t values = 0, limited = 0;
  for (size_t i = 0; i < NODES; i++) {
    const size_t ways = 1 + rng_below(&rng, WAYS_MAX);
    draw_node(&rng, ways, table);
    closure_rows_t rows = {.arena = &kept};
    for (size_t k = 0; k < QUESTIONS; k++) {
      closure_leaf_t terms[CLOSURE_TERMS_MAX];
      const closure_question_t question = draw_question(&rng, table, ways, terms);
      size_t found = compare(question, k == 0 ? NULL : &rows, &arena);
      values += found;
      limited += found == 0;
    }
    arena_reset(&arena);
    arena_reset(&kept);
  }
  g_test_message("%zu values reached; of %zu closures nothing is told", values, limited);
  g_assert_cmpuint(values, >, 10 * NODES);
  g_assert_cmpuint(limited, >, NODES / 10);
  g_free(table);
  arena_deinit(&kept);
  arena_deinit(&arena);
}

/* The least work with which a closure is told is the same. */
static void test_work(void) {
  rng_t rng = rng_make(4);
  arena_t arena;
  arena_init(&arena);
  node_table_t *table = g_new0(node_table_t, 1);
  size_t limited = 0;
  for (size_t i = 0; i < 20; i++) {
    const size_t ways = 1 + rng_below(&rng, WAYS_MAX);
    closure_leaf_t terms[CLOSURE_TERMS_MAX];
    uint32_t least[CLOSURE_SHORT_VALUES];
    draw_node(&rng, ways, table);
    closure_question_t question = draw_question(&rng, table, ways, terms);
    size_t low = 0, high = (size_t)1 << 26;
    question.work = high;
    if (!closure_make_plain(&question, &arena, least)) continue;
    while (low + 1 < high) {
      question.work = low + (high - low) / 2;
      *(closure_make_plain(&question, &arena, least) ? &high : &low) = question.work;
    }
    question.work = high;
    g_assert_true(closure_make(&question, &arena, least));
    question.work = low;
    bool is_told = closure_make_plain(&question, &arena, least); /* Without any work. */
    g_assert_cmpint(closure_make(&question, &arena, least), ==, is_told);
    limited += !is_told;
    arena_reset(&arena);
  }
  g_assert_cmpuint(limited, >, 8);
  g_free(table);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/closure/few_values", test_few_values);
  g_test_add_func("/closure/drawn", test_drawn);
  g_test_add_func("/closure/work", test_work);
  return g_test_run();
}
