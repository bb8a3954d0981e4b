/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates whose operands hold other values: all of them at once, many made plain (0, or the
 * neutral initial value), then one component after the other. */
#include "harness/draw/draw_quantization.h"
#include "harness/draw/special_values.h"
#include "harness/shrink/state.h"

enum {
  BLOCKS_MAX = 16,
  ONE_BY_ONE_MAX = 64, /* Components that are looked at one by one. */
  CANDIDATES_MAX = 40, /* Of one component. */
  SETTLED_ANEW = 8,
  SMALL_INTEGERS = 3, /* Sets of small random integers. */
};

/* A component of an operand. */
typedef struct spot {
  uint32_t operand;
  size_t component;
} spot_t;

typedef struct values {
  shrink_t *shrink;
  uint32_t settled; /* See shrink_settled_operands(). */
  GArray *spots;    /* Of spot_t: the components that are not plain. */
  case_t candidate; /* A copy of the best case, in scratch. */
} values_t;

static uint64_t load(const case_t *instance, spot_t spot) {
  const tensor_t *tensor = &instance->operands[spot.operand];
  return element_load(tensor->type.element, tensor->data, spot.component);
}

static void store(case_t *instance, spot_t spot, uint64_t bits) {
  const tensor_t *tensor = &instance->operands[spot.operand];
  uint64_t stored = stored_clamped(&tensor->type, bits);
  element_store(tensor->type.element, tensor->data, spot.component, stored);
}

static const element_t *element_at(const case_t *instance, spot_t spot) {
  return instance->operands[spot.operand].type.element;
}

static uint64_t plain_bits(const shrink_t *shrink, spot_t spot) {
  return shrink_plain_bits(&shrink->best.program, spot.operand, spot.component,
                           shrink->broken != NULL);
}

static void start_candidate(values_t *values) {
  arena_reset(&values->shrink->scratch);
  values->candidate = case_copy(&values->shrink->scratch, &values->shrink->best);
}

static void find_spots(values_t *values) {
  const shrink_t *shrink = values->shrink;
  g_array_set_size(values->spots, 0);
  for (uint32_t operand = 0; operand < shrink->best.program.operand_count; operand++) {
    if ((values->settled >> operand & 1) != 0) continue;
    size_t count = type_component_count(&shrink->best.operands[operand].type);
    for (size_t component = 0; component < count; component++) {
      const spot_t spot = {.operand = operand, .component = component};
      if (load(&shrink->best, spot) != plain_bits(shrink, spot)) {
        g_array_append_val(values->spots, spot);
      }
    }
  }
}

static spot_t spot_at(const values_t *values, size_t index) {
  return g_array_index(values->spots, spot_t, (guint)index);
}

/* ---- Floats and integers --------------------------------------------------------------------- */

/* The number with its `bits` leading bits alone. */
static uint64_t with_leading_bits(const element_t *element, uint64_t pattern, int bits) {
  if (element->format == NULL) {
    int length = pattern == 0 ? 0 : 64 - __builtin_clzll(pattern);
    return length <= bits ? pattern : pattern >> (length - bits) << (length - bits);
  }
  number_t number = format_decode(element->format, pattern);
  if (number.kind != NUMBER_FINITE) return pattern;
  int length = 64 - __builtin_clzll(number.significand);
  if (length <= bits) return pattern;
  return special_value_number(element, number.negative, number.significand >> (length - bits),
                              number.exponent + length - bits);
}

/* The number times a power of two. */
static uint64_t with_binade(const element_t *element, const number_t *number, int binade) {
  int length = 64 - __builtin_clzll(number->significand);
  return special_value_number(element, number->negative, number->significand, binade - length + 1);
}

typedef struct candidates {
  const element_t *element;
  uint64_t present;
  uint64_t bits[CANDIDATES_MAX];
  size_t count;
} candidates_t;

static void add(candidates_t *candidates, uint64_t bits) {
  if (bits == candidates->present || candidates->count == CANDIDATES_MAX) return;
  for (size_t i = 0; i < candidates->count; i++) {
    if (candidates->bits[i] == bits) return;
  }
  candidates->bits[candidates->count++] = bits;
}

static void add_numbers(candidates_t *candidates, const number_t *number) {
  const element_t *element = candidates->element;
  int binade = number->exponent + 63 - __builtin_clzll(number->significand);
  add(candidates, with_leading_bits(element, candidates->present, 1));
  static const int lengths[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    uint64_t shorter = with_leading_bits(element, candidates->present, lengths[i]);
    add(candidates, shorter);
    if (lengths[i] <= 8 && shorter != candidates->present) { /* Rounded away from zero. */
      number_t cut = format_decode(element->format, shorter);
      if (cut.kind != NUMBER_FINITE) continue;
      int length = 64 - __builtin_clzll(cut.significand);
      int spare = MAX(length - lengths[i], 0);
      add(candidates, special_value_number(element, cut.negative, (cut.significand >> spare) + 1,
                                           cut.exponent + spare));
    }
  }
  add(candidates, with_leading_bits(element, candidates->present, element->format->precision - 1));
  add(candidates, with_binade(element, number, 0));
  add(candidates, with_binade(element, number, binade / 2));
  add(candidates, with_binade(element, number, binade > 0 ? binade - 1 : binade + 1));
}

static void add_integers(candidates_t *candidates, uint64_t bits) {
  const element_t *element = candidates->element;
  int64_t value = element_signed_value(element, bits);
  uint64_t mask = element_mask(element);
  add(candidates, (uint64_t)(value / 2) & mask);
  for (int length = 1; length < 64; length *= 2) {
    add(candidates, with_leading_bits(element, bits, length));
  }
  add(candidates, (uint64_t)(value < 0 ? value + 1 : value - 1) & mask);
}

/* What may stand in place of a component, in no order. */
static candidates_t find_candidates(const shrink_t *shrink, spot_t spot) {
  const element_t *element = element_at(&shrink->best, spot);
  candidates_t candidates = {.element = element, .present = load(&shrink->best, spot)};
  add(&candidates, plain_bits(shrink, spot));
  for (int value = 1; value <= 4; value++) {
    add(&candidates, special_value_integer(element, value));
    add(&candidates, special_value_integer(element, -value));
  }
  add(&candidates, special_value_negated(element, candidates.present));
  if (element->format == NULL) {
    add_integers(&candidates, candidates.present);
    return candidates;
  }
  add(&candidates, special_value_zero(element, true));
  number_t number = format_decode(element->format, candidates.present);
  if (number.kind == NUMBER_NAN) {
    const number_t usual = {.kind = NUMBER_NAN};
    add(&candidates, format_encode(element->format, usual, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT));
  } else if (number.kind == NUMBER_FINITE) {
    add_numbers(&candidates, &number);
  }
  return candidates;
}

/* The cheapest of the remaining candidates, taken out of the list. */
static uint64_t take_cheapest(candidates_t *candidates) {
  size_t cheapest = 0;
  for (size_t i = 1; i < candidates->count; i++) {
    if (shrink_value_cost(candidates->element, candidates->bits[i]) <
        shrink_value_cost(candidates->element, candidates->bits[cheapest])) {
      cheapest = i;
    }
  }
  uint64_t bits = candidates->bits[cheapest];
  candidates->bits[cheapest] = candidates->bits[--candidates->count];
  return bits;
}

/* ---- One component after the other ----------------------------------------------------------- */

static bool shrink_spot(values_t *values, spot_t spot) {
  shrink_t *shrink = values->shrink;
  candidates_t candidates = find_candidates(shrink, spot);
  while (candidates.count > 0 && !shrink_is_over(shrink)) {
    start_candidate(values);
    store(&values->candidate, spot, take_cheapest(&candidates));
    if (shrink_try(shrink, &values->candidate)) return true;
  }
  return false;
}

static bool shrink_one_by_one(values_t *values) {
  find_spots(values);
  bool is_changed = false;
  size_t count = MIN(values->spots->len, ONE_BY_ONE_MAX);
  for (size_t i = 0; i < count && !shrink_is_over(values->shrink); i++) {
    while (shrink_spot(values, spot_at(values, i))) is_changed = true;
  }
  return is_changed;
}

/* ---- Many components ------------------------------------------------------------------------- */

/* Makes plain whatever is not kept. */
static bool keep_spots(void *context, const size_t *kept, size_t count) {
  values_t *values = (values_t *)context;
  find_spots(values);
  start_candidate(values);
  size_t next = 0;
  for (size_t i = 0; i < values->spots->len; i++) {
    bool is_kept = next < count && kept[next] == i;
    spot_t spot = spot_at(values, i);
    if (is_kept) {
      next++;
    } else {
      store(&values->candidate, spot, plain_bits(values->shrink, spot));
    }
  }
  return shrink_try(values->shrink, &values->candidate);
}

static bool make_plain(values_t *values) {
  find_spots(values);
  size_t count = values->spots->len;
  if (count == 0) return false;
  if (keep_spots(values, NULL, 0)) return true;
  return shrink_leave_out(values->shrink, count, 1, BLOCKS_MAX, keep_spots, values);
}

/* What a component becomes when all are changed: by its number, and its present pattern. */
typedef uint64_t change_t(const element_t *element, uint64_t present, size_t index, int parameter);

static uint64_t change_to_one(const element_t *element, uint64_t present, size_t index,
                              int parameter) {
  (void)present;
  (void)index;
  return special_value_integer(element, parameter);
}

/* 1, 2, 4, ...: every sum of some of them is another number. */
static uint64_t change_to_power(const element_t *element, uint64_t present, size_t index,
                                int parameter) {
  (void)present;
  return special_value_integer(element, 1 << (index % (size_t)parameter));
}

static uint64_t change_to_count(const element_t *element, uint64_t present, size_t index,
                                int parameter) {
  (void)present;
  return special_value_integer(element, (int)(index % (size_t)parameter) + 1);
}

static uint64_t change_to_small_integer(const element_t *element, uint64_t present, size_t index,
                                        int parameter) {
  (void)present;
  rng_t rng = rng_make((uint64_t)parameter << 32 ^ index);
  return special_value_integer(element, (int)rng_between(&rng, -4, 4));
}

static uint64_t change_to_leading_bits(const element_t *element, uint64_t present, size_t index,
                                       int parameter) {
  (void)index;
  return with_leading_bits(element, present, parameter);
}

static uint64_t change_to_positive(const element_t *element, uint64_t present, size_t index,
                                   int parameter) {
  (void)index;
  (void)parameter;
  uint64_t negated = special_value_negated(element, present);
  bool is_cheaper = shrink_value_cost(element, negated) < shrink_value_cost(element, present);
  return is_cheaper ? negated : present;
}

/* The same bits in the binade of 1. */
static uint64_t change_to_binade(const element_t *element, uint64_t present, size_t index,
                                 int parameter) {
  (void)index;
  if (element->format == NULL) return present;
  number_t number = format_decode(element->format, present);
  return number.kind == NUMBER_FINITE ? with_binade(element, &number, parameter) : present;
}

typedef struct change {
  change_t *function;
  int parameter;
} change_row_t;

static const change_row_t changes[] = {
    {change_to_one, 1},
    {change_to_count, 4},
    {change_to_power, 6},
    {change_to_leading_bits, 1},
    {change_to_small_integer, 1},
    {change_to_small_integer, 2},
    {change_to_small_integer, SMALL_INTEGERS},
    {change_to_positive, 0},
    {change_to_binade, 0},
    {change_to_leading_bits, 2},
    {change_to_leading_bits, 4},
    {change_to_leading_bits, 8},
    {change_to_leading_bits, 12},
    {change_to_leading_bits, 24},
};

/* Changes all components, or those of one operand. */
static bool try_change(values_t *values, const change_row_t *change, uint32_t operands) {
  find_spots(values);
  start_candidate(values);
  for (size_t i = 0; i < values->spots->len; i++) {
    spot_t spot = spot_at(values, i);
    if ((operands >> spot.operand & 1) == 0) continue;
    uint64_t present = load(&values->candidate, spot);
    const element_t *element = element_at(&values->candidate, spot);
    store(&values->candidate, spot, change->function(element, present, i, change->parameter));
  }
  return shrink_try(values->shrink, &values->candidate);
}

static bool change_many(values_t *values) {
  find_spots(values);
  if (values->spots->len < 2) return false;
  bool is_changed = false;
  for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
    if (try_change(values, &changes[i], UINT32_MAX)) {
      is_changed = true;
      continue;
    }
    uint32_t count = values->shrink->best.program.operand_count;
    for (uint32_t operand = 0; operand < count && count > 1; operand++) {
      is_changed |= try_change(values, &changes[i], 1u << operand);
    }
  }
  return is_changed;
}

/* What the op settles otherwise than it did. */
static bool settle_anew(values_t *values) {
  shrink_t *shrink = values->shrink;
  if (values->settled == 0) return false;
  bool is_changed = false;
  rng_t rng = shrink_rng(shrink, &shrink->best.program, 3);
  for (int i = 0; i < SETTLED_ANEW && !shrink_is_over(shrink); i++) {
    start_candidate(values);
    gen_settle(&rng, &values->candidate);
    is_changed |= shrink_try(shrink, &values->candidate);
  }
  return is_changed;
}

bool shrink_values(shrink_t *shrink) {
  values_t values = {.shrink = shrink,
                     .settled = shrink_settled_operands(&shrink->best.program),
                     .spots = g_array_new(FALSE, FALSE, sizeof(spot_t))};
  if (shrink->broken != NULL) values.settled = 0;
  bool is_changed = make_plain(&values);
  is_changed |= change_many(&values);
  is_changed |= shrink_one_by_one(&values);
  is_changed |= settle_anew(&values);
  g_array_free(values.spots, TRUE);
  return is_changed;
}
