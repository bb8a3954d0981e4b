/* SPDX-License-Identifier: Apache-2.0 */
/* The fast accept sets of linear resizes, and which formula explains results. */
#include <math.h>

#include "oracles/ops/byteir_resize/integers.h"
#include "oracles/ops/byteir_resize/linear.h"

#include "generated/byteir_resize_permissions.h"

/* ---- Variants -------------------------------------------------------------------------------- */

/* The first one, and the second, of integers and numbers of 16 bits. */
static const format_t *working_format(const format_t *format, bool is_second) {
  if (format == NULL) return &format_table[is_second ? FORMAT_f64 : FORMAT_f32];
  return format->bits == 16 && !is_second ? &format_table[FORMAT_f32] : format;
}

size_t resize_variants(const case_t *instance, const contract_t *contract, resize_formula_t first,
                       resize_formula_t last, resize_variant_t out[RESIZE_VARIANTS_MAX]) {
  const format_t *format = instance->program.operands[0].element->format;
  bool is_integer = format == NULL;
  bool is_short = !is_integer && format->bits == 16, differ = resize_scales_differ(instance);
  bool has_ratio = !differ || PERMITTED(contract, resize_scale) != RESIZE_SCALE_GIVEN;
  bool has_given = differ && PERMITTED(contract, resize_scale) != RESIZE_SCALE_RATIO;
  size_t count = 0;
  for (int second = 0; second < 2; second++) {
    bool has_second = is_integer || (is_short && contract_permits_native(contract));
    if (second == 1 && !has_second) break;
    for (int given = has_ratio ? 0 : 1; given <= (has_given ? 1 : 0); given++) {
      for (int formula = (int)first; formula <= (int)last; formula++) {
        out[count++] = (resize_variant_t){
            .takes_given = given == 1,
            .formula = (resize_formula_t)formula,
            .format = working_format(format, second == 1),
            .is_native = is_short && second == 1,
        };
      }
    }
  }
  return count;
}

/* ---- Accept sets ----------------------------------------------------------------------------- */

static status_t check_axes(const resize_grid_t *grid, failure_t *error) {
  if (grid->moved_count <= RESIZE_AXES_MAX) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for linear resizes of more than %d dimensions", RESIZE_AXES_MAX);
}

/* Where no dimension is resized. */
static void accept_copy(const case_t *instance, size_t count, arena_t *arena,
                        accept_t *out_accept) {
  const tensor_t *input = &instance->operands[0];
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  for (size_t i = 0; i < count; i++) {
    bits[i] = element_load(input->type.element, input->data, i);
  }
  *out_accept = (accept_t){.count = count, .bits = bits};
}

/* What one permitted implementation returns, and what lies between that of several. */
static void accept_integers(const resize_grid_t *grid, const oracle_call_t *call,
                            const resize_variant_t *variant, accept_t *out_accept) {
  const element_t *element = grid->instance->program.results[0].element;
  uint8_t permitted = PERMITTED(call->contract, resize_rounding);
  resize_rounding_t rounding =
      permitted == RESIZE_ANY_ROUNDING ? RESIZE_TO_ZERO : (resize_rounding_t)permitted;
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, grid->count);
  const double *numbers = resize_linear_numbers(grid, call->contract, variant, call->arena);
  for (size_t i = 0; i < grid->count; i++) {
    bits[i] = resize_integer_of(rounding, element, numbers[i]);
  }
  resize_span_t span = resize_linear_span(grid, call->contract, variant, call->arena);
  *out_accept = (accept_t){.count = grid->count, .bits = bits, .low = span.low, .high = span.high};
}

/* The exact values, nearly; NaN in f64, and where two variants have two of them. */
static double *make_references(const resize_grid_t *grid, const contract_t *contract,
                               bool has_other, arena_t *arena) {
  double *references = ARENA_NEW_ARRAY(arena, double, grid->count);
  bool is_f64 = grid->instance->program.operands[0].element->format == &format_table[FORMAT_f64];
  if (!is_f64 && !has_other) {
    resize_linear_references(grid, contract, references, arena);
  } else {
    for (size_t i = 0; i < grid->count; i++) references[i] = NAN;
  }
  return references;
}

/* The separable formula; with the ratios of lengths, and with scales as they are given.  Its models
 * multiply by weights of 0: where nobody may, what that gives is asked about. */
status_t resize_linear_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  const element_t *element = instance->program.results[0].element;
  resize_variant_t variants[RESIZE_VARIANTS_MAX];
  resize_variants(instance, call->contract, RESIZE_SEPARABLE, RESIZE_SEPARABLE, variants);
  resize_grid_t grid = resize_grid_make(instance, variants[0].takes_given);
  resize_grid_t given = resize_grid_make(instance, true);
  STATUS_TRY(check_axes(&grid, call->error));
  STATUS_TRY(check_axes(&given, call->error));
  bool has_other = resize_scales_differ(instance) &&
                   PERMITTED(call->contract, resize_scale) == RESIZE_SCALE_EITHER;
  if (grid.moved_count == 0 && !has_other) {
    accept_copy(instance, grid.count, call->arena, out_accept);
    return STATUS_OK;
  }
  if (element->format == NULL) {
    accept_integers(&grid, call, &variants[0], out_accept);
    return STATUS_OK;
  }
  resize_span_t span = resize_linear_span(&grid, call->contract, &variants[0], call->arena);
  resize_span_t other = {0};
  if (has_other) other = resize_linear_span(&given, call->contract, &variants[0], call->arena);
  double *references = make_references(&grid, call->contract, has_other, call->arena);
  double *magnitude = ARENA_NEW_ARRAY(call->arena, double, grid.count);
  uint8_t *decide = arena_alloc_zeroed(call->arena, grid.count);
  for (size_t i = 0; i < grid.count; i++) {
    if (has_other) span.specials[i] |= other.specials[i];
    magnitude[i] = fmax(span.high[i] - references[i], references[i] - span.low[i]);
    if (PERMITTED(call->contract, resize_zero_weight) != RESIZE_ZERO_WEIGHT_SKIP) continue;
    bool has_zero = span.low[i] <= 0 && span.high[i] >= 0;
    decide[i] = span.specials[i] != 0 || has_zero || has_other;
  }
  *out_accept = (accept_t){.count = grid.count,
                           .low = span.low,
                           .high = span.high,
                           .other_low = other.low,
                           .other_high = other.high,
                           .specials = span.specials,
                           .reference = references,
                           .magnitude = magnitude,
                           .bound_factor = 1,
                           .measures_inside = true, /* Of one formula; others reach farther. */
                           .decide = decide};
  return STATUS_OK;
}

/* ---- Formulas -------------------------------------------------------------------------------- */

/* What is quickly known to conform by one formula. */
typedef struct quick {
  bool is_known;
  resize_span_t span; /* Of floats. */
  accept_t integers;
} quick_t;

static quick_t find_quick(const oracle_call_t *call, const resize_grid_t *grid,
                          const resize_variant_t *variant) {
  quick_t quick = {.is_known = true};
  if (grid->moved_count == 0) {
    quick.is_known = false; /* Copies: integers become no floats. */
  } else if (call->instance->program.results[0].element->format == NULL) {
    accept_integers(grid, call, variant, &quick.integers);
  } else if (PERMITTED(call->contract, resize_zero_weight) != RESIZE_ZERO_WEIGHT_SKIP) {
    quick.span = resize_linear_span(grid, call->contract, variant, call->arena);
  } else {
    quick.is_known = false;
  }
  return quick;
}

static bool span_holds(const resize_span_t *span, const format_t *format, size_t i, uint64_t bits) {
  double value = format_to_double(format, bits);
  if (isnan(value)) return (span->specials[i] & ACCEPT_NAN) != 0;
  if (value == 0) return false;
  return span->low[i] <= value && value <= span->high[i];
}

static bool quick_holds(const quick_t *quick, const element_t *element, size_t i, uint64_t bits) {
  if (!quick->is_known) return false;
  return element->format == NULL ? accept_holds(&quick->integers, element, i, bits)
                                 : span_holds(&quick->span, element->format, i, bits);
}

/* `accepts`: the fast sets of this formula, or NULL. */
static bool holds_all(const oracle_call_t *call, resize_formula_t formula, const accept_t *accepts,
                      const tensor_t *result) {
  const element_t *element = result->type.element;
  resize_variant_t variants[RESIZE_VARIANTS_MAX];
  size_t count = resize_variants(call->instance, call->contract, formula, formula, variants);
  resize_grid_t grid = resize_grid_make(call->instance, variants[0].takes_given);
  quick_t quick = {.is_known = false};
  if (accepts == NULL) quick = find_quick(call, &grid, &variants[0]);
  for (size_t i = 0; i < grid.count; i++) {
    uint64_t bits = element_load(element, result->data, i);
    bool is_held = accepts == NULL ? quick_holds(&quick, element, i, bits)
                                   : accept_holds(accepts, element, i, bits);
    for (size_t r = 0; r < count && !is_held; r++) {
      arena_mark_t mark = arena_mark(call->arena);
      is_held = resize_linear_holds(call, &variants[r], i, bits);
      arena_rewind(call->arena, mark);
    }
    if (!is_held) return false;
  }
  return true;
}

status_t resize_linear_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                    uint8_t *out_formula, bool *out_found) {
  *out_found = false;
  for (int formula = 0; formula < RESIZE_FORMULA_COUNT && !*out_found; formula++) {
    arena_mark_t mark = arena_mark(call->arena);
    const accept_t *own = formula == RESIZE_SEPARABLE ? accepts : NULL;
    *out_found = holds_all(call, (resize_formula_t)formula, own, &call->results[0]);
    arena_rewind(call->arena, mark);
    *out_formula = (uint8_t)formula;
  }
  return STATUS_OK;
}
