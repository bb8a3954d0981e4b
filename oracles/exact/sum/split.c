/* SPDX-License-Identifier: Apache-2.0 */
/* Which NaNs and infinities a sum of split operands may return, from the special values among the
 * leading and the low-order products. Separate from ordinary sums because a NaN in a low-order
 * product may have to count as zero. */
#include "oracles/exact/sum/split.h"

#include <math.h>

#include "generated/exact_permissions.h"

/* What is among some terms, or what a sum may be. */
typedef struct specials {
  bool nan;
  bool up;     /* +infinity */
  bool down;   /* -infinity */
  bool finite; /* Of a sum. */
} specials_t;

static bool is_any(specials_t specials) { return specials.nan || specials.up || specials.down; }

static void take(specials_t *specials, double term) {
  specials->nan |= isnan(term);
  specials->up |= isinf(term) && term > 0;
  specials->down |= isinf(term) && term < 0;
}

/* What a sum of such terms must be, whatever its order, or may be where `reach` adds infinities
 * that finite terms may overflow to. */
static specials_t sum_of(specials_t terms, specials_t reach) {
  bool must_nan = terms.nan || (terms.up && terms.down);
  if (must_nan) return (specials_t){.nan = true};
  return (specials_t){
      .nan = (terms.up && reach.down) || (terms.down && reach.up) || (reach.up && reach.down),
      .up = terms.up || (!terms.down && reach.up),
      .down = terms.down || (!terms.up && reach.down),
      .finite = !is_any(terms),
  };
}

/* A low-order part that is NaN counts as 0. */
static specials_t without_nan(specials_t low) {
  low.finite |= low.nan;
  low.nan = false;
  return low;
}

static void unite(specials_t *inout, specials_t other) {
  inout->nan |= other.nan;
  inout->up |= other.up;
  inout->down |= other.down;
}

/* What the sum of both may be. */
static specials_t add(specials_t leading, specials_t low) {
  return (specials_t){
      .nan = leading.nan || low.nan || (leading.up && low.down) || (leading.down && low.up),
      .up = (leading.up && (low.up || low.finite)) || (leading.finite && low.up),
      .down = (leading.down && (low.down || low.finite)) || (leading.finite && low.down),
  };
}

/* The products of one term, the leading one left out. */
static specials_t low_products(const sum_problem_t *question, size_t term) {
  specials_t low = {0};
  for (size_t i = term; i < question->count - question->group; i += question->group) {
    take(&low, question->left[i] * question->right[i]);
  }
  return low;
}

typedef struct split_specials {
  specials_t leading;  /* Among all leading products. */
  specials_t low;      /* Among all others. */
  specials_t per_term; /* Among the low-order parts of single terms, NaN taken for 0. */
} split_specials_t;

static split_specials_t gather(const sum_problem_t *question) {
  split_specials_t found = {0};
  for (size_t term = 0; term < question->group; term++) {
    size_t leading = question->count - question->group + term;
    take(&found.leading, question->left[leading] * question->right[leading]);
    specials_t low = low_products(question, term);
    unite(&found.low, low);
    unite(&found.per_term, without_nan(sum_of(low, (specials_t){0})));
  }
  return found;
}

bool split_sum_set_special(value_range_t *inout_range, const sum_problem_t *question,
                           const contract_t *contract) {
  const split_specials_t found = gather(question);
  if (question->is_complex_part && (is_any(found.leading) || is_any(found.low))) {
    *inout_range = value_range_anything(question->format);
    return true;
  }
  const specials_t reach = {.up = inout_range->positive_infinity,
                            .down = inout_range->negative_infinity};
  if (!is_any(found.leading) && (is_any(found.low) || (reach.up && reach.down))) {
    /* The low-order part may have been dropped whole: nothing is certain of what is left.  (A
     * component of any split that is not finite has a leading one that is not finite either.) */
    *inout_range = value_range_anything(question->format);
    return true;
  }
  if (!is_any(found.leading)) return false;
  specials_t leading = sum_of(found.leading, reach);
  specials_t result = {0};
  if (PERMITTED(contract, low_nan) != LOW_NAN_KEEP) {
    unite(&result, add(leading, without_nan(sum_of(found.low, reach))));
    unite(&result, add(leading, without_nan(sum_of(found.per_term, reach))));
  }
  if (PERMITTED(contract, low_nan) != LOW_NAN_ZERO)
    unite(&result, add(leading, sum_of(found.low, reach)));
  bool flushes_factors =
      PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  *inout_range = (value_range_t){.low = INFINITY,
                                 .high = -INFINITY,
                                 .nan = result.nan || flushes_factors,
                                 .positive_infinity = result.up,
                                 .negative_infinity = result.down};
  return true;
}
