/* SPDX-License-Identifier: Apache-2.0 */
/* Values and steps of a module that is being drawn, and its text. */
#include "oracles/ops/module/op/sketch.h"

#include <math.h>

/* ---- Values ---------------------------------------------------------------------------------- */

void sketch_begin(sketch_t *out_sketch, rng_t *rng, const draw_limits_t *limits, arena_t *arena) {
  out_sketch->rng = rng;
  out_sketch->limits = limits;
  out_sketch->arena = arena;
  out_sketch->count = out_sketch->argument_count = 0;
}

const type_t *sketch_type(const sketch_t *sketch, sketch_value_t value) {
  return &sketch->values[value].type;
}

static sketch_value_t add_value(sketch_t *sketch, const sketch_step_t *step) {
  g_assert(sketch->count < SKETCH_VALUES_MAX);
  sketch->values[sketch->count] = *step;
  return sketch->count++;
}

sketch_value_t sketch_argument(sketch_t *sketch, const type_t *type) {
  g_assert(sketch->argument_count < CASE_OPERANDS_MAX);
  const sketch_step_t step = {.type = *type, .number = sketch->argument_count++};
  return add_value(sketch, &step);
}

static const char *copy_text(sketch_t *sketch, const GString *text) {
  return arena_copy_text(sketch->arena, text->str, text->len);
}

static sketch_value_t add_constant(sketch_t *sketch, const tensor_t *tensor) {
  g_autoptr(GString) data = g_string_new(NULL);
  tensor_print_data(tensor, data);
  const sketch_step_t step = {.type = tensor->type, .data = copy_text(sketch, data)};
  return add_value(sketch, &step);
}

static uint64_t bits_of(const element_t *element, double number) {
  if (element->format != NULL) return format_from_double(element->format, number);
  double least = (double)element_integer_min(element), most = (double)element_integer_max(element);
  return (uint64_t)(int64_t)fmin(fmax(number, least), most) & element_mask(element);
}

sketch_value_t sketch_splat(sketch_t *sketch, const type_t *type, double number) {
  tensor_t tensor = tensor_make(sketch->arena, type);
  uint64_t bits = bits_of(type->element, number);
  for (size_t i = 0; i < type_element_count(type); i++) {
    element_store(type->element, tensor.data, i, bits);
  }
  return add_constant(sketch, &tensor);
}

/* Small integers, or numbers of as many bits as the format has. */
sketch_value_t sketch_numbers(sketch_t *sketch, const type_t *type) {
  tensor_t tensor = tensor_make(sketch->arena, type);
  const format_t *format = type->element->format;
  bool is_simple = format == NULL || rng_one_in(sketch->rng, 3);
  int digits = is_simple ? 2 : MIN(format->precision, 24) - 1;
  int64_t most = ((int64_t)1 << (digits + 1)) - 1;
  for (size_t i = 0; i < type_element_count(type); i++) {
    double number = (double)rng_between(sketch->rng, -most, most);
    if (!is_simple) number = ldexp(number, (int)rng_between(sketch->rng, -2, 2) - digits);
    element_store(type->element, tensor.data, i, bits_of(type->element, number));
  }
  return add_constant(sketch, &tensor);
}

sketch_value_t sketch_weight(sketch_t *sketch, const type_t *type) {
  bool is_constant = rng_below(sketch->rng, 2) == 0 ||
                     sketch->argument_count == CASE_OPERANDS_MAX || type_element_count(type) > 512;
  return is_constant && type_element_count(type) <= 512 ? sketch_numbers(sketch, type)
                                                        : sketch_argument(sketch, type);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

sketch_value_t sketch_apply(sketch_t *sketch, const char *op, const char *text,
                            const sketch_value_t operands[], uint32_t count, const type_t *result) {
  sketch_step_t step = {.type = *result, .op = op, .count = count};
  if (text != NULL) step.text = arena_copy_text(sketch->arena, text, strlen(text));
  memcpy(step.operands, operands, count * sizeof *operands);
  return add_value(sketch, &step);
}

sketch_value_t sketch_unary(sketch_t *sketch, const char *name, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  return sketch_apply(sketch, name, NULL, &value, 1, &type);
}

sketch_value_t sketch_binary(sketch_t *sketch, const char *name, sketch_value_t left,
                             sketch_value_t right) {
  const type_t type = *sketch_type(sketch, left);
  const sketch_value_t both[] = {left, right};
  return sketch_apply(sketch, name, NULL, both, 2, &type);
}

sketch_value_t sketch_convert(sketch_t *sketch, sketch_value_t value, const element_t *element) {
  type_t type = *sketch_type(sketch, value);
  if (type.element == element) return value;
  type.element = element;
  return sketch_apply(sketch, "convert", NULL, &value, 1, &type);
}

static void append_list(const char *name, const int64_t dims[], uint32_t count, GString *out) {
  g_string_append_printf(out, " %s=[", name);
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", dims[i]);
  }
  g_string_append_c(out, ']');
}

sketch_value_t sketch_broadcast(sketch_t *sketch, sketch_value_t value, const int64_t dims[],
                                const type_t *shape) {
  const type_t from = *sketch_type(sketch, value);
  const type_t type = type_make(from.element, shape->rank, shape->dims);
  g_autoptr(GString) text = g_string_new(NULL);
  append_list("broadcast_dimensions", dims, from.rank, text);
  return sketch_apply(sketch, "broadcast_in_dim", text->str, &value, 1, &type);
}

sketch_value_t sketch_spread(sketch_t *sketch, sketch_value_t value, uint32_t dim,
                             const type_t *shape) {
  const int64_t dims[] = {dim};
  return sketch_broadcast(sketch, value, dims, shape);
}

sketch_value_t sketch_transpose(sketch_t *sketch, sketch_value_t value,
                                const dimension_list_t *permutation) {
  const type_t from = *sketch_type(sketch, value);
  type_t type = from;
  int64_t dims[TYPE_RANK_MAX];
  for (uint32_t i = 0; i < from.rank; i++) {
    dims[i] = permutation->dims[i];
    type.dims[i] = from.dims[dims[i]];
  }
  g_autoptr(GString) text = g_string_new(NULL);
  append_list("permutation", dims, from.rank, text);
  return sketch_apply(sketch, "transpose", text->str, &value, 1, &type);
}

sketch_value_t sketch_reshape(sketch_t *sketch, sketch_value_t value, uint32_t rank,
                              const int64_t dims[]) {
  const type_t type = type_make(sketch_type(sketch, value)->element, rank, dims);
  return sketch_apply(sketch, "reshape", NULL, &value, 1, &type);
}

sketch_value_t sketch_concatenate(sketch_t *sketch, const sketch_value_t values[], uint32_t count,
                                  uint32_t dim) {
  type_t type = *sketch_type(sketch, values[0]);
  for (uint32_t i = 1; i < count; i++) type.dims[dim] += sketch_type(sketch, values[i])->dims[dim];
  char text[32];
  g_snprintf(text, sizeof text, " dimension=%u", dim);
  return sketch_apply(sketch, "concatenate", text, values, count, &type);
}

static double neutral(const char *body) {
  if (strcmp(body, "maximum") == 0) return -INFINITY;
  if (strcmp(body, "minimum") == 0) return INFINITY;
  return strcmp(body, "multiply") == 0 ? 1 : 0;
}

sketch_value_t sketch_reduce(sketch_t *sketch, const char *body, sketch_value_t value,
                             uint32_t dim) {
  type_t type = *sketch_type(sketch, value);
  const type_t scalar = type_make(type.element, 0, NULL);
  const sketch_value_t operands[] = {value, sketch_splat(sketch, &scalar, neutral(body))};
  for (uint32_t i = dim; i + 1 < type.rank; i++) type.dims[i] = type.dims[i + 1];
  type.rank--;
  char text[48];
  g_snprintf(text, sizeof text, " body=%s dims=[%u]", body, dim);
  return sketch_apply(sketch, "reduce", text, operands, 2, &type);
}

sketch_value_t sketch_dot(sketch_t *sketch, sketch_value_t left, sketch_value_t right,
                          bool is_transposed) {
  type_t type = *sketch_type(sketch, left);
  const type_t other = *sketch_type(sketch, right);
  uint32_t batches = type.rank - 2, last = batches + 1;
  type.dims[last] = other.dims[is_transposed ? batches : last];
  g_autoptr(GString) list = g_string_new(NULL);
  for (uint32_t i = 0; i < batches; i++) g_string_append_printf(list, i > 0 ? ",%u" : "%u", i);
  g_autofree char *text = g_strdup_printf(" batch=[%s]x[%s] contract=[%u]x[%u]", list->str,
                                          list->str, last, is_transposed ? last : batches);
  const sketch_value_t both[] = {left, right};
  return sketch_apply(sketch, "dot_general", text, both, 2, &type);
}

/* ---- Choices --------------------------------------------------------------------------------- */

const char *sketch_one_of(sketch_t *sketch, const char *const names[]) {
  size_t count = 0;
  while (names[count] != NULL) count++;
  return names[rng_below(sketch->rng, count)];
}

const element_t *sketch_float(sketch_t *sketch) {
  static const char *const names[] = {"f32",  "f32", "f32", "f32", "bf16",
                                      "bf16", "f16", "f16", "f64", NULL};
  return element_named(sketch_one_of(sketch, names));
}

const element_t *sketch_number(sketch_t *sketch) {
  static const char *const names[] = {"i32", "i32", "i8", "ui8", "i16", NULL};
  if (rng_below(sketch->rng, 4) > 0) return sketch_float(sketch);
  return element_named(sketch_one_of(sketch, names));
}

int64_t sketch_size(sketch_t *sketch, int64_t largest) {
  int64_t size = draw_size(sketch->rng, sketch->limits->sizes, MAX(largest, 1));
  return MAX(size, 1);
}

int64_t sketch_terms(sketch_t *sketch, int64_t largest) {
  int64_t terms = draw_term_count(sketch->rng, sketch->limits->sizes, MAX(largest, 1));
  return MAX(terms, 1);
}

type_t sketch_shape(sketch_t *sketch, const element_t *element, uint32_t rank_min,
                    uint32_t rank_max) {
  type_t type = type_make(element, 0, NULL);
  uint32_t most = CLAMP(sketch->limits->rank_max, rank_min, rank_max);
  type.rank = (uint32_t)rng_between(sketch->rng, rank_min, most);
  int64_t left = MAX(sketch->limits->elements_max, 1);
  dimension_list_t order = draw_permutation(sketch->rng, type.rank);
  for (uint32_t i = 0; i < type.rank; i++) {
    int64_t size = sketch_size(sketch, left);
    type.dims[order.dims[i]] = size;
    left /= size;
  }
  return type;
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool is_step(const sketch_step_t *value) { return value->op != NULL; }
static bool is_argument(const sketch_step_t *value) {
  return value->op == NULL && value->data == NULL;
}

static void append_types(const sketch_t *sketch, const sketch_step_t *step, GString *out) {
  for (uint32_t i = 0; i < step->count; i++) {
    g_string_append_c(out, ' ');
    type_print(&sketch->values[step->operands[i]].type, out);
  }
  g_string_append(out, " -> ");
  type_print(&step->type, out);
  for (uint32_t i = 0; i < step->more; i++) {
    g_string_append_c(out, ' ');
    type_print(&step->more_type, out);
  }
}

static void append_value(const sketch_t *sketch, const uint32_t numbers[], sketch_value_t value,
                         GString *out) {
  bool is_operand = is_argument(&sketch->values[value]);
  g_string_append_printf(out, "%c%u", is_operand ? 'a' : 'v', numbers[value]);
}

static void append_step(const sketch_t *sketch, const uint32_t numbers[], sketch_value_t value,
                        GString *out) {
  const sketch_step_t *step = &sketch->values[value];
  for (uint32_t i = 0; i <= step->more; i++) {
    g_string_append_printf(out, "%sv%u", i > 0 ? "," : "", numbers[value] + i);
  }
  bool has_dialect = strchr(step->op, '.') != NULL;
  g_string_append_printf(out, "=%s%s(", has_dialect ? "" : "stablehlo.", step->op);
  for (uint32_t i = 0; i < step->count; i++) {
    if (i > 0) g_string_append_c(out, ',');
    append_value(sketch, numbers, step->operands[i], out);
  }
  g_string_append_printf(out, ")%s", step->text == NULL ? "" : step->text);
  append_types(sketch, step, out);
  g_string_append_c(out, ';');
}

/* Constants, then steps; numbers by value. */
static void append_definitions(const sketch_t *sketch, uint32_t numbers[], GString *out) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < sketch->count; i++) {
    const sketch_step_t *value = &sketch->values[i];
    if (is_argument(value)) numbers[i] = value->number;
    if (value->data == NULL) continue;
    numbers[i] = next++;
    g_string_append_printf(out, "v%u=constant(", numbers[i]);
    type_print(&value->type, out);
    g_string_append_printf(out, ",%s);", value->data);
  }
  for (uint32_t i = 0; i < sketch->count; i++) {
    if (!is_step(&sketch->values[i])) continue;
    numbers[i] = next;
    next += 1 + sketch->values[i].more;
    append_step(sketch, numbers, i, out);
  }
}

void sketch_finish(const sketch_t *sketch, const sketch_value_t returns[], uint32_t count,
                   program_t *out_program) {
  uint32_t numbers[SKETCH_VALUES_MAX];
  g_autoptr(GString) text = g_string_new("module steps={");
  append_definitions(sketch, numbers, text);
  g_string_append(text, "return(");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append_c(text, ',');
    append_value(sketch, numbers, returns[i], text);
  }
  g_string_append(text, ")}");
  for (uint32_t i = 0; i < sketch->count; i++) {
    if (!is_argument(&sketch->values[i])) continue;
    g_string_append_c(text, ' ');
    type_print(&sketch->values[i].type, text);
  }
  g_string_append(text, " ->");
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_c(text, ' ');
    type_print(&sketch->values[returns[i]].type, text);
  }
  const str_t line = {.data = text->str, .size = text->len};
  failure_t error = {0};
  status_t status = program_parse(line, sketch->arena, out_program, NULL, &error);
  if (status != STATUS_OK) g_error("a drawn module is none: %s\n%s", error.text, text->str);
}
