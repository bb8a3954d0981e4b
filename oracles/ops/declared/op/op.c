/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of declared ops: one function of each kind for all of them, which finds in the program's
 * op what its file says.  The table of this folder is empty: op_declare() adds rows to it. */
#include <inttypes.h>

#include "harness/kinds/byteir.h"
#include "harness/kinds/custom_call.h"
#include "oracles/ops/declared/declared.h"

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool has_declared_count(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  return program->operand_count == declaration->operand_count &&
         program->result_count == declaration->result_count;
}

static bool has_declared_shapes(const program_t *program) {
  binding_t binding;
  return declared_bind(program, &binding);
}

/* One of the float types that the file declares. */
static bool is_declared_type(const declaration_t *declaration, const element_t *element) {
  for (uint32_t i = 0; declared_types[i] != NULL; i++) {
    bool has_name = strcmp(declared_types[i], element->name) == 0;
    if (has_name && (declaration->types >> i & 1) != 0) return true;
  }
  return false;
}

/* Quantized as declared; the type that it expresses is looked at elsewhere. */
static bool is_quantized_so(const declaration_t *declaration, const binding_t *binding,
                            const declared_tensor_t *tensor, const type_t *type) {
  if ((type->quantization != NULL) != tensor->is_quantized) return false;
  return !tensor->is_quantized ||
         type->quantization->axis == declared_channel_dimension(declaration, binding, tensor);
}

/* Of tensors without a type of their own, and of what quantized ones express, all have the same. */
static bool have_types(const program_t *program, const binding_t *binding, bool is_result,
                       const element_t **inout_free) {
  const declaration_t *declaration = declared_of(program);
  const declared_tensor_t *tensors = is_result ? declaration->results : declaration->operands;
  const type_t *types = is_result ? program->results : program->operands;
  const uint32_t count = is_result ? program->result_count : program->operand_count;
  for (uint32_t i = 0; i < count; i++) {
    const declared_tensor_t *tensor = &tensors[i];
    if (!is_quantized_so(declaration, binding, tensor, &types[i])) return false;
    bool has_own = tensor->element != NULL && !tensor->is_quantized;
    const element_t *given =
        tensor->is_quantized ? types[i].quantization->expressed : types[i].element;
    if (!has_own && *inout_free == NULL) *inout_free = given;
    if (given != (has_own ? tensor->element : *inout_free)) return false;
    if (tensor->is_quantized && types[i].element != tensor->element) return false;
  }
  return *inout_free == NULL || is_declared_type(declaration, *inout_free);
}

static bool has_declared_type(const program_t *program) {
  const element_t *free = NULL;
  binding_t binding;
  return declared_bind(program, &binding) && have_types(program, &binding, false, &free) &&
         have_types(program, &binding, true, &free);
}

/* Of all steps, those that are not computed apart from the sum over them too: problems are computed
 * one by one, however many there are. */
static bool has_small_steps(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  binding_t binding;
  declared_bind(program, &binding);
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      size_t numbers = 1;
      for (uint32_t k = 0; k < declaration->index_count; k++) {
        if ((formula->steps[i].mask & declaration->inner & UINT32_C(1) << k) == 0) continue;
        numbers *= MAX(binding.extent[k], 1);
        if (numbers > DECLARED_NUMBERS_MAX) return false;
      }
    }
  }
  return true;
}

/* Where numbers are gathered there are some, and scales where there is one for each place. */
static bool has_places(const program_t *program) {
  const declaration_t *declaration = declared_of(program);
  binding_t binding;
  declared_bind(program, &binding);
  for (uint32_t i = 0; i < declaration->index_count; i++) {
    bool is_empty = binding.extent[i] == 0;
    if (is_empty && (declaration->nonempty >> i & 1) != 0) return false;
  }
  return true;
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are as many operands and results as the op's file declares",
                 "operand, result", has_declared_count),
    OP_FORBIDDEN("shapes", "operands and results have the dimensions that the op's file declares",
                 "dimensions", has_declared_shapes),
    OP_UNMODELLED(
        "types",
        "operands and results are of the types that the op's file declares, quantized or not, "
        "and those without one of the same",
        has_declared_type),
    OP_UNMODELLED("sizes",
                  "no step of the meaning has more than 2^24 numbers for one row, or element, of "
                  "the results",
                  has_small_steps),
    OP_UNMODELLED(
        "places",
        "an index along which numbers are gathered, or which has scales, has a size of at least 1",
        has_places),
    OP_CONSTRAINTS_END,
};

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_algorithm(const program_t *program, GString *out_text) {
  const char *formulas = program->op->formulas;
  g_string_append(out_text, formulas == NULL ? "declared" : formulas);
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "%s, of ", program->op->summary);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (i > 0) g_string_append(out_text, i + 1 == program->operand_count ? " and " : ", ");
    type_print(&program->operands[i], out_text);
  }
}

static uint32_t reduced_dimensions(const program_t *program, uint32_t operand) {
  const declaration_t *declaration = declared_of(program);
  const declared_tensor_t *tensor = &declaration->operands[operand];
  binding_t binding;
  uint32_t mask = 0, at = 0;
  if (!declared_bind(program, &binding)) return 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    const declared_dimension_t *dimension = &tensor->dimensions[d];
    uint8_t first = dimension->indices[0];
    uint32_t count = declaration->indices[first].is_group ? binding.group[first].count : 1;
    bool is_combined = false;
    for (uint32_t i = 0; i < dimension->count; i++) {
      is_combined |= (declaration->combined >> dimension->indices[i] & 1) != 0;
    }
    for (uint32_t k = at; is_combined && k < at + count; k++) mask |= 1U << k;
    at += count;
  }
  return mask;
}

/* ---- The row --------------------------------------------------------------------------------- */

static const attribute_codec_t *find_codec(attribute_kind_t kind) {
  static const attribute_codec_t *const codecs[] = {[ATTRIBUTE_NUMBER] = &attribute_number,
                                                    [ATTRIBUTE_POSITION] = &attribute_integer,
                                                    [ATTRIBUTE_INTEGER] = &attribute_integer,
                                                    [ATTRIBUTE_BOOLEAN] = &attribute_boolean};
  return codecs[kind];
}

/* Those by which quantizing may be otherwise; NULL where nothing is quantized. */
static const char *const *find_policies(const declaration_t *declaration) {
  static const char *const of_quantizing[] = {"quantize_zero_point", "quantize", "quantize_ties",
                                              "quantize_quotient", NULL};
  bool quantizes = declaration->has_quantized;
  for (uint32_t f = 0; f < declaration->formula_count; f++) {
    const declared_formula_t *formula = &declaration->formulas[f];
    for (uint32_t i = 0; i < formula->step_count; i++) {
      quantizes = quantizes || formula->steps[i].kind == STEP_QUANTIZE;
    }
  }
  return quantizes ? of_quantizing : NULL;
}

/* In the fewest digits that give the number again. */
static void append_number(GString *text, double number) {
  char digits[32];
  for (int precision = 1; precision <= 17; precision++) {
    g_snprintf(digits, sizeof digits, "%.*g", precision, number);
    if (g_ascii_strtod(digits, NULL) == number) break;
  }
  g_string_append(text, digits);
}

/* A kernel may have taken any of the values with which cases are drawn, or be of another meaning
 * that the file has. */
static const char *const *list_readings(declaration_t *declaration) {
  enum { KEY_MAX = 80 };
  arena_t *arena = &declaration->arena;
  const size_t most =
      (size_t)DECLARED_ATTRIBUTES_MAX * DECLARED_VALUES_MAX + DECLARED_READINGS_MAX + 1;
  const char **readings = ARENA_NEW_ARRAY(arena, const char *, most + 1);
  g_autoptr(GString) text = g_string_new(NULL);
  size_t count = 0;
  for (uint32_t i = 0; i < declaration->reading_count; i++) {
    g_string_printf(text, "reading=%s", declaration->meanings[i].name);
    readings[count++] = arena_copy_text(arena, text->str, text->len);
  }
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    const declared_attribute_t *attribute = &declaration->attributes[i];
    if (attribute->kind == ATTRIBUTE_POSITION || strlen(attribute->name) > KEY_MAX) continue;
    for (uint32_t k = 0; k < attribute->count; k++) {
      g_string_printf(text, "%s=", attribute->name);
      if (attribute->kind == ATTRIBUTE_NUMBER) {
        append_number(text, attribute->values[k]);
      } else if (attribute->kind == ATTRIBUTE_BOOLEAN) {
        g_string_append(text, attribute->integers[k] != 0 ? "true" : "false");
      } else {
        g_string_append_printf(text, "%" PRId64, attribute->integers[k]);
      }
      readings[count++] = arena_copy_text(arena, text->str, text->len);
    }
  }
  if (declaration->formulas[0].has_normal) readings[count++] = "normalized=rounded";
  readings[count] = NULL;
  return count == 0 ? NULL : readings;
}

void declared_make_row(declaration_t *inout_declaration) {
  declaration_t *declaration = inout_declaration;
  for (uint32_t i = 0; i < declaration->attribute_count; i++) {
    const declared_attribute_t *attribute = &declaration->attributes[i];
    declaration->attribute_rows[i] = (attribute_row_t){
        .key = attribute->name, .codec = find_codec(attribute->kind), .offset = i * sizeof(double)};
  }
  bool has_edges = declaration->has_integer_operands || declaration->compares_floats ||
                   declaration->has_quantized;
  bool has_bounds = false;
  for (uint32_t i = 0; i < declaration->operand_count; i++) {
    const declared_tensor_t *operand = &declaration->operands[i];
    has_bounds = has_bounds || operand->below >= 0 || operand->is_scale || operand->zero_of != NULL;
  }
  declaration->op = (op_t){
      .name = declaration->op.name,
      .spec = declaration->path,
      .summary = declaration->op.summary,
      .attributes_bytes = declaration->attribute_count * sizeof(double) +
                          declaration->index_count * sizeof(declared_origin_t),
      .attribute_rows = declaration->attribute_rows,
      .constraints = constraints,
      .draw = declared_draw,
      .print_algorithm = print_algorithm,
      .formulas = declaration->op.formulas,
      .policies = find_policies(declaration),
      .readings = list_readings(declaration),
      .meanings = declaration->reading_count == 0 ? NULL : declaration->meanings,
      .is_composite = true,
      .print_mlir = declared_print_mlir,
      .print_words = print_words,
      .reduced_dimensions = reduced_dimensions,
      .axes = declared_tells_axes(declaration) ? declared_axes : NULL,
      .with_axes = declared_tells_axes(declaration) ? declared_with_axes : NULL,
      .draw_edges = has_edges ? declared_draw_edges : NULL,
      .settle_operands = has_bounds ? declared_settle : NULL,
      .part_axes = declared_part_axes,
      .with_part_axes = declared_with_part_axes,
  };
}

extern const op_t *const declared_ops[];
const op_t *const declared_ops[] = {NULL};
