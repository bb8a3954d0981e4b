#include "harness/model/draw.h"
#include "harness/model/reduction.h"

static bool is_in_domain(const element_t *element, const void *body) {
  scalar_type_t value = scalar_type_make(element), index = scalar_type_make(element_named("i32"));
  reduction_types_t types = {.count = 2,
                             .inputs = {value, index},
                             .accumulations = {value, index},
                             .results = {value, index}};
  return reduction_body_allows(*(const reduce_body_t *)body, &types);
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

static void name_accumulations(const reduction_types_t *types, reduction_t *reduction) {
  bool differ = false;
  for (uint32_t i = 0; i < types->count; i++) {
    reduction->accumulation[i] = types->accumulations[i];
    differ |= !scalar_type_equal(&types->accumulations[i], &types->results[i]);
  }
  reduction->accumulation_count = differ ? types->count : 0;
}

void reduction_draw(rng_t *rng, uint32_t inputs_max, arena_t *arena, reduction_t *out_reduction,
                    reduction_types_t *out_types) {
  (void)arena;
  *out_reduction = (reduction_t){.body = draw_body(rng, inputs_max)};
  const reduce_body_row_t *body = &reduce_body_table[out_reduction->body];
  bool is_arg = body->domain == REDUCE_DOMAIN_ARG;
  *out_types = (reduction_types_t){.count = body->inputs};
  for (uint32_t i = 0; i < body->inputs; i++) {
    const element_t *from =
        i == 0 ? draw_element(rng, is_in_domain, &out_reduction->body) : draw_counting_type(rng);
    out_types->inputs[i] = scalar_type_make(from);
    out_types->results[i] = scalar_type_make(is_arg ? from : draw_promotion(rng, from));
    out_types->accumulations[i] = out_types->results[i];
  }
  if (!is_arg && rng_one_in(rng, 16)) draw_rfc_types(rng, out_types);
  name_accumulations(out_types, out_reduction);
}
