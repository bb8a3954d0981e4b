/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what is scattered to places that a value gives. */
#include <inttypes.h>

#include "oracles/ops/declared/op/printer.h"

/* Which dimensions of the operand, the places and the updates are what: StableHLO's
 * scatter_dimension_numbers. */
typedef struct scattering {
  GString *window, *batch_of_operand, *batch_of_places;
  uint32_t inserted;
} scattering_t;

static void append(GString *list, uint32_t number) {
  g_string_append_printf(list, "%s%" PRIu32, list->len > 0 ? ", " : "", number);
}

/* Indices of the operand and the places are a batch; those of the operand alone are a window of the
 * updates, whose other dimensions are those of the places; all are in the order of the indices. */
static void find_dimensions(const printer_t *printer, const step_t *step, uint32_t of_places,
                            scattering_t *inout) {
  uint32_t operand = 0, places = 0, updates = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    bool in_operand = (step->mask >> i & 1) != 0, in_places = (of_places >> i & 1) != 0;
    bool is_index = i == step->index;
    if (is_index) inout->inserted = operand;
    if (in_operand && in_places) append(inout->batch_of_operand, operand);
    if (in_operand && in_places) append(inout->batch_of_places, places);
    if (in_operand && !in_places && !is_index) append(inout->window, updates);
    operand += in_operand;
    places += in_places;
    updates += (in_operand && !is_index) || in_places;
  }
}

static void print_body(const printer_t *printer, const step_t *step) {
  g_autoptr(GString) type = g_string_new(NULL);
  const type_t scalar = type_make(printer->element, 0, NULL);
  type_print_mlir(&scalar, type);
  bool is_sum = step->kind == STEP_SCATTER_ADD;
  g_string_append_printf(printer->text, " ({\n    ^bb0(%%a: %s, %%b: %s):\n", type->str, type->str);
  if (is_sum) {
    g_string_append_printf(printer->text,
                           "      %%c = \"stablehlo.add\"(%%a, %%b) : (%s, %s) -> %s\n", type->str,
                           type->str, type->str);
  }
  g_string_append_printf(printer->text, "      \"stablehlo.return\"(%%%s) : (%s) -> ()\n    })",
                         is_sum ? "c" : "b", type->str);
}

int printer_scatter(printer_t *printer, const step_t *step, int operand, printed_t places,
                    uint32_t of_places, int updates) {
  g_autoptr(GString) window = g_string_new(NULL), batch_of_operand = g_string_new(NULL),
                     batch_of_places = g_string_new(NULL);
  scattering_t dimensions = {window, batch_of_operand, batch_of_places, 0};
  find_dimensions(printer, step, of_places, &dimensions);
  const type_t result = printer_type(printer, step->mask);
  const type_t of_updates = printer_type(printer, (step->mask & ~(1U << step->index)) | step->over);
  int made = (int)printer->next++;
  g_string_append_printf(
      printer->text,
      "    %%v%d = \"stablehlo.scatter\"(%%v%d, %%v%d, %%v%d) <{scatter_dimension_numbers = "
      "#stablehlo.scatter<update_window_dims = [%s], inserted_window_dims = [%" PRIu32
      "], input_batching_dims = [%s], scatter_indices_batching_dims = [%s], "
      "scatter_dims_to_operand_dims = [%" PRIu32 "], index_vector_dim = %" PRIu32
      ">, indices_are_sorted = false, unique_indices = false}>",
      made, operand, places.value, updates, window->str, dimensions.inserted, batch_of_operand->str,
      batch_of_places->str, dimensions.inserted, places.type.rank);
  print_body(printer, step);
  g_string_append(printer->text, " : (");
  printer_print_type(printer, &result);
  g_string_append(printer->text, ", ");
  printer_print_type(printer, &places.type);
  g_string_append(printer->text, ", ");
  printer_print_type(printer, &of_updates);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, &result);
  g_string_append_c(printer->text, '\n');
  return made;
}
