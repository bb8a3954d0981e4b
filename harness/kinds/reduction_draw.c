/* SPDX-License-Identifier: Apache-2.0 */
/* Random reduction bodies and types, plain, promoted, quantized or by the RFC's conversion rules,
 * so that each set of rules is exercised. */
#include <math.h>

#include "harness/draw/draw.h"
#include "harness/draw/draw_quantization.h"
#include "harness/kinds/reduction.h"

/* A body, and an input that goes with its first one: named once, not for each type. */
typedef struct domain {
  reduce_body_t body;
  scalar_type_t index;
} domain_t;

static bool is_in_domain(const element_t *element, const void *context) {
  const domain_t *domain = context;
  scalar_type_t value = scalar_type_make(element);
  reduction_types_t types = {.count = 2,
                             .inputs = {value, domain->index},
                             .accumulations = {value, domain->index},
                             .results = {value, domain->index}};
  return reduction_body_allows(domain->body, &types);
}

static bool is_integer(const element_t *element, const void *unused) {
  (void)unused;
  return element_is_integer(element);
}

/* Indices and counts: seldom anything but the types that programs use. */
static const element_t *draw_counting_type(rng_t *rng) {
  static const char *const usual[] = {"i32", "i64", "ui32"};
  if (rng_one_in(rng, 4)) return draw_element(rng, is_integer, NULL);
  return element_named(usual[rng_below(rng, G_N_ELEMENTS(usual))]);
}

static reduce_body_t draw_body(rng_t *rng, uint32_t inputs_max) {
  if (rng_one_in(rng, 2)) return REDUCE_add;
  reduce_body_t body;
  do {
    body = (reduce_body_t)rng_below(rng, REDUCE_BODY_COUNT);
  } while (reduce_body_table[body].inputs > inputs_max);
  return body;
}

/* A float for a float, an integer for an integer, of whatever width. */
static bool is_like(const element_t *element, const void *context) {
  const element_t *other = context;
  return element_is_integer(other) ? element_is_integer(element) : element->kind == other->kind;
}

/* Accumulation types by the rules of the RFC alone: results have the types of the inputs. */
static void draw_rfc_types(rng_t *rng, reduction_types_t *types) {
  for (uint32_t i = 0; i < types->count; i++) {
    const element_t *from = types->inputs[i].element;
    types->results[i] = types->accumulations[i] = types->inputs[i];
    if (!element_is_integer(from) && from->kind != ELEMENT_FLOAT) continue;
    types->accumulations[i] = scalar_type_make(draw_element(rng, is_like, from));
  }
}

/* Whether the body can be computed on quantized values; of others products alone have an oracle. */
static bool may_be_quantized(reduce_body_t body) {
  return body == REDUCE_add || body == REDUCE_maximum || body == REDUCE_minimum;
}

/* A quantized type that is accumulated in, or the result's: mostly i32, wide enough for sums, with
 * the scale of the input or another one. */
static scalar_type_t draw_quantized_like(rng_t *rng, arena_t *arena, const scalar_type_t *input,
                                         const element_t *storage) {
  type_t type = type_make(storage, 0, NULL);
  draw_quantization(rng, arena, input->expressed, -1, rng_one_in(rng, 2), &type);
  scalar_type_t drawn = scalar_type_of(&type);
  if (rng_one_in(rng, 2)) drawn.scale = input->scale;
  if (rng_one_in(rng, 3)) { /* Powers of two make ties. */
    double ratio = rng_one_in(rng, 2) ? ldexp(1, (int)rng_between(rng, -2, 4))
                                      : (double)rng_between(rng, 1, 64) / 16;
    double scale = input->scale * ratio;
    scale = format_round_double(input->expressed->format, scale);
    bool is_scale = scale > 0 && scale * 0 == 0;
    drawn.scale = is_scale ? scale : input->scale;
  }
  return drawn;
}

static bool is_wider_storage(const element_t *element, const void *context) {
  const element_t *from = context;
  return element_is_integer(element) && element->bits >= from->bits && element->bits <= 32;
}

/* By today's rules the result is what is accumulated in; by the RFC's it has the storage type and
 * the range of the input. */
static void draw_quantized_types(rng_t *rng, arena_t *arena, reduction_types_t *types) {
  type_t type = type_make(draw_storage_element(rng), 0, NULL);
  draw_quantization(rng, arena, draw_expressed_element(rng), -1, rng_one_in(rng, 4), &type);
  scalar_type_t input = scalar_type_of(&type);
  bool is_rfc = rng_one_in(rng, 3);
  const element_t *storage = input.element;
  if (is_rfc && rng_one_in(rng, 4)) {
    storage = draw_storage_element(rng);
  } else if (rng_one_in(rng, 2)) {
    storage = element_named("i32");
  } else if (rng_one_in(rng, 2)) {
    storage = draw_element(rng, is_wider_storage, input.element);
  }
  scalar_type_t accumulation =
      rng_one_in(rng, 6) ? input : draw_quantized_like(rng, arena, &input, storage);
  scalar_type_t result = accumulation;
  if (is_rfc) {
    scalar_type_t other = draw_quantized_like(rng, arena, &input, input.element);
    result = input;
    result.scale = other.scale;
    if (other.zero_point >= input.storage_min && other.zero_point <= input.storage_max) {
      result.zero_point = other.zero_point;
    }
  }
  types->inputs[0] = input;
  types->accumulations[0] = accumulation;
  types->results[0] = result;
}

/* Products are quantized as often, by numbers of their own: what is not quantized is drawn as if
 * there were none, so that seeds give the programs that they gave. */
static bool quantizes_product(rng_t *rng, reduce_body_t body, arena_t *arena,
                              reduction_types_t *inout_types) {
  rng_t ahead = *rng;
  if (body != REDUCE_multiply || !rng_one_in(&ahead, 8)) return false;
  draw_quantized_types(&ahead, arena, inout_types);
  *rng = ahead;
  return true;
}

void reduction_draw(rng_t *rng, uint32_t inputs_max, arena_t *arena, reduction_t *out_reduction,
                    reduction_types_t *out_types) {
  *out_reduction = (reduction_t){.body = draw_body(rng, inputs_max)};
  const reduce_body_row_t *body = &reduce_body_table[out_reduction->body];
  bool is_arg = body->domain == REDUCE_DOMAIN_ARG;
  const domain_t domain = {out_reduction->body, scalar_type_make(element_named("i32"))};
  *out_types = (reduction_types_t){.count = body->inputs};
  for (uint32_t i = 0; i < body->inputs; i++) {
    const element_t *from =
        i == 0 ? draw_element(rng, is_in_domain, &domain) : draw_counting_type(rng);
    out_types->inputs[i] = scalar_type_make(from);
    out_types->results[i] = scalar_type_make(is_arg ? from : draw_promotion(rng, from));
    out_types->accumulations[i] = out_types->results[i];
  }
  if (may_be_quantized(out_reduction->body) && rng_one_in(rng, 8)) {
    draw_quantized_types(rng, arena, out_types);
  } else if (quantizes_product(rng, out_reduction->body, arena, out_types)) {
    /* Drawn. */
  } else if (!is_arg && rng_one_in(rng, 16)) {
    draw_rfc_types(rng, out_types);
  }
  reduction_name_accumulations(out_types, out_reduction);
}
