/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of what all trees give: those of all trees written out, those of the sets of few terms,
 * and the verdicts that follow on sums of 9 to 12 terms. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "oracles/exact/any_order/ends.h"
#include "oracles/exact/any_order/levels.h"
#include "oracles/exact/any_order/part_sets.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "tests/oracles/level_sums.h"

static contract_t contract_of(const char *text) {
  contract_t contract;
  failure_t error;
  g_assert_cmpint(contract_parse(str_from(text), &contract, &error), ==, STATUS_OK);
  return contract;
}

static few_terms_t terms_of(const instance_t *instance, bool may_fuse, bool may_widen) {
  const sum_problem_t *question = &instance->question;
  return (few_terms_t){.format = question->format,
                       .count = question->count,
                       .left = question->left,
                       .right = question->right,
                       .may_fuse = may_fuse,
                       .may_widen = may_widen};
}

/* ---- All trees, written out ------------------------------------------------------------------ */

/* A number of a tree; of a product that may be fused both factors, too. */
typedef struct operand {
  double value, left, right;
  bool is_product;
} operand_t;

typedef struct walk {
  arithmetic_t plain, wide; /* `wide` is f64 where nodes may be wider, else the format. */
  bool may_fuse, may_flush;
  double ends[2];
} walk_t;

static void walk(walk_t *walked, const operand_t *numbers, size_t count);

static bool is_subnormal(const walk_t *walked, double value) {
  return walked->may_flush && value != 0 &&
         fabs(value) < format_smallest_normal(walked->plain.format);
}

/* With the node's result, and with 0 in its place where that may be. */
static void walk_on(walk_t *walked, const operand_t *numbers, size_t count, size_t i, size_t j,
                    double sum) {
  operand_t left[8];
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (k != i && k != j) left[kept++] = numbers[k];
  }
  left[kept++] = (operand_t){.value = sum};
  walk(walked, left, kept);
  if (!is_subnormal(walked, sum)) return;
  left[kept - 1].value = 0;
  walk(walked, left, kept);
}

/* With every choice of terms, from number i on, that are read as 0. */
static void walk_flushed_terms(walk_t *walked, operand_t *numbers, size_t count, size_t i) {
  if (i == count) {
    walk(walked, numbers, count);
    return;
  }
  walk_flushed_terms(walked, numbers, count, i + 1);
  if (!is_subnormal(walked, numbers[i].value)) return;
  const operand_t whole = numbers[i];
  numbers[i] = (operand_t){.value = 0};
  walk_flushed_terms(walked, numbers, count, i + 1);
  numbers[i] = whole;
}

/* Every pair next, with every kind of node. */
static void walk(walk_t *walked, const operand_t *numbers, size_t count) {
  if (count == 1) {
    double value = arithmetic_round(&walked->plain, numbers[0].value);
    walked->ends[0] = fmin(walked->ends[0], value);
    walked->ends[1] = fmax(walked->ends[1], value);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      const operand_t *a = &numbers[i], *b = &numbers[j];
      if (i == j) continue;
      if (i < j) {
        walk_on(walked, numbers, count, i, j, arithmetic_add(&walked->plain, a->value, b->value));
        if (walked->wide.format != walked->plain.format) {
          walk_on(walked, numbers, count, i, j, arithmetic_add(&walked->wide, a->value, b->value));
        }
      }
      if (!walked->may_fuse || !a->is_product) continue;
      walk_on(walked, numbers, count, i, j,
              arithmetic_fused(&walked->plain, a->left, a->right, b->value));
    }
  }
}

static walk_t walk_all(const few_terms_t *sum) {
  walk_t walked = {
      .plain = arithmetic_make(sum->format),
      .wide = arithmetic_make(sum->may_widen ? &format_table[FORMAT_f64] : sum->format),
      .may_fuse = sum->may_fuse && sum->right != NULL,
      .may_flush = sum->may_flush,
      .ends = {INFINITY, -INFINITY}};
  operand_t numbers[8];
  for (size_t i = 0; i < sum->count; i++) {
    double right = sum->right == NULL ? 1 : sum->right[i];
    numbers[i] = (operand_t){.value = arithmetic_multiply(&walked.plain, sum->left[i], right),
                             .left = sum->left[i],
                             .right = right,
                             .is_product = sum->right != NULL};
  }
  walk_flushed_terms(&walked, numbers, sum->count, 0);
  return walked;
}

/* Plain and fused nodes reach both ends; what nodes in f64 reach lies between. */
static void test_all_trees(const void *data) {
  enum { SUMS = 48 };
  const format_t *format = data;
  rng_t rng = rng_make(160);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, (data_t)(i / 2 % DATA_COUNT), 5, i % 2 == 1);
    for (int kind = 0; kind < 3; kind++) {
      const few_terms_t sum = terms_of(&instance, kind >= 1, kind == 2);
      double ends[2];
      if (!any_order_ends(&sum, &arena, ends)) continue;
      for (int end = 0; end < 2; end++) ends[end] = format_round_double(format, ends[end]);
      const walk_t walked = walk_all(&sum);
      told++;
      g_assert_cmpfloat(ends[0], <=, walked.ends[0]);
      g_assert_cmpfloat(ends[1], >=, walked.ends[1]);
      if (kind == 2) continue;
      g_assert_cmpfloat(ends[0], ==, walked.ends[0]);
      g_assert_cmpfloat(ends[1], ==, walked.ends[1]);
    }
  }
  arena_deinit(&arena);
  g_assert_cmpuint(told, >, 2 * SUMS);
}

/* Makes the largest term, or product, four times the smallest normal number, factors normal. */
static bool make_small(instance_t *instance) {
  const sum_problem_t *question = &instance->question;
  const format_t *format = question->format;
  double largest = 0, smallest = format_smallest_normal(format);
  for (size_t i = 0; i < question->count; i++) {
    largest = fmax(largest, fabs(instance->left[i]));
  }
  if (largest == 0) return false;
  int exponent = question->right == NULL ? format->exponent_min + 2 : format->exponent_min / 2 + 1;
  for (size_t i = 0; i < question->count; i++) {
    double scale = ldexp(1, exponent - ilogb(largest));
    instance->left[i] = format_round_double(format, instance->left[i] * scale);
    if (question->right == NULL) continue;
    instance->right[i] = ldexp(instance->right[i] < 0 ? -1.25 : 1.5, exponent);
    if (fabs(instance->left[i]) < smallest) instance->left[i] = smallest;
  }
  return true;
}

/* What is subnormal may be flushed, or not, each time: nothing that then comes is beyond the ends,
 * which are those of the trees as a rule. */
static void test_flushed_trees(const void *data) {
  enum { SUMS = 60 };
  const format_t *format = data;
  rng_t rng = rng_make(1600);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0, wider = 0, equal = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, (data_t)(i / 2 % DATA_COUNT), 4, i % 2 == 1);
    if (!make_small(&instance)) continue;
    for (int kind = 0; kind < 3; kind++) {
      few_terms_t sum = terms_of(&instance, kind >= 1, kind == 2);
      double strict[2], ends[2];
      if (!any_order_ends(&sum, &arena, strict)) continue;
      sum.may_flush = true;
      g_assert_true(any_order_ends(&sum, &arena, ends));
      for (int end = 0; end < 2; end++) ends[end] = format_round_double(format, ends[end]);
      const walk_t walked = walk_all(&sum);
      told++;
      wider += ends[0] < strict[0] || ends[1] > strict[1];
      equal += ends[0] == walked.ends[0] && ends[1] == walked.ends[1];
      g_assert_cmpfloat(ends[0], <=, walked.ends[0]);
      g_assert_cmpfloat(ends[1], >=, walked.ends[1]);
    }
  }
  arena_deinit(&arena);
  g_test_message("%zu told, %zu wider, %zu attained", told, wider, equal);
  g_assert_cmpuint(told, >, 2 * SUMS);
  g_assert_cmpuint(wider, >, told / 8);
  g_assert_cmpuint(equal, >, told / 2);
}

/* ---- The sets of few terms ------------------------------------------------------------------- */

static void test_sets(const void *data) {
  enum { SUMS = 60 };
  const format_t *format = data;
  rng_t rng = rng_make(161);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, (data_t)(i / 2 % DATA_COUNT), 6 + i % 3, i % 2 == 1);
    const few_terms_t sum = terms_of(&instance, true, false);
    leaves_t leaves;
    double ends[2];
    if (!leaves_make(&sum, &leaves) || leaves.kind_count == 0) continue;
    const part_limits_t plain = {.spans = PART_PLAIN_SPANS_MAX};
    const part_sets_t sets = part_sets_make(&sum, &leaves, &plain, &arena);
    if (!sets.is_complete || !any_order_ends(&sum, &arena, ends)) continue;
    const part_set_t *all = &sets.sets[leaves.part_count - 1];
    g_assert_cmpfloat(ends[0], ==, all->spans[0].from.high);
    g_assert_cmpfloat(ends[1], ==, all->spans[all->count - 1].to.high);
    told++;
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu sums", format->name, told);
  g_assert_cmpuint(told, >, SUMS / 6);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static bool conforms(const sum_problem_t *question, const contract_t *contract, double value,
                     arena_t *arena) {
  answer_t answer;
  failure_t error;
  uint64_t bits = format_from_double(question->format, value);
  g_assert_cmpint(sum_answer(question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
  return answer.conforms;
}

/* What a node beyond the end of all trees is refused, where nothing cheaper permits it. */
static void test_verdicts(const void *data) {
  enum { SUMS = 40 };
  const format_t *format = data;
  const contract_t contract = contract_of("spec,order=any");
  rng_t rng = rng_make(162);
  arena_t arena;
  arena_init(&arena);
  size_t refused = 0, asked = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, i % 4 < 2 ? NORMAL : ONE_SIGN, 9 + i % 4, i % 2 == 1);
    const few_terms_t sum = terms_of(&instance, false, false);
    double ends[2];
    g_assert_true(any_order_ends(&sum, &arena, ends));
    for (int end = 0; end < 2; end++) {
      uint64_t bits = format_from_double(format, ends[end]);
      int64_t beyond = format_ordinal(format, bits) + (end == 0 ? -1 : 1);
      double next = format_to_double(format, format_from_ordinal(format, beyond));
      g_assert_true(conforms(&instance.question, &contract, ends[end], &arena));
      refused += !conforms(&instance.question, &contract, next, &arena);
      asked++;
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu of %zu", format->name, refused, asked);
  g_assert_cmpuint(4 * refused, >, 3 * asked);
}

/* Initial values may enter more than once: the least number of them that gets as far may have ends
 * that a larger one has not. */
static void test_initial_values(const void *data) {
  enum { SUMS = 60, INITS = 9 };
  const format_t *format = data;
  const contract_t contract = contract_of("spec,order=any,init_count=any");
  const arithmetic_t arithmetic = arithmetic_make(format);
  rng_t rng = rng_make(163);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    make(&instance, &rng, format, i % 2 == 0 ? NORMAL : ONE_SIGN, 9 + i % 3, false);
    instance.question.has_init = true;
    instance.question.init = format_round_double(format, 0.25 + fabs(normal(&rng)));
    for (size_t inits = 0; inits <= INITS; inits++) {
      double sum = 0;
      for (size_t k = 0; k < instance.question.count; k++) {
        sum = arithmetic_add(&arithmetic, sum, instance.left[k]);
      }
      for (size_t k = 0; k < inits; k++) {
        sum = arithmetic_add(&arithmetic, sum, instance.question.init);
      }
      g_assert_true(conforms(&instance.question, &contract, sum, &arena));
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Leaves just above half a unit of a large one, or, for every other sum, that and others. */
static void make_residues(instance_t *instance, rng_t *rng, size_t count, bool are_like) {
  const format_t *format = instance->question.format;
  double half = ldexp(1, -format->precision);
  for (size_t i = 1; i < count; i++) {
    double steps = are_like ? 0 : (double)rng_between(rng, -1, 2);
    double beside = (double)rng_between(rng, are_like ? 1 : -3, 3);
    instance->left[i] = format_round_double(format, half * (2 * steps + 1 + half * beside));
    instance->right[i] = are_like ? 1 : 1 + 2 * half * (double)rng_between(rng, 0, 2);
  }
  instance->left[0] = instance->right[0] = 1;
}

static bool make_levels(const instance_t *instance, bool may_widen, level_sum_t *out_sum) {
  const sum_problem_t *question = &instance->question;
  *out_sum = (level_sum_t){.format = question->format, .may_widen = may_widen, .lowest_bit = -1000};
  bool is_added = true;
  for (size_t i = 0; i < question->count && is_added; i++) {
    is_added = question->right == NULL
                   ? level_sum_add(out_sum, question->left[i])
                   : level_sum_add_product(out_sum, question->left[i], question->right[i]);
  }
  return is_added;
}

/* The bound of more terms holds the ends of few (theory.md, T122, T165 and T195). */
static void test_bounds(const void *data) {
  enum { SUMS = 400 };
  const format_t *format = data;
  rng_t rng = rng_make(195);
  arena_t arena;
  arena_init(&arena);
  size_t told = 0;
  for (size_t i = 0; i < SUMS; i++) {
    instance_t instance;
    bool are_products = i % 2 == 1, may_widen = i / 2 % 2 == 1;
    make(&instance, &rng, format, (data_t)(i / 4 % DATA_COUNT), 3 + i % 8, are_products);
    if (i % 3 == 0) make_residues(&instance, &rng, instance.question.count, i % 2 == 0);
    const few_terms_t sum = terms_of(&instance, true, may_widen);
    level_sum_t levels;
    double ends[2], total = 0;
    bool is_known = make_levels(&instance, may_widen, &levels) && levels.count >= 2;
    if (!is_known || !any_order_ends(&sum, &arena, ends)) continue;
    for (size_t k = 0; k < sum.count; k++) {
      total += sum.left[k] * (sum.right == NULL ? 1 : sum.right[k]);
    }
    double error = level_sum_error(&levels, 0);
    /* Ends of plain nodes are rounded last, too. */
    g_assert_cmpfloat(format_round_double(format, ends[1]), <=,
                      format_round_double(format, total + error * (1 + 0x1p-40)));
    g_assert_cmpfloat(format_round_double(format, ends[0]), >=,
                      format_round_double(format, total - error * (1 + 0x1p-40)));
    told++;
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu sums", format->name, told);
  g_assert_cmpuint(told, >, SUMS / 2);
}

/* ---- What is not told ------------------------------------------------------------------------ */

static void test_limits(void) {
  arena_t arena;
  arena_init(&arena);
  double terms[ORDER_ENDS_LEAVES_MAX + 1], ends[2];
  for (size_t i = 0; i <= ORDER_ENDS_LEAVES_MAX; i++) terms[i] = (double)(i + 1);
  few_terms_t sum = {.format = &format_table[FORMAT_f32], .left = terms, .count = 3};
  g_assert_true(any_order_ends(&sum, &arena, ends));
  g_assert_cmpfloat(ends[0], ==, 6);
  g_assert_cmpfloat(ends[1], ==, 6);
  sum.count = ORDER_ENDS_LEAVES_MAX + 1;
  g_assert_false(any_order_ends(&sum, &arena, ends));
  terms[0] = 0; /* Does not count. */
  g_assert_true(any_order_ends(&sum, &arena, ends));
  sum.count = 1;
  g_assert_false(any_order_ends(&sum, &arena, ends)); /* No leaf. */
  sum.count = 3;
  terms[0] = 0x1.8p127;
  g_assert_false(any_order_ends(&sum, &arena, ends));
  terms[0] = NAN;
  g_assert_false(any_order_ends(&sum, &arena, ends));
  terms[0] = 1;
  sum.format = &format_table[FORMAT_f64];
  g_assert_false(any_order_ends(&sum, &arena, ends));
  arena_deinit(&arena);
}

/* By hand, in f32: just below the tie above 1 + 2^-23, which a node of 35 bits rounds to the tie
 * unless it holds the sum. */
static void test_wider_by_hand(void) {
  arena_t arena;
  arena_init(&arena);
  double terms[] = {1 + 0x1p-23, 0x1p-24 - 0x1p-47}, ends[2];
  const few_terms_t sum = {
      .format = &format_table[FORMAT_f32], .left = terms, .count = 2, .may_widen = true};
  g_assert_true(any_order_ends(&sum, &arena, ends));
  g_assert_cmpfloat((float)ends[0], ==, 1 + 0x1p-23);
  g_assert_cmpfloat((float)ends[1], ==, 1 + 0x1p-22);
  terms[1] = 0x1p-24 - 0x1p-34;
  g_assert_true(any_order_ends(&sum, &arena, ends));
  g_assert_cmpfloat((float)ends[1], ==, 1 + 0x1p-23);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/order-ends/limits", test_limits);
  g_test_add_func("/order-ends/wider-by-hand", test_wider_by_hand);
  static const int formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_bf16, FORMAT_f8E5M2,
                                FORMAT_f8E4M3FN};
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
    const format_t *format = &format_table[formats[i]];
    g_autofree char *all = g_strdup_printf("/order-ends/all-trees/%s", format->name);
    g_test_add_data_func(all, format, test_all_trees);
    g_autofree char *flushed = g_strdup_printf("/order-ends/flushed-trees/%s", format->name);
    g_test_add_data_func(flushed, format, test_flushed_trees);
    g_autofree char *sets = g_strdup_printf("/order-ends/sets/%s", format->name);
    g_test_add_data_func(sets, format, test_sets);
    g_autofree char *bounds = g_strdup_printf("/order-ends/bounds/%s", format->name);
    g_test_add_data_func(bounds, format, test_bounds);
    g_autofree char *inits = g_strdup_printf("/order-ends/initial-values/%s", format->name);
    g_test_add_data_func(inits, format, test_initial_values);
    if (format->bits <= 8) continue;
    g_autofree char *verdicts = g_strdup_printf("/order-ends/verdicts/%s", format->name);
    g_test_add_data_func(verdicts, format, test_verdicts);
  }
  return g_test_run();
}
