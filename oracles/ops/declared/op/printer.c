/* SPDX-License-Identifier: Apache-2.0 */
/* Prints values of a module, and operands and results as such: reshaped, so that each index has a
 * dimension, converted to the type of the steps, and transposed into the order of the indices. */
#include "oracles/ops/declared/op/printer.h"

#include <inttypes.h>

/* ---- Values ---------------------------------------------------------------------------------- */

type_t printer_type(const printer_t *printer, uint32_t mask) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((mask >> i & 1) != 0) dims[rank++] = (int64_t)printer->binding.extent[i];
  }
  return type_make(printer->element, rank, dims);
}

void printer_print_type(const printer_t *printer, const type_t *type) {
  type_print_mlir(type, printer->text);
}

int printer_unary(printer_t *printer, const char *name, int a, const char *properties,
                  const type_t *from, const type_t *to) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(%%v%d)%s : (", made, name, a,
                         properties);
  printer_print_type(printer, from);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, to);
  g_string_append_c(printer->text, '\n');
  return made;
}

int printer_binary(printer_t *printer, const char *name, int a, int b, const type_t *type) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(%%v%d, %%v%d) : (", made,
                         name, a, b);
  printer_print_type(printer, type);
  g_string_append(printer->text, ", ");
  printer_print_type(printer, type);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, type);
  g_string_append_c(printer->text, '\n');
  return made;
}

int printer_op(printer_t *printer, const char *name, const char *properties, size_t count,
               const printed_t operands[], const type_t *result) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(", made, name);
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(printer->text, "%s%%v%d", i > 0 ? ", " : "", operands[i].value);
  }
  g_string_append_printf(printer->text, ")%s : (", properties);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(printer->text, ", ");
    printer_print_type(printer, &operands[i].type);
  }
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, result);
  g_string_append_c(printer->text, '\n');
  return made;
}

int printer_number(printer_t *printer, double value) {
  int made = (int)printer->next++;
  const format_t *format = printer->element->format;
  type_t scalar = type_make(printer->element, 0, NULL);
  g_string_append_printf(printer->text,
                         "    %%v%d = \"stablehlo.constant\"() <{value = dense<0x%0*" PRIX64 "> : ",
                         made, printer->element->bits / 4, format_from_double(format, value));
  printer_print_type(printer, &scalar);
  g_string_append(printer->text, "}> : () -> ");
  printer_print_type(printer, &scalar);
  g_string_append_c(printer->text, '\n');
  return made;
}

int printer_integer(printer_t *printer, int64_t value) {
  int made = (int)printer->next++;
  bool is_boolean = printer->element->kind == ELEMENT_BOOLEAN;
  bool is_unsigned = printer->element->kind == ELEMENT_UNSIGNED;
  type_t scalar = type_make(printer->element, 0, NULL);
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.constant\"() <{value = dense<",
                         made);
  if (is_boolean) {
    g_string_append(printer->text, value != 0 ? "true" : "false");
  } else if (is_unsigned) {
    g_string_append_printf(printer->text, "%" PRIu64, (uint64_t)value);
  } else {
    g_string_append_printf(printer->text, "%" PRId64, value);
  }
  g_string_append(printer->text, "> : ");
  printer_print_type(printer, &scalar);
  g_string_append(printer->text, "}> : () -> ");
  printer_print_type(printer, &scalar);
  g_string_append_c(printer->text, '\n');
  return made;
}

char *printer_places(const printer_t *printer, uint32_t from, uint32_t to) {
  g_autoptr(GString) list = g_string_new(NULL);
  uint32_t place = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((to >> i & 1) == 0) continue;
    if ((from >> i & 1) != 0)
      g_string_append_printf(list, "%s%u", list->len > 0 ? ", " : "", place);
    place++;
  }
  return g_strdup_printf(list->len > 0 ? "array<i64: %s>" : "array<i64%s>", list->str);
}

int printer_broadcast(printer_t *printer, int value, uint32_t from, uint32_t to) {
  if (from == to) return value;
  g_autofree char *places = printer_places(printer, from, to);
  g_autofree char *properties = g_strdup_printf(" <{broadcast_dimensions = %s}>", places);
  type_t narrow = printer_type(printer, from), wide = printer_type(printer, to);
  return printer_unary(printer, "broadcast_in_dim", value, properties, &narrow, &wide);
}

/* ---- Operands and results -------------------------------------------------------------------- */

/* The sizes of a tensor's indices, in its own order, and the place of each index in that. */
static type_t indexed_type(const printer_t *printer, const declared_tensor_t *tensor,
                           uint8_t out_order[TYPE_RANK_MAX]) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    for (uint32_t i = 0; i < tensor->dimensions[d].count; i++) {
      out_order[rank] = tensor->dimensions[d].indices[i];
      dims[rank] = (int64_t)printer->binding.extent[out_order[rank]];
      rank++;
    }
  }
  return type_make(printer->element, rank, dims);
}

static char *permutation_from(const uint8_t *order, uint32_t rank, bool is_inverse) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (uint32_t place = 0; place < rank; place++) {
    uint32_t source = 0;
    for (uint32_t j = 0; j < rank; j++) { /* Of index number `place` among all, ascending. */
      uint32_t below_j = 0, below_place = 0;
      for (uint32_t k = 0; k < rank; k++) {
        below_j += order[k] < order[j];
        below_place += order[k] < order[place];
      }
      if (!is_inverse && below_j == place) source = j;
      if (is_inverse && j == place) source = below_place;
    }
    g_string_append_printf(list, "%s%u", place > 0 ? ", " : "", source);
  }
  return g_strdup_printf(
      rank > 0 ? " <{permutation = array<i64: %s>}>" : " <{permutation = array<i64%s>}>",
      list->str);
}

static bool is_ascending(const uint8_t *order, uint32_t rank) {
  for (uint32_t i = 1; i < rank; i++) {
    if (order[i] < order[i - 1]) return false;
  }
  return true;
}

void printer_operand(printer_t *printer, uint16_t operand, uint32_t step) {
  const declared_tensor_t *tensor = &printer->declaration->operands[operand];
  printer->element = printer_element(printer, (uint16_t)step);
  type_t type = printer->program->operands[operand];
  g_autofree char *source = g_strdup_printf("%%arg%u", operand);
  if (tensor->is_quantized) {
    const step_kind_t kind = printer->formula->steps[step].kind;
    int plain = printer_unquantized(printer, operand, kind, &type);
    g_free(source);
    source = g_strdup_printf("%%v%d", plain);
  }
  g_string_append_printf(printer->text, "    %%v%u = \"stablehlo.reshape\"(%s) : (", printer->next,
                         source);
  uint8_t order[TYPE_RANK_MAX];
  type_t indexed = indexed_type(printer, tensor, order);
  type_t given = indexed;
  given.element = type.element;
  printer_print_type(printer, &type);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, &given);
  g_string_append_c(printer->text, '\n');
  int value = (int)printer->next++;
  if (given.element != indexed.element) {
    value = printer_unary(printer, "convert", value, "", &given, &indexed);
  }
  type_t ascending = printer_type(printer, tensor->mask);
  if (!is_ascending(order, indexed.rank)) {
    g_autofree char *permutation = permutation_from(order, indexed.rank, false);
    value = printer_unary(printer, "transpose", value, permutation, &indexed, &ascending);
  }
  printer->names[step] = value;
}

int printer_result(printer_t *printer, uint32_t result, int value) {
  const declared_tensor_t *tensor = &printer->declaration->results[result];
  printer->element = printer_element(printer, printer->formula->results[result]);
  uint8_t order[TYPE_RANK_MAX];
  type_t indexed = indexed_type(printer, tensor, order);
  type_t ascending = printer_type(printer, tensor->mask);
  if (!is_ascending(order, indexed.rank)) {
    g_autofree char *permutation = permutation_from(order, indexed.rank, true);
    value = printer_unary(printer, "transpose", value, permutation, &ascending, &indexed);
  }
  const type_t type = printer->program->results[result];
  type_t plain = type;
  const bool is_stored = tensor->is_quantized && printer->element->format == NULL;
  if (is_stored) value = printer_clamp_stored(printer, type.quantization, value, &indexed);
  if (tensor->is_quantized) {
    const element_t *expressed = type.quantization->expressed;
    plain = type_make(is_stored ? type.element : expressed, type.rank, type.dims);
  }
  if (plain.element != indexed.element) {
    type_t from = indexed;
    indexed.element = plain.element;
    value = printer_unary(printer, "convert", value, "", &from, &indexed);
  }
  value = printer_unary(printer, "reshape", value, "", &indexed, &plain);
  if (!tensor->is_quantized) return value;
  return printer_unary(printer, is_stored ? "bitcast_convert" : "uniform_quantize", value, "",
                       &plain, &type);
}
