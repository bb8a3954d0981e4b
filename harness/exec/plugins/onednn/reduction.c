/* SPDX-License-Identifier: Apache-2.0 */
/* reduce by the reduction primitive. */
#include <math.h>

#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/onednn/source/source.h"

/* ---- One more application of the body, with the initial value.  Maximum and minimum as StableHLO
 * defines them: NaN wins, and -0 < +0. */

static float add_f32(float a, float b) { return a + b; }
static float multiply_f32(float a, float b) { return a * b; }
static float maximum_f32(float a, float b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
static float minimum_f32(float a, float b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}
static int32_t add_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static int32_t multiply_i32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
static int32_t maximum_i32(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t minimum_i32(int32_t a, int32_t b) { return a < b ? a : b; }
static int8_t maximum_i8(int8_t a, int8_t b) { return a > b ? a : b; }
static int8_t minimum_i8(int8_t a, int8_t b) { return a < b ? a : b; }
static uint8_t maximum_ui8(uint8_t a, uint8_t b) { return a > b ? a : b; }
static uint8_t minimum_ui8(uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint32_t widen(uint16_t bf16) { return (uint32_t)bf16 << 16; }
static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static uint16_t maximum_bf16(uint16_t a, uint16_t b) {
  float picked = maximum_f32(float_of(widen(a)), float_of(widen(b)));
  uint32_t bits;
  memcpy(&bits, &picked, sizeof bits);
  return (uint16_t)(bits >> 16);
}

#define DEFINE_COMBINE(body, suffix, type)                                               \
  static void combine_##body##_##suffix(void *results, size_t count, const void *init) { \
    type *values = results;                                                              \
    const type first = *(const type *)init;                                              \
    for (size_t i = 0; i < count; i++) values[i] = body##_##suffix(values[i], first);    \
  }
DEFINE_COMBINE(add, f32, float)
DEFINE_COMBINE(multiply, f32, float)
DEFINE_COMBINE(maximum, f32, float)
DEFINE_COMBINE(minimum, f32, float)
DEFINE_COMBINE(add, i32, int32_t)
DEFINE_COMBINE(multiply, i32, int32_t)
DEFINE_COMBINE(maximum, i32, int32_t)
DEFINE_COMBINE(minimum, i32, int32_t)
DEFINE_COMBINE(maximum, i8, int8_t)
DEFINE_COMBINE(minimum, i8, int8_t)
DEFINE_COMBINE(maximum, ui8, uint8_t)
DEFINE_COMBINE(minimum, ui8, uint8_t)
DEFINE_COMBINE(maximum, bf16, uint16_t)

/* ---- The initial value has the type of the input (C2) and is promoted exactly. */

static void promote_bf16(const void *init, void *out) {
  uint16_t bits;
  memcpy(&bits, init, sizeof bits);
  uint32_t wide = (uint32_t)bits << 16;
  memcpy(out, &wide, sizeof wide);
}
static void promote_i8(const void *init, void *out) { *(int32_t *)out = *(const int8_t *)init; }
static void promote_ui8(const void *init, void *out) { *(int32_t *)out = *(const uint8_t *)init; }

/* ---- What there is. */

typedef enum reduction_result {
  RESULT_F32,
  RESULT_I32,
  RESULT_I8,
  RESULT_UI8,
  RESULT_BF16, /* Of windows; a reduction of bf16 is one to f32. */
  RESULTS
} reduction_result_t;

typedef struct reduction_types {
  const char *input; /* And of the initial value. */
  const char *result;
  dnnl_data_type_t input_type;
  dnnl_data_type_t result_type;
  reduction_result_t row; /* Of the results in reduction_bodies. */
  bool is_documented;
  void (*promote)(const void *init, void *out); /* NULL where the types are one. */
} reduction_types_t;

/* Documented for oneDNN 2.6 are f32, bf16 and 8-bit integers.  It takes 32-bit integers too, and
 * carries them through f32. */
static const reduction_types_t reduction_types[] = {
    {"f32", "f32", dnnl_f32, dnnl_f32, RESULT_F32, true, NULL},
    {"bf16", "f32", dnnl_bf16, dnnl_f32, RESULT_F32, true, promote_bf16},
    {"i8", "i8", dnnl_s8, dnnl_s8, RESULT_I8, true, NULL},
    {"ui8", "ui8", dnnl_u8, dnnl_u8, RESULT_UI8, true, NULL},
    {"i8", "i32", dnnl_s8, dnnl_s32, RESULT_I32, false, promote_i8},
    {"ui8", "i32", dnnl_u8, dnnl_s32, RESULT_I32, false, promote_ui8},
    {"i32", "i32", dnnl_s32, dnnl_s32, RESULT_I32, false, NULL},
};

typedef struct reduction_body {
  const char *name;
  dnnl_alg_kind_t algorithm;
  /* NULL where oneDNN means something else: its 8-bit sums and products saturate at the end. */
  void (*combine[RESULTS])(void *results, size_t count, const void *init);
} reduction_body_t;

static const reduction_body_t reduction_bodies[] = {
    {"add", dnnl_reduction_sum, {combine_add_f32, combine_add_i32, NULL, NULL, NULL}},
    {"multiply",
     dnnl_reduction_mul,
     {combine_multiply_f32, combine_multiply_i32, NULL, NULL, NULL}},
    {"maximum",
     dnnl_reduction_max,
     {combine_maximum_f32, combine_maximum_i32, combine_maximum_i8, combine_maximum_ui8,
      combine_maximum_bf16}},
    {"minimum",
     dnnl_reduction_min,
     {combine_minimum_f32, combine_minimum_i32, combine_minimum_i8, combine_minimum_ui8, NULL}},
};

static const reduction_body_t *find_body(const char *name) {
  for (size_t i = 0; i < sizeof reduction_bodies / sizeof reduction_bodies[0]; i++) {
    if (name != NULL && strcmp(reduction_bodies[i].name, name) == 0) return &reduction_bodies[i];
  }
  return NULL;
}

plan_combine_t *plan_find_combine(const char *body, dnnl_data_type_t type) {
  static const dnnl_data_type_t types[RESULTS] = {dnnl_f32, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_bf16};
  const reduction_body_t *found = find_body(body);
  for (size_t i = 0; found != NULL && i < RESULTS; i++) {
    if (types[i] == type) return found->combine[i];
  }
  return NULL;
}

const char *plan_spell_combine(const plan_t *plan) {
  for (size_t i = 0; i < sizeof reduction_bodies / sizeof reduction_bodies[0]; i++) {
    for (size_t row = 0; row < RESULTS; row++) {
      bool is_it = plan->combine != NULL && reduction_bodies[i].combine[row] == plan->combine;
      if (is_it) return reduction_bodies[i].name;
    }
  }
  return NULL;
}

static const reduction_types_t *find_types(const assay_program_t *program, bool takes_any_types) {
  for (size_t i = 0; i < sizeof reduction_types / sizeof reduction_types[0]; i++) {
    const reduction_types_t *types = &reduction_types[i];
    if ((types->is_documented || takes_any_types) &&
        assay_type_is(&program->operands[0], types->input) &&
        assay_type_is(&program->operands[1], types->input) &&
        assay_type_is(&program->results[0], types->result)) {
      return types;
    }
  }
  return NULL;
}

/* ---- Sums of quantized numbers into i32 ------------------------------------------------------ */

/* The scales are equal: what is summed are stored integers, less zero points. */

/* A type with one scale, of f32, and the whole range of its storage. */
static bool read_plain(const assay_type_t *type, assay_quantization_t *out_type, double *out_scale,
                       int64_t *out_zero_point) {
  if (!assay_read_quantization(type, out_type)) return false;
  const char *cursor = out_type->scales;
  return out_type->axis == -1 && strcmp(out_type->expressed, "f32") == 0 &&
         assay_next_scale(&cursor, out_scale, out_zero_point);
}

bool plan_find_stored_sum(const assay_program_t *program, plan_stored_sum_t *out_sum) {
  assay_quantization_t stored;
  assay_quantization_t summed;
  double scale, result_scale;
  int64_t zero_point, result_zero_point;
  if (!read_plain(&program->operands[0], &stored, &scale, &zero_point) ||
      !read_plain(&program->results[0], &summed, &result_scale, &result_zero_point) ||
      !assay_type_is(&program->operands[1], program->operands[0].element) ||
      scale != result_scale || strcmp(summed.storage, "i32") != 0 || summed.has_range ||
      assay_type_is_empty(&program->results[0])) {
    return false;
  }
  int64_t count =
      (int64_t)(assay_type_count(&program->operands[0]) / assay_type_count(&program->results[0]));
  int64_t shift = result_zero_point - (count + 1) * zero_point;
  if (count > 1 << 15 || shift > 1 << 23 || shift < -(1 << 23)) return false;
  bool is_signed = strcmp(stored.storage, "i8") == 0;
  *out_sum = (plan_stored_sum_t){.input_type = is_signed ? dnnl_s8 : dnnl_u8,
                                 .promote = is_signed ? promote_i8 : promote_ui8,
                                 .shift = (float)shift};
  return is_signed || strcmp(stored.storage, "ui8") == 0;
}

/* Where the body is their sum; NULL where it is none, nor what oneDNN does. */
static const reduction_types_t *find_quantized(const assay_program_t *program,
                                               const reduction_body_t *body, float *out_shift) {
  plan_stored_sum_t sum;
  bool is_sum = body->algorithm == dnnl_reduction_sum && plan_find_stored_sum(program, &sum);
  if (!is_sum) return NULL;
  *out_shift = sum.shift;
  for (size_t i = 0; i < sizeof reduction_types / sizeof reduction_types[0]; i++) {
    const reduction_types_t *types = &reduction_types[i];
    if (types->row == RESULT_I32 && types->input_type == sum.input_type) return types;
  }
  return NULL;
}

/* The first constraint that a reduce of one input breaks (StableHLO specification, reduce), or
 * NULL. */
static const char *check_reduce(const assay_program_t *program, assay_dims_t *out_reduced) {
  const assay_type_t *input = &program->operands[0];
  const assay_type_t *result = &program->results[0];
  if (!assay_attribute_dims(program, "dims", out_reduced)) return "attribute dims is there";
  if (!assay_dims_are_distinct(out_reduced, input->rank)) {
    return "C4, C5: dimensions are in range and distinct";
  }
  if (program->operands[1].rank != 0) return "the initial value is one number";
  if (!assay_type_is(&program->operands[1], input->element))
    return "C2: the type of the initial value";
  assay_dims_t kept = assay_dims_rest(out_reduced, input->rank);
  if (result->rank != kept.count) return "C7: the shape of the result";
  for (uint32_t i = 0; i < kept.count; i++) {
    if (result->dims[i] != input->dims[kept.dims[i]]) return "C7: the shape of the result";
  }
  return NULL;
}

static dnnl_status_t describe_reduction(const dnnl_functions_t *dnnl, const assay_type_t *input,
                                        const assay_dims_t *reduced, const reduction_types_t *types,
                                        dnnl_alg_kind_t algorithm, plan_t *plan) {
  dnnl_dims_t input_sizes;
  dnnl_dims_t output_sizes;
  for (uint32_t d = 0; d < input->rank; d++) {
    input_sizes[d] = input->dims[d];
    output_sizes[d] = assay_dims_contain(reduced, d) ? 1 : input->dims[d];
  }
  dnnl_status_t status =
      plan_describe(dnnl, input->rank, input_sizes, types->input_type, &plan->inputs[0]);
  if (status != dnnl_success) return status;
  status = plan_describe(dnnl, input->rank, output_sizes, types->result_type, &plan->output);
  if (status != dnnl_success) return status;
  return dnnl->dnnl_reduction_desc_init(&plan->operation.reduction, algorithm, &plan->inputs[0],
                                        &plan->output, 0, 0);
}

int32_t plan_reduction(const dnnl_functions_t *dnnl, const assay_program_t *program,
                       bool takes_any_types, plan_t *out_plan, assay_reason_t *reason) {
  static const char *const keys[] = {"body", "dims"};
  const char *unknown = assay_find_unknown_key(program, keys, sizeof keys / sizeof keys[0]);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  const reduction_body_t *body = find_body(assay_attribute_text(program, "body"));
  if (body == NULL || program->operand_count != 2 || program->result_count != 1) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED,
                         "no reduction but add, multiply, maximum and minimum of one input");
  }
  assay_dims_t reduced;
  const char *broken = check_reduce(program, &reduced);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const assay_type_t *input = &program->operands[0];
  float shift = 0;
  const reduction_types_t *types =
      assay_is_quantized(input) ? (takes_any_types ? find_quantized(program, body, &shift) : NULL)
                                : find_types(program, takes_any_types);
  if (types == NULL || body->combine[types->row] == NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reduction by %s from %s to %s",
                         body->name, input->element, program->results[0].element);
  }
  if (assay_type_is_empty(input) || reduced.count == 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no reduction of nothing");
  }
  *out_plan = (plan_t){.input_count = 1,
                       .input_arguments = {DNNL_ARG_SRC},
                       .promote = types->promote,
                       .combine = body->combine[types->row],
                       .result_count = assay_type_count(&program->results[0])};
  dnnl_status_t status =
      describe_reduction(dnnl, input, &reduced, types, body->algorithm, out_plan);
  if (status == dnnl_success && shift != 0) {
    status = dnnl->dnnl_primitive_attr_create(&out_plan->attributes);
    if (status == dnnl_success) status = plan_append_shift(dnnl, out_plan->attributes, shift);
  }
  return plan_answer(dnnl, status, "reduction", reason);
}
