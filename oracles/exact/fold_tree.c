#include "harness/base/rng.h"
#include "oracles/exact/fold_parts.h"

/* Folds leaves[begin..end), at least one, from the left. */
static fold_value_t fold_forward(const fold_t *fold, const fold_value_t *leaves, size_t begin,
                                 size_t end) {
  fold_value_t sum = leaves[begin];
  for (size_t i = begin + 1; i < end; i++) sum = fold->combine(fold, sum, leaves[i]);
  return sum;
}

static fold_value_t fold_backward(const fold_t *fold, const fold_value_t *leaves, size_t count) {
  fold_value_t sum = leaves[count - 1];
  for (size_t i = count - 1; i-- > 0;) sum = fold->combine(fold, leaves[i], sum);
  return sum;
}

static fold_value_t fold_pairwise(const fold_t *fold, const fold_value_t *leaves, size_t count) {
  if (count == 1) return leaves[0];
  if (count == 2) return fold->combine(fold, leaves[0], leaves[1]);
  size_t half = count - count / 2;
  fold_value_t left = fold_pairwise(fold, leaves, half);
  return fold->combine(fold, left, fold_pairwise(fold, leaves + half, count - half));
}

static fold_value_t fold_blocked(const fold_t *fold, const fold_value_t *leaves, size_t count) {
  size_t width = fold->schedule->width;
  fold_value_t sum = fold_forward(fold, leaves, 0, width < count ? width : count);
  for (size_t begin = width; begin < count; begin += width) {
    size_t end = count - begin < width ? count : begin + width;
    sum = fold->combine(fold, sum, fold_forward(fold, leaves, begin, end));
  }
  return sum;
}

/* The first `width` leaves become the lanes' sums. */
static fold_value_t fold_lanes(const fold_t *fold, fold_value_t *leaves, size_t count) {
  size_t width = fold->schedule->width;
  if (width >= count) return fold_pairwise(fold, leaves, count);
  for (size_t i = width; i < count; i++) {
    leaves[i % width] = fold->combine(fold, leaves[i % width], leaves[i]);
  }
  return fold_pairwise(fold, leaves, width);
}

/* Each split of a range is equally likely, so the depth grows as log(count). */
static fold_value_t fold_random(const fold_t *fold, const fold_value_t *leaves, size_t count,
                                rng_t *rng) {
  if (count == 1) return leaves[0];
  size_t split = 1 + (size_t)rng_below(rng, count - 1);
  fold_value_t left = fold_random(fold, leaves, split, rng);
  return fold->combine(fold, left, fold_random(fold, leaves + split, count - split, rng));
}

/* Fisher and Yates. */
static void shuffle(fold_value_t *leaves, size_t count, rng_t *rng) {
  for (size_t i = count; i > 1; i--) {
    size_t other = (size_t)rng_below(rng, i);
    fold_value_t moved = leaves[i - 1];
    leaves[i - 1] = leaves[other];
    leaves[other] = moved;
  }
}

fold_value_t fold_tree(const fold_t *fold, fold_value_t *leaves, size_t count, size_t output) {
  uint64_t seed = fold->schedule->seed;
  rng_t rng;
  switch (fold->schedule->tree) {
    case TREE_SEQUENTIAL:
      return fold_forward(fold, leaves, 0, count);
    case TREE_REVERSE:
      return fold_backward(fold, leaves, count);
    case TREE_PAIRWISE:
      return fold_pairwise(fold, leaves, count);
    case TREE_BLOCKED:
      return fold_blocked(fold, leaves, count);
    case TREE_LANES:
      return fold_lanes(fold, leaves, count);
    case TREE_RANDOM:
    case TREE_SHUFFLED:
      rng = rng_make(rng_splitmix(&seed) ^ output);
      if (fold->schedule->tree == TREE_SHUFFLED) shuffle(leaves, count, &rng);
      return fold_random(fold, leaves, count, &rng);
  }
  g_assert_not_reached();
}
