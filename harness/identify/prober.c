#include "harness/identify/prober.h"

#include <math.h>

status_t summer_run(summer_t *summer, const double *left, const double *right, double init,
                    uint64_t *out_bits, failure_t *error) {
  if (summer->calls >= summer->calls_max) {
    return status_fail(error, STATUS_UNDECIDED,
                       "no regular tree was found within %zu calls of the executor",
                       summer->calls_max);
  }
  summer->calls++;
  return summer->sum(summer, left, right, init, out_bits, error);
}

int summer_least_exponent(const summer_t *summer, bool subnormal) {
  const format_t *left = summer->left;
  int least = left->exponent_min - (subnormal ? left->precision - 1 : 0);
  if (summer->right != NULL) {
    least += summer->right->exponent_min - (subnormal ? summer->right->precision - 1 : 0);
  }
  int of_result = summer->result->exponent_min - (subnormal ? summer->result->precision - 1 : 0);
  return MAX(least, of_result);
}

int summer_largest_exponent(const summer_t *summer) {
  int largest = summer->left->exponent_max;
  if (summer->right != NULL) largest += summer->right->exponent_max;
  return MIN(largest, (int)summer->result->exponent_max);
}

/* Units that are lost beside the mask, on either side of it, in an accumulator of `precision`. */
static size_t lost_units(int mask, int unit, int precision) {
  int exponent = mask - unit - precision - 2;
  return exponent < 0 ? 0 : (size_t)1 << MIN(exponent, 40);
}

size_t mask_scales(const summer_t *summer, mask_scale_t out_scales[MASK_SCALES_MAX]) {
  enum { ROOMY_EXPONENT = 100, F32_PRECISION = 24, F64_PRECISION = 53 };
  size_t countable = (size_t)1 << MIN(summer->result->precision, 30);
  int mask = summer_largest_exponent(summer);
  int normal = summer_least_exponent(summer, false);
  if (mask - normal > ROOMY_EXPONENT) normal = MAX(normal, MIN(0, mask - ROOMY_EXPONENT));
  const struct {
    int unit;
    int precision;
  } rows[] = {{normal, summer->result->precision},
              {normal, F32_PRECISION},
              {summer_least_exponent(summer, true), F32_PRECISION},
              {normal, F64_PRECISION},
              {summer_least_exponent(summer, true), F64_PRECISION}};
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    size_t lost = lost_units(mask, rows[i].unit, rows[i].precision);
    const mask_scale_t scale = {
        .mask = ldexp(1, mask), .unit = ldexp(1, rows[i].unit), .capacity = MIN(lost, countable)};
    bool is_new = scale.capacity > 1;
    for (size_t k = 0; k < count; k++) {
      bool is_same_unit = out_scales[k].unit == scale.unit;
      if (is_same_unit && out_scales[k].capacity == scale.capacity) is_new = false;
    }
    if (is_new) out_scales[count++] = scale;
    bool is_roomy = lost_units(mask, normal, F64_PRECISION) >= countable;
    if (is_roomy) break; /* Good for accumulators of every format. */
  }
  return count;
}

prober_t prober_make(summer_t *summer, arena_t *arena) {
  size_t count = summer->term_count;
  prober_t prober = {.summer = summer, .left = ARENA_NEW_ARRAY(arena, double, count)};
  for (size_t i = 0; i < count; i++) prober.left[i] = 0;
  if (summer->right != NULL) {
    prober.right = ARENA_NEW_ARRAY(arena, double, count);
    for (size_t i = 0; i < count; i++) prober.right[i] = 1;
  }
  return prober;
}

static bool holds(const format_t *format, double value) {
  return format_round_double(format, value) == value;
}

void prober_set_factors(prober_t *prober, size_t leaf, double left, double right) {
  const summer_t *summer = prober->summer;
  if (!holds(summer->left, left) || !holds(summer->right, right)) prober->has_unfit = true;
  prober->left[leaf] = left;
  prober->right[leaf] = right;
}

void prober_set(prober_t *prober, size_t leaf, double value) {
  const summer_t *summer = prober->summer;
  if (summer->right == NULL) {
    if (!holds(summer->left, value)) prober->has_unfit = true;
    if (leaf < summer->term_count) {
      prober->left[leaf] = value;
    } else {
      prober->init = value;
    }
    return;
  }
  int exponent = value == 0 ? 0 : ilogb(value);
  int shift = 0;
  if (exponent > summer->left->exponent_max) shift = exponent - summer->left->exponent_max;
  if (exponent < summer->left->exponent_min) shift = exponent - summer->left->exponent_min;
  if (shift < summer->right->exponent_min) { /* The left factor is subnormal then. */
    shift = MAX(shift, summer->right->exponent_min - summer->right->precision + 1);
  }
  prober_set_factors(prober, leaf, ldexp(value, -shift), ldexp(1, shift));
}

status_t prober_run(prober_t *prober, double *out_value, failure_t *error) {
  summer_t *summer = prober->summer;
  uint64_t bits = 0;
  status_t status = STATUS_OK;
  if (prober->has_unfit) {
    status = status_fail(error, STATUS_UNSUPPORTED, "%s is too narrow for this question",
                         summer->left->name);
  } else {
    status = summer_run(summer, prober->left, prober->right, prober->init, &bits, error);
  }
  prober->has_unfit = false;
  prober->init = 0;
  for (size_t i = 0; i < summer->term_count; i++) {
    prober->left[i] = 0;
    if (prober->right != NULL) prober->right[i] = 1;
  }
  if (status == STATUS_OK) *out_value = format_to_double(summer->result, bits);
  return status;
}
