/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products whose terms are looked at, on the fast side: finds components of which at most two
 * terms are not zero, computes what most implementations return for sums that are short as a whole,
 * and tells what others may be that are not certified finite. */
#include "oracles/ops/dot_general/fast/few.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/any_order/share.h"
#include "oracles/exact/instruction_sets.h"
#include "oracles/exact/matmul/signed_sums.h"
#include "oracles/exact/sum/simd.h"

/* Counts in 32 bits: as wide as the numbers are, mostly. */
static void add_nonzero(const matrix_t *matrix, size_t start, size_t count, uint32_t *inout_each) {
  if (matrix->is_f64) {
    const double *values = (const double *)matrix->data + start;
    for (size_t i = 0; i < count; i++) inout_each[i] += values[i] != 0;
  } else {
    const float *values = (const float *)matrix->data + start;
    for (size_t i = 0; i < count; i++) inout_each[i] += values[i] != 0;
  }
}

/* The same of one row, in lanes of their own. */
enum { LANES = 8 };

static size_t count_nonzero(const matrix_t *matrix, size_t start, size_t count) {
  uint32_t lanes[LANES] = {0};
  size_t nonzero = 0, whole = count - count % LANES;
  for (size_t i = 0; i < whole; i += LANES) add_nonzero(matrix, start + i, LANES, lanes);
  for (size_t i = whole; i < count; i++) nonzero += matrix_load(matrix, start + i) != 0;
  for (size_t lane = 0; lane < LANES; lane++) nonzero += lanes[lane];
  return nonzero;
}

/* Whether the format holds a product; a product of f64 that cannot be told from one, too. */
static bool holds_product(const format_t *format, double left, double right) {
  double product = left * right;
  if (format->bits != 64) return format_round_double(format, product) == product;
  return fabs(product) < 0x1p-900 || fma(left, right, -product) == 0;
}

/* What a row of A and all columns of B, both of f32, have of products that are not 0; at most
 * COLUMNS_MAX columns. */
enum { COLUMNS_MAX = 64 };

typedef struct row_terms {
  int32_t count[COLUMNS_MAX];
  int32_t rounded[COLUMNS_MAX]; /* Of those, how many are no numbers of f32. */
} row_terms_t;

INLINE void count_row_terms(const float *restrict row, const float *restrict rhs, size_t k,
                            size_t n, row_terms_t *restrict out) {
  for (size_t j = 0; j < n; j++) out->count[j] = out->rounded[j] = 0;
  for (size_t t = 0; t < k; t++) {
    if (row[t] == 0) continue;
    const float *right = rhs + t * n;
    for (size_t j = 0; j < n; j++) {
      double product = (double)row[t] * (double)right[j];
      out->count[j] += right[j] != 0;
      out->rounded[j] += (double)(float)product != product; /* Neither counts a 0. */
    }
  }
}

#if HAS_TARGETS
TARGET_AVX2 static void count_row_terms_avx2(const float *row, const float *rhs, size_t k, size_t n,
                                             row_terms_t *out) {
  count_row_terms(row, rhs, k, n, out);
}
#endif

/* has_few_terms() of a whole row of f32. */
static bool row_has_few_terms(const fast_product_t *product, size_t row, uint8_t *out_few) {
  size_t k = product->matmul.k, n = product->matmul.n;
  const float *lhs = (const float *)product->lhs.data + row * k;
  const float *rhs = (const float *)product->rhs.data;
  row_terms_t terms;
#if HAS_TARGETS
  if (instruction_set() != ISA_PLAIN) {
    count_row_terms_avx2(lhs, rhs, k, n, &terms);
  } else
#endif
  {
    count_row_terms(lhs, rhs, k, n, &terms);
  }
  uint8_t any = 0;
  for (size_t j = 0; j < n; j++) {
    bool is_few = terms.count[j] <= 1 || (terms.count[j] == 2 && terms.rounded[j] == 0);
    out_few[j] = is_few ? 1 : 0;
    any |= out_few[j];
  }
  return any != 0;
}

/* Whether at most two products are not 0, and of two none is rounded. */
static bool has_few_terms(const fast_product_t *product, size_t row, size_t column,
                          const format_t *format) {
  const exact_matmul_t *matmul = &product->matmul;
  size_t terms = 0;
  bool are_exact = true;
  for (size_t t = 0; t < matmul->k && terms <= 2; t++) {
    double left = matrix_load(&product->lhs, row * matmul->k + t);
    double right = matrix_load(&product->rhs, t * matmul->n + column);
    if (left == 0 || right == 0) continue;
    terms++;
    are_exact = are_exact && holds_product(format, left, right);
  }
  return terms <= 1 || (terms == 2 && are_exact);
}

/* Only rows and columns with many zeros are looked at term by term. */
bool fast_few_find(const fast_product_t *product, const format_t *format, arena_t *arena,
                   uint8_t *out_few) {
  bool any = false;
  const exact_matmul_t *matmul = &product->matmul;
  uint32_t *of_column = arena_alloc_zeroed(arena, matmul->n * sizeof *of_column);
  for (size_t t = 0; t < matmul->k; t++) {
    add_nonzero(&product->rhs, t * matmul->n, matmul->n, of_column);
  }
  bool are_f32 =
      !product->lhs.is_f64 && format == &format_table[FORMAT_f32] && matmul->n <= COLUMNS_MAX;
  size_t least = matmul->k;
  for (size_t j = 0; j < matmul->n; j++) least = MIN(least, of_column[j]);
  for (size_t i = 0; i < matmul->m; i++) {
    size_t of_row = count_nonzero(&product->lhs, i * matmul->k, matmul->k);
    if (of_row + least > matmul->k + 2) {
      memset(&out_few[i * matmul->n], 0, matmul->n);
      continue;
    }
    if (are_f32) {
      any |= row_has_few_terms(product, i, &out_few[i * matmul->n]);
      continue;
    }
    for (size_t j = 0; j < matmul->n; j++) {
      uint8_t *few = &out_few[i * matmul->n + j];
      *few = of_row + of_column[j] <= matmul->k + 2 && has_few_terms(product, i, j, format);
      any |= *few != 0;
    }
  }
  return any;
}

void fast_few_likely(const fast_product_t *product, const matrices_t *matrices,
                     const contract_t *contract, likely_sums_t *out_likely) {
  const exact_matmul_t *matmul = &product->matmul;
  const format_t *format = matrices->plan->accumulation;
  likely_terms_t terms = {.count = matmul->k,
                          .are_products = true,
                          .divisor = tree_share_divisor(matrices->sums_of_case, matmul->k)};
  for (size_t i = 0; i < matmul->m * matmul->n; i++) {
    for (size_t t = 0; t < matmul->k; t++) {
      terms.left[t] = matrix_load(&product->lhs, i / matmul->n * matmul->k + t);
      terms.right[t] = matrix_load(&product->rhs, t * matmul->n + i % matmul->n);
    }
    out_likely[i] = likely_sums_of(&terms, format, contract);
  }
}

bool fast_few_decide(const matrices_t *matrices, const contract_t *contract) {
  const dot_plan_t *plan = matrices->plan;
  return plan->primitive_count == 1 && plan->imprecise_bits == 0 && !plan->factors_exceed &&
         few_terms_decide(matrices_terms(matrices), contract);
}

/* ---- Components that may be something else than finite --------------------------------------- */

static bool needs_any(const exact_matmul_t *matmul, const format_t *format) {
  bool any = false;
  for (size_t i = 0; i < matmul->m * matmul->n; i++) {
    any |= special_sum_is_needed(format, matmul->uncertified[i], matmul->magnitude[i]);
  }
  return any;
}

/* Columns `first` .. `first + count` of a row, count at most SIGNED_SUMS_COLUMNS. */
static void add_terms(const fast_product_t *product, size_t row, size_t first, size_t count,
                      signed_sums_t *out_sums) {
  size_t k = product->matmul.k, n = product->matmul.n;
  if (product->lhs.is_f64) {
    signed_sums_f64((const double *)product->lhs.data + row * k,
                    (const double *)product->rhs.data + first, k, n, count, out_sums);
  } else {
    signed_sums_f32((const float *)product->lhs.data + row * k,
                    (const float *)product->rhs.data + first, k, n, count, out_sums);
  }
}

static special_sum_t sum_of(const signed_sums_t *sums, size_t column) {
  return (special_sum_t){.has_special = sums->has_special[column] != 0,
                         .special = sums->special[column],
                         .positive = sums->positive[column],
                         .negative = sums->negative[column]};
}

/* Whether some of these components need a sum. */
static bool block_needs_any(const exact_matmul_t *matmul, const format_t *format, size_t first,
                            size_t count) {
  bool any = false;
  for (size_t i = first; i < first + count; i++) {
    any |= special_sum_is_needed(format, matmul->uncertified[i], matmul->magnitude[i]);
  }
  return any;
}

/* Some components of one row, and the sums of their terms. */
typedef struct sums_block {
  const special_limits_t *limits;
  const exact_matmul_t *matmul;
  const format_t *format;
  size_t first, count;
  signed_sums_t sums;
} sums_block_t;

/* All bits where the condition holds, so that nothing branches. */
INLINE int64_t mask_of(bool holds) { return -(int64_t)holds; }

/* special_sum_flags() of all columns of a block, and whether they need a sum. */
INLINE void find_flags(const special_limits_t *limits, const signed_sums_t *sums,
                       const double *magnitude, double least, int64_t *restrict out_flags) {
  const int64_t above = limits->above, below = limits->below, both = limits->both;
  const int64_t any = mask_of(limits->is_complex_product);
  for (size_t at = 0; at < SIGNED_SUMS_COLUMNS; at++) {
    double special = sums->special[at];
    int64_t up = mask_of(sums->positive[at] >= limits->threshold);
    int64_t down = mask_of(sums->negative[at] <= -limits->threshold);
    int64_t finite = (up & above) | (down & below) | (up & down & both);
    int64_t nan = mask_of(special != special), rises = mask_of(special > 0);
    int64_t infinity = (rises & ACCEPT_POSITIVE_INFINITY) | (~rises & ACCEPT_NEGATIVE_INFINITY);
    int64_t whole = (nan & ACCEPT_NAN) | (~nan & infinity);
    whole = (any & ACCEPT_ANY_SPECIAL) | (~any & whole);
    int64_t is_special = mask_of(sums->has_special[at] != 0);
    int64_t is_needed = is_special | mask_of(magnitude[at] >= least);
    out_flags[at] = is_needed & ((is_special & whole) | (~is_special & finite));
  }
}

#if HAS_TARGETS
TARGET_AVX2 static void find_flags_avx2(const special_limits_t *limits, const signed_sums_t *sums,
                                        const double *magnitude, double least, int64_t *out_flags) {
  find_flags(limits, sums, magnitude, least, out_flags);
}
#endif

/* special_sum_flags() of those that need a sum.  Some that is not certified may have finite terms
 * alone: those of f64 that lie near the ends of its range. */
static void set_flags(const sums_block_t *block, uint8_t *inout_special) {
  const size_t first = block->first;
  const double least = special_sum_least(block->format);
  double magnitude[SIGNED_SUMS_COLUMNS] = {0};
  int64_t flags[SIGNED_SUMS_COLUMNS];
  for (size_t at = 0; at < block->count; at++) {
    bool is_unknown = block->matmul->uncertified[first + at] != 0;
    magnitude[at] = is_unknown ? (double)INFINITY : block->matmul->magnitude[first + at];
  }
#if HAS_TARGETS
  if (instruction_set() != ISA_PLAIN) {
    find_flags_avx2(block->limits, &block->sums, magnitude, least, flags);
  } else
#endif
  {
    find_flags(block->limits, &block->sums, magnitude, least, flags);
  }
  for (size_t at = 0; at < block->count; at++) inout_special[first + at] = (uint8_t)flags[at];
}

/* The same where some sums may be judged by their trees. */
static void set_few_flags(const sums_block_t *block, const contract_t *contract,
                          const likely_sums_t *likely, uint8_t *inout_special) {
  const exact_matmul_t *matmul = block->matmul;
  const format_t *format = block->format;
  for (size_t at = 0; at < block->count; at++) {
    size_t i = block->first + at;
    if (!special_sum_is_needed(format, matmul->uncertified[i], matmul->magnitude[i])) continue;
    const special_sum_t sum = sum_of(&block->sums, at);
    bool has_trees = likely[i].is_known && !sum.has_special;
    inout_special[i] = has_trees ? special_few_flags(&sum, matmul->k, format, contract)
                                 : special_sum_flags(block->limits, &sum);
  }
}

bool fast_specials_find(const fast_product_t *product, const matrices_t *matrices,
                        const contract_t *contract, const likely_sums_t *likely,
                        uint8_t *inout_special) {
  const exact_matmul_t *matmul = &product->matmul;
  const format_t *format = matrices->plan->accumulation;
  if (!needs_any(matmul, format)) return false;
  bool is_complex = matrices->instance->program.results[0].element->components == 2;
  const special_limits_t limits = special_limits_make(format, contract, is_complex);
  for (size_t row = 0; row < matmul->m; row++) {
    for (size_t column = 0; column < matmul->n; column += SIGNED_SUMS_COLUMNS) {
      size_t first = row * matmul->n + column;
      size_t count = MIN((size_t)SIGNED_SUMS_COLUMNS, matmul->n - column);
      if (!block_needs_any(matmul, format, first, count)) continue;
      sums_block_t block = {
          .limits = &limits, .matmul = matmul, .format = format, .first = first, .count = count};
      add_terms(product, row, column, count, &block.sums);
      if (likely != NULL) {
        set_few_flags(&block, contract, likely, inout_special);
      } else {
        set_flags(&block, inout_special);
      }
    }
  }
  /* What a NaN does in a low-order part is left to the exact side. */
  bool has_parts = matrices->plan->primitive_count > 1;
  for (size_t i = 0; has_parts && i < matmul->m * matmul->n; i++) {
    if (matmul->uncertified[i] != 0) inout_special[i] = 0;
  }
  return true;
}
