/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized regions, as kernels fuse them: the text of one is written and parsed. */
#include <math.h>

#include "harness/draw/draw.h"
#include "oracles/ops/module/op/patterns.h"

/* What the values of a drawn region are. */
typedef struct region {
  rng_t *rng;
  arena_t *arena;
  GString *text;       /* Constants, then steps. */
  GString *steps;      /* Steps; put behind the constants at last. */
  uint32_t constants;  /* So far; the names of results follow theirs. */
  bool is_fixed;       /* On quantized types; else in floats. */
  bool is_convolution; /* Along one dimension; else a product of matrices. */
  bool has_maximum;
  int64_t rows, terms, columns;
  type_t lhs, rhs, sums, result; /* Quantized; of the sums i32. */
} region_t;

/* ---- Types ----------------------------------------------------------------------------------- */

/* A scale of few bits, whose products are exact, so that there are ties; or any of f32. */
static double draw_region_scale(rng_t *rng, bool is_simple) {
  double mantissa = is_simple ? (double)rng_between(rng, 8, 15) / 8
                              : 1 + (double)rng_below(rng, 1u << 23) * 0x1p-23;
  return ldexp(mantissa, (int)rng_between(rng, -9, -4));
}

/* Scales along an axis, or one. */
typedef struct scales {
  int32_t axis; /* -1: one. */
  uint32_t count;
  const double *items;
} scales_t;

static type_t quantize_type(region_t *self, const type_t *shape, const element_t *element,
                            scales_t scales, int64_t zero_point) {
  uint32_t count = scales.count;
  quantization_t *quantization = arena_alloc(self->arena, sizeof *quantization);
  int64_t *zero_points = ARENA_NEW_ARRAY(self->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) zero_points[i] = zero_point;
  *quantization = (quantization_t){.expressed = element_named("f32"),
                                   .storage_min = element_integer_min(element),
                                   .storage_max = (int64_t)element_integer_max(element),
                                   .axis = scales.axis,
                                   .count = count,
                                   .scales = scales.items,
                                   .zero_points = zero_points};
  type_t type = type_make(element, shape->rank, shape->dims);
  type.quantization = quantization;
  return type;
}

/* i8 with one scale. */
static type_t one_scale(region_t *self, const type_t *shape, double scale, int64_t zero_point) {
  double *copy = ARENA_NEW_ARRAY(self->arena, double, 1);
  *copy = scale;
  return quantize_type(self, shape, element_named("i8"), (scales_t){-1, 1, copy}, zero_point);
}

/* Types of a product: per channel now and then; a result of which few saturate. */
static void draw_product_types(region_t *self) {
  rng_t *rng = self->rng;
  bool is_simple = rng_below(rng, 2) == 0, is_per_axis = rng_below(rng, 2) == 0;
  int64_t width = self->rows;
  const type_t lhs = self->is_convolution ? type_make(NULL, 3, (int64_t[]){1, width, self->terms})
                                          : type_make(NULL, 2, (int64_t[]){width, self->terms});
  const type_t rhs = self->is_convolution
                         ? type_make(NULL, 3, (int64_t[]){3, self->terms, self->columns})
                         : type_make(NULL, 2, (int64_t[]){self->terms, self->columns});
  type_t result = lhs;
  result.dims[result.rank - 1] = self->columns;
  uint32_t count = is_per_axis ? (uint32_t)self->columns : 1;
  int32_t axis = is_per_axis ? (int32_t)rhs.rank - 1 : -1;
  double *weights = ARENA_NEW_ARRAY(self->arena, double, count);
  double *products = ARENA_NEW_ARRAY(self->arena, double, count);
  double scale = draw_region_scale(rng, is_simple);
  for (uint32_t i = 0; i < count; i++) {
    weights[i] = draw_region_scale(rng, is_simple);
    products[i] = (double)(float)(scale * weights[i]);
  }
  double spread = ldexp(products[0], (int)rng_between(rng, 3, 8));
  double output = is_simple ? spread : (double)(float)(spread * draw_region_scale(rng, false) * 64);
  int32_t last = is_per_axis ? (int32_t)result.rank - 1 : -1;
  self->lhs = one_scale(self, &lhs, scale, rng_between(rng, -20, 20));
  self->rhs = quantize_type(self, &rhs, element_named("i8"), (scales_t){axis, count, weights}, 0);
  self->sums =
      quantize_type(self, &result, element_named("i32"), (scales_t){last, count, products}, 0);
  self->result = one_scale(self, &result, output, rng_between(rng, -20, 20));
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *name_type(region_t *self, const type_t *type) {
  g_autoptr(GString) text = g_string_new(NULL);
  type_print(type, text);
  return arena_copy_text(self->arena, text->str, text->len);
}

static const char *float_of(region_t *self, const type_t *type) {
  const type_t plain = type_make(element_named("f32"), type->rank, type->dims);
  return name_type(self, &plain);
}

static const char *plain_of(region_t *self, const type_t *type) {
  const type_t plain = type_make(type->element, type->rank, type->dims);
  return name_type(self, &plain);
}

/* A constant; its number. */
static uint32_t add_constant(region_t *self, const tensor_t *data) {
  g_string_append_printf(self->text, "v%u=constant(%s,", self->constants,
                         name_type(self, &data->type));
  tensor_print_data(data, self->text);
  g_string_append(self->text, ");");
  return self->constants++;
}

/* Stored integers of that magnitude at most. */
static uint32_t add_stored(region_t *self, const type_t *type, int64_t magnitude) {
  tensor_t data = tensor_make(self->arena, type);
  for (size_t i = 0; i < type_element_count(type); i++) {
    uint64_t value = (uint64_t)rng_between(self->rng, -magnitude, magnitude);
    element_store(type->element, data.data, i, value & element_mask(type->element));
  }
  return add_constant(self, &data);
}

static uint32_t add_zeros(region_t *self, const type_t *type) {
  tensor_t data = tensor_make(self->arena, type);
  if (type_bytes(type) > 0) memset(data.data, 0, type_bytes(type));
  return add_constant(self, &data);
}

/* The op of the product, up to its operands, and its attributes. */
static const char *product_op(const region_t *self) {
  return self->is_convolution ? "stablehlo.convolution" : "stablehlo.dot_general";
}
static const char *product_attributes(const region_t *self) {
  return self->is_convolution
             ? "window_strides=[1] padding=[[1,1]] lhs_dilation=[1] rhs_dilation=[1] "
               "window_reversal=[false] dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] "
               "feature_group_count=1 batch_group_count=1"
             : "batch=[]x[] contract=[1]x[0]";
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* On quantized types: sums of i32, biases added as i32, requantized. */
static void write_fixed(region_t *self) {
  uint32_t weights = add_stored(self, &self->rhs, 100);
  const type_t plain = type_make(self->sums.element, self->sums.rank, self->sums.dims);
  uint32_t bias = add_stored(self, &plain, 3000);
  uint32_t zeros = self->has_maximum ? add_zeros(self, &plain) : 0;
  uint32_t value = self->constants;
  const char *seen = plain_of(self, &self->sums), *sums = name_type(self, &self->sums);
  g_string_append_printf(self->steps, "v%u=%s(a0,v%u) %s %s %s -> %s;", value, product_op(self),
                         weights, product_attributes(self), name_type(self, &self->lhs),
                         name_type(self, &self->rhs), sums);
  g_string_append_printf(self->steps, "v%u=stablehlo.add(v%u,v%u) %s %s -> %s;", value + 1, value,
                         bias, seen, seen, seen);
  value++;
  if (self->has_maximum) {
    g_string_append_printf(self->steps, "v%u=stablehlo.maximum(v%u,v%u) %s %s -> %s;", value + 1,
                           value, zeros, seen, seen, seen);
    value++;
  }
  g_string_append_printf(self->steps, "v%u=stablehlo.uniform_quantize(v%u) %s -> %s;return(v%u)",
                         value + 1, value, sums, name_type(self, &self->result), value + 1);
}

/* Dequantizes a value; the number of the result. */
static uint32_t write_dequantize(region_t *self, const char *value, const type_t *type,
                                 uint32_t number) {
  g_string_append_printf(self->steps, "v%u=stablehlo.uniform_dequantize(%s) %s -> %s;", number,
                         value, name_type(self, type), float_of(self, type));
  return number;
}

/* In floats: what quantizing tools write between dequantize and quantize. */
static void write_float(region_t *self) {
  char name[16];
  type_t bias_type = self->sums;
  quantization_t along = *self->sums.quantization;
  along.axis = along.axis >= 0 ? 0 : -1;
  bias_type.rank = 1;
  bias_type.dims[0] = self->columns;
  bias_type.quantization = &along;
  uint32_t weights = add_stored(self, &self->rhs, 100), bias = add_stored(self, &bias_type, 3000);
  const type_t floats = type_make(element_named("f32"), self->sums.rank, self->sums.dims);
  uint32_t zeros = self->has_maximum ? add_zeros(self, &floats) : 0;
  uint32_t v = self->constants;
  const char *all = name_type(self, &floats);
  write_dequantize(self, "a0", &self->lhs, v);
  g_snprintf(name, sizeof name, "v%u", weights);
  write_dequantize(self, name, &self->rhs, v + 1);
  g_string_append_printf(self->steps, "v%u=%s(v%u,v%u) %s %s %s -> %s;", v + 2, product_op(self), v,
                         v + 1, product_attributes(self), float_of(self, &self->lhs),
                         float_of(self, &self->rhs), all);
  g_snprintf(name, sizeof name, "v%u", bias);
  write_dequantize(self, name, &bias_type, v + 3);
  g_string_append_printf(self->steps,
                         "v%u=stablehlo.broadcast_in_dim(v%u) broadcast_dimensions=[%u] %s -> %s;",
                         v + 4, v + 3, self->sums.rank - 1, float_of(self, &bias_type), all);
  g_string_append_printf(self->steps, "v%u=stablehlo.add(v%u,v%u) %s %s -> %s;", v + 5, v + 2,
                         v + 4, all, all, all);
  v += 5;
  if (self->has_maximum) {
    g_string_append_printf(self->steps, "v%u=stablehlo.maximum(v%u,v%u) %s %s -> %s;", v + 1, v,
                           zeros, all, all, all);
    v++;
  }
  g_string_append_printf(self->steps, "v%u=stablehlo.uniform_quantize(v%u) %s -> %s;return(v%u)",
                         v + 1, v, all, name_type(self, &self->result), v + 1);
}

/* The sum of two operands, or the softmax of one. */
static void write_residual(region_t *self, bool is_softmax) {
  const char *all = float_of(self, &self->lhs);
  const char *maximum = "maximum";
  uint32_t zeros = 0, v;
  if (!is_softmax) {
    const type_t floats = type_make(element_named("f32"), self->lhs.rank, self->lhs.dims);
    zeros = add_zeros(self, &floats);
  }
  v = self->constants;
  write_dequantize(self, "a0", &self->lhs, v);
  if (is_softmax) {
    g_string_append_printf(self->steps, "v%u=byteir.softmax(v%u) axis=%u %s -> %s;", v + 1, v,
                           self->lhs.rank - 1, all, all);
    v += 1;
  } else {
    write_dequantize(self, "a1", &self->rhs, v + 1);
    g_string_append_printf(self->steps, "v%u=stablehlo.add(v%u,v%u) %s %s -> %s;", v + 2, v, v + 1,
                           all, all, all);
    g_string_append_printf(self->steps, "v%u=stablehlo.%s(v%u,v%u) %s %s -> %s;", v + 3, maximum,
                           v + 2, zeros, all, all, all);
    v += 3;
  }
  g_string_append_printf(self->steps, "v%u=stablehlo.uniform_quantize(v%u) %s -> %s;return(v%u)",
                         v + 1, v, all, name_type(self, &self->result), v + 1);
}

static void draw_residual_types(region_t *self, bool is_softmax) {
  const type_t shape = type_make(NULL, 2, (int64_t[]){self->rows, self->columns});
  double scale = draw_region_scale(self->rng, true);
  self->lhs = one_scale(self, &shape, scale, rng_between(self->rng, -20, 20));
  self->rhs =
      one_scale(self, &shape, draw_region_scale(self->rng, true), rng_between(self->rng, -20, 20));
  self->result = is_softmax ? one_scale(self, &shape, 0x1p-8, -128)
                            : one_scale(self, &shape, scale * 2, rng_between(self->rng, -20, 20));
}

void module_draw_region(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program) {
  int64_t most = MAX(limits->elements_max, 1);
  region_t self = {.rng = rng,
                   .arena = arena,
                   .text = g_string_new("module steps={"),
                   .steps = g_string_new(NULL),
                   .is_fixed = rng_below(rng, 2) == 0,
                   .is_convolution = rng_below(rng, 2) == 0,
                   .has_maximum = rng_below(rng, 4) != 0,
                   .rows = rng_between(rng, 1, MIN(most, 6)),
                   .terms = rng_between(rng, 1, CLAMP(MIN(most / 6, limits->terms_max / 3), 1, 32)),
                   .columns = rng_between(rng, 1, CLAMP(most / 6, 1, 6))};
  uint64_t kind = rng_below(rng, 6);
  bool is_product = kind > 1, is_softmax = kind == 0;
  if (is_product) {
    draw_product_types(&self);
    if (self.is_fixed) write_fixed(&self);
    if (!self.is_fixed) write_float(&self);
  } else {
    draw_residual_types(&self, is_softmax);
    write_residual(&self, is_softmax);
  }
  g_string_append_printf(self.text, "%s} %s", self.steps->str, name_type(&self, &self.lhs));
  if (!is_product && !is_softmax) {
    g_string_append_printf(self.text, " %s", name_type(&self, &self.rhs));
  }
  g_string_append_printf(self.text, " -> %s", name_type(&self, &self.result));
  const str_t line = {.data = self.text->str, .size = self.text->len};
  failure_t error = {0};
  status_t status = program_parse(line, arena, out_program, NULL, &error);
  if (status != STATUS_OK) g_error("a drawn module is none: %s\n%s", error.text, self.text->str);
  g_string_free(self.text, TRUE);
  g_string_free(self.steps, TRUE);
}
