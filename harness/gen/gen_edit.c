/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of single components, and where they are made. */
#include "harness/draw/special_values.h"
#include "harness/gen/gen.h"
#include "harness/gen/regime.h"

/* A component of an operand, to be changed. */
typedef struct edit {
  const case_t *instance;
  const tensor_t *tensor;
  size_t count; /* Components of the tensor; at least 1. */
  size_t index;
} edit_t;

static uint64_t bits_of(const edit_t *edit) {
  return element_load(edit->tensor->type.element, edit->tensor->data, edit->index);
}

static uint64_t other_bits(rng_t *rng, const edit_t *edit) {
  size_t index = rng_below(rng, edit->count);
  return element_load(edit->tensor->type.element, edit->tensor->data, index);
}

/* ---- One component --------------------------------------------------------------------------- */

static uint64_t edit_neighbour(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  const format_t *format = element->format;
  uint64_t bits = bits_of(edit);
  bool up = rng_one_in(rng, 2);
  if (format == NULL) return (up ? bits + 1 : bits - 1) & element_mask(element);
  if (format_is_nan(format, bits)) return special_value_any(rng, element);
  return up ? format_next_up(format, bits) : format_next_down(format, bits);
}

static uint64_t edit_sign(rng_t *rng, const edit_t *edit) {
  (void)rng;
  return special_value_negated(edit->tensor->type.element, bits_of(edit));
}

static uint64_t edit_corner(rng_t *rng, const edit_t *edit) {
  return special_value_any(rng, edit->tensor->type.element);
}

static uint64_t edit_special(rng_t *rng, const edit_t *edit) {
  return special_value_special(rng, edit->tensor->type.element);
}

static uint64_t edit_copy(rng_t *rng, const edit_t *edit) { return other_bits(rng, edit); }

static uint64_t edit_bit(rng_t *rng, const edit_t *edit) {
  return bits_of(edit) ^ UINT64_C(1) << rng_below(rng, edit->tensor->type.element->bits);
}

static uint64_t edit_exponent(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  int64_t reach = rng_one_in(rng, 2) ? 1 : element->bits;
  int exponent = (int)rng_between(rng, -reach, reach);
  uint64_t bits = bits_of(edit);
  if (element->format == NULL) {
    int shift = exponent & (element->bits - 1);
    return bits << shift & element_mask(element);
  }
  number_t number = format_decode(element->format, bits);
  if (number.kind != NUMBER_FINITE) return special_value_number(element, false, 1, exponent);
  return special_value_number(element, number.negative, number.significand,
                              number.exponent + exponent);
}

/* The exponent of a unit in the last place of a number, as the result's type counts it; if that has
 * no such units, as the number's own does. */
static int result_ulp_exponent(const edit_t *edit, number_t number) {
  const format_t *format = edit->instance->program.results[0].element->format;
  if (format == NULL) format = edit->tensor->type.element->format;
  int binade = number.exponent + 63 - __builtin_clzll(number.significand);
  return format_ulp_exponent(format, binade);
}

/* Added to the other component, half a unit makes a tie.  Sometimes just beside it. */
static uint64_t edit_tie(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  uint64_t other = other_bits(rng, edit);
  if (element->format == NULL) return special_value_negated(element, other);
  number_t number = format_decode(element->format, other);
  if (number.kind != NUMBER_FINITE) return other;
  bool negative = rng_one_in(rng, 2);
  uint64_t half = special_value_number(element, negative, 1, result_ulp_exponent(edit, number) - 1);
  switch (rng_below(rng, 4)) {
    case 0:
      return format_next_up(element->format, half);
    case 1:
      return format_next_down(element->format, half);
    default:
      return half;
  }
}

/* A few units in the last place of `bits`, mostly of its sign: what is lost of that, when it is
 * added to `bits`, is nearly anything. */
static uint64_t few_ulps(rng_t *rng, const edit_t *edit, uint64_t bits) {
  enum { ULPS_BITS = 5, LOW_BITS = 24 };
  const element_t *element = edit->tensor->type.element;
  number_t number = format_decode(element->format, bits);
  if (number.kind != NUMBER_FINITE) return bits;
  bool negative = number.negative != rng_one_in(rng, 16);
  uint64_t ulps = UINT64_C(1) << (LOW_BITS + rng_below(rng, ULPS_BITS));
  uint64_t significand = rng_one_in(rng, 2) ? ulps - 1 : ulps | rng_below(rng, ulps);
  return special_value_number(element, negative, significand,
                              result_ulp_exponent(edit, number) - LOW_BITS);
}

static uint64_t edit_ulps(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  uint64_t other = other_bits(rng, edit);
  if (element->format == NULL) return (bits_of(edit) + other) & element_mask(element);
  return few_ulps(rng, edit, other);
}

static uint64_t edit_low_bits(rng_t *rng, const edit_t *edit) {
  const element_t *element = edit->tensor->type.element;
  uint64_t width = element->format == NULL ? element->bits : (uint64_t)element->format->precision;
  uint64_t mask = (UINT64_C(2) << rng_below(rng, width)) - 1;
  uint64_t fill[] = {0, mask, rng_bits(rng) & mask};
  uint64_t bits = bits_of(edit);
  return (bits & ~mask & element_mask(element)) |
         (fill[rng_below(rng, G_N_ELEMENTS(fill))] & element_mask(element));
}

/* ---- Places ---------------------------------------------------------------------------------- */

bool gen_draw_place(rng_t *rng, const case_t *instance, gen_place_t *out_place) {
  uint32_t count = instance->program.operand_count;
  uint32_t first = count == 0 ? 0 : (uint32_t)rng_below(rng, count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t operand = (first + i) % count;
    size_t components = type_component_count(&instance->operands[operand].type);
    if (components == 0) continue;
    *out_place = (gen_place_t){.operand = operand, .component = rng_below(rng, components)};
    return true;
  }
  return false;
}

static uint32_t reduced_dimensions(const case_t *instance, uint32_t operand) {
  const op_t *op = instance->program.op;
  if (op->reduced_dimensions == NULL || program_broken(&instance->program) != NULL) return 0;
  return op->reduced_dimensions(&instance->program, operand);
}

/* Along the reduced dimensions anywhere, along the others where it is. */
void gen_move_in_slice(rng_t *rng, const case_t *instance, gen_place_t *inout_place) {
  const type_t *type = &instance->operands[inout_place->operand].type;
  uint32_t reduced = reduced_dimensions(instance, inout_place->operand);
  size_t parts = type->element->components;
  size_t rest = inout_place->component / parts;
  size_t part = inout_place->component % parts;
  size_t element = 0;
  size_t stride = 1;
  for (uint32_t dim = type->rank; dim-- > 0;) {
    size_t size = (size_t)type->dims[dim];
    bool is_reduced = (reduced >> dim & 1) != 0;
    element += stride * (is_reduced ? rng_below(rng, size) : rest % size);
    rest /= size;
    stride *= size;
  }
  inout_place->component = element * parts + part;
}

/* ---- Several components ---------------------------------------------------------------------- */

static void exchange(rng_t *rng, const gen_place_t *place, case_t *inout_case) {
  gen_place_t other = *place;
  gen_move_in_slice(rng, inout_case, &other);
  tensor_t *tensor = &inout_case->operands[place->operand];
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, place->component);
  uint64_t other_bits = element_load(element, tensor->data, other.component);
  element_store(element, tensor->data, place->component, other_bits);
  element_store(element, tensor->data, other.component, bits);
}

/* Writes over some or nearly all other places of the slice: the component, or a few of its units in
 * the last place. */
static void spread(rng_t *rng, const gen_place_t *place, bool as_ulps, case_t *inout_case) {
  enum { WRITES_BITS = 8 };
  tensor_t *tensor = &inout_case->operands[place->operand];
  const element_t *element = tensor->type.element;
  const edit_t edit = {.instance = inout_case, .tensor = tensor};
  uint64_t bits = element_load(element, tensor->data, place->component);
  for (uint64_t left = UINT64_C(1) << rng_below(rng, WRITES_BITS); left > 0; left--) {
    gen_place_t other = *place;
    gen_move_in_slice(rng, inout_case, &other);
    if (other.component == place->component) continue;
    uint64_t written = as_ulps && element->format != NULL ? few_ulps(rng, &edit, bits) : bits;
    element_store(element, tensor->data, other.component, written);
  }
}

/* ---- All edits ------------------------------------------------------------------------------- */

typedef uint64_t edit_component_t(rng_t *rng, const edit_t *edit);

static edit_component_t *const component_edits[GEN_EDIT_COUNT] = {
    [GEN_EDIT_neighbour] = edit_neighbour, [GEN_EDIT_sign] = edit_sign,
    [GEN_EDIT_corner] = edit_corner,       [GEN_EDIT_special] = edit_special,
    [GEN_EDIT_copy] = edit_copy,           [GEN_EDIT_bit] = edit_bit,
    [GEN_EDIT_exponent] = edit_exponent,   [GEN_EDIT_tie] = edit_tie,
    [GEN_EDIT_ulps] = edit_ulps,           [GEN_EDIT_low_bits] = edit_low_bits,
};

void gen_edit(rng_t *rng, gen_edit_t kind, const gen_place_t *place, case_t *inout_case) {
  if (kind == GEN_EDIT_exchange) {
    exchange(rng, place, inout_case);
  } else if (kind == GEN_EDIT_spread || kind == GEN_EDIT_residues) {
    spread(rng, place, kind == GEN_EDIT_residues, inout_case);
  } else {
    tensor_t *tensor = &inout_case->operands[place->operand];
    edit_t edit = {.instance = inout_case,
                   .tensor = tensor,
                   .count = type_component_count(&tensor->type),
                   .index = place->component};
    uint64_t bits = component_edits[kind](rng, &edit);
    element_store(tensor->type.element, tensor->data, place->component, bits);
  }
}

const char *gen_edit_name(gen_edit_t kind) {
  static const char *const names[GEN_EDIT_COUNT] = {
#define EDIT(name, summary) #name,
#include "harness/gen/edits.def"
#undef EDIT
  };
  return names[kind];
}
