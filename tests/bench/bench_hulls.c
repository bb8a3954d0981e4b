/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of 9 to 64 terms in any order under contract backend: how far the hull of what conforms
 * reaches from the exact sum, beside the bound by all magnitudes (theory.md, T10) and beside the
 * farthest value for which a search finds a schedule.  Medians of both ends of some sums. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/rng.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/exact/tree_search/gather.h"

enum { SUMS = 12 };

typedef enum data { NORMAL, ONE_SIGN, MIXED, DATA_COUNT } data_t;

static const char *const data_names[] = {"normal", "one sign", "mixed"};

static double uniform(rng_t *rng) { return ldexp((double)rng_below(rng, 1 << 30) + 0.5, -30); }

static double draw(rng_t *rng, data_t data) {
  double normal = sqrt(-2 * log(uniform(rng))) * cos(2 * G_PI * uniform(rng));
  if (data == ONE_SIGN) return fabs(normal);
  return data == MIXED ? normal * exp2(16 * uniform(rng) - 8) : normal;
}

typedef struct ratios {
  size_t count;
  double bound[2 * SUMS];    /* The bound by magnitudes over what conforms. */
  double attained[2 * SUMS]; /* What conforms over what a schedule was found for. */
} ratios_t;

static bool conforms(const sum_problem_t *question, int64_t ordinal, arena_t *arena) {
  const contract_t contract = contract_backend();
  answer_t answer;
  failure_t error;
  uint64_t bits = format_from_ordinal(question->format, ordinal);
  if (sum_answer(question, &contract, bits, arena, &answer, &error) != STATUS_OK) exit(3);
  return answer.conforms;
}

/* The farthest value in that direction that conforms. */
static int64_t find_end(const sum_problem_t *question, int64_t middle, int direction,
                        arena_t *arena) {
  int64_t within = 0, beyond = 1;
  while (conforms(question, middle + direction * beyond, arena)) within = beyond, beyond *= 2;
  while (beyond - within > 1) {
    int64_t half = within + (beyond - within) / 2;
    if (conforms(question, middle + direction * half, arena)) {
      within = half;
    } else {
      beyond = half;
    }
  }
  return within;
}

/* The farthest value for which a schedule was found. */
static double find_attained(const few_terms_t *sum, int direction, arena_t *arena) {
  few_terms_tree_t tree;
  double value;
  return few_terms_farthest(sum, direction, arena, &value, &tree) ? value : NAN;
}

static void measure(const sum_problem_t *question, arena_t *arena, ratios_t *ratios) {
  const format_t *format = question->format;
  const contract_t contract = contract_backend();
  double total = 0, magnitude = 0;
  for (size_t i = 0; i < question->count; i++) {
    double right = question->right == NULL ? 1 : question->right[i];
    total += question->left[i] * right;
    magnitude += fabs(question->left[i] * right);
  }
  const few_terms_t sum = {.format = format,
                           .count = question->count,
                           .left = question->left,
                           .right = question->right,
                           .may_fuse = true,
                           .may_widen = true};
  const bound_shape_t shape = {.terms = question->count,
                               .leaves = question->count,
                               .products_round = question->right != NULL};
  double by_magnitude = error_bound_sum(format, &contract, shape).factor * magnitude;
  int64_t middle = format_ordinal(format, format_from_double(format, total));
  for (int direction = -1; direction <= 1; direction += 2) {
    int64_t end = middle + direction * find_end(question, middle, direction, arena);
    double last = format_to_double(format, format_from_ordinal(format, end));
    double attained = fabs(find_attained(&sum, direction, arena) - total);
    double widest = format_round_double(format, total + direction * by_magnitude);
    ratios->bound[ratios->count] = fabs(widest - total) / fabs(last - total);
    ratios->attained[ratios->count++] = fabs(last - total) / attained;
  }
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void print_row(const format_t *format, data_t data, size_t count, bool are_products) {
  rng_t rng = rng_make(count);
  arena_t arena;
  arena_init(&arena);
  ratios_t ratios = {0};
  for (size_t i = 0; i < SUMS; i++) {
    double left[TREE_TERMS_MAX], right[TREE_TERMS_MAX];
    for (size_t k = 0; k < count; k++) left[k] = format_round_double(format, draw(&rng, data));
    for (size_t k = 0; k < count; k++) right[k] = format_round_double(format, draw(&rng, data));
    const sum_problem_t question = {.format = format,
                                    .count = count,
                                    .left = left,
                                    .right = are_products ? right : NULL,
                                    .left_format = format,
                                    .right_format = format};
    measure(&question, &arena, &ratios);
    arena_reset(&arena);
  }
  qsort(ratios.bound, ratios.count, sizeof *ratios.bound, compare);
  qsort(ratios.attained, ratios.count, sizeof *ratios.attained, compare);
  printf("%-5s %-8s %-8s %5zu  %7.2f  %9.2f  %6.2f\n", format->name, data_names[data],
         are_products ? "products" : "terms", count, ratios.bound[ratios.count / 2],
         ratios.attained[ratios.count / 2], ratios.attained[ratios.count - 1]);
  arena_deinit(&arena);
}

int main(void) {
  static const size_t counts[] = {9, 12, 16, 32, 64};
  static const int formats[] = {FORMAT_f32, FORMAT_f16, FORMAT_bf16};
  printf("type  data     what     terms  bound/conform  conform/attained: median, worst\n");
  for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
    for (size_t i = 0; i < G_N_ELEMENTS(counts) * DATA_COUNT * 2; i++) {
      size_t row = i / 2;
      print_row(&format_table[formats[f]], (data_t)(row / G_N_ELEMENTS(counts)),
                counts[row % G_N_ELEMENTS(counts)], i % 2 == 1);
      fflush(stdout);
    }
  }
  return 0;
}
