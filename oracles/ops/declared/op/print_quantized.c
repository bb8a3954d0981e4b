/* SPDX-License-Identifier: Apache-2.0 */
/* Prints quantized operands as floats or as the integers that are stored, their scales and zero
 * points as constants, and values as quantized results. */
#include <inttypes.h>

#include "oracles/ops/declared/op/printer.h"

int printer_unquantized(printer_t *printer, uint16_t operand, step_kind_t kind, type_t *out_type) {
  const type_t *type = &printer->program->operands[operand];
  const bool is_storage = kind == STEP_STORAGE;
  *out_type =
      type_make(is_storage ? type->element : type->quantization->expressed, type->rank, type->dims);
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(%%arg%u) : (", made,
                         is_storage ? "bitcast_convert" : "uniform_dequantize", operand);
  printer_print_type(printer, type);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, out_type);
  g_string_append_c(printer->text, '\n');
  return made;
}

/* Bits of floats, which are exact, or integers. */
static void print_list(const printer_t *printer, const quantization_t *quantization,
                       bool is_scale) {
  const element_t *element = printer->element;
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (i > 0) g_string_append(printer->text, ", ");
    if (!is_scale) {
      g_string_append_printf(printer->text, "%" PRId64, quantization->zero_points[i]);
      continue;
    }
    const uint64_t bits = format_from_double(element->format, quantization->scales[i]);
    g_string_append_printf(printer->text, "0x%0*" PRIX64, element->bits / 4, bits);
  }
}

int printer_channels(printer_t *printer, const step_t *step) {
  const quantization_t *quantization = declared_type(printer->program, step->a)->quantization;
  const type_t type = printer_type(printer, step->mask);
  const bool is_list = type.rank > 0;
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.constant\"() <{value = dense<%s",
                         made, is_list ? "[" : "");
  print_list(printer, quantization, step->kind == STEP_SCALE);
  g_string_append_printf(printer->text, "%s> : ", is_list ? "]" : "");
  printer_print_type(printer, &type);
  g_string_append(printer->text, "}> : () -> ");
  printer_print_type(printer, &type);
  g_string_append_c(printer->text, '\n');
  return made;
}

/* An end of the storage range, as a float. */
static printed_t print_end(printer_t *printer, double end, const element_t *floats) {
  const element_t *element = printer->element;
  printer->element = floats;
  const printed_t made = {printer_number(printer, end), type_make(floats, 0, NULL)};
  printer->element = element;
  return made;
}

int printer_quantize(printer_t *printer, const step_t *step, printed_t value, int scale,
                     printed_t zero_point) {
  const type_t *type = &value.type, stored = printer_type(printer, step->mask);
  const element_t *storage = step->storage;
  int quotient = printer_binary(printer, "divide", value.value, scale, type);
  int zero = printer_unary(printer, "convert", zero_point.value, "", &zero_point.type, type);
  const printed_t operands[] = {
      print_end(printer, (double)element_integer_min(storage), type->element),
      {printer_binary(printer, "add", quotient, zero, type), *type},
      print_end(printer, (double)element_integer_max(storage), type->element)};
  int cut = printer_op(printer, "clamp", "", 3, operands, type);
  cut = printer_unary(printer, "round_nearest_even", cut, "", type, type);
  return printer_unary(printer, "convert", cut, "", type, &stored);
}

int printer_clamp_stored(printer_t *printer, const quantization_t *range, int value,
                         const type_t *type) {
  const type_t scalar = type_make(printer->element, 0, NULL);
  const printed_t operands[] = {{printer_integer(printer, range->storage_min), scalar},
                                {value, *type},
                                {printer_integer(printer, range->storage_max), scalar}};
  return printer_op(printer, "clamp", "", 3, operands, type);
}
