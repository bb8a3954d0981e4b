/* SPDX-License-Identifier: Apache-2.0 */
/* Prints parts of a value along an index, parts that are joined, and numbers at places that a value
 * gives. */
#include <inttypes.h>

#include "oracles/ops/declared/op/printer.h"

int printer_pick(printer_t *printer, const step_t *step, int value, uint32_t from) {
  g_autoptr(GString) start = g_string_new(NULL), limit = g_string_new(NULL),
                     strides = g_string_new(NULL);
  type_t wide = printer_type(printer, from), slice = wide,
         narrow = printer_type(printer, step->mask);
  uint32_t place = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((from >> i & 1) == 0) continue;
    const char *comma = place > 0 ? ", " : "";
    bool is_picked = i == step->index;
    if (is_picked) slice.dims[place] = 1;
    g_string_append_printf(start, "%s%" PRId64, comma, is_picked ? step->place : 0);
    g_string_append_printf(limit, "%s%" PRId64, comma,
                           is_picked ? step->place + 1 : wide.dims[place]);
    g_string_append_printf(strides, "%s1", comma);
    place++;
  }
  g_autofree char *properties = g_strdup_printf(
      " <{start_indices = array<i64: %s>, limit_indices = array<i64: %s>, strides = array<i64: "
      "%s>}>",
      start->str, limit->str, strides->str);
  int cut = printer_unary(printer, "slice", value, properties, &wide, &slice);
  return printer_unary(printer, "reshape", cut, "", &slice, &narrow);
}

int printer_stack(printer_t *printer, const step_t *step, int a, int b) {
  uint32_t bit = 1U << step->index, dimension = 0;
  type_t without = printer_type(printer, step->mask & ~bit),
         whole = printer_type(printer, step->mask);
  for (uint32_t i = 0; i < step->index; i++) dimension += step->mask >> i & 1;
  type_t part = whole;
  part.dims[dimension] = 1;
  a = printer_unary(printer, "reshape", a, "", &without, &part);
  b = printer_unary(printer, "reshape", b, "", &without, &part);
  int made = (int)printer->next++;
  g_string_append_printf(printer->text,
                         "    %%v%d = \"stablehlo.concatenate\"(%%v%d, %%v%d) <{dimension = %u : "
                         "i64}> : (",
                         made, a, b, dimension);
  printer_print_type(printer, &part);
  g_string_append(printer->text, ", ");
  printer_print_type(printer, &part);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, &whole);
  g_string_append_c(printer->text, '\n');
  return made;
}

/* The sizes of slices, and which dimensions of the value and of the places are what:
 * StableHLO's gather_dimension_numbers. */
typedef struct gathering {
  GString *sizes, *offset, *batch_of_value, *batch_of_places;
  uint32_t collapsed;
} gathering_t;

static void append(GString *list, int64_t number) {
  g_string_append_printf(list, "%s%" PRId64, list->len > 0 ? ", " : "", number);
}

/* Indices of the value and the places are a batch; those of the value alone come whole; all of the
 * result's dimensions are in the order of the indices. */
static void find_dimensions(const printer_t *printer, const step_t *step, uint32_t of_places,
                            gathering_t *inout) {
  const uint32_t of_value = printer->formula->steps[step->a].mask, bit = 1U << step->index;
  uint32_t value = 0, places = 0, result = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    bool in_value = (of_value >> i & 1) != 0, in_places = (of_places >> i & 1) != 0;
    bool is_batch = in_value && in_places && i != step->index;
    bool is_whole = in_value && !in_places && i != step->index;
    if (i == step->index) inout->collapsed = value;
    if (is_batch) append(inout->batch_of_value, value);
    if (is_batch) append(inout->batch_of_places, places);
    if (is_whole) append(inout->offset, result);
    if (in_value) {
      const int64_t extent = (int64_t)printer->binding.extent[i];
      append(inout->sizes, is_whole ? extent : MIN(extent, 1));
    }
    value += in_value;
    places += in_places;
    result += ((step->mask & ~bit) >> i & 1) != 0 || in_places;
  }
}

int printer_gather(printer_t *printer, const step_t *step, int value, printed_t places) {
  g_autoptr(GString) sizes = g_string_new(NULL), offset = g_string_new(NULL),
                     batch_of_value = g_string_new(NULL), batch_of_places = g_string_new(NULL);
  gathering_t dimensions = {sizes, offset, batch_of_value, batch_of_places, 0};
  find_dimensions(printer, step, printer->formula->steps[step->b].mask, &dimensions);
  const type_t result = printer_type(printer, step->mask);
  const printed_t operands[] = {
      {value, printer_type(printer, printer->formula->steps[step->a].mask)}, places};
  g_autofree char *properties = g_strdup_printf(
      " <{dimension_numbers = #stablehlo.gather<offset_dims = [%s], collapsed_slice_dims = [%u], "
      "operand_batching_dims = [%s], start_indices_batching_dims = [%s], start_index_map = [%u], "
      "index_vector_dim = %u>, slice_sizes = array<i64: %s>}>",
      offset->str, dimensions.collapsed, batch_of_value->str, batch_of_places->str,
      dimensions.collapsed, places.type.rank, sizes->str);
  return printer_op(printer, "gather", properties, 2, operands, &result);
}
