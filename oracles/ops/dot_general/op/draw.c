/* SPDX-License-Identifier: Apache-2.0 */
/* Random dot_generals: numbers and sizes of dimensions by role within the limits, a random or
 * canonical placement in each operand, then element types, precision, algorithm and quantization.
 */
#include "harness/draw/draw.h"
#include "harness/types/promotion.h"
#include "oracles/ops/dot_general/op/op.h"

/* The four roles of a dimension. */
typedef enum role { ROLE_BATCH, ROLE_ROW, ROLE_COLUMN, ROLE_TERM, ROLE_COUNT } role_t;

/* Which of its types are quantized. */
typedef enum kind { KIND_PLAIN, KIND_QUANTIZED, KIND_HYBRID } kind_t;

/* One program in four is quantized; the left operand of a third of these is not. */
static kind_t draw_kind(rng_t *rng) {
  if (!rng_one_in(rng, 4)) return KIND_PLAIN;
  return rng_one_in(rng, 3) ? KIND_HYBRID : KIND_QUANTIZED;
}

/* How many dimensions of each role there are, their sizes, and the products of those sizes (a size
 * of 0 counts as 1, so that the products still bound what is left). */
typedef struct shape {
  uint32_t counts[ROLE_COUNT];
  int64_t sizes[ROLE_COUNT][TYPE_RANK_MAX];
  int64_t products[ROLE_COUNT];
} shape_t;

static void draw_counts(rng_t *rng, uint32_t rank_max, shape_t *shape) {
  uint32_t terms = rng_below(rng, 8) < 5 ? 1 : (uint32_t)rng_below(rng, 4);
  uint32_t batches = rng_one_in(rng, 2) ? 0 : (uint32_t)rng_below(rng, 3);
  terms = MIN(terms, rank_max);
  batches = MIN(batches, rank_max - terms);
  uint32_t left = MIN(rank_max - terms - batches, 3);
  shape->counts[ROLE_TERM] = terms;
  shape->counts[ROLE_BATCH] = batches;
  /* Mostly one row and one column dimension: a plain matrix product. */
  uint32_t plain = MIN(left, 1);
  bool is_plain = !rng_one_in(rng, 3);
  shape->counts[ROLE_ROW] = is_plain ? plain : (uint32_t)rng_below(rng, left + 1);
  shape->counts[ROLE_COLUMN] = is_plain ? plain : (uint32_t)rng_below(rng, left + 1);
  while (batches + shape->counts[ROLE_ROW] + shape->counts[ROLE_COLUMN] > TYPE_RANK_MAX) {
    shape->counts[ROLE_COLUMN]--;
  }
}

/* The largest size that another dimension of that role may have. */
static int64_t size_left(const shape_t *shape, const draw_limits_t *limits, role_t role) {
  /* Which roles make up lhs, rhs and the result. */
  static const role_t tensors[3][3] = {{ROLE_BATCH, ROLE_ROW, ROLE_TERM},
                                       {ROLE_BATCH, ROLE_COLUMN, ROLE_TERM},
                                       {ROLE_BATCH, ROLE_ROW, ROLE_COLUMN}};
  int64_t left = limits->elements_max;
  if (role == ROLE_TERM) left = MIN(left, limits->terms_max / shape->products[ROLE_TERM]);
  for (int tensor = 0; tensor < 3; tensor++) {
    bool holds_role = false;
    int64_t elements = 1;
    for (int i = 0; i < 3; i++) {
      holds_role = holds_role || tensors[tensor][i] == role;
      elements *= shape->products[tensors[tensor][i]];
    }
    if (holds_role) left = MIN(left, limits->elements_max / elements);
  }
  return left;
}

/* Of programs that are to have long sums the terms come first, three times in four: who comes first
 * gets the most, and a product of thousands of rows has few terms. */
static void prefer_terms(dimension_list_t *inout_order) {
  if (inout_order->dims[ROLE_COUNT - 1] == ROLE_TERM) return;
  for (uint32_t i = ROLE_COUNT - 1; i > 0; i--) {
    if (inout_order->dims[i] != ROLE_TERM) continue;
    inout_order->dims[i] = inout_order->dims[i - 1];
    inout_order->dims[i - 1] = ROLE_TERM;
  }
}

/* Draws the sizes role by role, the roles in random order so that none always gets the most. */
static void draw_sizes(rng_t *rng, const draw_limits_t *limits, shape_t *shape) {
  for (int role = 0; role < ROLE_COUNT; role++) shape->products[role] = 1;
  dimension_list_t order = draw_permutation(rng, ROLE_COUNT);
  if (limits->sizes == DRAW_SIZES_LONG) prefer_terms(&order);
  for (uint32_t i = 0; i < order.count; i++) {
    role_t role = (role_t)order.dims[i];
    for (uint32_t d = 0; d < shape->counts[role]; d++) {
      int64_t left = size_left(shape, limits, role);
      int64_t size = role == ROLE_TERM ? draw_term_count(rng, limits->sizes, left)
                                       : draw_size(rng, limits->sizes, left);
      shape->sizes[role][d] = size;
      shape->products[role] *= MAX(size, 1);
    }
  }
}

/* Lays out one operand: its dimensions are those of three roles, in the given order of places. */
static type_t lay_out(const shape_t *shape, const element_t *element, const role_t roles[3],
                      const dimension_list_t *places, dimension_list_t *out_batching,
                      dimension_list_t *out_contracting) {
  type_t type = type_make(element, 0, NULL);
  type.rank = places->count;
  uint32_t next = 0;
  for (int i = 0; i < 3; i++) {
    for (uint32_t d = 0; d < shape->counts[roles[i]]; d++) {
      int64_t place = places->dims[next++];
      type.dims[place] = shape->sizes[roles[i]][d];
      if (roles[i] == ROLE_BATCH) dimension_list_append(out_batching, place);
      if (roles[i] == ROLE_TERM) dimension_list_append(out_contracting, place);
    }
  }
  return type;
}

static dimension_list_t draw_places(rng_t *rng, uint32_t rank, bool is_canonical) {
  dimension_list_t places = draw_permutation(rng, rank);
  for (uint32_t i = 0; is_canonical && i < rank; i++) places.dims[i] = i;
  return places;
}

/* Half of the programs of floats ask for an algorithm, and one in eight of those of other numbers:
 * one in four beside quantized ones.  Its precision_config, if any, is mostly DEFAULT then, as the
 * specification wants it. */
static void draw_algorithm(rng_t *rng, const element_t *storage,
                           dot_general_attributes_t *attributes) {
  if (storage->kind == ELEMENT_BOOLEAN) return;
  bool asks = rng_one_in(rng, storage->kind == ELEMENT_FLOAT ? 2 : 8);
  if (!asks) return;
  attributes->has_algorithm = true;
  attributes->algorithm = dot_algorithm_draw(rng, storage);
  if (rng_one_in(rng, 16)) return;
  for (uint32_t i = 0; i < attributes->precision.count; i++) {
    attributes->precision.values[i] = PRECISION_DEFAULT;
  }
}

/* One in eight of quantized and hybrid ones too, by numbers of its own: others are drawn as if
 * there were none, so that seeds give the programs that they gave. */
static void draw_algorithm_of_quantized(rng_t *rng, const program_t *program,
                                        dot_general_attributes_t *attributes) {
  rng_t ahead = *rng;
  if (!rng_one_in(&ahead, 4)) return;
  const quantization_t *quantization = program->operands[DOT_GENERAL_RHS].quantization;
  draw_algorithm(&ahead, quantization->expressed, attributes);
  *rng = ahead;
}

/* The left operand's element type, or another 8-bit float where an algorithm permits that. */
static const element_t *draw_rhs_element(rng_t *rng, const element_t *lhs,
                                         dot_general_attributes_t *attributes) {
  dot_algorithm_attribute_t *algorithm = &attributes->algorithm;
  bool is_f8 = lhs->kind == ELEMENT_FLOAT && lhs->bits == 8;
  if (!attributes->has_algorithm || algorithm->lhs_type != lhs || !is_f8) return lhs;
  if (!rng_one_in(rng, 2)) return lhs;
  static const char *const others[] = {"f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ"};
  algorithm->rhs_type = element_named(others[rng_below(rng, G_N_ELEMENTS(others))]);
  return algorithm->rhs_type;
}

/* Seldom a type of accumulation, which RFC 000 alone knows. */
static bool is_added_in(const element_t *element, const void *context) {
  const element_t *from = context;
  return element->kind == from->kind && element->is_tensor_element;
}

static void draw_accumulation(rng_t *rng, const element_t *from,
                              dot_general_attributes_t *attributes) {
  bool may =
      !attributes->has_algorithm && from->kind != ELEMENT_COMPLEX && from->kind != ELEMENT_BOOLEAN;
  if (!may || !rng_one_in(rng, 16)) return;
  attributes->accumulation = draw_element(rng, is_added_in, from);
}

static bool is_real_number(const element_t *element, const void *context) {
  (void)context;
  return element->kind != ELEMENT_BOOLEAN && element->kind != ELEMENT_COMPLEX;
}

/* With an algorithm mostly its accumulation type, which shows all that it did, and seldom any; of
 * complex operands a complex one. */
static const element_t *draw_result_element(rng_t *rng, const element_t *lhs, const element_t *rhs,
                                            const dot_general_attributes_t *attributes) {
  bool has_choice = attributes->has_algorithm && lhs->kind != ELEMENT_COMPLEX;
  const element_t *accumulation = attributes->algorithm.accumulation_type;
  if (has_choice && (lhs != rhs || !rng_one_in(rng, 3))) return accumulation;
  if (has_choice && rng_one_in(rng, 4)) return draw_element(rng, is_real_number, NULL);
  return draw_promotion(rng, lhs);
}

/* Short sums tell algorithms apart: in long ones the permitted error hides which one ran. */
static draw_limits_t limits_for(rng_t *rng, const draw_limits_t *limits,
                                const dot_general_attributes_t *attributes) {
  enum { SHORT_SUM = 8 };
  draw_limits_t chosen = *limits;
  if (attributes->has_algorithm && rng_one_in(rng, 2)) {
    chosen.terms_max = MIN(chosen.terms_max, SHORT_SUM);
  }
  return chosen;
}

static void append_sizes(const type_t *operand, const dimension_list_t *dims, type_t *result) {
  for (uint32_t i = 0; i < dims->count; i++) {
    result->dims[result->rank++] = operand->dims[dims->dims[i]];
  }
}

void dot_general_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program) {
  static const role_t lhs_roles[] = {ROLE_BATCH, ROLE_ROW, ROLE_TERM};
  static const role_t rhs_roles[] = {ROLE_BATCH, ROLE_TERM, ROLE_COLUMN};
  dot_general_attributes_t *attributes = ARENA_NEW_ARRAY(arena, dot_general_attributes_t, 1);
  *attributes = (dot_general_attributes_t){0};
  attributes->precision = precision_list_draw(rng);

  kind_t kind = draw_kind(rng);
  const element_t *from = draw_element(rng, NULL, NULL);
  if (kind == KIND_PLAIN) draw_algorithm(rng, from, attributes);
  if (kind == KIND_PLAIN) draw_accumulation(rng, from, attributes);
  const element_t *rhs_from = draw_rhs_element(rng, from, attributes);
  shape_t shape = {0};
  const draw_limits_t shape_limits = limits_for(rng, limits, attributes);
  draw_counts(rng, MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX), &shape);
  draw_sizes(rng, &shape_limits, &shape);
  bool is_canonical = rng_one_in(rng, 3);
  uint32_t shared = shape.counts[ROLE_BATCH] + shape.counts[ROLE_TERM];
  dimension_list_t lhs_places = draw_places(rng, shared + shape.counts[ROLE_ROW], is_canonical);
  dimension_list_t rhs_places = draw_places(rng, shared + shape.counts[ROLE_COLUMN], is_canonical);
  type_t lhs = lay_out(&shape, from, lhs_roles, &lhs_places, &attributes->lhs_batching,
                       &attributes->lhs_contracting);
  type_t rhs = lay_out(&shape, rhs_from, rhs_roles, &rhs_places, &attributes->rhs_batching,
                       &attributes->rhs_contracting);
  *out_program = (program_t){.op = &dot_general_op,
                             .attributes = attributes,
                             .operand_count = 2,
                             .result_count = 1,
                             .operands = {lhs, rhs}};
  type_t result = type_make(draw_result_element(rng, from, rhs_from, attributes), 0, NULL);
  dimension_list_t rows = dot_general_lhs_result_dimensions(out_program);
  dimension_list_t columns = dot_general_rhs_result_dimensions(out_program);
  append_sizes(&lhs, &attributes->lhs_batching, &result);
  append_sizes(&lhs, &rows, &result);
  append_sizes(&rhs, &columns, &result);
  out_program->results[0] = result;
  if (kind == KIND_PLAIN) return;
  dot_general_draw_quantization(rng, kind == KIND_HYBRID, arena, out_program);
  draw_algorithm_of_quantized(rng, out_program, attributes);
}
