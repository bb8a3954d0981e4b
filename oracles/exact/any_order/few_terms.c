/* SPDX-License-Identifier: Apache-2.0 */
/* Asks in stages, the cheapest first: random trees find most of what is right; the hull of all
 * results refuses most of what is wrong; the set of plain and fused trees is exact; and where wider
 * nodes are permitted, sets of ever more intervals refuse what lies between. */
#include "oracles/exact/any_order/few_terms.h"

#include "oracles/exact/any_order/part_sets.h"
#include "oracles/exact/any_order/sample.h"

bool few_terms_decide(size_t terms, const contract_t *contract) {
  return terms <= FEW_TERMS_MAX && PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RN;
}

/* What becomes of a sum at last: both ends of an interval, so converted that whatever is between
 * them lies between. */
typedef struct conversion {
  const few_terms_t *sum;
  bool is_direct; /* From a wider node to the result's type at once. */
} conversion_t;

static double convert(const conversion_t *conversion, real_t value) {
  const few_terms_t *sum = conversion->sum;
  if (conversion->is_direct) return real_round(sum->result, value);
  double rounded = real_round(sum->format, value);
  return sum->result == NULL ? rounded : format_round_double(sum->result, rounded);
}

/* An end that is no number any more is beyond all numbers. */
static bool converts_to(const conversion_t *conversion, span_t span, double value) {
  double low = convert(conversion, span.from), high = convert(conversion, span.to);
  bool is_above = isfinite(low) ? low <= value : span.from.high < 0;
  bool is_below = isfinite(high) ? value <= high : span.to.high > 0;
  return is_above && is_below;
}

static bool overflows_to(const few_terms_t *sum, unsigned overflows, double value) {
  if (!format_has_infinity(sum->format)) return isnan(value) && overflows != 0;
  if (isnan(value)) return (overflows & OVERFLOWS_BOTH) != 0;
  return (overflows & (unsigned)(value > 0 ? OVERFLOWS_UP : OVERFLOWS_DOWN)) != 0;
}

static bool any_converts_to(const few_terms_t *sum, const part_set_t *set, double value) {
  if (!isfinite(value)) return overflows_to(sum, set->overflows, value);
  const conversion_t by_format = {.sum = sum};
  const conversion_t direct = {.sum = sum, .is_direct = true};
  bool may_be_direct = sum->result != NULL && sum->may_widen;
  for (size_t i = 0; i < set->count; i++) {
    if (converts_to(&by_format, set->spans[i], value)) return true;
    if (may_be_direct && converts_to(&direct, set->spans[i], value)) return true;
  }
  return false;
}

typedef enum stage_word { STAGE_TOO_LARGE, STAGE_NO, STAGE_YES } stage_word_t;

static stage_word_t ask_stage(const few_terms_t *sum, const leaves_t *leaves, double value,
                              const part_limits_t *limits, arena_t *arena) {
  arena_mark_t mark = arena_mark(arena);
  const part_sets_t sets = part_sets_make(sum, leaves, limits, arena);
  stage_word_t word = STAGE_TOO_LARGE;
  if (sets.is_complete) {
    const part_set_t *all = &sets.sets[leaves->part_count - 1];
    word = any_converts_to(sum, all, value) ? STAGE_YES : STAGE_NO;
  }
  arena_rewind(arena, mark);
  return word;
}

/* Between the ends of the hull: sets of more and more intervals. */
static few_terms_word_t ask_wide(const few_terms_t *sum, const leaves_t *leaves, double value,
                                 arena_t *arena) {
  static const size_t limits[] = {8, 64, 512};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const part_limits_t wide = {.may_widen = true, .merges = true, .spans = limits[i]};
    stage_word_t word = ask_stage(sum, leaves, value, &wide, arena);
    if (word == STAGE_NO) return FEW_TERMS_IMPOSSIBLE;
    if (word == STAGE_TOO_LARGE) break;
  }
  return FEW_TERMS_CONCEIVED;
}

few_terms_word_t few_terms_ask(const few_terms_t *sum, double value, arena_t *arena,
                               double out_hull[2]) {
  leaves_t leaves;
  if (sum->result != NULL && !isfinite(value)) return FEW_TERMS_OPEN;
  if (!leaves_make(sum, &leaves)) return FEW_TERMS_OPEN;
  /* Every tree of nothing but zeros gives a zero. */
  if (leaves.kind_count == 0) return value == 0 ? FEW_TERMS_REACHED : FEW_TERMS_OPEN;
  few_terms_tree_t tree;
  if (few_terms_sample(sum, value, &tree)) return FEW_TERMS_REACHED;
  arena_mark_t mark = arena_mark(arena);
  const part_limits_t hull = {.may_widen = sum->may_widen, .merges = true, .spans = 1};
  const part_sets_t ends = part_sets_make(sum, &leaves, &hull, arena);
  const part_set_t *all = &ends.sets[leaves.part_count - 1];
  bool is_within = !ends.is_complete || any_converts_to(sum, all, value);
  if (ends.is_complete && all->count == 1) {
    out_hull[0] = real_round(sum->format, all->spans[0].from);
    out_hull[1] = real_round(sum->format, all->spans[0].to);
  }
  arena_rewind(arena, mark);
  if (!ends.is_complete) return FEW_TERMS_OPEN;
  if (!is_within) return FEW_TERMS_IMPOSSIBLE;
  const part_limits_t plain = {.spans = PART_PLAIN_SPANS_MAX};
  stage_word_t word = ask_stage(sum, &leaves, value, &plain, arena);
  if (word == STAGE_YES) return FEW_TERMS_REACHED;
  /* Contracts are ordered (theory.md, T90): where plain nodes are not told, nothing is. */
  if (word == STAGE_TOO_LARGE) return FEW_TERMS_CONCEIVED;
  return sum->may_widen ? ask_wide(sum, &leaves, value, arena) : FEW_TERMS_IMPOSSIBLE;
}
