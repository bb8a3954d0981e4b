/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing resizes: programs, data in which a wrong coordinate shows, and targets. */
#include <math.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/byteir_resize/byteir_resize.h"

enum { RANK_MAX = 5 };

/* ---- Programs -------------------------------------------------------------------------------- */

static bool is_taken(const element_t *element, const void *mode) {
  return byteir_resize_takes(*(const resize_mode_t *)mode, element);
}

/* Which dimensions change their size: mostly one or two of the last, as of images, sometimes any or
 * all. */
static uint32_t draw_resized(rng_t *rng, uint32_t rank) {
  uint32_t all = (UINT32_C(1) << rank) - 1;
  uint64_t choice = rng_below(rng, 10);
  if (choice == 0) return all;
  if (choice <= 2) return (uint32_t)rng_bits(rng) & all;
  uint32_t count = (uint32_t)rng_between(rng, 1, 2);
  return count >= rank ? all : all & ~(all >> count);
}

/* Another length for one of `length` elements: half of it, twice, one more, or any. */
static int64_t draw_other_length(rng_t *rng, int64_t length, int64_t largest) {
  int64_t other = length;
  switch (rng_below(rng, 12)) {
    case 0:
      break;
    case 1:
      other = 1;
      break;
    case 2:
      other = 2 * length;
      break;
    case 3:
      other = length / 2;
      break;
    case 4:
      other = length + 1;
      break;
    case 5:
      other = length - 1;
      break;
    case 6:
      other = length * rng_between(rng, 2, 5) / rng_between(rng, 2, 5);
      break;
    default:
      other = draw_size(rng, DRAW_SIZES_SMALL, largest);
      break;
  }
  return CLAMP(other, 1, MAX(largest, 1));
}

/* Lengths in both types, each of which keeps within so many elements. */
static void draw_lengths(rng_t *rng, const draw_limits_t *limits, type_t *input, type_t *result) {
  uint32_t resized = draw_resized(rng, input->rank);
  dimension_list_t order = draw_permutation(rng, input->rank);
  int64_t input_elements = 1, result_elements = 1;
  for (uint32_t i = 0; i < order.count; i++) {
    int64_t dim = order.dims[i];
    bool changes = (resized >> dim & 1) != 0;
    int64_t largest = limits->elements_max / input_elements;
    int64_t largest_result = limits->elements_max / result_elements;
    if (!changes) largest = MIN(largest, largest_result);
    int64_t length = draw_size(rng, limits->sizes, largest);
    int64_t other = changes ? draw_other_length(rng, length, largest_result) : length;
    input->dims[dim] = length;
    result->dims[dim] = length == 0 ? 0 : other;
    input_elements *= MAX(length, 1);
    result_elements *= MAX(result->dims[dim], 1);
  }
}

/* The target has as many elements as the input has dimensions. */
static uint32_t draw_rank(rng_t *rng, const draw_limits_t *limits) {
  uint32_t largest = MIN(limits->rank_max, (uint32_t)RANK_MAX);
  if (limits->elements_max < largest) largest = (uint32_t)limits->elements_max;
  if (largest == 0 || rng_one_in(rng, 100)) return 0;
  return (uint32_t)rng_between(rng, 1, largest);
}

void byteir_resize_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *inout_program) {
  byteir_resize_attributes_t *attributes = ARENA_NEW_ARRAY(arena, byteir_resize_attributes_t, 1);
  resize_mode_t mode = rng_one_in(rng, 2) ? RESIZE_NEAREST : RESIZE_LINEAR;
  resize_target_t target = rng_one_in(rng, 2) ? RESIZE_SCALE : RESIZE_SIZE;
  *attributes = (byteir_resize_attributes_t){
      .target_mode = (uint8_t)target,
      .mode = (uint8_t)mode,
      .transformation = (uint8_t)rng_below(rng, RESIZE_ALIGN_CORNERS + 1)};
  program_t *program = inout_program;
  program->attributes = attributes;
  program->operand_count = 2;
  program->result_count = 1;
  type_t *input = &program->operands[0], *result = &program->results[0];
  *input = *result =
      (type_t){.element = draw_element(rng, is_taken, &mode), .rank = draw_rank(rng, limits)};
  draw_lengths(rng, limits, input, result);
  const int64_t rank = input->rank;
  const char *size_name = rng_one_in(rng, 4) ? "i32" : "i64";
  const char *name = target == RESIZE_SCALE ? "f32" : size_name;
  program->operands[1] = type_make(element_named(name), 1, &rank);
}

/* ---- Targets --------------------------------------------------------------------------------- */

/* The whole part of a positive number is that many. */
static bool has_whole_part(double number, int64_t whole) {
  return (double)whole <= number && number < (double)(whole + 1);
}

/* The exact product has 49 bits at the most, and binary64 holds it. */
bool byteir_resize_scale_gives(double scale, int64_t length, int64_t resized) {
  if (!(scale > 0) || !isfinite(scale)) return false;
  double exact = scale * (double)length;
  double rounded = (double)((float)scale * (float)length);
  return has_whole_part(exact, resized) && has_whole_part(rounded, resized);
}

/* The least f32 that is not below resized / length. */
static uint64_t least_scale(const format_t *f32, int64_t length, int64_t resized) {
  uint64_t bits = format_from_double(f32, (double)resized / (double)length);
  bool is_below = format_to_double(f32, bits) * (double)length < (double)resized;
  return is_below ? format_next_up(f32, bits) : bits;
}

/* The least one most often, which is the ratio of the lengths or nearly so; else any that gives the
 * result's length, some of them just enough below the next length. */
static uint64_t draw_scale(rng_t *rng, const format_t *f32, int64_t length, int64_t resized) {
  if (length == 0) return format_from_double(f32, (double)rng_between(rng, 1, 9) / 3);
  uint64_t bits = least_scale(f32, length, resized);
  if (rng_one_in(rng, 3)) {
    double share = (double)rng_below(rng, 1 << 20) * 0x1p-20;
    bits = format_from_double(f32, ((double)resized + share) / (double)length);
  } else if (rng_one_in(rng, 4)) {
    bits = format_next_down(f32, format_next_down(f32, least_scale(f32, length, resized + 1)));
  }
  bool is_good = byteir_resize_scale_gives(format_to_double(f32, bits), length, resized);
  return is_good ? bits : least_scale(f32, length, resized);
}

void byteir_resize_settle(rng_t *rng, case_t *inout_case) {
  const type_t *input = &inout_case->program.operands[0], *result = &inout_case->program.results[0];
  const tensor_t *target = &inout_case->operands[1];
  const element_t *element = target->type.element;
  for (uint32_t dim = 0; dim < input->rank; dim++) {
    uint64_t bits = element->format == NULL
                        ? (uint64_t)result->dims[dim]
                        : draw_scale(rng, element->format, input->dims[dim], result->dims[dim]);
    element_store(element, target->data, dim, bits);
  }
}

/* ---- Data ------------------------------------------------------------------------------------ */

typedef enum recipe {
  RECIPE_INDEX,       /* Its own index along one dimension: which element was taken shows. */
  RECIPE_POSITION,    /* Its own number among all elements. */
  RECIPE_RAMP,        /* A slope, with interpolated values in between. */
  RECIPE_ALTERNATING, /* 1 and -1: the largest slope. */
  RECIPE_CONSTANT,
  RECIPE_SPECIALS, /* Infinities and NaN among small integers: elements of weight 0. */
  RECIPE_LARGEST,  /* Of both signs, or of one. */
  RECIPE_SMALLEST,
  RECIPE_COUNT,
} recipe_t;

typedef struct edges {
  recipe_t recipe;
  const type_t *type;
  uint32_t dim; /* Along which a ramp goes. */
  double slope;
  double start;
  uint64_t constant;
} edges_t;

static size_t index_along(const type_t *type, uint32_t dim, size_t element) {
  for (uint32_t i = type->rank; i-- > dim + 1;) element /= (size_t)type->dims[i];
  return element % (size_t)type->dims[dim];
}

static bool is_odd(const type_t *type, size_t element) {
  size_t sum = 0;
  for (uint32_t i = 0; i < type->rank; i++) sum += index_along(type, i, element);
  return sum % 2 != 0;
}

/* Integers take the low bits of a number. */
static uint64_t number_bits(const element_t *element, double number) {
  if (element->format != NULL) return format_from_double(element->format, number);
  return (uint64_t)(int64_t)number & element_mask(element);
}

/* The largest number, or the smallest times a few, of one sign or of alternating ones. */
static uint64_t draw_extreme(rng_t *rng, const edges_t *edges, size_t position) {
  const format_t *format = edges->type->element->format;
  if (format == NULL) return special_value_boundary(rng, edges->type->element);
  double smallest = format_to_double(format, 1);
  double number = edges->recipe == RECIPE_LARGEST ? format_to_double(format, format->largest_bits)
                                                  : (double)rng_between(rng, 0, 9) * smallest;
  bool negative = edges->slope > 0 && is_odd(edges->type, position);
  return format_from_double(format, negative ? -number : number);
}

static uint64_t draw_bits(rng_t *rng, const edges_t *edges, size_t position) {
  const element_t *element = edges->type->element;
  double index =
      edges->type->rank == 0 ? 0 : (double)index_along(edges->type, edges->dim, position);
  bool negative = is_odd(edges->type, position);
  switch (edges->recipe) {
    case RECIPE_INDEX:
      return number_bits(element, index);
    case RECIPE_POSITION:
      return number_bits(element, (double)position);
    case RECIPE_RAMP:
      return number_bits(element, edges->start + edges->slope * index);
    case RECIPE_ALTERNATING:
      return number_bits(element, negative ? -1 : 1);
    case RECIPE_CONSTANT:
      return edges->constant;
    case RECIPE_SPECIALS:
      return rng_one_in(rng, 6) ? special_value_special(rng, element)
                                : special_value_integer(element, (int)rng_between(rng, -4, 4));
    case RECIPE_LARGEST:
    case RECIPE_SMALLEST:
    case RECIPE_COUNT:
      break;
  }
  return draw_extreme(rng, edges, position);
}

void byteir_resize_draw_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *input = &inout_case->operands[0];
  const element_t *element = input->type.element;
  static const double slopes[] = {1, -1, 0.5, 3, 0.1, -1e-3, 1e3, 1.0 / 3};
  edges_t edges = {.recipe = (recipe_t)rng_below(rng, RECIPE_COUNT),
                   .type = &input->type,
                   .dim = (uint32_t)rng_below(rng, MAX(input->type.rank, 1)),
                   .slope = slopes[rng_below(rng, G_N_ELEMENTS(slopes))],
                   .start = (double)rng_between(rng, -8, 8) / 3,
                   .constant = special_value_any(rng, element)};
  for (size_t i = 0; i < type_element_count(&input->type); i++) {
    element_store(element, input->data, i, draw_bits(rng, &edges, i));
  }
}
